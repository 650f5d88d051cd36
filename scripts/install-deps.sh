#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs with apt what is missing for building and testing, and nothing else. Prints nothing when all is there.
# Usage: scripts/install-deps.sh [--qemu | --viewer | --aarch64]     --qemu: also QEMU 7.2, system and user mode, and a compiler for its guests
#        --aarch64: also the cross compilers and the emulator of scripts/aarch64-host.sh
#        --viewer: also node, a headless Chromium (230 MB) and axe-core (npm, into build/axe), in which the page's tests run
set -eu
cd "$(dirname "$0")/.."

# clang-19 (device compiler and fuzzer) is in bookworm's own security and update suites. gdb: the tests of signals. patch: the mutants. xz-utils: golden files. libmicrohttpd-dev, bubblewrap: vtegra playground. libzydis-dev: accesses to memory in use (runtime/observe/carry.c). python3: independent references. protobuf-compiler: protoc decodes timelines. libglvnd-dev .. libegl-mesa0: EGL. python3-jsonschema: schemas of reports. lld-19, wasi-libc, ..-wasm32: the page (viewer/).
packages='gcc g++ cmake ninja-build pkg-config
    libglib2.0-dev libjson-glib-dev libmicrohttpd-dev bubblewrap libprotobuf-c-dev protobuf-c-compiler libzstd-dev liblz4-dev libdw-dev libelf-dev libzydis-dev
    libglvnd-dev libegl-dev libgles-dev libegl1 libgles2 libopengl0 libegl-mesa0
    check clang-19 clang-format-19 libclang-rt-19-dev lld-19 wasi-libc libclang-rt-19-dev-wasm32 gdb patch xz-utils python3 python3-jsonschema protobuf-compiler'
if [ "${1:-}" = --viewer ]; then
    packages="$packages nodejs chromium-headless-shell"
fi
if [ "${1:-}" = --qemu ]; then
    packages="$packages qemu-system-arm qemu-user gcc-aarch64-linux-gnu make cpio device-tree-compiler libvirt-dev libvirt-daemon-driver-qemu"
fi

if [ "${1:-}" = --aarch64 ]; then
    packages="$packages gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user"
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=none
    [ "$status" = installed ] || missing="$missing $package"
done
die() {
    echo "install-deps: $*" >&2
    exit 1
}

# As root libvirt wants this account even where its driver is embedded (vtegra vm); Debian makes it with its daemon.
if [ "${1:-}" = --qemu ] && [ "$(id -u)" = 0 ] && ! getent passwd libvirt-qemu >/dev/null; then
    useradd --system --user-group --no-create-home --shell /usr/sbin/nologin libvirt-qemu ||
        echo "install-deps: no account libvirt-qemu: vtegra vm will not run as root" >&2
fi

# The rules of accessibility that the page's test asks. The lock file names no registry.
axe() {
    [ "${1:-}" = --viewer ] && ! [ -e build/axe/node_modules/axe-core/axe.min.js ] || return 0
    command -v npm >/dev/null || {
        echo "install-deps: no npm, so no axe-core: the test of accessibility is skipped (Debian: apt-get install npm)" >&2
        return 0
    }
    npm install --prefix build/axe --omit-lockfile-registry-resolved --no-audit --no-fund --silent axe-core@4 ||
        echo "install-deps: npm cannot install axe-core: the test of accessibility is skipped" >&2
}

[ -n "$missing" ] || {
    axe "$@"
    exit 0
}

command -v apt-get >/dev/null ||
    die "these Debian packages are missing and there is no apt-get here:$missing"
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    die "run this as root or install sudo; missing:$missing"
fi

echo "install-deps: installing with apt-get:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}

# A stale package list names versions that are gone, a fresh container has none: refresh it first, use the old one offline.
apt update || echo "install-deps: apt-get update failed, trying with the lists at hand" >&2
for package in $missing; do
    apt-cache show "$package" >/dev/null 2>&1 ||
        die "no package $package in this machine's apt sources. vtegra is built on Debian 12 (bookworm);" \
            "clang-19 is in its suites bookworm-updates and bookworm-security."
done
# shellcheck disable=SC2086 # a list of words
apt install --no-install-recommends $missing || {
    tail -n 20 "$log" >&2
    die "apt-get install failed (above)"
}
axe "$@"
touch -c CMakeLists.txt # cmake looks again for what was not there
echo "install-deps: done"

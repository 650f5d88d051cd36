#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the Debian packages of a build, checks them with lintian, installs them in a new debootstrap, and runs there what a user would: the demo,
# projects in C and CUDA. As root, with debootstrap and, but for PACKAGES, lintian, dpkg-dev and file.
# Usage: scripts/package-test.sh [BUILD_DIR [SUITE]]     SUITE: bookworm (default), trixie
#        PACKAGES=DIR: test the packages of that folder, built elsewhere (on Debian 13). MIRROR=URL. ROOT=DIR: keep the debootstrap there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
suite=${2:-bookworm}
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sed 's,/*$,,' | grep -v -e '-security$' | head -n 1)} # this machine's

say() { echo "package-test: $*"; }
die() {
    echo "package-test: $*" >&2
    exit 1
}
[ -n "$mirror" ] || die "apt knows no mirror of Debian: give MIRROR=URL"
[ "$(id -u)" = 0 ] || die "run this as root: debootstrap and chroot need it"
work=$(mktemp -d)
system=${ROOT:-$work/system}
finish() {
    status=$?
    umount "$system/proc" 2>/dev/null || true
    umount "$system/dev/shm" 2>/dev/null || true
    [ $status = 0 ] || [ ! -s "$work/log" ] || tail -n 30 "$work/log" >&2
    mountpoint -q "$system/proc" || rm -rf "$work"
    exit $status
}
trap finish EXIT

# --- the packages
if [ -n "${PACKAGES:-}" ]; then
    packages=$(cd "$PACKAGES" && pwd)
else
    packages=$build/packages
    rm -rf "$packages"
    (cd "$build" && cpack -G DEB) >"$work/log" 2>&1 || die "cpack failed"
    lintian --allow-root --fail-on error,warning "$packages"/*.deb >"$work/log" 2>&1 || die "lintian:"
    say "lintian: no error, no warning"
fi
ls "$packages"

# --- a new system
if [ ! -x "$system/usr/bin/apt-get" ]; then
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$system" "$mirror" >"$work/log" 2>&1 || die "debootstrap $suite failed"
fi
cp /etc/resolv.conf "$system/etc/"
[ "$suite" = sid ] || cat >"$system/etc/apt/sources.list" <<LIST
deb $mirror $suite main
deb $mirror $suite-updates main
deb $mirror-security $suite-security main
LIST
mkdir -p "$system/test"
rm -f "$system"/test/*.deb
cp "$packages"/*.deb "$root/tests/user/package.sh" "$system/test/"
mountpoint -q "$system/proc" || mount -t proc proc "$system/proc"
mkdir -p "$system/dev/shm"
mountpoint -q "$system/dev/shm" || mount -t tmpfs tmpfs "$system/dev/shm"
cat >"$system/test/install.sh" <<'INSTALL'
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get update
apt-get install -y --no-install-recommends /test/*.deb
vtegra --version
vtegra soc list
# What the report's user compiles with.
apt-get install -y --no-install-recommends clang-19 g++ libc6-dev cmake make pkg-config
INSTALL
say "$(cat "$system/etc/debian_version"), $suite: apt-get install"
chroot "$system" sh /test/install.sh >"$work/log" 2>&1 || die "the packages do not install"

# --- what a user does
chroot "$system" env LC_ALL=C.UTF-8 vtegra --version
chroot "$system" env LC_ALL=C.UTF-8 OUT=/test/demo sh /usr/lib/vtegra/share/vtegra/scenarios/demo.sh >"$work/log" 2>&1 ||
    die "the demo fails"
grep -A9 "^==== The same pictures" "$work/log" || die "the demo has not come to its end"
say "the demo runs"
chroot "$system" env LC_ALL=C.UTF-8 sh /test/package.sh /usr/lib/vtegra /test/projects >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "a project of a user fails"
}
say "a C project by find_package and by pkg-config, and a CUDA project by the toolchain file, build and run"
# What is removed leaves nothing.
chroot "$system" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get purge -y libvtegra vtegra vtegra-dev vtegra-doc' >"$work/log" 2>&1 ||
    die "the packages cannot be removed"
[ ! -e "$system/usr/lib/vtegra" ] || die "a file is left: $(find "$system/usr/lib/vtegra" | head -n 3)"
say "passed on $suite"

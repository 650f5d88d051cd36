#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds a kernel module for the Linux guest: Debian's own headers for its arm64 kernel and the tools of kbuild for this
# machine, unpacked, nothing installed.
# Usage: qemu-plugin/module/build.sh [SOURCE [DIR]]      SOURCE: a folder with a Kbuild file, default: the example here;
# DIR: default build/guest. Leaves the modules in DIR/module.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
source=$(cd "${1:-$here}" && pwd)
dir=${2:-build/guest}

die() {
    echo "module: $*" >&2
    exit 1
}

command -v aarch64-linux-gnu-gcc-12 >/dev/null && command -v make >/dev/null ||
    die "needs gcc-12-aarch64-linux-gnu and make: scripts/install-deps.sh --qemu"
for modules in "$dir"/packages/lib/modules/*; do :; done
version=$(basename "$modules")
[ -d "$modules" ] || die "no guest in $dir: qemu-plugin/guest/make.sh"
exec 8>"$dir/module.lock" # two tests may want it at once
flock 8
scripts/fetch-debs.sh arm64 "$dir/headers" "linux-headers-$version" "linux-headers-${version%-*}-common"
scripts/fetch-debs.sh "$(dpkg --print-architecture)" "$dir/kbuild" "linux-kbuild-$(echo "$version" | cut -d . -f 1,2)"
dir=$(cd "$dir" && pwd)
headers=$dir/headers/usr/src/linux-headers-$version

# The packages stand in /usr: the one absolute path becomes ours, and the tools lie where the links point.
sed -i "s,^include /usr/src/,include $dir/headers/usr/src/," "$headers/Makefile"
mkdir -p "$dir/headers/usr/lib"
cp -a "$dir/kbuild/usr/lib/." "$dir/headers/usr/lib/"

# Built in a copy: the source folder stays clean.
work=$dir/module/$(basename "$source")
stamp=$work/.built
if [ -f "$stamp" ] && [ "$stamp" -nt "$dir/headers/.packages" ] &&
    [ -z "$(find "$source" "$PWD/model/regs" "$PWD/qemu-plugin/control.def" "$PWD/qemu-plugin/control.h" -newer "$stamp" -print -quit)" ]; then
    exit 0
fi
rm -rf "$work"
mkdir -p "$work"
cp -a "$source/." "$work/"
make -s -C "$headers" M="$work" VTEGRA="$PWD" DEB_BUILD_ARCH=amd64 DEB_HOST_ARCH=arm64 DEB_HOST_GNU_TYPE=aarch64-linux-gnu modules \
    >"$dir/module/log" 2>&1 || {
    cat "$dir/module/log" >&2
    die "the module does not build (above)"
}
cp "$work"/*.ko "$dir/module/"
touch "$stamp"

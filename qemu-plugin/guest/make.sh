#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The Linux guest: Debian's own arm64 kernel, and a first file system of busybox, the vfio modules and init. Packages are
# unpacked, nothing is installed.
# Usage: qemu-plugin/guest/make.sh [DIR]      default: build/guest. Leaves DIR/vmlinuz, DIR/base.cpio; quick when there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
dir=${1:-build/guest}

die() {
    echo "guest: $*" >&2
    exit 1
}

command -v cpio >/dev/null || die "needs cpio: scripts/install-deps.sh --qemu"
scripts/fetch-debs.sh arm64 "$dir/packages" linux-image-arm64 busybox-static
dir=$(cd "$dir" && pwd)
if [ "$dir/base.cpio" -nt "$dir/packages/.packages" ] && [ "$dir/base.cpio" -nt "$here/init" ] &&
    [ "$dir/base.cpio" -nt "$here/make.sh" ] && [ "$dir/base.cpio" -nt "$here/memory/vtegra_memory.c" ]; then
    exit 0
fi
packages=$dir/packages
for modules in "$packages"/lib/modules/*; do :; done
version=$(basename "$modules")
[ -f "$packages/boot/vmlinuz-$version" ] || die "the package has no kernel $version"

root=$dir/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/etc/vtegra" "$root/modules" "$root/root"
cp "$packages/bin/busybox" "$root/bin/"
cp "$here/init" "$root/init"
chmod +x "$root/init"
echo root:x:0:0:root:/root:/bin/sh >"$root/etc/passwd"

# add MODULE: it and what it depends on, into $root/modules; their order in $root/modules/order. Built in: nothing to do.
add() {
    add_file=$(find "$modules" -name "$1.ko" -o -name "$(echo "$1" | tr _ -).ko" | head -n 1)
    if [ -n "$add_file" ] && [ ! -f "$root/modules/$(basename "$add_file")" ]; then
        for add_other in $(tr '\0' '\n' <"$add_file" | sed -n 's/^depends=//p' | tr , ' '); do
            add "$add_other"
        done
        add_file=$(find "$modules" -name "$1.ko" -o -name "$(echo "$1" | tr _ -).ko" | head -n 1)
        cp "$add_file" "$root/modules/"
        basename "$add_file" >>"$root/modules/order"
    fi
}
: >"$root/modules/order"
add vfio
add vfio_iommu_type1
add vfio-pci
grep -q '^vfio-pci.ko$' "$root/modules/order" || die "kernel $version has no vfio-pci"

# Uncached memory for programs (memory/): a guest without it refuses pinned memory of Nano and TX2.
if "$here/../module/build.sh" "$here/memory" "$dir" >"$dir/memory.log" 2>&1; then
    cp "$dir/module/vtegra_memory.ko" "$root/modules/"
    echo vtegra_memory.ko >>"$root/modules/order"
else
    echo "guest: without uncached memory, the module does not build ($dir/memory.log)" >&2
fi

cp "$packages/boot/vmlinuz-$version" "$dir/vmlinuz"
"$here/archive.sh" "$root" "$dir/base.cpio"

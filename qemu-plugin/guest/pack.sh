#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The runtime for the guest and every library it needs, as an archive for the guest's first file system.
# Usage: qemu-plugin/guest/pack.sh [RUNTIME [SYSROOT]]      default: build/aarch64 RUNTIME/sysroot. Leaves RUNTIME/guest.cpio.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
runtime=$(cd "${1:-build/aarch64}" && pwd)
sysroot=$(cd "${2:-$runtime/sysroot}" && pwd)
out=$runtime/guest.cpio

if [ -f "$out" ] && [ -z "$(find "$runtime/lib" "$runtime/share" "$sysroot/.packages" "$here/pack.sh" -newer "$out" -type f -print -quit)" ]; then
    exit 0
fi
root=$runtime/guest
libraries=$root/usr/lib/aarch64-linux-gnu
rm -rf "$root"
mkdir -p "$root/opt/vtegra/lib" "$root/opt/vtegra/share/vtegra" "$libraries" "$root/lib"
cp -r "$runtime/share/vtegra/profiles" "$root/opt/vtegra/share/vtegra/"

# need FILE: copies the libraries that it names, and what those name.
need() {
    for need_name in $(aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        [ ! -e "$libraries/$need_name" ] && [ ! -e "$root/opt/vtegra/lib/$need_name" ] && [ ! -e "$runtime/lib/$need_name" ] || continue
        need_file=
        for need_dir in "$sysroot/lib/aarch64-linux-gnu" "$sysroot/usr/lib/aarch64-linux-gnu"; do
            [ ! -e "$need_dir/$need_name" ] || need_file=$need_dir/$need_name
        done
        [ -n "$need_file" ] || {
            echo "guest: $1 needs $need_name, which $sysroot does not have" >&2
            exit 1
        }
        cp -L "$need_file" "$libraries/$need_name"
        need "$libraries/$need_name"
    done
}

for library in libvtegra.so libcuda.so.1 libcudart.so.13 libcudla.so.1 libnvscicommon.so.1 libnvscievent.so.1 libnvsciipc.so.1 \
    libnvscibuf.so.1 libnvscisync.so.1 libnvmedia2d.so.1 libnvbufcommon.so.1 libnvbufsurface.so.1.0.0 libnvbufsurftransform.so.1.0.0 \
    libnvbuf_utils.so.1.0.0 libEGL.so.1 libGLESv2.so.2; do
    cp -L "$runtime/lib/$library" "$root/opt/vtegra/lib/$library"
    need "$runtime/lib/$library"
done
# What programs need besides: C++, the loader.
for library in libstdc++.so.6 libm.so.6 libpthread.so.0; do
    cp -L "$sysroot/usr/lib/aarch64-linux-gnu/$library" "$libraries/" 2>/dev/null || cp -L "$sysroot/lib/aarch64-linux-gnu/$library" "$libraries/"
    need "$libraries/$library"
done
cp -L "$sysroot/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" "$root/lib/"
# Debug information stays outside: reports name lines from the programs' own.
aarch64-linux-gnu-strip --strip-debug "$root"/opt/vtegra/lib/*
"$here/archive.sh" "$root" "$out"

#!/bin/sh
# SPDX-License-Identifier: MIT
# What an aarch64 program is built against: Debian's arm64 C and C++ libraries and those of the runtime, unpacked into a
# folder, not installed. For cmake/aarch64.cmake and vtegra cc --target aarch64.
# Usage: scripts/cross-sysroot.sh [DIR]      default: build/aarch64/sysroot. Prints the folder; quick when it is there.
set -eu
cd "$(dirname "$0")/.."
dir=${1:-build/aarch64/sysroot}

scripts/fetch-debs.sh arm64 "$dir" \
    libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev \
    libglib2.0-0 libglib2.0-dev libpcre2-8-0 libpcre2-dev libffi8 libffi-dev libmount1 libmount-dev libblkid1 \
    libblkid-dev libselinux1 libselinux1-dev libsepol2 libsepol-dev zlib1g zlib1g-dev \
    libjson-glib-1.0-0 libjson-glib-dev libzstd1 libzstd-dev liblz4-1 liblz4-dev \
    libdw1 libdw-dev libelf1 libelf-dev liblzma5 liblzma-dev libbz2-1.0 libbz2-dev \
    libegl-dev libgl-dev libgles-dev libglvnd-core-dev libx11-dev x11proto-dev \
    check libsubunit0 libsubunit-dev
dir=$(cd "$dir" && pwd)

# Links that begin at the root would lead to this machine's own libraries.
if [ ! -f "$dir/.relinked" ]; then
    find "$dir" -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        [ ! -e "$dir$target" ] || ln -sfr "$dir$target" "$link"
    done
    touch "$dir/.relinked"
fi
echo "$dir"

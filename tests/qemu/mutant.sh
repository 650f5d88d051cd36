#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Is a deliberate fault of the plugin noticed? A patch opens with "Rule:" (what it breaks) and "Test:" (the script beside
# this one that must fail with it). Usage: mutant.sh SOURCE BUILD QEMU PATCH
set -eu
source=$1
build=$2
qemu=$3
patch=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
test=$(sed -n 's/^Test: //p' "$patch")
mkdir "$dir/qemu-plugin" "$dir/lib"
cp "$source"/qemu-plugin/*.[ch] "$source"/qemu-plugin/*.def "$dir/qemu-plugin/"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
# The model's libraries are those of the build; what the plugin links besides, the build knows.
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -O2 -w -fPIC -shared -fvisibility=hidden -I"$dir" -I"$source" $(pkg-config --cflags glib-2.0 libdw) \
    "$dir"/qemu-plugin/*.c -Wl,--start-group $(find "$build/lib" -name 'lib*.a') -Wl,--end-group \
    $(pkg-config --libs glib-2.0 libdw) -lm -o "$dir/lib/vtegra-qemu.so"
ln -s "$build/bare" "$dir/bare"
export limit=20
if "$source/tests/qemu/$test" "$source" "$dir" "$qemu" >"$dir/log" 2>&1; then
    echo "not noticed: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
grep -m 3 FAILED "$dir/log" | cut -c 1-200

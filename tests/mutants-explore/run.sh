#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault of vtegra explore, replay or merge noticed? run.sh SOURCE_DIR BUILD_DIR PATCH OBJECTS -- LIBRARIES
# A patch opens with "Rule:" (what it breaks) and "Check:" (what explore/results.sh must then complain of: its line after FAIL).
# The broken file is compiled and stands in for its healthy self in a vtegra, beside the built libraries.
set -eu
source=$1 build=$2 patch=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
mkdir -p "$dir/$(dirname "$broken")" "$dir/bin"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
packages="glib-2.0 json-glib-1.0 libelf libzstd liblz4"
pkg-config --exists libvirt && packages="$packages libvirt"
# shellcheck disable=SC2046,SC2086
cc -std=gnu17 -D_GNU_SOURCE -DVTEGRA_VERSION=\"0\" -w -O1 -I"$source" $(pkg-config --cflags $packages) -c "$dir/$broken" -o "$dir/broken.o"
objects=
# shellcheck disable=SC2046 # cmake's lists have semicolons
while [ "$1" != -- ]; do
    for object in $(echo "$1" | tr ';' ' '); do
        case $object in
        */"$(basename "$broken")".o) objects="$objects $dir/broken.o" ;;
        *) objects="$objects $object" ;;
        esac
    done
    shift
done
shift
# shellcheck disable=SC2046,SC2086
cc $objects -Wl,--start-group "$@" -Wl,--end-group $(pkg-config --libs $packages) -ldl -lm -lpthread -o "$dir/bin/vtegra"
for folder in lib share include; do
    ln -s "$build/$folder" "$dir/$folder"
done
check=$(sed -n 's/^Check: //p' "$patch")
if "$source/tests/explore/results.sh" "$dir" "$dir/work" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
if ! grep -q "^FAIL $check" "$dir/out"; then
    echo "caught, but not by \"$check\":"
    cat "$dir/out"
    exit 1
fi
echo "caught: $(grep -c '^FAIL' "$dir/out") complaints"

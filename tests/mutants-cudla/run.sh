#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault in the driver's DLA part noticed? run.sh SOURCE_DIR PATCH TEST_DIR LIBRARIES...
# A patch opens with "Rule:" (what it breaks), "Test:" (the test that must fail) and "Case:" (which of its cases). The broken
# file is compiled and linked into a libvtegra.so before the built libraries, so it stands in for its healthy self, and the test
# that is already built runs on that.
set -eu
source=$1
patch=$2
tests=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
test=$(sed -n 's/^Test: //p' "$patch")
case=$(sed -n 's/^Case: //p' "$patch")
mkdir -p "$dir/$(dirname "$broken")"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -shared -I"$source" $(pkg-config --cflags glib-2.0) "$dir/$broken" \
    -Wl,-soname,libvtegra.so -Wl,--version-script="$source/runtime/driver/libvtegra.map" \
    -Wl,--allow-multiple-definition -Wl,--whole-archive "$1" "$2" -Wl,--no-whole-archive \
    -Wl,--start-group "$@" -Wl,--end-group \
    $(pkg-config --libs glib-2.0 json-glib-1.0 libdw libzstd liblz4) -ldl -lpthread -lm -lgcc_s -o "$dir/libvtegra.so"
if timeout 900 env LD_PRELOAD="$dir/libvtegra.so" CK_RUN_CASE="$case" "$tests/test_$test" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
if ! grep -q ':[FE]:' "$dir/out"; then
    cat "$dir/out"
    echo "the test did not run"
    exit 1
fi
echo "caught by test_$test: $(grep -c ':[FE]:' "$dir/out") checks failed"

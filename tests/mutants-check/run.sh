#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault of what the checker does inside other programs noticed (signals, compiler hooks)?
# run.sh SOURCE_DIR BUILD_DIR PATCH LIBRARIES...
# A patch opens with "Rule:" (what it breaks), "Test:" (fault or track) and "Case:" (which of its cases must fail). The broken
# file is linked before the built libraries into a libvtegra-testboard.so, which the test's programs find before their own.
set -eu
source=$1
build=$2
patch=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
test=$(sed -n 's/^Test: //p' "$patch")
CK_RUN_CASE=$(sed -n 's/^Case: //p' "$patch")
export CK_RUN_CASE
mkdir -p "$dir/$(dirname "$broken")"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -shared -fno-optimize-sibling-calls -fvisibility=hidden -I"$source" \
    -iquote "$source/$(dirname "$broken")" $(pkg-config --cflags glib-2.0) "$source/tests/test_check_board.c" "$dir/$broken" \
    -Wl,--start-group "$@" -Wl,--end-group $(pkg-config --libs glib-2.0 json-glib-1.0 libdw) -ldl -lpthread -lm -lgcc_s \
    -o "$dir/libvtegra-testboard.so"
if LD_LIBRARY_PATH=$dir timeout 900 "$build/bin/test_$test" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
if ! grep -q ':[FE]:' "$dir/out"; then
    cat "$dir/out"
    echo "the test did not run"
    exit 1
fi
echo "caught by test_$test: $(grep -c ':[FE]:' "$dir/out") checks failed"

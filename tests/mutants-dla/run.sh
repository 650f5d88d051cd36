#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault in the DLA noticed? run.sh SOURCE_DIR PATCH
# A patch opens with "Rule:" (what it breaks) and "Test:" (the unit test that must fail with it).
set -eu
source=$1
patch=$(realpath "$2")
# "Needs: avx2": the fault is in a loop that only such a machine runs.
needs=$(sed -n 's/^Needs: //p' "$patch")
if [ -n "$needs" ] && ! grep -qw "$needs" /proc/cpuinfo; then
    echo "not run: this machine has no $needs"
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/model" "$dir/tests"
cp -r "$source/model/dla" "$source/model/regs" "$dir/model/"
cp "$source/model/bus.h" "$dir/model/"
rm "$dir"/model/dla/dla_bus.c "$dir"/model/dla/engine*.c # the bus itself is not here
cp -r "$source/loadable" "$dir/"
cp -r "$source/tests/dla" "$dir/tests/"
cp "$source"/tests/test_dla*.c "$dir/tests/"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
test=$(sed -n 's/^Test: //p' "$patch")
cd "$dir"
# shellcheck disable=SC2046
cc -std=c17 -D_GNU_SOURCE -O1 -w -I. -DVECTORS="\"$dir/tests/dla\"" $(pkg-config --cflags check) \
    "tests/test_$test.c" tests/dla/rig.c model/dla/*.c loadable/*.c \
    $(pkg-config --libs check) -lm -o mutant
if timeout 120 ./mutant >out 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
echo "caught by test_$test: $(grep -c ':[FE]:' out) checks failed"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault of the command vtegra noticed? run.sh SOURCE_DIR BUILD_DIR PATCH OBJECTS -- LIBRARIES
# A patch opens with "Rule:" (what it breaks) and "Check:" (what explore/results.sh must then complain of: its line after FAIL;
# of vtegra litmus, "Test: litmus_cli", what stands in a line of test_litmus_cli.sh).
# The broken file is compiled and stands in for its healthy self in a vtegra, beside the built libraries.
set -eu
source=$1 build=$2 patch=$3
shift 3
. "$source/tests/mutants/patched.sh"
mkdir "$dir/bin"
packages="glib-2.0 json-glib-1.0 libelf libzstd liblz4"
pkg-config --exists libvirt && packages="$packages libvirt"
# shellcheck disable=SC2046,SC2086
cc -std=gnu17 -D_GNU_SOURCE -DVTEGRA_VERSION=\"0\" -w -O1 -I"$source" $(pkg-config --cflags $packages) -c "$dir/$broken" -o "$dir/broken.o"
parts=
while [ "$1" != -- ]; do
    parts="$parts $(objects "$1")"
    shift
done
shift
# shellcheck disable=SC2046,SC2086
cc $parts -Wl,--start-group "$@" -Wl,--end-group $(pkg-config --libs $packages) -ldl -lm -lpthread -o "$dir/bin/vtegra"
for folder in lib share include; do
    ln -s "$build/$folder" "$dir/$folder"
done
check="^FAIL $(word Check)"
test=$(word Test)
set -- "$source/tests/explore/results.sh" "$dir" "$dir/work"
if [ -n "$test" ]; then
    check=$(word Check)
    set -- "$source/tests/test_$test.sh" "$dir/bin/vtegra" "$source"
fi
if "$@" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(word Rule)"
    exit 1
fi
if ! grep -q -- "$check" "$dir/out"; then
    echo "caught, but not by \"$check\":"
    cat "$dir/out"
    exit 1
fi
echo "caught: $(grep -c -- "$check" "$dir/out") complaints"

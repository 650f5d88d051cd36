#!/bin/sh
# SPDX-License-Identifier: MIT
# As run.sh, for the many small mutants of litmus/: the tests are compiled once.
# litmus_run.sh SOURCE_DIR PATCH OBJECTS_DIR LIBRARIES...   (OBJECTS_DIR/test_litmus*.c.o)
set -eu
source=$1
patch=$2
objects=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
test=$(sed -n 's/^Test: //p' "$patch")
mkdir -p "$dir/litmus"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -I"$source" $(pkg-config --cflags glib-2.0) -c "$dir/$broken" -o "$dir/broken.o"
# shellcheck disable=SC2046
cc "$objects/test_$test.c.o" "$dir/broken.o" -Wl,--start-group "$@" -Wl,--end-group \
    $(pkg-config --libs check glib-2.0) -ldl -lpthread -lm -o "$dir/mutant"
case $patch in
*/litmus_reduce_*) ;;
*)
    LITMUS_VERDICTS_ONLY=1
    export LITMUS_VERDICTS_ONLY
    ;;
esac
if VTEGRA_PROFILES=$source/profiles timeout 60 "$dir/mutant" >"$dir/out" 2>&1; then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
if ! grep -q ':[FE]:' "$dir/out"; then
    cat "$dir/out"
    echo "the test did not run"
    exit 1
fi
echo "caught by test_$test: $(grep -c ':[FE]:' "$dir/out") checks failed"
sed -n 's/.*\(:[FE]:.*\)/\1/p' "$dir/out" | head -1

#!/bin/sh
# SPDX-License-Identifier: MIT
# As run.sh, for the many small mutants of litmus/: the tests are compiled once.
# litmus_run.sh SOURCE_DIR PATCH OBJECTS_DIR LIBRARIES...   (OBJECTS_DIR/test_litmus*.c.o)
set -eu
source=$1
patch=$2
objects=$3
shift 3
. "$source/tests/mutants/patched.sh"
test=$(word Test)
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
noticed env VTEGRA_PROFILES=$source/profiles timeout 60 "$dir/mutant"

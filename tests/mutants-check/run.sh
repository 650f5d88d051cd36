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
. "$source/tests/mutants/patched.sh"
test=$(word Test)
CK_RUN_CASE=$(word Case)
export CK_RUN_CASE
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -shared -fno-optimize-sibling-calls -fvisibility=hidden -I"$source" \
    -iquote "$source/$(dirname "$broken")" $(pkg-config --cflags glib-2.0) "$source/tests/test_check_board.c" "$dir/$broken" \
    -Wl,--start-group "$@" -Wl,--end-group $(pkg-config --libs glib-2.0 json-glib-1.0 libdw) -ldl -lpthread -lm -lgcc_s \
    -o "$dir/libvtegra-testboard.so"
noticed env LD_LIBRARY_PATH=$dir timeout 900 "$build/bin/test_$test"

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
. "$source/tests/mutants/patched.sh"
test=$(word Test)
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -shared -I"$source" $(pkg-config --cflags glib-2.0) "$dir/$broken" \
    -Wl,-soname,libvtegra.so -Wl,--version-script="$source/runtime/driver/libvtegra.map" \
    -Wl,--allow-multiple-definition -Wl,--whole-archive "$1" "$2" -Wl,--no-whole-archive \
    -Wl,--start-group "$@" -Wl,--end-group \
    $(pkg-config --libs glib-2.0 json-glib-1.0 libdw libzstd liblz4) -ldl -lpthread -lm -lgcc_s -o "$dir/libvtegra.so"
noticed timeout 900 env LD_PRELOAD="$dir/libvtegra.so" CK_RUN_CASE="$(word Case)" "$tests/test_$test"

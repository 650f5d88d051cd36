#!/bin/sh
# SPDX-License-Identifier: MIT
# No source defines a function that <math.h> of a newer C library declares. Usage: c23_names.sh SOURCE_DIR COMPILER
# GENERATED_DIR, of headers that the build makes
cd "$1" || exit 2
failed=0 onnx=
[ -e "$3/dlabuild/onnx/onnx.pb-c.h" ] || onnx=-DDLABUILD_NO_ONNX # built without protobuf-c
files=$(grep -lE '^#include (<math.h>|"model.igpu.(intrinsic|sm_(math|half|lanes)).h")' model/*/*.c ptx/*.c tools/*.c tools/*/*.c) || exit 2
for file in $files; do
    # shellcheck disable=SC2046 # a list of words
    "$2" -std=gnu17 -D_GNU_SOURCE -fsyntax-only -include tests/c23_math.h -I. -Iinclude -I"$3" $onnx \
        $(pkg-config --cflags glib-2.0 json-glib-1.0) "$file" || failed=1
done
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# libcuda.so.1 exports what cuda.def lists, no more and no less, and cuda.def lists what the toolkit's stub library
# exports where there is one. Usage: test_cuda_api_exports.sh LIBCUDA CUDA_DEF [STUB_LIBRARY]
LC_ALL=C
export LC_ALL
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

exported() {
    nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "W" { print $3 }' | sort
}

compare() {
    diff "$dir/$1" "$dir/$2" >"$dir/diff" && return
    echo "$1 (<) and $2 (>) differ:"
    cat "$dir/diff"
    bad=1
}

bad=0
sed -n -E 's/^(FORWARD|CONTEXT_THEN|HAND|STUB)\(([A-Za-z0-9_]+), [0-9]+, (ONE|PT..).*/\2 \3/p' "$2" |
    awk '{ print $1 } $2 != "ONE" { print $1 "_" tolower($2) }' | sort >"$dir/cuda.def"
exported "$1" >"$dir/libcuda"
[ -s "$dir/cuda.def" ] || bad=1
compare cuda.def libcuda
if [ -n "$3" ] && [ -e "$3" ]; then
    exported "$3" >"$dir/toolkit"
    # only in drivers
    grep -v -E 'EGL|^cuGL|^cuGraphicsGL' "$dir/cuda.def" | grep -v -x cuGraphicsResourceGetMappedEglFrame >"$dir/cuda.def-without-GL"
    compare cuda.def-without-GL toolkit
fi
exit $bad

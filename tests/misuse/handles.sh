#!/bin/sh
# SPDX-License-Identifier: MIT
# handles.sh BUILD_DIR WORK_DIR: the 1,048,576th live object is an error code and a finding with its line, no abort.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang handles -g -O1 "$source/handles.cu"

for what in event node graph user; do
    expect "$what" 0 "cudaErrorMemoryAllocation, a million" "$vtegra" run --soc orin -- ./handles $what
    also "$what" "handles-exhausted"
    also "$what" "misuse/handles.cu:$(grep -n "MARK $what\$" "$source/handles.cu" | cut -d: -f1)"
done
expect legacy 0 "cudaSuccess, 3001" "$vtegra" run --soc orin -- ./handles legacy
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# interposed.sh BUILD_DIR WORK_DIR: a program that has functions of the C library's names of its own.
. "$(dirname "$0")/lib.sh"
by_clang interposed -g -O1 "$source/interposed.cu" -Wl,--export-dynamic
for policy in lazy "seeded --seed 1"; do
    # shellcheck disable=SC2086 # words
    expect "shared $policy" 0 "5, 0 packets" timeout 60 "$vtegra" run --shared --soc orin --policy $policy -- ./interposed
done
finish

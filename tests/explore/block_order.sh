#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is right only while blocks run by number. Usage: block_order.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/../e2e/lib.sh"
build block_order "$vtegra" cc -g "$source/block_order.cu"
for policy in lazy eager; do
    expect "$policy: by number" 0 "no block came too early" "$vtegra" run -q --soc orin --policy $policy -- ./block_order
done
expect "a seed finds another order" 1 "and 1 order of blocks in the schedule" \
    "$vtegra" explore --soc orin --runs 16 --schedule order.schedule -- ./block_order
expect "the schedule repeats it" 1 "some blocks came too early" "$vtegra" replay order.schedule -- ./block_order
finish

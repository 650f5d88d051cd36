#!/bin/sh
# SPDX-License-Identifier: MIT
# free_threads.sh BUILD_DIR WORK_DIR: where several threads call CUDA and take no turns, the head of the report says that another run may
# find other mistakes, and names the command that tries orders. That command runs.
. "$(dirname "$0")/lib.sh"
by_clang free_threads -g -O1 "$source/free_threads.cu"
words="2 made calls of CUDA, in an order that the host decided"
for policy in lazy eager; do
    expect "two $policy" 0 "CPU threads" "$vtegra" run --soc tx2 --policy $policy -- ./free_threads
    also "two $policy" "$words"
    also "two $policy" "vtegra explore --soc tx2 --os linux -- ./free_threads"
    expect "one $policy" 0 "" "$vtegra" run --soc tx2 --policy $policy -- ./free_threads one
    not_there "one $policy" "CPU threads"
done
expect seeded 0 "" "$vtegra" run --soc tx2 --policy seeded --seed 1 -- ./free_threads
not_there seeded "CPU threads"
expect explore 0 "2 runs" "$vtegra" explore --runs 2 --soc tx2 --os linux -- ./free_threads

# Threads that are in a wait when the process ends: about one run in 150 crashed.
by_clang exit_beside -g -O1 "$source/exit_beside.cu"
run=0
while [ $run -lt 30 ]; do
    expect "exit beside, $run" 0 "" "$vtegra" run -q --soc orin -- ./exit_beside
    run=$((run + 1))
done
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# lanes.sh BUILD_DIR WORK_DIR: votes and shuffles in both arms of a branch are one operation, as on an H200;
# lanes that never meet are reported with the instruction and its membermask.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang lanes -g -O0 "$source/lanes.cu"

for soc in tx2 orin thor; do
    expect "a vote in both arms, $soc" 0 "cudaSuccess, sum 0" "$vtegra" run -q --soc $soc -- ./lanes vote
    expect "a shuffle in both arms, $soc" 0 "cudaSuccess, sum 5296" "$vtegra" run -q --soc $soc -- ./lanes shuffle
done
expect "lanes at a barrier" 0 "cudaErrorLaunchTimeout" "$vtegra" run --soc orin -- ./lanes barrier
also "lanes at a barrier" "shfl.sync waits for lanes of its membermask that never reach it"
also "lanes at a barrier" "membermask 0xffffffff, lanes 0xffff0000 are elsewhere"
also "lanes at a barrier" "Let all lanes that the membermask names reach the same instruction"
not_there "lanes at a barrier" "__syncthreads"
finish

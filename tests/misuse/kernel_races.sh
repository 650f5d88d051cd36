#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel_races.sh BUILD_DIR WORK_DIR: races between threads of one kernel (PTX ISA 8.7.1) are findings with both lines, their
# mended twins are silent, and without --races the head of the report says that they were not looked for.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
by_clang kernel_races --arch sm_72 -g -O1 "$here/kernel_races.cu"
unset VTEGRA_RACES
line() {
    grep -n "/\* $1 \*/" "$here/kernel_races.cu" | cut -d: -f1
}

expect block 0 "kernel-race-block" "$vtegra" run --races on -- ./kernel_races block
also block "no barrier orders them"
also block "Call __syncthreads() between misuse/kernel_races.cu:$(line stored) and misuse/kernel_races.cu:$(line loaded)"
also block "from byte 128 of tile in shared memory"
also block "seen with vtegra run --soc orin --os linux --policy lazy --evict lru --races on -- ./kernel_races block"
also block "not checked races of textures, surfaces, matrix instructions, bulk copies and clusters"
also block "races between the threads of each launch were looked for"
expect scope 0 "kernel-race-scope" "$vtegra" run --races on -- ./kernel_races scope
also scope "a scope that leaves the other's thread out"
also scope "buffer #1"
also scope "Give misuse/kernel_races.cu:$(line counted) the scope of the device"
expect fence 0 "kernel-race-fence" "$vtegra" run --races on -- ./kernel_races fence
also fence "misuse/kernel_races.cu:$(line taken)"
also fence "Call __threadfence() behind misuse/kernel_races.cu:$(line given), before the store or atomic operation that sets"
expect taker 0 "kernel-race-fence" "$vtegra" run --races on -- ./kernel_races taker
also taker "Call __threadfence() before misuse/kernel_races.cu:$(line taken), behind the load or atomic operation that observes"
also taker "The other thread has its fence."
for kind in block scope fence taker; do
    expect good_$kind 0 "Findings" "$vtegra" run --races on -- ./kernel_races $kind good
    not_there good_$kind "access the same bytes"
    not_there good_$kind "Two atomic or volatile accesses"
    not_there good_$kind "fence is missing"
done
expect off 0 "races between the threads of one kernel" "$vtegra" run -- ./kernel_races block
not_there off "no barrier orders them"

# Checked or not: one trace, but for the findings and the head, which names the option.
for kind in block scope fence; do
    for races in off on; do
        expect trace_$kind 0 "done" "$vtegra" run --check off --races $races --trace $races.trace -- ./kernel_races $kind
        grep -v '^@run\|^@finding\|^@variable\|KERNEL_RACE' $races.trace >$races.rest
    done
    grep -q KERNEL_RACE on.trace || fail "trace_$kind: no race in it"
    cmp off.rest on.rest || fail "trace_$kind: differs where races are looked for"
done
expect wrong 125 "races" "$vtegra" run --races perhaps -- ./kernel_races block
finish

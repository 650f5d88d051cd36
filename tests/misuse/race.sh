#!/bin/sh
# SPDX-License-Identifier: MIT
# race.sh BUILD_DIR WORK_DIR [long]: each case of race.cu is found, with both sides named, and its corrected twin is
# silent, whatever the policy (in ./check each under one of them).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
one_target="--arch sm_62" # atomicAdd_system()
by_clang race --track -g -O1 "$source/race.cu"

line() {
    grep -n "MARK $1 \*/" "$source/race.cu" | cut -d: -f1
}

# wrong SOC CASE RULE PLACE KERNEL...: found under the policies, at the marked line, with these texts
wrong() {
    soc=$1 case=$2 rule=$3 place=$4
    shift 4
    for policy in lazy eager "seeded --seed 1" "lazy --evict never"; do
        in_turn 4 || continue
        # shellcheck disable=SC2086
        expect "$soc $policy $case" 0 "$case" "$vtegra" run --soc "$soc" --policy $policy -- ./race "$case" wrong
        also "$soc $policy $case" "rule $rule ("
        also "$soc $policy $case" " -- ./race $case wrong"
        also "$soc $policy $case" "race.cu:$(line "$place") "
        also "$soc $policy $case" "seen with vtegra run --soc $soc --os linux --policy ${policy%% *}"
        for text in "$@"; do
            also "$soc $policy $case" "$text"
        done
    done
}

right() {
    for policy in lazy eager "seeded --seed 1" "lazy --evict never"; do
        in_turn 4 || continue
        # shellcheck disable=SC2086
        expect "$1 $policy $2 right" 0 "$2" "$vtegra" run --soc "$1" --policy $policy -- ./race "$2" right
        also "$1 $policy $2 right" "Findings none"
    done
}

wrong orin read_early race sum "kernel scale" "write by kernel scale at misuse/race.cu:$(line 'scale store') (stream 0), launched at misuse/race.cu:$(line 'read_early launch')" \
    "cudaStreamSynchronize"
wrong orin write_early race "write_early store" "kernel scale" "offset 0x1c"
wrong orin copy_source race "copy_source store" "read by cudaMemcpyAsync (stream 1), launched at misuse/race.cu:$(line 'copy_source copy')"
wrong orin copy_target race sum "cudaMemcpyAsync (stream 1)"
wrong orin two_streams race "two_streams second" "misuse/race.cu:$(line 'two_streams first')" "cudaStreamWaitEvent"
wrong orin early_event race sum "kernel scale"
wrong orin early_wait race "early_wait event" "recorded at misuse/race.cu:$(line 'early_wait event') in early_wait, in stream 1, but before the" \
    "cudaEventRecord in stream 1 behind the"
wrong orin flag race "flag load" "kernel post"
wrong orin flag_first race "flag_first load" "write by kernel post_early at misuse/race.cu:$(line 'flag_first store')"
wrong orin counter race "counter update" "atomic update by the CPU" "kernel count_narrow"
wrong orin host_function race sum "kernel scale"
wrong orin attached stale-l2-clean-missing sum "kernel scale" "CUDA for Tegra 2.1"
wrong orin frame race sum "read by CPU thread 1" "kernel scale"
wrong orin unlocked race sum "read by CPU thread 1" "kernel scale"
wrong orin free_early race "free_early free" "free by cudaFreeAsync (stream 1)" \
    "kernel scale at misuse/race.cu:$(line 'scale store') (stream 2), launched at" \
    "cudaStreamWaitEvent in this one before the free"
wrong orin alloc_early race "alloc_early use" "write by cudaMemsetAsync (stream 2)" \
    "allocation by cudaMallocAsync (stream 1) at misuse/race.cu:$(line 'alloc_early alloc')" \
    "Let the stream that uses the memory wait for its allocation" "Stream Ordered Memory Allocator"
wrong orin free_first use-after-free "free_first use" "free by cudaFreeAsync (stream 0) at misuse/race.cu:$(line 'free_first free')"
# Pinned memory is not cached there: the race is the same.
wrong tx2 read_early race sum "kernel scale"
wrong tx2 attached stale-l2-clean-missing sum "kernel scale"
for case in read_early write_early copy_source copy_target two_streams early_event early_wait flag counter host_function attached frame unlocked \
    flag_first free_early free_first alloc_early; do
    right orin "$case"
done
right tx2 read_early
right tx2 attached
# The CPU sees the L2: nothing is stale, whoever the memory is attached to.
expect thor 0 "attached 12288" "$vtegra" run --soc thor -- ./race attached wrong
also thor "Findings none"

# Off: no finding; on without hooks: what engines do to each other is seen all the same.
expect off 0 "" "$vtegra" run --check off -- ./race read_early wrong
also off "Findings none"
by_clang plain -g -O1 "$source/race.cu"
expect plain 0 "" "$vtegra" run --check auto -- ./plain two_streams wrong
also plain "Findings none"
expect plain 0 "" "$vtegra" run --check on -- ./plain two_streams wrong
also plain "rule race ("
finish

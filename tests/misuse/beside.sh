#!/bin/sh
# SPDX-License-Identifier: MIT
# beside.sh BUILD_DIR WORK_DIR: a kernel's access beside a buffer, but in the 2 MiB that a board has mapped, is a finding with
# the nearest buffer and the distance, and the kernel goes on (measured: golden/gen/oob_codes.txt); --oob fault stops it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang beside -g -O1 "$source/beside.cu"
run="$vtegra run --soc orin"

line() {
    grep -n "MARK $1\$" "$source/beside.cu" | cut -d: -f1
}

for kind in device pinned managed; do
    # 4,000 bytes: one int behind, in the last page; 100 behind, in no page of the buffer's
    expect "store $kind" 0 "cudaSuccess -1" $run -- ./beside store $kind 1000
    also "store $kind" "lies 0 bytes behind the end of the nearest one, #1"
    also "store $kind" "where misuse/beside.cu:$(line store)"
    also "store $kind" "rule kernel-beside-buffer (measured: NVIDIA H200"
    expect "load $kind" 0 "cudaSuccess 0" $run -- ./beside load $kind 1100
    also "load $kind" "Out-of-bounds load of a kernel"
    also "load $kind" "lies 400 bytes behind the end of the nearest one, #1"
    also "load $kind" "where misuse/beside.cu:$(line load)"
    expect "add $kind" 0 "cudaSuccess -1" $run -- ./beside add $kind 1030
    also "add $kind" "lies 120 bytes behind the end of the nearest one, #1"
    also "add $kind" "where misuse/beside.cu:$(line add)"
    expect "kept $kind" 0 "cudaSuccess 7" $run -- ./beside kept $kind 1040
    expect "right $kind" 0 "cudaSuccess 7" $run -- ./beside kept $kind 999
    also "right $kind" "Findings none"
    expect "fault $kind" 0 "cudaErrorIllegalAddress 0" $run --oob fault -- ./beside load $kind 1100
    also "fault $kind" "lies 400 bytes behind the end of the nearest one, #1"
done
# Far from every buffer nothing is mapped.
expect far 0 "cudaErrorIllegalAddress 0" $run -- ./beside load device 1000000000
expect no_check 0 "cudaSuccess 7" $run -q --check off -- ./beside kept device 1040
expect option 125 "oob" $run --oob no -- ./beside kept device 0
finish

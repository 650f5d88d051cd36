#!/bin/sh
# SPDX-License-Identifier: MIT
# api.sh BUILD_DIR WORK_DIR: cases 61 to 65, what a Tegra does not have: each gives its documented code or effect and a
# line that says why, and the twin does what was meant.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
one_target="--arch sm_62" # atomicAdd_system()
by_clang api --track -g -O1 "$source/api.cu"

# wrong SOC CASE STATUS OUTPUT TEXT...
wrong() {
    name="$1 $2" status=$3 output=$4 soc=$1 case=$2
    shift 4
    expect "$name" "$status" "$output" "$vtegra" run --soc "$soc" -- ./api "$case" wrong
    for text in "$@"; do
        also "$name" "$text"
    done
}

right() {
    expect "$1 $2 right" 0 "$2 $3 cudaSuccess" "$vtegra" run --soc "$1" -- ./api "$2" right
    also "$1 $2 right" "Findings none"
}

wrong tx2 register 0 "cudaErrorNotSupported" "I/O coherency"
wrong tx2 prefetch 0 "cudaErrorInvalidDevice" "CUDA for Tegra 3.3, 3.6"
wrong orin prefetch 0 "cudaErrorInvalidDevice" "CUDA for Tegra 3.3, 3.6"
wrong orin peers 0 "cudaErrorNotSupported" "cudaIpcGetMemHandle"
wrong orin touch 139 "managed-active-touch" "kernel increment" "api.cu:$(grep -n 'MARK touch' "$source/api.cu" | cut -d: -f1) "
not_there "orin touch" "rule race"
wrong thor touch 0 "touch 4" "rule race (" "read by the CPU" "kernel increment"
wrong tx2 atomics 0 "cudaErrorIllegalAddress" "atomic"
for soc in tx2 orin thor; do
    right $soc register 5
    right $soc prefetch 5
    right $soc peers 0
    right $soc touch 5
    right $soc atomics 32
done
finish

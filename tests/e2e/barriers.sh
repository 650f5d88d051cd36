#!/bin/sh
# SPDX-License-Identifier: MIT
# libcu++'s barriers and pipelines, as nvcc compiles them for sm_87. Usage: barriers.sh BUILD_DIR WORK_DIR; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc
by_nvcc_shared barriers -w -std=c++17 -lineinfo -gencode arch=compute_87,code=compute_87 "$source/barriers.cu"
for policy in lazy eager "seeded --seed 3"; do
    # shellcheck disable=SC2086
    expect "barriers, $policy" 0 "cudaSuccess, 0 wrong" "$vtegra" run -q --soc orin --policy $policy -- ./barriers
done
expect "a barrier that one thread does not reach" 0 "cudaErrorLaunchTimeout" "$vtegra" run --soc orin -- ./barriers early
also "a barrier that one thread does not reach" "waits for a phase of an mbarrier that no thread completes"
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# free.sh BUILD_DIR WORK_DIR: memory that is freed while queued work uses it is told, with the call that uses it; the twin
# waits, and nothing is said.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang free -g -O1 "$source/free.cu"

# wrong CASE TEXT: under each policy
wrong() {
    for policy in lazy eager "seeded --seed 2"; do
        # shellcheck disable=SC2086
        expect "$1 $policy" 0 cudaSuccess "$vtegra" run --soc orin --policy $policy -- ./free "$1" wrong
        also "$1 $policy" "$2"
        also "$1 $policy" "rule free-in-use (documented: CUDA Driver API, cuMemFree)"
        # shellcheck disable=SC2086
        expect "$1 $policy right" 0 cudaSuccess "$vtegra" run --soc orin --policy $policy -- ./free "$1" right
        also "$1 $policy right" "Findings none"
    done
}

# user CALL MARK: the call at that line
user() {
    echo "of memory that $1 at misuse/free.cu:$(grep -n "MARK $2\$" "$source/free.cu" | cut -d: -f1) in"
}

wrong source_pinned "cudaFreeHost $(user cudaMemcpyAsync copy_up)"
wrong target_device "cudaFree $(user cudaMemcpyAsync copy_on)"
wrong source_pageable "cudaFree $(user cudaMemcpyAsync copy_staged)"
wrong filled "cudaFree $(user cudaMemsetAsync fill)"
wrong registered "cudaHostUnregister $(user cudaMemcpyAsync copy_down)"
wrong launched "cudaFree of memory that a kernel may still use"
expect others 0 cudaSuccess "$vtegra" run --soc orin -- ./free others right
also others "Findings none"
# Not CUDA's: no double free
expect foreign 0 cudaErrorInvalidValue "$vtegra" run --soc orin -- ./free foreign wrong
also foreign "cudaFreeHost of memory that was not allocated by CUDA: it was registered and is not any more"
also foreign "rule bad-free"
not_there foreign "double-free"
expect foreign_right 0 cudaSuccess "$vtegra" run --soc orin -- ./free foreign right
also foreign_right "Findings none"
finish

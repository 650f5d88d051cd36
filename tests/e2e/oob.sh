#!/bin/sh
# SPDX-License-Identifier: MIT
# How far beside an allocation kernels and calls reach, against a GPU (tests/golden). Usage: oob.sh BUILD_DIR WORK_DIR; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc
by_nvcc_shared oob_codes -arch=sm_87 -std=c++17 "$source/../golden/gen/oob_codes.cu" -lcuda
tests=1
# Not freed memory: here its use faults, so that it is found, and what lies beside it may be a neighbour's.
kinds="malloc256 malloc3M host managed async registered virtual"
[ "$thorough" != long ] || kinds="$kinds second malloc1M malloc2M256 pitch symbol"
# shellcheck disable=SC2086
VTEGRA_CHECK=off "$vtegra" run -q --soc orin -- ./oob_codes $kinds >ours.txt 2>errors.txt || fail "oob_codes: exit status $?"
{
    head -1 "$golden/gen/oob_codes.txt"
    grep -E "^($(echo "$kinds" | tr ' ' '|'))[.]" "$golden/gen/oob_codes.txt"
} >golden.txt
"$source/../api/compare_rows.sh" golden.txt ours.txt /dev/null || fail "oob_codes: rows differ"
# Without checks the place is not known; the finding says what gives it.
cat >beside.cu <<'SOURCE'
__global__ void beside(int *p)
{
    p[4096] = 1;
}

int main()
{
    int *p;

    cudaMalloc(&p, 256);
    beside<<<1, 1>>>(p);
    return cudaDeviceSynchronize();
}
SOURCE
by_nvcc_shared beside -lineinfo -arch=sm_87 beside.cu
expect beside_off 0 'gives the line.' "$vtegra" run --check off --soc orin -- ./beside
expect beside_on 0 "beside.cu:3" "$vtegra" run --check on --soc orin -- ./beside
finish

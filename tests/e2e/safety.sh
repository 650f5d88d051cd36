#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA for Tegra 3.6: "JIT compilation is not supported on Tegra devices in the safe context": PTX alone is refused with 223
# (cudaErrorJitCompilationDisabled); beside machine code for the board it is what the virtual iGPU runs.
# Usage: safety.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
cat >safety.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void one(int *p) { *p = 1; }
int main()
{
    int *p = nullptr;
    cudaMallocManaged((void **)&p, 4);
    one<<<1, 1>>>(p);
    cudaError_t error = cudaGetLastError();
    cudaDeviceSynchronize();
    printf("launch %d %s\n", (int)error, error ? "" : *p == 1 ? "right" : "wrong");
}
END
by_clang safety safety.cu
expect ptx_alone 0 "launch 223" "$vtegra" run --safety -- ./safety
also ptx_alone "the safe context has no JIT"
also ptx_alone "arch=compute_87,code=[sm_87,compute_87]"
expect not_safe 0 "launch 0 right" "$vtegra" run -q -- ./safety
expect environment 0 "launch 223" env VTEGRA_SAFETY=1 "$vtegra" run -q -- ./safety
if [ -n "$nvcc" ]; then
    build safety87 "$nvcc" -cudart shared -gencode "arch=compute_87,code=[sm_87,compute_87]" safety.cu
    expect machine_code 0 "launch 0 right" "$vtegra" run -q --safety --soc orin -- ./safety87
    expect other_board 0 "launch 223" "$vtegra" run -q --safety --soc thor -- ./safety87
fi
finish

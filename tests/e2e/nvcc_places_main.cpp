// SPDX-License-Identifier: MIT
// A program with hooks (vtegra cc --track) and a part without (nvcc).
#include <cstdio>
#include <cuda_runtime.h>

void run_one(int *p);

int main()
{
    int *p, sum = 0;

    cudaMallocManaged((void **)&p, 128, cudaMemAttachGlobal);
    run_one(p);
    for (int i = 0; i < 32; i++) {
        sum += p[i];
    }
    printf("sum %d\n", sum);
    return 0;
}

// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, seen;

    if (fixed) {
        cudaMallocHost((void **)&data, 4096);
    } else {
        cudaMalloc((void **)&data, 4096);
    }
    data[0] = 5; /* <-- found here */
    seen = data[0];
    printf("%d\n", seen);
    return seen != 5;
}

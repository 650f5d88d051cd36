/* SPDX-License-Identifier: MIT */
/* A resident kernel answers requests that the CPU puts into pinned memory: both only poll. It must come
 * to an end under every policy, with hooks and without. */
#include <cuda_runtime.h>
#include <stdio.h>

struct box {
    volatile int request, answer, stop;
};

__global__ void serve(struct box *b)
{
    int seen = 0;

    while (!b->stop) {
        if (b->request != seen) {
            seen = b->request;
            b->answer = seen * 2;
            __threadfence_system();
        }
    }
}

int main()
{
    struct box *b;
    int sum = 0;

    cudaMallocHost(&b, sizeof(*b));
    b->request = b->answer = b->stop = 0;
    serve<<<1, 1>>>(b);
    for (int i = 1; i <= 3; i++) {
        b->request = i;
        while (b->answer != 2 * i) {
        }
        sum += b->answer;
    }
    b->stop = 1;
    cudaDeviceSynchronize();
    printf("%d\n", sum);
    return sum == 12 ? 0 : 1;
}

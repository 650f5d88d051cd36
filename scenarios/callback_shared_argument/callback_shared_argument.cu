// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define FRAMES 4

struct block {
    int frame;
};

static int seen[FRAMES];

static void CUDART_CB frame_done(void *data)
{
    seen[((struct block *)data)->frame]++;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static struct block block[FRAMES];
    cudaStream_t stream;
    int wrong = 0;

    cudaStreamCreate(&stream);
    for (int i = 0; i < FRAMES; i++) {
        struct block *b = fixed ? &block[i] : &block[0];

        b->frame = i;
        cudaLaunchHostFunc(stream, frame_done, b);
    }
    cudaStreamSynchronize(stream);
    for (int i = 0; i < FRAMES; i++) {
        printf("frame %d: %d times\n", i, seen[i]);
        wrong += seen[i] != 1;
    }
    return wrong != 0;
}

// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 4096
#define ROUNDS 4

struct worker {
    cudaStream_t stream;
    int *tile;
    long sum;
};

static bool fixed;

__global__ void blur(int *tile)
{
    tile[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

static void open_worker(struct worker *w, bool attach)
{
    cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking);
    cudaMallocManaged((void **)&w->tile, N * sizeof(int));
    if (attach) {
        cudaStreamAttachMemAsync(w->stream, w->tile, 0, cudaMemAttachSingle);
    }
    cudaStreamSynchronize(w->stream);
}

static void *work(void *opaque)
{
    struct worker *w = (struct worker *)opaque;

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            w->tile[i] = round; /* <-- found here */
        }
        blur<<<N / 256, 256, 0, w->stream>>>(w->tile);
        cudaStreamSynchronize(w->stream);
        w->sum += w->tile[N - 1]; /* <-- found here */
    }
    return NULL;
}

int main(int argc, char **)
{
    struct worker w[2] = {};
    pthread_t thread[2];

    fixed = argc > 1;
    open_worker(&w[0], true);
    open_worker(&w[1], fixed);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, work, &w[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    printf("%ld and %ld\n", w[0].sum, w[1].sum);
    return w[0].sum != ROUNDS * (ROUNDS - 1) || w[1].sum != ROUNDS * (ROUNDS - 1);
}

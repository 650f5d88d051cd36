// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 4096
#define FRAMES 4

static int *frame, *features;
static cudaStream_t camera_stream, detect_stream;
static long light;

__global__ void brighten(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void *camera(void *)
{
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < N; i++) {
            frame[i] = f; /* <-- found here */
        }
        brighten<<<N / 256, 256, 0, camera_stream>>>(frame);
        cudaStreamSynchronize(camera_stream);
        light += frame[N / 2]; /* <-- found here */
    }
    return NULL;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    pthread_t thread;
    long found = 0;

    cudaStreamCreateWithFlags(&camera_stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&detect_stream, cudaStreamNonBlocking);
    cudaMallocManaged((void **)&frame, N * sizeof(int));
    cudaMallocManaged((void **)&features, N * sizeof(int));
    cudaStreamAttachMemAsync(detect_stream, features, 0, cudaMemAttachSingle);
    if (fixed) {
        cudaStreamAttachMemAsync(camera_stream, frame, 0, cudaMemAttachSingle);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        features[i] = 0;
    }
    pthread_create(&thread, NULL, camera, NULL);
    for (int f = 0; f < FRAMES; f++) {
        brighten<<<N / 256, 256, 0, detect_stream>>>(features);
        cudaStreamSynchronize(detect_stream);
        found += features[N / 2];
    }
    pthread_join(thread, NULL);
    printf("light %ld, found %ld\n", light, found);
    return light != FRAMES * (FRAMES + 1) / 2 || found != FRAMES * (FRAMES + 1) / 2;
}

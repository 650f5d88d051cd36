// SPDX-License-Identifier: MIT
// CUDA for Tegra 3.2, first listing: the pipeline as written for an x86 system with a discrete GPU.
// Pinned memory makes the transfers fast there. On a Tegra both transfers move bytes inside the same
// DRAM, and below compute capability 7.2 readImage() works on uncached memory.
#include "pipeline.h"

int main(int argc, char **argv)
{
    int *h_a, *d_a, *d_b, *d_c, *d_d, *h_d;

    if (argc != 3) {
        fprintf(stderr, "usage: %s IN.ppm OUT.ppm\n", argv[0]);
        return 2;
    }
    struct photo photo = photo_open(argv[1]);
    int width = photo.width, height = photo.height;
    size_t sizeOfImage = (size_t)width * height * sizeof(int);
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);

    // Pinned memory allocated to reduce data transfer time
    CHECK(cudaMallocHost(&h_a, sizeOfImage));
    CHECK(cudaMallocHost(&h_d, sizeOfImage));
    // Buffers on the GPU
    CHECK(cudaMalloc(&d_a, sizeOfImage));
    CHECK(cudaMalloc(&d_b, sizeOfImage));
    CHECK(cudaMalloc(&d_c, sizeOfImage));
    CHECK(cudaMalloc(&d_d, sizeOfImage));

    readImage(&photo, h_a);
    CHECK(cudaMemcpy(d_a, h_a, sizeOfImage, cudaMemcpyHostToDevice));
    k1<<<grid, block>>>(d_a, d_b, width, height);
    k2<<<grid, block>>>(d_b, d_c, width, height);
    k3<<<grid, block>>>(d_c, d_d, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_d, d_d, sizeOfImage, cudaMemcpyDeviceToHost));

    writeImage(argv[2], h_d, width, height);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    CHECK(cudaFree(d_d));
    CHECK(cudaFreeHost(h_a));
    CHECK(cudaFreeHost(h_d));
    return 0;
}

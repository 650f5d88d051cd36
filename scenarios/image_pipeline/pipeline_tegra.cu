// SPDX-License-Identifier: MIT
// CUDA for Tegra 3.2, second listing: the same pipeline ported to Tegra. Unified memory for what both
// sides touch, device memory for what only the iGPU does, no copies, and a hint before each change of
// hands.
#include "pipeline.h"

int main(int argc, char **argv)
{
    int *h_a, *d_b, *d_c, *h_d;

    if (argc != 3) {
        fprintf(stderr, "usage: %s IN.ppm OUT.ppm\n", argv[0]);
        return 2;
    }
    struct photo photo = photo_open(argv[1]);
    int width = photo.width, height = photo.height;
    size_t sizeOfImage = (size_t)width * height * sizeof(int);
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);

    // Unified memory for the input and output of the pipeline
    CHECK(cudaMallocManaged(&h_a, sizeOfImage, cudaMemAttachHost));
    CHECK(cudaMallocManaged(&h_d, sizeOfImage));
    // Intermediate buffers are not needed on the CPU side
    CHECK(cudaMalloc(&d_b, sizeOfImage));
    CHECK(cudaMalloc(&d_c, sizeOfImage));

    readImage(&photo, h_a);
    // Prefetch the input to the GPU
    CHECK(cudaStreamAttachMemAsync(NULL, h_a, 0, cudaMemAttachGlobal));
    k1<<<grid, block>>>(h_a, d_b, width, height);
    k2<<<grid, block>>>(d_b, d_c, width, height);
    k3<<<grid, block>>>(d_c, h_d, width, height);
    CHECK(cudaGetLastError());
    // Prefetch the output to the CPU
    CHECK(cudaStreamAttachMemAsync(NULL, h_d, 0, cudaMemAttachHost));
    CHECK(cudaStreamSynchronize(NULL));

    writeImage(argv[2], h_d, width, height);
    CHECK(cudaFree(h_a));
    CHECK(cudaFree(h_d));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    return 0;
}

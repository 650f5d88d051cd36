// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>

#define PIXELS 4096
#define FRAMES 3

__global__ void pack(unsigned char *out, int frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = (unsigned char)(frame << 4 | (i & 15));
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static unsigned char back[PIXELS];
    unsigned char *out;
    cudaStream_t stream;
    FILE *record = tmpfile();
    int fd = record ? fileno(record) : -1, wrong = 0;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&out, PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        out[i] = 0;
    }
    for (int frame = 1; frame <= FRAMES; frame++) {
        pack<<<PIXELS / 256, 256, 0, stream>>>(out, frame);
        if (fixed) {
            cudaStreamSynchronize(stream);
        }
        if (write(fd, out, PIXELS) != PIXELS) { /* <-- found here */
            return 2;
        }
        cudaStreamSynchronize(stream);
    }
    for (int frame = 1; frame <= FRAMES; frame++) {
        if (pread(fd, back, PIXELS, (frame - 1) * PIXELS) != PIXELS) {
            return 2;
        }
        for (int i = 0; i < PIXELS; i++) {
            wrong += back[i] != (frame << 4 | (i & 15));
        }
    }
    printf("%d of %d pixels in the file are wrong\n", wrong, FRAMES * PIXELS);
    return wrong != 0;
}

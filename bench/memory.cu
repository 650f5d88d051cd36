// SPDX-License-Identifier: MIT
// memory [MiB]: how much memory the process takes for so much managed memory, all of it touched by both
// sides and still there.
// Prints resident / (2.2 * shared + 64 MiB); at most 1 keeps the promise.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_));                           \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

__global__ void touch(unsigned *p, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        p[i]++;
    }
}

// Proportional size: a page that is mapped twice in one process counts once, as the machine has it once.
static double resident_mib()
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[200];
    double kib = 0;

    while (f && fgets(line, sizeof(line), f)) {
        sscanf(line, "Pss: %lf", &kib);
    }
    if (f) {
        fclose(f);
    }
    return kib / 1024;
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? atoi(argv[1]) : 256, n = mib << 18;
    unsigned *p;

    CHECK(cudaMallocManaged(&p, mib << 20));
    memset(p, 1, mib << 20);
    touch<<<64, 256>>>(p, n);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i += 1021) {
        if (p[i] != 0x01010102) {
            printf("WRONG at %zu: 0x%x\n", i, p[i]);
            return 1;
        }
    }
    double resident = resident_mib(), allowed = 2.2 * mib + 64;
    printf("%zu MiB shared: resident %.0f MiB of %.0f allowed = %.2f\n", mib, resident,
           allowed, resident / allowed);
    return resident > allowed;
}

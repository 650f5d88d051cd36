// SPDX-License-Identifier: MIT
// One DRAM for CPU and iGPU: memory HOST_MIB DEVICE_MIB [untouched]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void file_print(const char *path, const char *key)
{
    FILE *f = fopen(path, "r");
    char line[256];

    while (f && fgets(line, sizeof(line), f)) {
        if (strstr(line, key)) {
            fputs(line, stdout);
        }
    }
    if (f) {
        fclose(f);
    }
}

int main(int argc, char **argv)
{
    size_t host = strtoull(argv[1], nullptr, 10) << 20, device = strtoull(argv[2], nullptr, 10) << 20;
    size_t free_bytes = 0, total = 0;
    char *p = (char *)malloc(host + 1);
    void *d = nullptr;
    cudaError_t error;

    file_print("/proc/meminfo", "MemTotal");
    if (argc < 4) {
        memset(p, 1, host);
    }
    cudaMemGetInfo(&free_bytes, &total);
    printf("free %zu total %zu MiB\n", free_bytes >> 20, total >> 20);
    error = cudaMalloc(&d, device);
    printf("cudaMalloc %s\n", cudaGetErrorName(error));
    file_print("/proc/meminfo", "NvMapMemUsed");
    file_print("/sys/kernel/debug/nvmap/iovmm/clients", "total");
    printf("%d\n", p[host / 2] == 1);
    free(p);
    return 0;
}

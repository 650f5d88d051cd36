// SPDX-License-Identifier: MIT
// Ends with 7 or 0, or dies, with a finding (a store to a null pointer) or without.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static struct last {
    ~last() { std::printf("destructor\n"); }
} last;

__global__ void store(int *p)
{
    *p = 1;
}

int main(int, char **argv)
{
    int *p = nullptr;

    cudaMalloc(&p, 4);
    if (!std::strcmp(argv[1], "mistake")) {
        store<<<1, 1>>>(nullptr);
    } else {
        store<<<1, 1>>>(p);
    }
    cudaDeviceSynchronize();
    if (!std::strcmp(argv[2], "exit")) {
        std::exit(7);
    }
    if (!std::strcmp(argv[2], "quick")) {
        _exit(7);
    }
    if (!std::strcmp(argv[2], "abort")) {
        std::abort();
    }
    return std::strcmp(argv[2], "ends") ? 7 : 0;
}

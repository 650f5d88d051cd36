// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    int header = fixed ? 512 : 16;
    uint64_t *at;
    int8_t *memory;

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaMalloc((void **)&memory, header + TENSOR));
    GIVES(fixed ? cudlaSuccess : cudlaErrorInvalidAddress,
          cudlaMemRegister(dla, (uint64_t *)(memory + header), TENSOR, &at, 0));
    OK(cudlaDestroyDevice(dla));
    OK(cudaFree(memory));
    return 0;
}

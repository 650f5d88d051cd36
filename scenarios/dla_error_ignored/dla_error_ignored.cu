// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    cudlaStatus submitted = cudlaSuccess;
    uint64_t *in_dla, *out_dla;
    cudaStream_t stream;
    int8_t *in, *out;

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&in, TENSOR));
    OK(cudaMalloc((void **)&out, TENSOR));
    in_dla = dla_register(in);
    OK(cudlaMemRegister(dla, (uint64_t *)out, TENSOR, &out_dla,
                        fixed ? CUDLA_READ_WRITE_PERM : CUDLA_READ_ONLY_PERM));
    for (int frame = 0; frame < 2; frame++) {
        struct task task(in_dla, out_dla);
        cudaError_t error;

        submitted = task.submit(stream);
        error = cudaStreamSynchronize(stream); // the mistake: its code is not looked at
        if (fixed && (submitted || error)) {
            printf("%d %d: %d\n", (int)submitted, (int)error, (int)cudlaGetLastError(dla));
            return 2;
        }
    }
    GIVES(fixed, submitted == cudlaSuccess); // the second frame was refused
    OK(cudlaDestroyDevice(dla));
    return 0;
}

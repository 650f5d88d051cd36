// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    uint64_t *in_dla, *out_dla;
    cudaStream_t stream;
    int8_t *in, *out;

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&in, TENSOR));
    OK(cudaMalloc((void **)&out, TENSOR));
    in_dla = dla_register(in);
    out_dla = dla_register(out);
    {
        struct task task(in_dla, out_dla);

        OK(cudaMemsetAsync(in, 1, TENSOR, stream));
        OK(task.submit(stream));
    }
    if (fixed) {
        OK(cudaStreamSynchronize(stream));
    }
    OK(cudlaDestroyDevice(dla)); // <-- found here
    OK(cudaStreamSynchronize(stream));
    return 0;
}

// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    uint64_t *in_dla, *out_dla, *again;
    cudaStream_t stream;
    int8_t *in, *out;

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&in, TENSOR));
    OK(cudaMalloc((void **)&out, TENSOR));
    in_dla = dla_register(in);
    out_dla = dla_register(out);
    for (int frame = 0; frame < 2; frame++) {
        struct task task(in_dla, out_dla);

        if (frame > 0 && !fixed) {
            GIVES(cudlaErrorMemoryRegistered,
                  cudlaMemRegister(dla, (uint64_t *)in, TENSOR, &again, 0));
        }
        OK(cudaMemsetAsync(in, frame, TENSOR, stream));
        OK(task.submit(stream));
        OK(cudaStreamSynchronize(stream));
    }
    OK(cudlaMemUnregister(dla, in_dla));
    OK(cudlaMemUnregister(dla, out_dla));
    OK(cudlaDestroyDevice(dla));
    return 0;
}

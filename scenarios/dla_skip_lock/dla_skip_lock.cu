// SPDX-License-Identifier: MIT
#include "../sci/dla.h"
#include <thread>

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    uint32_t flags = fixed ? 0 : CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE;
    cudaStream_t streams[2];
    uint64_t *in_dla, *out_dla[2];
    int8_t *in, *out[2];

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaMalloc((void **)&in, TENSOR));
    OK(cudaMemset(in, 1, TENSOR));
    OK(cudaDeviceSynchronize());
    in_dla = dla_register(in);
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        OK(cudaMalloc((void **)&out[i], TENSOR));
        out_dla[i] = dla_register(out[i]);
    }
    std::thread other([&] {
        struct task task(in_dla, out_dla[1]);

        OK(task.submit(streams[1])); // <-- found here
    });
    {
        struct task task(in_dla, out_dla[0]);

        OK(task.submit(streams[0], flags)); // <-- found here
    }
    other.join();
    OK(cudaDeviceSynchronize());
    OK(cudlaDestroyDevice(dla));
    return 0;
}

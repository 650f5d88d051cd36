// SPDX-License-Identifier: MIT
// Misuse case 58: the DLA's output, in pinned memory, read by the CPU before the stream is waited for.
//   cudla_early network.loadable early|waited
#include <cuda_runtime.h>
#include <cudla.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                              \
    do {                                                                      \
        int result_ = (int)(call);                                            \
        if (result_) {                                                        \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result_); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

enum { SIZE = 8192 };

int main(int argc, char **argv)
{
    static uint8_t loadable[1 << 20];
    FILE *file = fopen(argv[1], "rb");
    size_t len = file ? fread(loadable, 1, sizeof(loadable), file) : 0;
    int8_t *in, *out;
    uint64_t *in_dla, *out_dla;
    cudaStream_t stream;
    cudlaDevHandle dla;
    cudlaModule module;
    cudlaTask task;
    long sum = 0;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaHostAlloc((void **)&in, SIZE, 0));
    OK(cudaHostAlloc((void **)&out, SIZE, 0));
    OK(cudlaCreateDevice(0, &dla, CUDLA_CUDA_DLA));
    OK(cudlaModuleLoadFromMemory(dla, loadable, len, &module, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)in, SIZE, &in_dla, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)out, SIZE, &out_dla, 0));
    for (int i = 0; i < SIZE; i++) {
        in[i] = (int8_t)i;
    }
    const uint64_t *inputs[] = { in_dla };
    uint64_t *outputs[] = { out_dla };
    memset(&task, 0, sizeof(task));
    task.moduleHandle = module;
    task.inputTensor = inputs;
    task.numInputTensors = 1;
    task.outputTensor = outputs;
    task.numOutputTensors = 1;
    OK(cudlaSubmitTask(dla, &task, 1, stream, 0));
    if (argc > 2 && !strcmp(argv[2], "waited")) {
        OK(cudaStreamSynchronize(stream));
    }
    for (int i = 0; i < SIZE; i++) {
        sum += out[i]; /* MARK read */
    }
    OK(cudaStreamSynchronize(stream));
    printf("sum %s\n", sum ? "new" : "old");
    OK(cudlaDestroyDevice(dla));
    return 0;
}

// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cudla.h>

#define SIZE 8192

#define OK(call)                                                             \
    do {                                                                     \
        if ((call) != 0) {                                                   \
            printf("%s failed\n", #call);                                    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static cudlaDevHandle dla;
static cudlaModule module;

static void network_load(const char *name)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(name, "rb");
    size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

    OK(cudlaCreateDevice(0, &dla, CUDLA_CUDA_DLA));
    OK(cudlaModuleLoadFromMemory(dla, bytes, len, &module, 0));
}

static cudlaStatus task_submit(uint64_t *in, uint64_t *out, cudaStream_t stream)
{
    const uint64_t *inputs[] = { in };
    uint64_t *outputs[] = { out };
    cudlaTask task;

    memset(&task, 0, sizeof(task));
    task.moduleHandle = module;
    task.inputTensor = inputs;
    task.numInputTensors = 1;
    task.outputTensor = outputs;
    task.numOutputTensors = 1;
    return cudlaSubmitTask(dla, &task, 1, stream, 0); /* <-- found here */
}

__global__ void make_input(int8_t *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = (int8_t)i; /* <-- found here */
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    cudaStream_t kernels, tasks;
    cudaEvent_t made;
    uint64_t *in_dla, *out_dla;
    int8_t *in, *out;

    setenv("CUDA_EXTERNAL_ENGINE_EXECUTION_MODE", "1", 1);
    network_load(argv[1]);
    OK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&tasks, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    OK(cudaMalloc((void **)&in, SIZE));
    OK(cudaMalloc((void **)&out, SIZE));
    OK(cudlaMemRegister(dla, (uint64_t *)in, SIZE, &in_dla, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)out, SIZE, &out_dla, 0));
    make_input<<<SIZE / 256, 256, 0, kernels>>>(in); /* <-- found here */
    OK(cudaEventRecord(made, kernels));
    OK(cudaStreamSynchronize(kernels));
    if (fixed) {
        OK(cudaStreamWaitEvent(tasks, made, 0));
    }
    OK(task_submit(in_dla, out_dla, tasks));
    OK(cudaStreamSynchronize(tasks));
    OK(cudlaDestroyDevice(dla));
    return 0;
}

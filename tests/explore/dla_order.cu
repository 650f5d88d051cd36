/* SPDX-License-Identifier: MIT */
/* A kernel makes the DLA's input in one stream, the task runs in another. Whether the task sees the
 * input is a matter of who goes first: the stream's channel or the DLA's queue. Run again after
 * everything, it does. -DFIXED: with an event between them. Usage: dla_order LOADABLE */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cudla.h>

#define SIZE 8192

#define OK(call)                          \
    do {                                  \
        if ((call) != 0) {                \
            printf("%s failed\n", #call); \
            exit(2);                      \
        }                                 \
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

static void task_submit(uint64_t *in, uint64_t *out, cudaStream_t stream)
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
    OK(cudlaSubmitTask(dla, &task, 1, stream, 0));
}

__global__ void make_input(int8_t *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = (int8_t)(i % 100 + 1);
}

int main(int argc, char **argv)
{
    static int8_t first[SIZE], second[SIZE];
    cudaStream_t kernels, tasks;
    cudaEvent_t made;
    uint64_t *in_dla, *out_dla;
    int8_t *in, *out;

    network_load(argc > 1 ? argv[1] : "");
    OK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&tasks, cudaStreamNonBlocking));
    OK(cudaEventCreate(&made));
    OK(cudaMalloc((void **)&in, SIZE));
    OK(cudaMalloc((void **)&out, SIZE));
    OK(cudlaMemRegister(dla, (uint64_t *)in, SIZE, &in_dla, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)out, SIZE, &out_dla, 0));
    OK(cudaMemset(in, 0, SIZE));
    OK(cudaDeviceSynchronize());
    make_input<<<SIZE / 256, 256, 0, kernels>>>(in);
#ifdef FIXED
    OK(cudaEventRecord(made, kernels));
    OK(cudaStreamWaitEvent(tasks, made, 0));
#endif
    task_submit(in_dla, out_dla, tasks);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(first, out, SIZE, cudaMemcpyDeviceToHost));
    task_submit(in_dla, out_dla, tasks);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(second, out, SIZE, cudaMemcpyDeviceToHost));
    OK(cudlaDestroyDevice(dla));
    printf("%s\n", memcmp(first, second, SIZE) ? "old input" : "the input");
    return memcmp(first, second, SIZE) != 0;
}

// SPDX-License-Identifier: MIT
// CUDA for Tegra 13.4, chapter 10: what is visible after a synchronisation, with independent engines. engine_mode NETWORK CASE
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
    return cudlaSubmitTask(dla, &task, 1, stream, 0);
}

__global__ void make(int8_t *to, int value)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = (int8_t)value;
}

__global__ void sum(const int8_t *from, int *total)
{
    atomicAdd(total, from[blockIdx.x * blockDim.x + threadIdx.x]);
}

static int8_t *a, *b, *c;
static uint64_t *a_dla, *b_dla, *c_dla;
static int *total;

static void kernel_make(int8_t *to, int value, cudaStream_t s)
{
    make<<<SIZE / 256, 256, 0, s>>>(to, value);
    OK(cudaStreamSynchronize(s));
}

static void kernel_sum(const int8_t *from, cudaStream_t s)
{
    sum<<<SIZE / 256, 256, 0, s>>>(from, total);
    OK(cudaStreamSynchronize(s));
}

static void task(uint64_t *from, uint64_t *to, cudaStream_t s)
{
    OK(task_submit(from, to, s));
    OK(cudaStreamSynchronize(s));
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    cudaStream_t nb, other_nb, blocking;

    network_load(argv[1]);
    OK(cudaStreamCreateWithFlags(&nb, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other_nb, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaMalloc((void **)&a, SIZE));
    OK(cudaMalloc((void **)&b, SIZE));
    OK(cudaMalloc((void **)&c, SIZE));
    OK(cudaMalloc((void **)&total, sizeof(int)));
    OK(cudlaMemRegister(dla, (uint64_t *)a, SIZE, &a_dla, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)b, SIZE, &b_dla, 0));
    OK(cudlaMemRegister(dla, (uint64_t *)c, SIZE, &c_dla, 0));
    OK(cudaMemset(total, 0, sizeof(int)));
    kernel_make(a, 1, blocking);
    task(a_dla, b_dla, blocking); /* GPU -> engine, not non-blocking */
    if (strcmp(what, "engine_nb_engine") == 0) {
        task(b_dla, c_dla, nb);
        task(c_dla, a_dla, other_nb);
        task(a_dla, b_dla, blocking);
    } else if (strcmp(what, "gpu_gpu") == 0) {
        kernel_make(c, 3, nb);
        kernel_sum(c, other_nb);
    } else if (strcmp(what, "engine_gpu") == 0) { /* engine, not non-blocking -> GPU, engine */
        kernel_sum(b, nb);
        task(a_dla, b_dla, blocking);
        kernel_sum(b, nb);
        task(b_dla, c_dla, other_nb);
    } else if (strcmp(what, "gpu_engine") == 0) {
        kernel_make(a, 2, nb);
        task(a_dla, b_dla, blocking);
    } else if (strcmp(what, "gpu_engine_nb") == 0) { /* NOT guaranteed */
        kernel_make(a, 2, nb);
        task(a_dla, b_dla, other_nb);
    } else if (strcmp(what, "engine_nb_gpu") == 0) { /* NOT guaranteed */
        kernel_sum(b, blocking);
        task(c_dla, b_dla, nb);
        kernel_sum(b, blocking);
    } else if (strcmp(what, "one_stream") == 0) { /* in the stream's own order all is visible */
        kernel_sum(b, nb);
        kernel_make(a, 2, nb);
        task(a_dla, b_dla, nb);
        kernel_sum(b, nb);
    }
    printf("%s done\n", what);
    OK(cudlaDestroyDevice(dla));
    return 0;
}

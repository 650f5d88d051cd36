// SPDX-License-Identifier: MIT
// Limits that no program passes, whatever the model charges for its parts. Prints numbers that limits.sh holds against the profile.
//
//   chain WARPS LINES           each warp loads LINES lines of its own from DRAM, where the next one lies is in the last one: us
//   shared WARPS LINES          all warps load the same LINES lines, which the L2 has, the same way: us
//   together LOADABLE WEIGHTS   a kernel, a copy engine and two DLAs, each in a stream: bytes, us of each alone, us of all together
#include <cuda_runtime.h>
#include <cudla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                             \
    do {                                                                        \
        int err_ = (int)(call);                                                 \
        if (err_) {                                                             \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, err_); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

enum { LINE_WORDS = 32, FLUSH_BYTES = 64 << 20, STREAM_BYTES = 48 << 20, COPY_BYTES = 16 << 20, TASKS = 2 };

static cudaEvent_t from, to;
static cudaStream_t stream;

// Every word of a line has the number of the next line.
__global__ void chain_make(unsigned *a, unsigned lines)
{
    unsigned line = blockIdx.x * lines + threadIdx.x / LINE_WORDS;

    for (unsigned l = 0; l < lines; l += blockDim.x / LINE_WORDS) {
        a[(size_t)(line + l) * LINE_WORDS + threadIdx.x % LINE_WORDS] = line + l + 1;
    }
}

__global__ void chain(const unsigned *a, unsigned lines, unsigned stride, unsigned *out)
{
    unsigned at = blockIdx.x * stride;

    for (unsigned l = 0; l < lines; l++) {
        at = a[(size_t)at * LINE_WORDS + threadIdx.x];
    }
    out[blockIdx.x] = at;
}

__global__ void sum(const float4 *a, size_t n, float *out)
{
    float s = 0;

#pragma unroll 1
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = a[i];

        s += v.x + v.y + v.z + v.w;
    }
    if (s == 1234.5f) {
        *out = s;
    }
}

static void *device(size_t bytes)
{
    void *p;

    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, 0, bytes));
    return p;
}

// Each warp its own lines, or all those of the first
static void chains(unsigned warps, unsigned lines, bool shared)
{
    unsigned *a = (unsigned *)device(((size_t)warps * lines + 1) * LINE_WORDS * 4), *out = (unsigned *)device(warps * 4);
    float ms;

    chain_make<<<warps, 1024, 0, stream>>>(a, lines);
    sum<<<64, 256, 0, stream>>>((const float4 *)device(FLUSH_BYTES), FLUSH_BYTES / 16, (float *)out); // the L2 forgets them
    if (shared) {
        chain<<<1, 32, 0, stream>>>(a, lines, 0, out); // the L2 has them again
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventRecord(from, stream));
    chain<<<warps, 32, 0, stream>>>(a, lines, shared ? 0 : lines, out);
    CHECK(cudaEventRecord(to, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    printf("%.3f\n", ms * 1000);
}

// --- together -------------------------------------------------------------------------------------------------------------

struct dla {
    cudlaDevHandle handle;
    cudlaTask task;
    const uint64_t *in;
    uint64_t *out;
    cudaStream_t stream;
};

static size_t tensor(struct dla *d, cudlaModuleAttributeType descriptors, uint64_t **known)
{
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute attribute;

    attribute.inputTensorDesc = &desc;
    CHECK(cudlaModuleGetAttributes(d->task.moduleHandle, descriptors, &attribute));
    CHECK(cudlaMemRegister(d->handle, (uint64_t *)device(desc.size), desc.size, known, 0));
    return desc.size;
}

static void dla_open(struct dla *d, int number, const char *name)
{
    FILE *file = fopen(name, "rb");
    static unsigned char data[32 << 20];
    size_t bytes = file ? fread(data, 1, sizeof(data), file) : 0;

    CHECK(cudaStreamCreate(&d->stream));
    CHECK(cudlaCreateDevice(number, &d->handle, CUDLA_CUDA_DLA));
    CHECK(cudlaModuleLoadFromMemory(d->handle, data, bytes, &d->task.moduleHandle, 0));
    tensor(d, CUDLA_INPUT_TENSOR_DESCRIPTORS, (uint64_t **)&d->in);
    tensor(d, CUDLA_OUTPUT_TENSOR_DESCRIPTORS, &d->out);
    d->task.inputTensor = &d->in;
    d->task.outputTensor = &d->out;
    d->task.numInputTensors = d->task.numOutputTensors = 1;
    fclose(file);
}

enum { KERNEL = 1, COPY = 2, DLAS = 4 };

// Each in its stream, between two events of the first
static float run(unsigned what, struct dla *dla)
{
    static void *streamed, *copied_from, *copied_to;
    static float *out;
    static cudaStream_t copies;
    cudaStream_t lane[4];
    cudaEvent_t done;
    float ms;

    if (!streamed) {
        streamed = device(STREAM_BYTES);
        copied_from = device(COPY_BYTES);
        copied_to = device(COPY_BYTES);
        out = (float *)device(4);
        CHECK(cudaStreamCreate(&copies));
        CHECK(cudaDeviceSynchronize());
    }
    lane[0] = stream, lane[1] = copies, lane[2] = dla[0].stream, lane[3] = dla[1].stream;
    CHECK(cudaEventRecord(from, stream));
    for (int i = 1; i < 4; i++) {
        CHECK(cudaStreamWaitEvent(lane[i], from, 0));
    }
    for (int t = 0; what & DLAS && t < TASKS; t++) {
        for (int i = 0; i < 2; i++) {
            CHECK(cudlaSubmitTask(dla[i].handle, &dla[i].task, 1, dla[i].stream, 0));
        }
    }
    if (what & COPY) {
        CHECK(cudaMemcpyAsync(copied_to, copied_from, COPY_BYTES, cudaMemcpyDeviceToDevice, copies));
    }
    if (what & KERNEL) {
        sum<<<128, 256, 0, stream>>>((const float4 *)streamed, STREAM_BYTES / 16, out);
    }
    for (int i = 1; i < 4; i++) {
        CHECK(cudaEventCreate(&done));
        CHECK(cudaEventRecord(done, lane[i]));
        CHECK(cudaStreamWaitEvent(stream, done, 0));
    }
    CHECK(cudaEventRecord(to, stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1000;
}

static void together(const char *loadable, size_t weights)
{
    struct dla dla[2] = {};

    for (int i = 0; i < 2; i++) {
        dla_open(&dla[i], i, loadable);
    }
    run(KERNEL | COPY | DLAS, dla);
    printf("%zu %.3f %.3f %.3f %.3f\n", STREAM_BYTES + 2 * COPY_BYTES + 2 * TASKS * weights, run(KERNEL, dla), run(COPY, dla),
           run(DLAS, dla), run(KERNEL | COPY | DLAS, dla));
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "limits: see its first lines\n");
        return 2;
    }
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    if (strcmp(argv[1], "chain") == 0 || strcmp(argv[1], "shared") == 0) {
        chains(atoi(argv[2]), atoi(argv[3]), strcmp(argv[1], "shared") == 0);
    } else {
        together(argv[2], atoi(argv[3]));
    }
    return 0;
}

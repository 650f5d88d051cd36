// SPDX-License-Identifier: MIT
// What the documents tell of time, as programs. Each prints virtual or real microseconds, a line a variant; events give
// them, so that it runs on a board, too. Built with --track: the CPU's accesses count.
//
//   pinned     CUDA for Tegra 3.2: an image that the CPU reads repeatedly, in pinned memory with copies (the first listing) and
//              in unified memory (the second): readImage, pipeline, useImageonCPU, all
//   hints      3.3: a product of matrices in unified memory, without hints and with them, the CPU's own work between
//   pipeline   the same with nothing between
//   waits FLAG 3.5: a wait for a kernel; FLAG spin or block. The report says what the waiting thread did
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                               \
    do {                                                                          \
        cudaError_t err_ = (call);                                                \
        if (err_ != cudaSuccess) {                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_));         \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

static cudaEvent_t from, to;
static cudaStream_t clock_stream; // nothing else is in it: an event there has the CPU's time

static void begin()
{
    CHECK(cudaEventRecord(from, clock_stream));
}

static float end()
{
    float ms;

    CHECK(cudaEventRecord(to, clock_stream));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1000;
}

// --- 3.2 ------------------------------------------------------------------------------------------------------------------

enum { SIDE = 512, PIXELS = SIDE * SIDE, PASSES = 4 };

__global__ void filter(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * 3 + 1;
}

// "repeatedly accesses an uncached buffer"
static void read_image(int *image)
{
    for (int i = 0; i < PIXELS; i++) {
        image[i] = i;
    }
    for (int pass = 1; pass < PASSES; pass++) {
        for (int i = 0; i < PIXELS; i++) {
            image[i] += pass;
        }
    }
}

static long use_image(const int *image)
{
    long sum = 0;

    for (int i = 0; i < PIXELS; i++) {
        sum += image[i];
    }
    return sum;
}

static void filters(const int *a, int *b, int *c, int *d)
{
    filter<<<PIXELS / 256, 256>>>(a, b);
    filter<<<PIXELS / 256, 256>>>(b, c);
    filter<<<PIXELS / 256, 256>>>(c, d);
}

static void pinned()
{
    size_t bytes = PIXELS * sizeof(int);
    int *h_a, *h_d, *d_a, *d_b, *d_c, *d_d;
    float read, gpu, use;
    long sum;

    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMallocHost(&h_a, bytes));
    CHECK(cudaMallocHost(&h_d, bytes));
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_d, bytes));
    begin();
    read_image(h_a);
    read = end();
    begin();
    CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    filters(d_a, d_b, d_c, d_d);
    CHECK(cudaMemcpy(h_d, d_d, bytes, cudaMemcpyDeviceToHost));
    gpu = end();
    begin();
    sum = use_image(h_d);
    use = end();
    printf("pinned %.1f %.1f %.1f %.1f %ld\n", read, gpu, use, read + gpu + use, sum);

    int *m_a, *m_d;

    CHECK(cudaMallocManaged(&m_a, bytes, cudaMemAttachHost));
    CHECK(cudaMallocManaged(&m_d, bytes));
    begin();
    read_image(m_a);
    read = end();
    begin();
    CHECK(cudaStreamAttachMemAsync(NULL, m_a, 0, cudaMemAttachGlobal));
    filters(m_a, d_b, d_c, m_d);
    CHECK(cudaStreamAttachMemAsync(NULL, m_d, 0, cudaMemAttachHost));
    CHECK(cudaStreamSynchronize(NULL));
    gpu = end();
    begin();
    sum = use_image(m_d);
    use = end();
    printf("unified %.1f %.1f %.1f %.1f %ld\n", read, gpu, use, read + gpu + use, sum);
}

// --- 3.3 ------------------------------------------------------------------------------------------------------------------

enum { HP = 512, WP = 512, WQ = 16 };

__global__ void product(const int *p, const int *q, int *r)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, sum = 0;

    for (int k = 0; k < WP; k++) {
        sum += p[y * WP + k] * q[k * WQ + x];
    }
    r[y * WQ + x] = sum;
}

// Memory of the CPU's alone, but of a kind whose accesses are counted.
static void own_work(int *own, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        own[i] = own[i] * 5 + 1;
    }
}

static float multiply(bool hints, bool work, long *sum)
{
    size_t own_count = 1 << 16;
    unsigned first = hints ? cudaMemAttachHost : cudaMemAttachGlobal;
    int *p, *q, *r, *own;
    float us;

    CHECK(cudaMallocManaged(&own, own_count * sizeof(int), cudaMemAttachHost));
    CHECK(cudaMallocManaged(&p, HP * WP * sizeof(int), first));
    CHECK(cudaMallocManaged(&q, WP * WQ * sizeof(int), first));
    CHECK(cudaMallocManaged(&r, HP * WQ * sizeof(int)));
    for (int i = 0; i < HP * WP; i++) {
        p[i] = i % 7;
    }
    for (int i = 0; i < WP * WQ; i++) {
        q[i] = i % 5;
    }
    begin();
    if (hints) {
        CHECK(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachGlobal));
        CHECK(cudaStreamAttachMemAsync(NULL, q, 0, cudaMemAttachGlobal));
    }
    if (work) {
        own_work(own, own_count);
    }
    product<<<HP / 16, dim3(WQ, 16)>>>(p, q, r);
    if (hints) {
        CHECK(cudaStreamAttachMemAsync(NULL, r, 0, cudaMemAttachHost));
    }
    CHECK(cudaStreamSynchronize(NULL));
    us = end();
    *sum = 0;
    for (int i = 0; i < HP * WQ; i++) {
        *sum += r[i];
    }
    CHECK(cudaFree(p));
    CHECK(cudaFree(q));
    CHECK(cudaFree(r));
    CHECK(cudaFree(own));
    return us;
}

// --- 3.5 ------------------------------------------------------------------------------------------------------------------

__global__ void long_kernel(float *out)
{
    float v = threadIdx.x;

    for (int i = 0; i < 20000; i++) {
        v = v * 1.0001f + 0.5f;
    }
    out[threadIdx.x] = v;
}

static void waits()
{
    float *out;

    CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    begin();
    long_kernel<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    printf("waits %.1f\n", end());
}

int main(int argc, char **argv)
{
    const char *story = argc > 1 ? argv[1] : "", *flag = argc > 2 ? argv[2] : "";

    if (strcmp(story, "waits") == 0) {
        CHECK(cudaSetDeviceFlags(strcmp(flag, "block") == 0 ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleSpin));
    }
    CHECK(cudaStreamCreateWithFlags(&clock_stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    begin();
    end();
    if (strcmp(story, "pinned") == 0) {
        pinned();
    } else if (strcmp(story, "hints") == 0 || strcmp(story, "pipeline") == 0) {
        bool work = strcmp(story, "hints") == 0;
        long plain_sum, hinted_sum;
        float plain = multiply(false, work, &plain_sum), hinted = multiply(true, work, &hinted_sum);

        printf("plain %.1f %ld\nhinted %.1f %ld\n", plain, plain_sum, hinted, hinted_sum);
    } else if (strcmp(story, "waits") == 0) {
        waits();
    } else {
        fprintf(stderr, "stories: see its first lines\n");
        return 2;
    }
    return 0;
}

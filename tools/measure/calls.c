/* SPDX-License-Identifier: MIT */
/* What calls and copies take, by the host's clock and the driver's events: the least of several,
 * for another process may come in between. */
#include <stdlib.h>
#include <time.h>

#include "tools/measure/measure.h"

#define TRIES 9
#define TIMES 100
#define ALLOC_BYTES (1u << 20)
#define MAP_BYTES (1u << 20)

static uint64_t calls_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Of one call of @body, the least of several runs of TIMES; 0: it fails. */
static uint64_t calls_least(bool (*body)(void *), void *opaque)
{
    uint64_t best = UINT64_MAX;

    for (int try = 0; try < TRIES; try++) {
        uint64_t from = calls_now_ns(), ns;

        for (int i = 0; i < TIMES; i++) {
            if (!body(opaque)) {
                return 0;
            }
        }
        ns = calls_now_ns() - from;
        best = ns < best ? ns : best;
    }
    return best / TIMES;
}

static bool calls_record(void *event)
{
    return drv.cuEventRecord(event, NULL) == CUDA_SUCCESS;
}

static bool calls_launch(void *f)
{
    return drv.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_SUCCESS;
}

static bool calls_launch_wait(void *f)
{
    return calls_launch(f) && drv.cuCtxSynchronize() == CUDA_SUCCESS;
}

static bool calls_alloc(void *unused)
{
    CUdeviceptr p;

    (void)unused;
    return drv.cuMemAlloc(&p, ALLOC_BYTES) == CUDA_SUCCESS && drv.cuMemFree(p) == CUDA_SUCCESS;
}

static bool calls_register(void *memory)
{
    return drv.cuMemHostRegister(memory, MAP_BYTES, 0) == CUDA_SUCCESS &&
           drv.cuMemHostUnregister(memory) == CUDA_SUCCESS;
}

void measure_calls(struct measure_calls *out)
{
    CUfunction empty = measure_function("empty");
    void *memory = aligned_alloc(4096, MAP_BYTES);
    CUevent event;

    *out = (struct measure_calls){ 0 };
    if (empty && drv.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) {
        uint64_t submit = calls_least(calls_launch, empty), both;

        drv.cuCtxSynchronize();
        both = calls_least(calls_launch_wait, empty);
        out->launch_wait = both;
        out->wait = both > submit ? both - submit : 0;
        out->event = calls_least(calls_record, event);
        drv.cuCtxSynchronize();
    }
    out->alloc = calls_least(calls_alloc, NULL) / 2; /* a call, of two */
    if (memory && calls_register(memory)) {
        out->map = calls_least(calls_register, memory) / 2;
    }
    free(memory);
}

/* --- by the driver's events ------------------------------------------------------------------ */

struct calls_timer {
    CUevent from, to;
};

static bool calls_timer_make(struct calls_timer *t)
{
    return drv.cuEventCreate(&t->from, 0) == CUDA_SUCCESS &&
           drv.cuEventCreate(&t->to, 0) == CUDA_SUCCESS;
}

/* ns of @work, the least; 0: it fails. */
static double calls_gpu_least(struct calls_timer *t, bool (*work)(void *), void *opaque)
{
    double best = 0;

    for (int try = 0; try < TRIES; try++) {
        float ms;

        drv.cuEventRecord(t->from, NULL);
        if (!work(opaque)) {
            return 0;
        }
        drv.cuEventRecord(t->to, NULL);
        if (drv.cuEventSynchronize(t->to) != CUDA_SUCCESS ||
            drv.cuEventElapsedTime(&ms, t->from, t->to) != CUDA_SUCCESS) {
            return 0;
        }
        best = try == 0 || ms < best ? ms : best;
    }
    return best * 1e6;
}

struct calls_copy {
    CUdeviceptr device;
    void *host;
    size_t bytes;
};

static bool calls_copy_in(void *opaque)
{
    const struct calls_copy *c = opaque;

    return drv.cuMemcpyHtoDAsync(c->device, c->host, c->bytes, NULL) == CUDA_SUCCESS;
}

void measure_copies(struct measure_copies *out)
{
    struct calls_copy c = { .bytes = 64u << 20 };
    struct calls_timer t;
    double large, small;

    *out = (struct measure_copies){ 0 };
    if (calls_timer_make(&t) && drv.cuMemAlloc(&c.device, c.bytes) == CUDA_SUCCESS &&
        drv.cuMemHostAlloc(&c.host, c.bytes, 0) == CUDA_SUCCESS) {
        large = calls_gpu_least(&t, calls_copy_in, &c);
        c.bytes = 4096;
        small = calls_gpu_least(&t, calls_copy_in, &c);
        out->start_ns = (uint64_t)(small + 0.5);
        out->mb_s =
            large > small ? (uint64_t)((double)((64u << 20) - 4096) * 1000 / (large - small)) : 0;
    }
    drv.cuMemFree(c.device);
    drv.cuMemFreeHost(c.host);
}

/* --- streaming ------------------------------------------------------------------------------- */

struct calls_stream {
    CUfunction read;
    CUdeviceptr from, out;
    unsigned blocks;
    uint64_t bytes;
};

static bool calls_stream_read(void *opaque)
{
    struct calls_stream *s = opaque;
    void *arguments[] = { &s->from, &s->bytes, &s->out };

    return drv.cuLaunchKernel(s->read, s->blocks, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL) ==
           CUDA_SUCCESS;
}

uint64_t measure_stream(enum measure_kind kind, size_t bytes)
{
    struct calls_stream s = { .read = measure_function("read"), .bytes = bytes };
    struct calls_timer t;
    void *host = NULL;
    double ns = 0;
    int sms = 0;

    drv.cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    s.blocks = (unsigned)sms * 8;
    switch (kind) {
    case MEASURE_DEVICE:
        drv.cuMemAlloc(&s.from, bytes);
        break;
    case MEASURE_PINNED:
        if (drv.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
            drv.cuMemHostGetDevicePointer(&s.from, host, 0) != CUDA_SUCCESS) {
            s.from = 0;
        }
        break;
    case MEASURE_MANAGED:
        drv.cuMemAllocManaged(&s.from, bytes, CU_MEM_ATTACH_GLOBAL);
        break;
    }
    if (s.read && s.from && drv.cuMemAlloc(&s.out, 16) == CUDA_SUCCESS && calls_timer_make(&t)) {
        calls_stream_read(&s); /* pages and translations */
        ns = calls_gpu_least(&t, calls_stream_read, &s);
    }
    drv.cuMemFree(s.out);
    if (host) {
        drv.cuMemFreeHost(host);
    } else if (s.from) {
        drv.cuMemFree(s.from);
    }
    return ns > 0 ? (uint64_t)((double)bytes * 1000 / ns) : 0;
}

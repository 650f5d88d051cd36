/* SPDX-License-Identifier: MIT */
/* What the CUDA documents say of streams, events, host functions and stream-ordered memory, one
 * rule each. Ends with 0 when it is so. Usage: board WAY */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#define OK(call) CHECK((call) == cudaSuccess)

#define N 64
#define BYTES (N * sizeof(int))

static cudaStream_t a, b;     /* do not wait for each other */
static int *data, *sum, *box; /* box: pinned */

__global__ void produce(int *p)
{
    p[threadIdx.x] = (int)threadIdx.x + 1;
}

__global__ void consume(const int *p, int *total)
{
    atomicAdd(total, p[threadIdx.x]);
}

__global__ void copy_one(volatile int *p, int from, int to)
{
    p[to] = p[from];
}

__global__ void spin(volatile int *p)
{
    while (*p == 0) {
    }
}

static int summed()
{
    int host = -1;

    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost));
    return host;
}

/* --- threads */

static volatile int number;

/* No lock, and no call that could let others go on but CUDA's. */
static void *count(void *)
{
    for (int i = 0; i < 3; i++) {
        int seen = number;
        int device;

        cudaGetDevice(&device);
        cudaFree(0);
        number = seen + 1;
    }
    return NULL;
}

static void call_is_a_switch()
{
    pthread_t t[2];

    for (pthread_t &one : t) {
        pthread_create(&one, NULL, count, NULL);
    }
    for (pthread_t one : t) {
        pthread_join(one, NULL);
    }
    CHECK(number == 6); /* some schedule says no */
}

static void sleeps()
{
    struct timespec before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(20);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(after.tv_sec - before.tv_sec >= 20 && after.tv_sec - before.tv_sec <= 21);
}

/* clock_gettime(2): it never goes back, not when the board comes either. */
static struct timespec before_board;

static void clock_goes_on()
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(now.tv_sec >= before_board.tv_sec && now.tv_sec <= before_board.tv_sec + 1);
}

/* --- events: CUDA Runtime API, Event Management */

static void event_orders()
{
    cudaEvent_t e;

    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    produce<<<1, N, 0, a>>>(data);
    OK(cudaEventRecord(e, a));
    OK(cudaStreamWaitEvent(b, e, 0));
    consume<<<1, N, 0, b>>>(data, sum);
    CHECK(summed() == N * (N + 1) / 2);
}

/* "If cudaEventRecord() has not been called on event, this call acts as if the record represents
 * an empty set of work." */
static void event_never()
{
    cudaEvent_t e;

    OK(cudaEventCreate(&e));
    OK(cudaStreamWaitEvent(b, e, 0));
    OK(cudaEventQuery(e));
    OK(cudaEventSynchronize(e));
    OK(cudaDeviceSynchronize());
}

/* What the recorded stream has waited for before is behind the event, too. */
static void event_of_event()
{
    cudaEvent_t first, second;

    OK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&second, cudaEventDisableTiming));
    produce<<<1, N, 0, a>>>(data);
    OK(cudaEventRecord(first, a));
    OK(cudaStreamWaitEvent(b, first, 0));
    OK(cudaEventRecord(second, b));
    OK(cudaEventSynchronize(second));
    OK(cudaFree(data));
}

/* "Waits until the completion of all work captured by the most recent call." */
static void event_again()
{
    cudaEvent_t e;

    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaMemsetAsync(data, 1, BYTES, a));
    OK(cudaEventRecord(e, a));
    OK(cudaEventRecord(e, b));
    OK(cudaEventSynchronize(e));
    OK(cudaFree(data)); /* the fill in a: nothing has waited for it */
}

static void event_synchronizes()
{
    cudaEvent_t e;

    OK(cudaEventCreate(&e));
    box[0] = 5;
    copy_one<<<1, 1, 0, a>>>(box, 0, 1);
    OK(cudaEventRecord(e, a));
    OK(cudaEventSynchronize(e));
    CHECK(box[1] == 5);
}

static void event_asked()
{
    cudaEvent_t e;
    cudaError_t r;

    OK(cudaEventCreate(&e));
    box[0] = 5;
    copy_one<<<1, 1, 0, a>>>(box, 0, 1);
    OK(cudaMemsetAsync(data, 1, BYTES, a));
    OK(cudaEventRecord(e, a));
    while ((r = cudaEventQuery(e)) == cudaErrorNotReady) {
    }
    CHECK(r == cudaSuccess && box[1] == 5);
    OK(cudaFree(data)); /* as good as a synchronize */
}

static void event_not_ready()
{
    cudaEvent_t e, f;
    float ms;

    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    box[0] = 0;
    OK(cudaEventRecord(f, a));
    spin<<<1, 1, 0, a>>>(box);
    OK(cudaEventRecord(e, a));
    CHECK(cudaEventQuery(e) == cudaErrorNotReady);
    CHECK(cudaEventElapsedTime(&ms, f, e) == cudaErrorNotReady);
    ((volatile int *)box)[0] = 1;
    OK(cudaEventSynchronize(e));
    OK(cudaEventElapsedTime(&ms, f, e));
    CHECK(ms >= 0);
}

static void event_times()
{
    cudaEvent_t e, f, none, untimed;
    float ms = 0, back = 0;

    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    OK(cudaEventCreate(&none));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaEventRecord(e, a));
    for (int i = 0; i < 20; i++) {
        produce<<<1, N, 0, a>>>(data);
    }
    OK(cudaEventRecord(f, a));
    OK(cudaEventRecord(untimed, a));
    OK(cudaDeviceSynchronize());
    OK(cudaEventElapsedTime(&ms, e, f));
    OK(cudaEventElapsedTime(&back, f, e));
    CHECK(ms > 0 && back == -ms);
    CHECK(cudaEventElapsedTime(&ms, e, none) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&ms, untimed, f) == cudaErrorInvalidResourceHandle);
}

/* In turns there is one time: what the CPU sees go by has the work's within. */
static void event_in_time()
{
    struct timespec before, after;
    cudaEvent_t e, f;
    float ms = 0;

    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&f));
    clock_gettime(CLOCK_MONOTONIC, &before);
    OK(cudaEventRecord(e, a));
    produce<<<1, N, 0, a>>>(data);
    OK(cudaEventRecord(f, a));
    OK(cudaDeviceSynchronize());
    clock_gettime(CLOCK_MONOTONIC, &after);
    OK(cudaEventElapsedTime(&ms, e, f));
    CHECK(ms > 0 && ms <= (double)(after.tv_sec - before.tv_sec) * 1e3 +
                              (double)(after.tv_nsec - before.tv_nsec) * 1e-6);
}

/* --- kernels that wait for the CPU: each loads memory of the host's again and again */

static sem_t over;

static void CUDART_CB tell_over(void *)
{
    sem_post(&over);
}

/* Each ends when its memory says so, whichever was asked last, and while the others wait on. */
static void kernels_wait()
{
    constexpr int n = 8;
    cudaStream_t stream[n];

    sem_init(&over, 0, 0);
    for (cudaStream_t &s : stream) {
        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    }
    for (int round = 0; round < 32; round++) {
        memset(box, 0, BYTES);
        for (int i = 0; i < n; i++) {
            spin<<<1, 1, 0, stream[i]>>>(box + i);
            OK(cudaLaunchHostFunc(stream[i], tell_over, NULL));
            if (round >> i & 1) {
                sched_yield();
            }
        }
        for (int i = 0; i < n; i++) {
            int next = (i + round / 4) % n;

            CHECK(i == 0 || cudaStreamQuery(stream[next]) == cudaErrorNotReady);
            *(volatile int *)(box + next) = 1;
            CHECK(sem_wait(&over) == 0);
            OK(cudaStreamSynchronize(stream[next]));
        }
    }
}

/* --- host functions: cudaLaunchHostFunc(), cudaStreamAddCallback() */

static int called;
static cudaError_t status, inside;

static void CUDART_CB doubles(void *)
{
    box[1] *= 2;
}

static void CUDART_CB is_called(void *)
{
    called++;
    inside = cudaStreamSynchronize(a);
}

static void CUDART_CB calls_back(cudaStream_t, cudaError_t error, void *)
{
    called++;
    status = error;
}

static void function_in_order() /* behind the kernel before, before the kernel behind */
{
    box[0] = 5;
    copy_one<<<1, 1, 0, a>>>(box, 0, 1);
    OK(cudaLaunchHostFunc(a, doubles, NULL));
    copy_one<<<1, 1, 0, a>>>(box, 1, 2);
    OK(cudaStreamSynchronize(a));
    CHECK(box[1] == 10 && box[2] == 10);
}

static void function_calls() /* "must not make any CUDA API calls" */
{
    OK(cudaLaunchHostFunc(a, is_called, NULL));
    OK(cudaStreamSynchronize(a));
    CHECK(called == 1 && inside == cudaErrorNotPermitted);
}

static void function_after_error() /* "is not called in the event of an error" */
{
    copy_one<<<1, 1, 0, a>>>(NULL, 0, 1);
    OK(cudaLaunchHostFunc(a, is_called, NULL));
    CHECK(cudaStreamSynchronize(a) != cudaSuccess);
    usleep(1000);
    CHECK(called == 0);
}

static void callback_after_error() /* which is passed the error */
{
    copy_one<<<1, 1, 0, a>>>(NULL, 0, 1);
    OK(cudaStreamAddCallback(a, calls_back, NULL, 0));
    CHECK(cudaStreamSynchronize(a) != cudaSuccess);
    usleep(1000);
    CHECK(called == 1 && status != cudaSuccess);
}

static char in_turn[4];

static void CUDART_CB write_name(void *name)
{
    in_turn[called++] = *(char *)name;
}

/* Those of two streams that both may run: as they were queued. */
static void functions_in_turn()
{
    static char names[] = "123";

    OK(cudaLaunchHostFunc(b, write_name, names));
    OK(cudaLaunchHostFunc(a, write_name, names + 1));
    OK(cudaLaunchHostFunc(b, write_name, names + 2));
    OK(cudaDeviceSynchronize());
    CHECK(strcmp(in_turn, "123") == 0);
}

static sem_t never;

static void CUDART_CB wait_for_ever(void *)
{
    sem_wait(&never);
}

/* Wrong on purpose: a loop of queries of what will never be over, and no timer shows that it loops. */
static void asks_ever()
{
    no_ticks();
    sem_init(&never, 0, 0);
    OK(cudaLaunchHostFunc(a, wait_for_ever, NULL));
    while (cudaStreamQuery(a) == cudaErrorNotReady) {
    }
}

/* --- stream-ordered memory: cudaMallocAsync() and its neighbours */

static uint64_t pool_has(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    uint64_t bytes = 77;

    OK(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

static cudaMemPool_t pool_new(size_t most)
{
    cudaMemPoolProps props = {};
    cudaMemPool_t pool;

    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.maxSize = most;
    OK(cudaMemPoolCreate(&pool, &props));
    return pool;
}

/* Queued work uses the memory until its stream has reached the free. */
static void free_in_order()
{
    int *p, *q;

    OK(cudaMallocAsync(&p, BYTES, a));
    produce<<<1, N, 0, a>>>(p);
    consume<<<1, N, 0, a>>>(p, sum);
    OK(cudaFreeAsync(p, a));
    OK(cudaMallocAsync(&q, BYTES, a)); /* what is free is given back here */
    CHECK(summed() == N * (N + 1) / 2);
    OK(cudaFreeAsync(q, a));
    OK(cudaDeviceSynchronize());
}

static void free_gives_back()
{
    cudaMemPool_t pool = pool_new(0);
    int *p, *q;

    OK(cudaMallocFromPoolAsync(&p, 4096, pool, a));
    OK(cudaMallocFromPoolAsync(&q, 8192, pool, a));
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemCurrent) == 12288);
    OK(cudaFreeAsync(q, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaMemPoolTrimTo(pool, 0));
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemCurrent) == 4096);
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemHigh) == 12288);
    uint64_t zero = 0, one = 1;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one) == cudaErrorInvalidValue);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemHigh) == 4096);
    OK(cudaFree(p)); /* at once */
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
}

static void free_twice()
{
    int *p;

    OK(cudaMallocAsync(&p, BYTES, a));
    CHECK(cudaFreeAsync(p + 1, a) == cudaErrorInvalidValue);
    OK(cudaFreeAsync(p, a));
    CHECK(cudaFreeAsync(p, a) == cudaErrorInvalidValue);
    OK(cudaFreeAsync(NULL, a));
}

static void pool_is_full()
{
    cudaMemPool_t pool = pool_new(8192);
    int *p, *q;

    CHECK(cudaMallocFromPoolAsync(&p, 12288, pool, a) == cudaErrorMemoryAllocation);
    OK(cudaMallocFromPoolAsync(&p, 8192, pool, a));
    CHECK(cudaMallocFromPoolAsync(&q, 4096, pool, a) == cudaErrorMemoryAllocation);
    OK(cudaFreeAsync(p, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaMallocFromPoolAsync(&q, 8192, pool, a)); /* there is room again */
}

static void pool_is_current()
{
    cudaMemPool_t pool = pool_new(0), usual, now;
    int *p;

    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == pool);
    OK(cudaMallocAsync(&p, 4096, a));
    CHECK(pool_has(pool, cudaMemPoolAttrUsedMemCurrent) == 4096);
    OK(cudaMemPoolDestroy(pool)); /* the default is current again; what is allocated lives on */
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == usual);
    CHECK(cudaMemPoolTrimTo(pool, 0) == cudaErrorInvalidValue);
    produce<<<1, N, 0, a>>>(p);
    OK(cudaStreamSynchronize(a));
    OK(cudaFreeAsync(p, a));
    OK(cudaStreamSynchronize(a));
    CHECK(cudaMemPoolDestroy(usual) == cudaErrorInvalidValue);
}

static void pool_of_plain_memory()
{
    cudaMemPool_t usual;
    int *p;

    OK(cudaMalloc(&p, BYTES));
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    OK(cudaFreeAsync(p, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaMemPoolTrimTo(usual, 0));
    CHECK(pool_has(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } ways[] = {
        { "call", call_is_a_switch },
        { "sleeps", sleeps },
        { "clock_goes_on", clock_goes_on },
        { "event_orders", event_orders },
        { "event_never", event_never },
        { "event_of_event", event_of_event },
        { "event_again", event_again },
        { "event_synchronizes", event_synchronizes },
        { "event_asked", event_asked },
        { "event_not_ready", event_not_ready },
        { "event_times", event_times },
        { "event_in_time", event_in_time },
        { "kernels_wait", kernels_wait },
        { "function_in_order", function_in_order },
        { "functions_in_turn", functions_in_turn },
        { "asks_ever", asks_ever },
        { "function_calls", function_calls },
        { "function_after_error", function_after_error },
        { "callback_after_error", callback_after_error },
        { "free_in_order", free_in_order },
        { "free_gives_back", free_gives_back },
        { "free_twice", free_twice },
        { "pool_is_full", pool_is_full },
        { "pool_is_current", pool_is_current },
        { "pool_of_plain_memory", pool_of_plain_memory },
    };

    sleep(argc == 2 && strcmp(argv[1], "clock_goes_on") == 0 ? 20 : 0);
    clock_gettime(CLOCK_MONOTONIC, &before_board);
    OK(cudaMalloc(&data, BYTES));
    OK(cudaMalloc(&sum, sizeof(*sum)));
    OK(cudaMemset(data, 0, BYTES));
    OK(cudaMemset(sum, 0, sizeof(*sum)));
    OK(cudaMallocHost(&box, BYTES));
    memset(box, 0, BYTES);
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    for (const auto &w : ways) {
        if (argc == 2 && strcmp(w.name, argv[1]) == 0) {
            w.run();
            return 0;
        }
    }
    return 2;
}

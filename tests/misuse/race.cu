/* SPDX-License-Identifier: MIT */
/* Omitted order, one case each, and beside it the corrected twin: race CASE wrong|right.
 * Marked lines are the ones that a finding must name. */
#include <atomic>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        out[i] = in[i] * factor; /* MARK scale store */
    }
}

__global__ void add(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        out[i] += in[i];
    }
}

__global__ void post(int *data, volatile int *flag)
{
    data[0] = 42;
    __threadfence_system();
    *flag = 1;
}

__global__ void post_early(int *data, volatile int *flag)
{
    *flag = 1;
    __threadfence_system();
    data[0] = 42; /* MARK flag_first store */
}

__global__ void count(int *counter)
{
    atomicAdd_system(counter, 1);
}

__global__ void count_narrow(int *counter)
{
    atomicAdd(counter, 1);
}

static int *pinned()
{
    int *p;

    cudaHostAlloc((void **)&p, N * sizeof(int), cudaHostAllocMapped);
    return p;
}

static int *device()
{
    int *p;

    cudaMalloc((void **)&p, N * sizeof(int));
    return p;
}

static void fill(int *p, int value)
{
    for (int i = 0; i < N; i++) {
        p[i] = value;
    }
}

static long sum(const int *p)
{
    long s = 0;

    for (int i = 0; i < N; i++) {
        s += p[i]; /* MARK sum */
    }
    return s;
}

/* The CPU reads what a kernel writes, before it has waited (field: no synchronise before post-processing). */
static long read_early(bool right)
{
    int *in = pinned(), *out = pinned();
    long s;

    fill(in, 1);
    scale<<<N / 256, 256>>>(out, in, 3); /* MARK read_early launch */
    if (right) {
        cudaDeviceSynchronize();
    }
    s = sum(out);
    cudaDeviceSynchronize();
    return s;
}

/* The CPU writes the next input while the kernel may still read this one. */
static long write_early(bool right)
{
    int *in = pinned(), *out = device();
    cudaStream_t s;

    cudaStreamCreate(&s);
    fill(in, 1);
    scale<<<N / 256, 256, 0, s>>>(out, in, 3);
    if (right) {
        cudaStreamSynchronize(s);
    }
    in[7] = 2; /* MARK write_early store */
    cudaDeviceSynchronize();
    return in[7];
}

/* The source of an asynchronous copy is used again at once. */
static long copy_source(bool right)
{
    int *in = pinned(), *out = device();
    cudaStream_t s;
    cudaEvent_t done;

    cudaStreamCreate(&s);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    fill(in, 1);
    cudaMemcpyAsync(out, in, N * sizeof(int), cudaMemcpyHostToDevice, s); /* MARK copy_source copy */
    cudaEventRecord(done, s);
    if (right) {
        cudaEventSynchronize(done);
    }
    in[100] = 2; /* MARK copy_source store */
    cudaDeviceSynchronize();
    return in[100];
}

/* The destination of an asynchronous copy is read at once. */
static long copy_target(bool right)
{
    int *in = device(), *out = pinned();
    cudaStream_t s;
    long r;

    cudaStreamCreate(&s);
    cudaMemset(in, 0, N * sizeof(int));
    cudaMemcpyAsync(out, in, N * sizeof(int), cudaMemcpyDeviceToHost, s);
    if (right) {
        while (cudaStreamQuery(s) == cudaErrorNotReady) {
        }
    }
    r = sum(out);
    cudaDeviceSynchronize();
    return r;
}

/* Two streams, no event between them. */
static long two_streams(bool right)
{
    int *a = device(), *b = device();
    cudaStream_t s[2];
    cudaEvent_t done;

    cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMemset(a, 0, N * sizeof(int));
    cudaMemset(b, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    scale<<<N / 256, 256, 0, s[0]>>>(b, a, 3); /* MARK two_streams first */
    cudaEventRecord(done, s[0]);
    if (right) {
        cudaStreamWaitEvent(s[1], done, 0);
    }
    add<<<N / 256, 256, 0, s[1]>>>(a, b); /* MARK two_streams second */
    cudaDeviceSynchronize();
    return 0;
}

/* The stream waits for an event that was recorded before the kernel that matters. */
static long early_wait(bool right)
{
    int *a = device(), *b = device();
    cudaStream_t s[2];
    cudaEvent_t done;

    cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMemset(a, 0, N * sizeof(int));
    cudaMemset(b, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    cudaEventRecord(done, s[0]); /* MARK early_wait event */
    scale<<<N / 256, 256, 0, s[0]>>>(b, a, 3);
    if (right) {
        cudaEventRecord(done, s[0]);
    }
    cudaStreamWaitEvent(s[1], done, 0);
    add<<<N / 256, 256, 0, s[1]>>>(a, b);
    cudaStreamSynchronize(s[1]);
    cudaStreamSynchronize(s[0]);
    return 0;
}

/* The event was recorded before the kernel that matters. */
static long early_event(bool right)
{
    int *in = pinned(), *out = pinned();
    cudaStream_t s;
    cudaEvent_t done;
    long r;

    cudaStreamCreate(&s);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    fill(in, 1);
    scale<<<N / 256, 256, 0, s>>>(out, in, 2);
    if (!right) {
        cudaEventRecord(done, s);
    }
    scale<<<N / 256, 256, 0, s>>>(out, in, 3);
    if (right) {
        cudaEventRecord(done, s);
    }
    cudaEventSynchronize(done);
    r = sum(out);
    cudaDeviceSynchronize();
    return r;
}

/* Flag and data: the reader must look at the flag. */
static long flag(bool right)
{
    int *data = pinned();
    volatile int *f = pinned();
    long r;

    data[0] = 0;
    *f = 0;
    post<<<1, 1>>>(data, f);
    while (right && !*f) {
        cudaStreamQuery(0);
    }
    r = data[0]; /* MARK flag load */
    cudaDeviceSynchronize();
    return r;
}

/* The kernel must store the data before the flag. */
static long flag_first(bool right)
{
    int *data = pinned();
    volatile int *f = pinned();
    long r;

    data[0] = 0;
    *f = 0;
    if (right) {
        post<<<1, 1>>>(data, f);
    } else {
        post_early<<<1, 1>>>(data, f);
    }
    while (!*f) {
        cudaStreamQuery(0);
    }
    r = data[0]; /* MARK flag_first load */
    cudaDeviceSynchronize();
    return r;
}

/* The CPU and a kernel count in one place: atomicAdd() is atomic among the device's threads only. */
static long counter(bool right)
{
    int *c = pinned();

    c[0] = 0;
    if (right) {
        count<<<4, 64>>>(c);
    } else {
        count_narrow<<<4, 64>>>(c);
    }
    __atomic_fetch_add(c, 1, __ATOMIC_SEQ_CST); /* MARK counter update */
    cudaDeviceSynchronize();
    return c[0];
}

struct job {
    int *out;
    long sum;
};

static void CUDART_CB job_run(void *data)
{
    struct job *job = (struct job *)data;

    job->sum = sum(job->out);
}

/* A host function comes after the kernels of its stream, and before those that are behind it. */
static long host_function(bool right)
{
    int *in = pinned(), *out = pinned();
    struct job job = { out, 0 };
    cudaStream_t s, other;

    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    fill(in, 1);
    scale<<<N / 256, 256, 0, s>>>(out, in, 3);
    cudaLaunchHostFunc(right ? s : other, job_run, &job);
    scale<<<N / 256, 256, 0, s>>>(out, in, 4);
    cudaStreamSynchronize(other);
    cudaStreamSynchronize(s);
    return job.sum;
}

/* Unified memory attached to one stream, used by another: nobody carries the bytes to the CPU. */
static long attached(bool right)
{
    int *p, *in = pinned();
    cudaStream_t mine, other;

    cudaStreamCreate(&mine);
    cudaStreamCreate(&other);
    cudaMallocManaged((void **)&p, N * sizeof(int), cudaMemAttachHost);
    cudaStreamAttachMemAsync(mine, p, 0, cudaMemAttachSingle);
    cudaStreamSynchronize(mine);
    fill(p, 1);
    fill(in, 1);
    scale<<<N / 256, 256, 0, right ? mine : other>>>(p, in, 3);
    cudaStreamSynchronize(right ? mine : other);
    return sum(p);
}

/* A producer hands a frame to a consumer thread; the lock orders the threads, not the stream. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int *frame;
    long sum;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0 };

static void *consumer(void *)
{
    pthread_mutex_lock(&queue.lock);
    while (!queue.frame) {
        pthread_cond_wait(&queue.ready, &queue.lock);
    }
    pthread_mutex_unlock(&queue.lock);
    queue.sum = sum(queue.frame);
    return NULL;
}

static long frame(bool right)
{
    int *in = pinned(), *out = pinned();
    pthread_t thread;
    cudaStream_t s;

    cudaStreamCreate(&s);
    pthread_create(&thread, NULL, consumer, NULL);
    fill(in, 1);
    scale<<<N / 256, 256, 0, s>>>(out, in, 3);
    if (right) {
        cudaStreamSynchronize(s);
    }
    pthread_mutex_lock(&queue.lock);
    queue.frame = out;
    pthread_cond_signal(&queue.ready);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(thread, NULL);
    cudaStreamSynchronize(s);
    return queue.sum;
}

/* The producer waits, but tells the consumer through a plain variable instead of an atomic one. */
static int *handed;
static std::atomic<int *> posted;
static long taken;

static void *poller(void *right)
{
    while (right ? !posted.load() : !handed) {
        sched_yield();
    }
    taken = sum(right ? posted.load() : handed);
    return NULL;
}

static long unlocked(bool right)
{
    int *in = pinned(), *out = pinned();
    pthread_t thread;

    pthread_create(&thread, NULL, poller, right ? &posted : NULL);
    fill(in, 1);
    scale<<<N / 256, 256>>>(out, in, 3);
    cudaDeviceSynchronize();
    if (right) {
        posted.store(out);
    } else {
        handed = out;
    }
    pthread_join(thread, NULL);
    return taken;
}

/* Freed in the stream that made it while another still reads it. */
static long free_early(bool right)
{
    int *out = pinned(), *p;
    cudaStream_t s[2];
    cudaEvent_t made, used;

    cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&used, cudaEventDisableTiming);
    for (int frame = 0; frame < 2; frame++) { /* the second gets what the first gave back */
        cudaMallocAsync((void **)&p, N * sizeof(int), s[0]);
        cudaMemsetAsync(p, 1, N * sizeof(int), s[0]);
        cudaEventRecord(made, s[0]);
        cudaStreamWaitEvent(s[1], made, 0);
        scale<<<N / 256, 256, 0, s[1]>>>(out, p, 2); /* MARK free_early use */
        cudaEventRecord(used, s[1]);
        if (right) {
            cudaStreamWaitEvent(s[0], used, 0);
        }
        cudaFreeAsync(p, s[0]); /* MARK free_early free */
        cudaStreamSynchronize(s[1]);
    }
    cudaDeviceSynchronize();
    return sum(out);
}

/* Allocated in one stream and used in another, which has not waited for that. */
static long alloc_early(bool right)
{
    int *out = pinned(), *p;
    cudaStream_t s[2];
    cudaEvent_t made;

    cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    cudaMallocAsync((void **)&p, N * sizeof(int), s[0]); /* MARK alloc_early alloc */
    cudaEventRecord(made, s[0]);
    if (right) {
        cudaStreamWaitEvent(s[1], made, 0);
    }
    cudaMemsetAsync(p, 1, N * sizeof(int), s[1]); /* MARK alloc_early use */
    scale<<<N / 256, 256, 0, s[1]>>>(out, p, 2);
    cudaDeviceSynchronize();
    cudaFree(p);
    return sum(out);
}

/* In one stream, but before the last use. */
static long free_first(bool right)
{
    int *out = pinned(), *p;

    cudaMallocAsync((void **)&p, N * sizeof(int), 0);
    cudaMemsetAsync(p, 1, N * sizeof(int), 0);
    if (!right) {
        cudaFreeAsync(p, 0); /* MARK free_first free */
    }
    scale<<<N / 256, 256>>>(out, p, 2); /* MARK free_first use */
    if (right) {
        cudaFreeAsync(p, 0);
    }
    cudaDeviceSynchronize();
    return sum(out);
}

static const struct {
    const char *name;
    long (*run)(bool right);
} cases[] = {
    { "read_early", read_early },   { "write_early", write_early }, { "copy_source", copy_source },
    { "copy_target", copy_target }, { "two_streams", two_streams }, { "early_event", early_event },
    { "early_wait", early_wait },
    { "flag", flag },               { "counter", counter },         { "host_function", host_function },
    { "attached", attached },       { "frame", frame },             { "unlocked", unlocked },
    { "free_early", free_early },   { "free_first", free_first },   { "alloc_early", alloc_early },
    { "flag_first", flag_first },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            printf("%s %ld\n", argv[1], cases[i].run(strcmp(argv[2], "right") == 0));
            return cudaGetLastError() == cudaSuccess ? 0 : 1;
        }
    }
    return 99;
}

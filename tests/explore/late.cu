/* SPDX-License-Identifier: MIT */
/* Where threads run freely: what lets queued work run, and what does not. Usage: late WAY
 * Under the policy lazy each way but the last ends with 0. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int *box; /* pinned: the kernel makes it 1 */
static sem_t sem;
static volatile int ended;

__global__ void work(int *answer)
{
    *answer = 1;
}

static void CUDART_CB post(void *)
{
    sem_post(&sem);
}

static void CUDART_CB post_and_go_on(void *)
{
    sem_post(&sem);
    usleep(100000);
    ended = 1;
}

static pthread_t waiting;
static int seen;

static void CUDART_CB cancel_and_go_on(void *)
{
    pthread_cancel(waiting);
    usleep(100000);
    ended = 1;
}

static void see(void *)
{
    seen = ended;
}

static void *wait_for_ever(void *)
{
    pthread_cleanup_push(see, NULL);
    cudaLaunchHostFunc(0, cancel_and_go_on, NULL);
    for (;;) {
        sem_wait(&sem);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

/* A host function that goes on for a while; who waits for its stream is cancelled meanwhile. */
static void CUDART_CB cancel_who_waits(void *)
{
    usleep(50000);
    pthread_cancel(waiting);
    usleep(50000);
    ended = 1;
}

/* Nobody is cancelled in a call of CUDA's, which has locks; but behind it. */
static void *wait_inside(void *)
{
    pthread_cleanup_push(see, NULL);
    cudaLaunchHostFunc(0, cancel_who_waits, NULL);
    cudaDeviceSynchronize();
    for (;;) {
        pause();
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *wait_in_loop(void *)
{
    pthread_cleanup_push(see, NULL);
    cudaLaunchHostFunc(0, cancel_who_waits, NULL);
    for (;;) {
        sched_yield();
        if (ended) {
            pause();
        }
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static double now()
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0: it is as it should be. */
static int wait_in(const char *way)
{
    if (strcmp(way, "sleep") == 0) { /* one sleep is no loop, and those before the work do not count */
        for (int i = 0; i < 12; i++) {
            work<<<1, 1>>>(box);
            usleep(10);
        }
        return *(volatile int *)box;
    }
    work<<<1, 1>>>(box);
    if (strcmp(way, "clock") == 0) { /* nor are looks at a clock, in a program that ends soon */
        for (int i = 0; i < 1000; i++) {
            now();
        }
        return *(volatile int *)box;
    }
    cudaLaunchHostFunc(0, strcmp(way, "goes_on") == 0 ? post_and_go_on : post, NULL);
    if (strcmp(way, "doze") == 0) { /* who sleeps for a time waits for nobody */
        usleep(300000);
        return *(volatile int *)box;
    }
    if (strcmp(way, "busy") == 0) { /* nor does who computes */
        volatile long sum = 0;

        for (double until = now() + 0.3; now() < until;) {
            for (int i = 0; i < 1000000; i++) {
                sum = sum + i;
            }
        }
        return *(volatile int *)box;
    }
    if (strcmp(way, "goes_on") == 0) { /* the function goes on to its end before who it has woken */
        sem_wait(&sem);
        return !ended;
    }
    if (strcmp(way, "cancelled") == 0) { /* nor before the cleanup handlers of who it has cancelled */
        pthread_create(&waiting, NULL, wait_for_ever, NULL);
        pthread_join(waiting, NULL);
        return !seen;
    }
    if (strncmp(way, "cancelled_in", 12) == 0) {
        pthread_create(&waiting, NULL, strcmp(way, "cancelled_inside") == 0 ? wait_inside : wait_in_loop, NULL);
        pthread_join(waiting, NULL);
        work<<<1, 1>>>(box);
        cudaDeviceSynchronize(); /* the lock is nobody's */
        return !seen;
    }
    if (strcmp(way, "fault") == 0) { /* the function never runs, and why is told: here it hangs */
        work<<<1, 1>>>(NULL);
        cudaLaunchHostFunc(0, post, NULL);
        sem_wait(&sem);
        sem_wait(&sem);
    }
    return 2;
}

/* A thread that was there before the board, and that never calls CUDA, loops until a host function has run. */
static void *loop(void *)
{
    while (!ended) {
    }
    return NULL;
}

static void CUDART_CB end(void *)
{
    ended = 1;
}

static int loops_elsewhere()
{
    pthread_t other;

    pthread_create(&other, NULL, loop, NULL);
    cudaMallocHost(&box, sizeof(*box));
    work<<<1, 1>>>(box);
    cudaLaunchHostFunc(0, end, NULL);
    return pthread_join(other, NULL);
}

#ifdef __x86_64__
/* Sleeps for a time, again and again, of which nobody hears: system calls of its own. */
static int dozes_unseen()
{
    struct timespec t = { 0, 5000000 };
    long r;

    work<<<1, 1>>>(box);
    cudaLaunchHostFunc(0, end, NULL);
    while (!ended) {
        __asm__ volatile("syscall"
                         : "=a"(r)
                         : "0"(SYS_nanosleep), "D"(&t), "S"(0)
                         : "rcx", "r11", "memory");
    }
    return 0;
}
#endif

/* Its first call of CUDA's, which reads files, is not its last: others make theirs, too. */
static void *call_first(void *library)
{
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;

    pthread_cancel(pthread_self());
    if (init) { /* without the runtime's own lock */
        init(0);
    }
    cudaMallocHost(&box, sizeof(*box));
    for (;;) {
        pause();
    }
    return NULL;
}

static int cancelled_first(bool loaded)
{
    pthread_t other;

    pthread_create(&other, NULL, call_first, loaded ? dlopen("libcuda.so.1", RTLD_NOW) : NULL);
    pthread_join(other, NULL);
    return box == NULL || cudaMallocHost(&box, sizeof(*box)) != cudaSuccess;
}

int main(int argc, char **argv)
{
    int r;

    if (argc == 2 && strncmp(argv[1], "cancelled_first", 15) == 0) {
        return cancelled_first(strcmp(argv[1], "cancelled_first_call") == 0);
    }

    if (argc == 2 && strcmp(argv[1], "elsewhere") == 0) {
        return loops_elsewhere();
    }
    cudaMallocHost(&box, sizeof(*box));
    *box = 0;
    sem_init(&sem, 0, 0);
#ifdef __x86_64__
    if (argc == 2 && strcmp(argv[1], "dozes_unseen") == 0) {
        return dozes_unseen();
    }
#endif
    r = argc == 2 ? wait_in(argv[1]) : 2;
    cudaDeviceSynchronize();
    return r;
}

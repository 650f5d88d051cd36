/* SPDX-License-Identifier: MIT */
/* Threads and mutexes: rings in which each waits for the next one's, and what looks like one but is
 * none. Usage: ring WAY */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

static pthread_mutex_t mutex[THREADS], recursive, checked;
static pthread_barrier_t all_hold;
static int n, rounds;

/* Thread i holds mutex i, and wants the next one's. */
static void *in_ring(void *arg)
{
    int i = (int)(long)arg;

    pthread_mutex_lock(&mutex[i]);
    pthread_barrier_wait(&all_hold);
    pthread_mutex_lock(&mutex[(i + 1) % n]);
    return NULL;
}

/* The same, but it gives up in time. */
static void *in_ring_for_a_time(void *arg)
{
    int i = (int)(long)arg;
    struct timespec until;

    pthread_mutex_lock(&mutex[i]);
    pthread_barrier_wait(&all_hold);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000 * (i + 1);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&mutex[(i + 1) % n], &until) == 0) {
        pthread_mutex_unlock(&mutex[(i + 1) % n]);
    }
    pthread_mutex_unlock(&mutex[i]);
    return NULL;
}

/* Not one ring: mutex 1 is free again when the other thread, which holds it, wants mutex 0. */
static void *behind(void *)
{
    pthread_mutex_lock(&mutex[1]);
    pthread_barrier_wait(&all_hold);
    pthread_mutex_lock(&mutex[0]);
    return NULL;
}

static void in_front(void)
{
    pthread_t other;

    pthread_barrier_init(&all_hold, NULL, 2);
    pthread_mutex_lock(&mutex[0]);
    pthread_mutex_lock(&mutex[1]);
    pthread_mutex_unlock(&mutex[1]);
    pthread_create(&other, NULL, behind, NULL);
    pthread_barrier_wait(&all_hold);
    usleep(100000);
    pthread_mutex_unlock(&mutex[0]);
    pthread_join(other, NULL);
}

/* Much waiting for each other, in one order: of any two, the one with the lower number first. */
static void *in_order(void *arg)
{
    int i = (int)(long)arg, j = (i + 1) % THREADS;

    for (int round = 0; round < rounds; round++) {
        pthread_mutex_lock(&mutex[i < j ? i : j]);
        pthread_mutex_lock(&mutex[i < j ? j : i]);
        pthread_mutex_unlock(&mutex[i < j ? i : j]);
        pthread_mutex_unlock(&mutex[i < j ? j : i]);
    }
    return NULL;
}

static void run(void *(*start)(void *), int threads)
{
    pthread_t thread[THREADS];

    n = threads;
    pthread_barrier_init(&all_hold, NULL, (unsigned)n);
    for (int i = 1; i < n; i++) {
        pthread_create(&thread[i], NULL, start, (void *)(long)i);
    }
    start(NULL);
    for (int i = 1; i < n; i++) {
        pthread_join(thread[i], NULL);
    }
}

/* A host function wants what the thread holds that waits for its stream. */
static void CUDART_CB lock_one(void *)
{
    pthread_mutex_lock(&mutex[1]);
    pthread_mutex_unlock(&mutex[1]);
}

static void in_host_function()
{
    pthread_mutex_lock(&mutex[1]);
    cudaLaunchHostFunc(0, lock_one, NULL);
    cudaStreamSynchronize(0); // MARK waits_with_lock
    pthread_mutex_unlock(&mutex[1]);
}

static void init(pthread_mutex_t *m, int type)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutex_init(m, &attr);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int r = 0;

    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&mutex[i], NULL);
    }
    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checked, PTHREAD_MUTEX_ERRORCHECK);
    cudaFree(0); /* the board is up */
    if (strcmp(way, "two") == 0) {
        run(in_ring, 2);
    } else if (strcmp(way, "three") == 0) {
        run(in_ring, 3);
    } else if (strcmp(way, "one") == 0) {
        run(in_ring, 1);
    } else if (strcmp(way, "timed") == 0) {
        run(in_ring_for_a_time, 3);
    } else if (strcmp(way, "order") == 0) {
        rounds = 20000;
        run(in_order, 3);
    } else if (strcmp(way, "host") == 0) {
        in_host_function();
    } else if (strcmp(way, "behind") == 0) {
        in_front();
    } else if (strcmp(way, "again") == 0) {
        r = pthread_mutex_lock(&recursive) || pthread_mutex_lock(&recursive) ||
            pthread_mutex_lock(&checked) || pthread_mutex_lock(&checked) == 0;
    }
    printf("ended: %d\n", r);
    return r;
}

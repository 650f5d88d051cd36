/* SPDX-License-Identifier: MIT */
/* Functions that the program gives away (host functions, callbacks, threads, routines of
 * pthread_once) and that end in a call which orders something: a compiler makes a jump of it, so
 * that the call returns to whoever called the function. All of it is correct: nothing may be found.
 * Usage: tail_call WAY */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

#define LAST __attribute__((noinline))

static int *frame; /* pinned: each access is seen */
static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool done;

LAST static void CUDART_CB post(void *)
{
    *frame = 7;
    sem_post(&sem);
}

LAST static void CUDART_CB called_back(cudaStream_t, cudaError_t, void *)
{
    *frame = 7;
    sem_post(&sem);
}

LAST static void CUDART_CB signal(void *)
{
    pthread_mutex_lock(&mutex);
    *frame = 7;
    done = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
}

LAST static void CUDART_CB unlock(void *)
{
    pthread_mutex_lock(&mutex);
    *frame = 7;
    done = true;
    pthread_mutex_unlock(&mutex);
}

LAST static void CUDART_CB unlock_rw(void *)
{
    pthread_rwlock_wrlock(&rwlock);
    *frame = 7;
    done = true;
    pthread_rwlock_unlock(&rwlock);
}

LAST static void CUDART_CB unlock_spin(void *)
{
    pthread_spin_lock(&spinlock);
    *frame = 7;
    done = true;
    pthread_spin_unlock(&spinlock);
}

typedef void *start_fn(void *);

/* What they return is what a thread returns: a jump, if the types are the same. */
extern "C" void *sem_post_for_thread(sem_t *) __asm__("sem_post");

LAST static void *thread_post(void *)
{
    *frame = 7;
    return sem_post_for_thread(&sem);
}

LAST static int thread_post_c11(void *)
{
    *frame = 7;
    return sem_post(&sem);
}

LAST static void once_post()
{
    *frame = 7;
    sem_post(&sem);
}

LAST static void *thread_once(void *)
{
    pthread_once(&once, once_post);
    return NULL;
}

static pthread_t waiter;

static void *wait_for_main(void *)
{
    sem_wait(&sem);
    if (*frame != 7) {
        _exit(3);
    }
    return NULL;
}

LAST static int main_post(int, char **)
{
    *frame = 7;
    return sem_post(&sem);
}

static void waiter_join()
{
    pthread_join(waiter, NULL);
}

template <typename Lock, typename Unlock> static int poll_under(Lock lock, Unlock release)
{
    for (;;) {
        lock();
        bool over = done;
        int seen = *frame;

        release();
        if (over) {
            return seen;
        }
    }
}

static int run(const char *way, cudaStream_t s)
{
    pthread_t thread;
    thrd_t c11;

    if (strcmp(way, "post") == 0) {
        cudaLaunchHostFunc(s, post, NULL);
        sem_wait(&sem);
    } else if (strcmp(way, "callback") == 0) {
        cudaStreamAddCallback(s, called_back, NULL, 0);
        sem_wait(&sem);
    } else if (strcmp(way, "signal") == 0) {
        cudaLaunchHostFunc(s, signal, NULL);
        pthread_mutex_lock(&mutex);
        while (!done) {
            pthread_cond_wait(&cond, &mutex);
        }
        pthread_mutex_unlock(&mutex);
    } else if (strcmp(way, "unlock") == 0) {
        cudaLaunchHostFunc(s, unlock, NULL);
        return poll_under([] { pthread_mutex_lock(&mutex); }, [] { pthread_mutex_unlock(&mutex); });
    } else if (strcmp(way, "unlock_rw") == 0) {
        cudaLaunchHostFunc(s, unlock_rw, NULL);
        return poll_under([] { pthread_rwlock_rdlock(&rwlock); },
                          [] { pthread_rwlock_unlock(&rwlock); });
    } else if (strcmp(way, "unlock_spin") == 0) {
        pthread_spin_init(&spinlock, 0);
        cudaLaunchHostFunc(s, unlock_spin, NULL);
        return poll_under([] { pthread_spin_lock(&spinlock); },
                          [] { pthread_spin_unlock(&spinlock); });
    } else if (strcmp(way, "thread") == 0 || strcmp(way, "once") == 0) {
        pthread_create(&thread, NULL, way[0] == 't' ? thread_post : thread_once, NULL);
        sem_wait(&sem);
        int seen = *frame;
        pthread_join(thread, NULL);
        return seen;
    } else if (strcmp(way, "c11") == 0) {
        thrd_create(&c11, thread_post_c11, NULL);
        sem_wait(&sem);
        int seen = *frame;
        thrd_join(c11, NULL);
        return seen;
    } else {
        return 0;
    }
    return *frame;
}

int main(int argc, char **argv)
{
    cudaStream_t s;
    int seen;

    cudaMallocHost(&frame, sizeof(*frame));
    *frame = 0;
    cudaStreamCreate(&s);
    sem_init(&sem, 0, 0);
    if (argc > 1 && strcmp(argv[1], "main") == 0) { /* its last call, too, is a jump */
        atexit(waiter_join);
        pthread_create(&waiter, NULL, wait_for_main, NULL);
        [[clang::musttail]] return main_post(argc, argv);
    }
    seen = run(argc > 1 ? argv[1] : "", s);
    printf("%d\n", seen);
    cudaStreamSynchronize(s);
    return seen != 7;
}

/* SPDX-License-Identifier: MIT */
/* Two threads add to one counter in memory that the GPU shares. -DFIXED: under a mutex. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 3

static int *counter;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *add(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        pthread_mutex_lock(&lock);
#endif
        int seen = *counter;

        *counter = seen + 1;
#ifdef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
    return unused;
}

int main()
{
    pthread_t thread[2];

    if (cudaMallocManaged(&counter, sizeof(*counter)) != cudaSuccess) {
        return 2;
    }
    *counter = 0;
    for (pthread_t &t : thread) {
        pthread_create(&t, nullptr, add, nullptr);
    }
    for (pthread_t t : thread) {
        pthread_join(t, nullptr);
    }
    printf("%d of %d\n", *counter, 2 * ROUNDS);
    return *counter == 2 * ROUNDS ? 0 : 1;
}

// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define ROUNDS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool fixed;
static int *counter;

static void *add(void *)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (fixed) {
            pthread_mutex_lock(&lock);
        }
        int seen = *counter;

        *counter = seen + 1;
        if (fixed) {
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread[2];

    fixed = argc > 1;
    cudaMallocManaged((void **)&counter, sizeof(int));
    *counter = 0;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, add, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    printf("%d of %d\n", *counter, 2 * ROUNDS);
    return *counter != 2 * ROUNDS;
}

// SPDX-License-Identifier: MIT
// main() ends the process while two threads wait for each other again and again: the board goes down under them.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *work(void *me)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (turn % 2 != (long)me) {
            pthread_cond_wait(&turned, &lock);
        }
        turn++;
        pthread_cond_broadcast(&turned);
    }
}

__global__ void store(int *p)
{
    *p = 1;
}

int main()
{
    int *p;

    cudaMalloc(&p, sizeof(*p));
    store<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    for (long i = 0; i < 2; i++) {
        pthread_t t;

        pthread_create(&t, nullptr, work, (void *)i);
    }
    usleep(2000);
    exit(0);
}

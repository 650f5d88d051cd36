/* SPDX-License-Identifier: MIT */
/* main() ends as a thread does (pthread_exit(3)), and others go on: what the system tells of the
 * process is then empty in parts. Usage: main_ends WAY */
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_t main_thread;
static const char *way;
static sem_t sem;
static int *frame;

__global__ void work(int *answer)
{
    *answer = 1;
}

__global__ void wait_for(volatile int *flag)
{
    while (!*flag) {
    }
}

static void CUDART_CB post(void *)
{
    sem_post(&sem);
}

static void *goes_on(void *)
{
    CHECK(pthread_join(main_thread, NULL) == 0);
    sem_init(&sem, 0, 0);
    CHECK(cudaMallocHost(&frame, sizeof(*frame)) == cudaSuccess);
    *frame = 0;
    if (strcmp(way, "callback") == 0) { /* the board goes on while all others sleep */
        work<<<1, 1>>>(frame);
        cudaLaunchHostFunc(0, post, NULL);
        sem_wait(&sem);
    } else if (strcmp(way, "left") == 0) { /* wrong: the driver has a thread of its own by now */
        cudaLaunchHostFunc(0, post, NULL);
        sem_wait(&sem);
        return NULL;
    } else if (strcmp(way, "place") == 0) { /* wrong: the kernel may still run */
        work<<<1, 1>>>(frame);
        *frame = 2;
        cudaDeviceSynchronize();
    } else if (strcmp(way, "copy") == 0) {
        int back = 0;

        work<<<1, 1>>>(frame);
        CHECK(cudaMemcpy(&back, frame, sizeof(back), cudaMemcpyDefault) == cudaSuccess && back == 1);
    } else { /* wrong: nobody is left who could set it */
        wait_for<<<1, 1>>>(frame);
        cudaDeviceSynchronize();
    }
    exit(0);
}

int main(int argc, char **argv)
{
    pthread_t t;

    way = argc > 1 ? argv[1] : "";
    main_thread = pthread_self();
    CHECK(pthread_create(&t, NULL, goes_on, NULL) == 0);
    pthread_exit(NULL);
}

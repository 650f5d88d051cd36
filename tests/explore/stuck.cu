/* SPDX-License-Identifier: MIT */
/* Wrong on purpose: the main thread waits for a host function, which comes behind a kernel, which
 * waits for the main thread. Usage: stuck [futex] */
#include <cuda_runtime.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t sem;
static int word;

__global__ void wait_for_cpu(volatile int *flag)
{
    while (!*flag) {
    }
}

static void CUDART_CB post(void *)
{
    sem_post(&sem);
}

int main(int argc, char **)
{
    int *flag;

    cudaMallocHost(&flag, sizeof(*flag));
    *flag = 0;
    sem_init(&sem, 0, 0);
    wait_for_cpu<<<1, 1>>>(flag);
    cudaLaunchHostFunc(0, post, NULL);
    if (argc > 1) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    } else {
        sem_wait(&sem);
    }
    *(volatile int *)flag = 1;
    return cudaDeviceSynchronize();
}

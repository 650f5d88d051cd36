/* SPDX-License-Identifier: MIT */
/* One thread touches memory that the GPU has, and ends the process while others go on with shared memory.
 * Usage: fault_beside [TIMES]: so often, in a child each; 0 if each ends by the fault. */
#include <csignal>
#include <cstdlib>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned char *bytes;
static volatile int begun;

__global__ void fill(int *p)
{
    *p = 1;
}

/* Each has bytes of its own in the same lines, so that none has a line for long. */
static void *sensor(void *second)
{
    for (unsigned i = second ? 1 : 0;; i += 2) {
        bytes[i % 4096] = (unsigned char)i;
        begun = 1;
    }
}

static int touch()
{
    pthread_t thread;
    int *managed;

    cudaMallocHost((void **)&bytes, 4096);
    cudaMallocManaged(&managed, 4096);
    pthread_create(&thread, NULL, sensor, NULL);
    pthread_create(&thread, NULL, sensor, &thread);
    while (!begun) {
    }
    fill<<<1, 1>>>(managed);
    return *managed;
}

int main(int argc, char **argv)
{
    int status;

    for (int n = argc > 1 ? atoi(argv[1]) : 0; n > 0; n--) {
        if (fork() == 0) {
            alarm(10); /* ends one that hangs */
            return touch();
        }
        if (wait(&status) < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) {
            return 1;
        }
    }
    return argc > 1 ? 0 : touch();
}

/* SPDX-License-Identifier: MIT */
/* Two programs share a board with two GPUs, and a kernel of one reads memory of the other GPU: its
 * contexts are lost, those of the other program are not (as on a board: a GPU context is a
 * process's own). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <spawn.h>
#include <sys/wait.h>
__global__ void inc(int *p)
{
    ++*p;
}
static int run(int d, bool bad)
{
    int *p, *q;
    cudaSetDevice(d);
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    cudaSetDevice(1 - d);
    cudaMalloc(&q, 4096);
    cudaSetDevice(d);
    int h = -1;
    for (int i = 0; i < 50; i++)
        inc<<<1, 1>>>(p);
    if (bad)
        inc<<<1, 1>>>(q);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    printf("%s device %d: %s %d\n", bad ? "bad" : "good", d, cudaGetErrorName(e), h);
    fflush(stdout);
    return 0;
}
/* The GPUs that the program sees, and a kernel on each. */
static int names(void)
{
    int n = 0;
    cudaGetDeviceCount(&n);
    for (int d = 0; d < n; d++) {
        cudaDeviceProp prop;
        int *p, h = -1;
        cudaGetDeviceProperties(&prop, d);
        cudaSetDevice(d);
        cudaMalloc(&p, 4);
        cudaMemset(p, 0, 4);
        inc<<<1, 1>>>(p);
        cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
        printf("%d of %d: %s, %d\n", d, n, prop.name, h);
    }
    return 0;
}
extern char **environ;
int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "names"))
        return names();
    if (argc > 1)
        return run(atoi(argv[1]), true);
    for (int d = 0; d < 2; d++) {
        char self[] = "fault", n[4];
        snprintf(n, 4, "%d", d);
        char *a[] = { self, n, NULL };
        pid_t pid;
        int st;
        run(d, false);
        posix_spawn(&pid, "/proc/self/exe", NULL, NULL, a, environ);
        run(d, false);
        waitpid(pid, &st, 0);
        run(d, false);
    }
    return 0;
}

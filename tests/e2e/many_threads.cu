/* SPDX-License-Identifier: MIT */
/* many_threads N [cuda|stream|launch]: N threads, streams or launches, one after the other; how much larger does each
 * leave the process? */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

static void *nothing(void *arg)
{
    return arg;
}

static long resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2) {
        exit(2);
    }
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void threads(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_t t;

        if (pthread_create(&t, nullptr, nothing, nullptr) != 0 || pthread_join(t, nullptr) != 0) {
            exit(2);
        }
    }
}

__global__ void increment(int *p)
{
    *p += 1;
}

static void streams(int n)
{
    for (int i = 0; i < n; i++) {
        cudaStream_t s;

        if (cudaStreamCreate(&s) != cudaSuccess || cudaStreamDestroy(s) != cudaSuccess) {
            exit(2);
        }
    }
}

static void launches(int n)
{
    static int *p;

    if (!p && (cudaMalloc(&p, 4) != cudaSuccess || cudaMemset(p, 0, 4) != cudaSuccess)) {
        exit(2);
    }
    for (int i = 0; i < n; i++) {
        increment<<<1, 1>>>(p);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    void (*some)(int n) = strcmp(what, "stream") == 0 ? streams : strcmp(what, "launch") == 0 ? launches : threads;
    long before, each;
    int n = atoi(argv[1]);

    if (argc > 2 && cudaFree(nullptr) != cudaSuccess) {
        return 2;
    }
    some(n / 3); /* what is made once */
    before = resident();
    some(n);
    each = (resident() - before) / n;
    printf("%ld bytes each\n", each);
    return each > (some == threads ? 1024 : 32);
}

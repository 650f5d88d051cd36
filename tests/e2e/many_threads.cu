/* SPDX-License-Identifier: MIT */
/* many_threads N [cuda]: N threads, one after the other; how much larger does each leave the process? */
#include <cstdio>
#include <cstdlib>
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

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    long before;

    if (argc > 2 && cudaFree(nullptr) != cudaSuccess) {
        return 2;
    }
    threads(n / 10); /* what is made once */
    before = resident();
    threads(n);
    printf("%ld bytes a thread\n", (resident() - before) / n);
    return (resident() - before) / n > 4096;
}

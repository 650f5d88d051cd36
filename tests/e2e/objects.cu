/* SPDX-License-Identifier: MIT */
/* A program and shared libraries, each built with hooks or without: for objects.sh. Each access below is made before
 * the kernel that uses the same memory has been waited for: a race, if the code that makes it has hooks.
 *
 *   objects LIBRARY...   the program's own access, then one of each library, loaded on the way
 *   objects fixed LIBRARY...   afterwards
 *   objects threads LIBRARY... each library's in four threads, 1000 times, in memory that no kernel uses
 *   objects many LIBRARY...    loads them all and asks for one access of the last
 */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LINKED
extern "C" void linked_store(int *p);
#endif

typedef void store_fn(int *p);

__global__ void fill(int *p)
{
    p[threadIdx.x] = 7;
}

static int *buffer()
{
    int *p;

    if (cudaMallocHost((void **)&p, 64 * sizeof(*p)) != cudaSuccess) {
        exit(2);
    }
    return p;
}

static store_fn *load(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    store_fn *store = handle ? (store_fn *)dlsym(handle, "library_store") : NULL;

    if (!store) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    dlclose(handle); /* with hooks it stays; the others are opened once more */
    return (store_fn *)dlsym(dlopen(library, RTLD_NOW | RTLD_LOCAL), "library_store");
}

static void own_store(int *p)
{
    p[1] = 1; /* the program's */
}

/* In memory of its own each: findings are told by pair of places. */
static void try_store(store_fn *store, bool fixed)
{
    int *p = buffer();

    fill<<<1, 64>>>(p);
    if (fixed) {
        cudaDeviceSynchronize();
    }
    store(p);
    cudaDeviceSynchronize();
}

struct job {
    store_fn *store[8];
    int n, *p;
};

static void *work(void *arg)
{
    struct job *job = (struct job *)arg;

    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < job->n; k++) { /* by turns: one thread, hooks of several objects */
            job->store[k](job->p);
        }
    }
    return NULL;
}

static void threads(int n, char **library)
{
    struct job job[4];
    pthread_t thread[4];

    for (int t = 0; t < 4; t++) {
        job[t].n = n + 1;
        job[t].p = buffer();
        job[t].store[0] = own_store;
        for (int k = 0; k < n; k++) {
            job[t].store[k + 1] = load(library[k]);
        }
        pthread_create(&thread[t], NULL, work, &job[t]);
    }
    for (int t = 0; t < 4; t++) {
        pthread_join(thread[t], NULL);
    }
}

int main(int argc, char **argv)
{
    bool fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;

    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        threads(argc - 2, argv + 2);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        store_fn *last = NULL;

        for (int i = 2; i < argc; i++) {
            last = load(argv[i]);
        }
        try_store(last, false);
        return 0;
    }
    try_store(own_store, fixed);
#ifdef LINKED
    try_store(linked_store, fixed);
#endif
    for (int i = 1 + fixed; i < argc; i++) {
        try_store(load(argv[i]), fixed);
    }
    return 0;
}

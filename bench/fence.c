/* SPDX-License-Identifier: MIT */
/* From the signal of a fence to the return of its wait, between two threads, against a hand-over by
 * condition variable. At most 5 times that. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "include/nvscisync.h"

enum { ROUNDS = 20000, LIMIT = 5 };

static NvSciSyncModule module;
static NvSciSyncObj object[2]; /* there, and back */
static NvSciSyncCpuWaitContext context[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void ok(NvSciError error)
{
    if (error != NvSciError_Success) {
        fprintf(stderr, "fence: error 0x%x\n", error);
        exit(2);
    }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static NvSciSyncAttrList list_of(NvSciSyncAccessPerm perm)
{
    bool cpu = true;
    NvSciSyncAttrKeyValuePair pairs[] = { { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
                                          { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) } };
    NvSciSyncAttrList list;

    ok(NvSciSyncAttrListCreate(module, &list));
    ok(NvSciSyncAttrListSetAttrs(list, pairs, 2));
    return list;
}

static NvSciSyncObj object_new(void)
{
    NvSciSyncAttrList lists[] = { list_of(NvSciSyncAccessPerm_SignalOnly),
                                  list_of(NvSciSyncAccessPerm_WaitOnly) };
    NvSciSyncAttrList conflict;
    NvSciSyncObj o;

    ok(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &o, &conflict));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    return o;
}

static void pass(int side, int next)
{
    pthread_mutex_lock(&mutex);
    while (turn != side) {
        pthread_cond_wait(&cond, &mutex);
    }
    turn = next;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
}

static void *other_cond(void *opaque)
{
    for (int i = 0; i < ROUNDS; i++) {
        pass(1, 0);
    }
    return opaque;
}

static void wait_for(int side, uint64_t value)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    ok(NvSciSyncFenceUpdateFence(object[side], 0, value, &fence));
    ok(NvSciSyncFenceWait(&fence, context[side], -1));
    NvSciSyncFenceClear(&fence);
}

static void *other_fence(void *opaque)
{
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        wait_for(0, i);
        ok(NvSciSyncObjSignal(object[1]));
    }
    return opaque;
}

static double cond_us(void)
{
    pthread_t thread;
    double start = now();

    pthread_create(&thread, NULL, other_cond, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pass(0, 1);
    }
    pthread_join(thread, NULL);
    return (now() - start) / (2 * ROUNDS) * 1e6;
}

static double fence_us(void)
{
    pthread_t thread;
    double start = now();

    pthread_create(&thread, NULL, other_fence, NULL);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        ok(NvSciSyncObjSignal(object[0]));
        wait_for(1, i);
    }
    pthread_join(thread, NULL);
    return (now() - start) / (2 * ROUNDS) * 1e6;
}

int main(void)
{
    double ruler, ours;

    ok(NvSciSyncModuleOpen(&module));
    for (int i = 0; i < 2; i++) {
        ok(NvSciSyncCpuWaitContextAlloc(module, &context[i]));
        object[i] = object_new();
    }
    ruler = cond_us();
    ours = fence_us();
    printf("fence, signal to wait: %.1f us, condition variable %.1f us: %.1f x (at most %d)\n",
           ours, ruler, ours / ruler, LIMIT);
    for (int i = 0; i < 2; i++) {
        NvSciSyncObjFree(object[i]);
        NvSciSyncCpuWaitContextFree(context[i]);
    }
    NvSciSyncModuleClose(module);
    return ours / ruler > LIMIT;
}

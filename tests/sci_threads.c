/* SPDX-License-Identifier: MIT */
/* Two threads pass a number back and forth, each step ordered by a fence that the other one
 * signals. Exit status 1: a step saw an older number. For test_sci_threads.sh. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "include/nvscisync.h"

enum { ROUNDS = 20 };

static NvSciSyncModule module;
static NvSciSyncObj object[2]; /* there, and back */
static NvSciSyncCpuWaitContext context[2];
static int shared;

static void ok(NvSciError error)
{
    if (error != NvSciError_Success) {
        printf("error 0x%x\n", error);
        exit(2);
    }
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

static void wait_for(int side, uint64_t value)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    ok(NvSciSyncFenceUpdateFence(object[side], 0, value, &fence));
    ok(NvSciSyncFenceWait(&fence, context[side], -1));
    NvSciSyncFenceClear(&fence);
}

static void step(int expected)
{
    if (shared++ != expected) {
        exit(1);
    }
}

static void *other(void *opaque)
{
    for (int i = 1; i <= ROUNDS; i++) {
        wait_for(0, (uint64_t)i);
        step(2 * i - 1);
        ok(NvSciSyncObjSignal(object[1]));
    }
    return opaque;
}

int main(void)
{
    pthread_t thread;

    ok(NvSciSyncModuleOpen(&module));
    for (int i = 0; i < 2; i++) {
        ok(NvSciSyncCpuWaitContextAlloc(module, &context[i]));
        object[i] = object_new();
    }
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 1; i <= ROUNDS; i++) {
        step(2 * i - 2);
        ok(NvSciSyncObjSignal(object[0]));
        wait_for(1, (uint64_t)i);
    }
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++) {
        NvSciSyncObjFree(object[i]);
        NvSciSyncCpuWaitContextFree(context[i]);
    }
    NvSciSyncModuleClose(module);
    printf("%d steps\n", shared);
    return 0;
}

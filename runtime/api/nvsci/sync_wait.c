/* SPDX-License-Identifier: MIT */
/* The CPU waits for a fence. */
#include <errno.h>
#include <string.h>

#include "runtime/api/nvsci/sync.h"
#include "runtime/driver/interop/sci/rt_sci.h"

/* @busy: a thread waits with it: one fence at a time. */
struct context {
    struct sci_object object;
    struct sci_module *module;
    int busy;
};

static void context_free(void *opaque)
{
    struct context *c = opaque;

    sci_unref(c->module);
    g_free(c);
}

NvSciError NvSciSyncCpuWaitContextAlloc(NvSciSyncModule module, NvSciSyncCpuWaitContext *newContext)
{
    struct sci_module *m = sci_handle_get(module, SCI_SYNC_MODULE);
    struct context *c;

    if (!m || !newContext) {
        sci_unref(m);
        return BAD(NULL);
    }
    if (sci_init_over(__func__)) {
        sci_unref(m);
        return NvSciError_InvalidState;
    }
    c = g_new0(struct context, 1);
    sci_object_init(&c->object, SCI_SYNC_CONTEXT, context_free);
    c->module = m;
    *newContext = sci_handle_new(&c->object);
    return NvSciError_Success;
}

void NvSciSyncCpuWaitContextFree(NvSciSyncCpuWaitContext context)
{
    if (context && !sci_handle_free(context, SCI_SYNC_CONTEXT)) {
        BAD("not a wait context");
    }
}

static NvSciError wait_core(const char *api, struct sync_core *core, uint64_t value,
                            int64_t timeoutUs)
{
    switch (rt_sync_wait(core->sync, value, timeoutUs)) {
    case 0:
        return NvSciError_Success;
    case -ETIMEDOUT:
        return sci_error(api, NvSciError_Timeout, NULL);
    case -EDEADLK:
        return sci_error(
            api, NvSciError_Timeout,
            "nothing can signal the fence any more: on a board the call does not return");
    default:
        return sci_error(api, NvSciError_ResourceError, "the board is gone");
    }
}

static NvSciError wait_with(const char *api, const NvSciSyncFence *fence, struct context *c,
                            int64_t timeoutUs)
{
    struct sync_core *core;
    uint64_t words[6];
    NvSciError error;

    if (fence_cleared(fence)) {
        rt_sci_finding(RT_SCI_FENCE_CLEARED, "a wait for a cleared fence: nothing was waited for");
        return NvSciError_Success;
    }
    core = fence_core(fence);
    memcpy(words, fence, sizeof(words));
    if (!core || core->module != c->module ||
        !(((const struct fence *)words)->perm & NvSciSyncAccessPerm_WaitOnly)) {
        error = sci_error(api, NvSciError_BadParameter,
                          !core ? "the bytes are no fence"
                          : core->module != c->module
                              ? "the fence is of another module than the wait context"
                              : "the object may not be waited for");
    } else if (!g_atomic_int_compare_and_exchange(&c->busy, 0, 1)) {
        error = sci_error(api, NvSciError_Busy,
                          "the wait context is in use: it waits for one fence at a time");
    } else {
        error = wait_core(api, core, ((const struct fence *)words)->value, timeoutUs);
        g_atomic_int_set(&c->busy, 0);
    }
    sci_unref(core);
    return error;
}

static NvSciError fence_wait(const char *api, const NvSciSyncFence *fence,
                             NvSciSyncCpuWaitContext context, int64_t timeoutUs)
{
    struct context *c = sci_handle_get(context, SCI_SYNC_CONTEXT);
    NvSciError error;

    if (!fence || !c || timeoutUs < -1 || timeoutUs > NvSciSyncFenceMaxTimeout) {
        error = sci_error(api, NvSciError_BadParameter,
                          c ? "the time limit is -1 or up to NvSciSyncFenceMaxTimeout" : NULL);
    } else {
        sci_runtime_begins();
        error = wait_with(api, fence, c, timeoutUs);
    }
    sci_unref(c);
    return error;
}

NvSciError NvSciSyncFenceWait(const NvSciSyncFence *syncFence, NvSciSyncCpuWaitContext context,
                              int64_t timeoutUs)
{
    return fence_wait(__func__, syncFence, context, timeoutUs);
}

/* How the thread waits is all one here: the board advances while it does. */
NvSciError NvSciSyncFenceWaitWithMode(const NvSciSyncFence *syncFence,
                                      NvSciSyncCpuWaitContext context, int64_t timeoutUs,
                                      NvSciSyncWaitMode waitMode)
{
    if ((uint32_t)waitMode > NvSciSyncWaitMode_Blocking) {
        return BAD("no such mode");
    }
    return fence_wait(__func__, syncFence, context, timeoutUs);
}

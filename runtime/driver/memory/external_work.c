/* SPDX-License-Identifier: MIT */
/* Signals and waits of external semaphores in a stream, and what they do to the iGPU's L2.
 *
 * Other drivers do not look into the L2. A signal says "what this stream wrote is there", a wait
 * "look again": so unless the flag skips it, a signal cleans the L2 first, and a wait invalidates
 * it afterwards, for all buffers of NvSci that the process has imported (CUDA Driver API,
 * cuSignalExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync). The L2 has no maintenance by
 * address (coherency.c). */
#include "runtime/driver/memory/external_internal.h"

#include <string.h>

#include "checker/run/run.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_interop.h"

#define SECTION "CUDA Driver API, external resource interoperability"

/* The data of a work: parameters, then handles. */
static unsigned count_of(const struct work *w, size_t params)
{
    return (unsigned)(w->data_bytes / (params + sizeof(CUexternalSemaphore)));
}

static const CUexternalSemaphore *handles_of(const struct work *w, size_t params)
{
    return (const CUexternalSemaphore *)(const void *)((const uint8_t *)w->data +
                                                       count_of(w, params) * params);
}

static bool external_work_helps(void)
{
    return coherency_l2_needs_help() && external_buffers();
}

/* Is the maintenance of this call for nothing? */
static void external_work_advise(bool synced, const char *api, const char *flag)
{
    if (synced && external_buffers() && !external_buffers_incoherent()) {
        g_autofree char *todo = g_strdup_printf("set %s in the call's flags", flag);

        report_finding(&check_rules[CHECK_RULE_MEMSYNC_UNNEEDED], 0, 0, 0, todo,
                       "%s maintains the L2 for %u buffers of NvSci, and none of them needs it: "
                       "GpuSwNeedCacheCoherency is false",
                       api, external_buffers());
    }
}

/* --- signal ----------------------------------------------------------------------------------- */

typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params;

/* "it is possible that the order in which the semaphore gets signaled is indeterministic" */
static void check_order(const struct stream *s, const struct external_semaphore *e)
{
    const struct rt_sync *sync = e->sync;

    if (sync->signaler.id && sync->signaler.id != channel_fence(stream_channel(s)).id &&
        !clock_has(stream_known(s), sync->signaler) && !fence_waited(sync->signaler) &&
        e->deterministic) {
        g_autofree char *first = run_stream_text(sync->signaler_stream);
        g_autofree char *second = run_stream_text(stream_ordinal(s));

        report_finding(
            &check_rules[CHECK_RULE_TWO_SIGNALERS], 0, 0, 0, NULL,
            "%s and %s signal the same NvSciSync object, and nothing orders them: a wait for the "
            "first value may end with the other stream's signal",
            first, second);
    }
}

/* "there is only one outstanding timestamp enabled fence per ... object at any point of time" */
static void check_timestamp(const struct external_semaphore *e)
{
    if (e->timestamps && sync_reached(e->sync) < e->sync->target) {
        report_finding(&check_rules[CHECK_RULE_TIMESTAMP_OUTSTANDING], 0, 0, 0, NULL,
                       "the NvSciSync object has a fence with a time stamp that is not reached, "
                       "and is to be signalled again: one time is lost");
    }
}

static CUresult signal_check(const CUexternalSemaphore *h, const signal_params *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct external_semaphore *e = external_semaphore_find(h[i]);

        if (!e) {
            return CUDA_ERROR_INVALID_HANDLE;
        }
        if (!e->may_signal) {
            return report_error(CUDA_ERROR_NOT_SUPPORTED, "cuSignalExternalSemaphoresAsync",
                                SECTION,
                                "the lists of the NvSciSync object have no signal permission for "
                                "CUDA (CUDA_NVSCISYNC_ATTR_SIGNAL)");
        }
        if ((p[i].flags & ~(unsigned)CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC) ||
            (!p[i].params.nvSciSync.fence && !e->deterministic)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult signal_run(struct stream *s, const CUexternalSemaphore *h, const signal_params *p,
                           unsigned n, bool clean)
{
    struct fence before = stream_fence(s);
    struct push *push;
    CUresult error = CUDA_SUCCESS;

    for (unsigned i = 0; !error && i < n; i++) {
        error = sync_map(stream_context(s), external_semaphore_find(h[i])->sync);
    }
    error = error ? error : stream_begin(s, &push);
    if (error) {
        return error;
    }
    push_method(push, 0, HOST_WFI, 0);
    if (clean && external_work_helps()) {
        push_mem_op(push, MEM_OP_L2_FLUSH_DIRTY);
    }
    for (unsigned i = 0; i < n; i++) {
        struct external_semaphore *e = external_semaphore_find(h[i]);

        if (!e) { /* destroyed by another thread, while this one waited for room */
            continue;
        }
        check_order(s, e);
        check_timestamp(e);
        sync_push_signal(push, e->sync, sync_next(e->sync));
        sync_signals_add(e->sync, before, stream_known(s));
        if (p[i].params.nvSciSync.fence && sci_ops.fence_set) {
            sci_ops.fence_set(e->object, e->sync->target, p[i].params.nvSciSync.fence);
        }
        e->sync->signaler = channel_fence(stream_channel(s));
        e->sync->signaler.threshold++; /* of the submission that is put together */
        e->sync->signaler_stream = stream_ordinal(s);
    }
    clock_publish(stream_end(s, push), stream_known(s));
    report_sci_sync(s, true, !clean);
    return CUDA_SUCCESS;
}

static CUresult signal_work(struct stream *s, const struct work *w)
{
    const signal_params *p = w->data;
    unsigned n = count_of(w, sizeof(*p));
    const CUexternalSemaphore *h = handles_of(w, sizeof(*p));
    bool sync = false;
    CUresult error = signal_check(h, p, n);

    for (unsigned i = 0; i < n; i++) {
        sync |= !(p[i].flags & CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC);
    }
    if (!error) {
        external_work_advise(sync, "cuSignalExternalSemaphoresAsync",
                             "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC");
        error = signal_run(s, h, p, n, sync);
    }
    return error;
}

const struct work_kind work_signal = { CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, signal_work };

/* --- wait ------------------------------------------------------------------------------------- */

typedef CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params;

/* *@foreign: another process signals it; @known: what the wait lets the stream know */
static CUresult wait_check(const CUexternalSemaphore h, const wait_params *p, struct fence *fence,
                           bool *foreign, GArray **known)
{
    static const char *const api = "cuWaitExternalSemaphoresAsync";
    const struct external_semaphore *e = external_semaphore_find(h);
    struct rt_sci_fence f = { .cleared = true };

    *fence = (struct fence){ 0 };
    if (!e) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!e->may_wait) {
        return report_error(CUDA_ERROR_NOT_SUPPORTED, api, SECTION,
                            "the lists of the NvSciSync object have no wait permission for CUDA "
                            "(CUDA_NVSCISYNC_ATTR_WAIT)");
    }
    if ((p->flags & ~(unsigned)CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC) ||
        !p->params.nvSciSync.fence || !sci_ops.fence_get ||
        !sci_ops.fence_get(p->params.nvSciSync.fence, &f)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (f.cleared) {
        report_finding(&check_rules[CHECK_RULE_WAIT_CLEARED], 0, 0, 0, NULL,
                       "%s waits for a cleared fence, which is nothing", api);
        return CUDA_SUCCESS;
    }
    if (f.sync != e->sync) {
        return report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                            "the fence is one of another NvSciSync object than the semaphore");
    }
    *foreign |= sync_is_foreign(f.sync, f.value);
    if (sync_reached(f.sync) < f.value) {
        *fence = sync_fence(f.sync, f.value);
    } else { /* ordered nevertheless */
        *fence = sync_fence(f.sync, MIN(f.value, f.sync->reached));
    }
    clock_add(known, *fence);
    sync_known_add(f.sync, f.value, known);
    return CUDA_SUCCESS;
}

static CUresult wait_work(struct stream *s, const struct work *w)
{
    const wait_params *p = w->data;
    unsigned n = count_of(w, sizeof(*p));
    const CUexternalSemaphore *h = handles_of(w, sizeof(*p));
    g_autofree struct fence *fence = g_new0(struct fence, n);
    g_autoptr(GArray) known = NULL;
    struct push *push;
    bool sync = false, foreign = false;
    CUresult error = CUDA_SUCCESS;

    for (unsigned i = 0; !error && i < n; i++) {
        error = wait_check(h[i], &p[i], &fence[i], &foreign, &known);
        sync |= !(p[i].flags & CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC);
    }
    if (!error) {
        external_work_advise(sync, "cuWaitExternalSemaphoresAsync",
                             "CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC");
        error = stream_begin(s, &push);
    }
    if (error) {
        return error;
    }
    for (unsigned i = 0; i < n; i++) {
        push_wait(push, fence[i]);
    }
    if (sync && external_work_helps()) {
        coherency_push(push);
    }
    if (foreign) {
        stream_known_published(s);
    }
    stream_known_merge(s, known);
    stream_end(s, push);
    report_sci_sync(s, false, !sync);
    return CUDA_SUCCESS;
}

const struct work_kind work_external_wait = { CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, wait_work };

/* --- both ------------------------------------------------------------------------------------- */

CUresult external_work(const struct work_kind *kind, const CUexternalSemaphore *semaphores,
                       const void *params, unsigned n, struct work *work)
{
    size_t size = kind == &work_signal ? sizeof(signal_params) : sizeof(wait_params);
    uint8_t *data;

    if (!semaphores || !params || !n || n > EXTERNAL_SEMAPHORES_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    data = g_malloc(n * (size + sizeof(*semaphores)));
    memcpy(data, params, n * size);
    memcpy(data + n * size, semaphores, n * sizeof(*semaphores));
    *work =
        (struct work){ .kind = kind, .data = data, .data_bytes = n * (size + sizeof(*semaphores)) };
    return CUDA_SUCCESS;
}

unsigned external_work_parts(const struct work *work, const CUexternalSemaphore **semaphores,
                             const void **params)
{
    size_t size = work->kind == &work_signal ? sizeof(signal_params) : sizeof(wait_params);

    *params = work->data;
    *semaphores = handles_of(work, size);
    return count_of(work, size);
}

static CUresult external_work_submit(const struct work_kind *kind,
                                     const CUexternalSemaphore *semaphores, const void *params,
                                     unsigned n, CUstream stream)
{
    struct context *c;
    struct stream *s;
    struct work work;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = external_work(kind, semaphores, params, n, &work);
    if (error) {
        return core_leave(error);
    }
    error = stream_resolve(c, stream, &s);
    cost_pass(COST_EVENT, n);
    error = error ? error : stream_submit(s, &work);
    g_free((void *)work.data);
    return core_leave(error);
}

CUresult rt_external_signal(const CUexternalSemaphore *semaphores,
                            const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params, unsigned n,
                            CUstream stream)
{
    return external_work_submit(&work_signal, semaphores, params, n, stream);
}

CUresult rt_external_wait(const CUexternalSemaphore *semaphores,
                          const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned n,
                          CUstream stream)
{
    return external_work_submit(&work_external_wait, semaphores, params, n, stream);
}

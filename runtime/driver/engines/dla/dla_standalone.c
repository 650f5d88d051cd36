/* SPDX-License-Identifier: MIT */
/* Standalone mode: memory and sync objects of NvSci instead of CUDA's (note 5.1.3, 5.1.4).
 *
 * Tasks of a handle run in the order of their submission. Around each stand empty tasks for what a
 * descriptor has no room for: waits and SOF fences before it, further signals behind it. A
 * syncpoint is waited for at its shim; a signal writes payload and time of the object's memory,
 * then increments its syncpoint (sync.c). */
#include "runtime/driver/engines/dla/dla_submit.h"

#include "model/rules/features.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

#define API DLA_SUBMIT_API
#define SECTION DLA_SUBMIT_SECTION
#define EVENTS_MAX 32u /* of one list: inferred */

/* Of a task: what it waits for, what begins and ends with it. */
struct events {
    GArray *waits;     /* struct fence */
    GArray *sof, *eof; /* struct dla_signal */
};

static struct events events_new(void)
{
    return (struct events){ g_array_new(FALSE, FALSE, sizeof(struct fence)),
                            g_array_new(FALSE, FALSE, sizeof(struct dla_signal)),
                            g_array_new(FALSE, FALSE, sizeof(struct dla_signal)) };
}

static void events_free(struct events *e)
{
    g_array_unref(e->waits);
    g_array_unref(e->sof);
    g_array_unref(e->eof);
}

/* The program's lists may be gone by the next submission; where its fences go may not. */
struct dla_next {
    GArray *waits; /* struct fence; NULL: none were given */
    cudlaSignalEvents signal;
    bool has_signal;
};

static void next_drop(struct dla_device *d)
{
    struct dla_next *n = d->next;

    if (n) {
        g_clear_pointer(&n->waits, g_array_unref);
        g_free((void *)n->signal.devPtrs);
        g_free(n->signal.eofFences);
        g_free(n);
        d->next = NULL;
    }
}

void dla_standalone_drop(struct dla_device *d)
{
    next_drop(d);
    dla_syncs_drop(d);
}

/* --- events ----------------------------------------------------------------------------------- */

static cudlaStatus wait_read(const struct dla_device *d, const CudlaFence *f, struct fence *fence)
{
    struct rt_sci_fence sci;
    const struct dla_sync *s;

    *fence = (struct fence){ 0 };
    if (f->type != CUDLA_NVSCISYNC_FENCE) {
        return dla_error(cudlaErrorUnsupportedOperation, API, SECTION,
                         "the type of a wait event is %d: only CUDLA_NVSCISYNC_FENCE is supported",
                         (int)f->type);
    }
    if (!f->fence || !sci_ops.fence_get || !sci_ops.fence_get(f->fence, &sci)) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION,
                         "the fence of a wait event is no NvSciSyncFence");
    }
    if (sci.cleared) {
        report_finding(&check_rules[CHECK_RULE_WAIT_CLEARED], 0, 0, 0, NULL,
                       "%s: a wait event is a cleared fence, which is nothing to wait for", API);
        return cudlaSuccess;
    }
    s = dla_sync_of(d, sci.sync);
    if (!s || !s->may_wait) {
        return dla_error(cudlaErrorInvalidParam, API, "CUDA for Tegra 5.1.4", "%s",
                         s ? "the lists of the fence's object have no wait permission for the DLA"
                           : "the fence's object is not imported with this handle "
                             "(cudlaImportExternalSemaphore)");
    }
    *fence = sync_fence(sci.sync, sci.value);
    return cudlaSuccess;
}

static cudlaStatus waits_read(const struct dla_device *d, const cudlaWaitEvents *w, GArray *out)
{
    struct fence fence;
    cudlaStatus status = cudlaSuccess;

    if (w && (w->numEvents > EVENTS_MAX || (w->numEvents && !w->preFences))) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION, "waitEvents has no fences");
    }
    for (uint32_t i = 0; w && !status && i < w->numEvents; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (w->preFences[i].fence == w->preFences[k].fence) {
                return dla_rule(DLA_RULE_DUPLICATE_FENCES, API, 0,
                                "wait events %" G_GUINT32_FORMAT " and %" G_GUINT32_FORMAT
                                " are the same fence",
                                k, i);
            }
        }
        status = wait_read(d, &w->preFences[i], &fence);
        if (!status && fence.id) {
            g_array_append_val(out, fence);
        }
    }
    return status;
}

static cudlaStatus signal_check(const struct dla_device *d, const cudlaSignalEvents *e, uint32_t i)
{
    const struct dla_sync *s = dla_sync_find(d, (uintptr_t)e->devPtrs[i]);

    if (!s) {
        return dla_error(cudlaErrorInvalidAddress, API, SECTION,
                         "signal event %" G_GUINT32_FORMAT
                         " is no sync object that this handle has imported",
                         i);
    }
    if (!s->may_signal) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION,
                         "the lists of signal event %" G_GUINT32_FORMAT
                         " have no signal permission for the DLA",
                         i);
    }
    if (e->eofFences[i].type != CUDLA_NVSCISYNC_FENCE &&
        e->eofFences[i].type != CUDLA_NVSCISYNC_FENCE_SOF) {
        return dla_error(cudlaErrorUnsupportedOperation, API, SECTION,
                         "the type of signal event %" G_GUINT32_FORMAT " is %d", i,
                         (int)e->eofFences[i].type);
    }
    return cudlaSuccess;
}

static cudlaStatus signals_check(const struct dla_device *d, const cudlaSignalEvents *e)
{
    unsigned syncpts = 0;
    cudlaStatus status = cudlaSuccess;

    if (!e || !e->numEvents) {
        return cudlaSuccess;
    }
    if (e->numEvents > EVENTS_MAX || !e->devPtrs || !e->eofFences) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION,
                         "signalEvents has no objects, or no place for their fences");
    }
    if (e->numEvents > 1 && dla_edition_lacks(RULES_FEATURE_CUDLA_SIGNALS)) {
        return dla_rule(DLA_RULE_ONE_SIGNAL_EVENT, API, 0,
                        "%" G_GUINT32_FORMAT " events are to be signalled", e->numEvents);
    }
    for (uint32_t i = 0; !status && i < e->numEvents; i++) {
        status = signal_check(d, e, i);
        if (!status) {
            syncpts +=
                sync_kind(dla_sync_find(d, (uintptr_t)e->devPtrs[i])->sync) == RT_SYNC_SYNCPT;
        }
    }
    if (!status && syncpts > 1) {
        return dla_error(cudlaErrorUnsupportedOperation, API, SECTION,
                         "%u of the signal events are syncpoints: one is possible, and any number "
                         "of deterministic semaphores",
                         syncpts);
    }
    return status;
}

/* Values are drawn here: fences are the program's when the call returns. */
static void signals_take(const struct dla_device *d, const cudlaSignalEvents *e, struct events *out)
{
    for (uint32_t i = 0; e && i < e->numEvents; i++) {
        const struct dla_sync *s = dla_sync_find(d, (uintptr_t)e->devPtrs[i]);
        struct dla_signal signal = { s->sync, sync_next(s->sync), s->device_ptr };
        bool sof = e->eofFences[i].type == CUDLA_NVSCISYNC_FENCE_SOF;

        if (e->eofFences[i].fence && sci_ops.fence_set) {
            sci_ops.fence_set(s->object, signal.value, e->eofFences[i].fence);
        }
        g_array_append_val(sof ? out->sof : out->eof, signal);
    }
}

/* --- tasks ------------------------------------------------------------------------------------ */

static cudlaStatus task_check(const struct dla_device *d, const cudlaTask *t, uint32_t flags)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);
    cudlaStatus status = dla_module_check(d, t, flags);

    if (status) {
        return status;
    }
    if (!t->outputTensor || (!t->inputTensor && m->inputs->len)) {
        return dla_error(cudlaErrorUnsupportedOperation, API, SECTION,
                         "%s is NULL, and the other is not: a task has both, or neither (then its "
                         "events are for the next submission)",
                         t->outputTensor ? "inputTensor" : "outputTensor");
    }
    return dla_tensors_check(d, t, m, !(flags & CUDLA_SUBMIT_NOOP));
}

/* Chunks of at most DLA_EVENTS_A_TASK. */
static unsigned dla_standalone_chunks(guint n)
{
    return (n + DLA_EVENTS_A_TASK - 1) / DLA_EVENTS_A_TASK;
}

static cudlaStatus make_room(struct submission *s, unsigned n)
{
    cudlaDevHandle handle = s->d->base.handle;

    while (dla_reap(s->d) && s->d->put - s->d->oldest + n > DLA_TASK_QUEUE_DEPTH) {
        struct fence oldest = { s->d->syncpt,
                                s->d->pending[s->d->oldest % DLA_TASK_QUEUE_DEPTH].threshold };
        int r = wait_limit(oldest, -1);

        s->d = handle_find(HANDLE_DLA, handle);
        if (!s->d) {
            return cudlaErrorInvalidDevice;
        }
        if (r) {
            return s->d->error ? s->d->error : cudlaErrorUnknown;
        }
    }
    return cudlaSuccess;
}

/* Waits, then SOF fences; the last wait is where the first fence stands. */
static void give_front(struct submission *s, const cudlaTask *t, const struct events *e)
{
    unsigned n = MAX(dla_standalone_chunks(e->waits->len), dla_standalone_chunks(e->sof->len));
    unsigned first_sof =
        dla_standalone_chunks(e->waits->len) ? dla_standalone_chunks(e->waits->len) - 1 : 0;

    n = MAX(n, first_sof + dla_standalone_chunks(e->sof->len));
    for (unsigned i = 0; i < n; i++) {
        unsigned w = i * DLA_EVENTS_A_TASK;
        unsigned f = i >= first_sof ? (i - first_sof) * DLA_EVENTS_A_TASK : e->sof->len;
        struct dla_actions a = { 0 };

        if (w < e->waits->len) {
            a.waits = &g_array_index(e->waits, struct fence, w);
            a.n_waits = MIN(e->waits->len - w, DLA_EVENTS_A_TASK);
        }
        if (f < e->sof->len) {
            a.signals = &g_array_index(e->sof, struct dla_signal, f);
            a.n_signals = MIN(e->sof->len - f, DLA_EVENTS_A_TASK);
        }
        dla_empty_give(s, t, &a);
    }
}

static void give_all(struct submission *s, const cudlaTask *t, const struct events *e)
{
    unsigned n = MIN(e->eof->len, DLA_EVENTS_A_TASK);

    give_front(s, t, e);
    dla_task_give(s, t, (struct fence){ 0 }, (const struct dla_signal *)(void *)e->eof->data, n);
    for (; n < e->eof->len; n += DLA_EVENTS_A_TASK) {
        struct dla_actions a = { .signals = &g_array_index(e->eof, struct dla_signal, n),
                                 .n_signals = MIN(e->eof->len - n, DLA_EVENTS_A_TASK) };

        dla_empty_give(s, t, &a);
    }
}

/* @waits: struct fence; taken over. @signal: checked when there is room. */
static cudlaStatus submit_one(struct submission *s, const cudlaTask *t, const GArray *waits,
                              const cudlaSignalEvents *signal)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);
    struct events e = events_new();
    cudlaStatus status = make_room(s, m->networks->len + 1 + 3 * dla_standalone_chunks(EVENTS_MAX));

    if (!status && !handle_find(HANDLE_DLA_MODULE, t->moduleHandle)) {
        status = cudlaErrorInvalidModule; /* unloaded by another thread meanwhile */
    }
    status = status ? status : signals_check(s->d, signal);
    if (!status) {
        if (waits) {
            g_array_append_vals(e.waits, waits->data, waits->len);
        }
        signals_take(s->d, signal, &e);
        check_task(core_check(), API, CHECK_ALL_STREAMS, &s->caller);
        give_all(s, t, &e);
    }
    events_free(&e);
    return status;
}

static void next_keep(struct dla_device *d, const cudlaTask *t, GArray *waits)
{
    struct dla_next *n = g_new0(struct dla_next, 1);
    const cudlaSignalEvents *e = t->signalEvents;

    n->waits = t->waitEvents ? g_array_ref(waits) : NULL;
    n->has_signal = e != NULL;
    if (e && e->numEvents) {
        n->signal.numEvents = e->numEvents;
        n->signal.devPtrs = g_memdup2(e->devPtrs, e->numEvents * sizeof(*e->devPtrs));
        n->signal.eofFences = g_memdup2(e->eofFences, e->numEvents * sizeof(*e->eofFences));
    }
    d->next = n;
}

/* Events alone: they are the next submission's (cuDLA API); the last call counts. */
static cudlaStatus keep_events(struct submission *s)
{
    const cudlaTask *t = &s->tasks[0];
    cudlaStatus status;
    g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(struct fence));

    if (s->n_tasks != 1) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION,
                         "events alone are given with one task, not %" G_GUINT32_FORMAT,
                         s->n_tasks);
    }
    if (s->flags & CUDLA_SUBMIT_DIAGNOSTICS_TASK) {
        return dla_error(cudlaErrorUnsupportedOperation, API,
                         "CUDA for Tegra 5.1.4 (fault diagnostics)",
                         "events alone cannot be submitted with CUDLA_SUBMIT_DIAGNOSTICS_TASK");
    }
    status = waits_read(s->d, t->waitEvents, waits);
    status = status ? status : signals_check(s->d, t->signalEvents);
    if (!status) {
        next_drop(s->d);
        next_keep(s->d, t, waits);
    }
    return status;
}

static bool events_alone(const cudlaTask *t)
{
    return !t->inputTensor && !t->outputTensor;
}

cudlaStatus dla_standalone_submit(struct submission *s, const void *stream)
{
    cudlaStatus status = cudlaSuccess;

    if (stream) {
        return dla_error(cudlaErrorInvalidParam, API, "CUDA for Tegra 5.1.4",
                         "stream has to be NULL in standalone mode: tasks run in the order of "
                         "their submission, and are ordered by events");
    }
    if (events_alone(&s->tasks[0])) {
        return keep_events(s);
    }
    for (uint32_t i = 0; !status && i < s->n_tasks; i++) {
        status = task_check(s->d, &s->tasks[i], s->flags);
    }
    if (status) {
        return status;
    }
    dla_thread_note(s->d, s->flags);
    s->caller = check_caller_get();
    for (uint32_t i = 0; !status && i < s->n_tasks; i++) {
        const cudlaTask *t = &s->tasks[i];
        const struct dla_next *next = s->d->next;
        const cudlaSignalEvents *signal = t->signalEvents;
        g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(struct fence));

        status = waits_read(s->d, t->waitEvents, waits);
        if (i == 0 && !t->waitEvents && next && next->waits) {
            g_array_append_vals(waits, next->waits->data, next->waits->len);
        }
        if (i + 1 == s->n_tasks && !signal && next && next->has_signal) {
            signal = &next->signal;
        }
        status = status ? status : submit_one(s, t, waits, signal);
    }
    if (!status) {
        next_drop(s->d);
    }
    return status;
}

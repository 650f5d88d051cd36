/* SPDX-License-Identifier: MIT */
/* Tasks: checked, described in memory, and put between two pieces of a CUDA stream.
 *
 *   stream   ... L2 clean, increment S   wait D >= d, L2 clean and invalidate ...
 *   DLA                    wait S >= s, run the network, increment D
 *
 * S is the syncpoint of the stream's channel, D that of the handle. So the DLA sees in memory what
 * work before it in the stream left in the L2, and what comes after it finds nothing old there:
 * "the results of the previous operations on the underlying memory ... are visible to the DLA"
 * (note 5.1.4). Whole caches, because a driver has no maintenance by address there (coherency.c).
 */
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/engines/dla/dla_submit.h"
#include "runtime/driver/engines/interop.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/observe/range.h"

#define API DLA_SUBMIT_API
#define SECTION DLA_SUBMIT_SECTION
#define ADDRESSES_AT 512u /* in a slot */

static cudlaStatus check_events(const cudlaTask *t)
{
    const cudlaWaitEvents *w = t->waitEvents;

    for (uint32_t i = 0; w && w->preFences && i < MIN(w->numEvents, 64u); i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (w->preFences[i].fence == w->preFences[k].fence) {
                return dla_rule(DLA_RULE_DUPLICATE_FENCES, API, 0,
                                "wait events %" G_GUINT32_FORMAT " and %" G_GUINT32_FORMAT
                                " are the same fence",
                                k, i);
            }
        }
    }
    if (t->signalEvents && t->signalEvents->numEvents > 1) {
        return dla_rule(DLA_RULE_ONE_SIGNAL_EVENT, API, 0,
                        "%" G_GUINT32_FORMAT " events are to be signalled",
                        t->signalEvents->numEvents);
    }
    return w || t->signalEvents
               ? dla_rule(DLA_RULE_HYBRID_EVENTS, API, 0, "%s is not NULL in hybrid mode",
                          w ? "waitEvents" : "signalEvents")
               : cudlaSuccess;
}

/* What a tensor is bound as. */
enum binding { INPUT, OUTPUT, STATISTICS };

/* The flag of the registration against what it is bound as. */
static void check_flags(const struct dla_buffer *b, const char *name, enum binding as)
{
    if (as != INPUT && (b->flags & CUDLA_READ_ONLY_PERM)) {
        dla_rule(DLA_RULE_READ_ONLY, API, b->region, "%s is memory that was registered read-only",
                 name);
    }
    if ((as == STATISTICS) != !!(b->flags & CUDLA_TASK_STATISTICS)) {
        dla_rule(DLA_RULE_STATISTICS_BUFFER, API, b->region,
                 "%s is memory that was registered %s CUDLA_TASK_STATISTICS", name,
                 as == STATISTICS ? "without" : "with");
    }
}

/* One tensor against its registration. Only that it is none is an error of the call. */
static cudlaStatus check_tensor(const struct dla_device *d, uint64_t address,
                                const cudlaModuleTensorDescriptor *desc, enum binding as,
                                uint32_t index, bool runs)
{
    const struct dla_buffer *b = dla_buffer_find(d, address);
    g_autofree char *name = g_strdup_printf("%s tensor %" G_GUINT32_FORMAT " (%s)",
                                            as == INPUT ? "input" : "output", index, desc->name);

    if (!b || b->freed) {
        return dla_not_registered(d, address, name);
    }
    if (b->size < desc->size) {
        dla_rule(DLA_RULE_TENSOR_SMALL, API, b->region,
                 "%s has %" G_GUINT64_FORMAT " bytes, registered are %" G_GUINT64_FORMAT, name,
                 desc->size, b->size);
    }
    if (runs && b->size < desc->size) {
        dla_overrun_report(b, name, desc->size, as != INPUT);
    }
    check_flags(b, name, as);
    return cudlaSuccess;
}

static cudlaStatus check_counts(const cudlaTask *t, const struct dla_module *m)
{
    uint32_t in = m->inputs->len, out = m->outputs->len;

    if (t->numInputTensors == in &&
        (t->numOutputTensors == out || t->numOutputTensors == out + 1)) {
        return cudlaSuccess;
    }
    return dla_error(cudlaErrorInvalidParam, API, SECTION,
                     "the task has %" G_GUINT32_FORMAT " input and %" G_GUINT32_FORMAT
                     " output tensors, the module %" G_GUINT32_FORMAT " and %" G_GUINT32_FORMAT
                     " (and one more output for statistics)",
                     t->numInputTensors, t->numOutputTensors, in, out);
}

static void check_in_place(const struct dla_device *d, const cudlaTask *t)
{
    for (uint32_t i = 0; i < t->numInputTensors; i++) {
        for (uint32_t k = 0; k < t->numOutputTensors; k++) {
            if (t->inputTensor[i] == t->outputTensor[k]) {
                dla_rule(DLA_RULE_IN_PLACE, API,
                         dla_buffer_find(d, (uintptr_t)t->inputTensor[i])->region,
                         "input tensor %" G_GUINT32_FORMAT " and output tensor %" G_GUINT32_FORMAT
                         " are the same memory",
                         i, k);
            }
        }
    }
}

cudlaStatus dla_tensors_check(const struct dla_device *d, const cudlaTask *t,
                              const struct dla_module *m, bool runs)
{
    static const cudlaModuleTensorDescriptor statistics = { .name = "task_statistics",
                                                            .size = DLA_STATISTICS_BYTES };
    cudlaStatus status = check_counts(t, m);

    for (uint32_t i = 0; !status && i < t->numInputTensors; i++) {
        status =
            check_tensor(d, (uintptr_t)t->inputTensor[i],
                         &g_array_index(m->inputs, cudlaModuleTensorDescriptor, i), INPUT, i, runs);
    }
    for (uint32_t i = 0; !status && i < t->numOutputTensors; i++) {
        status = check_tensor(
            d, (uintptr_t)t->outputTensor[i],
            i < m->outputs->len ? &g_array_index(m->outputs, cudlaModuleTensorDescriptor, i)
                                : &statistics,
            i < m->outputs->len ? OUTPUT : STATISTICS, i, runs || i >= m->outputs->len);
    }
    if (!status && runs) {
        check_in_place(d, t);
    }
    return status;
}

cudlaStatus dla_module_check(const struct dla_device *d, const cudlaTask *t, uint32_t flags)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);

    if (!m || m->device != d) {
        return dla_error(cudlaErrorInvalidModule, API, SECTION, "moduleHandle is %s",
                         m ? "a module of another device handle: load it with this one too"
                           : "none that is loaded: give what cudlaModuleLoadFromMemory() gave, "
                             "until cudlaModuleUnload()");
    }
    if (m->diagnostics != !!(flags & CUDLA_SUBMIT_DIAGNOSTICS_TASK)) {
        return dla_error(
            cudlaErrorUnsupportedOperation, API, "CUDA for Tegra 5.1.4 (fault diagnostics)", "%s",
            m->diagnostics ? "the diagnostics module runs with CUDLA_SUBMIT_DIAGNOSTICS_TASK "
                             "only"
                           : "CUDLA_SUBMIT_DIAGNOSTICS_TASK needs a module loaded with "
                             "CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS");
    }
    return cudlaSuccess;
}

static cudlaStatus task_check(const struct dla_device *d, const cudlaTask *t, uint32_t flags)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);
    cudlaStatus status = m && m->device == d ? check_events(t) : cudlaSuccess;

    status = status ? status : dla_module_check(d, t, flags);
    if (status) {
        return status;
    }
    /* Only the diagnostics module has no input memory (note 5.1.4); and so have networks whose
     * input lies in the loadable. */
    if (!t->outputTensor || (!t->inputTensor && m->inputs->len)) {
        return dla_rule(DLA_RULE_HYBRID_TENSORS, API, 0, "%s is NULL in hybrid mode",
                        t->outputTensor ? "inputTensor" : "outputTensor");
    }
    return dla_tensors_check(d, t, m, !(flags & CUDLA_SUBMIT_NOOP));
}

/* The stream, which the rules restrict further than CUDA's own. */
static cudlaStatus check_stream(CUstream handle, struct stream **out)
{
    CUresult error;
    struct context *c = core_context(NULL, &error);

    if (handle == CU_STREAM_PER_THREAD) {
        return dla_rule(DLA_RULE_PER_THREAD_STREAM, API, 0, "the stream is cudaStreamPerThread");
    }
    c = c ? c : context_primary();
    if (!c || stream_resolve(c, handle, out)) {
        return dla_error(cudlaErrorCuda, API, SECTION,
                         "the stream is none, or its context has failed before");
    }
    if (context_error(stream_context((*out)))) {
        return dla_error(cudlaErrorCuda, API, SECTION, "the stream's context has failed before");
    }
    if (!handle && stream_per_thread(stream_context(*out))) {
        return dla_rule(DLA_RULE_PER_THREAD_STREAM, API, 0,
                        "stream 0 of a program that uses per-thread default streams");
    }
    if (capture_refuse(*out)) {
        return dla_rule(DLA_RULE_GRAPH, API, 0, "the stream is being captured into a graph");
    }
    return cudlaSuccess;
}

/* CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE promises that only one thread submits to the handle. */
void dla_thread_note(struct dla_device *d, uint32_t flags)
{
    unsigned self = core_thread();
    bool skips = flags & CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE;

    if (skips ? d->any_thread && d->any_thread != self : d->skip_thread && d->skip_thread != self) {
        dla_rule(DLA_RULE_SKIP_LOCK, API, 0,
                 "thread %u submits to cuDLA handle %u, and so did thread %u; %s skips the lock",
                 self, d->number, skips ? d->any_thread : d->skip_thread,
                 skips ? "this one" : "that one");
    }
    d->any_thread = self;
    d->skip_thread = skips ? self : d->skip_thread;
}

/* "any ... error returned by cuDLA APIs must be treated as a non-recoverable error" (5.4). */
static void note_after_error(struct dla_device *d)
{
    if (d->failed) {
        dla_rule(
            DLA_RULE_AFTER_ERROR, API, 0,
            "%s has returned %s for this handle (number %u), and the program continues to use it",
            d->failed_api, rt_dla_status_name(d->failed), d->number);
        d->failed = cudlaSuccess;
    }
}

/* --- the task in memory ----------------------------------------------------------------------- */

/* Actions grow from the end of the descriptor. */
struct writer {
    uint8_t *slot;
    uint32_t at;
};

static uint16_t dla_submit_put(struct writer *w, const void *bytes, uint32_t n)
{
    uint16_t at = (uint16_t)w->at;

    g_assert(w->at + n <= ADDRESSES_AT); /* at most DLA_EVENTS_A_TASK of each */
    memcpy(w->slot + w->at, bytes, n);
    w->at += n;
    return at;
}

static uint64_t dla_submit_shim(const struct dla_device *d, uint32_t syncpt)
{
    uint64_t iova = 0;
    int error = hal_iommu_syncpt(core_hal(), d->unit->unit, syncpt, &iova);

    g_assert(!error); /* the syncpoint is one of the board's */
    return iova;
}

static void put_sem(struct writer *w, uint8_t opcode, uint64_t address, uint32_t value)
{
    struct dla_action_sem sem = { address, value };

    dla_submit_put(w, &opcode, 1);
    dla_submit_put(w, &sem, sizeof(sem));
}

static void put_time(struct writer *w, uint64_t address)
{
    uint8_t opcode = DLA_ACTION_TIMESTAMP;
    struct dla_action_time time = { address };

    dla_submit_put(w, &opcode, 1);
    dla_submit_put(w, &time, sizeof(time));
}

static void put_actions(struct writer *w, const struct dla_device *d, struct dla_task_desc *desc,
                        const struct dla_actions *a)
{
    static const uint8_t end = DLA_ACTION_TERMINATE;
    struct dla_action_list pre, post;

    pre.offset = (uint16_t)w->at;
    if (a->before.id) {
        put_sem(w, DLA_ACTION_SEM_GE, dla_submit_shim(d, a->before.id), a->before.threshold);
    }
    for (unsigned i = 0; i < a->n_waits; i++) {
        put_sem(w, DLA_ACTION_SEM_GE, dla_submit_shim(d, a->waits[i].id), a->waits[i].threshold);
    }
    dla_submit_put(w, &end, 1);
    pre.size = (uint16_t)(w->at - pre.offset);
    post.offset = (uint16_t)w->at;
    if (a->stamp) {
        put_time(w, a->stamp);
    }
    for (unsigned i = 0; i < a->n_signals; i++) {
        put_sem(w, DLA_ACTION_TS_SEM, a->signals[i].iova, (uint32_t)a->signals[i].value);
        put_sem(w, DLA_ACTION_WRITE_SEM, dla_submit_shim(d, sync_syncpt(a->signals[i].sync)), 1);
    }
    put_sem(w, DLA_ACTION_WRITE_SEM, dla_submit_shim(d, d->syncpt), 1);
    dla_submit_put(w, &end, 1);
    post.size = (uint16_t)(w->at - post.offset);
    w->at = (w->at + 3) & ~3u;
    desc->num_preactions = desc->num_postactions = 1;
    desc->preactions = dla_submit_put(w, &pre, sizeof(pre));
    desc->postactions = dla_submit_put(w, &post, sizeof(post));
}

static uint64_t address_of(const struct dla_module *m, const struct dla_place *p,
                           const cudlaTask *t)
{
    const struct dla_module_memory *mem =
        &g_array_index(m->memories, struct dla_module_memory, p->memory);
    uint64_t base = mem->input >= 0    ? (uintptr_t)t->inputTensor[mem->input]
                    : mem->output >= 0 ? (uintptr_t)t->outputTensor[mem->output]
                                       : mem->own.iova;

    return base + p->offset;
}

/* Give one task to the firmware. @n NULL: nothing but the actions. */
/* What the program's events hang on, until the task leaves the ring. */
static void pending_events(struct dla_pending *p, const struct dla_actions *a)
{
    for (unsigned i = 0; i < a->n_waits; i++) {
        clock_add(&p->waits, a->waits[i]);
    }
    for (unsigned i = 0; i < a->n_signals; i++) {
        struct fence f = sync_fence(a->signals[i].sync, a->signals[i].value);

        clock_add(&p->signals, f);
    }
}

static void dla_submit_give(struct submission *s, const struct dla_module *m,
                            const struct dla_network *n, const cudlaTask *t,
                            const struct dla_actions *actions, bool bypass, bool hangs)
{
    struct dla_device *d = s->d;
    uint32_t slot = d->put % DLA_TASK_QUEUE_DEPTH;
    uint64_t iova = d->slots.iova + (uint64_t)slot * d->slot_bytes;
    struct writer w = { (uint8_t *)d->slots.mem.cpu + (size_t)slot * d->slot_bytes,
                        sizeof(struct dla_task_desc) };
    uint64_t *address = (uint64_t *)(void *)(w.slot + ADDRESSES_AT);
    struct dla_task_desc desc = {
        .version = DLA_TASK_VERSION,
        .engine_id = DLA_TASK_ENGINE_ID,
        .sequence = ++d->sequence,
        .queue_id = (uint8_t)d->queue,
        .address_list = iova + ADDRESSES_AT,
        .num_addresses = (uint16_t)n->n_addresses,
        .timeout = (uint64_t)d->timeout_ms * 1000,
        .flags = (uint16_t)((bypass ? DLA_TASK_BYPASS : 0) | (hangs ? DLA_TASK_HANGS : 0)),
        .blob_version = n->blob_version,
    };

    for (unsigned i = 0; i < n->n_addresses; i++) {
        address[i] = address_of(m, &n->address[i], t);
    }
    put_actions(&w, d, &desc, actions);
    desc.size = (uint16_t)w.at;
    memcpy(w.slot, &desc, sizeof(desc));
    d->pending[slot] =
        (struct dla_pending){ .threshold = ++d->submitted,
                              .before = actions->before,
                              .sequence = d->sequence,
                              .context =
                                  s->stream ? context_handle(stream_context(s->stream)) : NULL,
                              .number = d->tasks,
                              .caller = s->caller };
    pending_events(&d->pending[slot], actions);
    d->put++;
    hal_write32(core_hal(), d->unit->unit, DLA_THI_METHOD_ID,
                DLA_CMD_SUBMIT_TASK | FIELD_MASK(DLA_THI_METHOD_ID_INT_ON_ERROR));
    hal_write32(core_hal(), d->unit->unit, DLA_THI_METHOD_DATA, (uint32_t)(iova >> 8));
}

/* --- between two pieces of the stream --------------------------------------------------------- */

bool dla_reap(struct dla_device *d)
{
    while (d->oldest != d->put &&
           fence_reached((struct fence){
               d->syncpt, d->pending[d->oldest % DLA_TASK_QUEUE_DEPTH].threshold })) {
        dla_pending_clear(&d->pending[d->oldest % DLA_TASK_QUEUE_DEPTH]);
        d->oldest++;
    }
    return d->oldest != d->put;
}

/* Room for @n more tasks; what was looked up before is looked up again, the lock may have been
 * free. */
static cudlaStatus make_room(struct submission *s, CUstream stream, unsigned n)
{
    cudlaDevHandle handle = s->d->base.handle;

    while (dla_reap(s->d) && s->d->put - s->d->oldest + n > DLA_TASK_QUEUE_DEPTH) {
        struct fence oldest = { s->d->syncpt,
                                s->d->pending[s->d->oldest % DLA_TASK_QUEUE_DEPTH].threshold };
        CUresult error = wait_fence(stream_context(s->stream), oldest);

        s->d = handle_find(HANDLE_DLA, handle);
        if (!s->d) {
            return cudlaErrorInvalidDevice;
        }
        if (error) {
            return s->d->error ? s->d->error : cudlaErrorCuda;
        }
        if (check_stream(stream, &s->stream)) {
            return cudlaErrorCuda;
        }
    }
    return cudlaSuccess;
}

void dla_empty_give(struct submission *s, const cudlaTask *t, const struct dla_actions *actions)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);

    dla_submit_give(s, m, &g_array_index(m->networks, struct dla_network, 0), t, actions, true,
                    false);
}

static void tensor_used(const struct dla_device *d, uint64_t device_ptr, bool writes)
{
    const struct dla_buffer *b = dla_buffer_find(d, device_ptr);

    if (b && b->shared) {
        pending_shared(b->shared, BUS_AGENT_DLA, writes, dla_fence(d));
    } else if (b && !b->freed) {
        pending_range(b->ptr, b->size, writes, dla_fence(d));
    }
}

static void tensors_used(const struct dla_device *d, const cudlaTask *t)
{
    for (uint32_t i = 0; i < t->numInputTensors; i++) {
        tensor_used(d, (uintptr_t)t->inputTensor[i], false);
    }
    for (uint32_t i = 0; i < t->numOutputTensors; i++) {
        tensor_used(d, (uintptr_t)t->outputTensor[i], true);
    }
}

void dla_task_give(struct submission *s, const cudlaTask *t, struct fence before,
                   const struct dla_signal *signals, unsigned n)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);
    bool bypass = s->flags & CUDLA_SUBMIT_NOOP, hangs;
    uint64_t stamp =
        t->numOutputTensors > m->outputs->len ? (uintptr_t)t->outputTensor[m->outputs->len] : 0;

    s->d->tasks++;
    hangs = ++s->d->unit->tasks == s->d->unit->hang;
    if (stamp) { /* an empty task ends when the real one begins */
        dla_empty_give(s, t, &(struct dla_actions){ before, stamp, NULL, NULL, 0, 0 });
    }
    for (guint i = 0; i < m->networks->len; i++) {
        bool last = i + 1 == m->networks->len;
        struct dla_actions a = { .before = before, .stamp = stamp && last ? stamp + 8 : 0 };

        if (last) {
            a.signals = signals;
            a.n_signals = n;
        }
        dla_submit_give(s, m, &g_array_index(m->networks, struct dla_network, i), t, &a, bypass,
                        hangs && last);
    }
    for (unsigned i = 0; i < n; i++) {
        sync_signals_add(signals[i].sync, dla_fence(s->d), NULL);
    }
    tensors_used(s->d, t);
}

static unsigned tasks_of(const cudlaTask *t)
{
    const struct dla_module *m = handle_find(HANDLE_DLA_MODULE, t->moduleHandle);

    return m ? m->networks->len + 1 : 0;
}

/* Each task of the call has the stream to itself: the queue would keep their order anyway, but a
 * task must not be given before there is room for all of it. */
static cudlaStatus dla_submit_do(struct submission *s, CUstream stream)
{
    cudlaStatus status = cudlaSuccess;

    s->caller = check_caller_get();

    for (uint32_t i = 0; !status && i < s->n_tasks; i++) {
        struct fence before;

        status = make_room(s, stream, tasks_of(&s->tasks[i]));
        if (status) {
            break;
        }
        if (!handle_find(HANDLE_DLA_MODULE, s->tasks[i].moduleHandle)) {
            return cudlaErrorInvalidModule; /* unloaded by another thread meanwhile */
        }
        if (stream_submit(s->stream, &(struct work){ .kind = &work_give })) {
            return cudlaErrorCuda;
        }
        before = stream_fence(s->stream);
        check_task(core_check(), API, stream_ordinal(s->stream), &s->caller);
        dla_task_give(s, &s->tasks[i], before, NULL, 0);
        if (stream_submit(s->stream,
                          &(struct work){ .kind = &work_take, .fence = dla_fence(s->d) })) {
            return cudlaErrorCuda;
        }
    }
    return status;
}

cudlaStatus rt_dla_submit(cudlaDevHandle handle, const cudlaTask *tasks, uint32_t n_tasks,
                          CUstream stream, uint32_t flags)
{
    const uint32_t known =
        CUDLA_SUBMIT_NOOP | CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE | CUDLA_SUBMIT_DIAGNOSTICS_TASK;
    struct submission s = { .tasks = tasks, .n_tasks = n_tasks, .flags = flags };
    cudlaStatus status = dla_enter(handle, &s.d, API);

    if (status) {
        return status;
    }
    cost_pass(COST_SUBMIT, 1);
    if (!tasks || !n_tasks || (flags & ~known)) {
        status = dla_error(cudlaErrorInvalidParam, API, SECTION, "%s",
                           !tasks     ? "ptrToTasks is NULL"
                           : !n_tasks ? "numTasks is 0"
                                      : "flags is unknown");
        return dla_leave_device(s.d, status, API);
    }
    status = flags ? dla_edition_check(RULES_FEATURE_CUDLA_NOOP, API,
                                       "flags of cudlaSubmitTask() (NOOP, SKIP_LOCK_ACQUIRE, "
                                       "DIAGNOSTICS_TASK)")
                   : cudlaSuccess;
    status = status ? status : dla_error_before(s.d, API);
    if (!status && s.d->context_gone) {
        status = dla_error(cudlaErrorCuda, API, "CUDA for Tegra 5.4 (cuDLA, primary context)",
                           "the primary context that the handle was made with is destroyed");
    }
    if (!status && s.d->standalone) {
        status = dla_standalone_submit(&s, stream);
        if (!status) {
            note_after_error(s.d);
        }
        return dla_leave_device(s.d, status, API);
    }
    status = status ? status : check_stream(stream, &s.stream);
    for (uint32_t i = 0; !status && i < n_tasks; i++) {
        status = task_check(s.d, &tasks[i], flags);
    }
    if (!status) {
        dla_thread_note(s.d, flags);
        status = dla_submit_do(&s, stream);
    }
    if (!status) {
        note_after_error(s.d);
    }
    return dla_leave_device(s.d, status, API);
}

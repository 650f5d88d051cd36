/* SPDX-License-Identifier: MIT */
/* Tasks in their queues, and the one that runs. */
#include "model/dla/engine_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DLA_BLOB_VERSION 12u /* 0.12, where the descriptor names none */

/* --- submission ------------------------------------------------------------------------------ */

static bool desc_check(const struct dla_engine *e, const struct dla_task_desc *d,
                       struct dla_failure *f)
{
    if (d->version != DLA_TASK_VERSION) {
        return dla_failure_set(f, DLA_ERR_INVALID_DESC_VER,
                               "task_desc.version = %u: the firmware takes version %d", d->version,
                               DLA_TASK_VERSION);
    }
    if (d->engine_id != DLA_TASK_ENGINE_ID) {
        return dla_failure_set(f, DLA_ERR_INVALID_ENGINE_ID,
                               "task_desc.engine_id = 0x%x: a DLA's is 0x%x", d->engine_id,
                               DLA_TASK_ENGINE_ID);
    }
    if (d->size < sizeof(*d)) {
        return dla_failure_set(f, DLA_ERR_INVALID_TASK, "task_desc.size = %u: at least %zu",
                               d->size, sizeof(*d));
    }
    if (d->queue_id >= DLA_TASK_QUEUES) {
        return dla_failure_set(f, DLA_ERR_INVALID_QUEUE,
                               "task_desc.queue_id = %u: queues are 0 to %d", d->queue_id,
                               DLA_TASK_QUEUES - 1);
    }
    if (d->num_addresses > DLA_TASK_ADDRESSES ||
        (d->num_addresses == 0 && !(d->flags & DLA_TASK_BYPASS))) {
        return dla_failure_set(f, DLA_ERR_INVALID_INPUT, "task_desc.num_addresses = %u: 1 to %d",
                               d->num_addresses, DLA_TASK_ADDRESSES);
    }
    if (e->queue[d->queue_id].count == DLA_TASK_QUEUE_DEPTH) {
        return dla_failure_set(f, DLA_ERR_PROCESSOR_BUSY, "queue %u is full: %d tasks", d->queue_id,
                               DLA_TASK_QUEUE_DEPTH);
    }
    return true;
}

bool dla_queue_submit(struct dla_engine *e, uint64_t iova, struct dla_failure *f)
{
    struct dla_queued t = { .iova = iova,
                            .start_ns =
                                e->board.trace->now_ns + e->board.profile->timing.dla_submit_ns };
    struct dla_queue *q;

    if (!dla_engine_get(e, iova, &t.desc, sizeof(t.desc), "task descriptor", f) ||
        !desc_check(e, &t.desc, f)) {
        return false;
    }
    q = &e->queue[t.desc.queue_id];
    q->task = q->task ? q->task : calloc(DLA_TASK_QUEUE_DEPTH, sizeof(*q->task));
    t.bytes = calloc(1, t.desc.size);
    if (!q->task || !t.bytes) {
        abort(); /* the host has no memory: as g_malloc(); sizes of tasks are checked */
    }
    if (!dla_engine_get(e, iova, t.bytes, t.desc.size, "task descriptor", f) ||
        !dla_actions_check(&t, f)) {
        free(t.bytes);
        return false;
    }
    t.order = ++e->submitted;
    q->task[(q->first + q->count++) % DLA_TASK_QUEUE_DEPTH] = t;
    trace_emit(e->board.trace, TRACE_EVENT_DLA_TASK_SUBMIT, BUS_AGENT_CPU, 0, e->board.instance,
               t.desc.queue_id, iova, t.desc.sequence);
    return true;
}

static void engine_queue_pop(struct dla_queue *q)
{
    free(q->task[q->first].bytes);
    q->first = (q->first + 1) % DLA_TASK_QUEUE_DEPTH;
    q->count--;
}

void dla_queue_flush(struct dla_engine *e, unsigned queue)
{
    struct dla_queue *q = &e->queue[queue];
    unsigned keep = q->count && e->running.task == &q->task[q->first] ? 1 : 0;

    while (q->count > keep) {
        free(q->task[(q->first + --q->count) % DLA_TASK_QUEUE_DEPTH].bytes);
    }
}

static void running_clear(struct dla_engine *e)
{
    dla_engine_stop(e, DLA_JOB_TASK);
    dla_task_end(e->running.run);
    free(e->running.address);
    free(e->running.size);
    e->running = (struct dla_running){ .task = NULL };
}

void dla_queue_reset(struct dla_engine *e)
{
    running_clear(e);
    for (unsigned i = 0; i < DLA_TASK_QUEUES; i++) {
        dla_queue_flush(e, i);
        e->queue[i].suspended = false;
    }
}

/* --- the end of a task ----------------------------------------------------------------------- */

static void engine_queue_finish(struct dla_engine *e, struct dla_queued *t, enum dla_msg msg,
                                const struct dla_failure *f)
{
    struct dla_failure late;
    enum dla_err error = f ? f->error : DLA_ERR_NONE;
    uint64_t ns = e->board.trace->now_ns - e->running.began_ns;

    if (f) {
        dla_engine_report(e, t, msg, f);
    }
    if (!dla_actions_after(e, t, error, &late)) {
        dla_engine_report(e, t, DLA_MSG_EXCEPTION, &late);
        error = error ? error : late.error;
    }
    trace_emit_more(e->board.trace, TRACE_EVENT_DLA_TASK_END, e->board.agent, 0,
                    (const uint64_t[TRACE_ARGS]){ e->board.instance, t->desc.queue_id, t->iova,
                                                  t->desc.sequence, error, ns });
    e->board.counts_flush(e->board.opaque);
    running_clear(e);
    engine_queue_pop(&e->queue[t->desc.queue_id]);
}

/* What the network's error is to the firmware: a refused access or an engine that does not go on.
 */
static void network_failure(const struct dla_engine *e, struct dla_failure *f)
{
    const struct dla_task_error *why = &e->running.error;
    bool refused = why->cause.status == DLA_FAULT;
    const struct bus_port *port = e->bus.refused;

    dla_failure_set(f, refused ? DLA_ERR_ENGINE_TIMEOUT : DLA_ERR_INVALID_INPUT, "%s", "");
    dla_task_error_format(why, f->text, sizeof(f->text));
    if (refused) {
        f->iova = port ? port->fault.va : why->cause.iova;
        f->bytes = (uint32_t)why->cause.len;
        f->write = why->cause.write;
    }
}

/* The engine's clock, unless it is later already. */
static void clock_to(struct dla_engine *e, uint64_t ns)
{
    if (e->board.trace->now_ns < ns) {
        e->board.trace->now_ns = ns;
    }
}

/* --- the begin of a task --------------------------------------------------------------------- */

static void engine_queue_announce(void *opaque, unsigned index, enum dla_op_type type)
{
    struct dla_engine *e = opaque;

    e->macs |= type == DLA_OP_CONV;
    trace_emit(e->board.trace, TRACE_EVENT_DLA_OP, e->board.agent, 0, e->board.instance,
               e->running.task->desc.queue_id, index, type);
}

static bool addresses_read(struct dla_engine *e, const struct dla_task_desc *d,
                           struct dla_failure *f)
{
    struct dla_running *r = &e->running;

    r->address = calloc(d->num_addresses, sizeof(*r->address));
    r->size = calloc(d->num_addresses, sizeof(*r->size)); /* all unknown: the SMMU decides */
    if (!r->address || !r->size) {
        abort(); /* the host has no memory: as g_malloc(); sizes of tasks are checked */
    }
    return dla_engine_get(e, d->address_list, r->address, d->num_addresses * 8u, "address list", f);
}

static bool network_begin(struct dla_engine *e, struct dla_failure *f)
{
    struct dla_running *r = &e->running;
    const struct dla_task_desc *d = &r->task->desc;
    uint64_t version = d->blob_version ? d->blob_version : DLA_BLOB_VERSION;
    enum dla_status status;

    if (!addresses_read(e, d, f)) {
        return false;
    }
    r->list = (struct dla_task){
        .address = r->address,
        .size = r->size,
        .addresses = d->num_addresses,
        .cube_bytes =
            version <= UINT16_MAX ? dla_cube_bytes((unsigned)version >> 8, version & 0xff) : 0,
        .layer = engine_queue_announce,
        .opaque = e,
    };
    if (r->list.cube_bytes == 0) {
        return dla_failure_set(f, DLA_ERR_INVALID_INPUT,
                               "descriptors of blob version %" PRIu64 ".%" PRIu64
                               ": this DLA takes 0.10 to 0.12 (DLA 1)",
                               version >> 8, version & 0xff);
    }
    r->run = dla_task_begin(e->cfg, &e->bus.port, &r->list, &r->stats, &r->error, &status);
    if (!r->run) {
        network_failure(e, f);
    }
    return r->run;
}

static void engine_queue_begin(struct dla_engine *e, struct dla_queued *t)
{
    struct dla_failure f;

    if (e->board.trace->now_ns > t->start_ns) {
        trace_emit(e->board.trace, TRACE_EVENT_QUEUED, e->board.agent, 0, t->desc.queue_id,
                   QUEUE_ENGINE, e->board.instance, e->board.trace->now_ns - t->start_ns);
    }
    clock_to(e, t->start_ns);
    e->running = (struct dla_running){ .task = t, .began_ns = e->board.trace->now_ns };
    trace_emit(e->board.trace, TRACE_EVENT_DLA_TASK_BEGIN, e->board.agent, 0, e->board.instance,
               t->desc.queue_id, t->iova, t->desc.sequence);
    e->running.hung = (e->hang && --e->hang == 0) || t->desc.flags & DLA_TASK_HANGS;
    if (e->running.hung) {
        return; /* until its time is over, or software resets the engine */
    }
    if (t->desc.flags & DLA_TASK_BYPASS) {
        engine_queue_finish(e, t, DLA_MSG_CMD_COMPLETE, NULL);
    } else if (!network_begin(e, &f)) {
        engine_queue_finish(e, t, DLA_MSG_EXCEPTION, &f);
    }
}

/* --- the steps ------------------------------------------------------------------------------- */

/* Has the first task of queue @i all that it waits for? One whose pre-actions fail ends here.
 * *@progress: something happened on the way. */
static bool head_ready(struct dla_engine *e, unsigned i, bool *progress)
{
    struct dla_queue *q = &e->queue[i];
    struct dla_queued *t;
    struct dla_failure f;
    uint64_t clock_ns;
    unsigned done;
    int r;

    if (q->count == 0 || q->suspended) {
        return false;
    }
    t = &q->task[q->first];
    done = t->done;
    clock_ns = e->board.trace->now_ns;
    e->board.trace->channel = DLA_CHANNEL(e, i);
    clock_to(e, t->start_ns);
    r = dla_actions_before(e, t, &f);
    t->start_ns = e->board.trace->now_ns;
    *progress |= t->done != done || r < 0;
    if (r < 0) {
        e->running.began_ns = e->board.trace->now_ns;
        engine_queue_finish(e, t, DLA_MSG_EXCEPTION, &f);
    }
    e->board.trace->now_ns = clock_ns;
    return r > 0;
}

uint64_t dla_engine_deadline(const void *dev)
{
    const struct dla_engine *e = dev;
    const struct dla_running *r = &e->running;
    uint64_t timeout_us = r->task ? r->task->desc.timeout : 0;

    if (timeout_us == 0 || timeout_us > UINT64_MAX / 2000) {
        return 0;
    }
    return r->began_ns + timeout_us * 1000;
}

static bool timed_out(struct dla_engine *e)
{
    uint64_t deadline = dla_engine_deadline(e);
    struct dla_failure f;

    if (deadline == 0 || e->board.trace->now_ns < deadline) {
        return false;
    }
    dla_failure_set(&f, DLA_ERR_ENGINE_TIMEOUT,
                    "the task ran longer than its timeout, %" PRIu64 " us",
                    e->running.task->desc.timeout);
    engine_queue_finish(e, e->running.task, DLA_MSG_TASK_TIMEOUT, &f);
    return true;
}

static void task_body(void *opaque)
{
    struct dla_engine *e = opaque;

    e->running.status = dla_task_step(e->running.run, &e->running.done);
}

static void run_one(struct dla_engine *e)
{
    struct dla_running *r = &e->running;
    struct dla_failure f;

    if (!dla_engine_slice(e, DLA_JOB_TASK, task_body)) {
        return;
    }
    dla_engine_elapse(e);
    if (timed_out(e)) {
        return;
    }
    if (r->status != DLA_OK && r->error.cause.status == DLA_HUNG) {
        r->hung = true; /* a layer that does not fit: until the time is over, or a reset */
    } else if (r->status != DLA_OK) {
        network_failure(e, &f);
        engine_queue_finish(e, r->task, DLA_MSG_EXCEPTION, &f);
    } else if (r->done) {
        engine_queue_finish(e, r->task, DLA_MSG_CMD_COMPLETE, NULL);
    }
}

static struct engine_ready ready_of(const struct dla_queued *t)
{
    return (struct engine_ready){ t->desc.queue_id, t->order };
}

/* The register file has no queue: what it has left over comes before all tasks, as work of queue 0.
 * Else: that of the task which runs, or those whose first task has all it waits for. */
unsigned dla_queues_ready(void *dev, struct engine_ready *out, bool *progress)
{
    struct dla_engine *e = dev;
    struct dla_queued *t = e->running.task;
    unsigned n = 0;

    if (dla_engine_regs_due(e)) {
        out[n++] = (struct engine_ready){ 0, 0 };
    } else if (!t) {
        for (unsigned i = 0; i < DLA_TASK_QUEUES; i++) {
            if (head_ready(e, i, progress)) {
                out[n++] = ready_of(&e->queue[i].task[e->queue[i].first]);
            }
        }
    } else if (!e->running.hung) {
        out[n++] = ready_of(t);
    } else {
        e->board.trace->channel = DLA_CHANNEL(e, t->desc.queue_id);
        *progress |= timed_out(e);
    }
    e->board.trace->channel = 0;
    return n;
}

void dla_queue_run(void *dev, uint32_t queue)
{
    struct dla_engine *e = dev;
    struct dla_queue *q = &e->queue[queue];

    if (dla_engine_regs_due(e)) {
        clock_to(e, e->regs_ns);
        dla_engine_regs_run(e);
        return;
    }
    e->board.trace->channel = DLA_CHANNEL(e, queue);
    if (e->running.task) {
        run_one(e);
    } else {
        engine_queue_begin(e, &q->task[q->first]);
    }
    e->board.trace->channel = 0;
}

void dla_queues_dump(void *dev, void (*line)(void *opaque, const char *text), void *opaque)
{
    struct dla_engine *e = dev;
    char text[160];

    for (unsigned i = 0; i < DLA_TASK_QUEUES; i++) {
        const struct dla_queue *q = &e->queue[i];
        const struct dla_queued *t;
        bool runs;

        if (q->count == 0) {
            continue;
        }
        t = &q->task[q->first];
        runs = e->running.task == t;
        snprintf(text, sizeof(text), "dla%u queue %u: %u tasks, the first (%u at 0x%" PRIx64 ") %s",
                 e->board.instance, i, q->count, t->desc.sequence, t->iova,
                 runs && e->running.hung ? "hangs"
                 : runs                  ? "runs"
                 : q->suspended          ? "is suspended"
                                         : "waits for a pre-action");
        line(opaque, text);
    }
}

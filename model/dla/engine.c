/* SPDX-License-Identifier: MIT */
/* The DLA's window: commands in, messages out, and NVDLA's own registers behind them. */
#include "model/dla/engine_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVDLA_WINDOW 0x20000u
#define PING_FACTOR 4u /* L4T nvdla_debug.c: the firmware answers with four times the value */

#define WORK_PER_LOOK (1u << 20) /* multiply-accumulates, so that a timeout is seen soon enough */

/* Where all queues together can have failed tasks that software has not asked about, and some
 * commands. */
#define MESSAGES_MAX (DLA_TASK_QUEUES * DLA_TASK_QUEUE_DEPTH * 2u)

bool dla_failure_set(struct dla_failure *f, enum dla_err error, const char *format, ...)
{
    va_list args;

    *f = (struct dla_failure){ .error = error };
    va_start(args, format);
    vsnprintf(f->text, sizeof(f->text), format, args);
    va_end(args);
    return false;
}

/* --- memory ---------------------------------------------------------------------------------- */

static bool engine_task_refused(const struct dla_engine *e, uint64_t iova, uint32_t bytes,
                                bool write, const char *what, struct dla_failure *f)
{
    const struct bus_fault *fault = &e->board.memory->fault;

    dla_failure_set(f, DLA_ERR_INVALID_FALC_DMA, "%s at 0x%" PRIx64 ": the DLA cannot %s it: %s",
                    what, iova, write ? "write" : "read",
                    fault->reason ? fault->reason : "no memory");
    f->iova = fault->va;
    f->bytes = bytes;
    f->write = write;
    return false;
}

bool dla_engine_get(struct dla_engine *e, uint64_t iova, void *dst, uint32_t bytes,
                    const char *what, struct dla_failure *f)
{
    return bus_port_read(e->board.memory, iova, dst, bytes) == BUS_OK ||
           engine_task_refused(e, iova, bytes, false, what, f);
}

bool dla_engine_put(struct dla_engine *e, uint64_t iova, const void *src, uint32_t bytes,
                    const char *what, struct dla_failure *f)
{
    return bus_port_write(e->board.memory, iova, src, bytes) == BUS_OK ||
           engine_task_refused(e, iova, bytes, true, what, f);
}

/* Multiply-accumulates a cycle: the profile's, or those of the NVDLA configuration. */
static uint64_t mac_rate(const struct dla_engine *e, bool half)
{
    const struct soc_profile *p = e->board.profile;
    uint64_t own = half ? p->dla.fp16_macs : p->dla.int8_macs;

    return own ? own : (uint64_t)e->cfg->atomic_c * e->cfg->kernels_int8 / (half ? 2 : 1);
}

/* Cycles of what was done since the last call: at the rate of the MAC array, or of one atom a cycle
 * (NVDLA hardware architecture, performance of the sub-units; inferred for Tegra's). Nothing is
 * computed beside the reading of weights (inferred: on Orin a layer of 2 MB of weights and 7 x 7
 * outputs takes longer than one with as many products and few weights, branes-ai/graphs). */
void dla_engine_elapse(struct dla_engine *e)
{
    uint64_t rate = e->macs ? mac_rate(e, false) : e->cfg->atom, half = mac_rate(e, true);
    uint64_t cycles = (e->work + rate - 1) / rate + (e->half_work + half - 1) / half;
    uint32_t clock_khz = e->board.profile->dla.clock_khz;
    uint32_t mb_s = e->board.profile->dla.bandwidth_mb_s;
    uint64_t ns = clock_khz ? cycles * 1000000 / clock_khz : 0;

    ns += mb_s ? e->bus.port.weight_bytes * 1000 / mb_s : 0;
    e->board.elapse(e->board.opaque, ns, mb_s);
    e->bus.port.weight_bytes = 0;
    e->work = e->half_work = 0;
    e->macs = false;
}

/* Inside an operation: time goes on, and a task whose timeout is over is stopped there. */
static enum dla_status count_work(struct dla_bus *b, uint64_t work)
{
    struct dla_engine *e = b->opaque;
    uint64_t deadline = e->job == DLA_JOB_TASK ? dla_engine_deadline(e) : 0;

    *(b->port.half ? &e->half_work : &e->work) += work;
    if (deadline && e->work + e->half_work >= WORK_PER_LOOK) {
        bool macs = e->macs;

        dla_engine_elapse(e);
        e->macs = macs;
    }
    return deadline && e->board.trace->now_ns >= deadline ? DLA_STOPPED : DLA_OK;
}

/* --- slices ---------------------------------------------------------------------------------- */

/* Inside an operation: it pauses where its slice is over. */
static enum dla_status engine_rest(struct dla_bus *b, uint64_t work)
{
    struct dla_engine *e = b->opaque;

    *e->board.work += work;
    if (!e->stopping && *e->board.work >= e->slice_end) {
        fiber_pause(e->fiber);
    }
    return e->stopping ? DLA_STOPPED : DLA_OK;
}

bool dla_engine_slice(struct dla_engine *e, enum dla_job job, void (*body)(void *e))
{
    bool ended;

    e->job = job;
    e->slice_end = *e->board.work + e->board.slice;
    ended = fiber_run(e->fiber, body, e);
    e->job = ended ? DLA_JOB_NONE : job;
    return ended;
}

void dla_engine_stop(struct dla_engine *e, enum dla_job job)
{
    if (e->job == job && job != DLA_JOB_NONE) {
        e->stopping = true;
        fiber_run(e->fiber, NULL, NULL);
        e->stopping = false;
        e->job = DLA_JOB_NONE;
        e->work = e->half_work = e->bus.port.weight_bytes = 0;
        e->macs = false;
    }
}

/* --- messages -------------------------------------------------------------------------------- */

static void update_irq(struct dla_engine *e)
{
    irq_set(e->board.irq, (e->irqstat & e->irqmask) || dla_regs_irq(e->regs));
}

static void engine_say(struct dla_engine *e, uint32_t msg, uint32_t cmd, uint32_t error,
                       uint32_t argument)
{
    e->mailbox[0] = FIELD_PUT(DLA_FALCON_MAILBOX0_MSG, msg) |
                    FIELD_PUT(DLA_FALCON_MAILBOX0_CMD, cmd) |
                    FIELD_PUT(DLA_FALCON_MAILBOX0_ERROR, error);
    e->mailbox[1] = argument;
}

static void record_write(struct dla_engine *e, const struct dla_error_record *r)
{
    if (e->error_bus) {
        e->board.phys_write(e->board.opaque, e->error_bus, r, sizeof(*r));
    }
}

static void message_load(struct dla_engine *e)
{
    const struct dla_error_record *r = e->message;

    if (e->messages == 0 || e->loaded) {
        return;
    }
    record_write(e, r);
    engine_say(e, r->msg, DLA_CMD_SUBMIT_TASK, r->error, r->queue);
    e->loaded = true;
    e->irqstat |= FIELD_MASK(DLA_FALCON_IRQSTAT_SWGEN0);
}

/* Software has taken the first message: the next one, if any, raises the line again. */
static void message_taken(struct dla_engine *e)
{
    if (e->loaded) {
        memmove(e->message, e->message + 1, --e->messages * sizeof(*e->message));
        e->loaded = false;
    }
    message_load(e);
}

static struct dla_error_record record_of(const struct dla_failure *f, enum dla_msg msg)
{
    struct dla_error_record r = {
        .msg = msg, .error = f->error, .iova = f->iova, .bytes = f->bytes, .write = f->write
    };

    memcpy(r.text, f->text, sizeof(r.text));
    return r;
}

void dla_engine_report(struct dla_engine *e, const struct dla_queued *t, enum dla_msg msg,
                       const struct dla_failure *f)
{
    struct dla_error_record r = record_of(f, msg);

    r.queue = t->desc.queue_id;
    r.sequence = t->desc.sequence;
    r.task = t->iova;
    trace_emit_more(
        e->board.trace, TRACE_EVENT_DLA_ERROR, e->board.agent, 0,
        (const uint64_t[TRACE_ARGS]){ e->board.instance, r.queue, msg, r.error, r.iova, r.task });
    if (!e->message) { /* a program without errors has none */
        e->message = calloc(MESSAGES_MAX, sizeof(*e->message));
        if (!e->message) {
            abort(); /* the host has no memory: as g_malloc() */
        }
    }
    if (e->messages < MESSAGES_MAX) { /* software that never looks loses the newest */
        e->message[e->messages++] = r;
    }
    message_load(e);
    update_irq(e);
}

/* --- commands -------------------------------------------------------------------------------- */

static bool engine_ping(struct dla_engine *e, uint64_t iova, struct dla_failure *f)
{
    uint32_t value;

    if (!dla_engine_get(e, iova, &value, sizeof(value), "ping", f)) {
        return false;
    }
    value *= PING_FACTOR;
    return dla_engine_put(e, iova + sizeof(value), &value, sizeof(value), "ping's answer", f);
}

static bool queue_command(struct dla_engine *e, uint32_t cmd, uint32_t queue, struct dla_failure *f)
{
    if (queue >= DLA_TASK_QUEUES) {
        return dla_failure_set(f, DLA_ERR_INVALID_QUEUE, "queue = %u: queues are 0 to %d", queue,
                               DLA_TASK_QUEUES - 1);
    }
    if (cmd == DLA_CMD_QUEUE_FLUSH) {
        dla_queue_flush(e, queue);
    } else {
        e->queue[queue].suspended = cmd == DLA_CMD_QUEUE_SUSPEND;
    }
    return true;
}

static bool command_run(struct dla_engine *e, uint32_t cmd, uint32_t data, struct dla_failure *f)
{
    switch (cmd) {
    case DLA_CMD_PING:
        return engine_ping(e, (uint64_t)data << 8, f);
    case DLA_CMD_SUBMIT_TASK:
        return dla_queue_submit(e, (uint64_t)data << 8, f);
    case DLA_CMD_QUEUE_SUSPEND:
    case DLA_CMD_QUEUE_RESUME:
    case DLA_CMD_QUEUE_FLUSH:
        return queue_command(e, cmd, data, f);
    case DLA_CMD_SET_REGIONS:
        return dla_failure_set(f, DLA_ERR_INVALID_REGION,
                               "DLA_CMD_SET_REGIONS: this firmware prints and traces nothing");
    default:
        return dla_failure_set(f, DLA_ERR_INVALID_METHOD, "command %u is not in this model", cmd);
    }
}

static void engine_command(struct dla_engine *e, uint32_t data)
{
    uint32_t cmd = FIELD_GET(DLA_THI_METHOD_ID_CMD, e->method_id);
    struct dla_failure f = { .error = DLA_ERR_NONE };
    bool ok = command_run(e, cmd, data, &f);

    if (!ok) {
        struct dla_error_record r = record_of(&f, DLA_MSG_CMD_ERROR);

        r.task = cmd == DLA_CMD_SUBMIT_TASK ? (uint64_t)data << 8 : 0;
        trace_emit_more(
            e->board.trace, TRACE_EVENT_DLA_ERROR, e->board.agent, 0,
            (const uint64_t[TRACE_ARGS]){ e->board.instance, 0, r.msg, r.error, r.iova, r.task });
        record_write(e, &r);
        e->loaded = false; /* a task's message comes again */
    }
    engine_say(e, ok ? DLA_MSG_CMD_COMPLETE : DLA_MSG_CMD_ERROR, cmd, f.error, 0);
    if (ok ? FIELD_GET(DLA_THI_METHOD_ID_INT_ON_COMPLETE, e->method_id)
           : FIELD_GET(DLA_THI_METHOD_ID_INT_ON_ERROR, e->method_id)) {
        e->irqstat |= FIELD_MASK(DLA_FALCON_IRQSTAT_SWGEN1);
    }
}

/* --- the device ------------------------------------------------------------------------------ */

bool dla_engine_regs_due(const struct dla_engine *e)
{
    return e->job == DLA_JOB_REGS || (e->job == DLA_JOB_NONE && dla_regs_kicked(e->regs));
}

static void regs_body(void *opaque)
{
    struct dla_engine *e = opaque;

    dla_regs_run(e->regs);
}

void dla_engine_regs_run(struct dla_engine *e)
{
    if (dla_engine_slice(e, DLA_JOB_REGS, regs_body) && e->work + e->half_work) {
        e->macs = true;
        dla_engine_elapse(e);
        e->board.counts_flush(e->board.opaque);
    }
    e->regs_ns = e->board.trace->now_ns;
    update_irq(e);
}

/* Operations that the write makes ready run inside it, as long as a slice lasts, and then as work
 * of the engine. Where one is under way already, they follow it. */
static void nvdla_write(struct dla_engine *e, uint32_t offset, uint32_t val)
{
    dla_regs_store(e->regs, offset, val);
    if (e->job == DLA_JOB_NONE && dla_regs_kicked(e->regs)) {
        dla_engine_regs_run(e);
    }
}

/* Software that sees an operation's end comes after it. */
static uint32_t nvdla_read(struct dla_engine *e, uint32_t offset)
{
    struct trace *trace = e->board.trace;

    if (e->job != DLA_JOB_REGS && trace->now_ns < e->regs_ns) {
        trace->now_ns = e->regs_ns;
    }
    return dla_regs_read(e->regs, offset);
}

static uint32_t engine_read(void *dev, uint64_t offset)
{
    struct dla_engine *e = dev;

    if (offset >= DLA_NVDLA_BASE) {
        return nvdla_read(e, (uint32_t)offset - DLA_NVDLA_BASE);
    }
    switch (offset) {
    case DLA_THI_METHOD_ID:
        return e->method_id;
    case DLA_FALCON_IRQSTAT:
        return e->irqstat;
    case DLA_FALCON_IRQMSET:
        return e->irqmask;
    case DLA_FALCON_MAILBOX0:
    case DLA_FALCON_MAILBOX1:
        return e->mailbox[offset != DLA_FALCON_MAILBOX0];
    case DLA_OS_VERSION:
        return 1u << 16; /* 1.0.0: no firmware of NVIDIA's (our decision) */
    case DLA_ERROR_LO:
    case DLA_ERROR_HI:
        return (uint32_t)(e->error_bus >> (offset == DLA_ERROR_LO ? 0 : 32));
    case DLA_HANG:
        return e->hang;
    default:
        trace_emit(e->board.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 0, 0, 0);
        return 0;
    }
}

static void engine_reset(void *dev)
{
    struct dla_engine *e = dev;

    dla_engine_stop(e, DLA_JOB_REGS);
    dla_queue_reset(e);
    dla_regs_reset(e->regs);
    e->method_id = e->irqstat = e->irqmask = e->mailbox[0] = e->mailbox[1] = 0;
    e->error_bus = 0;
    e->hang = e->messages = 0;
    e->loaded = false;
    update_irq(e);
}

static void falcon_write(struct dla_engine *e, uint64_t offset, uint32_t val)
{
    switch (offset) {
    case DLA_THI_METHOD_ID:
        e->method_id = val;
        return;
    case DLA_THI_METHOD_DATA:
        engine_command(e, val);
        return;
    case DLA_FALCON_IRQSCLR:
        e->irqstat &= ~val;
        if (val & FIELD_MASK(DLA_FALCON_IRQSTAT_SWGEN0)) {
            message_taken(e);
        }
        return;
    case DLA_FALCON_IRQMSET:
        e->irqmask |= val;
        return;
    case DLA_FALCON_IRQMCLR:
        e->irqmask &= ~val;
        return;
    case DLA_FALCON_MAILBOX0:
    case DLA_FALCON_MAILBOX1:
        e->mailbox[offset != DLA_FALCON_MAILBOX0] = val;
        return;
    case DLA_ERROR_LO:
        e->error_bus = (e->error_bus & ~(uint64_t)UINT32_MAX) | val;
        return;
    case DLA_ERROR_HI:
        e->error_bus = (e->error_bus & UINT32_MAX) | (uint64_t)val << 32;
        return;
    case DLA_HANG:
        e->hang = val;
        return;
    case DLA_RESET:
        engine_reset(e);
        return;
    default:
        trace_emit(e->board.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 1, val, 0);
    }
}

static void engine_write(void *dev, uint64_t offset, uint32_t val)
{
    struct dla_engine *e = dev;

    if (offset >= DLA_NVDLA_BASE) {
        nvdla_write(e, (uint32_t)offset - DLA_NVDLA_BASE, val);
    } else {
        falcon_write(e, offset, val);
    }
    update_irq(e);
}

static const struct mmio_ops mmio = {
    .name = "dla",
    .size = DLA_NVDLA_BASE + NVDLA_WINDOW,
    .reset = engine_reset,
    .read = engine_read,
    .write = engine_write,
};

static void *engine_new(const struct engine_board *board)
{
    const struct dla_config *cfg = dla_config_find(board->profile->dla.config);
    struct dla_engine *e = cfg ? calloc(1, sizeof(*e)) : NULL;

    if (!e) {
        return NULL;
    }
    e->board = *board;
    e->cfg = cfg;
    dla_bus_init(&e->bus, board->memory, board->sram);
    e->bus.tick = count_work;
    e->bus.rest = engine_rest;
    e->bus.opaque = e;
    e->fiber = fiber_new();
    e->regs = dla_regs_new(cfg, &e->bus.port);
    if (!e->regs) {
        abort(); /* the host has no memory: as g_malloc() */
    }
    return e;
}

static void engine_free(void *dev)
{
    struct dla_engine *e = dev;

    dla_engine_stop(e, DLA_JOB_REGS);
    dla_queue_reset(e);
    fiber_free(e->fiber);
    for (unsigned i = 0; i < DLA_TASK_QUEUES; i++) {
        free(e->queue[i].task);
    }
    dla_regs_free(e->regs);
    free(e->message);
    free(e);
}

const struct engine_ops dla_engine_ops = {
    .mmio = &mmio,
    .new = engine_new,
    .free = engine_free,
    .ready = dla_queues_ready,
    .run = dla_queue_run,
    .next_ns = dla_engine_deadline,
    .dump = dla_queues_dump,
};

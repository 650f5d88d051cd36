/* SPDX-License-Identifier: MIT */
/* The front end of a channel: GPFIFO entries, pushbuffer headers, host methods. */
#include <inttypes.h>
#include <string.h>

#include "model/igpu/channel.h"

#define SEGMENTS_A_TURN 8u /* other channels come in between segments, inside one only where its turn is longer than a slice */
#define WORD_WORK 64u      /* units of work of a word of a pushbuffer, beside what it starts */

static uint64_t channel_reg64(const struct channel *ch, unsigned lo)
{
    return (uint64_t)ch->reg[lo / 4 + 1] << 32 | ch->reg[lo / 4];
}

void channel_fail(struct channel *ch, const struct chan_error *error)
{
    const struct igpu_board *b = &ch->igpu->board;
    struct chan_error e = *error;
    uint64_t at = channel_reg64(ch, CHAN_ERROR_LO);

    e.channel = ch->number;
    if (at) {
        b->phys_write(b->opaque, at, &e, sizeof(e));
    }
    trace_emit(b->trace, TRACE_EVENT_CHANNEL_ERROR, e.agent, 0, ch->number, e.kind, e.method, e.data);
    compute_cancel(ch);
    ch->copy.running = false;
    ch->status = CHAN_DEAD;
    ch->wait.kind = WAIT_NONE;
    igpu_error_raise(ch);
}

uint32_t channel_fault_reason(const char *reason)
{
    static const struct {
        const char *text;
        enum chan_error_reason code;
    } reasons[] = {
#define X(name, said) { said, CHAN_REASON_##name },
        CHAN_REASONS(X)
#undef X
    };

    for (unsigned i = 0; reason && i < G_N_ELEMENTS(reasons); i++) {
        if (strcmp(reason, reasons[i].text) == 0) {
            return reasons[i].code;
        }
    }
    return CHAN_REASON_NONE;
}

void channel_halt(struct channel *ch)
{
    if (ch->grid) {
        grid_halt(ch->grid);
        ch->status = CHAN_READY; /* also if it only spins */
    }
}

void channel_fail_port(struct channel *ch, enum bus_status status)
{
    const struct igpu_board *b = &ch->igpu->board;
    const struct bus_fault *f = &b->port->fault;
    struct chan_error e = {
        .kind = status == BUS_FAULT         ? CHAN_ERROR_MMU
                : status == BUS_UNSUPPORTED ? CHAN_ERROR_ATOMIC
                                            : CHAN_ERROR_BUS,
        .va = f->va,
        .write = f->write,
        .reason = channel_fault_reason(f->reason),
        .agent = b->port->agent,
        .method = ch->method,
    };

    trace_emit(b->trace, TRACE_EVENT_MMU_FAULT, b->port->agent, 0, ch->number, f->va, f->write,
               e.reason);
    channel_fail(ch, &e);
}

static void fail_method(struct channel *ch, uint32_t data)
{
    struct chan_error e = { .kind = CHAN_ERROR_METHOD,
                            .agent = ch->igpu->board.agents.host,
                            .method = ch->subch << 16 | ch->method,
                            .data = data };

    channel_fail(ch, &e);
}

/* --- host methods ------------------------------------------------------------------------------ */

static uint64_t sem_va(const struct channel *ch)
{
    return (uint64_t)ch->sem[1] << 32 | ch->sem[0];
}

/* The last release of a semaphore, so that who acquires it comes after it. */
struct sem_release {
    int64_t key;
    uint64_t payload, ns;
};

static int64_t sem_key(const struct channel *ch, uint64_t va)
{
    return (int64_t)((uint64_t)ch->reg[CHAN_CONTEXT / 4] << 49 | (va & ((UINT64_C(1) << 49) - 1)));
}

static void sem_remember(struct channel *ch, uint64_t va, uint64_t payload)
{
    int64_t key = sem_key(ch, va);
    struct sem_release *r = g_hash_table_lookup(ch->igpu->sems, &key);

    if (!r) {
        r = g_new(struct sem_release, 1);
        r->key = key;
        g_hash_table_insert(ch->igpu->sems, &r->key, r);
    }
    r->payload = payload;
    r->ns = ch->igpu->board.trace->now_ns;
}

/* When @value was released. Written by another agent, a CPU or another engine: before now, that is all there is. */
static uint64_t sem_ns(struct channel *ch, uint64_t va, uint64_t value, bool wide)
{
    int64_t key = sem_key(ch, va);
    const struct sem_release *r = g_hash_table_lookup(ch->igpu->sems, &key);
    bool same = r && (wide ? r->payload == value : (uint32_t)r->payload == (uint32_t)value);

    return same ? r->ns : ch->igpu->board.trace->now_ns;
}

static void sem_release(struct channel *ch, uint32_t execute)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint64_t out[2] = { (uint64_t)ch->sem[3] << 32 | ch->sem[2] };
    size_t len = execute & SEM_EXECUTE_TIMESTAMP    ? 16
                 : execute & SEM_EXECUTE_PAYLOAD_64 ? 8
                                                    : 4;
    enum bus_status status;

    /* An event comes through the front end as a launch does (inferred). */
    b->trace->now_ns = MAX(b->trace->now_ns, ch->rung_ns + b->profile->timing.launch_ns);
    out[1] = b->trace->now_ns;
    b->port->agent = b->agents.host;
    status = bus_port_write(b->port, sem_va(ch), out, len);
    if (status != BUS_OK) {
        channel_fail_port(ch, status);
        return;
    }
    sem_remember(ch, sem_va(ch), out[0]);
    trace_emit(b->trace, TRACE_EVENT_SEM_RELEASE, b->agents.host, 0, ch->number, sem_va(ch), out[0], 0);
}

static bool sem_holds(uint32_t op, uint64_t value, uint64_t payload, bool wide)
{
    switch (op) {
    case SEM_OP_ACQUIRE:
        return value == payload;
    case SEM_OP_ACQ_STRICT_GEQ:
        return value >= payload;
    case SEM_OP_ACQ_CIRC_GEQ:
        return wide ? (int64_t)(value - payload) >= 0
                    : (int32_t)((uint32_t)value - (uint32_t)payload) >= 0;
    case SEM_OP_ACQ_AND:
        return value & payload;
    case SEM_OP_ACQ_NOR:
        return wide ? ~(value | payload) != 0 : (uint32_t) ~(value | payload) != 0;
    default:
        return false;
    }
}

static void sem_execute(struct channel *ch, uint32_t execute)
{
    uint32_t op = SEM_EXECUTE_OP(execute);
    bool wide = execute & SEM_EXECUTE_PAYLOAD_64;

    if (op == SEM_OP_RELEASE) {
        sem_release(ch, execute);
    } else if (op <= SEM_OP_ACQ_NOR) {
        ch->wait = (struct channel_wait){
            .kind = WAIT_SEM,
            .va = sem_va(ch),
            .payload = wide ? (uint64_t)ch->sem[3] << 32 | ch->sem[2] : ch->sem[2],
            .op = op,
            .wide = wide,
        };
    } else {
        fail_method(ch, execute);
    }
}

static void mem_op(struct channel *ch, uint32_t data)
{
    const struct igpu_board *b = &ch->igpu->board;

    switch (data >> 27) {
    case MEM_OP_MMU_TLB_INVALIDATE:
        b->mmu_invalidate(b->opaque);
        break;
    case MEM_OP_L2_FLUSH_DIRTY:
        b->l2_clean(b->opaque);
        break;
    case MEM_OP_L2_SYSMEM_INVALIDATE:
        b->l2_invalidate(b->opaque);
        break;
    default:
        fail_method(ch, data);
    }
}

static void syncpt_op(struct channel *ch, uint32_t data)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint32_t id = data >> 8 & 0xfff;

    if (id >= b->profile->host1x.syncpts) {
        fail_method(ch, data);
    } else if (data & 1) {
        b->syncpt_incr(b->opaque, id);
    } else {
        ch->wait = (struct channel_wait){ .kind = WAIT_SYNCPT, .id = id,
                                          .threshold = ch->syncpt_payload };
    }
}

static bool host_method(struct channel *ch, uint32_t method, uint32_t data)
{
    switch (method) {
    case HOST_NOP:
    case HOST_WFI: /* commands of a channel are complete before the next begins */
        return true;
    case HOST_MEM_OP_A:
    case HOST_MEM_OP_B:
    case HOST_MEM_OP_C:
        ch->mem_op[(method - HOST_MEM_OP_A) / 4] = data;
        return true;
    case HOST_MEM_OP_D:
        mem_op(ch, data);
        return true;
    case HOST_SEM_ADDR_LO:
    case HOST_SEM_ADDR_HI:
    case HOST_SEM_PAYLOAD_LO:
    case HOST_SEM_PAYLOAD_HI:
        ch->sem[(method - HOST_SEM_ADDR_LO) / 4] = data;
        return true;
    case HOST_SEM_EXECUTE:
        sem_execute(ch, data);
        return true;
    case HOST_SYNCPOINTA:
        ch->syncpt_payload = data;
        return true;
    case HOST_SYNCPOINTB:
        syncpt_op(ch, data);
        return true;
    default:
        return false;
    }
}

static void channel_method(struct channel *ch, uint32_t data)
{
    bool known;

    trace_emit(ch->igpu->board.trace, TRACE_EVENT_METHOD, ch->igpu->board.agents.host, 0, ch->number, ch->subch,
               ch->method, data);
    if (ch->method < 0x100) {
        known = host_method(ch, ch->method, data);
    } else if (ch->subch == SUBCH_COPY) {
        known = ce_method(ch, ch->method, data);
    } else {
        known = ch->subch == SUBCH_COMPUTE && compute_method(ch, ch->method, data);
    }
    if (!known) {
        fail_method(ch, data);
    }
}

/* --- command stream ---------------------------------------------------------------------------- */

static uint32_t gp_put(struct channel *ch)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint32_t put = ch->gp_get;

    b->phys_read(b->opaque, channel_reg64(ch, CHAN_USERD_LO) + USERD_GP_PUT, &put, sizeof(put));
    return put & (ch->reg[CHAN_GPFIFO_ENTRIES / 4] - 1);
}

uint32_t channel_put(struct channel *ch)
{
    return ch->reg[CHAN_GPFIFO_ENTRIES / 4] ? gp_put(ch) : 0;
}

void channel_rung(struct channel *ch)
{
    uint32_t put = channel_put(ch);

    while (ch->rung_put != put && put < ch->entries) {
        ch->entry_ns[ch->rung_put] = ch->igpu->board.trace->now_ns;
        ch->rung_put = (ch->rung_put + 1) & (ch->entries - 1);
    }
}

/* What is in the ring runs when its doorbell has come: software may still be at work on what it has
 * put there, and another program's step of the board must not run it first. */
static bool segment_is_due(struct channel *ch)
{
    return ch->reg[CHAN_GPFIFO_ENTRIES / 4] && gp_put(ch) != ch->gp_get &&
           ch->rung_put != ch->gp_get;
}

/* Copies the next segment in. Return: false if there is none or it cannot be read. */
static bool segment_fetch(struct channel *ch)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint32_t entry[2], words;
    uint64_t at;

    if (!segment_is_due(ch)) {
        return false;
    }
    if (!b->phys_read(b->opaque, channel_reg64(ch, CHAN_GPFIFO_LO) + ch->gp_get * 8ull, entry, 8)) {
        fail_method(ch, 0);
        return false;
    }
    at = GP_ENTRY_ADDRESS(entry[0], entry[1]);
    words = GP_ENTRY_WORDS(entry[1]);
    *b->work += words;
    g_free(ch->pb);
    ch->pb = g_new(uint32_t, words + 1);
    ch->pb_len = words;
    ch->pb_at = 0;
    ch->count = 0;
    if (!b->phys_read(b->opaque, at, ch->pb, words * 4ull)) {
        fail_method(ch, entry[0]);
        return false;
    }
    if (ch->gp_get < ch->entries) { /* not before it was there */
        b->trace->now_ns = MAX(b->trace->now_ns, ch->entry_ns[ch->gp_get]);
        ch->rung_ns = ch->entry_ns[ch->gp_get];
    }
    trace_emit(b->trace, TRACE_EVENT_SEGMENT, b->agents.host, 0, ch->number,
               (ch->gp_get + 1) & (ch->reg[CHAN_GPFIFO_ENTRIES / 4] - 1), 0, 0);
    return true;
}

void channel_begins(struct channel *ch, enum queue_resource resource, uint64_t busy_ns, uint64_t ns)
{
    struct trace *trace = ch->igpu->board.trace;
    bool copies = resource == QUEUE_CE && ch->begun_resource == QUEUE_CE && busy_ns > ch->rung_ns;
    bool ahead = ch->begun && (copies || ch->begun == ch->rung_ns + 1);

    trace->now_ns = ahead ? MAX(trace->now_ns, ch->rung_ns + ns) : MAX(trace->now_ns, ch->rung_ns) + ns;
    ch->begun = ch->rung_ns + 1;
    ch->begun_resource = resource;
}

void channel_queue(struct channel *ch, enum queue_resource resource, enum bus_agent agent,
                   uint64_t free_ns)
{
    struct trace *trace = ch->igpu->board.trace;
    uint64_t from_ns = trace->now_ns;

    if (free_ns > from_ns) {
        trace->now_ns = free_ns;
        trace_emit(trace, TRACE_EVENT_QUEUED, agent, 0, ch->number, resource, 0, free_ns - from_ns);
    }
}

/* The segment is done: say so to software, which may reuse its memory. */
static void segment_retire(struct channel *ch)
{
    const struct igpu_board *b = &ch->igpu->board;

    ch->gp_get = (ch->gp_get + 1) & (ch->reg[CHAN_GPFIFO_ENTRIES / 4] - 1);
    b->phys_write(b->opaque, channel_reg64(ch, CHAN_USERD_LO) + USERD_GP_GET, &ch->gp_get, 4);
    g_clear_pointer(&ch->pb, g_free);
}

static void header_decode(struct channel *ch, uint32_t word)
{
    ch->op = word >> 29;
    ch->count = word >> 16 & 0x1fff;
    ch->subch = word >> 13 & 7;
    ch->method = (word & 0xfff) << 2;
    if (ch->op == PB_IMMD) {
        uint32_t data = ch->count;

        ch->count = 0;
        channel_method(ch, data);
    } else if (ch->op != PB_INC && ch->op != PB_NON_INC && ch->op != PB_ONE_INC) {
        fail_method(ch, word);
    }
}

static void word_execute(struct channel *ch)
{
    uint32_t word = ch->pb[ch->pb_at++];

    if (ch->count == 0) {
        header_decode(ch, word);
        return;
    }
    ch->count--;
    channel_method(ch, word);
    if (ch->op == PB_INC || ch->op == PB_ONE_INC) {
        ch->method += 4;
    }
    if (ch->op == PB_ONE_INC) {
        ch->op = PB_NON_INC;
    }
}

/* @ns: since when */
static bool wait_over(struct channel *ch, uint64_t *ns)
{
    const struct igpu_board *b = &ch->igpu->board;
    struct channel_wait *w = &ch->wait;
    uint64_t value = 0;
    enum bus_status status;

    if (w->kind == WAIT_SYNCPT) {
        *ns = b->syncpt_reached_ns(b->opaque, w->id, w->threshold);
        return b->syncpt_reached(b->opaque, w->id, w->threshold);
    }
    b->port->agent = b->agents.host;
    b->port->context = ch->reg[CHAN_CONTEXT / 4];
    status = bus_port_read(b->port, w->va, &value, w->wide ? 8 : 4);
    if (status != BUS_OK) {
        channel_fail_port(ch, status);
        return false;
    }
    *ns = sem_ns(ch, w->va, value, w->wide);
    return sem_holds(w->op, value, w->payload, w->wide);
}

/* The wait is over since @ns: the channel's clock goes there. */
static void wait_end(struct channel *ch, uint64_t ns)
{
    const struct igpu_board *b = &ch->igpu->board;
    struct channel_wait *w = &ch->wait;
    uint64_t caller_ns = b->trace->now_ns;

    b->trace->now_ns = ch->ns = MAX(ch->ns, ns);

    if (w->kind == WAIT_SYNCPT) {
        trace_emit(b->trace, TRACE_EVENT_SYNCPT_WAIT, b->agents.host, 0, ch->number, w->id,
                   w->threshold, b->syncpt_value(b->opaque, w->id));
    } else {
        trace_emit(b->trace, TRACE_EVENT_SEM_ACQUIRE, b->agents.host, 0, ch->number, w->va, w->payload,
                   0);
    }
    w->kind = WAIT_NONE;
    b->trace->now_ns = caller_ns;
}

/* Can it go on? Brings status up to date. */
bool channel_ready(struct channel *ch)
{
    if (ch->status == CHAN_DEAD || !ch->reg[CHAN_CTRL / 4]) {
        return false;
    }
    if (ch->wait.kind != WAIT_NONE) {
        uint64_t ns = 0;

        if (wait_over(ch, &ns)) {
            wait_end(ch, ns);
            ch->status = CHAN_READY;
        } else if (ch->status != CHAN_DEAD) {
            ch->status = CHAN_WAITING;
        }
    } else if (ch->grid || ch->pb) {
        ch->status = ch->status == CHAN_SPINNING ? CHAN_SPINNING : CHAN_READY;
    } else {
        ch->status = ch->rung && segment_is_due(ch) ? CHAN_READY : CHAN_IDLE;
    }
    return ch->status == CHAN_READY;
}

/* What the segment has begun continues at a later turn. */
static bool segment_pends(const struct channel *ch)
{
    return ch->grid || ch->copy.running || ch->wait.kind != WAIT_NONE;
}

static enum igpu_progress channel_turn(struct channel *ch, uint64_t quantum)
{
    const struct igpu_board *b = &ch->igpu->board;

    ch->slice_end = *b->work + b->slice;
    if (ch->copy.running) {
        ce_run(ch);
        return IGPU_PROGRESS;
    }
    if (ch->grid) {
        enum igpu_progress p = compute_run(ch, quantum);

        if (ch->grid) {
            ch->status = p == IGPU_SPINS ? CHAN_SPINNING : CHAN_READY;
        }
        return p;
    }
    for (unsigned n = 0;
         n < SEGMENTS_A_TURN && *b->work < ch->slice_end && ch->status != CHAN_DEAD;) {
        if (!ch->pb && !segment_fetch(ch)) {
            break;
        }
        if (ch->pb_at < ch->pb_len) {
            *b->work += WORD_WORK;
            word_execute(ch);
        }
        if (ch->status == CHAN_DEAD) {
            break;
        }
        if (ch->pb && ch->pb_at >= ch->pb_len && !segment_pends(ch)) {
            segment_retire(ch);
            n++;
        }
        if (segment_pends(ch)) {
            break;
        }
    }
    return IGPU_PROGRESS;
}

enum igpu_progress channel_run(struct channel *ch, uint64_t quantum)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint64_t caller_ns = b->trace->now_ns;
    enum igpu_progress p;

    b->port->context = ch->reg[CHAN_CONTEXT / 4];
    b->trace->channel = ch->number + 1;
    b->trace->now_ns = ch->ns;
    p = channel_turn(ch, quantum);
    if (ch->status != CHAN_DEAD && ch->pb && !segment_pends(ch) && ch->pb_at >= ch->pb_len) {
        segment_retire(ch);
    }
    b->elapse(b->opaque, 0, 0);
    ch->ns = b->trace->now_ns;
    b->trace->channel = 0;
    b->trace->now_ns = caller_ns;
    return p;
}

/* Enabling starts from the ring's beginning; disabling drops what has not run. */
void channel_enable(struct channel *ch, bool enable)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint32_t entries = ch->reg[CHAN_GPFIFO_ENTRIES / 4];

    compute_cancel(ch);
    ch->copy.running = false;
    g_clear_pointer(&ch->pb, g_free);
    ch->wait.kind = WAIT_NONE;
    ch->count = 0;
    ch->gp_get = 0;
    ch->rung = 0;
    ch->rung_put = 0;
    ch->entries = 0;
    g_clear_pointer(&ch->entry_ns, g_free);
    ch->ns = b->trace->now_ns;
    ch->status = CHAN_IDLE;
    if (enable && (entries == 0 || (entries & (entries - 1)) || entries > 1u << 20)) {
        ch->reg[CHAN_CTRL / 4] = 0; /* not a ring: refuse, software reads CTRL back */
    } else if (enable) {
        ch->entries = entries;
        ch->entry_ns = g_new0(uint64_t, entries);
        b->context_set(b->opaque, ch->reg[CHAN_CONTEXT / 4], channel_reg64(ch, CHAN_PDB_LO));
    }
}

void channel_free(struct channel *ch)
{
    if (ch) {
        compute_cancel(ch);
        g_free(ch->pb);
        g_free(ch->entry_ns);
        g_free(ch);
    }
}

/* SPDX-License-Identifier: MIT */
/* Registers of the iGPU, its interrupt, and the choice of the channel that runs. */
#include "model/igpu/igpu.h"
#include "model/regs/igpu_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/igpu/channel.h"
#include "model/regs/igpu_code.h"

static struct channel *channel_get(struct igpu *g, uint32_t index)
{
    if (!g->channel[index]) {
        g->channel[index] = g_new0(struct channel, 1);
        g->channel[index]->igpu = g;
        g->channel[index]->number = g->board.first_channel + index;
        g->channels = MAX(g->channels, index + 1);
    }
    return g->channel[index];
}

static uint32_t channel_index(const struct channel *ch)
{
    return ch->number - ch->igpu->board.first_channel;
}

/* --- errors ------------------------------------------------------------------------------------
 */

static void igpu_update_irq(struct igpu *g)
{
    if (g->board.irq) {
        irq_set(g->board.irq, g->n_dead > 0);
    }
}

void igpu_error_raise(struct channel *ch)
{
    struct igpu *g = ch->igpu;

    g->dead[g->n_dead++] = channel_index(ch);
    igpu_update_irq(g);
}

/* Software has taken note of the oldest error. */
static void igpu_error_pop(struct igpu *g)
{
    if (g->n_dead > 0) {
        memmove(g->dead, g->dead + 1, --g->n_dead * sizeof(g->dead[0]));
    }
    igpu_update_irq(g);
}

static void igpu_error_forget(struct igpu *g, uint32_t channel)
{
    for (uint32_t i = 0; i < g->n_dead; i++) {
        if (g->dead[i] == channel) {
            memmove(g->dead + i, g->dead + i + 1, (--g->n_dead - i) * sizeof(g->dead[0]));
            break;
        }
    }
    igpu_update_irq(g);
}

/* --- scheduling --------------------------------------------------------------------------------
 */

static uint64_t igpu_random(struct igpu *g)
{
    uint64_t z = g->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool igpu_before(const struct igpu *g, const struct channel *a, const struct channel *b)
{
    uint32_t pa = a->reg[CHAN_PRIORITY / 4], pb = b->reg[CHAN_PRIORITY / 4];

    if (g->order == ORDER_NEWEST) {
        return a->rung > b->rung;
    }
    return pa != pb ? pa < pb : a->rung < b->rung;
}

unsigned igpu_ready(const struct igpu *g, uint32_t *channel, unsigned *spins)
{
    unsigned n = 0;

    *spins = 0;
    for (unsigned i = 0; i < g->channels; i++) {
        if (g->channel[i] && channel_ready(g->channel[i])) {
            channel[n++] = g->channel[i]->number;
        } else {
            *spins += g->channel[i] && g->channel[i]->status == CHAN_SPINNING;
        }
    }
    return n;
}

uint64_t igpu_kernel_blocks(const struct igpu *g, uint64_t *done, uint64_t *all)
{
    for (unsigned i = 0; i < g->channels; i++) {
        const struct channel *ch = g->channel[i];

        if (ch && ch->grid) {
            *done = grid_blocks_done(ch->grid, all);
            return (uint64_t)(ch->number + 1) << 32 | ch->qmd.grid_id;
        }
    }
    return 0;
}

/* The channel that goes next, NULL if none is ready. *@spins counts those that only spin. */
static struct channel *igpu_pick(struct igpu *g, unsigned *spins)
{
    struct channel *best = NULL;
    unsigned ready = 0;

    *spins = 0;
    for (unsigned i = 0; i < g->channels; i++) {
        struct channel *ch = g->channel[i];

        if (!ch || !channel_ready(ch)) {
            *spins += ch && ch->status == CHAN_SPINNING;
            continue;
        }
        ready++;
        if (!best ||
            (g->order == ORDER_SEEDED ? igpu_random(g) % ready == 0 : igpu_before(g, ch, best))) {
            best = ch;
        }
    }
    return best;
}

uint64_t igpu_newest(const struct igpu *g)
{
    uint64_t newest = 0;

    for (unsigned i = 0; i < g->channels; i++) {
        if (g->channel[i] && channel_ready(g->channel[i])) {
            newest = MAX(newest, g->channel[i]->rung);
        }
    }
    return newest;
}

/* Anything that happened may have ended a spin. */
static void igpu_wake_spinners(struct igpu *g, const struct channel *except)
{
    for (unsigned i = 0; i < g->channels; i++) {
        if (g->channel[i] && g->channel[i] != except && g->channel[i]->status == CHAN_SPINNING) {
            g->channel[i]->status = CHAN_READY;
        }
    }
}

enum igpu_progress igpu_run(struct igpu *g, uint32_t channel, uint64_t quantum)
{
    struct channel *ch = g->channel[channel - g->board.first_channel];
    enum igpu_progress p = channel_run(ch, quantum);

    if (p == IGPU_PROGRESS) {
        igpu_wake_spinners(g, ch);
    }
    return p == IGPU_SPINS ? IGPU_SPUN : IGPU_PROGRESS;
}

enum igpu_progress igpu_rest(struct igpu *g, unsigned spins)
{
    igpu_wake_spinners(g, NULL); /* for the next step: the CPU may have acted meanwhile */
    return spins ? IGPU_SPINS : IGPU_IDLE;
}

enum igpu_progress igpu_step(struct igpu *g, uint64_t quantum)
{
    unsigned spins;
    struct channel *ch = igpu_pick(g, &spins);

    return ch ? igpu_run(g, ch->number, quantum) : igpu_rest(g, spins);
}

/* --- registers ---------------------------------------------------------------------------------
 */

static void igpu_doorbell(struct igpu *g, uint32_t index)
{
    struct channel *ch = index < CHAN_COUNT ? g->channel[index] : NULL;
    bool enabled = ch && ch->reg[CHAN_CTRL / 4];

    trace_emit(g->board.trace, TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, 0,
               g->board.first_channel + index, enabled ? channel_put(ch) : 0, 0, 0);
    if (enabled) {
        ch->rung = ++*g->rungs;
        channel_rung(ch);
    }
}

static void channel_reg_write(struct igpu *g, uint32_t number, uint32_t reg, uint32_t val)
{
    struct channel *ch = channel_get(g, number);

    if (reg == CHAN_STATUS || reg == CHAN_WAIT || (reg == CHAN_CONTEXT && val >= CHAN_COUNT)) {
        return;
    }
    if (reg == CHAN_HALT) {
        if (val & 1) {
            channel_halt(ch);
        }
        return;
    }
    ch->reg[reg / 4] = val;
    if (reg == CHAN_CTRL) {
        ch->reg[reg / 4] = val & 1;
        igpu_error_forget(g, number);
        channel_enable(ch, val & 1);
    }
}

static uint32_t waits_at(const struct channel *ch)
{
    return ch->status == CHAN_WAITING && ch->wait.kind == WAIT_SYNCPT ? ch->wait.id : 0;
}

static uint32_t channel_reg_read(struct igpu *g, uint32_t number, uint32_t reg)
{
    if (!g->channel[number]) {
        return 0;
    }
    return reg == CHAN_STATUS ? (uint32_t)g->channel[number]->status
           : reg == CHAN_HALT ? g->channel[number]->grid != NULL
           : reg == CHAN_WAIT ? waits_at(g->channel[number])
                              : g->channel[number]->reg[reg / 4];
}

static bool in_channels(uint64_t offset, uint32_t *number, uint32_t *reg)
{
    if (offset < IGPU_CHAN_BASE || offset >= IGPU_CHAN_BASE + (uint64_t)CHAN_COUNT * CHAN_WINDOW) {
        return false;
    }
    *number = (uint32_t)(offset - IGPU_CHAN_BASE) / CHAN_WINDOW;
    *reg = (uint32_t)(offset - IGPU_CHAN_BASE) % CHAN_WINDOW;
    return true;
}

static uint32_t igpu_read(void *dev, uint64_t offset)
{
    struct igpu *g = dev;
    uint32_t number, reg;

    if (in_channels(offset, &number, &reg)) {
        return channel_reg_read(g, number, reg);
    }
    switch (offset) {
    case IGPU_INTR:
        return FIELD_PUT(IGPU_INTR_CHANNEL_ERROR, g->n_dead > 0);
    case IGPU_INTR_CHANNEL:
        if (g->n_dead) { /* who has seen it comes after it */
            g->board.trace->now_ns = MAX(g->board.trace->now_ns, g->channel[g->dead[0]]->ns);
        }
        return g->n_dead ? g->dead[0] : UINT32_MAX;
    case IGPU_FLUSH_FB_FLUSH: /* flushes end inside the write: never pending */
    case IGPU_FLUSH_L2_FLUSH_DIRTY:
    case IGPU_FLUSH_L2_SYSTEM_INVALIDATE:
        return 0;
    default:
        trace_emit(g->board.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 0, 0, 0);
        return 0;
    }
}

static void igpu_write(void *dev, uint64_t offset, uint32_t val)
{
    struct igpu *g = dev;
    uint32_t number, reg;

    if (in_channels(offset, &number, &reg)) {
        channel_reg_write(g, number, reg, val);
        return;
    }
    switch (offset) {
    case IGPU_USERMODE_NOTIFY_CHANNEL_PENDING:
        igpu_doorbell(g, val);
        break;
    case IGPU_INTR:
        if (FIELD_GET(IGPU_INTR_CHANNEL_ERROR, val)) {
            igpu_error_pop(g);
        }
        break;
    case IGPU_FLUSH_FB_FLUSH:
        break;
    case IGPU_FLUSH_L2_FLUSH_DIRTY:
        if (FIELD_GET(IGPU_FLUSH_L2_FLUSH_DIRTY_PENDING, val)) {
            g->board.l2_clean(g->board.opaque);
        }
        break;
    case IGPU_FLUSH_L2_SYSTEM_INVALIDATE:
        if (FIELD_GET(IGPU_FLUSH_L2_SYSTEM_INVALIDATE_PENDING, val)) {
            g->board.l2_invalidate(g->board.opaque);
        }
        break;
    case IGPU_MMU_INVALIDATE:
        g->board.mmu_invalidate(g->board.opaque);
        break;
    case IGPU_CODE_GONE:
        g_hash_table_remove(g->programs, &(int64_t){ val });
        break;
    default:
        trace_emit(g->board.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 1, val, 0);
    }
}

static void igpu_reset(void *dev)
{
    struct igpu *g = dev;

    for (unsigned i = 0; i < g->channels; i++) {
        g_clear_pointer(&g->channel[i], channel_free);
    }
    g->n_dead = 0;
    igpu_update_irq(g);
}

const struct mmio_ops igpu_ops = {
    .name = "igpu",
    .size = 0x1000000,
    .reset = igpu_reset,
    .read = igpu_read,
    .write = igpu_write,
};

static void program_free(gpointer p)
{
    grid_program_unref(p);
}

struct igpu *igpu_new(const struct igpu_board *board, enum order order, uint64_t seed)
{
    struct igpu *g = g_new0(struct igpu, 1);

    g->board = *board;
    g->rungs = board->rungs ? board->rungs : &g->rung;
    g->order = order;
    g->random = seed;
    g->programs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, program_free);
    g->budgets = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g->sems = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    return g;
}

void igpu_free(struct igpu *g)
{
    if (g) {
        igpu_reset(g);
        g_hash_table_destroy(g->programs);
        g_hash_table_destroy(g->budgets);
        g_hash_table_destroy(g->sems);
        g_free(g);
    }
}

void igpu_native(struct igpu *g, uint64_t code_id, igpu_door *door)
{
    struct grid_program *p = g_hash_table_lookup(g->programs, &code_id);

    if (p) {
        grid_program_native(p, door);
    }
}

void igpu_compile_hook(struct igpu *g, igpu_compile *compile, void *opaque, uint64_t after)
{
    g->compile = compile;
    g->compile_opaque = opaque;
    g->compile_after = after;
}

void igpu_dump(struct igpu *g, igpu_print *print, void *opaque)
{
    static const char *const names[] = { "idle", "ready", "waiting", "spinning", "dead" };
    char line[200];

    for (unsigned i = 0; i < g->channels; i++) {
        const struct channel *ch = g->channel[i];
        const struct channel_wait *w;

        if (!ch || ch->status == CHAN_IDLE) {
            continue;
        }
        w = &ch->wait;
        if (w->kind == WAIT_SYNCPT) {
            snprintf(line, sizeof(line), "channel %u waits for syncpoint %u to reach %u (it is %u)",
                     i, w->id, w->threshold, g->board.syncpt_value(g->board.opaque, w->id));
        } else if (w->kind == WAIT_SEM) {
            snprintf(line, sizeof(line),
                     "channel %u waits for semaphore 0x%" PRIx64 " (payload %" PRIu64 ")", i, w->va,
                     w->payload);
        } else {
            snprintf(line, sizeof(line), "channel %u is %s%s", i, names[ch->status],
                     ch->grid ? ", inside a grid" : "");
        }
        print(opaque, line);
    }
}

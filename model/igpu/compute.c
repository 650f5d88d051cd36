/* SPDX-License-Identifier: MIT */
/* Launches: a descriptor in memory becomes a grid. */
#include <string.h>

#include "model/igpu/channel.h"

#define CODE_BYTES_MAX (UINT64_C(64) << 20)
#define INST_WORK 8u  /* units of work of a warp instruction */
#define TEXT_WORK 16u /* of a byte of PTX text */
#define BUDGETS_MAX 1024u
/* PTX ISA 8.1: 32764 bytes of kernel parameters; then the objects of texture references */
#define PARAM_BYTES_MAX (32768u + 8u * QMD_REFS_MAX)

static void compute_fail(struct channel *ch, enum chan_error_kind kind, uint32_t data)
{
    struct chan_error e = { .kind = kind,
                            .agent = ch->igpu->board.agents.host,
                            .qmd = ch->grid_qmd,
                            .entry = ch->qmd.entry,
                            .data = data };

    channel_fail(ch, &e);
}

static bool read_va(struct channel *ch, uint64_t va, void *dst, size_t len)
{
    enum bus_status status = bus_port_read(ch->igpu->board.port, va, dst, len);

    if (status != BUS_OK) {
        channel_fail_port(ch, status);
    }
    return status == BUS_OK;
}

/* Fetch, parse and decode, once per loaded module. */
static struct grid_program *program_get(struct channel *ch)
{
    struct igpu *g = ch->igpu;
    const struct qmd *q = &ch->qmd;
    struct grid_program *program = g_hash_table_lookup(g->programs, &q->code_id);
    struct ptx_error error = { 0 };
    struct ptx_module *m;
    char *text;

    if (program) {
        return program;
    }
    if (q->code_size == 0 || q->code_size > CODE_BYTES_MAX) {
        compute_fail(ch, CHAN_ERROR_LAUNCH, (uint32_t)q->code_size);
        return NULL;
    }
    text = g_malloc(q->code_size);
    *g->board.work += q->code_size * TEXT_WORK;
    if (read_va(ch, q->code_va, text, q->code_size)) {
        m = ptx_parse(text, q->code_size, &error);
        program = m ? grid_program_new(m, &error) : NULL;
        if (program) {
            g_hash_table_insert(g->programs, g_memdup2(&q->code_id, sizeof(q->code_id)), program);
        } else {
            compute_fail(ch, CHAN_ERROR_CODE, error.pos.line);
        }
    }
    g_free(text);
    return program;
}

/* grid_desc.cluster */
static bool cluster_ok(const struct qmd *q)
{
    uint64_t blocks = 1;

    for (unsigned i = 0; i < 3 && q->cluster[0]; i++) {
        if (!q->cluster[i] || q->grid[i] % q->cluster[i] || q->cluster[i] > GRID_CLUSTER_MAX) {
            return false;
        }
        blocks *= q->cluster[i];
    }
    return blocks <= GRID_CLUSTER_MAX && (q->cluster[0] || !(q->cluster[1] | q->cluster[2]));
}

static bool dims_ok(const struct igpu_board *b, const struct qmd *q)
{
    uint64_t threads = (uint64_t)q->block[0] * q->block[1] * q->block[2];

    return q->grid[0] && q->grid[1] && q->grid[2] && q->grid[0] <= b->profile->gpu.grid_dim_max_x &&
           q->grid[1] <= b->profile->gpu.grid_dim_max_y &&
           q->grid[2] <= b->profile->gpu.grid_dim_max_z && threads &&
           q->block[0] <= b->profile->gpu.block_dim_max_x &&
           q->block[1] <= b->profile->gpu.block_dim_max_y &&
           q->block[2] <= b->profile->gpu.block_dim_max_z &&
           threads <= b->profile->gpu.block_threads_max && cluster_ok(q);
}

/* A program that has run for long enough is worth a compiler's time. */
static void compute_compile(struct channel *ch, struct grid_program *program)
{
    const struct igpu *g = ch->igpu;
    char *text;
    igpu_door *door;

    if (!g->compile || !program || !grid_program_asks(program, g->compile_after)) {
        return;
    }
    text = grid_program_text(program, ch->qmd.entry);
    door = text ? g->compile(g->compile_opaque, ch->qmd.code_id, text, grid_compile_flags()) : NULL;
    if (door) {
        grid_program_native(program, door);
    }
    g_free(text);
}

/* As many as the SMs hold, whatever the descriptor says. */
static uint32_t resident_blocks(const struct soc_profile *p, const struct qmd *q)
{
    return MAX(MIN(q->resident_blocks, p->gpu.sm_count * p->gpu.sm_blocks_max), 1);
}

/* Each program of a board has its own. Of a board that ever more programs use, the last ones share
 * one. Return: NULL: all is checked, or nothing */
static struct grid_budget *budget_of(struct igpu *g, const struct qmd *q)
{
    guint all = g_hash_table_size(g->budgets);
    gpointer key = GUINT_TO_POINTER(q->process), b = g_hash_table_lookup(g->budgets, key);

    if (!(q->flags & QMD_RACES_AUTO)) {
        return NULL;
    }
    if (!b && all >= BUDGETS_MAX) {
        key = GUINT_TO_POINTER(UINT32_MAX);
        b = g_hash_table_lookup(g->budgets, key);
    }
    if (!b) {
        b = g_new0(struct grid_budget, 1);
        g_hash_table_insert(g->budgets, key, b);
    }
    return b;
}

static struct grid_units units_of(const struct soc_profile *p)
{
    return (struct grid_units){ .fp64 = p->gpu.cores_per_sm / MAX(p->gpu.fp32_fp64_ratio, 1u),
                                .sfu = p->gpu.sfu_per_sm,
                                .ldst = p->gpu.ldst_per_sm,
                                .tensor = p->gpu.tensor_fmas_per_sm,
                                .block = p->gpu.block_cycles };
}

static void compute_launch(struct channel *ch)
{
    struct igpu *g = ch->igpu;
    const struct igpu_board *b = &g->board;
    struct qmd *q = &ch->qmd;
    struct grid_program *program;
    uint8_t param[PARAM_BYTES_MAX];

    b->port->agent = b->agents.host;
    if (!b->phys_read(b->opaque, ch->grid_qmd, q, sizeof(*q)) || q->version != QMD_VERSION ||
        q->param_size > PARAM_BYTES_MAX || !dims_ok(b, q) ||
        q->dynamic_shared > b->profile->gpu.sm_smem_bytes) {
        compute_fail(ch, CHAN_ERROR_LAUNCH, q->version);
        return;
    }
    program = program_get(ch);
    if (!program || (q->param_size && !read_va(ch, q->param_va, param, q->param_size))) {
        return;
    }
    compute_compile(ch, program);
    b->elapse(b->opaque, 0, 0); /* fetches by the front end are not the grid's */
    channel_begins(ch, QUEUE_SMS, 0, b->profile->timing.launch_ns);
    channel_queue(ch, QUEUE_SMS, b->agents.sm,
                  ch->igpu->sm_free_ns); /* grids follow each other on the SMs */
    trace_emit(b->trace, TRACE_EVENT_GRID_BEGIN, b->agents.sm, 0, ch->number, ch->grid_qmd,
               q->entry, q->grid_id);
    ch->grid = grid_new(program, b->port,
                        &(struct grid_desc){
                            .entry = q->entry,
                            .grid = { q->grid[0], q->grid[1], q->grid[2] },
                            .block = { q->block[0], q->block[1], q->block[2] },
                            .cluster = { q->cluster[0], q->cluster[1], q->cluster[2] },
                            .dynamic_shared = q->dynamic_shared,
                            .param = param,
                            .param_bytes = q->param_size,
                            .global_base = q->global_va,
                            .const_base = q->const_va,
                            .shared_window = QMD_SHARED_WINDOW,
                            .local_window = QMD_LOCAL_WINDOW,
                            .printf_va = q->printf_va,
                            .printf_size = q->printf_size,
                            .heap_va = q->heap_va,
                            .heap_bytes = q->heap_bytes & ~UINT64_C(15),
                            .grid_workspace = q->workspace_va,
                            .cooperative = q->flags & QMD_COOPERATIVE,
                            .resident_blocks = resident_blocks(b->profile, q),
                            .sm_count = b->profile->gpu.sm_count,
                            .sm_version = soc_profile_cc(b->profile),
                            .grid_id = q->grid_id,
                            .order = q->order,
                            .step_limit = (uint64_t)q->step_limit_hi << 32 | q->step_limit_lo,
                            .tex = b->tex,
                            .library = b->library,
                            .fp64_ratio = b->profile->gpu.fp32_fp64_ratio,
                            .units = units_of(b->profile),
                            .races = q->flags & QMD_RACES_LOCKSTEP ? GRID_RACES_LOCKSTEP
                                     : q->flags & QMD_RACES        ? GRID_RACES_STRICT
                                                                   : GRID_RACES_OFF,
                            .budget = budget_of(g, q),
                            .clock_ns = b->trace->now_ns,
                            .clock_mhz = b->profile->gpu.clock_khz / 1000,
                            .schedulers = b->profile->gpu.sm_count * b->profile->gpu.cores_per_sm /
                                          b->profile->gpu.warp_threads,
                        });
    ch->grid_cycles = 0;
    ch->grid_split = false;
    ch->grid_stale = ch->grid_l1_stale = false;
    ch->grid_besides = 0;
    ch->grid_begin_ns = b->trace->now_ns;
    if (!ch->grid) {
        compute_fail(ch, CHAN_ERROR_LAUNCH, q->entry);
    }
}

bool compute_method(struct channel *ch, uint32_t method, uint32_t data)
{
    if (method == COMPUTE_SEND_PCAS_A) {
        ch->pcas_a = data;
        return true;
    }
    if (method == COMPUTE_SEND_SIGNALING_PCAS_B && data == PCAS_B_SCHEDULE) {
        ch->grid_qmd = (uint64_t)ch->pcas_a << 8;
        compute_launch(ch);
        return true;
    }
    return false;
}

void compute_cancel(struct channel *ch)
{
    g_clear_pointer(&ch->grid, grid_free);
}

static void grid_failed(struct channel *ch)
{
    static const enum chan_error_kind kinds[] = {
        [GRID_FAULT_NONE] = CHAN_ERROR_LAUNCH,
        [GRID_FAULT_MMU] = CHAN_ERROR_MMU,
        [GRID_FAULT_MISALIGNED] = CHAN_ERROR_MISALIGNED,
        [GRID_FAULT_SHARED_RANGE] = CHAN_ERROR_SHARED_RANGE,
        [GRID_FAULT_LOCAL_RANGE] = CHAN_ERROR_LOCAL_RANGE,
        [GRID_FAULT_INSTRUCTION] = CHAN_ERROR_INSTRUCTION,
        [GRID_FAULT_ATOMIC] = CHAN_ERROR_ATOMIC,
        [GRID_FAULT_TRAP] = CHAN_ERROR_TRAP,
        [GRID_FAULT_ASSERT] = CHAN_ERROR_ASSERT,
        [GRID_FAULT_STACK] = CHAN_ERROR_STACK,
        [GRID_FAULT_TIMEOUT] = CHAN_ERROR_TIMEOUT,
        [GRID_FAULT_BARRIER] = CHAN_ERROR_BARRIER,
        [GRID_FAULT_FREE] = CHAN_ERROR_FREE,
        [GRID_FAULT_MBARRIER] = CHAN_ERROR_MBARRIER,
    };
    const struct grid_fault *f = grid_fault(ch->grid);
    struct chan_error e = {
        .kind = kinds[f->kind],
        .va = f->va,
        .size = f->size,
        .write = f->write,
        .reason = channel_fault_reason(f->reason),
        .agent = ch->igpu->board.agents.sm,
        .qmd = ch->grid_qmd,
        .entry = ch->qmd.entry,
        .func = f->func_index,
        .ptx_line = f->line,
        .source_file = f->source_file,
        .source_line = f->source_line,
        .method = f->members,
        .data = f->missing,
    };

    memcpy(e.block, f->block, sizeof(e.block));
    memcpy(e.thread, f->thread, sizeof(e.thread));
    trace_emit_more(ch->igpu->board.trace, TRACE_EVENT_GRID_FAULT, ch->igpu->board.agents.sm, 0,
                    (const uint64_t[TRACE_ARGS]){ ch->number, ch->grid_qmd, e.kind, f->va,
                                                  grid_stats(ch->grid)->warp_insts });
    channel_fail(ch, &e);
}

/* Once a grid. */
static void barrier_report(struct channel *ch)
{
    uint64_t place[2];

    if (!ch->grid_split && grid_barrier_split(ch->grid, place)) {
        ch->grid_split = true;
        trace_emit(ch->igpu->board.trace, TRACE_EVENT_BARRIER_SPLIT, ch->igpu->board.agents.sm, 0,
                   ch->number, ch->qmd.grid_id, place[0], place[1]);
    }
}

/* Once a grid. */
static void stale_report(struct channel *ch)
{
    uint64_t place, va;

    if (!ch->grid_stale && grid_tex_stale(ch->grid, &place, &va)) {
        ch->grid_stale = true;
        trace_emit(ch->igpu->board.trace, TRACE_EVENT_TEX_STALE, ch->igpu->board.agents.sm, 0,
                   ch->number, ch->qmd.grid_id, place, va);
    }
}

/* Once a grid. */
static void l1_stale_report(struct channel *ch)
{
    struct bus_port *port = ch->igpu->board.port;

    if (!ch->grid_l1_stale && port->stale) {
        ch->grid_l1_stale = true;
        trace_emit(ch->igpu->board.trace, TRACE_EVENT_L1_STALE, ch->igpu->board.agents.sm, 0,
                   ch->number, ch->qmd.grid_id, port->stale_place, port->stale - 1);
    }
    port->stale = 0; /* the next one may be another grid's */
}

/* The first ones of a grid. */
static void beside_report(struct channel *ch)
{
    struct bus_port *port = ch->igpu->board.port;

    for (unsigned i = 0; i < port->besides && ch->grid_besides < BUS_BESIDES; i++) {
        const struct bus_beside *b = &port->beside[i];

        ch->grid_besides++;
        trace_emit_more(
            ch->igpu->board.trace, TRACE_EVENT_GPU_BESIDE, ch->igpu->board.agents.sm, 0,
            (const uint64_t[TRACE_ARGS]){ ch->number, ch->qmd.grid_id, b->place, b->va, b->write });
    }
    port->besides = 0; /* the next ones may be another grid's */
}

static uint64_t side_of(const struct grid_race_side *s)
{
    return s->kind | (uint64_t)s->scope << KERNEL_RACE_SCOPE;
}

static uint64_t race_of(const struct grid_race *r)
{
    return side_of(&r->later) | side_of(&r->earlier) << KERNEL_RACE_OTHER |
           (uint64_t)r->relation << KERNEL_RACE_RELATION |
           (uint64_t)r->missing << KERNEL_RACE_MISSING | (uint64_t)r->shared << KERNEL_RACE_SHARED |
           (uint64_t)r->same_value << KERNEL_RACE_SAME_VALUE |
           (uint64_t)r->loop << KERNEL_RACE_LOOP | (uint64_t)r->owner << KERNEL_RACE_OWNER |
           (uint64_t)r->bytes << KERNEL_RACE_BYTES;
}

/* At the end of a grid */
static void races_report(struct channel *ch)
{
    struct trace *trace = ch->igpu->board.trace;
    enum bus_agent sm = ch->igpu->board.agents.sm;
    const struct grid_race *row;
    size_t n = grid_races(ch->grid, &row);
    uint64_t blocks;
    bool some;

    for (size_t i = 0; i < n; i++, row++) {
        uint64_t who[TRACE_ARGS] = { ch->number,
                                     row->later.thread | (uint64_t)row->earlier.thread << 32,
                                     row->later.block, row->earlier.block, row->times };
        uint64_t what[TRACE_ARGS] = { ch->number,         ch->qmd.grid_id, row->later.place,
                                      row->earlier.place, row->address,    race_of(row) };

        trace_emit_more(trace, TRACE_EVENT_KERNEL_RACE_WHO, sm, 0, who);
        trace_emit_more(trace, TRACE_EVENT_KERNEL_RACE, sm, 0, what);
    }
    if (grid_races_stopped(ch->grid)) {
        trace_emit(trace, TRACE_EVENT_KERNEL_UNCHECKED, sm, 0, ch->number, ch->qmd.grid_id, 0, 0);
    }
    if (grid_races_part(ch->grid, &blocks, &some)) {
        trace_emit(trace, TRACE_EVENT_KERNEL_SAMPLED, sm, 0, ch->number, ch->qmd.grid_id, blocks,
                   some);
    }
}

/* Warps that are there together, and wait together. */
static uint64_t warps_at_once(const struct soc_profile *p, const struct qmd *q)
{
    uint64_t threads = (uint64_t)q->block[0] * q->block[1] * q->block[2];
    uint64_t blocks = (uint64_t)q->grid[0] * q->grid[1] * q->grid[2];
    uint64_t warps = (threads + p->gpu.warp_threads - 1) / p->gpu.warp_threads;

    return MAX(warps * MIN(blocks, resident_blocks(p, q)), 1);
}

/* What a warp waits for: a store leaves it at once. */
static uint64_t loads_of(const struct grid *g)
{
    const struct grid_stats *s = grid_stats(g);

    return s->mem_insts - s->store_insts;
}

enum igpu_progress compute_run(struct channel *ch, uint64_t quantum)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint64_t cycles, insts = grid_stats(ch->grid)->warp_insts;
    uint64_t accesses = loads_of(ch->grid);
    enum grid_state state;

    b->port->agent = b->agents.sm;
    state = grid_run(ch->grid, MIN(quantum, b->slice / INST_WORK));
    *b->work += (grid_stats(ch->grid)->warp_insts - insts) * INST_WORK;
    compute_compile(ch, g_hash_table_lookup(ch->igpu->programs, &ch->qmd.code_id));
    cycles = grid_cycles(ch->grid);
    accesses = loads_of(ch->grid) - accesses;
    b->elapse(b->opaque, cycles - ch->grid_cycles,
              accesses * IGPU_WAIT / warps_at_once(b->profile, &ch->qmd));
    ch->grid_cycles = cycles;
    barrier_report(ch);
    stale_report(ch);
    l1_stale_report(ch);
    beside_report(ch);
    if (state == GRID_FAULT || state == GRID_DONE) {
        races_report(ch);
    }
    if (state == GRID_FAULT) {
        grid_failed(ch);
    } else if (state == GRID_DONE) {
        ch->igpu->sm_free_ns = MAX(ch->igpu->sm_free_ns, b->trace->now_ns);
        trace_emit(b->trace, TRACE_EVENT_GRID_END, b->agents.sm, 0, ch->number, ch->grid_qmd,
                   grid_stats(ch->grid)->warp_insts, b->trace->now_ns - ch->grid_begin_ns);
        compute_cancel(ch);
    }
    return state == GRID_SPINNING ? IGPU_SPINS : IGPU_PROGRESS;
}

/* SPDX-License-Identifier: MIT */
#include "checker/rules/memory_kinds.h"

#define SECTOR 32u

static bool memory_kind_of(enum run_kind kind, enum charge_kind *out)
{
    static const enum charge_kind kinds[] = {
        [RUN_DEVICE] = CHARGE_COPIED,         [RUN_PINNED] = CHARGE_PINNED,
        [RUN_REGISTERED] = CHARGE_REGISTERED, [RUN_MANAGED] = CHARGE_MANAGED,
        [RUN_PAGEABLE] = CHARGE_PAGEABLE,
    };

    if (kind == RUN_DRIVER || kind == RUN_SHARED) {
        return false;
    }
    *out = kinds[kind];
    return true;
}

/* --- what kernels, copies and the CPU did
 * ------------------------------------------------------- */

static void memory_kernels_take(const struct run *r, GArray *kernels)
{
    for (guint i = 0; i < r->kernels->len; i++) {
        const struct run_kernel *from = r->kernels->pdata[i];
        struct charge_kernel k = { .launches = from->ended,
                                   .time_ns = from->time_ns,
                                   .warp_insts = from->warp_insts };

        g_array_append_val(kernels, k);
    }
}

static uint64_t memory_uses_take(const struct run_region *region, unsigned buffer, GArray *uses)
{
    uint64_t launches = 0;

    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];
        const struct run_count *n = &use->sum;
        struct charge_use u = { .kernel = use->kernel->index,
                                .buffer = buffer,
                                .read = n->read_bytes,
                                .written = n->write_bytes,
                                .dram = n->port_read_bytes + n->port_write_bytes,
                                .l2 = (n->read_hits + n->read_misses) * SECTOR + n->write_bytes };

        g_array_append_val(uses, u);
        launches = MAX(launches, use->kernel->ended);
    }
    return launches;
}

/* By the number of the buffer: pageable memory has none before an engine uses it. */
static unsigned memory_end(const struct run *r, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    return region ? region->number : 0;
}

static void memory_copies_take(const struct run *r, unsigned number, struct charge_buffer *b)
{
    for (guint i = 0; i < r->copies->len; i++) {
        const struct run_copy *c = r->copies->pdata[i];
        unsigned from = memory_end(r, c->src), to = memory_end(r, c->dst);

        if (to == number && from != number) {
            b->copies_in += c->count;
            b->in += c->bytes;
            b->staged += from ? 0 : c->bytes;
        } else if (from == number && to != number) {
            b->copies_out += c->count;
            b->out += c->bytes;
            b->staged += to ? 0 : c->bytes;
        }
    }
}

static struct charge_buffer memory_buffer(const struct run *r, const struct run_region *region,
                                          enum charge_kind kind)
{
    const struct run_count *cpu = &region->agent[BUS_AGENT_CPU];
    struct charge_buffer b = { .kind = kind,
                               .size = region->size,
                               .allocations = region->times,
                               .cpu_known = r->hooks,
                               .loads = cpu->read_ops,
                               .stores = cpu->write_ops,
                               .read = cpu->read_bytes,
                               .written = cpu->write_bytes,
                               .misses = cpu->read_misses + cpu->write_misses };

    memory_copies_take(r, region->number, &b);
    return b;
}

/* --- engines
 * ------------------------------------------------------------------------------------ */

static uint64_t memory_engine_bytes(const struct run_region *region)
{
    uint64_t bytes = 0;

#define ENGINE(NAME, ...)                                           \
    bytes = MAX(bytes, region->agent[BUS_AGENT_##NAME].read_bytes); \
    bytes = MAX(bytes, region->agent[BUS_AGENT_##NAME].write_bytes);
#include "model/engines.h"
    return bytes;
}

/* An engine goes through the buffer once a frame (inferred). */
static void memory_way_take(const struct run *r, const struct run_region *region, uint64_t launches,
                            GArray *ways)
{
    uint64_t engine = memory_engine_bytes(region), frames = engine / MAX(region->size, 1);
    const struct run_count *gpu = &region->agent[BUS_AGENT_IGPU];
    struct memory_way w = { .region = region,
                            .shared = { .size = region->size,
                                        .frames = MAX(frames ? frames : launches, 1),
                                        .gpu_read = gpu->read_bytes,
                                        .gpu_written = gpu->write_bytes } };

    if (!engine && region->kind != RUN_SHARED) {
        return;
    }
    for (unsigned way = 0; way < CHARGE_WAYS; way++) {
        w.ns[way] = charge_way_ns(&w.shared, way, &r->board);
    }
    g_array_append_val(ways, w);
}

/* --- all
 * ---------------------------------------------------------------------------------------- */

/* The buffers first: a cost is one of all that a kernel uses. */
static void memory_regions_take(const struct run *r, struct memory_kinds *m, GArray *buffers,
                                GArray *uses)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];
        struct memory_kind kind = { .region = region };
        enum charge_kind as;
        uint64_t launches = 0;

        if (!region->number || region->vidmem) {
            continue;
        }
        if (memory_kind_of(region->kind, &as)) {
            struct charge_buffer b = memory_buffer(r, region, as);

            launches = memory_uses_take(region, buffers->len, uses);
            kind.launches = launches;
            g_array_append_val(buffers, b);
            g_array_append_val(m->kinds, kind);
        }
        memory_way_take(r, region, launches, m->ways);
    }
}

static void memory_answers_make(const struct run *r, struct memory_kinds *m,
                                const struct charge_run *run)
{
    for (guint i = 0; i < m->kinds->len; i++) {
        struct memory_kind *kind = &g_array_index(m->kinds, struct memory_kind, i);

        charge_answer(run, i, kind->launches, &r->board, &kind->answer);
    }
}

struct memory_kinds *memory_kinds_new(const struct run *r)
{
    struct memory_kinds *m = g_new(struct memory_kinds, 1);
    GArray *kernels = g_array_new(FALSE, FALSE, sizeof(struct charge_kernel));
    GArray *buffers = g_array_new(FALSE, FALSE, sizeof(struct charge_buffer));
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(struct charge_use));
    struct charge_run run = { .profile = &r->board };

    m->kinds = g_array_new(FALSE, FALSE, sizeof(struct memory_kind));
    m->ways = g_array_new(FALSE, FALSE, sizeof(struct memory_way));
    if (r->has_board && !r->facts.discrete) {
        memory_kernels_take(r, kernels);
        memory_regions_take(r, m, buffers, uses);
    }
    run.kernels = (const void *)kernels->data;
    run.buffers = (const void *)buffers->data;
    run.uses = (const void *)uses->data;
    run.n_kernels = kernels->len;
    run.n_buffers = buffers->len;
    run.n_uses = uses->len;
    memory_answers_make(r, m, &run);
    g_array_free(kernels, TRUE);
    g_array_free(buffers, TRUE);
    g_array_free(uses, TRUE);
    return m;
}

void memory_kinds_free(struct memory_kinds *m)
{
    g_array_free(m->kinds, TRUE);
    g_array_free(m->ways, TRUE);
    g_free(m);
}

/* SPDX-License-Identifier: MIT */
#include "tests/grid_rig.h"
#include "model/igpu/sm.h"
#include "model/library/library.h"
#include "model/tex/tex.h"
#include <check.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>

static bool rig_holds(uint64_t va, uint64_t len)
{
    return va >= RIG_BASE && va - RIG_BASE <= RIG_BYTES - len;
}

static enum bus_status rig_fail(struct rig *r, uint64_t va, bool write, const char *reason)
{
    r->port.fault = (struct bus_fault){ .va = va, .write = write, .reason = reason };
    return BUS_FAULT;
}

static enum bus_status rig_load(struct bus_port *port, uint64_t line_va, unsigned sectors,
                                unsigned how, const uint8_t **line)
{
    struct rig *r = (struct rig *)port;

    ck_assert_uint_eq(line_va % BUS_LINE, 0);
    ck_assert(sectors > 0 && sectors < 16);
    if (!rig_holds(line_va, BUS_LINE)) {
        return rig_fail(r, line_va, false, "PTE invalid");
    }
    r->loads++;
    r->sectors += (uint64_t)__builtin_popcount(sectors);
    r->last_scope = how & BUS_HOW_SCOPE;
    if (r->on_access) {
        r->on_access(r, line_va, false);
    }
    *line = r->mem + (line_va - RIG_BASE);
    return BUS_OK;
}

static enum bus_status rig_store(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                                 const struct bus_mask *mask, enum bus_scope scope)
{
    struct rig *r = (struct rig *)port;

    ck_assert_uint_eq(line_va % BUS_LINE, 0);
    if (!rig_holds(line_va, BUS_LINE)) {
        return rig_fail(r, line_va, true, "PTE invalid");
    }
    if (r->read_only_from && line_va >= r->read_only_from) {
        return rig_fail(r, line_va, true, "read-only");
    }
    r->stores++;
    r->last_scope = scope;
    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (mask->word[i / 64] >> i % 64 & 1) {
            r->mem[line_va - RIG_BASE + i] = data[i];
        }
    }
    if (r->on_access) {
        r->on_access(r, line_va, true);
    }
    return BUS_OK;
}

static enum bus_status rig_atomic(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                                  unsigned size, uint64_t operand, uint64_t compare, unsigned how,
                                  uint64_t *old)
{
    struct rig *r = (struct rig *)port;
    enum bus_scope scope = how & BUS_HOW_SCOPE;
    uint64_t now;

    ck_assert_uint_eq(va % size, 0);
    if (!rig_holds(va, size)) {
        return rig_fail(r, va, true, "PTE invalid");
    }
    if (scope == BUS_SCOPE_SYS && r->no_system_atomics) {
        r->port.fault = (struct bus_fault){ .va = va, .write = true };
        return BUS_UNSUPPORTED;
    }
    r->atomics++;
    r->last_scope = scope;
    *old = 0;
    memcpy(old, r->mem + (va - RIG_BASE), size);
    now = bus_atomic_apply(op, BUS_ATOMIC_AT_L2, size, *old, operand, compare);
    memcpy(r->mem + (va - RIG_BASE), &now, size);
    if (r->on_access) {
        r->on_access(r, va, true);
    }
    return BUS_OK;
}

static const struct bus_port_ops rig_ops = {
    .load = rig_load,
    .store = rig_store,
    .atomic = rig_atomic,
};

void rig_init(struct rig *r)
{
    *r = (struct rig){ .port = { .ops = &rig_ops } };
    r->mem = g_malloc0(RIG_BYTES);
}

void rig_free(struct rig *r)
{
    g_free(r->mem);
}

void *rig_at(struct rig *r, uint64_t va)
{
    ck_assert(rig_holds(va, 1));
    return r->mem + (va - RIG_BASE);
}

struct grid_program *rig_program(const char *ptx)
{
    struct ptx_error error = { .text = "" };
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), &error);
    struct grid_program *p;

    ck_assert_msg(m != NULL, "parse: line %u: %s", error.pos.line, error.text);
    p = grid_program_new(m, &error);
    ck_assert_msg(p != NULL, "decode: line %u: %s", error.pos.line, error.text);
    return p;
}

static uint32_t rig_entry(const struct grid_program *p, const char *name);

/* Every handler behind one that notes the micro-op. */
static bool *covered; /* shared between the processes that Check forks */
static sm_handler *const *real_handlers;

#define PTX_UOP(name, operands, spellings)                                             \
    static const struct ptx_uop *cover_##name(struct warp *w, const struct ptx_uop *u, \
                                              uint8_t *rf, uint32_t m)                 \
    {                                                                                  \
        covered[PTX_UOP_##name] = true;                                                \
        return real_handlers[PTX_UOP_##name](w, u, rf, m);                             \
    }
#include "ptx/uop.def"
#undef PTX_UOP

static sm_handler *const cover_handlers[PTX_UOP_COUNT] = {
#define PTX_UOP(name, operands, spellings) [PTX_UOP_##name] = cover_##name,
#include "ptx/uop.def"
#undef PTX_UOP
};

void rig_coverage_init(void)
{
    covered = mmap(NULL, PTX_UOP_COUNT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert(covered != MAP_FAILED);
}

bool rig_covered(unsigned op)
{
    return covered[op];
}

static void rig_cover(void)
{
    if (covered && sm_handlers != cover_handlers) {
        real_handlers = sm_handlers;
        sm_handlers = cover_handlers;
    }
}

struct grid *rig_grid(struct rig *r, struct grid_program *p, const struct rig_launch *l)
{
    struct grid *g;
    struct grid_desc d = {
        .entry = rig_entry(p, l->entry),
        .dynamic_shared = l->dynamic_shared,
        .param = l->param,
        .param_bytes = l->param_bytes,
        .global_base = RIG_GLOBALS,
        .const_base = RIG_CONSTS,
        .shared_window = RIG_SHARED_WINDOW,
        .local_window = RIG_LOCAL_WINDOW,
        .tex = &tex_ops,
        .library = &library_ops,
        .printf_va = RIG_RING,
        .printf_size = RIG_RING_BYTES,
        .grid_workspace = l->workspace,
        .heap_va = l->heap_va,
        .heap_bytes = l->heap_bytes,
        .cooperative = l->cooperative,
        .resident_blocks = l->resident_blocks ? l->resident_blocks : 1,
        .sm_count = 2,
        .order = l->order,
        .sm_version = l->sm_version ? l->sm_version : 87,
        .grid_id = 7,
        .step_limit = l->step_limit,
        .clock_ns = 1000000,
        .clock_mhz = 1000,
        .schedulers = l->schedulers,
        .units = l->units,
        .races = l->races,
        .budget = l->budget,
    };

    for (int i = 0; i < 3; i++) {
        d.grid[i] = MAX(l->grid[i], 1u);
        d.block[i] = MAX(l->block[i], 1u);
        d.cluster[i] = l->cluster[i];
    }
    g = grid_new(p, &r->port, &d);
    rig_cover();
    return g;
}

enum grid_state rig_run(struct grid *g)
{
    enum grid_state s = GRID_MORE;

    for (int spins = 0; spins < 64 && (s == GRID_MORE || s == GRID_SPINNING);) {
        s = grid_run(g, 1u << 20);
        spins += s == GRID_SPINNING;
    }
    return s;
}

void rig_launch(struct rig *r, const char *ptx, const struct rig_launch *l)
{
    struct grid_program *p = rig_program(ptx);
    struct grid *g = rig_grid(r, p, l);
    enum grid_state s = rig_run(g);

    ck_assert_msg(s == GRID_DONE, "state %d, %s at line %u: %s", (int)s,
                  grid_fault(g)->func ? grid_fault(g)->func : "?", grid_fault(g)->line,
                  grid_fault(g)->reason ? grid_fault(g)->reason : "");
    grid_free(g);
    grid_program_unref(p);
}

static uint32_t rig_entry(const struct grid_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->module->n_funcs; i++) {
        const struct ptx_func *f = p->module->funcs[i];

        if (f->is_entry && (!name || strcmp(f->name, name) == 0)) {
            return i;
        }
    }
    ck_abort_msg("no entry %s", name ? name : "at all");
    return 0;
}

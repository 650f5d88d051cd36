/* SPDX-License-Identifier: MIT */
/* tex, tld4, txq, suld, sust, sured: registers of a warp to and from the texture unit. */
#include "model/igpu/race/race.h"
#include "model/igpu/sm_half.h"
#include "model/igpu/sm_lanes.h"

/* The enumerations of the decoder and of the unit are the same ones. */
_Static_assert((int)PTX_TEX_ACUBE == (int)BUS_TEX_ACUBE, "geometries");
_Static_assert((int)PTX_TEX_GATHER == (int)BUS_TEX_GATHER, "modes");
_Static_assert((int)PTX_TEX_ZERO == (int)BUS_TEX_ZERO, "clamps");

static const u8 coords[] = { 1, 2, 3, 2, 3, 3, 4 };
static const u8 dims[] = { 1, 2, 3, 1, 2, 3, 3 };

/* The slot at @i, in the micro-op or the NOPs behind it */
static inline u32 tex_slot(const struct ptx_uop *u, u32 i)
{
    const struct ptx_uop *x = u + i / 6;
    const u32 slot[] = { x->d, x->a, x->b, x->c, x->e, x->target };

    return slot[i % 6];
}

static inline const struct ptx_uop *exec_behind(const struct ptx_uop *u, u32 slots)
{
    return u + (slots + 5) / 6;
}

static struct bus_tex *exec_unit(struct warp *w, const struct ptx_uop *u, enum race_tex what)
{
    struct grid *g = w->grid;

    if (!g->tex && g->desc.tex) {
        g->tex = g->desc.tex->open(g->port);
        if (g->desc.races != GRID_RACES_OFF) {
            g->desc.tex->watch(g->tex, race_tex_touch, g);
        }
    }
    if (g->race) {
        race_tex_begin(w, u, what);
    }
    g->stats.mem_insts++;
    return g->tex;
}

/* A reference to which nothing is bound: fetches and queries give 0, stores go nowhere (measured,
 * H200, driver 580.159.04). All lanes have the same one. */
static inline bool is_unbound(const struct ptx_uop *u, const u64 *handle)
{
    return u->flags & PTX_TEX_REF && !handle[0];
}

static const struct ptx_uop *exec_failed(struct warp *w, const struct ptx_uop *u,
                                         enum bus_tex_result result, u32 lane, u64 handle,
                                         bool write)
{
    switch (result) {
    case BUS_TEX_FAILED:
        return sm_fault_port(w, u, w->grid->desc.tex->status(w->grid->tex), lane,
                             w->grid->port->fault.va, 0, write);
    case BUS_TEX_OUTSIDE:
        return sm_fault(w, u, GRID_FAULT_MMU, lane, handle, 0, write, "outside the surface");
    default:
        return sm_fault(w, u, GRID_FAULT_MMU, lane, handle, 0, write,
                        "no texture or surface object");
    }
}

static u32 half_of(u32 bits)
{
    f32 v;

    memcpy(&v, &bits, 4);
    return half_put((f64)v, PTX_HALF_F16);
}

/* The first one of the grid. */
static void stale_note(struct warp *w, const struct ptx_uop *u)
{
    struct grid *g = w->grid;
    u64 va;

    if (!g->stale && g->desc.tex->stale(g->tex, &va)) {
        g->stale = true;
        g->stale_va = va;
        g->stale_place = sm_place(w->frame->code, u->inst);
    }
}

HANDLER(TEX)
{
    u32 n_coords = coords[u->sub], at = 1 + n_coords, lane = 0;
    u32 n_extra = u->scope == BUS_TEX_LEVEL ? 1 : u->scope == BUS_TEX_GRAD ? 2u * dims[u->sub] : 0;
    u32 out[4][32];
    struct bus_tex *t = exec_unit(w, u, RACE_TEX_LOAD);
    struct bus_tex_fetch f = { .geometry = (enum bus_tex_geometry)u->sub,
                               .mode = (enum bus_tex_mode)u->scope,
                               .channel = u->size,
                               .integer = u->flags & PTX_TEX_INTEGER,
                               .handle = SLOT(const u64, tex_slot(u, 0)),
                               .out = out };
    enum bus_tex_result result;

    for (u32 i = 0; i < n_coords; i++) {
        f.coord[i] = SLOT(const u32, tex_slot(u, 1 + i));
    }
    for (u32 i = 0; i < n_extra; i++) {
        f.extra[i] = SLOT(const u32, tex_slot(u, at + i));
    }
    if (w->grid->port->observed) {
        sm_note_place(w, u);
    }
    if (is_unbound(u, f.handle)) {
        memset(out, 0, sizeof(out));
        result = BUS_TEX_OK;
    } else {
        result = t ? w->grid->desc.tex->fetch(t, &f, m, &lane) : BUS_TEX_NO_OBJECT;
    }
    if (result != BUS_TEX_OK) {
        return exec_failed(w, u, result, lane, f.handle[lane], false);
    }
    if (w->grid->port->observed) {
        stale_note(w, u);
    }
    at += n_extra;
    for (u32 i = 0; i < u->vec; i++) {
        u32 *d = SLOT(u32, tex_slot(u, at + i));

        if (u->flags & PTX_TEX_HALVES) {
            LANES_OF(m) d[l] = half_of(out[2 * i][l]) | (u32)half_of(out[2 * i + 1][l]) << 16;
        } else {
            LANES d[l] = m & lane_bit[l] ? out[i][l] : d[l];
        }
    }
    return exec_behind(u, at + u->vec);
}

HANDLER(TXQ)
{
    const u64 *handle = SLOT(const u64, u->d);
    const u32 *level = SLOT(const u32, u->a);
    u32 *d = SLOT(u32, u->b);
    struct bus_tex *t = exec_unit(w, u, RACE_TEX_LOAD); /* of its header alone */

    LANES_OF(m)
    {
        u32 v = 0;
        enum bus_tex_result result =
            is_unbound(u, handle) ? BUS_TEX_OK
            : t ? w->grid->desc.tex->query(t, handle[l], (enum bus_tex_query)u->sub, level[l], &v)
                : BUS_TEX_NO_OBJECT;

        if (result != BUS_TEX_OK) {
            return exec_failed(w, u, result, l, handle[l], false);
        }
        d[l] = v;
    }
    return u + 1;
}

static struct bus_tex_access access_of(const struct ptx_uop *u, uint8_t *rf, u32 (*data)[32])
{
    struct bus_tex_access a = { .geometry = (enum bus_tex_geometry)u->sub,
                                .clamp = (enum bus_tex_clamp)u->scope,
                                .bytes = (unsigned)u->size * u->vec,
                                .formatted = u->flags & PTX_TEX_FORMATTED,
                                .reduce = -1,
                                .handle = SLOT(const u64, tex_slot(u, 0)),
                                .data = data };

    for (u32 i = 0; i < coords[u->sub]; i++) {
        a.coord[i] = SLOT(const u32, tex_slot(u, 1 + i));
    }
    return a;
}

static const struct ptx_uop *access_run(struct warp *w, const struct ptx_uop *u, u32 m,
                                        struct bus_tex_access *a)
{
    u32 lane = 0;
    struct bus_tex *t = exec_unit(w, u,
                                  a->reduce >= 0 ? RACE_TEX_REDUCE
                                  : a->store     ? RACE_TEX_STORE
                                                 : RACE_TEX_LOAD);
    enum bus_tex_result result;

    if (is_unbound(u, a->handle)) {
        memset(a->data, 0, 4 * sizeof(*a->data));
        return NULL;
    }
    if (w->grid->port->observed) {
        sm_note_place(w, u);
    }
    result = t ? w->grid->desc.tex->access(t, a, m, &lane) : BUS_TEX_NO_OBJECT;
    return result == BUS_TEX_OK
               ? NULL
               : exec_failed(w, u, result, lane, a->handle[lane], a->store || a->reduce >= 0);
}

/* Bytes of a lane's access lie close together in @data: of the values' registers and back. */
static void values_get(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 (*data)[32])
{
    u32 at = 1 + coords[u->sub];

    LANES_OF(m)
    {
        uint8_t bytes[16] = { 0 };

        for (u32 i = 0; i < u->vec; i++) {
            u64 v = u->flags & PTX_TEX_WIDE ? SLOT(const u64, tex_slot(u, at + i))[l]
                                            : SLOT(const u32, tex_slot(u, at + i))[l];

            memcpy(bytes + i * u->size, &v, u->size);
        }
        for (u32 k = 0; k < 4; k++) {
            memcpy(&data[k][l], bytes + 4 * k, 4);
        }
    }
}

static void values_put(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 (*data)[32])
{
    u32 at = 1 + coords[u->sub];

    LANES_OF(m)
    {
        uint8_t bytes[16];

        for (u32 k = 0; k < 4; k++) {
            memcpy(bytes + 4 * k, &data[k][l], 4);
        }
        for (u32 i = 0; i < u->vec; i++) {
            u64 v = 0;

            memcpy(&v, bytes + i * u->size, u->size);
            if (u->flags & PTX_TEX_WIDE) {
                SLOT(u64, tex_slot(u, at + i))[l] = v;
            } else {
                SLOT(u32, tex_slot(u, at + i))[l] = (u32)v;
            }
        }
    }
}

HANDLER(SULD)
{
    u32 data[4][32];
    struct bus_tex_access a = access_of(u, rf, data);
    const struct ptx_uop *fault = access_run(w, u, m, &a);

    if (fault) {
        return fault;
    }
    values_put(u, rf, m, data);
    return exec_behind(u, 1u + coords[u->sub] + u->vec);
}

HANDLER(SUST)
{
    u32 data[4][32];
    struct bus_tex_access a = access_of(u, rf, data);
    const struct ptx_uop *fault;

    a.store = true;
    values_get(u, rf, m, data);
    w->effects++;
    w->grid->effects++;
    fault = access_run(w, u, m, &a);
    return fault ? fault : exec_behind(u, 1u + coords[u->sub] + u->vec);
}

HANDLER(SURED)
{
    u32 data[4][32];
    struct bus_tex_access a = access_of(u, rf, data);
    const struct ptx_uop *fault;

    a.reduce = (int)u->imm;
    values_get(u, rf, m, data);
    w->effects++;
    w->grid->effects++;
    w->grid->stats.atomics++;
    fault = access_run(w, u, m, &a);
    return fault ? fault : exec_behind(u, 2u + coords[u->sub]);
}

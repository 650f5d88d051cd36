/* SPDX-License-Identifier: MIT */
/* Loads and stores of memory on the SM: shared, local, parameters; generic addresses, which may lie
 * anywhere; the local stack.
 */
#include "model/igpu/sm_mem.h"

/* Most accesses to on-chip memory: one 32-bit register, four bytes each. */
static inline bool is_word(const struct ptx_uop *u)
{
    return u->vec == 1 && u->size == 4 && !(u->flags & PTX_MEM_WIDE);
}

static void words_load(const struct ptx_uop *u, uint8_t *rf, u32 m, const uint8_t *base,
                       const u64 *va)
{
    u32 *d = SLOT(u32, u->d);

    if (m == UINT32_MAX) {
        LANES memcpy(&d[l], base + va[l], 4);
    } else {
        LANES_OF(m) memcpy(&d[l], base + va[l], 4);
    }
}

/* In lane order: of lanes that store to the same word the highest wins. */
static void words_store(const struct ptx_uop *u, uint8_t *rf, u32 m, uint8_t *base, const u64 *va)
{
    const u32 *d = SLOT(const u32, u->d);

    LANES_OF(m) memcpy(base + va[l], &d[l], 4);
}

static inline bool lane_store_changes(const struct ptx_uop *u, uint8_t *rf, u32 l, uint8_t *p)
{
    u64 changed = 0;

    for (unsigned i = 0; i < u->vec; i++) {
        u64 old = bytes_get(p + i * u->size, u->size);

        bytes_put(p + i * u->size, value_get(u, rf, i, l), u->size);
        changed |= old ^ bytes_get(p + i * u->size, u->size);
    }
    return changed;
}

/* Memory on the SM: base, limit, and the fault that is due outside it */
struct on_chip {
    enum grid_fault_kind kind;
    const char *reason;
};

static const struct on_chip shared_space = { GRID_FAULT_SHARED_RANGE,
                                             "outside the block's shared memory" };
static const struct on_chip local_space = { GRID_FAULT_LOCAL_RANGE,
                                            "outside the thread's local memory" };
static const struct on_chip param_space = { GRID_FAULT_LOCAL_RANGE,
                                            "outside the kernel's parameters" };

static u32 lanes_outside(const u64 *va, u32 m, u64 size, u32 bytes)
{
    u64 limit = size < bytes ? 0 : size - bytes + 1, bad = 0;

    LANES bad |= va[l] >= limit ? (u64)lane_bit[l] : 0;
    return (u32)bad & m;
}

static const struct ptx_uop *check_on_chip(struct warp *w, const struct ptx_uop *u, u32 m,
                                           const struct addresses *a, u64 size, bool write,
                                           const struct on_chip *space)
{
    u32 bad = (u32)a->misaligned, bytes = access_bytes(u);

    if (bad) {
        return fault_misaligned(w, u, bad, a, bytes, write);
    }
    bad = lanes_outside(a->va, m, size, bytes);
    if (bad) {
        u32 lane = lane_first(bad);

        return sm_fault(w, u, space->kind, lane, a->va[lane], bytes, write, space->reason);
    }
    return NULL;
}

/* In a cluster, where each lane's address says of which block it is */
static const struct ptx_uop *cluster_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                            u32 m, const struct addresses *a, bool write)
{
    u32 bytes = access_bytes(u);

    w->grid->stats.shared_insts++;
    banks_bytes(w, bytes, m);
    LANES_OF(m)
    {
        uint8_t *p = cluster_place(w->block, a->va[l], bytes, NULL);

        if (!p) {
            return sm_fault(w, u, GRID_FAULT_SHARED_RANGE, l, a->va[l], bytes, write,
                            cluster_reason(w->block, a->va[l]));
        }
        if (write) {
            lane_store(u, rf, l, p);
        } else {
            lane_load(u, rf, l, p);
        }
    }
    w->effects += write;
    w->grid->effects += write;
    return u + 1;
}

static const struct ptx_uop *shared_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                           u32 m, const struct addresses *a, bool write)
{
    const struct ptx_uop *fault;

    if (w->block->cluster) {
        return a->misaligned ? fault_misaligned(w, u, (u32)a->misaligned, a, access_bytes(u), write)
                             : cluster_access(w, u, rf, m, a, write);
    }
    fault = check_on_chip(w, u, m, a, w->grid->shared_bytes, write, &shared_space);

    if (fault) {
        return fault;
    }
    w->grid->stats.shared_insts++;
    banks_bytes(w, access_bytes(u), m);
    if (write) {
        w->effects++;
        w->grid->effects++;
    }
    if (is_word(u)) {
        if (write) {
            words_store(u, rf, m, w->shared, a->va);
        } else {
            words_load(u, rf, m, w->shared, a->va);
        }
        return u + 1;
    }
    LANES_OF(m)
    {
        if (write) {
            lane_store(u, rf, l, w->shared + a->va[l]);
        } else {
            lane_load(u, rf, l, w->shared + a->va[l]);
        }
    }
    return u + 1;
}

static const struct ptx_uop *local_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const struct addresses *a, bool write)
{
    const struct ptx_uop *fault = check_on_chip(w, u, m, a, w->local_stride, write, &local_space);

    if (fault) {
        return fault;
    }
    LANES_OF(m)
    {
        uint8_t *p = warp_lane_local(w, l) + a->va[l];

        if (write && lane_store_changes(u, rf, l, p)) { /* only a change is progress */
            w->effects++;
            w->grid->effects++;
        } else if (!write) {
            lane_load(u, rf, l, p);
        }
    }
    return u + 1;
}

static const struct ptx_uop *param_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const struct addresses *a)
{
    const struct ptx_uop *fault =
        check_on_chip(w, u, m, a, w->grid->desc.param_bytes, false, &param_space);

    if (fault) {
        return fault;
    }
    if (u->vec == 1) { /* nearly always one address for all */
        u64 first = a->va[lane_first(m)], v = 0, other = 0;

        LANES other |= m & lane_bit[l] ? a->va[l] ^ first : 0;
        if (!other) {
            memcpy(&v, w->grid->param + first, u->size);
            value_splat(u, rf, 0, m, v);
            return u + 1;
        }
    }
    LANES_OF(m)
    {
        lane_load(u, rf, l, w->grid->param + a->va[l]);
    }
    return u + 1;
}

#define ON_CHIP(name, call)                            \
    HANDLER(name)                                      \
    {                                                  \
        struct addresses a;                            \
        addresses_take(u, rf, m, access_bytes(u), &a); \
        return call;                                   \
    }

ON_CHIP(LD_SHARED, shared_access(w, u, rf, m, &a, false))
ON_CHIP(ST_SHARED, shared_access(w, u, rf, m, &a, true))
ON_CHIP(LD_LOCAL, local_access(w, u, rf, m, &a, false))
ON_CHIP(ST_LOCAL, local_access(w, u, rf, m, &a, true))

HANDLER(LD_PARAM)
{
    const struct grid_desc *desc = &w->grid->desc;
    u32 bytes = access_bytes(u);
    struct addresses a;

    if (address_is_one(u, rf)) {
        u64 at = SLOT(const u64, u->a)[0] + (u64)u->imm;

        if (at <= desc->param_bytes && desc->param_bytes - at >= bytes && !(at & (bytes - 1))) {
            for (unsigned i = 0; i < u->vec; i++) {
                value_splat(u, rf, i, m, bytes_get(w->grid->param + at + i * u->size, u->size));
            }
            return u + 1;
        }
    }
    addresses_take(u, rf, m, bytes, &a);
    return param_access(w, u, rf, m, &a);
}

/* One register of 4 bytes in shared memory, whose addresses begin with @from: where, for each lane.
 * A 64-bit address (clang has them) counts by its lower half once the upper one is known to be 0.
 * Inactive lanes look at address 0.
 */
static inline bool shared_offsets(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 size, u32 from,
                                  u32 *at)
{
    u32 limit = size < 4 ? 0 : size - 3;
    u32 bad[32] __attribute__((aligned(64)));

    if (u->flags & PTX_MEM_A32) {
        const u32 *as = SLOT(const u32, u->a);

        LANES at[l] = as[l] + (u32)u->imm - from;
    } else {
        const u64 *as = SLOT(const u64, u->a);

        LANES
        {
            u64 v = as[l] + (u64)u->imm - from;

            at[l] = v >> 32 ? UINT32_MAX : (u32)v;
        }
    }
    LANES bad[l] = at[l] << 30 | (at[l] >= limit ? UINT32_MAX : 0);
    if (m != LANES_ALL) {
        u32 out = (lanes_top_bits(bad) | lanes_bits(bad, 30)) & m;

        LANES at[l] = m & lane_bit[l] ? at[l] : 0;
        return out == 0;
    }
    return (lanes_top_bits(bad) | lanes_bits(bad, 30)) == 0;
}

/* The same in a cluster, where all are of this block */
static __attribute__((noinline)) bool cluster_offsets(const struct warp *w, const struct ptx_uop *u,
                                                      uint8_t *rf, u32 m, u32 *at)
{
    return w->block->cluster &&
           shared_offsets(u, rf, m, w->grid->shared_bytes, w->block->shared_from, at);
}

/* All lanes within 128 bytes from the first one's on: a row, a broadcast. Worth asking where such a
 * look-up is cheaper than 32 loads. */
static inline bool shared_window(const u32 *at, u32 m)
{
#if defined(__AVX2__)
    u32 first = at[lane_first(m)], out[32] __attribute__((aligned(64)));

    LANES out[l] = at[l] - first < BUS_LINE ? 0 : UINT32_MAX;
    return (lanes_top_bits(out) & m) == 0;
#else
    (void)at;
    (void)m;
    return false;
#endif
}

/* Consecutive words, which 128 bytes and a copy are */
static inline bool shared_row(const u32 *at)
{
    u32 off = 0;

    if (at[31] - at[0] != BUS_LINE - 4) { /* nearly always, where it is not */
        return false;
    }
    LANES off |= at[l] ^ (at[0] + 4 * (u32)l);
    return off == 0;
}

HANDLER(LD_SHARED_32)
{
    u32 at[32] __attribute__((aligned(64)));
    u32 *d = SLOT(u32, u->d);
    const uint8_t *base = w->shared;

    if (!shared_offsets(u, rf, m, w->grid->shared_bytes, 0, at) &&
        !cluster_offsets(w, u, rf, m, at)) {
        struct addresses a;

        addresses_take(u, rf, m, 4, &a);
        return shared_access(w, u, rf, m, &a, false);
    }
    w->grid->stats.shared_insts++;
    if (m == LANES_ALL && shared_row(at)) {
        memcpy(d, base + at[0], BUS_LINE);
        return u + 1;
    }
    if (shared_window(at, m)) {
        u32 first = at[lane_first(m)];

        LANES at[l] -= first;
        lanes_look_up(base + first, at, m, d);
        return u + 1;
    }
    banks_words(w, at, m);
    if (m == LANES_ALL) {
        for (int l = 0; l < 32; l++) { /* as it stands: a gather is slower */
            d[l] = *(const u32 *)(const void *)(base + at[l]);
        }
    } else {
        LANES_OF(m)
        {
            d[l] = *(const u32 *)(const void *)(base + at[l]);
        }
    }
    return u + 1;
}

HANDLER(ST_SHARED_32)
{
    u32 at[32] __attribute__((aligned(64)));
    const u32 *d = SLOT(const u32, u->d);
    uint8_t *base = w->shared;

    if (!shared_offsets(u, rf, m, w->grid->shared_bytes, 0, at) &&
        !cluster_offsets(w, u, rf, m, at)) {
        struct addresses a;

        addresses_take(u, rf, m, 4, &a);
        return shared_access(w, u, rf, m, &a, true);
    }
    w->grid->stats.shared_insts++;
    w->effects++;
    w->grid->effects++;
    if (m == LANES_ALL && shared_row(at)) {
        memcpy(base + at[0], d, BUS_LINE);
        return u + 1;
    }
    banks_words(w, at, m);
    LANES_OF(m)
    {
        memcpy(base + at[l], &d[l], 4);
    }
    return u + 1;
}

/* Generic: each lane's address says where; the lanes of each space go together. */
static void split_spaces(const struct grid *g, struct addresses *a, u32 m, u32 spaces[4])
{
    LANES_OF(m)
    {
        u64 va = a->va[l];

        if (va - g->desc.shared_window < WINDOW_BYTES) {
            spaces[1] |= 1u << l;
            a->va[l] = va - g->desc.shared_window;
        } else if (va - g->desc.local_window < PARAM_WINDOW_OFFSET) {
            spaces[2] |= 1u << l;
            a->va[l] = va - g->desc.local_window;
        } else if (va - g->desc.local_window < WINDOW_BYTES) {
            spaces[3] |= 1u << l;
            a->va[l] = va - g->desc.local_window - PARAM_WINDOW_OFFSET;
        } else {
            spaces[0] |= 1u << l;
        }
    }
}

static const struct ptx_uop *generic_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                            u32 m, bool write)
{
    struct addresses a;
    u32 spaces[4] = { 0, 0, 0, 0 };
    const struct ptx_uop *next = u + 1;

    w->grid->stats.mem_insts++;
    w->grid->stats.store_insts += write;
    addresses_take(u, rf, m, access_bytes(u), &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, access_bytes(u), write);
    }
    split_spaces(w->grid, &a, m, spaces);
    if (spaces[0]) {
        next = write ? SM_NAME(store_lines)(w, u, rf, spaces[0], a.va)
                     : SM_NAME(load_lines)(w, u, rf, spaces[0], a.va);
    }
    if (spaces[1] && w->event != EVENT_FAULT) {
        next = shared_access(w, u, rf, spaces[1], &a, write);
    }
    if (spaces[2] && w->event != EVENT_FAULT) {
        next = local_access(w, u, rf, spaces[2], &a, write);
    }
    if (spaces[3] && w->event != EVENT_FAULT) {
        u32 lane = lane_first(spaces[3]);

        next = write ? sm_fault(w, u, GRID_FAULT_LOCAL_RANGE, lane, a.va[lane], access_bytes(u),
                                true, "kernel parameters cannot be written")
                     : param_access(w, u, rf, spaces[3], &a);
    }
    return next;
}

HANDLER(LD_GENERIC)
{
    return generic_access(w, u, rf, m, false);
}

HANDLER(ST_GENERIC)
{
    return generic_access(w, u, rf, m, true);
}

/* No cache to warm before the L2 knows of it: counted as issued, nothing else. */
HANDLER(PREFETCH)
{
    return u + 1;
}

/* A warp's accesses happen in program order here, so a fence has nothing to wait for. What the L1
 * holds may be older than what the fence has to show. */
HANDLER(FENCE)
{
    struct bus_port *port = w->grid->port;

    if (u->order & PTX_ORDER_ACQUIRE && u->scope >= PTX_SCOPE_GPU && port->ops->l1_empty) {
        port->ops->l1_empty(port, port->sm);
    }
    return u + 1;
}

/* alloca, 9.7.17: the local frame grows upwards, per warp; lanes ask for sizes of their own, and
 * all get the largest. */
HANDLER(ALLOCA)
{
    u64 most = 0, top, align = (u64)u->imm;

    LANES_OF(m)
    {
        u64 v = SLOT(u64, u->a)[l];

        most = v > most ? v : most;
    }
    top = (w->frame->local_top + align - 1) & ~(align - 1);
    if (most > LOCAL_BYTES_MAX || top + most > LOCAL_BYTES_MAX ||
        !warp_local_grow(w, (u32)(top + most))) {
        return sm_fault(w, u, GRID_FAULT_STACK, lane_first(m), top, (u32)most, false,
                        "alloca exceeds the thread's local memory");
    }
    w->frame->local_top = (u32)((top + most + 15) & ~UINT64_C(15));
    LANES_OF(m)
    {
        SLOT(u64, u->d)[l] = top;
    }
    return u + 1;
}

HANDLER(STACKSAVE)
{
    LANES_OF(m)
    {
        SLOT(u64, u->d)[l] = w->frame->local_top;
    }
    return u + 1;
}

HANDLER(STACKRESTORE)
{
    u64 v = SLOT(u64, u->d)[lane_first(m)];

    if (v >= w->frame->local_base + w->frame->code->local_bytes && v <= w->frame->local_top) {
        w->frame->local_top = (u32)v;
    }
    return u + 1;
}

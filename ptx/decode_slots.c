/* SPDX-License-Identifier: MIT */
/* Places in the register frame. nvcc writes PTX with a new register for nearly every value; a
 * warp's frame would not fit the host's first-level cache, so registers that are never live
 * together share a slot. Lanes may be at different instructions, but each lane has its own part of
 * a slot and only writes that, so what holds for one thread's path holds for the warp. 32- and
 * 64-bit slots are never mixed: lane 3 of one would lie in lane 7 of the other.
 */
#include "ptx/decode_priv.h"
#include <string.h>

static const uint32_t lane_bytes[] = { [SLOT_P] = 4, [SLOT_W] = 32 * 4, [SLOT_L] = 32 * 8 };

/* More than this is not worth the time (a function of some 20000 instructions and registers). */
#define LIVENESS_WORDS_MAX (8u << 20)

struct live_block {
    uint32_t first, end; /* micro-ops [first, end) */
};

struct liveness {
    const struct decoder *d;
    const struct ptx_code *code;
    const struct ptx_uop *uop;
    uint32_t n_uops, n_blocks, words;
    struct live_block *block;
    uint32_t *block_of; /* of a micro-op that begins one */
    uint64_t *in, *use, *kill;
};

static uint32_t *uop_field(struct ptx_uop *u, unsigned i)
{
    uint32_t *const f[] = { &u->d, &u->a, &u->b, &u->c, &u->e, &u->target };

    return f[i];
}

static uint32_t uop_slot(const struct ptx_uop *u, unsigned i)
{
    const uint32_t f[] = { u->d, u->a, u->b, u->c, u->e, u->target };

    return f[i];
}

#define UOP_FIELDS 6u

static bool uop_ends_block(const struct ptx_uop *u)
{
    return u->op == PTX_UOP_BRA || u->op == PTX_UOP_BRX || u->op == PTX_UOP_RET ||
           u->op == PTX_UOP_EXIT;
}

static void blocks_find(struct liveness *l)
{
    uint8_t *leader = g_new0(uint8_t, (size_t)l->n_uops + 1);
    uint32_t n = 0;

    leader[0] = 1;
    for (uint32_t i = 0; i < l->n_uops; i++) {
        if (l->uop[i].op == PTX_UOP_BRA) {
            leader[l->uop[i].target] = 1;
        }
        leader[i + 1] |= uop_ends_block(&l->uop[i]);
    }
    for (uint32_t t = 0; t < l->code->n_tables; t++) {
        for (uint32_t k = 0; k < l->code->tables[t].count; k++) {
            leader[l->code->tables[t].target[k]] = 1;
        }
    }
    l->block = g_new0(struct live_block, l->n_uops);
    l->block_of = g_new0(uint32_t, l->n_uops);
    for (uint32_t i = 0; i < l->n_uops; i++) {
        if (leader[i]) {
            l->block[n].first = i;
            l->block_of[i] = n++;
        }
        l->block[n - 1].end = i + 1;
    }
    l->n_blocks = n;
    g_free(leader);
}

static uint64_t *bits_of(const struct liveness *l, uint64_t *set, uint32_t block)
{
    return set + (size_t)block * l->words;
}

static bool bit_get(const uint64_t *b, uint32_t i)
{
    return b[i / 64] >> i % 64 & 1;
}

static void bit_set(uint64_t *b, uint32_t i)
{
    b[i / 64] |= UINT64_C(1) << i % 64;
}

/* A write under a guard keeps the old value where the guard is false: it ends no life. */
static void block_scan(struct liveness *l, uint32_t n)
{
    uint64_t *use = bits_of(l, l->use, n), *kill = bits_of(l, l->kill, n);

    for (uint32_t i = l->block[n].first; i < l->block[n].end; i++) {
        const struct ptx_uop *u = &l->uop[i];

        for (unsigned f = 0; f < UOP_FIELDS; f++) {
            if ((u->reads >> f & 1) && !bit_get(kill, uop_slot(u, f))) {
                bit_set(use, uop_slot(u, f));
            }
        }
        for (unsigned f = 0; f < UOP_FIELDS; f++) {
            if ((u->writes >> f & 1) && u->guard == SLOT_ID_ALL) {
                bit_set(kill, uop_slot(u, f));
            }
        }
    }
}

static void out_join(const struct liveness *l, uint64_t *out, uint32_t uop)
{
    const uint64_t *in = bits_of(l, l->in, l->block_of[uop]);

    for (uint32_t w = 0; w < l->words; w++) {
        out[w] |= in[w];
    }
}

/* What is live after a block: the union over where it may go */
static void block_out(const struct liveness *l, uint32_t n, uint64_t *out)
{
    const struct ptx_uop *last = &l->uop[l->block[n].end - 1];
    bool falls = !uop_ends_block(last) || last->guard != SLOT_ID_ALL;

    memset(out, 0, sizeof(uint64_t) * l->words);
    if (last->op == PTX_UOP_BRA) {
        out_join(l, out, last->target);
    }
    if (last->op == PTX_UOP_BRX) {
        const struct ptx_jump_table *t = &l->code->tables[last->imm];

        for (uint32_t k = 0; k < t->count; k++) {
            out_join(l, out, t->target[k]);
        }
    }
    if (falls && l->block[n].end < l->n_uops) {
        out_join(l, out, l->block[n].end);
    }
}

static void liveness_solve(struct liveness *l)
{
    uint64_t *out = g_new(uint64_t, l->words);
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t n = l->n_blocks; n-- > 0;) {
            uint64_t *in = bits_of(l, l->in, n), *use = bits_of(l, l->use, n);
            uint64_t *kill = bits_of(l, l->kill, n);

            block_out(l, n, out);
            for (uint32_t w = 0; w < l->words; w++) {
                uint64_t v = use[w] | (out[w] & ~kill[w]);

                changed = changed || v != in[w];
                in[w] = v;
            }
        }
    }
    g_free(out);
}

/* A slot's life as one stretch of positions: 2i when micro-op i reads, 2i + 1 when it writes. */
struct life {
    uint32_t slot, start, end;
};

static void life_add(struct life *life, uint32_t slot, uint32_t at)
{
    life[slot].start = MIN(life[slot].start, at);
    life[slot].end = MAX(life[slot].end, at);
}

static void lives_find(const struct liveness *l, struct life *life)
{
    uint64_t *out = g_new(uint64_t, l->words);

    for (uint32_t n = 0; n < l->n_blocks; n++) {
        const uint64_t *in = bits_of(l, l->in, n);

        block_out(l, n, out);
        for (uint32_t s = 0; s < l->d->slots->len; s++) {
            if (bit_get(in, s)) {
                life_add(life, s, 2 * l->block[n].first);
            }
            if (bit_get(out, s)) {
                life_add(life, s, 2 * l->block[n].end - 1);
            }
        }
        for (uint32_t i = l->block[n].first; i < l->block[n].end; i++) {
            const struct ptx_uop *u = &l->uop[i];

            for (unsigned f = 0; f < UOP_FIELDS; f++) {
                if (u->reads >> f & 1) {
                    life_add(life, uop_slot(u, f), 2 * i);
                }
                if (u->writes >> f & 1) {
                    life_add(life, uop_slot(u, f), 2 * i + 1);
                }
            }
        }
    }
    g_free(out);
}

static int life_order(const void *a, const void *b)
{
    const struct life *x = a, *y = b;

    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->slot > y->slot) - (x->slot < y->slot);
}

/* Linear scan: in order of birth, each slot takes the first place whose last owner has died. */
static uint32_t scan_class(const struct slot *slot, const struct life *life, uint32_t n,
                           enum slot_class cls, uint32_t *offset, uint32_t at)
{
    GArray *end = g_array_new(FALSE, FALSE, sizeof(uint32_t)); /* of each place's last owner */

    for (uint32_t i = 0; i < n; i++) {
        const struct life *x = &life[i];
        uint32_t k = 0;

        if (slot[x->slot].cls != cls || slot[x->slot].constant) {
            continue;
        }
        while (k < end->len && g_array_index(end, uint32_t, k) >= x->start) {
            k++;
        }
        if (k == end->len) {
            g_array_append_val(end, x->end);
        }
        g_array_index(end, uint32_t, k) = x->end;
        offset[x->slot] = at + k * lane_bytes[cls];
    }
    at += end->len * lane_bytes[cls];
    g_array_free(end, TRUE);
    return at;
}

static uint32_t place_shared(const struct decoder *d, struct liveness *l, uint32_t *offset,
                             uint32_t at)
{
    const struct slot *slot = (const struct slot *)(const void *)d->slots->data;
    struct life *life = g_new(struct life, d->slots->len);
    uint32_t n = d->slots->len;

    for (uint32_t i = 0; i < n; i++) {
        life[i] = (struct life){ i, UINT32_MAX, 0 };
    }
    lives_find(l, life);
    qsort(life, n, sizeof(*life), life_order);
    while (n && life[n - 1].start == UINT32_MAX) {
        n--; /* never used */
    }
    at = scan_class(slot, life, n, SLOT_L, offset, at);
    at = scan_class(slot, life, n, SLOT_W, offset, at);
    g_free(life);
    return at;
}

/* Each slot of its own */
static uint32_t place_apart(const struct decoder *d, uint32_t *offset, bool constants, uint32_t at)
{
    const struct slot *slot = (const struct slot *)(const void *)d->slots->data;

    for (uint32_t i = 0; i < d->slots->len; i++) {
        if (slot[i].cls != SLOT_P && slot[i].constant == constants) {
            offset[i] = at;
            at += lane_bytes[slot[i].cls];
        }
    }
    return at;
}

static uint32_t place_predicates(const struct decoder *d, uint32_t *offset)
{
    const struct slot *slot = (const struct slot *)(const void *)d->slots->data;
    uint32_t at = 0;

    for (uint32_t i = 0; i < d->slots->len; i++) {
        if (slot[i].cls == SLOT_P) {
            offset[i] = at;
            at += lane_bytes[SLOT_P];
        }
    }
    return (at + 63) / 64 * 64;
}

static uint32_t place_registers(const struct decoder *d, const struct ptx_code *code,
                                uint32_t *offset, uint32_t at)
{
    struct liveness l = {
        .d = d,
        .code = code,
        .uop = (const struct ptx_uop *)(const void *)d->uops->data,
        .n_uops = d->uops->len,
        .words = (d->slots->len + 63) / 64,
    };

    blocks_find(&l);
    if ((uint64_t)l.n_blocks * l.words > LIVENESS_WORDS_MAX) {
        at = place_apart(d, offset, false, at);
    } else {
        size_t words = (size_t)l.n_blocks * l.words;

        l.in = g_new0(uint64_t, words);
        l.use = g_new0(uint64_t, words);
        l.kill = g_new0(uint64_t, words);
        for (uint32_t n = 0; n < l.n_blocks; n++) {
            block_scan(&l, n);
        }
        liveness_solve(&l);
        at = place_shared(d, &l, offset, at);
    }
    g_free(l.block);
    g_free(l.block_of);
    g_free(l.in);
    g_free(l.use);
    g_free(l.kill);
    return at;
}

static void uop_rewrite(struct ptx_uop *u, const uint32_t *offset)
{
    for (unsigned i = 0; i < UOP_FIELDS; i++) {
        if ((u->reads | u->writes) >> i & 1) {
            *uop_field(u, i) = offset[uop_slot(u, i)];
        }
    }
    u->guard = offset[u->guard];
}

static void consts_fill(struct decoder *d, struct ptx_code *code, const uint32_t *offset)
{
    const struct slot *slot = (const struct slot *)(const void *)d->slots->data;
    GArray *consts = g_array_new(FALSE, FALSE, sizeof(struct ptx_const));

    for (uint32_t i = 0; i < d->slots->len; i++) {
        if (slot[i].constant) {
            struct ptx_const c = slot[i].init;

            c.offset = offset[i];
            c.wide = slot[i].cls == SLOT_L ? 1 : slot[i].cls == SLOT_P ? 2 : 0;
            g_array_append_val(consts, c);
        }
    }
    code->n_consts = consts->len;
    code->consts = (struct ptx_const *)(void *)g_array_free(consts, FALSE);
}

/* Predicates first, four bytes each, then registers, then constants. */
void decode_place_slots(struct decoder *d, struct ptx_code *code)
{
    uint32_t *offset = g_new0(uint32_t, d->slots->len);
    uint32_t at = place_predicates(d, offset);

    code->register_bytes = place_registers(d, code, offset, at);
    code->frame_bytes = place_apart(d, offset, true, code->register_bytes);
    for (uint32_t i = 0; i < d->uops->len; i++) {
        uop_rewrite(&g_array_index(d->uops, struct ptx_uop, i), offset);
    }
    consts_fill(d, code, offset);
    g_free(offset);
}

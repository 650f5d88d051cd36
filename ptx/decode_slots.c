/* SPDX-License-Identifier: MIT */
/* Places in the register frame. */
#include "ptx/decode_priv.h"

static void uop_rewrite(struct ptx_uop *u, const uint32_t *offset)
{
    uint32_t *const f[] = { &u->d, &u->a, &u->b, &u->c, &u->e, &u->target };
    unsigned used = u->reads | u->writes;

    for (unsigned i = 0; i < G_N_ELEMENTS(f); i++) {
        if (used >> i & 1) {
            *f[i] = offset[*f[i]];
        }
    }
    u->guard = offset[u->guard];
}

static const uint32_t lane_bytes[] = { [SLOT_P] = 4, [SLOT_W] = 32 * 4, [SLOT_L] = 32 * 8 };

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

static uint32_t place_class(const struct decoder *d, uint32_t *offset, bool predicates,
                            bool constants, uint32_t at)
{
    const struct slot *slot = (const struct slot *)(const void *)d->slots->data;

    for (uint32_t i = 0; i < d->slots->len; i++) {
        if ((slot[i].cls == SLOT_P) == predicates && (predicates || slot[i].constant == constants)) {
            offset[i] = at;
            at += lane_bytes[slot[i].cls];
        }
    }
    return (at + 63) / 64 * 64;
}

/* Predicates first, four bytes each, then registers, then constants, each on its own cache lines. */
void decode_place_slots(struct decoder *d, struct ptx_code *code)
{
    uint32_t *offset = g_new(uint32_t, d->slots->len);

    code->register_bytes = place_class(d, offset, true, false, 0);
    code->register_bytes = place_class(d, offset, false, false, code->register_bytes);
    code->frame_bytes = place_class(d, offset, false, true, code->register_bytes);
    for (uint32_t i = 0; i < d->uops->len; i++) {
        uop_rewrite(&g_array_index(d->uops, struct ptx_uop, i), offset);
    }
    consts_fill(d, code, offset);
    g_free(offset);
}

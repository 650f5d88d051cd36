/* SPDX-License-Identifier: MIT */
/* mma.sp, of a sparse A: PTX ISA 9.7.14.6. A lane has half the columns of A; four bits of metadata
 * say which two of four (of tf32 one of two, of 4-bit integers which two pairs of four) they are. A
 * product has the elements of B of those columns; it is summed as by mma (mma_float.h). Which lane
 * has whose metadata is as an H200 has it (tests/golden/mma_sp_h200_580.159.04.bin).
 */
#include "model/igpu/matrix/mma_rule.h"
#include "model/igpu/sm_half.h"

#define SP_ROWS 16u
#define SP_COLUMNS 8u
#define SP_DEPTH 128u /* columns of the largest A, of 4-bit integers */

/* What the handlers below share: the fragments, by slot of their first register
 * @half: columns of A that are there; @groups: of a row, with 4 bits each */
struct sparse {
    const struct ptx_uop *u;
    struct fragment_map f[4];
    u32 slot[6];
    u32 half, groups;
    enum ptx_elem e;
};

static struct sparse sparse_of(const struct ptx_uop *u)
{
    const u32 m = PTX_MATRIX_M(u->imm), n = PTX_MATRIX_N(u->imm), k = PTX_MATRIX_K(u->imm);
    const enum ptx_elem elem[4] = { (enum ptx_elem)u->size, (enum ptx_elem)u->vec,
                                    (enum ptx_elem)(u->sub >> 4), (enum ptx_elem)(u->sub & 15) };
    struct sparse s = { .u = u, .half = k / 2, .e = elem[0] };

    for (u32 p = 0; p < 4; p++) {
        s.f[p] = fragment_map((enum ptx_matrix_part)p, elem[p],
                              PTX_MATRIX_SHAPE(m, n, p == PTX_MATRIX_A ? k / 2 : k));
        s.slot[p + 1] = s.slot[p] + s.f[p].elems / s.f[p].per_reg + (p == PTX_MATRIX_C);
    }
    s.groups = k * ptx_elem_bits(s.e) / (s.e <= PTX_ELEM_TF32 ? 64 : 32);
    return s;
}

/* The four bits of group @g of row @r. Of floats a word has half of two rows, 8 apart; of integers
 * two lanes side by side have these rows. */
static u32 sparse_metadata(const struct sparse *s, const u32 *words, u32 r, u32 g)
{
    u32 lane = r % 8 * 4, shift;

    if (s->e <= PTX_ELEM_TF32) {
        lane += s->groups == 4 ? s->u->scope : s->u->scope * 2u + g / 4;
        shift = r / 8 * 16 + g % 4 * 4;
    } else {
        lane += s->u->scope * 2u + g / 8 * 2 + r / 8;
        shift = g % 8 * 4;
    }
    return words[lane] >> shift & 15;
}

/* The column of A in which element @k of row @r stands */
static u32 sparse_column(const struct sparse *s, const u32 *words, u32 r, u32 k)
{
    u32 per_group = s->half / s->groups, g = k / per_group, i = k % per_group;
    u32 bits = sparse_metadata(s, words, r, g);

    switch (per_group) {
    case 1: /* 0b0100 is the first of two, 0b1110 the second */
        return 2 * g + (bits >> 1 & 1);
    case 2:
        return 4 * g + (bits >> 2 * i & 3);
    default:
        return 8 * g + 2 * (bits >> i / 2 * 2 & 3) + i % 2;
    }
}

static u32 sparse_bits(const struct sparse *s, uint8_t *rf, u32 part, u32 i, u32 l)
{
    const struct fragment_map *f = &s->f[part];
    u32 word = SLOT(const u32, matrix_slot(s->u, s->slot[part] + i / f->per_reg))[l];
    u32 width = 32 / f->per_reg;

    return width == 32 ? word : word >> i % f->per_reg * width & ((1u << width) - 1);
}

static const u32 *sparse_words(const struct sparse *s, uint8_t *rf)
{
    return SLOT(const u32, matrix_slot(s->u, s->slot[PTX_MATRIX_D] - 1));
}

static s32 sparse_integer(enum ptx_elem e, u32 bits)
{
    return e == PTX_ELEM_S8 ? (s8)bits : e == PTX_ELEM_S4 ? (s32)(bits << 28) >> 28 : (s32)bits;
}

/* A part as a matrix, outer rows of inner elements */
static void sparse_integers(const struct sparse *s, uint8_t *rf, u32 part, s32 *to)
{
    for (u32 i = 0; i < s->f[part].elems; i++) {
        LANES to[fragment_index(&s->f[part], i, (u32)l)] =
            sparse_integer((enum ptx_elem)(part == PTX_MATRIX_A   ? s->u->size
                                           : part == PTX_MATRIX_B ? s->u->vec
                                                                  : PTX_ELEM_S32),
                           sparse_bits(s, rf, part, i, (u32)l));
    }
}

static void sparse_mma_integer(const struct sparse *s, uint8_t *rf, u32 m)
{
    s32 a[SP_ROWS * SP_DEPTH / 2], b[SP_COLUMNS * SP_DEPTH], c[SP_ROWS * SP_COLUMNS];
    const u32 depth = 2 * s->half, *words = sparse_words(s, rf);

    sparse_integers(s, rf, PTX_MATRIX_A, a);
    sparse_integers(s, rf, PTX_MATRIX_B, b);
    sparse_integers(s, rf, PTX_MATRIX_C, c);
    for (u32 r = 0; r < SP_ROWS; r++) {
        s64 sum[SP_COLUMNS] = { 0 };

        for (u32 k = 0; k < s->half; k++) {
            u32 column = sparse_column(s, words, r, k);

            for (u32 j = 0; j < SP_COLUMNS; j++) {
                sum[j] += a[r * s->half + k] * b[j * depth + column];
            }
        }
        for (u32 j = 0; j < SP_COLUMNS; j++) {
            s64 v = c[r * SP_COLUMNS + j] + sum[j];

            if (s->u->flags & PTX_MATRIX_SAT) {
                v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
            }
            c[r * SP_COLUMNS + j] = (s32)(u32)v;
        }
    }
    for (u32 i = 0; i < s->f[3].elems; i++) {
        s32 *d = SLOT(s32, matrix_slot(s->u, s->slot[PTX_MATRIX_D] + i));

        LANES_OF(m)
        {
            d[l] = c[fragment_index(&s->f[3], i, l)];
        }
    }
}

static f64 sparse_float(enum ptx_elem e, u32 bits)
{
    return e == PTX_ELEM_F16    ? half_get((u16)bits, PTX_HALF_F16, false)
           : e == PTX_ELEM_BF16 ? f32_from(bits << 16)
           : e == PTX_ELEM_TF32 ? f32_from(bits & 0xffffe000u)
                                : f32_from(bits);
}

static void sparse_floats(const struct sparse *s, uint8_t *rf, u32 part, enum ptx_elem e, f64 *to)
{
    for (u32 i = 0; i < s->f[part].elems; i++) {
        LANES to[fragment_index(&s->f[part], i, (u32)l)] =
            sparse_float(e, sparse_bits(s, rf, part, i, (u32)l));
    }
}

/* 2 to the exponent, at least @least; 0 of 0 */
static f64 sparse_exponent(f64 v, f64 least)
{
    f64 p = f64_from(f64_bits(v) & UINT64_C(0x7ff0000000000000));

    return v == 0.0 ? 0.0 : p < least ? least : p;
}

/* How the sum of a block is rounded: to f16 to the nearest, to f32 towards zero */
static f64 sparse_round(f64 v, bool to_f16)
{
    f64 cut = f64_from(f64_bits(v) & ~UINT64_C(0x1fffffff));

    if (to_f16) {
        return half_get(half_put(v, PTX_HALF_F16), PTX_HALF_F16, false) + 0.0; /* no -0 */
    }
    return fabs(v) < 0x1p-126 ? trunc(v * 0x1p149) * 0x1p-149 + 0.0
           : cut >= 0x1p128   ? (f64)INFINITY
           : cut <= -0x1p128  ? -(f64)INFINITY
                              : cut;
}

/* One element of D. @a, @b: @depth factors; all finite */
static f64 sparse_sum(const f64 *a, const f64 *b, f64 c, u32 depth, struct mma_rule rule, f64 least,
                      bool to_f16)
{
    const f64 unit = (f64)(1u << rule.frac);
    f64 over = 0.0;

    for (u32 from = 0; from < depth; from += rule.block) {
        u32 end = from + rule.block < depth ? from + rule.block : depth;
        f64 top = sparse_exponent(c, to_f16 ? 0x1p-14 : 0x1p-126), sum, v;

        for (u32 k = from; k < end; k++) {
            f64 p = sparse_exponent(a[k], least) * sparse_exponent(b[k], least);

            top = p > top ? p : top;
        }
        top = top == 0.0 ? 1.0 : top;
        sum = trunc(c * (unit / top));
        for (u32 k = from; k < end; k++) {
            sum += trunc(a[k] * b[k] * (unit / top));
        }
        v = sparse_round((sum + 0.0) * (top / unit), to_f16);
        over += v - v == 0.0 ? 0.0 : v;
        c = v - v == 0.0 ? v : 0.0;
    }
    return over != 0.0 ? over : c;
}

static f64 sparse_element(const f64 *a, const f64 *b, f64 c, u32 depth, struct mma_rule rule,
                          f64 least, bool to_f16)
{
    f64 s = c;

    for (u32 k = 0; k < depth; k++) {
        s += a[k] * b[k];
    }
    return s - s == 0.0 ? sparse_sum(a, b, c, depth, rule, least, to_f16) : s;
}

static void sparse_give(const struct sparse *s, uint8_t *rf, u32 m, bool half, const f64 *from)
{
    const struct fragment_map *f = &s->f[3];

    for (u32 i = 0; i < f->elems; i++) {
        u32 *reg = SLOT(u32, matrix_slot(s->u, s->slot[PTX_MATRIX_D] + i / f->per_reg));

        LANES_OF(m)
        {
            f64 v = from[fragment_index(f, i, l)];
            u32 h = half ? half_put(v, PTX_HALF_F16) : 0;

            reg[l] = !half   ? f32_bits(F32_CANON((f32)v))
                     : i % 2 ? (reg[l] & 0xffff) | h << 16
                             : (reg[l] & 0xffff0000u) | h;
        }
    }
}

static void sparse_mma_float(const struct warp *w, const struct sparse *s, uint8_t *rf, u32 m)
{
    const enum ptx_elem sums = (enum ptx_elem)(s->u->sub & 15);
    const struct mma_rule rule = mma_rule_of(w->grid->desc.sm_version, s->e);
    const f64 least = s->e == PTX_ELEM_F16 ? 0x1p-14 : 0x1p-126;
    const u32 depth = 2 * s->half, *words = sparse_words(s, rf);
    f64 a[SP_ROWS * 16], b[SP_COLUMNS * 32], c[SP_ROWS * SP_COLUMNS];

    sparse_floats(s, rf, PTX_MATRIX_A, s->e, a);
    sparse_floats(s, rf, PTX_MATRIX_B, s->e, b);
    sparse_floats(s, rf, PTX_MATRIX_C, sums, c);
    for (u32 r = 0; r < SP_ROWS; r++) {
        for (u32 j = 0; j < SP_COLUMNS; j++) {
            f64 picked[16], *to = &c[r * SP_COLUMNS + j];

            for (u32 k = 0; k < s->half; k++) {
                picked[k] = b[j * depth + sparse_column(s, words, r, k)];
            }
            *to = sparse_element(a + r * s->half, picked, *to, s->half, rule, least,
                                 sums == PTX_ELEM_F16);
        }
    }
    sparse_give(s, rf, m, sums == PTX_ELEM_F16, c);
}

HANDLER(MATRIX_MMA_SP)
{
    const struct sparse s = sparse_of(u);

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, s.slot[4]);
    }
    if (s.e <= PTX_ELEM_TF32) {
        sparse_mma_float(w, &s, rf, m);
    } else {
        sparse_mma_integer(&s, rf, m);
    }
    return u + (s.slot[4] + 5) / 6;
}

/* SPDX-License-Identifier: MIT */
/* mma, wmma, ldmatrix, movmatrix. The layouts of mma are those of PTX ISA 9.7.14.5, written here
 * from its formulas; products are matrices of plain C. Small integers are exact in every element
 * type, so their products compare exactly. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

enum kind { F16, BF16, TF32, F64, S8, U8, S4, U4, B1, F32, S32 };
static const unsigned bits_of[] = { 16, 16, 32, 64, 8, 8, 4, 4, 1, 32, 32 };

/* The element as it is stored: exact for integers of up to 8 bits and their sums in f16 up to 2048
 */
static uint64_t encode(enum kind k, double v)
{
    float f = (float)v;
    uint32_t w;
    uint64_t l;
    int e;

    memcpy(&w, &f, 4);
    memcpy(&l, &v, 8);
    switch (k) {
    case F16:
        if (v == 0) {
            return 0;
        }
        frexp(v, &e);
        return (v < 0 ? 0x8000u : 0) | (uint32_t)(e + 14) << 10 | ((w >> 13) & 0x3ff);
    case BF16:
        return w >> 16;
    case TF32:
    case F32:
        return w;
    case F64:
        return l;
    default:
        return (uint64_t)(int64_t)v & (bits_of[k] == 32 ? 0xffffffffu : (1u << bits_of[k]) - 1);
    }
}

/* Test data: small, of both signs where the type has them, no two neighbours equal */
static double datum(enum kind k, unsigned seed, unsigned i)
{
    uint32_t h = (i + 1) * 2654435761u ^ seed * 40503u;

    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    switch (k) {
    case S8:
        return (int8_t)h;
    case U8:
        return (uint8_t)h;
    case S4:
        return (int)(h % 16) - 8;
    case U4:
        return h % 16;
    case B1:
        return h % 2;
    default:
        return (int)(h % 17) - 8;
    }
}

struct form {
    const char *text;
    enum kind a, b, c;
    unsigned m, n, k;
};

static const struct form mma_forms[] = {
    { "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 8 },
    { "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 16 },
    { "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", F16, F16, F16, 16, 8, 8 },
    { "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", F16, F16, F16, 16, 8, 16 },
    { "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 8, 8 },
    { "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 8, 16 },
    { "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 4 },
    { "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 8 },
    { "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", F64, F64, F64, 8, 8, 4 },
    { "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", S8, S8, S32, 8, 8, 16 },
    { "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", U8, S8, S32, 16, 8, 16 },
    { "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", S8, S8, S32, 16, 8, 32 },
    { "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", S8, U8, S32, 16, 8, 32 },
    { "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", S4, S4, S32, 8, 8, 32 },
    { "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", U4, S4, S32, 16, 8, 32 },
    { "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", S4, U4, S32, 16, 8, 64 },
    { "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", B1, B1, S32, 8, 8, 128 },
    { "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", B1, B1, S32, 16, 8, 128 },
    { "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", B1, B1, S32, 16, 8, 256 },
};

static double product(const struct form *f, unsigned i, unsigned j)
{
    double s = datum(f->c, 3, i * f->n + j);

    for (unsigned k = 0; k < f->k; k++) {
        double x = datum(f->a, 1, i * f->k + k), y = datum(f->b, 2, k * f->n + j);

        s += f->a != B1 ? x * y : strstr(f->text, "xor") ? (x != y) : x * y;
    }
    return s;
}

/* A fragment's registers in memory: 64 words for each lane and matrix, 0 A, 1 B, 2 C, 3 D */
static void *frag(unsigned matrix, unsigned lane)
{
    return rig_at(&rig, RIG_BASE + (matrix * 32 + lane) * 256);
}

static void put(unsigned matrix, unsigned lane, enum kind k, unsigned i, double v)
{
    uint8_t *p = (uint8_t *)frag(matrix, lane) + i * bits_of[k] / 8;
    uint64_t e = encode(k, v);

    if (bits_of[k] < 8) {
        *p |= (uint8_t)(e << i * bits_of[k] % 8);
    } else {
        memcpy(p, &e, bits_of[k] / 8);
    }
}

/* 9.7.14.5: groupID = lane / 4, threadID_in_group = lane % 4; @p elements of A and B in a register
 */
static void fragments_put(const struct form *f)
{
    unsigned p = bits_of[f->a] < 32 ? 32 / bits_of[f->a] : 1, tall = f->m / 8;

    memset(rig_at(&rig, RIG_BASE), 0, 4 * 32 * 256);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned group = lane / 4, thread = lane % 4;

        for (unsigned i = 0; i < f->m * f->k / 32; i++) {
            unsigned row = group + (tall == 2 && i / p % 2 ? 8 : 0);
            unsigned col = thread * p + i % p + i / p / tall * 4 * p;

            put(0, lane, f->a, i, datum(f->a, 1, row * f->k + col));
        }
        for (unsigned i = 0; i < f->k * f->n / 32; i++) {
            unsigned row = thread * p + i % p + i / p * 4 * p;

            put(1, lane, f->b, i, datum(f->b, 2, row * f->n + group));
        }
        for (unsigned i = 0; i < f->m * f->n / 32; i++) {
            unsigned row = group + (i < 2 ? 0 : 8), col = thread * 2 + i % 2;

            put(2, lane, f->c, i, datum(f->c, 3, row * f->n + col));
        }
    }
}

static unsigned regs(unsigned elems, enum kind k)
{
    return k == F64 ? elems / 32 : elems * bits_of[k] / 32 / 32;
}

static void list(GString *s, const char *reg, unsigned from, unsigned n)
{
    g_string_append(s, " {");
    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(s, "%s%%%s%u", i ? "," : "", reg, from + i);
    }
    g_string_append(s, "}");
}

/* Every lane loads its registers, executes @f once, stores its registers. */
static char *mma_ptx(const struct form *f)
{
    GString *s = g_string_new(HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<200>;\n"
                                   ".reg .f64 %g<200>;\n.reg .b64 %d<4>;\nmov.u32 %r199, %tid.x;\n"
                                   "ld.param.u64 %d0, [out];\n"
                                   "mad.wide.u32 %d0, %r199, 256, %d0;\n");
    const char *reg = f->a == F64 ? "g" : "r", *type = f->a == F64 ? "f64" : "b32";
    unsigned size = f->a == F64 ? 8 : 4;
    unsigned n[4] = { regs(f->m * f->k, f->a), regs(f->k * f->n, f->b), regs(f->m * f->n, f->c),
                      regs(f->m * f->n, f->c) };
    static const unsigned order[] = { 3, 0, 1, 2 };

    for (unsigned x = 0; x < 3; x++) {
        for (unsigned i = 0; i < n[x]; i++) {
            g_string_append_printf(s, "ld.global.%s %%%s%u, [%%d0+%u];\n", type, reg, x * 40 + i,
                                   x * 8192 + i * size);
        }
    }
    g_string_append(s, f->text);
    for (unsigned x = 0; x < 4; x++) {
        list(s, reg, order[x] * 40, n[order[x]]);
        g_string_append(s, x < 3 ? "," : ";\n");
    }
    for (unsigned i = 0; i < n[3]; i++) {
        g_string_append_printf(s, "st.global.%s [%%d0+%u], %%%s%u;\n", type, 3 * 8192 + i * size,
                               reg, 120 + i);
    }
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

static const uint64_t base = RIG_BASE;

static void launch(const char *ptx)
{
    struct rig_launch l = { .block = { 32 }, .param = &base, .param_bytes = 8 };

    rig_launch(&rig, ptx, &l);
}

START_TEST(an_mma_is_the_product_of_its_fragments)
{
    const struct form *f = &mma_forms[_i];
    char *ptx = mma_ptx(f);

    fragments_put(f);
    launch(ptx);
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned i = 0; i < f->m * f->n / 32; i++) {
            unsigned row = lane / 4 + (i < 2 ? 0 : 8), col = lane % 4 * 2 + i % 2;
            uint64_t have = 0;

            memcpy(&have, (uint8_t *)frag(3, lane) + i * bits_of[f->c] / 8, bits_of[f->c] / 8);
            ck_assert_msg(have == encode(f->c, product(f, row, col)), "%s: row %u, column %u",
                          f->text, row, col);
        }
    }
    g_free(ptx);
}
END_TEST

struct tile {
    const char *a, *c, *shape;
    enum kind ka, kc;
    unsigned m, n, k, ra, rb, rc; /* registers: PTX ISA 9.7.14.4.1 */
    bool a_col, b_col, d_col;
};

static const struct tile tiles[] = {
    { "f16", "f32", "m16n16k16", F16, F32, 16, 16, 16, 8, 8, 8, false, false, false },
    { "f16", "f32", "m16n16k16", F16, F32, 16, 16, 16, 8, 8, 8, true, true, true },
    { "f16", "f16", "m16n16k16", F16, F16, 16, 16, 16, 8, 8, 4, false, true, false },
    { "f16", "f32", "m8n32k16", F16, F32, 8, 32, 16, 8, 8, 8, false, false, false },
    { "f16", "f16", "m32n8k16", F16, F16, 32, 8, 16, 8, 8, 4, true, false, true },
    { "bf16", "f32", "m16n16k16", BF16, F32, 16, 16, 16, 4, 4, 8, true, false, false },
    { "bf16", "f32", "m8n32k16", BF16, F32, 8, 32, 16, 2, 8, 8, false, true, true },
    { "bf16", "f32", "m32n8k16", BF16, F32, 32, 8, 16, 8, 2, 8, false, true, false },
    { "tf32", "f32", "m16n16k8", TF32, F32, 16, 16, 8, 4, 4, 8, false, true, false },
    { "s8", "s32", "m16n16k16", S8, S32, 16, 16, 16, 2, 2, 8, false, true, false },
    { "u8", "s32", "m8n32k16", U8, S32, 8, 32, 16, 1, 4, 8, true, false, true },
    { "s8", "s32", "m32n8k16", S8, S32, 32, 8, 16, 4, 1, 8, false, false, false },
    { "s4", "s32", "m8n8k32", S4, S32, 8, 8, 32, 1, 1, 2, false, true, false },
    { "b1", "s32", "m8n8k128", B1, S32, 8, 8, 128, 1, 1, 2, false, true, true },
    { "f64", "f64", "m8n8k4", F64, F64, 8, 8, 4, 1, 1, 2, true, true, false },
};

/* A matrix in memory, 64 KiB apart, its lines @pad elements longer than the matrix */
static uint64_t tile_at(unsigned matrix)
{
    return RIG_BASE + matrix * 65536;
}

static unsigned pitch(unsigned line, enum kind k)
{
    return line + (bits_of[k] < 8 ? 128 : 16);
}

static void tile_put(unsigned matrix, enum kind k, unsigned rows, unsigned cols, bool col,
                     unsigned seed)
{
    memset(rig_at(&rig, tile_at(matrix)), 0, 65536);
    for (unsigned i = 0; i < rows * cols; i++) {
        unsigned r = i / cols, c = i % cols;
        unsigned at = col ? c * pitch(rows, k) + r : r * pitch(cols, k) + c;
        uint8_t *p = (uint8_t *)rig_at(&rig, tile_at(matrix)) + (uint64_t)at * bits_of[k] / 8;
        uint64_t e = encode(k, datum(k, seed, i));

        if (bits_of[k] < 8) {
            *p |= (uint8_t)(e << at * bits_of[k] % 8);
        } else {
            memcpy(p, &e, bits_of[k] / 8);
        }
    }
}

static void wmma_move(GString *s, const char *what, const struct tile *t, bool col,
                      const char *type, unsigned reg, unsigned n, unsigned matrix, unsigned stride)
{
    bool store = what[0] == 's';
    const char *r = t->ka == F64 ? "g" : t->kc == F32 && matrix >= 2 ? "f" : "r";

    g_string_append_printf(s, "wmma.%s.sync.aligned.%s.%s.global.%s", what, col ? "col" : "row",
                           t->shape, type);
    if (store) {
        g_string_append_printf(s, " [%%d0+%u],", matrix * 65536);
    }
    list(s, r, reg, n);
    if (!store) {
        g_string_append_printf(s, ", [%%d0+%u]", matrix * 65536);
    }
    g_string_append_printf(s, ", %u;\n", stride);
}

static char *wmma_ptx(const struct tile *t)
{
    GString *s =
        g_string_new(HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<60>;\n.reg .f32 "
                          "%f<60>;\n.reg .f64 %g<60>;\n.reg .b64 %d<4>;\n"
                          "ld.param.u64 %d0, [out];\n");
    const char *ra = t->ka == F64 ? "g" : "r", *rc = t->kc == F32 ? "f" : ra;

    wmma_move(s, "load.a", t, t->a_col, t->a, 0, t->ra, 0, pitch(t->a_col ? t->m : t->k, t->ka));
    wmma_move(s, "load.b", t, t->b_col, t->a, 10, t->rb, 1, pitch(t->b_col ? t->k : t->n, t->ka));
    wmma_move(s, "load.c", t, t->d_col, t->c, 20, t->rc, 2, pitch(t->d_col ? t->m : t->n, t->kc));
    g_string_append_printf(s, "wmma.mma%s.sync.aligned.%s.%s.%s.", t->ka == B1 ? ".xor.popc" : "",
                           t->a_col ? "col" : "row", t->b_col ? "col" : "row", t->shape);
    g_string_append_printf(s, t->ka == F16 ? "%s.%s" : "%s.%s.%s.%s", t->c,
                           t->ka == F16 ? t->c : t->a, t->a, t->c);
    list(s, rc, 30, t->rc);
    g_string_append(s, ",");
    list(s, ra, 0, t->ra);
    g_string_append(s, ",");
    list(s, ra, 10, t->rb);
    g_string_append(s, ",");
    list(s, rc, 20, t->rc);
    g_string_append(s, ";\n");
    wmma_move(s, "store.d", t, t->d_col, t->c, 30, t->rc, 3, pitch(t->d_col ? t->m : t->n, t->kc));
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

START_TEST(a_wmma_is_the_product_of_its_tiles)
{
    const struct tile *t = &tiles[_i];
    struct form f = { t->ka == B1 ? "xor" : "", t->ka, t->ka, t->kc, t->m, t->n, t->k };
    char *ptx = wmma_ptx(t);

    tile_put(0, t->ka, t->m, t->k, t->a_col, 1);
    tile_put(1, t->ka, t->k, t->n, t->b_col, 2);
    tile_put(2, t->kc, t->m, t->n, t->d_col, 3);
    launch(ptx);
    for (unsigned i = 0; i < t->m * t->n; i++) {
        unsigned r = i / t->n, c = i % t->n;
        unsigned at = t->d_col ? c * pitch(t->m, t->kc) + r : r * pitch(t->n, t->kc) + c;
        uint64_t have = 0;

        memcpy(&have, (uint8_t *)rig_at(&rig, tile_at(3)) + (uint64_t)at * bits_of[t->kc] / 8,
               bits_of[t->kc] / 8);
        ck_assert_msg(have == encode(t->kc, product(&f, r, c)), "%s %s: row %u, column %u",
                      t->shape, t->a, r, c);
    }
    g_free(ptx);
}
END_TEST

/* Inferred from published measurements (arXiv 2511.10909 for sm_80 to sm_89): addends are cut to 24
 * bits below the highest exponent and the sum is rounded towards zero. */
START_TEST(tensor_cores_cut_and_do_not_round)
{
    const struct form *f = &mma_forms[1];
    char *ptx = mma_ptx(f);
    const float one = 1.0f;
    float have;

    /* row 0: 1 + two products of 2^-24, both kept: 1 + 2^-23, where a chain of f32 gives 1 */
    memset(rig_at(&rig, RIG_BASE), 0, 4 * 32 * 256);
    memcpy(frag(2, 0), &one, 4);
    put(0, 0, F16, 0, 0x1p-12);
    put(0, 0, F16, 1, 0x1p-12);
    put(1, 0, F16, 0, 0x1p-12);
    put(1, 0, F16, 1, 0x1p-12);
    launch(ptx);
    memcpy(&have, frag(3, 0), 4);
    ck_assert(have == 1.0f + 0x1p-23f);
    /* 1 + 1.5 2^-24, to nearest 1 + 2^-23 */
    put(0, 0, F16, 1, 0x1p-13);
    launch(ptx);
    memcpy(&have, frag(3, 0), 4);
    ck_assert(have == 1.0f);
    g_free(ptx);
}
END_TEST

/* Row i of matrix r is at the address of lane 8r + i: 9.7.14.5.15. */
START_TEST(ldmatrix_hands_out_rows)
{
    char *ptx = g_strdup_printf(
        HEAD
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<60>;\n.reg .b64 %%d<4>;\n"
        ".shared .align 16 .b8 s[1024];\nld.param.u64 %%d0, [out];\nmov.u32 %%r9, %%tid.x;\n"
        "shl.b32 %%r8, %%r9, 4;\nmov.u32 %%r7, s;\nadd.s32 %%r7, %%r7, %%r8;\n"
        "mul.lo.u32 %%r6, %%r9, 8;\nmov.u32 %%r5, 0;\n"
        "$l:\nadd.s32 %%r4, %%r6, %%r5;\nshl.b32 %%r3, %%r5, 1;\nadd.s32 %%r3, %%r7, %%r3;\n"
        "st.shared.u16 [%%r3], %%r4;\nadd.s32 %%r5, %%r5, 1;\n"
        ".reg .pred %%p1;\nsetp.lt.u32 %%p1, %%r5, 8;\n@%%p1 bra $l;\nbar.warp.sync -1;\n"
        "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%%r10,%%r11,%%r12,%%r13}, [%%r7];\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %%r14, %%r10;\n"
        "mad.wide.u32 %%d0, %%r9, 32, %%d0;\n"
        "st.global.v4.u32 [%%d0], {%%r10,%%r11,%%r12,%%r13};\nst.global.u32 [%%d0+16], %%r14;\n"
        "ret;\n}\n",
        _i ? ".trans" : "");

    launch(ptx);
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint16_t *have = rig_at(&rig, RIG_BASE + lane * 32);

        for (unsigned i = 0; i < 8;
             i++) { /* element (row, column) of matrix r holds 64r + 8row + column */
            unsigned x = lane / 4, y = lane % 4 * 2 + i % 2;

            ck_assert_uint_eq(have[i], i / 2 * 64 + (_i ? y * 8 + x : x * 8 + y));
        }
        for (unsigned i = 0; i < 2; i++) {
            unsigned x = lane / 4, y = lane % 4 * 2 + i;

            ck_assert_uint_eq(have[8 + i], _i ? x * 8 + y : y * 8 + x);
        }
    }
    g_free(ptx);
}
END_TEST

/* What only newer chips have is refused by its name. */
START_TEST(newer_matrix_instructions_are_refused)
{
    static const char *const text[] = {
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%g0,%g1,%g2,%g3},{%g0,%g1,%g2,%g3},{%g0,%g1},"
        "{%g0,%g1,%g2,%g3};",
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 "
        "{%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},"
        "%r4,0;",
        "wgmma.fence.sync.aligned;",
        "cp.async.bulk.commit_group;",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r1};",
    };
    char *ptx = g_strdup_printf(HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<9>;\n"
                                     ".reg .f64 %%g<9>;\n%s\nret;\n}\n",
                                text[_i]);
    struct ptx_error error = { .text = "" };
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), &error);
    struct ptx_program *p;

    ck_assert_msg(m != NULL, "%s", error.text);
    p = ptx_decode(m, &error);
    if (p) { /* the others are for a newer target */
        ck_assert_ptr_nonnull(strstr(p->code[0].lacks, "not supported"));
        g_strlcpy(error.text, p->code[0].lacks, sizeof(error.text));
        ptx_program_free(p);
    }
    ck_assert_msg(strncmp(strchr(error.text, '`') + 1, text[_i], 10) == 0, "%s", error.text);
    ptx_module_free(m);
    g_free(ptx);
}
END_TEST

Suite *matrix_suite(void)
{
    Suite *s = suite_create("matrix");
    TCase *t = tcase_create("matrix");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, an_mma_is_the_product_of_its_fragments, 0, G_N_ELEMENTS(mma_forms));
    tcase_add_loop_test(t, a_wmma_is_the_product_of_its_tiles, 0, G_N_ELEMENTS(tiles));
    tcase_add_test(t, tensor_cores_cut_and_do_not_round);
    tcase_add_loop_test(t, ldmatrix_hands_out_rows, 0, 2);
    tcase_add_loop_test(t, newer_matrix_instructions_are_refused, 0, 5);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: MIT */
/* mma, wmma and the moves of matrices give what rule.c says, bit for bit, on random fragments, with
 * every instruction set that the host has. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/matrix/rule.h"
#include <check.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32u
#define CASES 16u        /* in one launch: a block each */
#define PART_BYTES 8192u /* of a case: A, B, C, D, each 64 words a lane */
#define LANE_BYTES 256u
#define WORDS 64u

static struct rig rig;
static const uint64_t base = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

struct form {
    const char *text;
    struct product p;
    unsigned wa, wb; /* registers of A and B in the text, if more than the matrix needs */
};

#define MMA "mma.sync.aligned."
#define WMMA "wmma.mma.sync.aligned.row.col."

static const struct form forms[] = {
    { MMA "m16n8k8.row.col.f32.f16.f16.f32", { F16, F16, F32, F32, 16, 8, 8, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k16.row.col.f32.f16.f16.f32", { F16, F16, F32, F32, 16, 8, 16, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k8.row.col.f16.f16.f16.f16", { F16, F16, F16, F16, 16, 8, 8, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k16.row.col.f16.f16.f16.f16", { F16, F16, F16, F16, 16, 8, 16, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k8.row.col.f32.bf16.bf16.f32",
      { BF16, BF16, F32, F32, 16, 8, 8, 0, 0, 0, 0 },
      0,
      0 },
    { MMA "m16n8k16.row.col.f32.bf16.bf16.f32",
      { BF16, BF16, F32, F32, 16, 8, 16, 0, 0, 0, 0 },
      0,
      0 },
    { MMA "m16n8k4.row.col.f32.tf32.tf32.f32",
      { TF32, TF32, F32, F32, 16, 8, 4, 0, 0, 0, 0 },
      0,
      0 },
    { MMA "m16n8k8.row.col.f32.tf32.tf32.f32",
      { TF32, TF32, F32, F32, 16, 8, 8, 0, 0, 0, 0 },
      0,
      0 },
    { MMA "m8n8k4.row.col.f64.f64.f64.f64", { F64, F64, F64, F64, 8, 8, 4, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m8n8k16.row.col.s32.s8.s8.s32", { S8, S8, S32, S32, 8, 8, 16, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k16.row.col.s32.u8.s8.s32", { U8, S8, S32, S32, 16, 8, 16, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k32.row.col.s32.s8.s8.s32", { S8, S8, S32, S32, 16, 8, 32, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k32.row.col.satfinite.s32.s8.u8.s32",
      { S8, U8, S32, S32, 16, 8, 32, 0, 0, 1, 0 },
      0,
      0 },
    { MMA "m16n8k32.row.col.satfinite.s32.u8.u8.s32",
      { U8, U8, S32, S32, 16, 8, 32, 0, 0, 1, 0 },
      0,
      0 },
    { MMA "m8n8k32.row.col.s32.s4.s4.s32", { S4, S4, S32, S32, 8, 8, 32, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k32.row.col.s32.u4.s4.s32", { U4, S4, S32, S32, 16, 8, 32, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k64.row.col.s32.s4.u4.s32", { S4, U4, S32, S32, 16, 8, 64, 0, 0, 0, 0 }, 0, 0 },
    { MMA "m16n8k64.row.col.satfinite.s32.u4.u4.s32",
      { U4, U4, S32, S32, 16, 8, 64, 0, 0, 1, 0 },
      0,
      0 },
    { MMA "m8n8k128.row.col.s32.b1.b1.s32.and.popc",
      { B1, B1, S32, S32, 8, 8, 128, 0, 0, 0, 0 },
      0,
      0 },
    { MMA "m16n8k128.row.col.s32.b1.b1.s32.xor.popc",
      { B1, B1, S32, S32, 16, 8, 128, 0, 0, 0, 1 },
      0,
      0 },
    { MMA "m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
      { B1, B1, S32, S32, 16, 8, 256, 0, 0, 0, 1 },
      0,
      0 },
    { MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc",
      { B1, B1, S32, S32, 16, 8, 256, 0, 0, 0, 0 },
      0,
      0 },
    { WMMA "m16n16k16.f32.f32", { F16, F16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m16n16k16.f16.f32", { F16, F16, F32, F16, 16, 16, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m16n16k16.f32.f16", { F16, F16, F16, F32, 16, 16, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m8n32k16.f16.f16", { F16, F16, F16, F16, 8, 32, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m8n32k16.f32.f32", { F16, F16, F32, F32, 8, 32, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m32n8k16.f32.f32", { F16, F16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m32n8k16.f16.f16", { F16, F16, F16, F16, 32, 8, 16, 0, 0, 0, 0 }, 8, 8 },
    { WMMA "m16n16k16.f32.bf16.bf16.f32", { BF16, BF16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 0, 0 },
    { WMMA "m8n32k16.f32.bf16.bf16.f32", { BF16, BF16, F32, F32, 8, 32, 16, 0, 0, 0, 0 }, 0, 0 },
    { WMMA "m32n8k16.f32.bf16.bf16.f32", { BF16, BF16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 0, 0 },
    { WMMA "m16n16k8.f32.tf32.tf32.f32", { TF32, TF32, F32, F32, 16, 16, 8, 0, 0, 0, 0 }, 0, 0 },
    { WMMA "m16n16k16.s32.s8.s8.s32", { S8, S8, S32, S32, 16, 16, 16, 0, 0, 0, 0 }, 0, 0 },
    { WMMA "m8n32k16.s32.u8.u8.s32.satfinite", { U8, U8, S32, S32, 8, 32, 16, 0, 0, 1, 0 }, 0, 0 },
    { WMMA "m32n8k16.s32.s8.s8.s32.satfinite", { S8, S8, S32, S32, 32, 8, 16, 0, 0, 1, 0 }, 0, 0 },
};

/* What a chip's sums are like: exec_mma.c's rule, from the papers and the H200 */
static void rule_set(struct product *p, bool wmma, unsigned sm)
{
    unsigned narrow = p->a == TF32 ? 2 : 1;

    p->block = sm < 80 ? 4 : sm < 90 ? 8 / narrow : 16 / narrow;
    p->frac = sm < 75 ? 23 : sm < 90 ? 24 : 25;
    if (wmma && p->a == TF32) {
        p->block = 4;
    }
}

/* --- random elements --- */

static uint64_t seed;

static uint32_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(seed >> 32) ^ (uint32_t)(seed >> 11);
}

/* Fields of a floating-point kind; of tf32, those that count */
static void fields(enum kind k, unsigned *exponent_bits, unsigned *fraction_bits)
{
    *exponent_bits = k == F16 ? 5 : k == F64 ? 11 : 8;
    *fraction_bits = k == F16 ? 10 : k == BF16 ? 7 : k == F64 ? 52 : 23;
}

static uint64_t assemble(enum kind k, bool sign, int e, uint64_t fraction)
{
    unsigned exp, frac;

    fields(k, &exp, &frac);
    e = e < 0 ? 0 : e >= 1 << exp ? (1 << exp) - 1 : e;
    return (uint64_t)sign << (exp + frac) | (uint64_t)e << frac |
           (fraction & ((UINT64_C(1) << frac) - 1));
}

/* How a case's elements are spread */
enum spread {
    NEAR,      /* about 1 */
    WIDE,      /* finite, any exponent */
    ANY,       /* any bits */
    SPARSE,    /* mostly zero, of both signs */
    TINY,      /* subnormal, and the smallest normal numbers */
    HUGE_ONES, /* near overflow */
    RARE,      /* near 1, and seldom an infinity or a NaN */
    APART,     /* a few exponents, far from each other */
    ALIKE,     /* all fractions full: sums are as large as they get */
    SPREADS
};

static uint64_t float_element(enum kind k, enum spread s)
{
    uint64_t bits = (uint64_t)next() << 32 | next();
    unsigned exp, frac;
    int bias, most;

    fields(k, &exp, &frac);
    bias = (1 << (exp - 1)) - 1;
    most = (1 << exp) - 1;
    switch (s) {
    case NEAR:
        return assemble(k, next() & 1, bias - 4 + (int)(next() % 8), bits);
    case WIDE:
        return assemble(k, next() & 1, (int)(next() % (unsigned)most), bits);
    case SPARSE:
        return next() % 4 ? assemble(k, next() & 1, 0, 0)
                          : assemble(k, next() & 1, bias - 12 + (int)(next() % 24), bits);
    case TINY:
        return assemble(k, next() & 1, (int)(next() % 3), next() % 3 ? bits : 1u << next() % 4);
    case HUGE_ONES:
        return assemble(k, next() & 1, next() % 2 ? most - 1 : (bias + most) / 2, bits);
    case RARE:
        return next() % 97 ? assemble(k, next() & 1, bias - 1 + (int)(next() % 3), bits)
                           : assemble(k, next() & 1, most, next() % 2 ? 0 : bits);
    case APART:
        return assemble(k, next() & 1, bias + (int)(next() % 5 - 2) * (bias / 3), bits);
    case ALIKE:
        return assemble(k, next() % 32 == 0, bias, UINT64_MAX);
    default:
        return bits & (kind_bits(k) == 64 ? UINT64_MAX : (UINT64_C(1) << kind_bits(k)) - 1);
    }
}

static uint64_t element(enum kind k, enum spread s)
{
    static const uint32_t border[] = {
        0x7fffffff, 0x80000000, 0, 0xffffffff, 0x7ffffff0, 0x80000010
    };
    uint32_t mask = kind_bits(k) == 32 ? UINT32_MAX : (1u << kind_bits(k) % 32) - 1;

    switch (k) {
    case S32:
        return s % 2 ? border[next() % 6] : next();
    case S8:
    case U8:
    case S4:
    case U4:
    case B1: /* also all at their borders */
        return (s == ALIKE       ? mask
                : s == TINY      ? mask / 2 + 1
                : s == HUGE_ONES ? mask / 2
                                 : next()) &
               mask;
    default:
        return float_element(k, s);
    }
}

/* --- fragments --- */

static uint8_t *lane_at(unsigned block, unsigned part, unsigned lane)
{
    return rig_at(&rig, RIG_BASE + ((block * 4 + part) * LANES + lane) * LANE_BYTES);
}

static enum kind part_kind(const struct product *p, unsigned part)
{
    return part == 0 ? p->a : part == 1 ? p->b : part == 2 ? p->c : p->d;
}

static unsigned part_elements(const struct product *p, unsigned part)
{
    return (part == 0 ? p->m * p->k : part == 1 ? p->k * p->n : p->m * p->n) / LANES;
}

static unsigned matrix_at(const struct product *p, unsigned part, unsigned i, unsigned l)
{
    struct place at = fragment_rule(p, part < 2 ? part : 2, i, l);

    return at.row * (part == 0 ? p->k : p->n) + at.column;
}

static void fragment_put(const struct product *p, unsigned block, unsigned part,
                         const uint64_t *from)
{
    unsigned bits = kind_bits(part_kind(p, part));

    for (unsigned l = 0; l < LANES; l++) {
        uint8_t *to = lane_at(block, part, l);

        memset(to, 0, LANE_BYTES);
        for (unsigned i = 0; i < part_elements(p, part); i++) {
            uint64_t e = from[matrix_at(p, part, i, l)];

            if (bits < 8) {
                to[i * bits / 8] |= (uint8_t)(e << i * bits % 8);
            } else {
                memcpy(to + i * bits / 8, &e, bits / 8);
            }
        }
    }
}

static unsigned part_regs(const struct form *f, unsigned part)
{
    unsigned more = part == 0 ? f->wa : part == 1 ? f->wb : 0;
    unsigned bits = kind_bits(part_kind(&f->p, part)), n = part_elements(&f->p, part);

    return more ? more : bits == 64 ? n : n * bits / 32;
}

static const char *part_type(const struct form *f, unsigned part)
{
    enum kind k = part_kind(&f->p, part);

    return k == F64 ? "f64" : k == F32 && part >= 2 ? "f32" : "b32";
}

static void list(GString *s, const char *type, unsigned part, unsigned n)
{
    g_string_append(s, " {");
    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(s, "%s%%%s_%u", i ? "," : "", type, part * 40 + i);
    }
    g_string_append(s, "}");
}

/* Each lane of each block loads its registers, executes the instruction, stores its registers. */
static char *form_ptx(const struct form *f)
{
    static const unsigned order[] = { 3, 0, 1, 2 };
    GString *s = g_string_new(".version 8.0\n.target sm_87\n.address_size 64\n"
                              ".visible .entry k(.param .u64 at)\n{\n.reg .b32 %b32_<200>, %x<3>;\n"
                              ".reg .f32 %f32_<200>;\n.reg .f64 %f64_<200>;\n.reg .b64 %d<4>;\n"
                              "mov.u32 %x0, %laneid;\nmov.u32 %x1, %ctaid.x;\n"
                              "ld.param.u64 %d0, [at];\nmad.wide.u32 %d0, %x0, 256, %d0;\n"
                              "mad.wide.u32 %d0, %x1, 32768, %d0;\n");

    for (unsigned part = 0; part < 3; part++) {
        const char *type = part_type(f, part);
        unsigned size = type[1] == '6' ? 8 : 4;

        for (unsigned i = 0; i < part_regs(f, part); i++) {
            g_string_append_printf(s, "ld.global.%s %%%s_%u, [%%d0+%u];\n", type, type,
                                   part * 40 + i, part * PART_BYTES + i * size);
        }
    }
    g_string_append(s, f->text);
    for (unsigned x = 0; x < 4; x++) {
        list(s, part_type(f, order[x]), order[x], part_regs(f, order[x]));
        g_string_append(s, x < 3 ? "," : ";\n");
    }
    for (unsigned i = 0; i < part_regs(f, 3); i++) {
        const char *type = part_type(f, 3);

        g_string_append_printf(s, "st.global.%s [%%d0+%u], %%%s_%u;\n", type,
                               3 * PART_BYTES + i * (type[1] == '6' ? 8 : 4), type, 120 + i);
    }
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

static void run(struct grid_program *program, unsigned sm)
{
    struct rig_launch l = {
        .grid = { CASES }, .block = { LANES }, .param = &base, .param_bytes = 8, .sm_version = sm
    };
    struct grid *g = rig_grid(&rig, program, &l);

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    grid_free(g);
}

#define MATRIX_MOST 4096u

static void cases_check(const struct form *f, struct grid_program *program, unsigned sm,
                        const char *isa)
{
    static uint64_t m[CASES][4][MATRIX_MOST];
    struct product p = f->p;
    unsigned bits = kind_bits(p.d);

    rule_set(&p, f->text[0] == 'w', sm);
    for (unsigned c = 0; c < CASES; c++) {
        for (unsigned part = 0; part < 3; part++) { /* A, B and C need not be alike */
            enum spread s = (enum spread)(next() % 3 ? c % SPREADS : next() % SPREADS);

            for (unsigned i = 0; i < part_elements(&p, part) * LANES; i++) {
                m[c][part][i] = element(part_kind(&p, part), s);
            }
            fragment_put(&p, c, part, m[c][part]);
        }
        product_rule(&p, m[c][0], m[c][1], m[c][2], m[c][3]);
    }
    run(program, sm);
    for (unsigned c = 0; c < CASES; c++) {
        for (unsigned l = 0; l < LANES; l++) {
            const uint8_t *lane = lane_at(c, 3, l);

            for (unsigned i = 0; i < part_elements(&p, 3); i++) {
                uint64_t have = 0, want = m[c][3][matrix_at(&p, 3, i, l)];

                memcpy(&have, lane + i * bits / 8, bits / 8);
                if (have != want) {
                    ck_abort_msg("%s, %s, sm_%u, spread %u: lane %u, element %u: 0x%" PRIx64
                                 ", the rule says 0x%" PRIx64,
                                 f->text, isa, sm, c % SPREADS, l, i, have, want);
                }
            }
        }
    }
}

static const char *const isas[] = { "base", "avx2", "avx512" };

START_TEST(products_are_those_of_the_rule)
{
    static const unsigned chips[] = { 72, 75, 87, 110 };
    const struct form *f = &forms[_i];
    char *ptx = form_ptx(f);
    struct grid_program *program = rig_program(ptx);

    seed = (uint64_t)_i + 1;
    for (unsigned k = 0; k < G_N_ELEMENTS(isas); k++) {
        for (unsigned c = 0; c < G_N_ELEMENTS(chips) && sm_select_named(isas[k]); c++) {
            cases_check(f, program, chips[c], isas[k]);
        }
    }
    grid_program_unref(program);
    g_free(ptx);
}
END_TEST

/* --- wmma.load and wmma.store: an element of a fragment is one of the tile --- */

struct move {
    const char *shape, *type;
    struct product p;
    unsigned part, regs; /* 0 A, 1 B, 2 C, 3 D: the last is stored */
};

static const struct move moves[] = {
    { "m16n16k16", "f16", { F16, F16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 0, 8 },
    { "m16n16k16", "f16", { F16, F16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 1, 8 },
    { "m8n32k16", "f16", { F16, F16, F32, F32, 8, 32, 16, 0, 0, 0, 0 }, 0, 8 },
    { "m8n32k16", "f16", { F16, F16, F32, F32, 8, 32, 16, 0, 0, 0, 0 }, 1, 8 },
    { "m32n8k16", "f16", { F16, F16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 0, 8 },
    { "m32n8k16", "f16", { F16, F16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 1, 8 },
    { "m16n16k16", "f16", { F16, F16, F16, F16, 16, 16, 16, 0, 0, 0, 0 }, 2, 4 },
    { "m16n16k16", "f16", { F16, F16, F16, F16, 16, 16, 16, 0, 0, 0, 0 }, 3, 4 },
    { "m8n32k16", "f16", { F16, F16, F16, F16, 8, 32, 16, 0, 0, 0, 0 }, 3, 4 },
    { "m16n16k16", "f32", { F16, F16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 2, 8 },
    { "m16n16k16", "f32", { F16, F16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 3, 8 },
    { "m32n8k16", "f32", { F16, F16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 2, 8 },
    { "m32n8k16", "f32", { F16, F16, F32, F32, 32, 8, 16, 0, 0, 0, 0 }, 3, 8 },
    { "m16n16k16", "bf16", { BF16, BF16, F32, F32, 16, 16, 16, 0, 0, 0, 0 }, 0, 4 },
    { "m8n32k16", "bf16", { BF16, BF16, F32, F32, 8, 32, 16, 0, 0, 0, 0 }, 1, 8 },
    { "m16n16k8", "tf32", { TF32, TF32, F32, F32, 16, 16, 8, 0, 0, 0, 0 }, 0, 4 },
    { "m16n16k8", "tf32", { TF32, TF32, F32, F32, 16, 16, 8, 0, 0, 0, 0 }, 1, 4 },
    { "m16n16k16", "s8", { S8, S8, S32, S32, 16, 16, 16, 0, 0, 0, 0 }, 0, 2 },
    { "m16n16k16", "u8", { U8, U8, S32, S32, 16, 16, 16, 0, 0, 0, 0 }, 1, 2 },
    { "m8n32k16", "s8", { S8, S8, S32, S32, 8, 32, 16, 0, 0, 0, 0 }, 1, 4 },
    { "m32n8k16", "s8", { S8, S8, S32, S32, 32, 8, 16, 0, 0, 0, 0 }, 0, 4 },
    { "m16n16k16", "s32", { S8, S8, S32, S32, 16, 16, 16, 0, 0, 0, 0 }, 3, 8 },
    { "m8n8k4", "f64", { F64, F64, F64, F64, 8, 8, 4, 0, 0, 0, 0 }, 0, 1 },
    { "m8n8k4", "f64", { F64, F64, F64, F64, 8, 8, 4, 0, 0, 0, 0 }, 1, 1 },
    { "m8n8k4", "f64", { F64, F64, F64, F64, 8, 8, 4, 0, 0, 0, 0 }, 2, 2 },
    { "m8n8k4", "f64", { F64, F64, F64, F64, 8, 8, 4, 0, 0, 0, 0 }, 3, 2 },
};

#define TILE 65536u /* where the tile lies */

/* The bytes of element @i of lane @l behind the tile's begin */
static unsigned tile_offset(const struct move *v, bool col, unsigned pitch, unsigned i, unsigned l)
{
    struct place at = fragment_rule(&v->p, v->part < 2 ? v->part : 2, i, l);
    unsigned line = col ? at.column : at.row, in = col ? at.row : at.column;

    return (line * pitch + in) * kind_bits(part_kind(&v->p, v->part)) / 8;
}

static char *move_ptx(const struct move *v, bool col, unsigned pitch)
{
    struct form f = { .p = v->p };
    const char *type = part_type(&f, v->part), *layout = col ? "col" : "row";
    unsigned size = type[1] == '6' ? 8 : 4;
    GString *s = g_string_new(".version 8.0\n.target sm_87\n.address_size 64\n"
                              ".visible .entry k(.param .u64 at)\n{\n.reg .b32 %b32_<200>, %x<3>;\n"
                              ".reg .f32 %f32_<200>;\n.reg .f64 %f64_<200>;\n.reg .b64 %d<4>;\n"
                              "mov.u32 %x0, %laneid;\nld.param.u64 %d0, [at];\n"
                              "mad.wide.u32 %d1, %x0, 256, %d0;\n");

    if (v->part < 3) {
        g_string_append_printf(s, "wmma.load.%c.sync.aligned.%s.%s.global.%s", "abc"[v->part],
                               layout, v -> shape, v -> type);
        list(s, type, 0, v->regs);
        g_string_append_printf(s, ", [%%d0+%u], %u;\n", TILE, pitch);
    }
    for (unsigned i = 0; i < v->regs; i++) {
        g_string_append_printf(s,
                               v->part < 3 ? "st.global.%s [%%d1+%u], %%%s_%u;\n"
                                           : "ld.global.%1$s %%%3$s_%4$u, [%%d1+%2$u];\n",
                               type, i * size, type, i);
    }
    if (v->part == 3) {
        g_string_append_printf(s, "wmma.store.d.sync.aligned.%s.%s.global.%s [%%d0+%u],", layout,
                               v->shape, v->type, TILE);
        list(s, type, 0, v->regs);
        g_string_append_printf(s, ", %u;\n", pitch);
    }
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

static void move_check(const struct move *v, bool col, const char *isa)
{
    unsigned bytes = kind_bits(part_kind(&v->p, v->part)) / 8, bad = 0;
    unsigned columns = v->part == 0 ? v->p.k : v->p.n, rows = v->part == 1 ? v->p.k : v->p.m;
    unsigned pitch = (col ? rows : columns) + 16 * (next() % 3);
    char *ptx = move_ptx(v, col, pitch);
    struct rig_launch l = { .block = { LANES }, .param = &base, .param_bytes = 8 };
    unsigned n = v->regs * (bytes == 8 ? 1 : 4 / bytes);
    uint8_t *memory = rig_at(&rig, RIG_BASE); /* each call is a line in the test's protocol */

    for (unsigned i = 0; i < 2 * TILE; i++) {
        memory[i] = (uint8_t)next();
    }
    rig_launch(&rig, ptx, &l);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < n; i++) { /* of f16 A and B more than there are: they repeat */
            unsigned k = i % part_elements(&v->p, v->part);

            bad += memcmp(memory + lane * LANE_BYTES + i * bytes,
                          memory + TILE + tile_offset(v, col, pitch, k, lane), bytes) != 0;
        }
    }
    ck_assert_msg(bad == 0, "%s, part %u of %s.%s, %s, pitch %u: %u elements", isa, v->part,
                  v->shape, v->type, col ? "col" : "row", pitch, bad);
    g_free(ptx);
}

START_TEST(moves_are_those_of_the_rule)
{
    seed = (uint64_t)_i + 100;
    for (unsigned k = 0; k < G_N_ELEMENTS(isas); k++) {
        if (sm_select_named(isas[k])) {
            move_check(&moves[_i], false, isas[k]);
            move_check(&moves[_i], true, isas[k]);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("matrix_rule");
    TCase *t = tcase_create("rule");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, products_are_those_of_the_rule, 0, (int)G_N_ELEMENTS(forms));
    tcase_add_loop_test(t, moves_are_those_of_the_rule, 0, (int)G_N_ELEMENTS(moves));
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

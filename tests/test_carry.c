/* SPDX-License-Identifier: MIT */
/* The carry flag, PTX ISA 9.7.2. The manual leaves open what a subtraction leaves for an addition;
 * a GPU has one flag, the carry of a + b + in and of a + ~b + in (measured; the numbers below come
 * from that definition in 128-bit arithmetic). Three instructions in a row, of every kind, width
 * and sign: the second takes the first one's flag and leaves one for the third. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

#define BLOCKS 8u
#define THREADS (BLOCKS * 32u)
#define SOURCES 9u /* three an instruction */
#define IN (RIG_BASE + 0x100000)

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

enum kind { ADD, SUB, MAD_LO, MAD_HI };
static const char *const roots[2][4] = { { "add", "sub", "mad.lo", "mad.hi" },
                                         { "addc", "subc", "madc.lo", "madc.hi" } };
static const struct {
    const char *name;
    unsigned bits;
    bool is_signed;
} types[] = {
    { "u32", 32, false }, { "s32", 32, true }, { "u64", 64, false }, { "s64", 64, true }
};

/* --- what it is --- */

static u128 mask_of(unsigned bits)
{
    return ((u128)1 << bits) - 1;
}

static uint64_t product(enum kind kind, unsigned type, uint64_t a, uint64_t b)
{
    unsigned bits = types[type].bits;
    u128 p = types[type].is_signed && bits == 64 ? (u128)((s128)(int64_t)a * (int64_t)b)
             : types[type].is_signed             ? (u128)((s128)(int32_t)a * (int32_t)b)
                                                 : (u128)a * b;

    return (uint64_t)((kind == MAD_HI ? p >> bits : p) & mask_of(bits));
}

/* @flag: in and out; @takes: the instruction reads it. Return: the result */
static uint64_t expected(enum kind kind, unsigned type, bool takes, const uint64_t source[3],
                         bool *flag)
{
    unsigned bits = types[type].bits;
    u128 mask = mask_of(bits);
    uint64_t a = (uint64_t)(source[0] & mask), b = (uint64_t)(source[1] & mask);
    u128 sum;

    switch (kind) {
    case ADD:
        sum = (u128)a + b + (takes && *flag);
        break;
    case SUB:
        sum = (u128)a + (~(u128)b & mask) + (takes ? *flag : 1);
        break;
    default:
        sum = (u128)product(kind, type, a, b) + (source[2] & mask) + (takes && *flag);
        break;
    }
    *flag = (sum >> bits) & 1;
    return (uint64_t)(sum & mask);
}

/* --- kernels --- */

/* Numbers at which a carry begins or ends, and others */
static uint64_t source_value(unsigned i, unsigned thread)
{
    static const uint64_t edge[] = { 0,
                                     1,
                                     2,
                                     UINT64_MAX,
                                     UINT64_MAX - 1,
                                     UINT64_C(1) << 63,
                                     INT64_MAX,
                                     UINT64_C(0x00000000ffffffff),
                                     UINT64_C(0xffffffff00000000),
                                     UINT64_C(0x7fffffff80000000) };
    uint64_t h = (thread * SOURCES + i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    h ^= h >> 31;
    return h % 3 ? edge[h / 3 % G_N_ELEMENTS(edge)] : h * UINT64_C(0xbf58476d1ce4e5b9);
}

static void instruction_append(GString *s, unsigned place, enum kind kind, unsigned type)
{
    char c = types[type].bits == 64 ? 'd' : 'r';
    bool multiplies = kind >= MAD_LO;

    g_string_append_printf(s, "%s%s.%s %%%c%u, %%%c%u, %%%c%u", roots[place > 0][kind],
                           place < 2 ? ".cc" : "", types[type].name, c, 20 + place, c, 3 * place, c,
                           3 * place + 1);
    if (multiplies) {
        g_string_append_printf(s, ", %%%c%u", c, 3 * place + 2);
    }
    g_string_append(s, ";\n");
}

/* A chain: @n in kinds of 4 and types of 4, for each of three instructions */
static void chain_take(unsigned n, enum kind kind[3], unsigned type[3])
{
    for (unsigned i = 0; i < 3; i++, n /= 16) {
        kind[i] = (enum kind)(n % 4);
        type[i] = n / 4 % 4;
    }
}

#define CHAINS 4096u
#define STEP 7u /* chains of one kernel are so far apart */

static char *kernel_text(unsigned first)
{
    GString *s = g_string_new(
        HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<40>;\n"
             ".reg .b64 %d<40>;\n.reg .b64 %out, %in;\n.reg .b32 %at, %n, %b;\n"
             "ld.param.u64 %out, [out];\nld.param.u64 %in, [in];\nmov.u32 %at, %tid.x;\n"
             "mov.u32 %b, %ctaid.x;\nmad.lo.u32 %at, %b, 32, %at;\n"
             "mad.wide.u32 %in, %at, 8, %in;\nmad.wide.u32 %out, %at, 8, %out;\n");

    for (unsigned i = 0; i < SOURCES; i++) {
        g_string_append_printf(s, "ld.global.u64 %%d%u, [%%in+%u];\ncvt.u32.u64 %%r%u, %%d%u;\n", i,
                               i * THREADS * 8, i, i);
    }
    for (unsigned n = first, k = 0; n < CHAINS; n += 16 * STEP, k++) {
        enum kind kind[3];
        unsigned type[3];

        chain_take(n, kind, type);
        for (unsigned i = 0; i < 3; i++) {
            instruction_append(s, i, kind[i], type[i]);
        }
        for (unsigned i = 0; i < 3; i++) {
            bool wide = types[type[i]].bits == 64;

            g_string_append_printf(s, "st.global.%s [%%out+%u], %%%c%u;\n", wide ? "u64" : "u32",
                                   (3 * k + i) * THREADS * 8, wide ? 'd' : 'r', 20 + i);
        }
    }
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

static void chain_compare(unsigned n, unsigned k, unsigned thread)
{
    enum kind kind[3];
    unsigned type[3];
    bool flag = false;

    chain_take(n, kind, type);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t source[3] = { source_value(3 * i, thread), source_value(3 * i + 1, thread),
                                     source_value(3 * i + 2, thread) };
        bool before = flag;
        uint64_t have = 0, want = expected(kind[i], type[i], i > 0, source, &flag);

        memcpy(&have, rig_at(&rig, RIG_BASE + ((3 * k + i) * THREADS + thread) * 8),
               types[type[i]].bits / 8);
        ck_assert_msg(have == want,
                      "%s.cc.%s, %s.cc.%s, %s.%s: instruction %u, flag %d, of %#" G_GINT64_MODIFIER
                      "x, %#" G_GINT64_MODIFIER "x, %#" G_GINT64_MODIFIER
                      "x gives %#" G_GINT64_MODIFIER "x, not %#" G_GINT64_MODIFIER "x",
                      roots[0][kind[0]], types[type[0]].name, roots[1][kind[1]],
                      types[type[1]].name, roots[1][kind[2]], types[type[2]].name, i, before,
                      source[0], source[1], source[2], have, want);
    }
}

/* Chains whose number modulo 16 * STEP is @_i: first instructions of one kind and type */
START_TEST(one_flag_serves_additions_and_subtractions)
{
    static const uint64_t param[] = { RIG_BASE, IN };
    struct rig_launch l = {
        .grid = { BLOCKS }, .block = { 32 }, .param = param, .param_bytes = sizeof(param)
    };
    unsigned first = (unsigned)_i;
    char *text = kernel_text(first);

    for (unsigned i = 0; i < SOURCES; i++) {
        for (unsigned t = 0; t < THREADS; t++) {
            *(uint64_t *)rig_at(&rig, IN + (i * THREADS + t) * 8) = source_value(i, t);
        }
    }
    rig_launch(&rig, text, &l);
    for (unsigned n = first, k = 0; n < CHAINS; n += 16 * STEP, k++) {
        for (unsigned t = 0; t < THREADS; t++) {
            chain_compare(n, k, t);
        }
    }
    g_free(text);
}
END_TEST

/* Published, of a GPU: add.cc of 0 and 0 leaves no carry, so subc borrows. */
START_TEST(an_addition_without_carry_makes_subc_borrow)
{
    static const uint64_t base = RIG_BASE;
    struct rig_launch l = { .param = &base, .param_bytes = 8 };

    rig_launch(&rig,
               ENTRY "ld.param.u64 %d0, [out];\nadd.cc.u32 %r0, 0, 0;\nsubc.u32 %r1, 0, 0;\n"
                     "st.global.u32 [%d0], %r1;\nret;\n}\n",
               &l);
    ck_assert_uint_eq(*(uint32_t *)rig_at(&rig, RIG_BASE), UINT32_MAX);
}
END_TEST

Suite *carry_suite(void)
{
    Suite *s = suite_create("carry");
    TCase *t = tcase_create("carry");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, an_addition_without_carry_makes_subc_borrow);
    tcase_add_loop_test(t, one_flag_serves_additions_and_subtractions, 0, 16);
    suite_add_tcase(s, t);
    return s;
}

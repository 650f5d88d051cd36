/* SPDX-License-Identifier: MIT */
/* Every mma of sm_80 to sm_87 gives what an NVIDIA H200 gave (golden/mma_oracle.cu), bit for bit,
 * with the block of products and the bits below the highest that sm_90 has: how tensor cores align,
 * cut and round is in no document. */
#include "tests/grid_rig.h"
#include "tests/mma_sp.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#ifndef MMA_GOLDEN
#define MMA_GOLDEN "tests/golden/mma_h200_580.159.04.bin"
#endif
#ifndef MMA_SP_GOLDEN
#define MMA_SP_GOLDEN "tests/golden/mma_sp_h200_580.159.04.bin"
#endif
#define LANES 32u

static struct rig r;

static void setup(void)
{
    rig_init(&r);
}

static void teardown(void)
{
    rig_free(&r);
}

/**
 * struct mma_case - one of the file, which it points into
 * @words: of a lane in A, B, C and D
 */
struct mma_case {
    char form[64];
    unsigned set, words[4];
    const char *data[4];
};

static const char *case_next(const char *at, struct mma_case *c)
{
    unsigned len = (unsigned char)*at++;

    ck_assert_uint_lt(len, sizeof(c->form));
    memcpy(c->form, at, len);
    c->form[len] = '\0';
    at += len;
    c->set = (unsigned char)*at++;
    for (unsigned i = 0; i < 3; i++) {
        c->words[i] = (unsigned char)*at++;
    }
    c->words[3] = c->words[2];
    for (unsigned i = 0; i < 4; i++) {
        c->data[i] = at;
        at += (size_t)LANES * 4 * c->words[i];
    }
    return at;
}

/* The type of a register: of operand @i of a form shape.row.col[.satfinite].D.A.B.C[.op.popc]. */
static const char *register_type(const struct mma_case *c, unsigned i)
{
    return strstr(c->form, ".f64")                                ? "f64"
           : (i == 2 || i == 3) && strstr(c->form, "row.col.f32") ? "f32"
                                                                  : "b32";
}

static void operand(GString *ptx, const struct mma_case *c, unsigned i)
{
    unsigned n = c->words[i] / (strstr(c->form, ".f64") ? 2 : 1);

    for (unsigned k = 0; k < n; k++) {
        g_string_append_printf(ptx, "%s%%%c%u", k ? "," : "{", "abcd"[i], k);
    }
    g_string_append_c(ptx, '}');
}

/* Each lane has its A, B, C and room for D, one behind the other, at 256 bytes from the next's. */
static char *case_ptx(const struct mma_case *c)
{
    unsigned size = strstr(c->form, ".f64") ? 8 : 4, offset = 0;
    GString *ptx = g_string_new(".version 8.0\n.target sm_87\n.address_size 64\n"
                                ".visible .entry k(.param .u64 at)\n{\n"
                                ".reg .b32 %t;\n.reg .b64 %p, %q;\n");

    for (unsigned i = 0; i < 4; i++) {
        g_string_append_printf(ptx, ".reg .%s %%%c<8>;\n", register_type(c, i), "abcd"[i]);
    }
    g_string_append(ptx, "ld.param.u64 %p, [at];\nmov.u32 %t, %tid.x;\n"
                         "mul.wide.u32 %q, %t, 256;\nadd.u64 %p, %p, %q;\n");
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < c->words[i] * 4 / size; k++, offset += size) {
            g_string_append_printf(ptx, "ld.global.%s %%%c%u, [%%p+%u];\n", register_type(c, i),
                                   "abcd"[i], k, offset);
        }
    }
    g_string_append_printf(ptx, "mma.sync.aligned.%s ", c->form);
    for (unsigned i = 0; i < 4; i++) {
        operand(ptx, c, (i + 3) % 4);
        g_string_append(ptx, i < 3 ? ", " : ";\n");
    }
    for (unsigned k = 0; k < c->words[3] * 4 / size; k++, offset += size) {
        g_string_append_printf(ptx, "st.global.%s [%%p+%u], %%d%u;\n", register_type(c, 3), offset,
                               k);
    }
    g_string_append(ptx, "ret;\n}\n");
    return g_string_free(ptx, FALSE);
}

/* Returns how many words differ. */
static unsigned case_replay(const struct mma_case *c)
{
    uint64_t param[1] = { RIG_BASE };
    struct rig_launch l = {
        .block = { LANES }, .param = param, .param_bytes = sizeof(param), .sm_version = 90
    };
    char *ptx = case_ptx(c);
    unsigned bad = 0;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint8_t *at = rig_at(&r, RIG_BASE + lane * 256);

        for (unsigned i = 0; i < 3; i++) {
            memcpy(at, c->data[i] + (size_t)lane * 4 * c->words[i], 4 * (size_t)c->words[i]);
            at += 4 * (size_t)c->words[i];
        }
    }
    rig_launch(&r, ptx, &l);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint8_t *at = rig_at(&r, RIG_BASE + lane * 256);

        at += 4 * (size_t)(c->words[0] + c->words[1] + c->words[2]);
        for (unsigned k = 0; k < c->words[3]; k++) {
            uint32_t have, want;

            memcpy(&have, at + 4 * k, 4);
            memcpy(&want, c->data[3] + ((size_t)lane * c->words[3] + k) * 4, 4);
            if (have != want && bad++ == 0) {
                printf("%s, data %u, lane %u, word %u: 0x%x, the H200 says 0x%x\n", c->form, c->set,
                       lane, k, have, want);
            }
        }
    }
    g_free(ptx);
    return bad;
}

START_TEST(products_match_an_h200)
{
    gchar *bytes;
    gsize size;
    unsigned n = 0, bad = 0;

    ck_assert_msg(g_file_get_contents(MMA_GOLDEN, &bytes, &size, NULL), "no %s", MMA_GOLDEN);
    for (const char *at = bytes; at < bytes + size; n++) {
        struct mma_case c;

        at = case_next(at, &c);
        bad += case_replay(&c) != 0;
    }
    g_free(bytes);
    ck_assert_msg(bad == 0, "%u of %u products differ from the H200", bad, n);
    ck_assert_uint_eq(n, 19 * 24);
}
END_TEST

/* Returns how many words of D differ from @want. */
static unsigned sparse_replay(unsigned form, unsigned selector, unsigned set, const char *want)
{
    static uint8_t bytes[MMA_SP_LANES * MMA_SP_LANE];
    uint64_t param[1] = { RIG_BASE };
    struct rig_launch l = {
        .block = { LANES }, .param = param, .param_bytes = sizeof(param), .sm_version = 90
    };
    char ptx[4096];
    unsigned bad = 0;

    mma_sp_data(form, selector, set, bytes);
    memcpy(rig_at(&r, RIG_BASE), bytes, sizeof(bytes));
    mma_sp_ptx("sm_87", form, selector, ptx);
    rig_launch(&r, ptx, &l);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint8_t *d = rig_at(&r, RIG_BASE + lane * MMA_SP_LANE + mma_sp_result(form));

        for (unsigned k = 0; k < mma_sp_forms[form].nc; k++, want += 4) {
            if (memcmp(d + 4 * k, want, 4) != 0 && bad++ == 0) {
                printf("mma.%s, selector %u, data %u, lane %u, word %u differs\n",
                       mma_sp_forms[form].name, selector, set, lane, k);
            }
        }
    }
    return bad;
}

/* Sparse products: which lane has whose metadata, and how they are summed */
START_TEST(sparse_products_match_an_h200)
{
    g_autofree gchar *bytes = NULL;
    const char *at;
    gsize size;
    unsigned n = 0, bad = 0;

    ck_assert_msg(g_file_get_contents(MMA_SP_GOLDEN, &bytes, &size, NULL), "no %s", MMA_SP_GOLDEN);
    at = bytes;
    for (unsigned f = 0; f < MMA_SP_FORMS; f++) {
        for (unsigned s = 0; s < mma_sp_forms[f].selectors; s++) {
            for (unsigned set = 0; set < MMA_SP_SETS; set++, n++) {
                ck_assert(at < bytes + size);
                bad += sparse_replay(f, s, set, at) != 0;
                at += (size_t)LANES * 4 * mma_sp_forms[f].nc;
            }
        }
    }
    ck_assert_msg(bad == 0, "%u of %u products differ from the H200", bad, n);
    ck_assert(n == 360 && at == bytes + size);
}
END_TEST

Suite *mma_golden_suite(void)
{
    Suite *s = suite_create("mma_golden");
    TCase *t = tcase_create("golden");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, products_match_an_h200);
    tcase_add_test(t, sparse_products_match_an_h200);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: MIT */
/* Rows of PTX leave in their registers and in memory what they leave on an NVIDIA H200:
 * golden/ptx_rows_h200_580.159.04.txt, made by golden/ptx_rows_oracle.c. Each set of handlers is
 * asked. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/ptx_rows.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>

static char *golden, *decls;
static GStrv lines;

static void golden_load(void)
{
    ck_assert(g_file_get_contents(ROWS_GOLDEN, &golden, NULL, NULL));
    lines = g_strsplit(golden, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "decls\t")) {
            decls = *line + strlen("decls\t");
        }
    }
    ck_assert_ptr_nonnull(decls);
}

static void golden_free(void)
{
    g_strfreev(lines);
    g_free(golden);
}

/* Return: whether the row's results are those of the GPU */
static bool row_good(struct rig *r, char **field)
{
    static char ptx[65536];
    uint64_t param = RIG_BASE, want = g_ascii_strtoull(field[0], NULL, 16), have;
    struct rig_launch l = {
        .block = { ROWS_THREADS }, .param = &param, .param_bytes = sizeof(param), .sm_version = 90
    };

    rows_fill(rig_at(r, RIG_BASE));
    rows_ptx(field[1], field[2], decls, field[3], ptx, sizeof(ptx));
    rig_launch(r, ptx, &l);
    have = rows_hash(rig_at(r, RIG_BASE));
    if (have != want) {
        printf("%016" G_GINT64_MODIFIER "x instead of %s: %s\n", have, field[0], field[3]);
    }
    return have == want;
}

/* A sanitizer makes each ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define ROWS_EVERY 8u
#else
#define ROWS_EVERY 1u
#endif

static void rows_replay(const char *isa)
{
    unsigned n = 0, bad = 0;
    struct rig r;

    if (!sm_select_named(isa)) {
        return; /* this host has no such vectors */
    }
    rig_init(&r);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) field = g_strsplit(*line, "\t", 4);

        if (g_strv_length(field) == 4 && n++ % ROWS_EVERY == 0) {
            bad += !row_good(&r, field);
        }
    }
    rig_free(&r);
    ck_assert_msg(bad == 0, "%u of %u rows differ from the H200", bad, n);
    ck_assert_uint_gt(n, 800);
}

START_TEST(rows_match_an_h200_base)
{
    rows_replay("base");
}
END_TEST

START_TEST(rows_match_an_h200_avx2)
{
    rows_replay("avx2");
}
END_TEST

START_TEST(rows_match_an_h200_avx512)
{
    rows_replay("avx512");
}
END_TEST

Suite *ptx_rows_suite(void)
{
    Suite *s = suite_create("ptx_rows");
    TCase *t = tcase_create("golden");

    tcase_add_unchecked_fixture(t, golden_load, golden_free);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, rows_match_an_h200_base);
    tcase_add_test(t, rows_match_an_h200_avx2);
    tcase_add_test(t, rows_match_an_h200_avx512);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: MIT */
/* Every kernel of sync_forms.h stores what an NVIDIA H200's did (golden/sync_oracle.c): phases and
 * pending counts of mbarrier, operations of a warp's parts, cp.async, ldmatrix and its kin, every
 * wmma of sm_80 to sm_87. */
#include "tests/grid_rig.h"
#include "tests/sync_forms.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>

#ifndef SYNC_GOLDEN
#define SYNC_GOLDEN "tests/golden/sync_h200_580.159.04.bin"
#endif
#define LEFT_OUT "stmatrix" /* needs sm_90, and no SoC before Thor has it */

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static void form_execute(const struct sync_form *f)
{
    static char ptx[9000];
    uint64_t param[1] = { RIG_BASE };
    struct rig_launch l = {
        .block = { f->threads }, .param = param, .param_bytes = sizeof(param), .sm_version = 90
    };

    memset(rig_at(&rig, RIG_BASE), 0, SYNC_INPUT);
    for (unsigned i = 0; i < SYNC_INPUT / 4; i++) {
        uint32_t v = sync_input(i);

        memcpy(rig_at(&rig, RIG_BASE + SYNC_INPUT + 4 * (uint64_t)i), &v, 4);
    }
    sync_ptx(f, ptx, sizeof(ptx));
    rig_launch(&rig, ptx, &l);
}

/* @want: words of its threads, one thread behind the other. Returns whether they are what the
 * launch stored. */
static bool form_compare(const struct sync_form *f, const char *want)
{
    for (unsigned i = 0; i < f->threads * f->words; i++) {
        uint32_t have, golden;

        memcpy(&have,
               rig_at(&rig, RIG_BASE + 4 * ((uint64_t)i / f->words * SYNC_WORDS + i % f->words)),
               4);
        memcpy(&golden, want + 4 * (size_t)i, 4);
        if (have != golden) {
            printf("%s, thread %u, word %u: 0x%x, the H200 says 0x%x\n", f->name, i / f->words,
                   i % f->words, have, golden);
            return false;
        }
    }
    return true;
}

/* A sanitizer makes each ten times as long: there every fourth one runs. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 4u
#else
#define EVERY 1u
#endif

START_TEST(kernels_match_an_h200)
{
    struct sync_forms fs = sync_build();
    gchar *bytes;
    gsize size, at = 0;
    unsigned n = 0, bad = 0;

    ck_assert_msg(g_file_get_contents(SYNC_GOLDEN, &bytes, &size, NULL), "no %s", SYNC_GOLDEN);
    for (; at < size; n++) {
        const struct sync_form *f = &fs.form[n];
        unsigned len = (unsigned char)bytes[at];

        ck_assert_uint_lt(n, fs.n);
        ck_assert_uint_eq(len, strlen(f->name));
        ck_assert_int_eq(memcmp(bytes + at + 1, f->name, len), 0);
        ck_assert_uint_eq((unsigned char)bytes[at + 1 + len], f->threads);
        ck_assert_uint_eq((unsigned char)bytes[at + 2 + len], f->words);
        at += 3 + len;
        if (n % EVERY == 0 && strncmp(f->name, LEFT_OUT, strlen(LEFT_OUT)) != 0) {
            form_execute(f);
            bad += !form_compare(f, bytes + at);
        }
        at += (gsize)4 * f->threads * f->words;
    }
    ck_assert_msg(bad == 0, "%u of %u kernels differ from the H200", bad, n);
    ck_assert_uint_eq(n, fs.n);
    ck_assert_uint_eq(n, 326);
    g_free(bytes);
    free(fs.form);
}
END_TEST

Suite *sync_golden_suite(void)
{
    Suite *s = suite_create("sync_golden");
    TCase *t = tcase_create("golden");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, kernels_match_an_h200);
    suite_add_tcase(s, t);
    return s;
}

/* SPDX-License-Identifier: MIT */
/* Every instruction form of ptx_forms.h gives what an NVIDIA H200 gave (golden/ptx_oracle.c), bit
 * for bit; approximations stay inside the bounds of PTX ISA 9.7.3. Each set of handlers is
 * replayed. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/ptx_forms.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <math.h>

#ifndef GOLDEN_FILE
#define GOLDEN_FILE "tests/golden/ptx_forms_h200_580.159.04.bin"
#endif
#ifndef GOLDEN_THREADS
#define GOLDEN_THREADS FORM_THREADS
#endif

static struct forms fs;
static GHashTable *golden; /* name -> results */
static gchar *golden_bytes;

static void golden_load(void)
{
    gsize size, at = 0;

    ck_assert_msg(g_file_get_contents(GOLDEN_FILE, &golden_bytes, &size, NULL), "no %s",
                  GOLDEN_FILE);
    golden = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    while (at < size) {
        unsigned len = (unsigned char)golden_bytes[at], bytes;
        char *name = g_strndup(golden_bytes + at + 1, len);

        bytes = (unsigned char)golden_bytes[at + 1 + len];
        g_hash_table_insert(golden, name, golden_bytes + at + 1 + len);
        at += 2 + len + (gsize)bytes * GOLDEN_THREADS;
    }
    ck_assert_uint_eq(at, size);
    fs = forms_build();
}

static void golden_free(void)
{
    g_hash_table_destroy(golden);
    g_free(golden_bytes);
    free(fs.form);
}

static void form_execute(struct rig *r, const struct form *f)
{
    static char ptx[8192];
    uint64_t param[2] = { RIG_BASE, RIG_BASE + GOLDEN_THREADS * 32 };
    struct rig_launch l = { .grid = { GOLDEN_THREADS / 128 },
                            .block = { 128 },
                            .param = param,
                            .param_bytes = sizeof(param) };

    for (unsigned i = 0; i < GOLDEN_THREADS; i++) {
        for (unsigned s = 0; s + 1 < strlen(f->sig); s++) {
            uint64_t v = form_input(f->sig[s + 1], s, i);

            memcpy(rig_at(r, RIG_BASE + i * 32 + s * 8), &v, 8);
        }
    }
    form_ptx(f, ptx, sizeof(ptx));
    rig_launch(r, ptx, &l);
}

static uint64_t result_at(const void *p, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, p, bytes);
    return v;
}

static double result_double(uint64_t v, const struct form *f)
{
    float s;
    double d;

    if (f->sig[0] == 'g') {
        memcpy(&d, &v, 8);
        return d;
    }
    if (f->sig[0] == 'y') { /* f16 or bf16: as ordered integers is enough for a bound in ulp */
        return v & 0x8000 ? -(double)(v & 0x7fff) : (double)(v & 0x7fff);
    }
    memcpy(&s, &v, 4);
    return s;
}

/* Distance in units of the last place: floats of one sign are ordered as their bits are. */
static double result_ulp(uint64_t a, uint64_t b, const struct form *f)
{
    uint64_t sign = f->sig[0] == 'g' ? UINT64_C(1) << 63 : f->sig[0] == 'y' ? 0x8000u : 0x80000000u;
    double x = a & sign ? -(double)(a & ~sign) : (double)a;
    double y = b & sign ? -(double)(b & ~sign) : (double)b;

    return fabs(x - y);
}

static bool result_good(const struct form *f, uint64_t want, uint64_t have)
{
    double w = result_double(want, f), h = result_double(have, f);

    if (want == have) {
        return true;
    }
    if (f->ulp == 0 && f->abs_bits == 0) {
        return false;
    }
    if (f->sig[0] != 'y' && (w != w || h != h || fabs(w) == INFINITY || fabs(h) == INFINITY)) {
        return f->sig[0] != 'y' && w != w && h != h;
    }
    return (f->ulp && result_ulp(want, have, f) <= f->ulp) ||
           (f->abs_bits && fabs(w - h) <= ldexp(1.0, -f->abs_bits));
}

static unsigned form_compare(struct rig *r, const struct form *f, const char *isa)
{
    const char *want = g_hash_table_lookup(golden, f->name);
    unsigned bytes, bad = 0;

    if (!want) {
        return 0;
    }
    bytes = (unsigned char)*want++;
    ck_assert_uint_eq(bytes, form_result_bytes(f));
    form_execute(r, f);
    for (unsigned i = 0; i < GOLDEN_THREADS; i++) {
        uint64_t w = result_at(want + (size_t)i * bytes, bytes);
        uint64_t h = result_at(rig_at(r, RIG_BASE + GOLDEN_THREADS * 32 + i * 8), bytes);

        if (!result_good(f, w, h) && bad++ < 3) {
            printf("%s %s(", isa, f->name);
            for (unsigned s = 0; s + 1 < strlen(f->sig); s++) {
                printf("%s0x%" G_GINT64_MODIFIER "x", s ? ", " : "",
                       form_input(f->sig[s + 1], s, i));
            }
            printf(") = 0x%" G_GINT64_MODIFIER "x, the H200 says 0x%" G_GINT64_MODIFIER "x\n", h,
                   w);
        }
    }
    return bad != 0;
}

/* A sanitizer makes each ten times as long: there vectors have every fourth form. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 4u
#else
#define EVERY 1u
#endif

/* @every: 1: all forms */
static void replay(const char *isa, unsigned every)
{
    struct rig r;
    unsigned bad = 0, n = 0;

    if (!sm_select_named(isa)) {
        return; /* this host has no such vectors */
    }
    rig_init(&r);
    for (unsigned i = 0; i < fs.n; i += every) {
        n += g_hash_table_contains(golden, fs.form[i].name);
        bad += form_compare(&r, &fs.form[i], isa);
    }
    rig_free(&r);
    ck_assert_msg(bad == 0, "%u of %u forms differ from the H200", bad, n);
    ck_assert_uint_gt(n, 1000 / every);
}

START_TEST(forms_match_an_h200_base)
{
    replay("base", 1);
}
END_TEST

START_TEST(forms_match_an_h200_avx2)
{
    replay("avx2", EVERY);
}
END_TEST

START_TEST(forms_match_an_h200_avx512)
{
    replay("avx512", EVERY);
}
END_TEST

Suite *ptx_exec_suite(void)
{
    Suite *s = suite_create("ptx_exec");
    TCase *t = tcase_create("golden");

    tcase_add_unchecked_fixture(t, golden_load, golden_free);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, forms_match_an_h200_base);
    tcase_add_test(t, forms_match_an_h200_avx2);
    tcase_add_test(t, forms_match_an_h200_avx512);
    suite_add_tcase(s, t);
    return s;
}

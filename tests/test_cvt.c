/* SPDX-License-Identifier: MIT */
/* Conversions that the forms of ptx_forms.h leave out. */
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
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

/* cvt.@text of the f32 @in */
static uint16_t converted(const char *text, uint32_t in)
{
    static const uint64_t base = RIG_BASE;
    struct rig_launch l = { .param = &base, .param_bytes = 8 };
    char *body = g_strdup_printf("ld.param.u64 %%d0, [out];\nmov.b32 %%f0, %#x;\n"
                                 "cvt.%s.f16.f32 %%h0, %%f0;\nst.global.b16 [%%d0], %%h0;\n"
                                 "ret;\n}\n",
                                 in, text);
    char *ptx = g_strconcat(ENTRY ".reg .b16 %h<2>;\n", body, NULL);

    rig_launch(&rig, ptx, &l);
    g_free(ptx);
    g_free(body);
    return *(uint16_t *)rig_at(&rig, RIG_BASE);
}

#define LEAST 0x00000001u /* f32: 2^-149 */
#define MOST 0x007fffffu  /* the largest subnormal */
#define MINUS 0x80000000u

/* A GPU rounds an f32 that is subnormal to f16 as it is, .ftz or not: up and down show it (these
 * rows: H200, driver 580.159.04). */
START_TEST(subnormals_are_rounded_to_f16_with_ftz_too)
{
    static const struct {
        const char *text;
        uint32_t in;
        uint16_t out;
    } rows[] = {
        { "rp.ftz", LEAST, 0x0001 },
        { "rp.ftz", MOST, 0x0001 },
        { "rp.ftz", LEAST | MINUS, 0x8000 },
        { "rp.ftz", MOST | MINUS, 0x8000 },
        { "rm.ftz", LEAST, 0x0000 },
        { "rm.ftz", MOST, 0x0000 },
        { "rm.ftz", LEAST | MINUS, 0x8001 },
        { "rm.ftz", MOST | MINUS, 0x8001 },
        { "rn.ftz", MOST, 0x0000 },
        { "rn.ftz", MOST | MINUS, 0x8000 },
        { "rz.ftz", MOST, 0x0000 },
        { "rz.ftz", MOST | MINUS, 0x8000 },
        { "rp.ftz", 0, 0x0000 },
        { "rm.ftz", MINUS, 0x8000 },
        { "rp", MOST, 0x0001 },
        { "rm", MOST | MINUS, 0x8001 },
        { "rp.ftz", 0x7fc00001, 0x7fff },
        { "rp.ftz", 0x3f800001, 0x3c01 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        ck_assert_msg(converted(rows[i].text, rows[i].in) == rows[i].out, "cvt.%s.f16.f32 of %#x",
                      rows[i].text, rows[i].in);
    }
}
END_TEST

Suite *cvt_suite(void)
{
    Suite *s = suite_create("cvt");
    TCase *t = tcase_create("cvt");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, subnormals_are_rounded_to_f16_with_ftz_too);
    suite_add_tcase(s, t);
    return s;
}

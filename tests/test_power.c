/* SPDX-License-Identifier: MIT */
/* Power modes: figures typed from nvpmodel's files, and what follows from them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/power.h"

static struct soc_profile *loaded(const char *soc, const char *mode)
{
    g_autoptr(GError) error = NULL;
    struct soc_profile *p;

    if (mode) {
        g_setenv(PROFILE_POWER_ENV, mode, TRUE);
    }
    p = profile_load(soc, &error);
    g_unsetenv(PROFILE_POWER_ENV);
    ck_assert_msg(p, "%s", error ? error->message : "");
    return p;
}

/* nvpmodel_p3701_0000.conf, _p3767_0000.conf, _p3767_0003.conf, _t194.conf, _t186.conf: cores that
 * are online, MAX_FREQ of CPU and GPU, 2 SMs for each bit that TPC_PG_MASK leaves; MAX_FREQ of EMC
 * against that of MAXN, as a part of the data sheet's bandwidth. */
static const struct {
    const char *soc, *mode;
    unsigned cores, cpu_khz, sms, gpu_khz, bandwidth_mb_s;
} modes[] = {
    { "orin", "MAXN", 12, 2200000, 16, 1300000, 204800 },
    { "orin", "15W", 4, 1113000, 6, 408000, 136512 }, /* 2133 of 3200 MHz */
    { "orin", "MODE_30W", 8, 1728000, 8, 612000, 204800 },
    { "orin", "3", 12, 1497000, 16, 816000, 204800 },
    { "orin-nx", "10w", 4, 1190000, 4, 612000, 68256 },
    { "orin-nano", "7W", 4, 960000, 4, 408000, 68000 },
    { "xavier", "10W", 2, 1200000, 4, 520000, 68154 }, /* 1065 of 2133 MHz */
    { "tx2", "maxq", 4, 1200000, 2, 850000, 42583 },   /* 1331 of 1866 MHz */
};

START_TEST(a_mode_has_its_figures)
{
    struct soc_profile *p = loaded(modes[_i].soc, modes[_i].mode);

    ck_assert_uint_eq(p->cpu.cores, modes[_i].cores);
    ck_assert_uint_eq(p->cpu.clock_khz, modes[_i].cpu_khz);
    ck_assert_uint_eq(p->gpu.sm_count, modes[_i].sms);
    ck_assert_uint_eq(p->gpu.clock_khz, modes[_i].gpu_khz);
    ck_assert_uint_eq(p->memory.bandwidth_mb_s, modes[_i].bandwidth_mb_s);
    profile_free(p);
}
END_TEST

/* A CPU at half the clock takes twice as long; a line from DRAM, as its bandwidth. */
START_TEST(times_follow_the_clocks)
{
    struct soc_profile *most = loaded("orin", NULL), *least = loaded("orin", "15W");

    ck_assert_double_eq_tol((double)least->timing.submit_ns / most->timing.submit_ns, 2200.0 / 1113,
                            0.01);
    ck_assert_double_eq_tol((double)least->timing.cpu_miss_ps / most->timing.cpu_miss_ps,
                            3200.0 / 2133, 0.01);
    ck_assert_uint_eq(least->timing.gpu_dram_cycles, most->timing.gpu_dram_cycles);
    profile_free(most);
    profile_free(least);
}
END_TEST

static const struct {
    const char *soc, *mode, *says;
} wrong[] = {
    { "orin", "20W", "it has MAXN, 15W, 30W, 50W" },
    { "orin", "MAXM", "did you mean MAXN?" },
    { "orin", "4", "no power mode \"4\"" },
    { "thor", "120W", "it has MAXN" },
    { "desktop", "MAXN", "only the Jetsons have" },
    { "drive-px2", "MAXN", "only the Jetsons have" },
};

START_TEST(an_unknown_mode_is_named)
{
    g_autoptr(GError) error = NULL;

    g_setenv(PROFILE_POWER_ENV, wrong[_i].mode, TRUE);
    ck_assert_ptr_null(profile_load(wrong[_i].soc, &error));
    g_unsetenv(PROFILE_POWER_ENV);
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error->message, wrong[_i].says), "%s", error->message);
}
END_TEST

/* Every Jetson has modes; the first of them, or one named MAXN, is what the profile says. */
START_TEST(every_jetson_has_modes)
{
    static const char *const jetsons[] = { "nano", "tx2",     "xavier",    "xavier-nx",
                                           "orin", "orin-nx", "orin-nano", "thor" };
    g_auto(GStrv) all = profile_list(NULL);

    for (gsize i = 0; i < G_N_ELEMENTS(jetsons); i++) {
        const struct profile_power *row;

        ck_assert(g_strv_contains((const char *const *)all, jetsons[i]));
        ck_assert_ptr_nonnull(profile_power(jetsons[i], 0));
        for (unsigned n = 0; (row = profile_power(jetsons[i], n)); n++) {
            struct soc_profile *p = loaded(jetsons[i], row->name),
                               *whole = loaded(jetsons[i], NULL);

            ck_assert_uint_eq(row->id, n);
            ck_assert_uint_le(p->cpu.cores, whole->cpu.cores);
            ck_assert_uint_le(p->gpu.sm_count, whole->gpu.sm_count);
            ck_assert(*row->source);
            profile_free(p);
            profile_free(whole);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("power");
    TCase *t = tcase_create("power");
    SRunner *runner = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, a_mode_has_its_figures, 0, G_N_ELEMENTS(modes));
    tcase_add_test(t, times_follow_the_clocks);
    tcase_add_loop_test(t, an_unknown_mode_is_named, 0, G_N_ELEMENTS(wrong));
    tcase_add_test(t, every_jetson_has_modes);
    suite_add_tcase(s, t);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* What kinds of memory and ways between engines cost: figures that are easy to reckon with. */
#include <check.h>
#include <string.h>

#include "model/rules/charge.h"
#include "model/rules/charge_engines.h"
#include "tests/suite.h"

#define MB 1000000u

/* 100 bytes a ns; each figure differs from the others */
static struct soc_profile board(unsigned cc_major, unsigned cc_minor)
{
    struct soc_profile p = {
        .memory = { .bandwidth_mb_s = 100000 },
        .gpu = { .cc_major = cc_major,
                 .cc_minor = cc_minor,
                 .sm_count = 1,
                 .cores_per_sm = 32,
                 .warp_threads = 32,
                 .clock_khz = 1000000,
                 .l2_bytes = 2 * MB },
        .timing = { .gpu_permille = 1000,
                    .managed_permille = 800,
                    .pinned_permille = 500,
                    .pageable_permille = 500,
                    .dram_permille = 1000,
                    .copy_permille = 500,
                    .l2_sm_bytes = 1000,
                    .cpu_hit_ps = 1000,
                    .cpu_miss_ps = 10000,
                    .cpu_uncached_ps = 50000,
                    .copy_ns = 5000,
                    .copy_sync_ns = 8000,
                    .sync_ns = 2000,
                    .submit_ns = 3000,
                    .event_ns = 3500 },
    };

    strcpy(p.soc.edition, "13.4");
    p.soc.io_coherent = cc_major > 6;
    return p;
}

START_TEST(a_shared_frame_costs_its_calls_and_its_lines)
{
    struct soc_profile p = board(8, 7);
    struct charge_shared s = { .size = MB, .frames = 10, .gpu_read = 10 * MB, .gpu_written = 0 };

    /* two events; 1 MB is read again at 100 bytes a ns */
    ck_assert_double_eq_tol(charge_way_ns(&s, CHARGE_WAY_NVSCI, &p), 7000 + 10000, 1);
    ck_assert_double_eq_tol(charge_way_ns(&s, CHARGE_WAY_SKIP, &p), 7000, 1);
    /* start, wait, 1 MB at 50 bytes a ns, and 2 MB that the CPU moves */
    ck_assert_double_eq_tol(charge_way_ns(&s, CHARGE_WAY_COPIES, &p), 15000 + 20000 + 20000, 1);
    s.gpu_written = 5 * MB; /* half of each frame is cleaned, too */
    ck_assert_double_eq_tol(charge_way_ns(&s, CHARGE_WAY_NVSCI, &p), 7000 + 15000, 1);
    s.size = 4 * MB; /* more than the L2 holds */
    s.gpu_read = s.gpu_written = 40 * MB;
    ck_assert_double_eq_tol(charge_way_ns(&s, CHARGE_WAY_NVSCI, &p), 7000 + 40000, 1);
}
END_TEST

START_TEST(skip_flags_name_their_condition)
{
    struct soc_profile p = board(8, 7);

    ck_assert_ptr_nonnull(strstr(charge_way_rule(CHARGE_WAY_SKIP, &p), "only where"));
    p.rules.cpu_snoops_l2 = true; /* Thor: Table 1 */
    ck_assert_ptr_nonnull(strstr(charge_way_rule(CHARGE_WAY_SKIP, &p), "none is needed"));
}
END_TEST

/* Pinned memory of which the CPU, whose cache does not hold it, reads 1 MB in words of 8 bytes. */
START_TEST(an_answer_beyond_the_error_is_sure)
{
    struct soc_profile tx2 = board(6, 2), orin = board(8, 7);
    struct charge_kernel kernel = { .launches = 1, .time_ns = 40000, .warp_insts = 10 };
    struct charge_buffer buffer = { .kind = CHARGE_PINNED,
                                    .size = MB,
                                    .allocations = 1,
                                    .cpu_known = true,
                                    .loads = MB / 8,
                                    .read = MB };
    struct charge_use use = { .read = MB, .dram = MB };
    struct charge_run run = { &tx2, &kernel, &buffer, &use, 1, 1, 1 };
    struct charge_answer a;

    charge_answer(&run, 0, 1, &tx2, &a);
    ck_assert_double_eq_tol(a.cost[CHARGE_PINNED].cpu, MB / 8 * 50.0, 1);
    ck_assert_int_eq(a.best, CHARGE_MANAGED);
    ck_assert(a.sure && !a.little);
    ck_assert_ptr_nonnull(strstr(charge_reason(&a, &tx2), "the CPU does not cache it"));
    buffer.cpu_known = false; /* what was not seen has no answer */
    charge_answer(&run, 0, 1, &tx2, &a);
    ck_assert_int_eq(a.best, CHARGE_KINDS);
    ck_assert_double_eq(charge_error_percent(&tx2), 100);
    ck_assert_double_eq(charge_error_percent(&orin), 20);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("charge");
    TCase *t = tcase_create("charge");

    tcase_add_test(t, a_shared_frame_costs_its_calls_and_its_lines);
    tcase_add_test(t, skip_flags_name_their_condition);
    tcase_add_test(t, an_answer_beyond_the_error_is_sure);
    suite_add_tcase(s, t);
    return suite_main(s);
}

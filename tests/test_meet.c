/* SPDX-License-Identifier: MIT */
/* Lanes that wait for each other at different instructions: one operation of all of them, as an
 * H200 gives it for votes in both arms of a branch; where lanes can never meet, the fault names the
 * instruction and its membermask. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <string.h>

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

/* Lanes 0 to 15 go to L1, the others do @first; %r5 is the result. %p2: even lanes, %p3: lanes
 * whose number 3 divides; %r6: 100 + lane, %r7: 200 + lane, %r8: lane ^ 16 */
#define ARMS(head, first, second)                                                                \
    head ".func (.param .b32 d) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\n.reg .pred %p1;\n"        \
         "ld.param.b32 %r0, [a];\nsetp.ne.u32 %p1, %r0, 0;\n"                                    \
         "vote.sync.ballot.b32 %r1, %p1, -1;\nst.param.b32 [d], %r1;\nret;\n}\n" ENTRY_ANY INDEX \
         "mov.u32 %r5, 77;\nand.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 0;\n"                    \
         "rem.u32 %r4, %r1, 3;\nsetp.eq.u32 %p3, %r4, 0;\nadd.u32 %r6, %r1, 100;\n"              \
         "add.u32 %r7, %r1, 200;\nxor.b32 %r8, %r1, 16;\nsetp.lt.u32 %p1, %r1, 16;\n"            \
         "@%p1 bra L1;\n" first "bra.uni L2;\nL1:\n" second "L2:\n"                              \
         "st.global.u32 [%d0], %r5;\nret;\n}\n"

#define SELECT(p) "selp.u32 %r5, 1, 0, " p ";\n"

static bool in_low(unsigned lane)
{
    return lane < 16;
}

/* The predicate of each lane: %p3 in the first arm, %p2 in the second */
static uint32_t ballot(void)
{
    uint32_t v = 0;

    for (unsigned l = 0; l < 32; l++) {
        v |= (in_low(l) ? l % 2 == 0 : l % 3 == 0) ? 1u << l : 0;
    }
    return v;
}

static uint32_t of_ballot(unsigned lane)
{
    (void)lane;
    return ballot();
}

static uint32_t of_low_ballot(unsigned lane)
{
    return in_low(lane) ? ballot() & 0xffff : 77;
}

static uint32_t of_zero(unsigned lane)
{
    (void)lane;
    return 0;
}

static uint32_t of_one(unsigned lane)
{
    (void)lane;
    return 1;
}

static uint32_t of_other(unsigned lane)
{
    return (lane ^ 16) + (in_low(lane) ? 200 : 100);
}

static uint32_t of_sum(unsigned lane)
{
    (void)lane;
    return 16 * 100 + 16 * 200 + 31 * 16;
}

static uint32_t of_leader(unsigned lane)
{
    return lane == 0 ? 1000 : 0;
}

static uint32_t of_match(unsigned lane)
{
    return 1u << lane | 1u << (lane ^ 16);
}

static const struct {
    const char *ptx;
    uint32_t (*expected)(unsigned lane);
} rows[] = {
    { ARMS(HEAD, "vote.sync.ballot.b32 %r5, %p3, -1;\n", "vote.sync.ballot.b32 %r5, %p2, -1;\n"),
      of_ballot },
    /* true in one arm, false in the other */
    { ARMS(HEAD, "vote.sync.all.pred %p4, !%p1, -1;\n" SELECT("%p4"),
           "vote.sync.all.pred %p5, !%p1, -1;\n" SELECT("%p5")),
      of_zero },
    { ARMS(HEAD, "vote.sync.any.pred %p4, !%p1, -1;\n" SELECT("%p4"),
           "vote.sync.any.pred %p5, !%p1, -1;\n" SELECT("%p5")),
      of_one },
    { ARMS(HEAD, "vote.sync.uni.pred %p4, %p1, -1;\n" SELECT("%p4"),
           "vote.sync.uni.pred %p5, %p1, -1;\n" SELECT("%p5")),
      of_zero },
    { ARMS(HEAD, "shfl.sync.idx.b32 %r5, %r7, %r8, 31, -1;\n",
           "shfl.sync.idx.b32 %r5, %r6, %r8, 31, -1;\n"),
      of_other },
    { ARMS(HEAD, "shfl.sync.bfly.b32 %r5|%p4, %r7, 16, 31, -1;\n",
           "shfl.sync.bfly.b32 %r5|%p5, %r6, 16, 31, -1;\n"),
      of_other },
    { ARMS(HEAD, "redux.sync.add.u32 %r5, %r7, -1;\n", "redux.sync.add.u32 %r5, %r6, -1;\n"),
      of_sum },
    { ARMS(HEAD, "and.b32 %r4, %r1, 15;\nmatch.any.sync.b32 %r5, %r4, -1;\n",
           "match.any.sync.b32 %r5, %r1, -1;\n"),
      of_match },
    { ARMS(HEAD90, "elect.sync %r5|%p4, -1;\nselp.u32 %r5, 1000, %r5, %p4;\n",
           "elect.sync %r5|%p5, -1;\nselp.u32 %r5, 1000, %r5, %p5;\n"),
      of_leader },
    { ARMS(HEAD, "bar.warp.sync -1;\nmov.u32 %r5, 1;\n", "bar.warp.sync -1;\nmov.u32 %r5, 1;\n"),
      of_one },
    /* another instruction: the lanes meet, and each has the operation of its own */
    { ARMS(HEAD, "bar.warp.sync -1;\n", "vote.sync.ballot.b32 %r5, %p2, -1;\n"), of_low_ballot },
    /* one of them in a function */
    { ARMS(HEAD, "selp.u32 %r4, 1, 0, %p3;\ncall (%r5), f, (%r4);\n",
           "vote.sync.ballot.b32 %r5, %p2, -1;\n"),
      of_ballot },
    /* three arms */
    { ARMS(HEAD,
           "setp.gt.u32 %p6, %r1, 23;\n@%p6 bra L3;\nvote.sync.ballot.b32 %r5, %p3, -1;\n"
           "bra.uni L2;\nL3:\nvote.sync.ballot.b32 %r5, %p3, -1;\n",
           "vote.sync.ballot.b32 %r5, %p2, -1;\n"),
      of_ballot },
};

START_TEST(lanes_in_both_arms_have_one_operation)
{
    struct rig_launch l = { .block = { 32 }, .param = &base, .param_bytes = 8, .sm_version = 90 };

    rig_launch(&rig, rows[_i].ptx, &l);
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t have = *(uint32_t *)rig_at(&rig, RIG_BASE + 4 * lane);

        ck_assert_msg(have == rows[_i].expected(lane), "lane %u: %#x, not %#x", lane, have,
                      rows[_i].expected(lane));
    }
}
END_TEST

/* Groups of lanes with masks of their own do not wait for each other. */
START_TEST(each_membermask_meets_by_itself)
{
    struct rig_launch l = { .block = { 32 }, .param = &base, .param_bytes = 8 };

    rig_launch(&rig,
               ARMS(HEAD,
                    "setp.eq.u32 %p6, %r4, 0;\n@%p6 bra L3;\n"
                    "vote.sync.ballot.b32 %r5, %p3, 0xffff0000;\nbra.uni L2;\nL3:\n"
                    "vote.sync.ballot.b32 %r5, %p3, 0xffff0000;\n",
                    "vote.sync.ballot.b32 %r5, %p2, 0x0000ffff;\n"),
               &l);
    for (unsigned lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(*(uint32_t *)rig_at(&rig, RIG_BASE + 4 * lane),
                          ballot() & (in_low(lane) ? 0xffffu : 0xffff0000u));
    }
}
END_TEST

static const struct {
    const char *low, *text;
    uint32_t members;
} stuck[] = {
    { "vote.sync.all.pred %p4, %p2, -1;\n", "vote.sync ", UINT32_MAX },
    { "shfl.sync.up.b32 %r5, %r6, 1, 0, 0x0003ffff;\n", "shfl.sync ", 0x3ffff },
    { "match.any.sync.b32 %r5, %r6, -1;\n", "match.sync ", UINT32_MAX },
    { "redux.sync.min.u32 %r5, %r6, -1;\n", "redux.sync ", UINT32_MAX },
    { "elect.sync %r5|%p4, -1;\n", "elect.sync ", UINT32_MAX },
    { "bar.warp.sync -1;\n", "bar.warp.sync ", UINT32_MAX },
    { "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r6;\n", "matrices ", UINT32_MAX },
};

/* The other lanes are at a barrier that waits for these. */
START_TEST(lanes_that_never_meet_are_a_fault_with_its_instruction)
{
    struct rig_launch l = { .block = { 64 }, .param = &base, .param_bytes = 8, .sm_version = 90 };
    char *ptx = g_strconcat(HEAD90 ENTRY_ANY INDEX
                            "and.b32 %r4, %r1, 31;\nsetp.lt.u32 %p1, %r4, 16;\n"
                            "setp.eq.u32 %p2, %r4, 1;\nmov.u32 %r6, %r1;\n@%p1 bra L1;\n"
                            "bar.sync 0;\nbra.uni L2;\nL1:\n",
                            stuck[_i].low, "bar.sync 0;\nL2:\nret;\n}\n", NULL);
    struct grid_program *p = rig_program(ptx);
    struct grid *g = rig_grid(&rig, p, &l);
    const struct grid_fault *f = grid_fault(g);

    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_int_eq(f->kind, GRID_FAULT_BARRIER);
    ck_assert_msg(strstr(f->reason, stuck[_i].text) && strstr(f->reason, "never reach it"), "%s",
                  f->reason);
    ck_assert_uint_eq(f->members, stuck[_i].members);
    ck_assert_uint_eq(f->missing, stuck[_i].members & 0xffff0000u);
    grid_free(g);
    grid_program_unref(p);
    g_free(ptx);
}
END_TEST

Suite *meet_suite(void)
{
    Suite *s = suite_create("meet");
    TCase *t = tcase_create("meet");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, lanes_in_both_arms_have_one_operation, 0, G_N_ELEMENTS(rows));
    tcase_add_test(t, each_membermask_meets_by_itself);
    tcase_add_loop_test(t, lanes_that_never_meet_are_a_fault_with_its_instruction, 0,
                        G_N_ELEMENTS(stuck));
    suite_add_tcase(s, t);
    return s;
}

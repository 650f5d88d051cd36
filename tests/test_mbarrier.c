/* SPDX-License-Identifier: MIT */
/* mbarrier: PTX ISA 9.7.13.15. Expected phases and counts by hand from the kernels, by the manual's
 * rules; what a GPU says of longer sequences is in golden/ (test_sync_golden.c). */
#include "ptx/decode.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <glib.h>
#include <string.h>

#define KERNEL                                                                                 \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n"            \
    ".reg .pred %p<10>;\n.shared .align 8 .b8 b[64];\nld.param.u64 %d0, [out];\nmov.u32 %r1, " \
    "%tid.x;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d0, %d1;\n"

static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static uint32_t word(unsigned i)
{
    uint32_t v;

    memcpy(&v, rig_at(&rig, RIG_BASE + 4 * (uint64_t)i), 4);
    return v;
}

static void launch(const char *head, const char *body, unsigned threads)
{
    g_autofree char *ptx = g_strconcat(head, KERNEL, body, "ret;\n}\n", NULL);
    struct rig_launch l = { .block = { threads }, .param = &out, .param_bytes = 8 };

    rig_launch(&rig, ptx, &l);
}

/* Pending count of the state in %d2, is its phase over, is phase 0 over, is phase 1: four words
 * behind @at */
#define SHOW(at)                                                                               \
    "mbarrier.pending_count.b64 %r8, %d2;\nst.global.u32 [%d0+" #at "], %r8;\n"                \
    "mbarrier.test_wait.shared.b64 %p1, [b], %d2;\nselp.u32 %r8, 1, 0, %p1;\n"                 \
    "st.global.u32 [%d0+" #at "+4], %r8;\nmbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n" \
    "selp.u32 %r8, 1, 0, %p1;\nst.global.u32 [%d0+" #at "+8], %r8;\n"                          \
    "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [b], 1;\n"                     \
    "selp.u32 %r8, 1, 0, %p1;\nst.global.u32 [%d0+" #at "+12], %r8;\n"

static void shown(unsigned at, uint32_t pending, bool over, unsigned phase)
{
    ck_assert_uint_eq(word(at / 4), pending);
    ck_assert_uint_eq(word(at / 4 + 1), over);
    ck_assert_uint_eq(word(at / 4 + 2), phase == 1); /* 0 over: the current one is 1 */
    ck_assert_uint_eq(word(at / 4 + 3), phase == 0);
}

START_TEST(phases_follow_their_arrivals)
{
    launch(HEAD,
           "mbarrier.init.shared.b64 [b], 3;\n"
           "mbarrier.arrive.shared.b64 %d2, [b];\n" SHOW(
               0) "mbarrier.arrive.noComplete.release."
                  "cta.shared.b64 %d2, [b], 1;\n" SHOW(
                      16) "mbarrier.arrive.shared::cta.b64 %d2, "
                          "[b];\n" SHOW(
                              32) "mbarrier.arrive_drop."
                                  "shared.b64 %d2, "
                                  "[b];\n" SHOW(
                                      48) "mbarrier.arrive."
                                          "shared.b64 _, "
                                          "[b];\nmbarrier."
                                          "arrive.shared."
                                          "b64 %d2, "
                                          "[b];\n" SHOW(
                                              64) "mba"
                                                  "rri"
                                                  "er."
                                                  "arr"
                                                  "ive"
                                                  ".sh"
                                                  "are"
                                                  "d."
                                                  "b64"
                                                  " _,"
                                                  " ["
                                                  "b];"
                                                  "\nm"
                                                  "bar"
                                                  "rie"
                                                  "r."
                                                  "arr"
                                                  "ive"
                                                  ".sh"
                                                  "are"
                                                  "d."
                                                  "b64"
                                                  " %"
                                                  "d2,"
                                                  " ["
                                                  "b];"
                                                  "\n" SHOW(80) "mbarrier.inval.shared.b64 [b];\n",
           1);
    shown(0, 3, false, 0);
    shown(16, 2, false, 0);
    shown(32, 1, true, 1);
    shown(48, 3, false, 1); /* two are expected from the next phase on */
    shown(64, 1, true, 0);
    shown(80, 1, true, 1);
}
END_TEST

START_TEST(generic_addresses_and_copies_arrive)
{
    launch(
        HEAD,
        "mov.u64 %d3, b;\ncvta.shared.u64 %d3, %d3;\nmov.u32 %r3, 4;\n"
        "mbarrier.init.b64 [%d3+8], %r3;\nmbarrier.init.shared.b64 [b], 2;\n"
        "cp.async.mbarrier.arrive.shared.b64 [b];\nmbarrier.arrive.b64 %d2, [%d3];\n" SHOW(
            0) "cp.async.ca.shared.global [b+16], [%d0], 4;\n"
               "cp.async.mbarrier.arrive.noinc.shared.b64 [b];\nmbarrier.arrive.shared.b64 %d2, "
               "[b];\n" SHOW(
                   16) "mbarrier.arrive_drop.noComplete.shared.b64 _, [b+8], 2;\n"
                       "mbarrier.arrive.b64 %d2, [%d3+8];\nmbarrier.pending_count.b64 %r8, %d2;\n"
                       "st.global.u32 [%d0+32], %r8;\nmbarrier.inval.b64 [%d3];\n",
        1);
    shown(0, 2, false, 0);
    shown(16, 2, false, 1);
    ck_assert_uint_eq(word(8), 2);
}
END_TEST

/* Without a wait that is in vain this needs no other block or time: 128 threads, 3 rounds. */
START_TEST(warps_wait_for_each_other)
{
    launch(
        HEAD,
        ".shared .align 4 .b8 s[512];\nmov.u32 %r9, s;\nshl.b32 %r10, %r1, 2;\n"
        "add.u32 %r9, %r9, %r10;\nxor.b32 %r10, %r10, 256;\nmov.u32 %r11, s;\n"
        "add.u32 %r11, %r11, %r10;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L0;\n"
        "mbarrier.init.shared.b64 [b], 128;\nL0:\nbar.sync 0;\nmov.u32 %r4, 0;\nmov.u32 %r5, %r1;\n"
        "L1:\nst.shared.u32 [%r9], %r5;\nmbarrier.arrive.shared.b64 %d2, [b];\n"
        "L2:\nmbarrier.test_wait.shared.b64 %p2, [b], %d2;\n@!%p2 bra L2;\n"
        "ld.shared.u32 %r6, [%r11];\nmbarrier.arrive.shared.b64 %d2, [b];\n"
        "L3:\nmbarrier.test_wait.shared.b64 %p2, [b], %d2;\n@!%p2 bra L3;\n"
        "mad.lo.u32 %r5, %r6, 3, %r4;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 3;\n@%p3 bra "
        "L1;\n"
        "st.global.u32 [%d1], %r5;\n",
        128);
    for (unsigned i = 0; i < 128; i++) {
        ck_assert_uint_eq(word(i),
                          (((i ^ 64) * 3) * 3 + 1) * 3 + 2); /* each round, the other's times 3 */
    }
}
END_TEST

/* The lane that arrives last is one of the warp that waits: it must get a turn. */
START_TEST(lanes_of_a_warp_wait_for_each_other)
{
    launch(HEAD90,
           "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L0;\nmbarrier.init.shared.b64 [b], "
           "1;\nL0:\nbar.warp.sync -1;\n"
           "setp.eq.u32 %p1, %r1, 31;\n@%p1 bra L2;\n"
           "L1:\nmbarrier.try_wait.parity.shared.b64 %p2, [b], 0, 1000;\n@!%p2 bra L1;\nbra L3;\n"
           "L2:\nmbarrier.arrive.shared.b64 _, [b];\nL3:\nst.global.u32 [%d1], 7;\n",
           32);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(word(i), 7);
    }
}
END_TEST

START_TEST(bytes_hold_a_phase_open)
{
    launch(HEAD90,
           "mbarrier.init.shared.b64 [b], 2;\nmov.u32 %r3, 2;\n"
           "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d2, [b], 48;\n" SHOW(
               0) "mbarrier.complete_tx.shared.b64 [b], 16;\n"
                  "mbarrier.arrive.shared.b64 %d2, [b];\n" SHOW(
                      16) "mbarrier.complete_tx.relaxed.cta."
                          "shared::cta.b64 [b], 32;\n" SHOW(
                              32) "mbarrier.expect_tx."
                                  "relaxed.cta.shared.b64 "
                                  "[b], 8;\n"
                                  "mbarrier.arrive.shared."
                                  "b64 %d2, [b], "
                                  "%r3;\n" SHOW(48) "mbarrier."
                                                    "complete_tx."
                                                    "shared.b64 [b], "
                                                    "8;\n" SHOW(64) "m"
                                                                    "b"
                                                                    "a"
                                                                    "r"
                                                                    "r"
                                                                    "i"
                                                                    "e"
                                                                    "r"
                                                                    "."
                                                                    "a"
                                                                    "r"
                                                                    "r"
                                                                    "i"
                                                                    "v"
                                                                    "e"
                                                                    "_"
                                                                    "d"
                                                                    "r"
                                                                    "o"
                                                                    "p"
                                                                    "."
                                                                    "e"
                                                                    "x"
                                                                    "p"
                                                                    "e"
                                                                    "c"
                                                                    "t"
                                                                    "_"
                                                                    "t"
                                                                    "x"
                                                                    "."
                                                                    "s"
                                                                    "h"
                                                                    "a"
                                                                    "r"
                                                                    "e"
                                                                    "d"
                                                                    "."
                                                                    "b"
                                                                    "6"
                                                                    "4"
                                                                    " "
                                                                    "%"
                                                                    "d"
                                                                    "2"
                                                                    ","
                                                                    " "
                                                                    "["
                                                                    "b"
                                                                    "]"
                                                                    ","
                                                                    " "
                                                                    "0"
                                                                    ";"
                                                                    "\n" SHOW(80),
           1);
    shown(0, 2, false, 0);
    shown(16, 1, false, 0);
    shown(32, 1, true, 1);
    shown(48, 2, false, 1);
    shown(64, 2, true, 0);
    shown(80, 2, false, 0);
}
END_TEST

/* The grid's fault for a kernel of @threads threads. Line 1 is the one after the registers. */
static struct grid_fault fault_of(const char *head, const char *body, unsigned threads)
{
    g_autofree char *ptx = g_strconcat(head, KERNEL, body, "ret;\n}\n", NULL);
    struct grid_program *p = rig_program(ptx);
    struct rig_launch l = { .block = { threads }, .param = &out, .param_bytes = 8 };
    struct grid *g = rig_grid(&rig, p, &l);
    struct grid_fault f;

    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    f = *grid_fault(g);
    f.line -= 13; /* the lines of HEAD and KERNEL */
    grid_free(g);
    grid_program_unref(p);
    return f;
}

static const struct {
    const char *body, *reason;
    enum grid_fault_kind kind;
    uint32_t line;
} misuses[] = {
    { "mbarrier.arrive.shared.b64 _, [b];\n", "no mbarrier object", GRID_FAULT_MBARRIER, 1 },
    { "mbarrier.init.shared.b64 [b], 1;\nmbarrier.inval.shared.b64 [b];\n"
      "mbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n",
      "no mbarrier object", GRID_FAULT_MBARRIER, 3 },
    { "mbarrier.inval.shared.b64 [b];\n", "no mbarrier object", GRID_FAULT_MBARRIER, 1 },
    { "mbarrier.init.shared.b64 [b], 0;\n", "from 1 to 2^20 - 1", GRID_FAULT_MBARRIER, 1 },
    { "mbarrier.init.shared.b64 [b], 0x100000;\n", "from 1 to 2^20 - 1", GRID_FAULT_MBARRIER, 1 },
    { "mbarrier.init.shared.b64 [b+4], 1;\n", "multiple of the access size", GRID_FAULT_MISALIGNED,
      1 },
    { "mbarrier.init.shared.b64 [b+64], 1;\n", "outside the block's shared",
      GRID_FAULT_SHARED_RANGE, 1 },
    { "mbarrier.init.b64 [%d0], 1;\n", "outside the block's shared", GRID_FAULT_SHARED_RANGE, 1 },
    { "mbarrier.init.shared.b64 [b], 2;\n\nmbarrier.arrive.noComplete.shared.b64 _, [b], 3;\n",
      "more arrivals", GRID_FAULT_MBARRIER, 3 },
    { "mbarrier.init.shared.b64 [b], 2;\nmbarrier.arrive.noComplete.shared.b64 _, [b], 2;\n",
      "noComplete completes", GRID_FAULT_MBARRIER, 2 },
    { "mbarrier.init.shared.b64 [b], 2;\nmov.u64 %d2, 5;\nmbarrier.test_wait.shared.b64 %p1, [b], "
      "%d2;\n",
      "none that an arrival returned", GRID_FAULT_MBARRIER, 3 },
    { "mbarrier.init.shared.b64 [b], 2;\nmov.u32 %r2, 0x80000;\nmbarrier.expect_tx.shared.b64 [b], "
      "%r2;\n"
      "mbarrier.expect_tx.shared.b64 [b], %r2;\n",
      "transaction count", GRID_FAULT_MBARRIER, 4 },
};

START_TEST(misuse_names_rule_and_position)
{
    struct grid_fault f = fault_of(HEAD90, misuses[_i].body, 1);

    ck_assert_int_eq(f.kind, misuses[_i].kind);
    ck_assert_msg(strstr(f.reason, misuses[_i].reason) != NULL, "%s", f.reason);
    ck_assert_uint_eq(f.line, misuses[_i].line);
}
END_TEST

/* Two warps: one arrives, the barrier expects three. The other waits, or is at bar.sync, or has
 * gone. */
START_TEST(a_wait_that_nothing_ends_is_a_fault)
{
    static const char *const others[] = { "", "bar.sync 1;\n", "@%p4 exit;\n" };
    g_autofree char *body =
        g_strdup_printf("setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra L0;\nmbarrier.init.shared.b64 [b], "
                        "3;\nL0:\nbar.sync 0;\n"
                        "setp.ge.u32 %%p4, %%r1, 32;\n@!%%p4 bra L1;\n%sL1:\nmov.u32 %%r7, 0;\n\n"
                        "L2:\nmbarrier.test_wait.parity.shared.b64 %%p2, [b], 0;\nadd.u32 %%r7, "
                        "%%r7, 0;\n@!%%p2 bra L2;\n",
                        others[_i]);
    struct grid_fault f = fault_of(HEAD, body, 64);

    ck_assert_int_eq(f.kind, GRID_FAULT_BARRIER);
    ck_assert_ptr_nonnull(strstr(f.reason, "phase of an mbarrier"));
    ck_assert_uint_eq(f.line, 12u + (_i > 0));
}
END_TEST

/* A thread that asks memory outside the block as well may still be answered. */
START_TEST(a_wait_that_the_cpu_may_end_spins)
{
    static const char text[] = HEAD KERNEL
        "mbarrier.init.shared.b64 [b], 1;\nL1:\nmbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n"
        "@%p1 bra L2;\nld.volatile.global.u32 %r4, [%d0+64];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra "
        "L1;\n"
        "L2:\nst.global.u32 [%d0], 1;\nret;\n}\n";
    struct grid_program *p = rig_program(text);
    struct rig_launch l = { .block = { 1 }, .param = &out, .param_bytes = 8 };
    struct grid *g = rig_grid(&rig, p, &l);

    ck_assert_int_eq(rig_run(g), GRID_SPINNING);
    *(uint32_t *)rig_at(&rig, RIG_BASE + 64) = 1;
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

/* As ptxas 13.0 refuses them for sm_87. */
START_TEST(what_needs_a_newer_target_is_refused)
{
    static const char *const bodies[] = {
        "mbarrier.try_wait.shared.b64 %p1, [b], %d2;",
        "mbarrier.expect_tx.shared.b64 [b], %r1;",
        "mbarrier.complete_tx.shared.b64 [b], %r1;",
        "mbarrier.arrive.expect_tx.shared.b64 _, [b], 4;",
        "mbarrier.arrive.shared.b64 %d2, [b], %r1;",
        "mbarrier.arrive_drop.shared.b64 %d2, [b], 2;",
        "mbarrier.arrive.relaxed.cta.shared.b64 %d2, [b];",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
        "elect.sync %r1|%p1, -1;",
        "mapa.shared::cluster.u32 %r1, %r2, 1;",
        "barrier.cluster.arrive;",
        "ld.shared::cluster.u32 %r1, [%r2];",
    };
    g_autofree char *text = g_strconcat(HEAD, KERNEL, bodies[_i], "\nret;\n}\n", NULL);
    struct ptx_error e = { .text = "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &e);

    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_ptr_null(ptx_decode(m, &e));
    ck_assert_msg(strstr(e.text, "sm_90 or higher") != NULL, "%s", e.text);
    ck_assert_uint_eq(e.pos.line, 14);
    ptx_module_free(m);
}
END_TEST

#define N_REFUSED 12

/* Forms that ptxas refuses for every target */
START_TEST(odd_forms_are_refused)
{
    static const char *const bodies[] = {
        "mbarrier.init.global.b64 [%d0], 5;",
        "mbarrier.init.shared.b32 [b], 5;",
        "mbarrier.arrive.acquire.cta.shared.b64 _, [b];",
        "mbarrier.init.shared.b64 [b];",
        "mbarrier.test_wait.shared.b64 %p1, [b];",
        "mbarrier.arrive.noComplete.shared.b64 _, [b];",
        "mbarrier.arrive.noComplete.expect_tx.shared.b64 _, [b], 4;",
        "cp.async.mbarrier.arrive.global.b64 [%d0];",
    };
    g_autofree char *text = g_strconcat(HEAD90, KERNEL, bodies[_i], "\nret;\n}\n", NULL);
    struct ptx_error e = { .text = "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &e);

    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_ptr_null(ptx_decode(m, &e));
    ck_assert_uint_eq(e.pos.line, 14);
    ptx_module_free(m);
}
END_TEST

#define N_ODD 8

/* Each block sends 7 plus its rank to the other one (9.7.9.12, 9.7.9.23, 9.7.13.3). */
START_TEST(a_block_stores_into_another_one_of_its_cluster)
{
    const char *body =
        ".shared .align 8 .b32 word;\nmov.u32 %r2, %cluster_ctarank;\nxor.b32 %r3, %r2, 1;\n"
        "mov.u32 %r4, b;\nmbarrier.init.shared.b64 [b], 1;\nbarrier.cluster.arrive;\n"
        "barrier.cluster.wait;\nmov.u32 %r5, word;\nmapa.shared::cluster.u32 %r6, %r5, %r3;\n"
        "mapa.shared::cluster.u32 %r7, %r4, %r3;\n"
        "mbarrier.arrive.expect_tx.shared.b64 %d2, [b], 4;\nadd.u32 %r8, %r2, 7;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r8, [%r7];\n"
        "W:\nmbarrier.try_wait.parity.shared.b64 %p1, [b], 0;\n@!%p1 bra W;\n"
        "ld.shared.u32 %r9, [word];\ngetctarank.shared::cluster.u32 %r10, %r6;\n"
        "mad.lo.u32 %r9, %r10, 100, %r9;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d0, %d3;\n"
        "st.global.u32 [%d3], %r9;\n";
    g_autofree char *ptx = g_strconcat(".version 8.1\n.target sm_90\n.address_size 64\n", KERNEL,
                                       body, "ret;\n}\n", NULL);
    struct rig_launch l = { .grid = { 2 },
                            .block = { 1 },
                            .cluster = { 2, 1, 1 },
                            .param = &out,
                            .param_bytes = 8,
                            .sm_version = 110 };

    rig_launch(&rig, ptx, &l);
    ck_assert_uint_eq(word(0), 108); /* what rank 1 has sent, and whose word its own went to */
    ck_assert_uint_eq(word(1), 7);
}
END_TEST

Suite *mbarrier_suite(void)
{
    Suite *s = suite_create("mbarrier");
    TCase *t = tcase_create("mbarrier");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, phases_follow_their_arrivals);
    tcase_add_test(t, generic_addresses_and_copies_arrive);
    tcase_add_test(t, warps_wait_for_each_other);
    tcase_add_test(t, lanes_of_a_warp_wait_for_each_other);
    tcase_add_test(t, bytes_hold_a_phase_open);
    tcase_add_loop_test(t, misuse_names_rule_and_position, 0, G_N_ELEMENTS(misuses));
    tcase_add_loop_test(t, a_wait_that_nothing_ends_is_a_fault, 0, 3);
    tcase_add_test(t, a_wait_that_the_cpu_may_end_spins);
    tcase_add_loop_test(t, what_needs_a_newer_target_is_refused, 0, N_REFUSED);
    tcase_add_loop_test(t, odd_forms_are_refused, 0, N_ODD);
    tcase_add_test(t, a_block_stores_into_another_one_of_its_cluster);
    suite_add_tcase(s, t);
    return s;
}

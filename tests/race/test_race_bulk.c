/* SPDX-License-Identifier: MIT */
/* cp.async.bulk between global and shared memory (PTX ISA 9.0, 9.7.9.25.4), each race with its
 * twin: a copy is outside program order (8.9.1.1) until its mbarrier's phase, or its bulk group,
 * has been waited for. Expected bytes by hand. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "tests/grid_rig.h"

#define THREADS 64u
#define BYTES 256u
#define RESULTS 4096u /* from RIG_BASE on; what is copied from shared memory lies at 1024 */

/* %d0 global memory, %d2 + 4 * thread; %s0 shared memory, %s1 the thread's word, %s3 that of a lane
 * of the other warp; %s2 the mbarrier; %p1 thread 0 */
#define BEGIN                                                                              \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{" \
    "\n.reg .b32 %r<20>;\n.reg .b64 %d<8>;\n.reg .b32 %s<8>;\n.reg .pred %p<4>;\n"         \
    ".shared .align 16 .b8 sh[1024];\n.shared .align 8 .b8 mb[16];\nld.param.u64 %d0, "    \
    "[out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\n"    \
    "mov.u32 %s0, sh;\nmov.u32 %s2, mb;\nshl.b32 %r2, %r1, 2;\nadd.u32 %s1, %s0, %r2;\n"   \
    "xor.b32 %r3, %r1, 63;\nshl.b32 %r3, %r3, 2;\nadd.u32 %s3, %s0, %r3;\n"                \
    "setp.eq.u32 %p1, %r1, 0;\nadd.u32 %r7, %r1, 100;\n"                                   \
    "@%p1 mbarrier.init.shared.b64 [%s2+8], 1;\nbar.sync 0;\n"
#define COPY                                                                            \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2+8], 256;\n@%p1 cp.async.bulk." \
    "shared::cluster.global.mbarrier::complete_tx::bytes [%s0], [%d0], 256, [%s2+8];\n"
#define WAIT(name, parity) \
    name ":\nmbarrier.try_wait.parity.shared.b64 %p2, [%s2+8], " parity ";\n@!%p2 bra " name ";\n"
#define BARRIER "bar.sync 0;\n"
#define LOAD "ld.shared.u32 %r8, [%s3];\nst.global.u32 [%d2+4096], %r8;\n"
#define STORE "st.shared.u32 [%s1], %r7;\n"
#define PROXY "fence.proxy.async.shared::cta;\n"
#define OUT                                                                           \
    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d0+1024], [%s0], 256;\n@%p1 " \
    "cp.async.bulk.commit_group;\n"
#define OUT_LOAD                                                                             \
    "add.u32 %r4, %r3, 1024;\ncvt.u64.u32 %d4, %r4;\nadd.u64 %d4, %d0, %d4;\nld.global.u32 " \
    "%r8, [%d4];\nst.global.u32 [%d2+4096], %r8;\n"
#define END "ret;\n}\n"
#define LACKS_WAIT (1u << GRID_RACE_MISSING_WAIT)
#define LACKS_BARRIER (1u << GRID_RACE_MISSING_BARRIER)

/* @first: of what thread t finds in the word of thread 63 - t; RESULT_ANY: the kernel says not */
#define RESULT_ANY UINT32_MAX

static const struct bulk_case {
    const char *name, *text;
    bool races;
    unsigned missing; /* if it does: what may be named, a mask */
    uint32_t first;
} cases[] = {
    { "a load behind the phase", BEGIN COPY WAIT("W", "0") LOAD END, false, 0, 7 },
    { "a barrier instead of the wait", BEGIN COPY BARRIER LOAD WAIT("W", "0") END, true, LACKS_WAIT,
      RESULT_ANY },
    { "the thread that copies does not wait",
      BEGIN COPY "@%p1 ld.shared.u32 %r8, [%s0];\n" WAIT("W", "0") END, true, LACKS_WAIT,
      RESULT_ANY },
    { "one thread waits, a barrier tells all",
      BEGIN COPY "@!%p1 bra B;\n" WAIT("W", "0") "B:\n" BARRIER LOAD END, false, 0, 7 },
    { "a second copy over what is loaded",
      BEGIN COPY WAIT("W", "0") BARRIER LOAD COPY WAIT("X", "1") BARRIER LOAD END, true,
      LACKS_WAIT | LACKS_BARRIER, RESULT_ANY },
    { "a barrier before the second copy",
      BEGIN COPY WAIT("W", "0") LOAD BARRIER COPY WAIT("X", "1") LOAD END, false, 0, 7 },
    { "a wait for the phase before",
      BEGIN COPY WAIT("W", "0") LOAD BARRIER COPY BARRIER LOAD WAIT("X", "1") END, true, LACKS_WAIT,
      RESULT_ANY },
    { "the source is stored to before the wait",
      BEGIN COPY "st.global.u32 [%d2], %r7;\n" WAIT("W", "0") END, true, LACKS_WAIT | LACKS_BARRIER,
      RESULT_ANY },
    { "the source is stored to behind the wait",
      BEGIN COPY WAIT("W", "0") "st.global.u32 [%d2], %r7;\n" END, false, 0, RESULT_ANY },
    { "a copy to global memory",
      BEGIN STORE PROXY BARRIER OUT "cp.async.bulk.wait_group 0;\n" BARRIER OUT_LOAD END, false, 0,
      100 },
    { "no barrier before the copy", BEGIN STORE PROXY OUT "cp.async.bulk.wait_group 0;\n" END, true,
      LACKS_BARRIER, RESULT_ANY },
    { "no wait before the next store", BEGIN STORE PROXY BARRIER OUT BARRIER STORE END, true,
      LACKS_WAIT, RESULT_ANY },
    { "a wait for the sources before the next store",
      BEGIN STORE PROXY BARRIER OUT "cp.async.bulk.wait_group.read 0;\n" BARRIER STORE END, false,
      0, RESULT_ANY },
    { "a wait for the sources before a load of the copy",
      BEGIN STORE PROXY BARRIER OUT "cp.async.bulk.wait_group.read 0;\n" BARRIER OUT_LOAD END, true,
      LACKS_WAIT, RESULT_ANY },
    { "a wait for another kind of group",
      BEGIN STORE PROXY BARRIER OUT "cp.async.wait_group 0;\n" BARRIER OUT_LOAD END, true,
      LACKS_WAIT, RESULT_ANY },
    { "the youngest group may be pending",
      BEGIN STORE PROXY BARRIER OUT "cp.async.bulk.wait_group 1;\n" BARRIER OUT_LOAD END, true,
      LACKS_WAIT, RESULT_ANY },
    { "the barrier of a cluster of one block",
      BEGIN STORE "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" LOAD END, false, 0, 100 },
    { "an arrival at the barrier of a cluster",
      BEGIN STORE "barrier.cluster.arrive;\n" LOAD "barrier.cluster.wait;\n" END, true,
      LACKS_BARRIER, RESULT_ANY },
    { "the barrier of a cluster is none of the block's sixteen",
      BEGIN "setp.lt.u32 %p3, %r1, 32;\n@%p3 bra A;\nbar.sync 15, 32;\nA:\n"
            "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n" END,
      false, 0, RESULT_ANY },
    { "from shared to shared memory",
      BEGIN STORE PROXY BARRIER
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2+8], 256;\n@%p1 cp.async.bulk.shared::"
      "cluster.shared::cta.mbarrier::complete_tx::bytes [%s0+512], [%s0], 256, [%s2+8];\n" WAIT(
          "W", "0") "ld.shared.u32 %r8, [%s3+512];\nst.global.u32 [%d2+4096], %r8;\n" END,
      false, 0, 100 },
};

static struct rig rig;
static const uint64_t base = RIG_BASE;

static struct grid *bulk_run(struct grid_program *p, enum grid_races races)
{
    uint32_t *in = rig_at(&rig, RIG_BASE);
    struct grid *g;

    memset(in, 0xff, 2 * RESULTS);
    for (uint32_t i = 0; i < THREADS; i++) {
        in[i] = 7 + i;
    }
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .block = { THREADS, 1, 1 },
                                       .param = &base,
                                       .param_bytes = sizeof(base),
                                       .sm_version = 110,
                                       .races = races });
    ck_assert_msg(rig_run(g) == GRID_DONE, "%s",
                  grid_fault(g)->reason ? grid_fault(g)->reason : "");
    return g;
}

static void results_check(const struct bulk_case *c)
{
    const uint32_t *have = rig_at(&rig, RIG_BASE + RESULTS);

    for (uint32_t t = 0; c->first != RESULT_ANY && t < THREADS; t++) {
        ck_assert_msg(have[t] == c->first + (THREADS - 1 - t), "%s: thread %u has %u", c->name, t,
                      have[t]);
    }
}

START_TEST(a_bulk_copy_is_there_once_it_was_waited_for)
{
    const struct bulk_case *c = &cases[_i];
    struct grid_program *p;
    const struct grid_race *rows;
    struct grid *g;
    size_t n;

    rig_init(&rig);
    p = rig_program(c->text);
    grid_free(bulk_run(p, GRID_RACES_OFF));
    results_check(c);
    g = bulk_run(p, GRID_RACES_STRICT);
    results_check(c);
    n = grid_races(g, &rows);
    ck_assert_msg((n > 0) == c->races, "%s: %zu rows", c->name, n);
    for (size_t i = 0; i < n; i++) {
        bool copy = strstr(c->text, "cluster.wait") || rows[i].later.kind == GRID_RACE_ASYNC ||
                    rows[i].earlier.kind == GRID_RACE_ASYNC;

        ck_assert_msg(copy, "%s: kinds %u and %u", c->name, rows[i].later.kind,
                      rows[i].earlier.kind);
        ck_assert_msg(c->missing >> rows[i].missing & 1, "%s: missing %u", c->name,
                      rows[i].missing);
    }
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

static const struct {
    const char *copy;
    enum grid_fault_kind fault;
} wrong[] = {
    { "cp.async.bulk.global.shared::cta.bulk_group [%d0+8], [%s0], 256;\n", GRID_FAULT_MISALIGNED },
    { "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%s0], 8;\n", GRID_FAULT_MISALIGNED },
    { "cp.async.bulk.global.shared::cta.bulk_group [%d0], [%s0+1024], 1024;\n",
      GRID_FAULT_SHARED_RANGE },
    { "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s0], [%d0], 16, "
      "[%s2];\n",
      GRID_FAULT_MBARRIER },
};

START_TEST(a_wrong_copy_ends_the_launch)
{
    g_autofree char *text = g_strconcat(BEGIN, wrong[_i].copy, END, NULL);
    struct grid_program *p;
    struct grid *g;

    rig_init(&rig);
    p = rig_program(text);
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .param = &base, .param_bytes = 8, .sm_version = 110 });
    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_int_eq(grid_fault(g)->kind, wrong[_i].fault);
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_bulk");
    TCase *t = tcase_create("bulk");
    SRunner *r;
    int failed;

    tcase_add_loop_test(t, a_bulk_copy_is_there_once_it_was_waited_for, 0,
                        (int)(sizeof(cases) / sizeof(cases[0])));
    tcase_add_loop_test(t, a_wrong_copy_ends_the_launch, 0,
                        (int)(sizeof(wrong) / sizeof(wrong[0])));
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: MIT */
/* Clusters of blocks (PTX ISA 9.0: 2.2.2, 9.7.9.23, 9.7.13.3, 9.7.13.15): what a kernel gets, and
 * each race with its twin. Expected values by hand, or what an H200 gave where that is said;
 * tests/api/cluster_codes.sh compares another kernel's with its. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "tests/grid_rig.h"

#define RESULTS 4096u
#define ANY UINT32_MAX

/* %d0 global memory, %d2 + 4 * (block * 32 + thread), results behind 4096; %s0 shared memory, %s1
 * the thread's word of it; %s2 an mbarrier; %r4 the rank, %r5 the next one's, %s5 the thread's word
 * there, %s6 the next one's mbarrier; %p1 thread 0; %r7 100 * rank + thread */
#define BEGIN                                                                                 \
    ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{"    \
    "\n.reg .b32 %r<20>;\n.reg .b64 %d<8>;\n.reg .b32 %s<8>;\n.reg .pred %p<4>;\n"            \
    ".shared .align 16 .b8 sh[256];\n.shared .align 8 .b8 mb[16];\nld.param.u64 %d0, "        \
    "[out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 32, %r1;\n"   \
    "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d0, %d2;\nmov.u32 %s0, sh;\nmov.u32 %s2, mb;\n" \
    "shl.b32 %r3, %r1, 2;\nadd.u32 %s1, %s0, %r3;\nmov.u32 %r4, %cluster_ctarank;\n"          \
    "mov.u32 %r6, %cluster_nctarank;\nadd.u32 %r5, %r4, 1;\nrem.u32 %r5, %r5, %r6;\n"         \
    "mapa.shared::cluster.u32 %s5, %s1, %r5;\nmapa.shared::cluster.u32 %s6, %s2, %r5;\n"      \
    "mad.lo.u32 %r7, %r4, 100, %r1;\nsetp.eq.u32 %p1, %r1, 0;\n"
#define INIT(count) \
    "@%p1 mbarrier.init.shared.b64 [%s2], " count ";\nfence.mbarrier_init.release.cluster;\n"
#define STORE "st.shared.u32 [%s1], %r7;\n"
#define REMOTE_STORE "st.shared::cluster.u32 [%s5], %r7;\n"
#define LOAD "ld.shared.u32 %r8, [%s1];\n"
#define REMOTE "ld.shared::cluster.u32 %r8, [%s5];\n"
#define OUT "st.global.u32 [%d2+4096], %r8;\n"
#define SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define RELAXED "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n"
#define WAIT(how) "W:\nmbarrier.try_wait.parity" how ".b64 %p2, [%s2], 0;\n@!%p2 bra W;\n"
#define END "ret;\n}\n"
#define MISSING(x) (1u << GRID_RACE_MISSING_##x)

static const struct cluster_case {
    const char *name, *text;
    unsigned missing; /* 0: no race; else what may be named, a mask */
    uint32_t first,
        by_rank; /* thread t of rank r finds first + by_rank * (r + 1 of 4) + t; ANY: not said */
} cases[] = {
    { "a load of the next block's", BEGIN STORE SYNC REMOTE OUT SYNC END, 0, 0, 100 },
    { "no barrier between the two", BEGIN SYNC STORE REMOTE OUT SYNC END, MISSING(BARRIER), ANY,
      0 },
    { "a barrier of the block only", BEGIN SYNC STORE "bar.sync 0;\n" REMOTE OUT SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "an arrival that does not release", BEGIN SYNC STORE RELAXED REMOTE OUT SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "a load between arrival and wait",
      BEGIN SYNC STORE "barrier.cluster.arrive;\n" REMOTE OUT "barrier.cluster.wait;\n" SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "other work between arrival and wait",
      BEGIN STORE
      "barrier.cluster.arrive;\nst.global.u32 [%d2], %r7;\nbarrier.cluster.wait;\n" REMOTE OUT SYNC
          END,
      0, 0, 100 },
    { "a store between arrival and wait",
      BEGIN SYNC "barrier.cluster.arrive;\n" STORE "barrier.cluster.wait;\n" REMOTE OUT SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "a store to the next block's", BEGIN SYNC REMOTE_STORE SYNC LOAD OUT END, 0, ANY, 0 },
    { "two stores to one place", BEGIN SYNC REMOTE_STORE STORE SYNC END, MISSING(BARRIER), ANY, 0 },
    { "nothing says that the next block has begun", BEGIN REMOTE OUT SYNC END, MISSING(BEGIN), ANY,
      0 },
    { "a barrier without an order says so", BEGIN RELAXED REMOTE OUT SYNC END, 0, ANY, 0 },
    { "nothing says that the next block has not ended", /* rank 3, which goes on first here */
      BEGIN SYNC "setp.eq.u32 %p3, %r4, 3;\n@%p3 " REMOTE OUT END, MISSING(END), ANY, 0 },
    { "a barrier without an order says that, too", BEGIN SYNC REMOTE OUT RELAXED END, 0, ANY, 0 },
    { "by generic addresses",
      BEGIN STORE SYNC
      "mov.u64 %d3, sh;\ncvta.shared.u64 %d3, %d3;\nmapa.u64 %d3, %d3, %r5;\n"
      "cvt.u64.u32 %d4, %r3;\nadd.u64 %d3, %d3, %d4;\nld.u32 %r8, [%d3];\n" OUT SYNC END,
      0, 0, 100 },
    { "by generic addresses without a barrier",
      BEGIN SYNC STORE
      "mov.u64 %d3, sh;\ncvta.shared.u64 %d3, %d3;\nmapa.u64 %d3, %d3, %r5;\n"
      "cvt.u64.u32 %d4, %r3;\nadd.u64 %d3, %d3, %d4;\nld.u32 %r8, [%d3];\n" OUT SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "sums at rank 0", /* 4 * 32 times 1, which each thread reads there */
      BEGIN SYNC "mov.u32 %r9, 0;\nmapa.shared::cluster.u32 %s4, %s0, %r9;\n"
                 "red.relaxed.cluster.shared::cluster.add.u32 [%s4], 1;\n" SYNC
                 "ld.shared::cluster.u32 %r8, [%s4];\nadd.u32 %r8, %r8, %r1;\n" OUT SYNC END,
      0, 128, 0 },
    { "sums at rank 0 of a block's scope",
      BEGIN SYNC "mov.u32 %r9, 0;\nmapa.shared::cluster.u32 %s4, %s0, %r9;\n"
                 "red.relaxed.cta.shared::cluster.add.u32 [%s4], 1;\n" SYNC END,
      MISSING(SCOPE), ANY, 0 },
    { "sums in global memory of the cluster's scope",
      BEGIN "shr.u32 %r9, %r2, 2;\nmul.wide.u32 %d3, %r9, 4;\nadd.u64 %d3, %d0, %d3;\n"
            "red.relaxed.cluster.global.add.u32 [%d3+2048], 1;\n" END,
      0, ANY, 0 },
    { "the next block arrives at an mbarrier",
      BEGIN STORE INIT("32") SYNC
      "ld.shared.u32 %r8, [%s1];\nadd.u32 %r8, %r8, 1;\nst.shared::cluster.u32 [%s5+128], %r8;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%s6];\n" WAIT(
          ".acquire.cluster.shared") "ld.shared.u32 %r8, [%s1+128];\nsub.u32 %r8, %r8, 1;\n" OUT
          SYNC END,
      0, ANY, 0 },
    { "an mbarrier for which nothing waits",
      BEGIN STORE INIT("32") SYNC
      "st.shared::cluster.u32 [%s5+128], %r7;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%s6];\nld.shared.u32 %r8, "
      "[%s1+128];\n" OUT WAIT(".acquire.cluster.shared") SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "a relaxed arrival at an mbarrier",
      BEGIN STORE INIT("32") SYNC
      "st.shared::cluster.u32 [%s5+128], %r7;\n"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%s6];\n" WAIT(
          ".acquire.cluster.shared") "ld.shared.u32 %r8, [%s1+128];\n" OUT SYNC END,
      MISSING(BARRIER), ANY, 0 },
    { "a bulk copy to the next block",
      BEGIN STORE INIT(
          "1") "fence.proxy.async.shared::cta;\n" SYNC
               "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2], 128;\n"
               "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
               "[%s5+128], [%s0], "
               "128, [%s6];\n" WAIT(".shared") "ld.shared.u32 %r8, [%s1+128];\n" OUT SYNC END,
      0, ANY, 0 },
    { "a bulk copy to the next block without a wait",
      BEGIN STORE INIT(
          "1") "fence.proxy.async.shared::cta;\n" SYNC
               "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2], 128;\n"
               "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
               "[%s5+128], [%s0], "
               "128, [%s6];\n" SYNC "ld.shared.u32 %r8, [%s1+128];\n" OUT WAIT(".shared") SYNC END,
      MISSING(WAIT), ANY, 0 },
    { "asynchronous stores to the next block",
      BEGIN INIT("1") SYNC
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2], 128;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s5], %r7, [%s6];\n" WAIT(
          ".shared") LOAD OUT SYNC END,
      0, ANY, 0 },
    { "asynchronous stores to the next block without a wait",
      BEGIN INIT("1") SYNC
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [%s2], 128;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s5], %r7, [%s6];\n" SYNC
          LOAD OUT WAIT(".shared") SYNC END,
      MISSING(WAIT), ANY, 0 },
};

static struct rig rig;
static const uint64_t base = RIG_BASE;

#define BLOCKS 8u

static struct grid *cluster_start(struct grid_program *p, enum grid_races races, uint32_t blocks,
                                  uint32_t order)
{
    memset(rig_at(&rig, RIG_BASE), 0, 3 * RESULTS);
    return rig_grid(&rig, p,
                    &(struct rig_launch){ .grid = { BLOCKS, 1, 1 },
                                          .block = { 32, 1, 1 },
                                          .cluster = { blocks, 1, 1 },
                                          .param = &base,
                                          .param_bytes = sizeof(base),
                                          .sm_version = 110,
                                          .order = order,
                                          .resident_blocks = 4,
                                          .races = races });
}

static struct grid *cluster_run(struct grid_program *p, enum grid_races races, uint32_t order)
{
    struct grid *g = cluster_start(p, races, 4, order);

    ck_assert_msg(rig_run(g) == GRID_DONE, "%s at line %u",
                  grid_fault(g)->reason ? grid_fault(g)->reason : "", grid_fault(g)->line);
    return g;
}

static void results_check(const struct cluster_case *c)
{
    const uint32_t *have = rig_at(&rig, RIG_BASE + RESULTS);

    for (uint32_t i = 0; c->first != ANY && i < BLOCKS * 32; i++) {
        uint32_t next = (i / 32 + 1) % 4;

        ck_assert_msg(have[i] == c->first + c->by_rank * next + i % 32,
                      "%s: thread %u of block %u has %u", c->name, i % 32, i / 32, have[i]);
    }
}

START_TEST(blocks_of_a_cluster_see_each_other)
{
    const struct cluster_case *c = &cases[_i];
    const struct grid_race *rows;
    struct grid_program *p;
    struct grid *g;
    size_t n;

    rig_init(&rig);
    p = rig_program(c->text);
    grid_free(cluster_run(p, GRID_RACES_OFF, 0));
    results_check(c);
    for (uint32_t order = 0; order < (c->missing == MISSING(END) ? 1 : 4); order++) {
        g = cluster_run(p, GRID_RACES_STRICT, order);
        results_check(c);
        n = grid_races(g, &rows);
        ck_assert_msg((n > 0) == (c->missing != 0),
                      "%s, order %u: %zu rows, missing %u, lines %u and %u", c->name, order, n,
                      n ? rows[0].missing : 0, n ? rows[0].later.line : 0,
                      n ? rows[0].earlier.line : 0);
        for (size_t i = 0; i < n; i++) {
            ck_assert_msg(c->missing >> rows[i].missing & 1, "%s: missing %u", c->name,
                          rows[i].missing);
            ck_assert_msg(rows[i].relation == GRID_RACE_CLUSTER, "%s: relation %u", c->name,
                          rows[i].relation);
            ck_assert_msg(rows[i].later.block / 4 == rows[i].earlier.block / 4, "%s: clusters",
                          c->name);
            ck_assert_msg(!rows[i].shared || (rows[i].owner >= 1 && rows[i].owner <= 4),
                          "%s: owner %u", c->name, rows[i].owner);
        }
        grid_free(g);
    }
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

/* Two clusters add to one word: the cluster's scope leaves the other cluster out. */
START_TEST(a_scope_of_the_cluster_is_not_the_device)
{
    const char *text = BEGIN "red.relaxed.cluster.global.add.u32 [%d0], 1;\n" END;
    const struct grid_race *rows;
    struct grid_program *p;
    struct grid *g;

    rig_init(&rig);
    p = rig_program(text);
    g = cluster_run(p, GRID_RACES_STRICT, 0);
    ck_assert_uint_eq(*(uint32_t *)rig_at(&rig, RIG_BASE), BLOCKS * 32);
    ck_assert_uint_eq(grid_races(g, &rows), 1);
    ck_assert_uint_eq(rows[0].missing, GRID_RACE_MISSING_SCOPE);
    ck_assert_uint_eq(rows[0].relation, GRID_RACE_GRID);
    ck_assert_uint_eq(rows[0].later.scope, GRID_RACE_SCOPE_CLUSTER);
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

/* The numbers that an H200 gave for a grid of 4 x 4 x 2 in clusters of 2 x 2 x 1: %clusterid.x .y
 * .z, %nclusterid, %cluster_ctaid, %cluster_nctaid, %cluster_ctarank, %cluster_nctarank, explicit
 */
static const struct {
    uint32_t block, value[15];
} measured[] = {
    { 0, { 0, 0, 0, 2, 2, 2, 0, 0, 0, 2, 2, 1, 0, 4, 1 } },
    { 1, { 0, 0, 0, 2, 2, 2, 1, 0, 0, 2, 2, 1, 1, 4, 1 } },
    { 6, { 1, 0, 0, 2, 2, 2, 0, 1, 0, 2, 2, 1, 2, 4, 1 } },
    { 9, { 0, 1, 0, 2, 2, 2, 1, 0, 0, 2, 2, 1, 1, 4, 1 } },
    { 15, { 1, 1, 0, 2, 2, 2, 1, 1, 0, 2, 2, 1, 3, 4, 1 } },
    { 31, { 1, 1, 1, 2, 2, 2, 1, 1, 0, 2, 2, 1, 3, 4, 1 } },
};

#define PUT(name, at) "mov.u32 %r9, " name ";\nst.global.u32 [%d2+" at "], %r9;\n"

START_TEST(special_registers_are_those_of_an_h200)
{
    const char *text =
        ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .b32 %r<20>;\n.reg .b64 %d<4>;\n.reg .pred %p<2>;\nld.param.u64 %d0, [out];\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"
        "mad.lo.u32 %r1, %r2, 4, %r1;\nmad.lo.u32 %r1, %r3, 16, %r1;\nmul.wide.u32 %d2, %r1, 64;\n"
        "add.u64 %d2, %d0, %d2;\n" PUT("%clusterid.x", "0") PUT("%clusterid.y", "4")
            PUT("%clusterid.z", "8") PUT("%nclusterid.x", "12") PUT("%nclusterid.y", "16")
                PUT("%nclusterid.z", "20") PUT("%cluster_ctaid.x", "24")
                    PUT("%cluster_ctaid.y", "28") PUT("%cluster_ctaid.z", "32")
                        PUT("%cluster_nctaid.x", "36") PUT("%cluster_nctaid.y", "40")
                            PUT("%cluster_nctaid.z", "44") PUT("%cluster_ctarank", "48")
                                PUT("%cluster_nctarank",
                                    "52") "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r9, 1, "
                                          "0, %p1;\nst.global.u32 [%d2+56], %r9;\n"
                                          "ret;\n}\n";
    struct grid_program *p;
    struct grid *g;

    rig_init(&rig);
    p = rig_program(text);
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .grid = { 4, 4, 2 },
                                       .cluster = { 2, 2, 1 },
                                       .param = &base,
                                       .param_bytes = 8,
                                       .sm_version = 110 });
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
        ck_assert_msg(!memcmp(rig_at(&rig, RIG_BASE + measured[i].block * 64), measured[i].value,
                              sizeof(measured[i].value)),
                      "block %u", measured[i].block);
    }
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

static const struct {
    const char *code;
    enum grid_fault_kind fault;
    const char *reason;
} wrong[] = {
    { "mov.u32 %r9, 5;\nmapa.shared::cluster.u32 %s4, %s0, %r9;\nld.shared::cluster.u32 %r8, "
      "[%s4];\n",
      GRID_FAULT_SHARED_RANGE, "rank that the cluster does not have" },
    { "ld.shared::cluster.u32 %r8, [%s5+8192];\n", GRID_FAULT_SHARED_RANGE,
      "that block of the cluster" },
    { "setp.eq.u32 %p3, %r4, 0;\n@%p3 barrier.cluster.arrive;\n@%p3 barrier.cluster.wait;\n"
      "mbarrier.init.shared.b64 [%s2], 2;\nW:\nmbarrier.test_wait.parity.shared.b64 %p2, [%s2], "
      "0;\n"
      "@!%p2 bra W;\n",
      GRID_FAULT_BARRIER, "phase of an mbarrier" },
};

START_TEST(a_wrong_use_ends_the_launch)
{
    g_autofree char *text = g_strconcat(BEGIN, wrong[_i].code, END, NULL);
    struct grid_program *p;
    struct grid *g;

    rig_init(&rig);
    p = rig_program(text);
    g = cluster_start(p, GRID_RACES_OFF, 4, 0);
    rig_run(g);
    if (wrong[_i].reason) {
        ck_assert_int_eq(grid_fault(g)->kind, wrong[_i].fault);
        ck_assert_msg(strstr(grid_fault(g)->reason, wrong[_i].reason), "%s", grid_fault(g)->reason);
    }
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

/* A block that has ended has no shared memory any more: on an H200 the launch fails then
 * (measured). */
START_TEST(shared_memory_ends_with_its_block)
{
    const char *text = BEGIN
        "setp.eq.u32 %p3, %r4, 3;\n@%p3 bra E;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r9, 3;\n"
        "mapa.shared::cluster.u32 %s4, %s0, %r9;\nld.shared::cluster.u32 %r8, [%s4];\nE:\n" END;
    struct grid_program *p;
    struct grid *g;

    rig_init(&rig);
    p = rig_program(text);
    g = cluster_start(p, GRID_RACES_OFF, 4, 0);
    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_int_eq(grid_fault(g)->kind, GRID_FAULT_SHARED_RANGE);
    ck_assert_msg(strstr(grid_fault(g)->reason, "has ended"), "%s", grid_fault(g)->reason);
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

/* Addresses: the own place by mapa is the own address, each block's is another, and its rank is
 * found. */
START_TEST(addresses_name_their_block)
{
    const char *text = BEGIN
        "mapa.shared::cluster.u32 %s4, %s0, %r4;\nsub.u32 %r8, %s4, %s0;\n" /* 0 */
        "getctarank.shared::cluster.u32 %r9, %s5;\nxor.b32 %r9, %r9, %r5;\nor.b32 %r8, %r8, %r9;\n"
        "getctarank.shared::cluster.u32 %r9, %s0;\nxor.b32 %r9, %r9, %r4;\nor.b32 %r8, %r8, %r9;\n"
        "cvt.u64.u32 %d3, %s5;\ncvta.shared::cluster.u64 %d3, %d3;\nisspacep.shared::cluster %p2, "
        "%d3;\n"
        "selp.u32 %r9, 0, 1, %p2;\nor.b32 %r8, %r8, %r9;\nisspacep.shared %p2, %d3;\n"
        "selp.u32 %r9, 1, 0, %p2;\nor.b32 %r8, %r8, %r9;\ngetctarank.u64 %r9, %d3;\n"
        "xor.b32 %r9, %r9, %r5;\nor.b32 %r8, %r8, %r9;\nmov.u64 %d4, sh;\ncvta.shared.u64 %d4, "
        "%d4;\n"
        "isspacep.shared::cta %p2, %d4;\nselp.u32 %r9, 0, 1, %p2;\nor.b32 %r8, %r8, %r9;\n" OUT END;
    struct grid_program *p;

    rig_init(&rig);
    p = rig_program(text);
    grid_free(cluster_run(p, GRID_RACES_OFF, 0));
    for (uint32_t i = 0; i < BLOCKS * 32; i++) {
        ck_assert_uint_eq(((uint32_t *)rig_at(&rig, RIG_BASE + RESULTS))[i], 0);
    }
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_cluster");
    TCase *t = tcase_create("cluster");
    SRunner *r;
    int failed;

    tcase_add_loop_test(t, blocks_of_a_cluster_see_each_other, 0, (int)G_N_ELEMENTS(cases));
    tcase_add_loop_test(t, a_wrong_use_ends_the_launch, 0, (int)G_N_ELEMENTS(wrong));
    tcase_add_test(t, a_scope_of_the_cluster_is_not_the_device);
    tcase_add_test(t, special_registers_are_those_of_an_h200);
    tcase_add_test(t, shared_memory_ends_with_its_block);
    tcase_add_test(t, addresses_name_their_block);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

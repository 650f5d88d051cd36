/* SPDX-License-Identifier: MIT */
/* Control flow, memory, barriers, calls and scheduling of a grid. Expected values follow from the
 * kernels by hand and from the sections of PTX ISA 9.0 and of the CUDA C++ programming guide named.
 */
#include "tests/test_grid.h"
#include "ptx/decode.h"
#include "tests/grid_rig.h"
#include <check.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

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

static void launch(const char *ptx, unsigned blocks, unsigned threads)
{
    struct rig_launch l = {
        .grid = { blocks }, .block = { threads }, .param = &out, .param_bytes = 8
    };

    rig_launch(&rig, ptx, &l);
}

/* Runs to a fault and returns it; valid until the next one. */
static struct grid_fault fault_of(const char *ptx, struct rig_launch l)
{
    struct grid_program *p = rig_program(ptx);
    struct grid *g;
    struct grid_fault f;
    static char func[64];

    l.param = &out;
    l.param_bytes = 8;
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    f = *grid_fault(g);
    g_strlcpy(func, f.func ? f.func : "", sizeof(func));
    f.func = func;
    ck_assert_int_eq(grid_run(g, 100), GRID_FAULT); /* it stays over */
    grid_free(g);
    grid_program_unref(p);
    return f;
}

START_TEST(threads_of_all_blocks_know_their_place)
{
    launch(ENTRY INDEX "st.global.u32 [%d0], %r0;\nret;\n}\n", 5, 100);
    for (unsigned i = 0; i < 500; i++) {
        ck_assert_uint_eq(word(i), i);
    }
    ck_assert_uint_eq(word(500), 0); /* the last warp of a block has only 4 threads */
}
END_TEST

START_TEST(three_dimensions_count_x_first)
{
    static const char ptx[] = ENTRY
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ctaid.y;\n"
        "mov.u32 %r5, %ctaid.z;\nmov.u32 %r9, %laneid;\nmov.u32 %r10, %warpid;\n"
        /* linear index of a 4x3x5 block, block (0, y, z) of a 1x2x2 grid */
        "mad.lo.u32 %r6, %r3, 3, %r2;\nmad.lo.u32 %r6, %r6, 4, %r1;\nmad.lo.u32 %r7, %r5, 2, %r4;\n"
        "mad.lo.u32 %r8, %r7, 60, %r6;\nld.param.u64 %d0, [out];\nmul.wide.u32 %d1, %r8, 4;\n"
        "add.u64 %d0, %d0, %d1;\nmad.lo.u32 %r11, %r10, 32, %r9;\nst.global.u32 [%d0], "
        "%r11;\nret;\n}\n";
    struct rig_launch l = {
        .grid = { 1, 2, 2 }, .block = { 4, 3, 5 }, .param = &out, .param_bytes = 8
    };

    rig_launch(&rig, ptx, &l);
    for (unsigned i = 0; i < 240; i++) {
        ck_assert_uint_eq(word(i), i % 60);
    }
}
END_TEST

/* One frame serves all warps of all blocks in turn: what it held for the one before must not show.
 * Chapter 10: %warpid counts in the block, %ctaid x first; without clusters %clusterid is the block
 * (10.14). */
START_TEST(each_warp_sees_special_registers_of_its_own)
{
    static const char ptx[] =
        ENTRY "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.z;\nmov.u32 %r3, %ctaid.y;\nmov.u32 %r4, "
              "%ctaid.x;\n"
              "mad.lo.u32 %r5, %r2, 2, %r3;\nmad.lo.u32 %r5, %r5, 2, %r4;\nmad.lo.u32 %r6, %r5, "
              "96, %r1;\n"
              "ld.param.u64 %d0, [out];\nmul.wide.u32 %d1, %r6, 16;\nadd.u64 %d0, %d0, %d1;\n"
              "mov.u32 %r7, %warpid;\nmov.u32 %r11, %smid;\nmad.lo.u32 %r7, %r11, 16, %r7;\n"
              "mov.u32 %r8, %laneid;\nst.global.v2.u32 [%d0], {%r7, %r8};\n"
              "mov.u32 %r9, %clusterid.z;\nmov.u32 %r10, %lanemask_le;\nst.global.v2.u32 [%d0+8], "
              "{%r9, %r10};\n"
              "ret;\n}\n";
    struct rig_launch l = { .grid = { 2, 2, 2 }, .block = { 96 }, .param = &out, .param_bytes = 8 };
    char newer[sizeof(ptx)];

    memcpy(newer, ptx, sizeof(ptx));
    memcpy(strstr(newer, "sm_87"), "sm_90", 5); /* %clusterid */
    rig_launch(&rig, newer, &l);
    for (unsigned i = 0; i < 8 * 96; i++) {
        ck_assert_uint_eq(word(4 * i),
                          i % 96 / 32 + i / 96 % 2 * 16); /* blocks go to the two SMs in turn */
        ck_assert_uint_eq(word(4 * i + 1), i % 32);
        ck_assert_uint_eq(word(4 * i + 2), i / (4 * 96));
        ck_assert_uint_eq(word(4 * i + 3), (2u << i % 32) - 1);
    }
}
END_TEST

/* Collatz steps: each lane leaves the loop at a time of its own. */
START_TEST(lanes_leave_a_loop_one_by_one)
{
    launch(
        ENTRY INDEX
        "add.u32 %r4, %r0, 1;\nmov.u32 %r5, 0;\nL1:\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra L4;\n"
        "and.b32 %r6, %r4, 1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra L2;\nmad.lo.u32 %r4, %r4, 3, 1;\n"
        "bra L3;\nL2:\nshr.u32 %r4, %r4, 1;\nL3:\nadd.u32 %r5, %r5, 1;\nbra.uni L1;\nL4:\n"
        "st.global.u32 [%d0], %r5;\nret;\n}\n",
        2, 96);
    for (unsigned i = 0; i < 192; i++) {
        unsigned steps = 0;

        for (unsigned v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2) {
            steps++;
        }
        ck_assert_uint_eq(word(i), steps);
    }
}
END_TEST

START_TEST(branch_table_sends_each_lane_to_its_target)
{
    launch(ENTRY INDEX "and.b32 %r4, %r1, 3;\nts: .branchtargets A, B, C, A;\nbrx.idx %r4, ts;\n"
                       "A:\nmov.u32 %r5, 10;\nbra E;\nB:\nmov.u32 %r5, 20;\nbra E;\nC:\n"
                       "mov.u32 %r5, 30;\nE:\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           1, 40);
    for (unsigned i = 0; i < 40; i++) {
        ck_assert_uint_eq(word(i), i % 4 == 1 ? 20 : i % 4 == 2 ? 30 : 10);
    }
}
END_TEST

/* CUDA C++ programming guide, independent thread scheduling: lanes of one warp take a lock in turn.
 */
START_TEST(spin_lock_within_a_warp_ends)
{
    launch(ENTRY INDEX
           "ld.param.u64 %d2, [out];\nL1:\natom.global.cas.b32 %r4, [%d2+4096], 0, 1;\n"
           "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra L1;\nld.volatile.global.u32 %r5, [%d2+4100];\n"
           "add.u32 %r5, %r5, 1;\nst.volatile.global.u32 [%d2+4100], %r5;\nmembar.gl;\n"
           "atom.global.exch.b32 %r6, [%d2+4096], 0;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           2, 64);
    ck_assert_uint_eq(word(1025), 128);
    ck_assert_uint_eq(word(1024), 0);
}
END_TEST

/* PTX ISA 9.7.13.1: after the barrier everybody sees what was stored before it. */
START_TEST(barrier_orders_shared_memory)
{
    launch(ENTRY INDEX
           ".shared .align 4 .b8 s[512];\nmov.u32 %r4, s;\nshl.b32 %r5, %r1, 2;\n"
           "add.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r0;\nbar.sync 0;\n"
           "mov.u32 %r7, 127;\nsub.u32 %r7, %r7, %r1;\nshl.b32 %r7, %r7, 2;\n"
           "add.u32 %r7, %r7, %r4;\nld.shared.u32 %r8, [%r7];\nst.global.u32 [%d0], %r8;\n"
           "ret;\n}\n",
           3, 128);
    for (unsigned b = 0; b < 3; b++) {
        for (unsigned i = 0; i < 128; i++) {
            ck_assert_uint_eq(word(b * 128 + i), b * 128 + 127 - i);
        }
    }
}
END_TEST

START_TEST(exited_threads_count_at_a_barrier)
{
    launch(ENTRY INDEX "setp.ge.u32 %p1, %r1, 70;\n@%p1 exit;\nbar.sync 0;\nmov.u32 %r4, 1;\n"
                       "st.global.u32 [%d0], %r4;\nret;\n}\n",
           1, 128);
    ck_assert_uint_eq(word(69), 1);
    ck_assert_uint_eq(word(70), 0);
}
END_TEST

/* Warps 0 and 1 arrive, warps 2 and 3 wait for 128 threads in all. */
START_TEST(arrive_does_not_wait_and_sync_does)
{
    launch(ENTRY INDEX
           "ld.param.u64 %d2, [out];\nsetp.ge.u32 %p1, %r1, 64;\n@%p1 bra L1;\nmov.u32 %r4, 5;\n"
           "st.global.u32 [%d0], %r4;\nbar.arrive 3, 128;\nret;\nL1:\nbar.sync 3, 128;\n"
           "sub.u32 %r5, %r1, 64;\nmul.wide.u32 %d3, %r5, 4;\nadd.u64 %d3, %d2, %d3;\n"
           "ld.global.u32 %r6, [%d3];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%d0], %r6;\nret;\n}\n",
           1, 128);
    ck_assert_uint_eq(word(63), 5);
    ck_assert_uint_eq(word(64), 6);
    ck_assert_uint_eq(word(127), 6);
}
END_TEST

START_TEST(barrier_reduces_predicates)
{
    launch(ENTRY INDEX
           "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\nbar.red.popc.u32 %r5, 1, %p1;\n"
           "barrier.sync 0;\nbar.red.and.pred %p2, 1, %p1;\nbar.red.or.pred %p3, 1, !%p1;\n"
           "selp.u32 %r6, 100, 0, %p2;\nadd.u32 %r5, %r5, %r6;\nselp.u32 %r6, 1000, 0, %p3;\n"
           "add.u32 %r5, %r5, %r6;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           1, 96);
    ck_assert_uint_eq(word(0), 1048);
    ck_assert_uint_eq(word(95), 1048);
}
END_TEST

/* Results of an H200, driver 580.159.04 (ptxas 13.0 has no such registers). */
static const struct {
    const char *module, *kernel;
    uint32_t result;
} module_registers[] = {
    { ".reg .u32 R;\n.func f(){ mov.u32 R,5; ret; }\n", "mov.u32 R,1; call f;", 5 },
    { ".reg .u32 R;\n.func (.reg .u32 v) f(){ mov.u32 v,R; ret; }\n",
      "mov.u32 R,7; call (r1), f; mov.u32 R,r1;", 7 },
    { ".reg .u32 R;\n.reg .pred P;\n.func f(){ setp.eq.u32 P,1,1; ret; }\n",
      "call f; selp.u32 R,4,9,P;", 4 },
    { ".reg .u32 R,S<4>;\n.func g(){ add.u32 S1,S1,S2; ret; }\n.func f(){ call g; call g; ret; }\n",
      "mov.u32 S1,7; mov.u32 S2,10; call f; mov.u32 R,S1;", 0x1b },
    { ".reg .u32 R;\n.func f(){ add.u32 R,R,3; ret; }\n",
      "mov.u32 r1,%tid.x; mov.u32 R,r1; setp.eq.u32 p1,r1,1; @p1 call f;", 0 },
    { ".reg .u32 R;\n.func f(){ mov.u32 R,3; ret; }\n"
      ".func (.reg .u32 v) g(){ mov.u32 v,R; ret; }\n",
      "call f; call (r1),g; mov.u32 R,r1;", 3 },
    { ".reg .u32 R;\n.func f(){ .reg .u32 R; mov.u32 R,9; ret; }\n", "mov.u32 R,3; call f;", 3 },
    { ".reg .u32 R;\n.func (.param .u32 v) f(.param .u32 a){ .reg .u32 x; ld.param.u32 x,[a]; "
      "add.u32 R,R,x; st.param.u32 [v],R; ret; }\n",
      "mov.u32 R,3; { .param .u32 a; .param .u32 b; mov.u32 r1,4; st.param.u32 [a],r1; call "
      "(b),f,(a); ld.param.u32 r2,[b]; } mov.u32 R,r2;",
      7 },
    { ".reg .u32 R;\n.func f(){ .local .u32 L[4]; .reg .u32 x; st.local.u32 [L+4],R; ld.local.u32 "
      "x,[L+4]; add.u32 R,x,1; ret; }\n",
      "mov.u32 R,3; call f; call f;", 5 },
    { ".reg .u32 R;\n.extern .global .align 4 .b8 G[16];\n",
      "mov.u32 r1,6; st.global.u32 [G+12],r1; ld.global.u32 R,[G+12];", 6 },
    { ".reg .u32 R;\n.extern .const .u32 G;\n", "ld.const.u32 R,[G];", 0 },
};

START_TEST(functions_share_the_registers_of_their_module)
{
    struct rig_launch l = { .param = &out, .param_bytes = 8 };
    g_autofree char *ptx =
        g_strdup_printf(".version 8.3\n.target sm_87\n.address_size 64\n%s.visible .entry k(.param "
                        ".u64 o)\n{\n.reg "
                        ".b64 d<9>;\n.reg .b32 r<9>;\n.reg .pred p<9>;\n%s\nld.param.u64 d1,[o];\n"
                        "st.global.u32 [d1],R;\nret;\n}\n",
                        module_registers[_i].module, module_registers[_i].kernel);

    rig_launch(&rig, ptx, &l);
    ck_assert_uint_eq(word(0), module_registers[_i].result);
}
END_TEST

static bool split_of(const char *ptx)
{
    struct rig_launch l = { .block = { 64 }, .param = &out, .param_bytes = 8 };
    struct grid_program *p = rig_program(ptx);
    struct grid *g = rig_grid(&rig, p, &l);
    uint64_t place[2];
    bool split;

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    split = grid_barrier_split(g, place);
    grid_free(g);
    grid_program_unref(p);
    return split;
}

/* Even and odd lanes go different ways and meet at a barrier. */
#define TWO_WAYS(first, second)                                                        \
    ENTRY INDEX "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra L1;\n" first \
                "bra.uni L2;\nL1:\n" second "L2:\nst.global.u32 [%d0], %r4;\nret;\n}\n"

/* PTX ISA 9.7.13.1: of bar, which is aligned, a warp executes the same instruction; of barrier
 * without .aligned it need not. Lanes that have exited count for nothing. */
START_TEST(parts_of_a_warp_at_two_barriers_are_told)
{
    static const struct {
        const char *ptx;
        bool split;
    } cases[] = {
        { TWO_WAYS("bar.sync 0;\n", "bar.sync 0;\n"), true },
        { TWO_WAYS("barrier.sync.aligned 0;\n", "bar.sync 0;\n"), true },
        { TWO_WAYS("barrier.sync 0;\n", "barrier.sync 0;\n"), false },
        { TWO_WAYS("", ""), false },
        { TWO_WAYS("", "exit;\n"), false },
        { ENTRY INDEX "bar.sync 0;\nst.global.u32 [%d0], %r1;\nret;\n}\n", false },
        { ENTRY INDEX "setp.ge.u32 %p1, %r1, 40;\n@%p1 exit;\nbar.sync 0;\n"
                      "st.global.u32 [%d0], %r1;\nret;\n}\n",
          false },
        /* by whole warps: no part of one */
        { ENTRY INDEX "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra L1;\nbar.sync 0;\nbra.uni L2;\nL1:\n"
                      "bar.sync 0;\nL2:\nst.global.u32 [%d0], %r1;\nret;\n}\n",
          false },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        ck_assert_msg(split_of(cases[i].ptx) == cases[i].split, "case %u", i);
    }
}
END_TEST

START_TEST(barrier_that_nobody_completes_is_a_fault)
{
    struct grid_fault f = fault_of(
        ENTRY INDEX "setp.eq.u32 %p1, %r1, 0;\n@%p1 bar.sync 1;\n@!%p1 bar.sync 2;\nret;\n}\n",
        (struct rig_launch){ .block = { 64 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_BARRIER);
    ck_assert_str_eq(f.func, "k");
}
END_TEST

START_TEST(warp_operations_wait_for_their_membermask)
{
    /* Lanes 0..15 come late to the shuffle, by another way. */
    launch(ENTRY INDEX
           "setp.lt.u32 %p1, %r1, 16;\nmov.u32 %r4, 7;\n@%p1 bra L1;\nbra L2;\nL1:\n"
           "mov.u32 %r4, 9;\nL2:\nadd.u32 %r4, %r4, %r1;\n"
           "shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           1, 32);
    ck_assert_uint_eq(word(0), 7 + 16);
    ck_assert_uint_eq(word(16), 9);
}
END_TEST

/* 9.7.13.2: bar.warp.sync joins lanes at different places of the code. */
START_TEST(bar_warp_sync_joins_different_places)
{
    launch(
        ENTRY INDEX
        ".shared .align 4 .b8 s[8];\nmov.u32 %r4, s;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra L1;\n"
        "mov.u32 %r6, 42;\nst.shared.u32 [%r4], %r6;\nbar.warp.sync -1;\nbra L2;\nL1:\n"
        "bar.warp.sync -1;\nL2:\nld.shared.u32 %r7, [%r4];\nst.global.u32 [%d0], %r7;\nret;\n}\n",
        1, 32);
    ck_assert_uint_eq(word(0), 42);
    ck_assert_uint_eq(word(31), 42);
}
END_TEST

/* Two halves of a warp, each with its own membermask in one instruction (tiled groups) */
START_TEST(groups_of_one_instruction_are_apart)
{
    launch(ENTRY INDEX "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r4, 0xffff, 0xffff0000, %p1;\n"
                       "redux.sync.add.u32 %r5, %r1, %r4;\nvote.sync.ballot.b32 %r6, %p1, %r4;\n"
                       "add.u32 %r5, %r5, %r6;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           1, 32);
    ck_assert_uint_eq(word(3), 120 + 0xffff);
    ck_assert_uint_eq(word(20), 376);
}
END_TEST

START_TEST(predicated_lanes_keep_their_registers)
{
    launch(ENTRY INDEX "mov.u32 %r4, 1;\nsetp.gt.u32 %p1, %r1, 4;\n@%p1 mov.u32 %r4, 2;\n"
                       "@!%p1 add.u32 %r4, %r4, 10;\nst.global.u32 [%d0], %r4;\nret;\n}\n",
           1, 10);
    ck_assert_uint_eq(word(4), 11);
    ck_assert_uint_eq(word(5), 2);
}
END_TEST

/* PTX 9.7.6.2: p = a cmp b, q = !(a cmp b); with or without a third predicate, and into the bit
 * bucket */
START_TEST(setp_writes_both_predicates)
{
    launch(ENTRY INDEX "setp.lt.u32 %p1|%p2, %r1, 4;\nselp.u32 %r4, 1, 0, %p1;\n"
                       "selp.u32 %r5, 10, 0, %p2;\nadd.u32 %r4, %r4, %r5;\n"
                       "setp.lt.and.u32 %p1|%p2, %r1, 6, !%p1;\nselp.u32 %r5, 100, 0, %p1;\n"
                       "add.u32 %r4, %r4, %r5;\nsetp.eq.u32 %p1|_, %r1, 5;\n"
                       "@%p1 add.u32 %r4, %r4, 1000;\nst.global.u32 [%d0], %r4;\nret;\n}\n",
           1, 8);
    ck_assert_uint_eq(word(3), 1);
    ck_assert_uint_eq(word(4), 110);
    ck_assert_uint_eq(word(5), 1110);
    ck_assert_uint_eq(word(6), 10);
}
END_TEST

static const char calls[] = HEAD
    ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [a];\nadd.u32 %r1, %r1, %r1;\nst.param.b32 [r], %r1;\nret;\n}\n"
    ".visible .func (.param .b32 r) square(.param .b32 a)\n{\n.reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [a];\nmul.lo.u32 %r1, %r1, %r1;\nst.param.b32 [r], %r1;\nret;\n}\n"
    /* recursive: a <= 1 ? 1 : a * fact(a - 1) */
    ".visible .func (.param .b32 r) fact(.param .b32 a)\n{\n.reg .b32 %r<6>;\n.reg .pred %p;\n"
    "ld.param.u32 %r1, [a];\nmov.u32 %r3, 1;\nsetp.le.u32 %p, %r1, 1;\n@%p bra L1;\n"
    "sub.u32 %r2, %r1, 1;\n{\n.param .b32 p0;\nst.param.b32 [p0], %r2;\n.param .b32 q0;\n"
    "call.uni (q0), fact, (p0);\nld.param.b32 %r3, [q0];\n}\nmul.lo.u32 %r3, %r3, %r1;\nL1:\n"
    "st.param.b32 [r], %r3;\nret;\n}\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n.reg .pred "
    "%p<4>;\n" INDEX
    "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n.param .b32 q0;\ncall.uni (q0), fact, (p0);\n"
    "ld.param.b32 %r4, [q0];\n}\n"
    "mov.u64 %d4, twice;\nmov.u64 %d5, square;\nand.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
    "selp.b64 %d6, %d4, %d5, %p1;\n"
    "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n.param .b32 q0;\nproto: .callprototype (.param "
    ".b32 _) "
    "_ (.param .b32 _);\ncall (q0), %d6, (p0), proto;\nld.param.b32 %r6, [q0];\n}\n"
    "shl.b32 %r6, %r6, 20;\nadd.u32 %r4, %r4, %r6;\nst.global.u32 [%d0], %r4;\nret;\n}\n";

START_TEST(calls_direct_recursive_and_through_pointers)
{
    static const uint32_t fact[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320 };

    launch(calls, 1, 9);
    for (unsigned i = 0; i < 9; i++) {
        ck_assert_uint_eq(word(i), fact[i] + ((i & 1 ? i * i : 2 * i) << 20));
    }
}
END_TEST

START_TEST(endless_recursion_is_a_stack_fault)
{
    static const char ptx[] =
        HEAD ".visible .func f()\n{\n.local .align 8 .b8 x[64];\ncall f;\nret;\n}\n"
             ".visible .entry k(.param .u64 out)\n{\ncall f;\nret;\n}\n";
    struct grid_fault f = fault_of(ptx, (struct rig_launch){ .block = { 4 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_STACK);
    ck_assert_str_eq(f.func, "f");
}
END_TEST

START_TEST(call_through_a_bad_pointer_is_a_fault)
{
    struct grid_fault f = fault_of(
        ENTRY "mov.u64 %d3, 12345;\nproto: .callprototype _ ();\ncall %d3, (), proto;\nret;\n}\n",
        (struct rig_launch){ .block = { 1 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_INSTRUCTION);
}
END_TEST

START_TEST(local_memory_is_each_threads_own)
{
    launch(ENTRY INDEX
           ".local .align 8 .b8 stack[64];\nmov.u64 %d2, stack;\ncvta.local.u64 %d3, %d2;\n"
           "and.b32 %r4, %r1, 15;\nmul.wide.u32 %d4, %r4, 4;\nadd.u64 %d5, %d2, %d4;\n"
           "add.u64 %d6, %d3, %d4;\nst.local.u32 [%d5], %r0;\nld.u32 %r5, [%d6];\n"
           "isspacep.local %p1, %d6;\nselp.u32 %r6, 1000, 0, %p1;\nadd.u32 %r5, %r5, %r6;\n"
           "st.global.u32 [%d0], %r5;\nret;\n}\n",
           2, 40);
    for (unsigned i = 0; i < 80; i++) {
        ck_assert_uint_eq(word(i), 1000 + i);
    }
}
END_TEST

START_TEST(vector_accesses_and_narrow_types)
{
    static const uint8_t bytes[16] = {
        0x80, 1, 2, 3, 0xff, 0xff, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    };

    memcpy(rig_at(&rig, RIG_BASE + 8192), bytes, 16);
    launch(
        ENTRY INDEX
        "ld.param.u64 %d2, [out];\nld.global.s8 %r4, [%d2+8192];\nld.global.u8 %r5, [%d2+8192];\n"
        "ld.global.s16 %r6, [%d2+8196];\nld.global.u16 %r7, [%d2+8196];\n"
        "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d2+8192];\n"
        "ld.global.v2.u8 {%r12, %r13}, [%d2+8194];\nld.global.s8 %d4, [%d2+8192];\n"
        "st.global.v4.u32 [%d2+64], {%r4, %r5, %r6, %r7};\n"
        "st.global.v4.u32 [%d2+80], {%r8, %r9, %r10, %r11};\n"
        "st.global.v2.u32 [%d2+96], {%r12, %r13};\nst.global.u64 [%d2+104], %d4;\n"
        "st.global.u8 [%d2+112], %r5;\nst.global.u16 [%d2+114], %r6;\nret;\n}\n",
        1, 1);
    ck_assert_uint_eq(word(16), 0xffffff80);
    ck_assert_uint_eq(word(17), 0x80);
    ck_assert_uint_eq(word(18), 0xffffffff);
    ck_assert_uint_eq(word(19), 0xffff);
    ck_assert_uint_eq(word(20), 0x03020180);
    ck_assert_uint_eq(word(23), 0x0f0e0d0c);
    ck_assert_uint_eq(word(24), 2);
    ck_assert_uint_eq(word(25), 3);
    ck_assert_uint_eq(word(26), 0xffffff80);
    ck_assert_uint_eq(word(27), 0xffffffff);
    ck_assert_uint_eq(word(28), 0xffff0080);
}
END_TEST

/* 32 lanes on consecutive words: one line, four sectors. Every fourth word: four lines of four. */
START_TEST(accesses_are_coalesced_into_lines_and_sectors)
{
    static const char ptx[] =
        ENTRY "mov.u32 %r1, %tid.x;\nld.param.u64 %d2, [out];\nmul.wide.u32 %d3, %r1, 4;\n"
              "add.u64 %d3, %d2, %d3;\nld.global.u32 %r4, [%d3];\nmul.wide.u32 %d4, %r1, 16;\n"
              "add.u64 %d4, %d2, %d4;\nld.global.u32 %r5, [%d4+128];\nld.global.u32 %r6, "
              "[%d2+1024];\nret;\n}\n";

    launch(ptx, 1, 32);
    ck_assert_uint_eq(rig.loads, 1 + 4 + 1);
    ck_assert_uint_eq(rig.sectors, 4 + 16 + 1);
}
END_TEST

START_TEST(highest_lane_wins_a_contested_store)
{
    launch(ENTRY INDEX "ld.param.u64 %d2, [out];\nst.global.u32 [%d2+512], %r1;\nret;\n}\n", 1, 32);
    ck_assert_uint_eq(word(128), 31);
    ck_assert_uint_eq(rig.stores, 1);
}
END_TEST

/* CUB writes .sync last (cub/util_ptx.cuh); ptxas takes both. %r1 is the thread in its block. */
START_TEST(vote_takes_sync_before_and_after_the_mode)
{
    launch(ENTRY INDEX "setp.lt.u32 %p1, %r1, 5;\nvote.ballot.sync.b32 %r4, %p1, 0xffffffff;\n"
                       "vote.sync.ballot.b32 %r5, %p1, 0xffffffff;\nsub.u32 %r5, %r4, %r5;\n"
                       "mad.lo.u32 %r4, %r5, 100, %r4;\nst.global.u32 [%d0], %r4;\nret;\n}\n",
           1, 32);
    ck_assert_uint_eq(word(0), 31);
    ck_assert_uint_eq(word(31), 31);
}
END_TEST

START_TEST(atomics_take_every_lane_in_turn)
{
    launch(ENTRY INDEX "ld.param.u64 %d2, [out];\natom.global.add.u32 %r4, [%d2+4096], 2;\n"
                       "st.global.u32 [%d0], %r4;\nred.global.max.s32 [%d2+4100], %r0;\n"
                       "atom.global.inc.u32 %r5, [%d2+4104], 4;\nmov.f32 %f1, 0f3F000000;\n"
                       "red.global.add.f32 [%d2+4108], %f1;\natom.global.sys.or.b32 %r6, "
                       "[%d2+4112], %r1;\nret;\n}\n",
           2, 32);
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_uint_eq(word(i), 2 * i);
    }
    ck_assert_uint_eq(word(1024), 128);
    ck_assert_uint_eq(word(1025), 63);
    ck_assert_uint_eq(word(1026), 64 % 5);
    ck_assert_uint_eq(word(1027), 0x42000000); /* 32.0 */
    ck_assert_uint_eq(word(1028), 31);
    ck_assert_int_eq(rig.last_scope, BUS_SCOPE_SYS);
}
END_TEST

/* Shared atomics, from 9.7.13.5: inc, dec, cas, exch, min, f32 add, 64 bits */
START_TEST(atomics_in_shared_memory)
{
    launch(
        ENTRY INDEX
        ".shared .align 8 .b8 s[64];\nmov.u32 %r4, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\n"
        "mov.u32 %r5, 10;\nst.shared.u32 [%r4+4], %r5;\nst.shared.u32 [%r4+8], %r5;\n"
        "mov.u32 %r5, 0x80000000;\nst.shared.u32 [%r4+12], %r5;\nL1:\nbar.sync 0;\n"
        "atom.shared.add.u32 %r6, [%r4], 1;\natom.shared.dec.u32 %r7, [%r4+4], 20;\n"
        "atom.shared.min.s32 %r7, [%r4+8], %r1;\nred.shared.max.s32 [%r4+12], %r1;\n"
        "atom.shared.cas.b32 %r7, [%r4+16], 0, 77;\nmov.f32 %f1, 0f3F800000;\n"
        "red.shared.add.f32 [%r4+20], %f1;\nmov.u64 %d4, 0x100000000;\n"
        "red.shared.add.u64 [%r4+24], %d4;\nbar.sync 0;\nand.b32 %r8, %r1, 7;\nshl.b32 %r8, %r8, "
        "2;\n"
        "add.u32 %r8, %r8, %r4;\nld.shared.u32 %r9, [%r8];\nst.global.u32 [%d0], %r9;\nret;\n}\n",
        1, 32);
    ck_assert_uint_eq(word(0), 32);
    ck_assert_uint_eq(word(1), 20); /* 10 steps to 0, then 20, 20 steps to 0, and 20: 32 in all */
    ck_assert_uint_eq(word(2), 0);
    ck_assert_uint_eq(word(3), 31);
    ck_assert_uint_eq(word(4), 77);
    ck_assert_uint_eq(word(5), 0x42000000);
    ck_assert_uint_eq(word(6), 0);
    ck_assert_uint_eq(word(7), 32);
}
END_TEST

/* 9.7.13.5, one word and every second lane: each gets what the lane before left. */
static uint32_t word_atom(unsigned op, uint32_t old, uint32_t v)
{
    switch (op) {
    case 0:
        return old + v;
    case 1:
        return v < old ? v : old;
    case 2:
        return v > old ? v : old;
    case 3:
        return old & v;
    case 4:
        return old | v;
    case 5:
        return old ^ v;
    case 6:
        return v;
    default:
        return old == v ? 4 : old; /* lane 2's operand finds lane 0's 4, and so on */
    }
}

START_TEST(a_shared_word_takes_every_atomic)
{
    static const char *const ops[] = { "add.u32", "min.u32", "max.u32",  "and.b32",
                                       "or.b32",  "xor.b32", "exch.b32", "cas.b32" };
    g_autofree char *code = g_strdup_printf(
        ".shared .align 4 .b8 s[64];\nmov.u32 %%r4, s;\nmov.u32 %%r5, 14;\n"
        "st.shared.u32 [%%r4+8], %%r5;\nand.b32 %%r6, %%r1, 1;\nsetp.eq.u32 %%p1, %%r6, 0;\n"
        "mov.u32 %%r7, 99;\nxor.b32 %%r8, %%r1, 6;\nmov.u32 %%r9, 4;\n"
        "@%%p1 atom.shared.%s %%r7, [%%r4+8], %%r8%s;\nst.global.u32 [%%d0], %%r7;\n"
        "ld.shared.u32 %%r7, [%%r4+8];\nst.global.u32 [%%d0+128], %%r7;\nret;\n}\n",
        ops[_i], _i == 7 ? ", %r9" : "");
    g_autofree char *ptx = g_strconcat(ENTRY INDEX, code, NULL);
    uint32_t value = 14;

    launch(ptx, 1, 32);
    for (unsigned l = 0; l < 32; l++) {
        ck_assert_uint_eq(word(l), l % 2 ? 99 : value);
        value = l % 2 ? value : word_atom((unsigned)_i, value, l ^ 6);
    }
    ck_assert_uint_eq(word(32), value);
}
END_TEST

/* Lanes before the one at fault have done theirs; it names the first. */
START_TEST(a_shared_atomic_beyond_the_end_faults_at_its_lane)
{
    struct grid_fault f = fault_of(
        ENTRY INDEX ".shared .align 4 .b8 s[64];\nmov.u32 %r4, s;\nmad.lo.u32 %r4, %r1, 4, %r4;\n"
                    "atom.shared.add.u32 %r5, [%r4], 1;\nret;\n}\n",
        (struct rig_launch){ .block = { 32 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_SHARED_RANGE);
    ck_assert_uint_eq(f.thread[0], 16);
    ck_assert_uint_eq(f.va, 64);
}
END_TEST

/* 9.7.9.8: narrow values are extended by their type; elements of a vector lie one behind the other.
 * With few lanes in a line and with many. */
START_TEST(loads_of_every_width)
{
    static const struct {
        const char *type, *regs;
        unsigned size, n;
        bool sign;
    } forms[] = {
        { "u8", "%r10", 1, 1, false },
        { "s8", "%r10", 1, 1, true },
        { "u16", "%r10", 2, 1, false },
        { "s16", "%r10", 2, 1, true },
        { "v2.s8", "{%r10, %r11}", 1, 2, true },
        { "v4.u8", "{%r10, %r11, %r12, %r13}", 1, 4, false },
        { "v2.u16", "{%r10, %r11}", 2, 2, false },
        { "v2.u32", "{%r10, %r11}", 4, 2, false },
        { "v4.u32", "{%r10, %r11, %r12, %r13}", 4, 4, false },
    };
    unsigned size = forms[_i].size, n = forms[_i].n;

    for (unsigned stride = size * n; stride <= 64; stride += 64 - size * n) {
        g_autofree char *code = g_strdup_printf(
            "ld.param.u64 %%d2, [out];\nmul.wide.u32 %%d3, %%r1, %u;\nadd.u64 %%d2, %%d2, %%d3;\n"
            "setp.ne.u32 %%p1, %%r1, 5;\nmov.u32 %%r10, 7;\n"
            "@%%p1 ld.global.%s %s, [%%d2+4096];\nmul.wide.u32 %%d4, %%r1, 12;\n"
            "add.u64 %%d0, %%d0, %%d4;\nst.global.v4.u32 [%%d0], {%%r10, %%r11, %%r12, %%r13};\n"
            "ret;\n}\n",
            stride, forms[_i].type, forms[_i].regs);
        g_autofree char *ptx = g_strconcat(ENTRY INDEX, code, NULL);

        for (unsigned i = 0; i < 64 * 33; i++) {
            *(uint8_t *)rig_at(&rig, RIG_BASE + 4096 + i) = (uint8_t)(i * 37 + 11);
        }
        launch(ptx, 1, 32);
        for (unsigned l = 0; l < 32; l++) {
            for (unsigned e = 0; e < n; e++) {
                uint32_t want = 0;

                for (unsigned b = size; b-- > 0;) {
                    want = want << 8 | (uint8_t)((l * stride + e * size + b) * 37 + 11);
                }
                want = forms[_i].sign && size == 1 ? (uint32_t)(int8_t)want : want;
                want = forms[_i].sign && size == 2 ? (uint32_t)(int16_t)want : want;
                want = l == 5 ? (e == 0 ? 7 : 0) : want;
                ck_assert_uint_eq(word(4 * l + e), want);
            }
        }
    }
}
END_TEST

/* The same into 64 bits, and elements of 64 bits */
START_TEST(loads_into_wide_registers)
{
    for (unsigned l = 0; l < 32; l++) {
        memset(rig_at(&rig, RIG_BASE + 4096 + 16 * l), 0x80 + (int)l, 16);
    }
    launch(ENTRY INDEX
           "ld.param.u64 %d2, [out];\nmul.wide.u32 %d3, %r1, 16;\nadd.u64 %d4, %d2, %d3;\n"
           "ld.global.v2.u64 {%d5, %d6}, [%d4+4096];\nld.global.s8 %d7, [%d4+4096];\n"
           "add.u64 %d4, %d4, %d3;\nst.global.v2.u64 [%d4], {%d5, %d6};\n"
           "st.global.u64 [%d4+16], %d7;\nret;\n}\n",
           1, 32);
    for (unsigned l = 0; l < 32; l++) {
        ck_assert_uint_eq(word(8 * l), (0x80 + l) * 0x01010101u);
        ck_assert_uint_eq(word(8 * l + 3), (0x80 + l) * 0x01010101u);
        ck_assert_uint_eq(word(8 * l + 4), 0xffffff80u + l);
        ck_assert_uint_eq(word(8 * l + 5), UINT32_MAX);
    }
}
END_TEST

START_TEST(variables_lie_where_the_launch_says)
{
    static const char ptx[] =
        HEAD ".visible .global .align 4 .u32 g[4];\n.visible .const .align 4 .u32 c[4];\n"
             ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
             "ld.param.u64 %d0, [out];\nld.global.u32 %r1, [g+4];\nmov.u64 %d1, c;\n"
             "cvta.const.u64 %d2, %d1;\nld.u32 %r2, [%d2+8];\nld.const.u32 %r3, [c+8];\n"
             "add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nst.global.u32 [%d0], %r1;\nret;\n}\n";
    uint32_t five = 5, seven = 7;

    memcpy(rig_at(&rig, RIG_GLOBALS + 4), &five, 4);
    memcpy(rig_at(&rig, RIG_CONSTS + 8), &seven, 4);
    launch(ptx, 1, 1);
    ck_assert_uint_eq(word(0), 19);
}
END_TEST

START_TEST(dynamic_shared_memory_follows_the_static_part)
{
    static const char ptx[] = HEAD
        ".extern .shared .align 4 .b8 dyn[];\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
        ".shared .align 4 .b8 s[20];\n"
        "ld.param.u64 %d0, [out];\nmov.u32 %r1, s;\nmov.u32 %r2, dyn;\nmov.u32 %r3, 9;\n"
        "st.shared.u32 [dyn+12], %r3;\nld.shared.u32 %r4, [%r2+12];\nsub.u32 %r2, %r2, %r1;\n"
        "st.global.u32 [%d0], %r2;\nst.global.u32 [%d0+4], %r4;\nmov.u32 %r5, %dynamic_smem_size;\n"
        "st.global.u32 [%d0+8], %r5;\nret;\n}\n";
    struct rig_launch l = { .block = { 1 }, .param = &out, .param_bytes = 8, .dynamic_shared = 16 };

    rig_launch(&rig, ptx, &l);
    ck_assert_uint_eq(word(0), 32); /* 20, rounded up to 16 */
    ck_assert_uint_eq(word(1), 9);
    ck_assert_uint_eq(word(2), 16);
}
END_TEST

START_TEST(generic_addresses_reach_shared_and_parameters)
{
    launch(
        ENTRY INDEX
        ".shared .align 16 .b8 s[256];\nmov.u64 %d2, s;\ncvta.shared.u64 %d3, %d2;\n"
        "cvta.to.shared.u64 %d4, %d3;\nsub.u64 %d4, %d4, %d2;\ncvt.u32.u64 %r4, %d4;\n" /* 0 */
        "mul.wide.u32 %d5, %r1, 8;\nadd.u64 %d5, %d3, %d5;\nst.u32 [%d5], %r0;\n"
        "atom.add.u32 %r5, [%d5], 5;\nld.u32 %r6, [%d5];\nadd.u32 %r4, %r4, %r6;\n" /* index + 5 */
        "mov.u64 %d6, out;\ncvta.param.u64 %d7, %d6;\nld.u64 %d8, [%d7];\nld.param.u64 %d9, "
        "[out];\n"
        "setp.eq.u64 %p1, %d8, %d9;\nisspacep.shared %p2, %d5;\nisspacep.global %p3, %d9;\n"
        "and.pred %p1, %p1, %p2;\nand.pred %p1, %p1, %p3;\nisspacep.param %p4, %d7;\n"
        "and.pred %p1, %p1, %p4;\nselp.u32 %r7, 100, 0, %p1;\nadd.u32 %r4, %r4, %r7;\n"
        ".local .align 8 .b8 x[8];\nmov.u64 %d10, x;\ncvta.local.u64 %d11, %d10;\n"
        "cvta.to.local.u64 %d12, %d11;\nst.u32 [%d11], %r0;\natom.exch.b32 %r8, [%d11], 7;\n"
        "ld.local.u32 %r9, [%d12];\nsub.u32 %r8, %r8, %r0;\nadd.u32 %r4, %r4, %r8;\n"
        "add.u32 %r4, %r4, %r9;\nst.global.u32 [%d0], %r4;\nprefetch.global.L2 [%d0];\npmevent 1;\n"
        "ret;\n}\n",
        1, 32);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(word(i), i + 5 + 100 + 7);
    }
}
END_TEST

START_TEST(shared_vectors_and_bytes)
{
    launch(ENTRY INDEX
           ".shared .align 16 .b8 s[512];\nmov.u32 %r4, s;\nshl.b32 %r5, %r1, 4;\nadd.u32 %r4, "
           "%r4, %r5;\n"
           "mov.u32 %r6, 0x1ff80;\nst.shared.v4.u32 [%r4], {%r1, %r6, %r0, %r5};\n"
           "ld.shared.s8 %r7, [%r4+4];\nld.shared.v2.u16 {%r8, %r9}, [%r4+4];\n"
           "add.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\nld.shared.u32 %r10, [%r4+12];\n"
           "add.u32 %r7, %r7, %r10;\nst.global.u32 [%d0], %r7;\nret;\n}\n",
           1, 32);
    ck_assert_uint_eq(word(2), 0xffffff80u + 0xff80 + 1 + 32);
}
END_TEST

START_TEST(alloca_gives_each_call_its_own_stretch)
{
    launch(ENTRY INDEX "stacksave.u64 %d2;\nalloca.u64 %d3, 32, 16;\nalloca.u64 %d4, 8, "
                       "8;\nst.local.u32 [%d3], %r0;\n"
                       "mov.u32 %r4, 9;\nst.local.u32 [%d4], %r4;\nld.local.u32 %r5, [%d3];\n"
                       "and.b64 %d5, %d3, 15;\ncvt.u32.u64 %r6, %d5;\nadd.u32 %r5, %r5, %r6;\n"
                       "stackrestore.u64 %d2;\nalloca.u64 %d6, 32, 16;\nsub.u64 %d6, %d6, "
                       "%d3;\ncvt.u32.u64 %r7, %d6;\n"
                       "add.u32 %r5, %r5, %r7;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
           1, 8);
    ck_assert_uint_eq(word(5), 5);
}
END_TEST

START_TEST(selections_of_every_type)
{
    launch(
        ENTRY
        ".reg .f64 %g<4>;\n" INDEX
        "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\nmov.f64 %g1, 0d3FF0000000000000;\n"
        "mov.f64 %g2, 0d4000000000000000;\nsetp.eq.u32 %p1, %r1, 0;\nsub.s32 %r4, 0, %r1;\n"
        "cvt.rn.f32.s32 %f3, %r4;\nselp.f32 %f4, %f1, %f2, %p1;\nselp.f64 %g3, %g1, %g2, %p1;\n"
        "cvt.rn.f32.f64 %f5, %g3;\nadd.f32 %f4, %f4, %f5;\nslct.f32.s32 %f5, %f1, %f2, %r4;\n"
        "add.f32 %f4, %f4, %f5;\nslct.f64.s32 %g3, %g1, %g2, %r4;\ncvt.rn.f32.f64 %f5, %g3;\n"
        "add.f32 %f4, %f4, %f5;\nslct.f32.f32 %f5, %f1, %f2, %f3;\nadd.f32 %f4, %f4, %f5;\n"
        "slct.ftz.f32.f32 %f5, %f1, %f2, %f3;\nadd.f32 %f4, %f4, %f5;\nslct.f64.f32 %g3, %g1, %g2, "
        "%f3;\n"
        "cvt.rn.f32.f64 %f5, %g3;\nadd.f32 %f4, %f4, %f5;\nslct.ftz.f64.f32 %g3, %g1, %g2, %f3;\n"
        "cvt.rn.f32.f64 %f5, %g3;\nadd.f32 %f4, %f4, %f5;\nslct.u64.f32 %d2, 1, 2, %f3;\n"
        "slct.ftz.u64.f32 %d3, 1, 2, %f3;\nadd.u64 %d2, %d2, %d3;\ncvt.rzi.u32.f32 %r5, %f4;\n"
        "cvt.u32.u64 %r6, %d2;\nadd.u32 %r5, %r5, %r6;\nst.global.u32 [%d0], %r5;\nret;\n}\n",
        1, 2);
    ck_assert_uint_eq(word(0), 10);
    ck_assert_uint_eq(word(1), 20);
}
END_TEST

START_TEST(leaders_matches_and_active_lanes)
{
    launch(
        HEAD90 ENTRY_ANY INDEX
        "setp.ge.u32 %p1, %r1, 10;\n@%p1 bra L1;\nactivemask.b32 %r4;\n"
        "elect.sync %r5|%p2, 0x3ff;\nselp.u32 %r6, 0x10000, 0, %p2;\nor.b32 %r4, %r4, %r6;\n"
        "and.b32 %r7, %r1, 1;\ncvt.u64.u32 %d3, %r7;\nmatch.any.sync.b64 %r8, %d3, 0x3ff;\n"
        "shl.b32 %r8, %r8, 20;\nmatch.all.sync.b64 %r9|%p3, %d3, 0x3ff;\n@%p3 mov.u32 %r8, 0;\n"
        "xor.b32 %r4, %r4, %r8;\nadd.u32 %r4, %r4, %r9;\nst.global.u32 [%d0], %r4;\nL1:\nret;\n}\n",
        1, 32);
    ck_assert_uint_eq(word(0), (0x3ffu | 0x10000) ^ 0x155u << 20);
    ck_assert_uint_eq(word(1), 0x3ffu ^ 0x2aau << 20);
    ck_assert_uint_eq(word(10), 0);
}
END_TEST

START_TEST(breakpoint_without_a_debugger_is_a_fault)
{
    struct grid_fault f = fault_of(ENTRY "mov.u32 %r1, %globaltimer_lo;\nbrkpt;\nret;\n}\n",
                                   (struct rig_launch){ .block = { 1 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_TRAP);
}
END_TEST

/* Faults say function, line, thread and address. */

START_TEST(out_of_bounds_names_the_first_lane)
{
    struct grid_fault f = fault_of(ENTRY INDEX "mov.u64 %d3, 0;\nsetp.ge.u32 %p1, %r0, 37;\n"
                                               "selp.b64 %d4, %d3, %d0, %p1;\n"
                                               "st.global.u32 [%d4+8], %r0;\nret;\n}\n",
                                   (struct rig_launch){ .grid = { 1 }, .block = { 64 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_MMU);
    ck_assert_str_eq(f.func, "k");
    ck_assert_uint_eq(f.va, 8);
    ck_assert_uint_eq(f.size, 4);
    ck_assert(f.write);
    ck_assert_uint_eq(f.thread[0], 37);
    ck_assert_uint_eq(f.line, 20);
    ck_assert_str_eq(f.reason, "PTE invalid");
}
END_TEST

START_TEST(misaligned_access_is_a_fault)
{
    struct grid_fault f = fault_of(ENTRY INDEX "ld.global.u32 %r4, [%d0+2];\nret;\n}\n",
                                   (struct rig_launch){ .block = { 32 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_MISALIGNED);
    ck_assert_uint_eq(f.va, RIG_BASE + 2);
    ck_assert(!f.write);
}
END_TEST

START_TEST(shared_memory_ends_at_its_size)
{
    struct grid_fault f =
        fault_of(ENTRY ".shared .align 4 .b8 s[64];\nmov.u32 %r1, %tid.x;\n"
                       "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\n"
                       "st.shared.u32 [%r3], %r1;\nret;\n}\n",
                 (struct rig_launch){ .block = { 32 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_SHARED_RANGE);
    ck_assert_uint_eq(f.thread[0], 16);
    ck_assert_uint_eq(f.va, 64);
}
END_TEST

START_TEST(local_memory_ends_at_its_size)
{
    struct grid_fault f = fault_of(ENTRY ".local .align 4 .b8 s[16];\nmov.u64 %d2, s;\n"
                                         "st.local.u32 [%d2+524288], %r1;\nret;\n}\n",
                                   (struct rig_launch){ .block = { 1 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_LOCAL_RANGE);
}
END_TEST

START_TEST(system_atomic_that_the_soc_lacks_is_a_fault)
{
    struct grid_fault f;

    rig.no_system_atomics = true;
    f = fault_of(ENTRY INDEX "atom.global.sys.add.u32 %r4, [%d0], 1;\nret;\n}\n",
                 (struct rig_launch){ .block = { 1 } });
    ck_assert_int_eq(f.kind, GRID_FAULT_ATOMIC);
}
END_TEST

/* Called through a pointer, which no launch can follow. */
START_TEST(a_function_that_lacks_an_instruction_is_a_fault)
{
    struct grid_fault f =
        fault_of(HEAD ".func bad()\n{\n.reg .pred %p<2>;\n.reg .b64 %d<2>;\n"
                      "istypep.texref %p0, %d0;\nret;\n}\n"
                      ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d<2>;\n"
                      "mov.u64 %d0, bad;\nproto: .callprototype _ ();\ncall %d0, (), proto;\n"
                      "ret;\n}\n",
                 (struct rig_launch){ .block = { 1 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_INSTRUCTION);
    ck_assert_uint_eq(f.line, 8);
}
END_TEST

START_TEST(trap_is_a_fault)
{
    struct grid_fault f = fault_of(ENTRY INDEX "setp.eq.u32 %p1, %r0, 33;\n@%p1 trap;\nret;\n}\n",
                                   (struct rig_launch){ .block = { 64 } });

    ck_assert_int_eq(f.kind, GRID_FAULT_TRAP);
    ck_assert_uint_eq(f.thread[0], 33);
}
END_TEST

START_TEST(step_limit_ends_an_endless_kernel)
{
    struct grid_fault f =
        fault_of(ENTRY INDEX "L1:\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%d0], %r1;\n"
                             "bra L1;\n}\n",
                 (struct rig_launch){ .block = { 32 }, .step_limit = 100000 });

    ck_assert_int_eq(f.kind, GRID_FAULT_TIMEOUT);
}
END_TEST

static const TTest *const *const tests[] = {
    &threads_of_all_blocks_know_their_place,
    &three_dimensions_count_x_first,
    &each_warp_sees_special_registers_of_its_own,
    &lanes_leave_a_loop_one_by_one,
    &branch_table_sends_each_lane_to_its_target,
    &spin_lock_within_a_warp_ends,
    &barrier_orders_shared_memory,
    &exited_threads_count_at_a_barrier,
    &arrive_does_not_wait_and_sync_does,
    &barrier_reduces_predicates,
    &parts_of_a_warp_at_two_barriers_are_told,
    &barrier_that_nobody_completes_is_a_fault,
    &warp_operations_wait_for_their_membermask,
    &bar_warp_sync_joins_different_places,
    &groups_of_one_instruction_are_apart,
    &predicated_lanes_keep_their_registers,
    &setp_writes_both_predicates,
    &calls_direct_recursive_and_through_pointers,
    &endless_recursion_is_a_stack_fault,
    &call_through_a_bad_pointer_is_a_fault,
    &local_memory_is_each_threads_own,
    &vector_accesses_and_narrow_types,
    &accesses_are_coalesced_into_lines_and_sectors,
    &highest_lane_wins_a_contested_store,
    &vote_takes_sync_before_and_after_the_mode,
    &atomics_take_every_lane_in_turn,
    &atomics_in_shared_memory,
    &a_shared_atomic_beyond_the_end_faults_at_its_lane,
    &loads_into_wide_registers,
    &variables_lie_where_the_launch_says,
    &dynamic_shared_memory_follows_the_static_part,
    &generic_addresses_reach_shared_and_parameters,
    &shared_vectors_and_bytes,
    &alloca_gives_each_call_its_own_stretch,
    &selections_of_every_type,
    &leaders_matches_and_active_lanes,
    &breakpoint_without_a_debugger_is_a_fault,
    &out_of_bounds_names_the_first_lane,
    &misaligned_access_is_a_fault,
    &shared_memory_ends_at_its_size,
    &local_memory_ends_at_its_size,
    &system_atomic_that_the_soc_lacks_is_a_fault,
    &trap_is_a_fault,
    &a_function_that_lacks_an_instruction_is_a_fault,
    &step_limit_ends_an_endless_kernel,
};

static Suite *grid_suite(void)
{
    Suite *s = suite_create("grid");
    TCase *t = tcase_create("grid");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 30);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        tcase_add_test(t, *tests[i]);
    }
    tcase_add_loop_test(t, a_shared_word_takes_every_atomic, 0, 8);
    tcase_add_loop_test(t, loads_of_every_width, 0, 9);
    tcase_add_loop_test(t, functions_share_the_registers_of_their_module, 0,
                        (int)G_N_ELEMENTS(module_registers));
    suite_add_tcase(s, t);
    return s;
}

/* Every micro-op has run somewhere in the suites above. */
static int uncovered(void)
{
    int n = 0;

    for (int i = 0; i < PTX_UOP_COUNT; i++) {
        if (!rig_covered((unsigned)i)) {
            printf("micro-op %s was never executed\n", ptx_uop_name((enum ptx_uop_op)i));
            n++;
        }
    }
    return n;
}

int main(void)
{
    SRunner *sr;
    int failed;

    rig_coverage_init();
    sr = srunner_create(grid_suite());
    srunner_add_suite(sr, schedule_suite());
    srunner_add_suite(sr, clock_suite());
    srunner_add_suite(sr, rows_suite());
    srunner_add_suite(sr, dense_suite());
    srunner_add_suite(sr, alias_suite());
    srunner_add_suite(sr, carry_suite());
    srunner_add_suite(sr, names_suite());
    srunner_add_suite(sr, meet_suite());
    srunner_add_suite(sr, cvt_suite());
    srunner_add_suite(sr, ptx_exec_suite());
    srunner_add_suite(sr, ptx_rows_suite());
    srunner_add_suite(sr, decode_suite());
    srunner_add_suite(sr, intrinsic_suite());
    srunner_add_suite(sr, matrix_suite());
    srunner_add_suite(sr, async_suite());
    srunner_add_suite(sr, mbarrier_suite());
    srunner_add_suite(sr, mma_golden_suite());
    srunner_add_suite(sr, sync_golden_suite());
    srunner_add_suite(sr, tex_suite());
    srunner_add_suite(sr, native_suite());
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    if (srunner_ntests_run(sr) > 0 && !g_getenv("CK_RUN_SUITE")) {
        failed += uncovered();
    }
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

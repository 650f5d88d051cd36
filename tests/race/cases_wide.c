/* SPDX-License-Identifier: MIT */
/* One pair of lines that races among threads of several kinds: the cure is the one that orders all
 * of them, PTX ISA 9.0, 9.7.13.1 and 8.8. */
#include "tests/race/cases.h"

#define FIRST_THREAD "setp.eq.u32 %p1, %r1, 0;\n"
#define ALL_LOAD_ONE "ld.shared.u32 %r8, [%s0]; // A\n"
#define ONE_STORES "@%p1 st.shared.u32 [%s0], %r7; // B\n"
#define LAST_THREAD "sub.u32 %r9, %r3, 1;\nsetp.eq.u32 %p1, %r1, %r9;\n"
#define BLOCK(n) \
    .threads = (n), .pairs = "AB", .relation = GRID_RACE_BLOCK, .missing = MISSING(BARRIER)
#define GRID(n) .blocks = 2, .threads = (n), .pairs = "AB", .relation = GRID_RACE_GRID
/* Shared memory is of the block: an instruction that the detector cannot take for a barrier of all
 */
#define NOT_SETTLED "fence.acq_rel.cta;\n"

/* Each warp loads the first 32 words; all but thread 0's word of them by threads of many warps */
#define FIRST_WARP                                                                               \
    "setp.lt.u32 %p1, %r1, 32;\nand.b32 %r9, %r1, 31;\nshl.b32 %r9, %r9, 2;\nadd.u32 %s3, %s0, " \
    "%r9;\n"
#define ROW_LOADED "ld.shared.u32 %r8, [%s3]; // A\n"
#define LATE                                                                                  \
    "mov.u32 %r9, 0;\n@!%p1 bra E;\nL:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 20000;\n" \
    "@%p2 bra L;\nE:\n"

const struct race_case race_cases_wide[] = {
    { .name = "first_thread_stores_what_two_warps_load",
      .rule = "9.7.13.1: bar.warp.sync would leave out the other warp",
      .body = FIRST_THREAD ALL_LOAD_ONE ONE_STORES,
      BLOCK(64) },
    { .name = "last_thread_stores_what_two_warps_load",
      .rule = "9.7.13.1",
      .body = LAST_THREAD ALL_LOAD_ONE ONE_STORES,
      BLOCK(64) },
    { .name = "first_thread_stores_what_three_warps_load",
      .rule = "9.7.13.1",
      .body = FIRST_THREAD ALL_LOAD_ONE ONE_STORES,
      BLOCK(96) },
    { .name = "first_thread_stores_what_two_warps_load_beside_a_fence",
      .rule = "9.7.13.1",
      .body = FIRST_THREAD NOT_SETTLED ALL_LOAD_ONE ONE_STORES,
      BLOCK(64) },
    { .name = "last_thread_stores_what_two_warps_load_beside_a_fence",
      .rule = "9.7.13.1",
      .body = LAST_THREAD NOT_SETTLED ALL_LOAD_ONE ONE_STORES,
      BLOCK(64) },
    /* The first warp counts to 20,000 before it stores, so that the others have loaded by then. */
    { .name = "a_thread_stores_late_what_many_warps_load_in_a_row",
      .rule = "9.7.13.1",
      .body = FIRST_WARP ROW_LOADED LATE "@%p1 st.shared.u32 [%s1], %r7; // B\n",
      BLOCK(128) },
    { .name = "a_warp_stores_late_what_it_alone_loads",
      .rule = "8.7: accesses of one thread are ordered",
      .body = FIRST_WARP "@%p1 ld.shared.u32 %r8, [%s1];\n" LATE "@%p1 st.shared.u32 [%s1], %r7;\n",
      .threads = 128 },
    { .name = "warps_load_in_a_row_what_one_has_stored_and_others_loaded",
      .rule = "8.9.4 (2): the store between the two barriers",
      .body = FIRST_WARP ROW_LOADED
      "bar.sync 0;\n@%p1 st.shared.u32 [%s1], %r7;\nbar.sync 0;\n" ROW_LOADED,
      .threads = 128 },
    { .name = "halves_of_warps_load_a_row_and_one_place",
      .rule = "9.7.13.1: lanes 16 to 31 load word 0",
      .body = "setp.eq.u32 %p1, %r1, 0;\nand.b32 %r9, %r1, 31;\nsetp.ge.u32 %p2, %r9, 16;\n"
              "shl.b32 %r9, %r9, 2;\nselp.b32 %r9, 0, %r9, %p2;\nadd.u32 %s3, %s0, %r9;\n"
              "ld.shared.u32 %r8, [%s3]; // A\n@%p1 st.shared.u32 [%s0], %r7; // B\n",
      BLOCK(64) },
    { .name = "two_warps_load_what_their_neighbours_store",
      .rule = "9.7.13.1: at the border of the warps",
      .body = "st.shared.u32 [%s1], %r7; // A\nld.shared.u32 %r8, [%s1+4]; // B\n",
      BLOCK(64) },
    { .name = "two_warps_load_after_a_warp_barrier",
      .rule = "9.7.13.2: participating threads are of one warp",
      .body = "st.shared.u32 [%s1], %r7; // A\nbar.warp.sync -1;\n"
              "ld.shared.u32 %r8, [%s1+4]; // B\n",
      BLOCK(64) },
    { .name = "stencil_in_place_of_two_warps_a_block",
      .rule = "8.7.1: no barrier is of two blocks",
      .body = "st.global.u32 [%d1], %r7; // A\nld.global.u32 %r8, [%d1+4]; // B\n",
      GRID(64) },
    { .name = "one_word_of_a_warp_and_of_another_block",
      .rule = "8.7.1: no barrier is of two blocks",
      .body =
          "ld.global.u32 %r8, [%d0]; // A\n" FIRST_THREAD "@%p1 st.global.u32 [%d0], %r7; // B\n",
      .blocks = 2,
      .threads = 32,
      .pairs = "AB BB",
      .relation = GRID_RACE_GRID },
    { .name = "one_thread_lacks_a_fence_and_others_a_barrier",
      .rule = "8.8: thread 32 waits for the flag; 9.7.13.1: the others do not",
      .body = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra C;\nst.global.u32 [%d0], %r7; // A\n"
              "st.relaxed.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n"
              "setp.ne.u32 %p2, %r1, 32;\n@%p2 bra R;\n"
              "L:\nld.relaxed.gpu.global.u32 %r8, [%d0+4096];\nsetp.eq.u32 %p3, %r8, 0;\n"
              "@%p3 bra L;\nR:\nld.global.u32 %r9, [%d0]; // B\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(FENCE) | MISSING(BARRIER),
      .also = MISSING(FENCE) | MISSING(BARRIER) },
    { 0 },
};

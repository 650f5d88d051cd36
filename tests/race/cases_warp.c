/* SPDX-License-Identifier: MIT */
/* Lanes of a warp. PTX ISA 9.0, 8.5: "the warp is not a scope"; 9.7.13.2: bar.warp.sync orders
 * memory among the threads of its membermask. CUDA C++ programming guide, warp functions: vote,
 * match, reduce and shuffle do not imply a memory barrier. In lockstep the instructions of a warp
 * follow each other. */
#include "tests/race/cases.h"

/* Word of the lane at the other end of the warp */
#define FAR "xor.b32 %r5, %r1, 31;\nshl.b32 %r6, %r5, 2;\nadd.u32 %s3, %s0, %r6;\n"
#define NEXT "xor.b32 %r5, %r1, 1;\nshl.b32 %r6, %r5, 2;\nadd.u32 %s3, %s0, %r6;\n"
#define STORE "st.shared.u32 [%s1], %r7; // A\n"
#define LOAD "ld.shared.u32 %r8, [%s3]; // B\n"
#define UPPER(label) "setp.ge.u32 %p1, %r1, 16;\n@%p1 bra " label ";\n" /* lanes 16 to 31 */
#define RACES \
    .threads = 32, .pairs = "AB", .relation = GRID_RACE_WARP, .missing = MISSING(WARP_BARRIER)

const struct race_case race_cases_warp[] = {
    { .name = "lanes_without_a_warp_barrier",
      .rule = "8.5: the warp is not a scope",
      .body = FAR STORE LOAD,
      .lockstep = "",
      RACES },
    { .name = "lanes_with_a_warp_barrier",
      .rule = "9.7.13.2",
      .body = FAR STORE "bar.warp.sync 0xffffffff;\n" LOAD,
      .threads = 32 },
    { .name = "shuffle_orders_nothing",
      .rule = "programming guide, warp shuffle functions",
      .body = FAR STORE "shfl.sync.idx.b32 %r9, %r7, 0, 31, 0xffffffff;\n" LOAD,
      .lockstep = "",
      RACES },
    { .name = "vote_orders_nothing",
      .rule = "programming guide, warp vote functions",
      .body = FAR "setp.gt.u32 %p1, %r1, 3;\n" STORE
                  "vote.sync.ballot.b32 %r9, %p1, 0xffffffff;\n" LOAD,
      .lockstep = "",
      RACES },
    { .name = "match_orders_nothing",
      .rule = "programming guide, warp match functions",
      .body = FAR STORE "match.any.sync.b32 %r9, %r7, 0xffffffff;\n" LOAD,
      .lockstep = "",
      RACES },
    { .name = "reduction_orders_nothing",
      .rule = "programming guide, warp reduce functions",
      .body = FAR STORE "redux.sync.add.u32 %r9, %r7, 0xffffffff;\n" LOAD,
      .lockstep = "",
      RACES },
    { .name = "volatile_lanes",
      .rule = "8.4.2: volatile is relaxed.sys, so morally strong (8.7)",
      .body = FAR "st.volatile.shared.u32 [%s1], %r7;\nld.volatile.shared.u32 %r8, [%s3];\n",
      .threads = 32 },
    { .name = "volatile_store_weak_load",
      .rule = "8.7: each operation is strong",
      .body = FAR "st.volatile.shared.u32 [%s1], %r7; // A\n" LOAD,
      .threads = 32,
      .pairs = "AB",
      .relation = GRID_RACE_WARP,
      .lockstep = "" },
    { .name = "volatile_reduction_of_a_warp",
      .rule = "8.7",
      .body = "st.volatile.shared.u32 [%s1], %r7;\nld.volatile.shared.u32 %r8, [%s1+64];\n"
              "add.u32 %r7, %r7, %r8;\nst.volatile.shared.u32 [%s1], %r7;\n"
              "ld.volatile.shared.u32 %r8, [%s1+32];\nadd.u32 %r7, %r7, %r8;\n"
              "st.volatile.shared.u32 [%s1], %r7;\n",
      .threads = 32 },
    { .name = "weak_reduction_of_a_warp",
      .rule = "8.7.1: store against the load of another lane, and the load against the next store",
      .body = "st.shared.u32 [%s1], %r7; // A\nld.shared.u32 %r8, [%s1+64]; // B\n"
              "add.u32 %r7, %r7, %r8;\nst.shared.u32 [%s1], %r7; // C\n",
      .threads = 32,
      .pairs = "AB BC",
      .relation = GRID_RACE_WARP,
      .missing = MISSING(WARP_BARRIER),
      .lockstep = "" },
    { .name = "reduction_of_a_warp_with_barriers",
      .rule = "9.7.13.2",
      .body = "st.shared.u32 [%s1], %r7;\nbar.warp.sync 0xffffffff;\n"
              "ld.shared.u32 %r8, [%s1+64];\nadd.u32 %r7, %r7, %r8;\nbar.warp.sync 0xffffffff;\n"
              "st.shared.u32 [%s1], %r7;\n",
      .threads = 32 },
    { .name = "halves_meet_for_themselves",
      .rule = "9.7.13.2: among the threads of the membermask",
      .body = NEXT STORE UPPER("U") "bar.warp.sync 0xffff;\nbra.uni E;\nU:\n"
                                    "bar.warp.sync 0xffff0000;\nE:\n" LOAD,
      .threads = 32 },
    { .name = "halves_meet_but_read_across",
      .rule = "9.7.13.2: not the threads of the other mask",
      .body = FAR STORE UPPER("U") "bar.warp.sync 0xffff;\nbra.uni E;\nU:\n"
                                   "bar.warp.sync 0xffff0000;\nE:\n" LOAD,
      .lockstep = "?",
      RACES },
    { .name = "half_a_warp_has_a_barrier",
      .rule = "9.7.13.2",
      .body = NEXT UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbar.warp.sync 0xffff;\n"
                              "ld.shared.u32 %r8, [%s3]; // B\nret;\nU:\n"
                              "st.shared.u32 [%s1], %r7; // C\nld.shared.u32 %r8, [%s3]; // D\n",
      .threads = 32,
      .pairs = "CD",
      .relation = GRID_RACE_WARP,
      .missing = MISSING(WARP_BARRIER),
      .lockstep = "" },
    { .name = "arms_without_order",
      .rule = "8.9.1: program order is of one thread, whatever its warp does",
      .body = FAR UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbra.uni E;\nU:\n" LOAD "E:\n",
      .lockstep = "?",
      RACES },
    { .name = "arms_meet_at_two_warp_barriers",
      .rule = "9.7.13.2: not one instruction but one membermask",
      .body = FAR UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbar.warp.sync 0xffffffff;\n"
                             "bra.uni E;\nU:\nbar.warp.sync 0xffffffff;\n" LOAD "E:\n",
      .threads = 32 },
    { .name = "arm_stores_behind_its_warp_barrier",
      .rule = "8.9.5",
      .body = FAR UPPER("U") "bar.warp.sync 0xffffffff;\nst.shared.u32 [%s1], %r7; // A\n"
                             "bra.uni E;\nU:\nbar.warp.sync 0xffffffff;\n" LOAD "E:\n",
      .lockstep = "?",
      RACES },
    { .name = "one_instruction_against_itself",
      .rule = "8.7.1: two threads store to one word",
      .body = "st.shared.u32 [%s0], %r7; // A\n",
      .threads = 32,
      .pairs = "AA",
      .relation = GRID_RACE_WARP },
    { .name = "one_lane_stores",
      .rule = "8.7.1",
      .body = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%s0], %r7;\n",
      .threads = 32 },
    { .name = "all_store_one_value",
      .rule = "8.7.1: two writes, whatever their value",
      .body = "mov.u32 %r7, 9;\nst.shared.u32 [%s0], %r7; // A\n",
      .threads = 32,
      .pairs = "AA",
      .relation = GRID_RACE_WARP,
      .same_value = true },
    { .name = "warp_barrier_is_of_one_warp",
      .rule = "9.7.13.2",
      .body = "xor.b32 %r5, %r1, 32;\nshl.b32 %r6, %r5, 2;\nadd.u32 %s3, %s0, %r6;\n" STORE
              "bar.warp.sync 0xffffffff;\n" LOAD,
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "block_barrier_serves_a_warp",
      .rule = "8.9.4 (2)",
      .body = FAR STORE "bar.sync 0;\n" LOAD,
      .threads = 32 },
    { 0 },
};

/* SPDX-License-Identifier: MIT */
/* Barriers of a block, PTX ISA 9.0, 9.7.13.1 and 8.9.4: who arrives is ordered before who waits. */
#include "tests/race/cases.h"

/* Word of the thread at the other end of 64, in shared memory and behind %d0 */
#define FAR                                                                                   \
    "xor.b32 %r5, %r1, 63;\nshl.b32 %r6, %r5, 2;\nadd.u32 %s3, %s0, %r6;\nmul.wide.u32 %d3, " \
    "%r5, 4;\nadd.u64 %d3, %d0, %d3;\n"
#define UPPER(label) "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra " label ";\n" /* the second warp */

const struct race_case race_cases_block[] = {
    { .name = "shared_memory_without_a_barrier",
      .rule = "8.7.1: conflict without order",
      .body = FAR "st.shared.u32 [%s1], %r7; // A\nld.shared.u32 %r8, [%s3]; // B\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "shared_memory_with_a_barrier",
      .rule = "8.9.4 (2): bar.sync with bar.sync",
      .body = FAR "st.shared.u32 [%s1], %r7; // A\nbar.sync 0;\nld.shared.u32 %r8, [%s3]; // B\n",
      .threads = 64 },
    { .name = "global_memory_without_a_barrier",
      .rule = "8.7.1",
      .body = FAR "st.global.u32 [%d2], %r7; // A\nld.global.u32 %r8, [%d3]; // B\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "global_memory_with_a_barrier",
      .rule = "9.7.13.1: orders all accesses among the participating threads",
      .body = FAR "st.global.u32 [%d2], %r7; // A\nbar.sync 0;\nld.global.u32 %r8, [%d3]; // B\n",
      .threads = 64 },
    { .name = "read_before_write_without_a_barrier",
      .rule = "8.7.1: a load and a store conflict whichever comes first",
      .body = FAR "ld.shared.u32 %r8, [%s3]; // A\nst.shared.u32 [%s1], %r7; // B\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "read_before_write_with_a_barrier",
      .rule = "8.9.4 (2)",
      .body = FAR "ld.shared.u32 %r8, [%s3]; // A\nbar.sync 0;\nst.shared.u32 [%s1], %r7; // B\n",
      .threads = 64 },
    { .name = "buffer_reused_in_a_loop",
      .rule = "8.7.1: the load of one round, the store of the next",
      .body = FAR "mov.u32 %r9, 0;\nL:\nadd.u32 %r7, %r7, 1000;\nst.shared.u32 [%s1], %r7; // A\n"
                  "bar.sync 0;\nld.shared.u32 %r8, [%s3]; // B\nadd.u32 %r9, %r9, 1;\n"
                  "setp.lt.u32 %p1, %r9, 3;\n@%p1 bra L;\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "buffer_reused_behind_a_second_barrier",
      .rule = "8.9.4 (2)",
      .body = FAR "mov.u32 %r9, 0;\nL:\nadd.u32 %r7, %r7, 1000;\nst.shared.u32 [%s1], %r7; // A\n"
                  "bar.sync 0;\nld.shared.u32 %r8, [%s3]; // B\nbar.sync 0;\n"
                  "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 3;\n@%p1 bra L;\n",
      .threads = 64 },
    { .name = "each_arm_has_a_barrier_of_its_own",
      .rule = "9.7.13.1: barriers 1 and 2 are two resources",
      .body = FAR UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbar.sync 1, 32;\nbra.uni E;\nU:\n"
                             "bar.sync 2, 32;\nld.shared.u32 %r8, [%s3]; // B\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "behind_barriers_of_two_arms",
      .rule = "8.7.1: one barrier in two arms; behind it one warp loads what the other one stores",
      .body = FAR UPPER("U") "bar.sync 0;\nst.shared.u32 [%s1], %r7; // A\nbra.uni E;\nU:\n"
                             "bar.sync 0;\nld.shared.u32 %r8, [%s3]; // B\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "a_load_of_one_warp_before_the_store_of_another",
      .rule = "8.7.1: behind one barrier, in two arms",
      .body = FAR "bar.sync 0;\n" UPPER("U") "ld.shared.u32 %r8, [%s3]; // A\nbra.uni E;\nU:\n"
                                             "st.shared.u32 [%s1], %r7; // B\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "a_counter_between_barriers",
      .rule = "8.7: atomic operations of one size; 8.9.4 (2): what is loaded behind the barrier",
      .body = "st.shared.u32 [%s1], 0;\nbar.sync 0;\nred.shared.add.u32 [%s0], 1;\nbar.sync 0;\n"
              "ld.shared.u32 %r8, [%s0];\n",
      .threads = 64 },
    { .name = "a_counter_without_the_second_barrier",
      .rule = "8.7.1: a plain load against atomic operations",
      .body = "st.shared.u32 [%s1], 0;\nbar.sync 0;\nred.shared.add.u32 [%s0], 1; // A\n"
              "ld.shared.u32 %r8, [%s0]; // B\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "counters_of_two_sizes",
      .rule = "8.7: morally strong only if they overlap completely",
      .body = UPPER("U") "bar.sync 0;\nred.shared.add.u32 [%s0], 1; // A\nbra.uni E;\nU:\n"
                         "bar.sync 0;\nred.shared.add.u64 [%s0], 1; // B\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "both_arms_have_one_barrier",
      .rule = "8.9.4 (2): executed on the same barrier",
      .body = FAR UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbar.sync 1, 64;\nbra.uni E;\nU:\n"
                             "bar.sync 1, 64;\nld.shared.u32 %r8, [%s3]; // B\nE:\n",
      .threads = 64 },
    { .name = "arrive_gives",
      .rule = "8.9.4 (2): bar.arrive with bar.sync",
      .body = FAR UPPER("U") "st.shared.u32 [%s1], %r7; // A\nbar.arrive 1, 64;\nbra.uni E;\nU:\n"
                             "bar.sync 1, 64;\nld.shared.u32 %r8, [%s3]; // B\nE:\n",
      .threads = 64 },
    { .name = "arrive_does_not_take",
      .rule = "8.9.4 (2): nothing synchronizes with a bar.arrive",
      .body = FAR UPPER("U") "bar.arrive 1, 64;\nld.shared.u32 %r8, [%s3]; // A\nbra.uni E;\nU:\n"
                             "st.shared.u32 [%s1], %r7; // B\nbar.sync 1, 64;\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "store_behind_its_arrive",
      .rule = "8.9.5: what follows the arrival is not ordered",
      .body = FAR UPPER("U") "bar.arrive 1, 64;\nst.shared.u32 [%s1], %r7; // A\nbra.uni E;\nU:\n"
                             "bar.sync 1, 64;\nld.shared.u32 %r8, [%s3]; // B\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "producer_and_consumer_take_turns",
      .rule = "8.9.4 (2): two named barriers, full and empty",
      .body = FAR UPPER(
          "U") "st.shared.u32 [%s1], %r7;\nbar.arrive 1, 64;\nbar.sync 2, 64;\n"
               "add.u32 %r7, %r7, 1000;\nst.shared.u32 [%s1], %r7;\nbar.arrive 1, 64;\nbra.uni E;\n"
               "U:\nbar.sync 1, 64;\nld.shared.u32 %r8, [%s3];\nbar.arrive 2, 64;\nbar.sync 1, "
               "64;\n"
               "ld.shared.u32 %r8, [%s3];\nE:\n",
      .threads = 64 },
    { .name = "producer_does_not_wait_for_empty",
      .rule = "8.7.1: its second store against the first load",
      .body = FAR UPPER(
          "U") "st.shared.u32 [%s1], %r7;\nbar.arrive 1, 64;\nadd.u32 %r7, %r7, 1000;\n"
               "st.shared.u32 [%s1], %r7; // A\nbar.arrive 3, 64;\nbra.uni E;\nU:\nbar.sync 1, "
               "64;\n"
               "ld.shared.u32 %r8, [%s3]; // B\nbar.sync 3, 64;\nld.shared.u32 %r8, [%s3];\nE:\n",
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "reducing_barrier_orders",
      .rule = "8.9.4 (2): bar.red",
      .body = FAR "setp.gt.u32 %p1, %r1, 5;\nst.shared.u32 [%s1], %r7;\n"
                  "bar.red.popc.u32 %r9, 0, %p1;\nld.shared.u32 %r8, [%s3];\n",
      .threads = 64 },
    { .name = "barrier_with_a_vote_orders",
      .rule = "8.9.4 (2): bar.red",
      .body = FAR "setp.gt.u32 %p1, %r1, 5;\nst.shared.u32 [%s1], %r7;\n"
                  "bar.red.or.pred %p2, 0, %p1;\nld.shared.u32 %r8, [%s3];\n",
      .threads = 64 },
    { .name = "named_barriers_of_two_pairs",
      .rule = "9.7.13.1: a count, the participants only",
      .body = "setp.ge.u32 %p1, %r1, 64;\nxor.b32 %r5, %r1, 32;\nshl.b32 %r6, %r5, 2;\n"
              "add.u32 %s3, %s0, %r6;\nst.shared.u32 [%s1], %r7;\n@%p1 bra U;\nbar.sync 1, 64;\n"
              "bra.uni E;\nU:\nbar.sync 2, 64;\nE:\nld.shared.u32 %r8, [%s3];\n",
      .threads = 128 },
    { .name = "named_barriers_across_two_pairs",
      .rule = "9.7.13.1: threads of the other barrier take no part",
      .body = "setp.ge.u32 %p1, %r1, 64;\nxor.b32 %r5, %r1, 64;\nshl.b32 %r6, %r5, 2;\n"
              "add.u32 %s3, %s0, %r6;\nst.shared.u32 [%s1], %r7; // A\n@%p1 bra U;\n"
              "bar.sync 1, 64;\nbra.uni E;\nU:\nbar.sync 2, 64;\nE:\n"
              "ld.shared.u32 %r8, [%s3]; // B\n",
      .threads = 128,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "third_warp_stays_away",
      .rule = "9.7.13.1",
      .body = "setp.ge.u32 %p1, %r1, 64;\nst.shared.u32 [%s1], %r7; // A\n@%p1 bra U;\n"
              "bar.sync 1, 64;\nret;\nU:\nld.shared.u32 %r8, [%s1+-128]; // B\n",
      .threads = 96,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK },
    { .name = "third_warp_comes_too",
      .rule = "9.7.13.1",
      .body = "setp.ge.u32 %p1, %r1, 64;\nst.shared.u32 [%s1], %r7; // A\n@%p1 bra U;\n"
              "bar.sync 1, 96;\nret;\nU:\nbar.sync 1, 96;\nld.shared.u32 %r8, [%s1+-128]; // B\n",
      .threads = 96 },
    { .name = "others_have_exited",
      .rule = "9.7.13.1: the barrier is one of the threads that are left",
      .body = "setp.ge.u32 %p1, %r1, 64;\n@%p1 ret;\n" FAR
              "st.shared.u32 [%s1], %r7;\nbar.sync 0;\nld.shared.u32 %r8, [%s3];\n",
      .threads = 96 },
    { .name = "others_have_exited_and_no_barrier",
      .rule = "8.7.1",
      .body = "setp.ge.u32 %p1, %r1, 64;\n@%p1 ret;\n" FAR
              "st.shared.u32 [%s1], %r7; // A\nld.shared.u32 %r8, [%s3]; // B\n",
      .threads = 96,
      .pairs = "AB",
      .relation = GRID_RACE_BLOCK,
      .missing = MISSING(BARRIER) },
    { .name = "diverged_threads_at_two_barrier_instructions",
      .rule = "9.7.13.1: barrier.sync need not be executed by all of a warp together",
      .body = FAR "and.b32 %r9, %r1, 1;\nsetp.eq.u32 %p1, %r9, 0;\nst.shared.u32 [%s1], %r7;\n"
                  "@%p1 bra U;\nbarrier.sync 0;\nbra.uni E;\nU:\nbarrier.sync 0;\nE:\n"
                  "ld.shared.u32 %r8, [%s3];\n",
      .threads = 64 },
    { .name = "two_blocks_have_their_own_shared_memory",
      .rule = "5.1.7: of a block",
      .body = "st.shared.u32 [%s1], %r7;\nld.shared.u32 %r8, [%s1];\n",
      .blocks = 2,
      .threads = 32 },
    { .name = "two_blocks_store_to_one_word",
      .rule = "8.7.1",
      .body = "st.global.u32 [%d2], %r7; // A\n",
      .blocks = 2,
      .threads = 32,
      .pairs = "AA",
      .relation = GRID_RACE_GRID },
    { .name = "a_barrier_is_of_one_block",
      .rule = "9.7.13.1: of the CTA",
      .body = "xor.b32 %r5, %r2, 1;\nmul.wide.u32 %d3, %r5, 128;\nadd.u64 %d3, %d2, %d3;\n"
              "st.global.u32 [%d1], %r7; // A\nbar.sync 0;\nld.global.u32 %r8, [%d3]; // B\n",
      .blocks = 2,
      .threads = 32,
      .pairs = "AB",
      .relation = GRID_RACE_GRID },
    { .name = "stencil_in_place",
      .rule = "8.7.1: at the border of two blocks",
      .body = "ld.global.u32 %r8, [%d1+4]; // A\nbar.sync 0;\nadd.u32 %r8, %r8, %r7;\n"
              "st.global.u32 [%d1], %r8; // B\n",
      .blocks = 2,
      .threads = 32,
      .pairs = "AB",
      .relation = GRID_RACE_GRID },
    { .name = "stencil_out_of_place",
      .rule = "8.2.1: no overlap",
      .body = "ld.global.u32 %r8, [%d1+4];\nst.global.u32 [%d1+4096], %r7;\n",
      .blocks = 2,
      .threads = 32 },
    { .name = "all_read_one_word",
      .rule = "8.7.1: no write",
      .body = "ld.global.u32 %r8, [%d0];\n",
      .blocks = 2,
      .threads = 64 },
    { 0 },
};

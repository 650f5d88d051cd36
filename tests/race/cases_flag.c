/* SPDX-License-Identifier: MIT */
/* Release and acquire patterns: PTX ISA 9.0, 8.8, 8.9.2, 8.9.4, 8.9.5. Data at %d0, flags behind
 * %d0+4096. */
#include "tests/race/cases.h"

/* Blocks of one thread: block 0 here, the others at @label */
#define FIRST(label) "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra " label ";\n"
#define THIRD(label) "setp.eq.u32 %p2, %r2, 2;\n@%p2 bra " label ";\n"
#define DATA "st.global.u32 [%d0], %r7; // A\n"
#define READ "ld.global.u32 %r9, [%d0]; // B\n"
#define FENCE "fence.acq_rel.gpu;\n"
/* Repeats @load until %r8 is set */
#define SPIN(name, load) name ":\n" load "setp.eq.u32 %p3, %r8, 0;\n@%p3 bra " name ";\n"
#define SET "st.relaxed.gpu.global.u32 [%d0+4096], 1;\n"
#define LOOK "ld.relaxed.gpu.global.u32 %r8, [%d0+4096];\n"
#define RELAXED SPIN("L", LOOK)
#define ACQUIRED SPIN("L", "ld.acquire.gpu.global.u32 %r8, [%d0+4096];\n")
#define CLEAN(n) .blocks = (n), .threads = 1
#define RACES(n) .blocks = (n), .threads = 1, .pairs = "AB", .relation = GRID_RACE_GRID
#define LACKS_FENCE .missing = MISSING(FENCE)
#define LACKS_ACQUIRE .missing = MISSING(ACQUIRE)
/* One block of two warps instead */
#define UPPER(label) "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra " label ";\n"
#define OWN "xor.b32 %r5, %r1, 32;\nmul.wide.u32 %d3, %r5, 4;\nadd.u64 %d3, %d0, %d3;\n"
#define WARPS_SPIN SPIN("L", "ld.relaxed.cta.global.u32 %r8, [%d3+4096];\n")

/* A lock: %d0+4096 */
#define LOCK(cas) "L:\n" cas " %r8, [%d0+4096], 0, 1;\nsetp.ne.u32 %p3, %r8, 0;\n@%p3 bra L;\n"
#define INSIDE \
    "ld.global.u32 %r9, [%d0]; // A\nadd.u32 %r9, %r9, 1;\nst.global.u32 [%d0], %r9; // B\n"
#define LOCK_RACES .blocks = 3, .threads = 1, .pairs = "AB BB", .relation = GRID_RACE_GRID

/* The last of three blocks sums what all have stored. */
#define LAST(fence)                                                                      \
    "st.global.u32 [%d1], %r7; // A\n" FENCE "atom.global.add.u32 %r8, [%d0+4096], 1;\n" \
    "setp.ne.u32 %p1, %r8, 2;\n@%p1 ret;\n" fence "ld.global.u32 %r9, [%d0]; // B\n"

/* All blocks meet, as cooperative groups do it: two blocks of 64 threads */
#define GRID_SYNC(fence)                                                                     \
    "bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra M;\n" fence                             \
    "atom.relaxed.gpu.global.add.u32 %r8, [%d0+4096], 1;\nL:\n"                              \
    "ld.volatile.global.u32 %r8, [%d0+4096];\nsetp.lt.u32 %p3, %r8, 2;\n@%p3 bra L;\n" fence \
    "M:\n"
#define GRID_SYNC_END "bar.sync 0;\n"
#define OTHER "xor.b32 %r5, %r0, 64;\nmul.wide.u32 %d3, %r5, 4;\nadd.u64 %d3, %d0, %d3;\n"

const struct race_case race_cases_flag[] = {
    { .name = "flag_with_two_fences",
      .rule = "8.8: fence and strong write, strong read and fence",
      .body = FIRST("C") DATA FENCE SET "ret;\nC:\n" RELAXED FENCE READ,
      CLEAN(2) },
    { .name = "flag_without_the_writers_fence",
      .rule = "8.8: no release pattern",
      .body = FIRST("C") DATA SET "ret;\nC:\n" RELAXED FENCE READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "flag_without_the_readers_fence",
      .rule = "8.8: no acquire pattern",
      .body = FIRST("C") DATA FENCE SET "ret;\nC:\n" RELAXED READ,
      LACKS_ACQUIRE,
      RACES(2) },
    { .name = "flag_without_fences",
      .rule = "8.8",
      .body = FIRST("C") DATA SET "ret;\nC:\n" RELAXED READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "sequentially_consistent_fences",
      .rule = "9.7.13: fence.sc does what fence.acq_rel does, and more",
      .body = FIRST("C") DATA "fence.sc.gpu;\n" SET "ret;\nC:\n" RELAXED "fence.sc.gpu;\n" READ,
      CLEAN(2) },
    { .name = "membar_of_the_device",
      .rule = "9.7.13: membar.gl is fence.sc.gpu; 8.4.2",
      .body = FIRST("C") DATA "membar.gl;\nst.volatile.global.u32 [%d0+4096], 1;\nret;\nC:\n" SPIN(
          "L", "ld.volatile.global.u32 %r8, [%d0+4096];\n") "membar.gl;\n" READ,
      CLEAN(2) },
    { .name = "volatile_flag_without_fences",
      .rule = "8.4.2: relaxed orders nothing else",
      .body = FIRST("C") DATA "st.volatile.global.u32 [%d0+4096], 1;\nret;\nC:\n" SPIN(
          "L", "ld.volatile.global.u32 %r8, [%d0+4096];\n") READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "membar_of_the_block",
      .rule = "8.9.4 (4): first and last operation are morally strong to each other",
      .body = FIRST("C") DATA "membar.cta;\n" SET "ret;\nC:\n" RELAXED "membar.gl;\n" READ,
      .missing = MISSING(FENCE) | MISSING(SCOPE),
      RACES(2) },
    { .name = "readers_fence_of_the_block",
      .rule = "8.9.4 (4)",
      .body = FIRST("C") DATA FENCE SET "ret;\nC:\n" RELAXED "fence.acq_rel.cta;\n" READ,
      .missing = MISSING(ACQUIRE) | MISSING(SCOPE),
      RACES(2) },
    { .name = "release_and_acquire",
      .rule = "8.8: a release and an acquire operation",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" ACQUIRED READ,
      CLEAN(2) },
    { .name = "release_and_relaxed",
      .rule = "8.8: no acquire pattern",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" RELAXED READ,
      LACKS_ACQUIRE,
      RACES(2) },
    { .name = "relaxed_and_acquire",
      .rule = "8.8: no release pattern",
      .body = FIRST("C") DATA SET "ret;\nC:\n" ACQUIRED READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "release_and_fence",
      .rule = "8.8: the patterns mix",
      .body =
          FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" RELAXED FENCE READ,
      CLEAN(2) },
    { .name = "release_and_a_later_strong_write",
      .rule = "8.8: a release operation on M followed by a strong write on M",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 0;\n" SET
                              "ret;\nC:\n" ACQUIRED READ,
      CLEAN(2) },
    { .name = "release_elsewhere_and_a_strong_write",
      .rule = "8.8: on M",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4100], 1;\n" SET
                              "ret;\nC:\n" ACQUIRED READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "strong_read_and_a_later_acquire",
      .rule = "8.8: a strong read on M followed by an acquire operation on M",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" RELAXED
                              "st.relaxed.gpu.global.u32 [%d0+4096], 2;\n"
                              "ld.acquire.gpu.global.u32 %r8, [%d0+4096];\n" READ,
      CLEAN(2) },
    { .name = "strong_read_and_an_acquire_elsewhere",
      .rule = "8.8: on M",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" RELAXED
                              "ld.acquire.gpu.global.u32 %r8, [%d0+4100];\n" READ,
      LACKS_ACQUIRE,
      RACES(2) },
    { .name = "store_behind_the_release",
      .rule = "8.8: only operations before the pattern's first one",
      .body = FIRST("C") FENCE DATA SET "ret;\nC:\n" RELAXED FENCE READ,
      LACKS_FENCE,
      RACES(2) },
    { .name = "plain_flag",
      .rule = "8.7.1: the flag itself; 8.8: a strong write",
      .body = FIRST("C") DATA FENCE "st.global.u32 [%d0+4096], 1; // C\nret;\nC:\n" SPIN(
          "L", "ld.relaxed.gpu.global.u32 %r8, [%d0+4096]; // D\n") FENCE READ,
      .blocks = 2,
      .threads = 1,
      .pairs = "AB CD",
      .relation = GRID_RACE_GRID },
    { .name = "fences_of_the_block_between_warps",
      .rule = "8.5: .cta includes the other warp",
      .body = OWN UPPER("C") "st.global.u32 [%d2], %r7;\nfence.acq_rel.cta;\n"
                             "st.relaxed.cta.global.u32 [%d2+4096], 1;\nret;\nC:\n" WARPS_SPIN
                             "fence.acq_rel.cta;\nld.global.u32 %r9, [%d3];\n",
      .threads = 64 },
    { .name = "no_fence_between_warps",
      .rule = "8.8",
      .body = OWN UPPER("C") "st.global.u32 [%d2], %r7; // A\n"
                             "st.relaxed.cta.global.u32 [%d2+4096], 1;\nret;\nC:\n" WARPS_SPIN
                             "fence.acq_rel.cta;\nld.global.u32 %r9, [%d3]; // B\n",
      .threads = 64,
      .pairs = "AB",
      LACKS_FENCE,
      .relation = GRID_RACE_BLOCK },
    { .name = "chain_of_an_atomic",
      .rule = "8.9.2 (2): observation goes through an atomic operation",
      .body = FIRST("C") DATA FENCE
      "atom.relaxed.gpu.global.add.u32 %r8, [%d0+4096], 1;\nret;\nC:\n" THIRD("D")
          SPIN("L", LOOK) "atom.relaxed.gpu.global.add.u32 %r8, [%d0+4096], 1;\nret;\nD:\n"
                          "M:\nld.acquire.gpu.global.u32 %r8, [%d0+4096];\n"
                          "setp.lt.u32 %p3, %r8, 2;\n@%p3 bra M;\n" READ,
      CLEAN(3) },
    { .name = "chain_cut_by_a_store",
      .rule = "8.9.2: the reader reads another write, which is no atomic operation",
      .body = FIRST("C") DATA FENCE
      "atom.relaxed.gpu.global.add.u32 %r8, [%d0+4096], 1;\nret;\nC:\n" THIRD("D")
          SPIN("L", LOOK) "st.relaxed.gpu.global.u32 [%d0+4096], 2;\nret;\nD:\n"
                          "M:\nld.acquire.gpu.global.u32 %r8, [%d0+4096];\n"
                          "setp.lt.u32 %p3, %r8, 2;\n@%p3 bra M;\n" READ,
      LACKS_FENCE,
      RACES(3) },
    { .name = "last_block_with_a_fence",
      .rule = "8.9.4 (4): each block's fence and atomic, the last one's atomic and fence",
      .body = LAST(FENCE),
      CLEAN(3) },
    { .name = "last_block_without_a_fence",
      .rule = "8.8: no acquire pattern",
      .body = LAST(""),
      LACKS_ACQUIRE,
      RACES(3) },
    { .name = "reduction_acquires_nothing",
      .rule = "8.8: \"red.add [M], 1; fence.acquire; is not an acquire pattern\"",
      .body = FIRST("C") DATA FENCE "red.relaxed.gpu.global.add.u32 [%d0+4096], 1;\nret;\nC:\n"
                                    "red.relaxed.gpu.global.add.u32 [%d0+4096], 1;\n" FENCE READ,
      RACES(2) },
    { .name = "atomic_acquires",
      .rule = "8.8: atom.relaxed [M]; fence.acquire",
      .body = FIRST("C") DATA FENCE
      "red.relaxed.gpu.global.add.u32 [%d0+4096], 1;\nret;\nC:\nL:\n"
      "atom.relaxed.gpu.global.or.b32 %r8, [%d0+4096], 0;\nsetp.eq.u32 %p3, %r8, 0;\n"
      "@%p3 bra L;\n" FENCE READ,
      CLEAN(2) },
    { .name = "lock_with_fences",
      .rule = "8.9.4 (4)",
      .body = LOCK("atom.relaxed.gpu.global.cas.b32") FENCE INSIDE FENCE
      "atom.relaxed.gpu.global.exch.b32 %r8, [%d0+4096], 0;\n",
      CLEAN(3) },
    { .name = "lock_without_fences",
      .rule = "8.8",
      .body = LOCK("atom.relaxed.gpu.global.cas.b32") INSIDE
      "atom.relaxed.gpu.global.exch.b32 %r8, [%d0+4096], 0;\n",
      LACKS_FENCE,
      LOCK_RACES },
    { .name = "lock_without_its_second_fence",
      .rule = "8.8: no release pattern",
      .body = LOCK("atom.relaxed.gpu.global.cas.b32") FENCE INSIDE
      "atom.relaxed.gpu.global.exch.b32 %r8, [%d0+4096], 0;\n",
      LACKS_FENCE,
      LOCK_RACES },
    { .name = "lock_with_fences_of_the_block",
      .rule = "8.9.4 (4), 8.5",
      .body = LOCK("atom.relaxed.gpu.global.cas.b32") "fence.acq_rel.cta;\n" INSIDE
                                                      "fence.acq_rel.cta;\natom.relaxed.gpu.global."
                                                      "exch.b32 %r8, [%d0+4096], 0;\n",
      .missing = MISSING(FENCE) | MISSING(SCOPE),
      LOCK_RACES },
    { .name = "lock_of_acquire_and_release",
      .rule = "8.8",
      .body = LOCK("atom.acquire.gpu.global.cas.b32") INSIDE
      "atom.release.gpu.global.exch.b32 %r8, [%d0+4096], 0;\n",
      CLEAN(3) },
    { .name = "lock_freed_by_a_plain_store",
      .rule = "8.7.1: against the next cas; 8.8: a strong write",
      .body = "L:\natom.acquire.gpu.global.cas.b32 %r8, [%d0+4096], 0, 1; // D\n"
              "setp.ne.u32 %p3, %r8, 0;\n@%p3 bra L;\n" INSIDE FENCE
              "st.global.u32 [%d0+4096], 0; // C\n",
      .blocks = 2,
      .threads = 1,
      .pairs = "AB BB CC DC",
      .relation = GRID_RACE_GRID },
    { .name = "release_through_a_third_block",
      .rule = "8.9.5: base causality order is transitive",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" THIRD("D")
          ACQUIRED "st.release.gpu.global.u32 [%d0+4100], 1;\nret;\nD:\n" SPIN(
              "M", "ld.acquire.gpu.global.u32 %r8, [%d0+4100];\n") READ,
      CLEAN(3) },
    { .name = "third_block_releases_nothing",
      .rule = "8.8",
      .body = FIRST("C") DATA "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\n" THIRD("D")
          ACQUIRED "st.relaxed.gpu.global.u32 [%d0+4100], 1;\nret;\nD:\n" SPIN(
              "M", "ld.acquire.gpu.global.u32 %r8, [%d0+4100];\n") READ,
      LACKS_FENCE,
      RACES(3) },
    { .name = "all_blocks_meet",
      .rule = "8.9.5: barrier, fence and atomic, read and fence, barrier",
      .body = OTHER "st.global.u32 [%d1], %r7; // A\n" GRID_SYNC(FENCE) GRID_SYNC_END
      "ld.global.u32 %r9, [%d3]; // B\n",
      .blocks = 2,
      .threads = 64 },
    { .name = "all_blocks_meet_without_fences",
      .rule = "8.8",
      .body = OTHER "st.global.u32 [%d1], %r7; // A\n" GRID_SYNC("") GRID_SYNC_END
      "ld.global.u32 %r9, [%d3]; // B\n",
      .blocks = 2,
      .threads = 64,
      .pairs = "AB",
      LACKS_FENCE,
      .relation = GRID_RACE_GRID },
    { .name = "all_blocks_meet_but_for_the_second_barrier",
      .rule = "8.9.5: only the thread that has read the counter is behind it",
      .body = OTHER
      "st.global.u32 [%d1], %r7; // A\n" GRID_SYNC(FENCE) "ld.global.u32 %r9, [%d3]; // B\n",
      .blocks = 2,
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_GRID },
    { .name = "flag_reset_by_who_has_read_it",
      .rule = "8.9.5: X precedes Z in observation order, and Z precedes Y",
      .body = FIRST("C") SET "ret;\nC:\n" RELAXED "st.global.u32 [%d0+4096], 0;\n",
      CLEAN(2) },
    { .name = "flag_reset_without_reading_it",
      .rule = "8.7.1",
      .body = FIRST("C") "st.relaxed.gpu.global.u32 [%d0+4096], 1; // A\nret;\nC:\n"
                         "st.global.u32 [%d0+4096], 0; // B\n",
      RACES(2) },
    { .name = "what_the_observed_write_follows_is_not_ordered",
      .rule = "8.9.5: observation orders the write alone",
      .body = FIRST("C") DATA SET "ret;\nC:\n" RELAXED "st.global.u32 [%d0+4096], 0;\n" READ,
      LACKS_FENCE,
      RACES(2) },
    { 0 },
};

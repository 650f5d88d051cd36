/* SPDX-License-Identifier: MIT */
/* Asynchronous copies and mbarriers: PTX ISA 9.0, 8.9.1.1, 9.7.9.25.3, 9.7.13.15. %s0, %s1 to; %d2
 * from. */
#include "tests/race/cases.h"

#define FAR "xor.b32 %r5, %r1, 63;\nshl.b32 %r6, %r5, 2;\nadd.u32 %s3, %s0, %r6;\n"
#define COPY "cp.async.ca.shared.global [%s1], [%d2], 4; // A\n"
#define COMMIT "cp.async.commit_group;\n"
#define LOAD "ld.shared.u32 %r8, [%s3]; // B\n"
#define RACES .threads = 64, .pairs = "AB", .relation = GRID_RACE_BLOCK
#define LACKS_WAIT .missing = MISSING(WAIT)
#define INIT(n) \
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%s2], " n ";\nbar.sync 0;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 %d5, [%s2];\n"
#define WAIT(parity)                                                         \
    "L" parity ":\nmbarrier.test_wait.parity.shared.b64 %p2, [%s2], " parity \
    ";\n@!%p2 bra L" parity ";\n"
#define STORE "st.shared.u32 [%s1], %r7; // A\n"

const struct race_case race_cases_async[] = {
    { .name = "copy_with_wait_and_barrier",
      .rule = "9.7.9.25.3: wait_group, then 8.9.4 (2)",
      .body = FAR COPY COMMIT "cp.async.wait_group 0;\nbar.sync 0;\n" LOAD,
      .threads = 64 },
    { .name = "copy_without_wait",
      .rule = "8.9.1.1: not in the program order of its thread",
      .body = FAR COPY COMMIT "bar.sync 0;\n" LOAD,
      LACKS_WAIT,
      RACES },
    { .name = "copy_without_barrier",
      .rule = "9.7.9.25.3: the wait is of the executing thread",
      .body = FAR COPY COMMIT "cp.async.wait_group 0;\n" LOAD,
      .missing = MISSING(BARRIER),
      RACES },
    { .name = "copy_that_is_in_no_group",
      .rule = "9.7.9.25.3: a wait for groups",
      .body = FAR COPY "cp.async.wait_group 0;\nbar.sync 0;\n" LOAD,
      LACKS_WAIT,
      RACES },
    { .name = "wait_for_all_copies",
      .rule = "9.7.9.25.3: wait_all commits",
      .body = FAR COPY "cp.async.wait_all;\nbar.sync 0;\n" LOAD,
      .threads = 64 },
    { .name = "wait_behind_the_barrier",
      .rule = "8.9.5: the barrier orders what is complete",
      .body = FAR COPY COMMIT "bar.sync 0;\ncp.async.wait_group 0;\n" LOAD,
      RACES },
    { .name = "older_of_two_groups",
      .rule = "9.7.9.25.3: all but the youngest N",
      .body =
          FAR COPY COMMIT "cp.async.ca.shared.global [%s1+1024], [%d2], 4;\n" COMMIT
                          "cp.async.wait_group 1;\nbar.sync 0;\n" LOAD "cp.async.wait_group 0;\n",
      .threads = 64 },
    { .name = "younger_of_two_groups",
      .rule = "9.7.9.25.3: the youngest N may be pending",
      .body = FAR "cp.async.ca.shared.global [%s1+1024], [%d2], 4;\n" COMMIT COPY COMMIT
                  "cp.async.wait_group 1;\nbar.sync 0;\n" LOAD "cp.async.wait_group 0;\n",
      LACKS_WAIT,
      RACES },
    { .name = "double_buffer",
      .rule = "9.7.9.25.3",
      .body = FAR COPY COMMIT
      "cp.async.ca.shared.global [%s1+1024], [%d2], 4;\n" COMMIT
      "cp.async.wait_group 1;\nbar.sync 0;\nld.shared.u32 %r8, [%s3];\nbar.sync 0;\n"
      "cp.async.ca.shared.global [%s1], [%d2], 4;\n" COMMIT
      "cp.async.wait_group 1;\nbar.sync 0;\nld.shared.u32 %r8, [%s3+1024];\n"
      "cp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 %r8, [%s3];\n",
      .threads = 64 },
    { .name = "double_buffer_filled_too_early",
      .rule = "8.7.1: the copy against the loads of the other warp",
      .body =
          FAR COPY COMMIT "cp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 %r8, [%s3]; // B\n"
                          "cp.async.ca.shared.global [%s1], [%d2], 4; // C\n" COMMIT
                          "cp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 %r8, [%s3];\n",
      .threads = 64,
      .pairs = "BC",
      .relation = GRID_RACE_BLOCK },
    { .name = "mbarrier_phase",
      .rule = "9.7.13.15: arrive is release.cta, test_wait acquire.cta",
      .body = FAR INIT("64") STORE ARRIVE WAIT("0") LOAD,
      .threads = 64 },
    { .name = "mbarrier_without_wait",
      .rule = "8.8: no acquire pattern",
      .body = FAR INIT("64") STORE ARRIVE LOAD,
      RACES },
    { .name = "mbarrier_of_the_phase_before",
      .rule = "9.7.13.15: parity 1 is over before the first phase is",
      .body = FAR INIT("64") "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra C;\n" STORE ARRIVE
                             "ret;\nC:\n" WAIT("1") LOAD,
      RACES },
    { .name = "mbarrier_of_the_producers",
      .rule = "9.7.13.15: 32 arrivals, those of the first warp",
      .body = FAR INIT("32") "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra C;\n" STORE ARRIVE
                             "ret;\nC:\n" WAIT("0") LOAD,
      .threads = 64 },
    { .name = "mbarrier_arrival_before_the_store",
      .rule = "8.8: before the first operation of the pattern",
      .body = FAR INIT("32") "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra C;\n" ARRIVE STORE
                             "ret;\nC:\n" WAIT("0") LOAD,
      RACES },
    { .name = "copies_arrive_at_an_mbarrier",
      .rule = "9.7.13.15: cp.async.mbarrier.arrive.noinc",
      .body =
          FAR INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%s2];\n" WAIT("0") LOAD,
      .threads = 64 },
    { .name = "copies_that_arrive_and_a_barrier_instead_of_the_wait",
      .rule = "9.7.13.15.14: the arrival is triggered when the copies are done, at any time",
      .body = FAR INIT("64") COPY
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%s2];\nbar.sync 0;\n" LOAD WAIT("0"),
      LACKS_WAIT,
      RACES },
    { .name = "copies_that_arrive_and_a_wait_of_some",
      .rule = "8.9.5: what one has waited for, the barrier gives to all",
      .body = FAR INIT("64") COPY
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%s2];\n"
      "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra D;\n" WAIT("0") "D:\nbar.sync 0;\n" LOAD,
      .threads = 64 },
    { .name = "copies_that_arrive_release_nothing_else",
      .rule = "9.7.13.15.14: the arrival tracks cp.async operations",
      .body =
          FAR INIT("64") STORE "cp.async.mbarrier.arrive.noinc.shared.b64 [%s2];\n" WAIT("0") LOAD,
      RACES },
    { .name = "source_stored_to_before_the_wait",
      .rule = "8.9.1.1: the copy may load after it",
      .body = "cp.async.ca.shared.global [%s1], [%d2], 4; // A\n" COMMIT
              "st.global.u32 [%d2], %r7; // B\ncp.async.wait_group 0;\n",
      LACKS_WAIT,
      .threads = 64,
      .pairs = "AB",
      .relation = GRID_RACE_WARP },
    { .name = "source_stored_to_behind_the_wait",
      .rule = "9.7.9.25.3: the copy is done",
      .body = COPY COMMIT "cp.async.wait_group 0;\nst.global.u32 [%d2], %r7;\n",
      .threads = 64 },
    { .name = "source_of_less_than_the_size",
      .rule = "9.7.9.25.3.1: src-size bytes are read",
      .body = "cp.async.ca.shared.global [%s1], [%d2], 4, 2; // A\n" COMMIT
              "st.global.u32 [%d2], %r7; // B\ncp.async.wait_group 0;\n",
      LACKS_WAIT,
      .threads = 32,
      .pairs = "AB",
      .relation = GRID_RACE_WARP },
    { .name = "threads_arrive_instead_of_their_copies",
      .rule = "8.9.1.1: arrive is ordered behind the thread's own accesses",
      .body = FAR INIT("64") COPY ARRIVE WAIT("0") LOAD,
      LACKS_WAIT,
      RACES },
    { 0 },
};

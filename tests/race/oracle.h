/* SPDX-License-Identifier: MIT */
/* Happens-before of one executed grid by the memory consistency model of PTX ISA 9.0, chapter 8, in
 * full: for each thread the set of all accesses that are ordered before its next one. Slow and
 * plain on purpose, and independent of model/igpu/race: the tests compare that with this.
 *
 * A set instead of a vector clock, because causality order (8.9.5) holds single writes too: a
 * strong write that a thread has read is ordered before what follows, what its writer did before
 * that write is not.
 */
#ifndef TESTS_RACE_ORACLE_H
#define TESTS_RACE_ORACLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum oracle_scope { ORACLE_WEAK, ORACLE_CTA, ORACLE_GPU, ORACLE_SYS };

/**
 * struct oracle_access - one access of one thread
 * @thread: block * threads of a block + thread; @line: in the PTX text
 * @at: address; of shared memory an offset, with @shared
 * @acquire, @release: the access itself has that order; @red: an atomic without result
 * @async: of an asynchronous copy: outside program order until its thread waits for it
 */
struct oracle_access {
    uint32_t thread, line, bytes;
    uint64_t at;
    enum oracle_scope scope;
    bool shared, write, atomic, red, acquire, release, async;
};

/* Two lines of which accesses race, the lower one first */
struct oracle_pair {
    uint32_t line[2];
};

struct oracle;

struct oracle *oracle_new(uint32_t blocks, uint32_t block_threads);
void oracle_free(struct oracle *o);

void oracle_access(struct oracle *o, const struct oracle_access *a);
void oracle_fence(struct oracle *o, uint32_t thread, enum oracle_scope scope);
/* Barrier @id of the block of @thread, which arrives and, unless only @arrives, waits.
 * @count: threads that complete it, 0: all that live */
void oracle_barrier(struct oracle *o, uint32_t thread, uint32_t id, uint32_t count, bool arrives);
/* bar.warp.sync of all @lanes of the warp of @thread */
void oracle_warp_barrier(struct oracle *o, uint32_t thread, uint32_t lanes);
void oracle_exit(struct oracle *o, uint32_t thread);
/* cp.async: commit_group; a wait for all groups but the youngest @pending */
void oracle_commit(struct oracle *o, uint32_t thread);
void oracle_wait(struct oracle *o, uint32_t thread, uint32_t pending);
/* mbarrier at offset @at of the block of @thread. @async: cp.async.mbarrier.arrive */
void oracle_mbarrier_init(struct oracle *o, uint32_t thread, uint64_t at, uint32_t count);
void oracle_mbarrier_arrive(struct oracle *o, uint32_t thread, uint64_t at, bool async);
void oracle_mbarrier_pass(struct oracle *o, uint32_t thread, uint64_t at);

/* Sorted, each pair once. Valid until the next access. */
size_t oracle_pairs(struct oracle *o, const struct oracle_pair **pairs);

#endif

/* SPDX-License-Identifier: MIT */
/* mbarrier objects, PTX ISA 9.7.13.15: eight bytes of shared memory that count arrivals and bytes.
 * A phase completes when no arrival and no byte is pending; the next one then expects as many
 * arrivals. What the bytes hold is opaque in PTX; here it is, from the lowest bit: 20 bits of
 * pending arrivals, 20 of expected ones, 21 of pending bytes (signed), two that mark the object as
 * initialised, the phase's parity. */
#ifndef MODEL_IGPU_MBARRIER_H
#define MODEL_IGPU_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_BYTES 8u
#define MBARRIER_PHASE (UINT64_C(1) << 63) /* the bit that changes when a phase is complete */
#define MBARRIER_COUNT_MAX ((1u << 20) - 1)

/**
 * struct mbarrier_arrival
 * @count: arrivals; @bytes: of expect_tx, which comes first
 * @drop: expect so many fewer from the next phase on
 * @no_complete: the phase must not complete
 * @inc: expect one more first (cp.async.mbarrier.arrive)
 */
struct mbarrier_arrival {
    uint32_t count, bytes;
    bool drop, no_complete, inc;
};

/* Each returns NULL, or the rule that is broken; the object then is as before. @word: the object */
const char *mbarrier_init(uint64_t *word, uint32_t count);
const char *mbarrier_inval(uint64_t *word);
/* @state: as before the arrival, after expect_tx */
const char *mbarrier_arrive(uint64_t *word, const struct mbarrier_arrival *a, uint64_t *state);
const char *mbarrier_expect(uint64_t *word, uint32_t bytes);
const char *mbarrier_complete(uint64_t *word, uint32_t bytes);
/* Has the phase of @state, or the one of @parity before the current one, completed? */
const char *mbarrier_test(uint64_t word, uint64_t state, bool *done);
const char *mbarrier_test_parity(uint64_t word, uint32_t parity, bool *done);
uint32_t mbarrier_pending(uint64_t state);

#endif

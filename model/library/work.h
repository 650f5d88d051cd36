/* SPDX-License-Identifier: MIT */
/* What the parts of this unit share: an operation sees plain arrays, and never the port. */
#ifndef MODEL_LIBRARY_WORK_H
#define MODEL_LIBRARY_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bus.h"
#include "model/library/call.h"

#define LIBRARY_STEP 65536u /* bytes a step */
#define LIBRARY_SLICE 4096u /* elements of a stream; a multiple of LIBRARY_CHAINS */
#define LIBRARY_CHAINS 64u  /* sums that run side by side, then are added in pairs */

/**
 * struct library_work - a slice, or a whole batch, of a call
 * @data: by operand: its elements, without gaps, rows one behind the other
 * @scalar: real and imaginary part
 * @first, @count: elements of a stream; @last: there is no slice behind it
 * @scratch: library.def
 * @unwritten: by operand: elements at its end that a whole batch leaves as they are in memory
 * @cost: the operation adds what it takes
 * @tail: LIBRARY_TAIL_BYTES behind the call; NULL: of an operation that has none
 * @why: the operation's complaint about values in memory: the call ends in a fault
 */
struct library_work {
    const struct library_call *call;
    void *data[LIBRARY_OPERANDS];
    double scalar[LIBRARY_SCALARS][2];
    uint64_t first, count, batch;
    bool last;
    void *scratch;
    uint64_t unwritten[LIBRARY_OPERANDS];
    struct bus_library_cost cost;
    const uint8_t *tail;
    const char *why;
};

/* Return: NULL: the numbers fit the operands; else what is wrong. */
typedef const char *library_check(const struct library_call *c);
typedef void library_run(struct library_work *w);

#define LIBRARY_OP(NAME, name, walk, operands, scratch) \
    library_check library_##name##_check;               \
    library_run library_##name##_run;
#include "model/library/library.def"
#undef LIBRARY_OP

enum library_walk { LIBRARY_STREAM, LIBRARY_WHOLE };

/* A row of library.def. */
struct library_entry {
    const char *operands;
    enum library_walk walk;
    uint32_t scratch;
    library_check *check;
    library_run *run;
};
extern const struct library_entry library_entries[LIBRARY_OP_COUNT];

/* check.c: the parts of a call that all operations have. Return: as library_check */
const char *library_call_check(const struct library_call *c);
/* Elements of an operand, checked. */
static inline uint64_t library_operand_count(const struct library_operand *o)
{
    return o->rows * o->columns;
}
/* All streaming operands have n[0] elements, all others one, of a type that has arithmetic. */
const char *library_vector_check(const struct library_call *c);

#endif

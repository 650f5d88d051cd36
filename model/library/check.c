/* SPDX-License-Identifier: MIT */
/* A call comes from memory that a program can write: every field is looked at here before it is
 * used. */
#include <string.h>

#include "model/library/element.h"
#include "model/library/work.h"

#define ELEMENTS_MAX (UINT64_C(1) << 40) /* of an operand: more than any board has */

const struct library_entry library_entries[LIBRARY_OP_COUNT] = {
#define LIBRARY_OP(NAME, name, walk, operands, scratch) \
    { operands, LIBRARY_##walk, scratch, library_##name##_check, library_##name##_run },
#include "model/library/library.def"
#undef LIBRARY_OP
};

uint64_t library_operand_count(const struct library_operand *o)
{
    return o->rows * o->columns;
}

static const char *operand_check(const struct library_operand *o)
{
    uint32_t triangle = o->flags & (LIBRARY_UPPER | LIBRARY_LOWER);

    if (o->columns > ELEMENTS_MAX || o->rows > ELEMENTS_MAX ||
        (o->rows && o->columns > ELEMENTS_MAX / o->rows)) {
        return "library call: an operand is larger than memory";
    }
    if (library_type_bytes(o->type) == 0) {
        return "library call: no such type of element";
    }
    if (o->flags & ~(LIBRARY_INDIRECT | LIBRARY_UPPER | LIBRARY_LOWER | LIBRARY_UNIT) ||
        triangle == (LIBRARY_UPPER | LIBRARY_LOWER)) {
        return "library call: unknown flags of an operand";
    }
    return triangle && o->rows != o->columns ? "library call: a triangle that is not square" : NULL;
}

static const char *scalar_check(const struct library_scalar *s)
{
    return s->va && !library_type_bytes(s->type) ? "library call: no such type of scalar" : NULL;
}

const char *library_call_check(const struct library_call *c)
{
    const char *why = NULL;

    if (c->magic != LIBRARY_MAGIC || c->op >= LIBRARY_OP_COUNT) {
        return "library call: no such operation";
    }
    if (c->batches == 0 || c->batches > UINT32_MAX) {
        return "library call: no such number of batches";
    }
    for (size_t i = 0; i < strlen(library_entries[c->op].operands) && !why; i++) {
        why = operand_check(&c->operand[i]);
    }
    for (size_t i = 0; i < LIBRARY_SCALARS && !why; i++) {
        why = scalar_check(&c->scalar[i]);
    }
    for (size_t i = 0; i < LIBRARY_NUMBERS && !why; i++) {
        why =
            c->n[i] > (int64_t)ELEMENTS_MAX ? "library call: a number is larger than memory" : NULL;
    }
    return why ? why : library_entries[c->op].check(c);
}

const char *library_vector_check(const struct library_call *c)
{
    const char *letters = library_entries[c->op].operands;

    if (c->n[0] < 0) {
        return "library call: a negative number of elements";
    }
    for (size_t i = 0; letters[i]; i++) {
        const struct library_operand *o = &c->operand[i];
        uint64_t want = letters[i] == 'r' ? 1 : (uint64_t)c->n[0];

        if (library_operand_count(o) != want) {
            return "library call: a vector of another length";
        }
        if (letters[i] != 'r' && (o->type == LIBRARY_R_64I || o->type == LIBRARY_R_64U)) {
            return "library call: a vector of 64-bit integers";
        }
    }
    return NULL;
}

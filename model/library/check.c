/* SPDX-License-Identifier: MIT */
/* A call comes from memory that a program can write: every field is looked at here before it is
 * used. */
#include <string.h>

#include "model/library/element.h"
#include "model/library/work.h"

#define LIBRARY_NAMED (LIBRARY_NAMED_COLUMNS | LIBRARY_NAMED_ROWS)
#define ELEMENTS_MAX (UINT64_C(1) << 40) /* of an operand: more than any board has */

const struct library_entry library_entries[LIBRARY_OP_COUNT] = {
#define LIBRARY_OP(NAME, name, walk, operands, scratch) \
    { operands, LIBRARY_##walk, scratch, library_##name##_check, library_##name##_run },
#include "model/library/library.def"
#undef LIBRARY_OP
};

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
    if (o->flags &
            ~(LIBRARY_INDIRECT | LIBRARY_UPPER | LIBRARY_LOWER | LIBRARY_UNIT | LIBRARY_NAMED) ||
        triangle == (LIBRARY_UPPER | LIBRARY_LOWER)) {
        return "library call: unknown flags of an operand";
    }
    return triangle && o->rows != o->columns ? "library call: a triangle that is not square" : NULL;
}

/* Names come from operand 1, which is there before the operands behind it. */
static const char *named_check(const struct library_call *c, unsigned i)
{
    uint32_t named = c->operand[i].flags & LIBRARY_NAMED, type = c->operand[1].type;

    if (!named) {
        return NULL;
    }
    return i < 2 || named == LIBRARY_NAMED || library_entries[c->op].walk != LIBRARY_WHOLE ||
                   (type != LIBRARY_R_32I && type != LIBRARY_R_64I)
               ? "library call: an operand whose elements are named by no integers"
               : NULL;
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
        why = why ? why : named_check(c, (unsigned)i);
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

/* SPDX-License-Identifier: MIT */
/* An instruction that faulted, carried out where the same bytes are mapped a second time.
 *
 * Inside a signal handler, with all signals blocked: the registers are the context's. What cannot
 * be decoded has to be stepped at its own place instead. x86-64, and with libZydis. */
#ifndef RUNTIME_OBSERVE_CARRY_H
#define RUNTIME_OBSERVE_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum carry_form {
    CARRY_NOT,   /* not decoded, or none of these */
    CARRY_STEP,  /* one place in memory, but nothing for carry_one() */
    CARRY_LANES, /* a gather or scatter: places by lane, nothing for carry_one() */
    CARRY_ONE,   /* one place in memory: carry_one() */
    CARRY_FILL,  /* stos, and with a count */
    CARRY_MOVE,  /* movs, and with a count */
};

/**
 * struct carry_lanes - of an instruction with a mask, or with an index a lane
 * @n: lanes, 0: not known; @bytes: of one in memory
 * @mask: the register with a bit a lane, or, @by_sign, a vector whose lanes' signs are the mask
 * @index: the vector with an index of @index_bytes a lane, times @scale; 0: lanes lie in a row
 * @packed: those that the mask lets through lie in a row
 */
struct carry_lanes {
    uint8_t n, bytes, mask, index, index_bytes, scale;
    bool by_sign, packed;
};

#define CARRY_PIECES 64u

struct carry_piece {
    uintptr_t at;
    size_t len;
};

/**
 * struct carry - what it is about to do
 * @at, @len: the memory operand; of FILL and MOVE the destination, all elements; of LANES what the
 * indices are added to
 * @from: of MOVE the source
 * @exact: it touches every byte of [@at, @at + @len), not only carry_pieces()
 * @length: of the instruction; @width: of an element of FILL and MOVE
 * @code: for carry_one()
 */
struct carry {
    enum carry_form form;
    uintptr_t at, from;
    size_t len;
    unsigned length, width, scratch;
    bool load, store, atomic, exact, repeated, vector;
    struct carry_lanes lanes;
    const void *code;
};

/* Before the first fault; not in a signal handler. Return: instructions can be decoded. */
bool carry_open(void);
void carry_look(const ucontext_t *context, struct carry *out);
/* Which bytes one that is not @exact touches, or has still to touch. Return: how many; 0: it is not
 * known. */
unsigned carry_pieces(const struct carry *c, const ucontext_t *context,
                      struct carry_piece piece[CARRY_PIECES]);
/* As if its operand were at @at, and on to the next instruction. Return: false: nothing was done,
 * it has to be stepped. */
bool carry_one(const struct carry *c, ucontext_t *context, void *at);
/* So many elements of FILL or MOVE are done. */
void carry_done(const struct carry *c, ucontext_t *context, size_t elements);
/* The pattern of FILL. */
uint64_t carry_pattern(const ucontext_t *context);

#endif

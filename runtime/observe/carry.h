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
    CARRY_NOT,  /* not decoded, or nothing for carry_one() */
    CARRY_ONE,  /* one place in memory: carry_one() */
    CARRY_FILL, /* stos, and with a count */
    CARRY_MOVE, /* movs, and with a count */
};

/**
 * struct carry - what it is about to do
 * @at, @len: the memory operand; of FILL and MOVE the destination, all elements
 * @from: of MOVE the source
 * @exact: it touches every byte of [@at, @at + @len), not only those that a mask lets through
 * @length: of the instruction; @width: of an element of FILL and MOVE
 * @code: for carry_one()
 */
struct carry {
    enum carry_form form;
    uintptr_t at, from;
    size_t len;
    unsigned length, width, scratch;
    bool load, store, atomic, exact, repeated, vector;
    const void *code;
};

/* Before the first fault; not in a signal handler. Return: instructions can be decoded. */
bool carry_open(void);
void carry_look(const ucontext_t *context, struct carry *out);
/* As if its operand were at @at, and on to the next instruction. Return: false: nothing was done,
 * it has to be stepped. */
bool carry_one(const struct carry *c, ucontext_t *context, void *at);
/* So many elements of FILL or MOVE are done. */
void carry_done(const struct carry *c, ucontext_t *context, size_t elements);
/* The pattern of FILL. */
uint64_t carry_pattern(const ucontext_t *context);

#endif

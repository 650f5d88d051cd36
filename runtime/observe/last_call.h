/* SPDX-License-Identifier: MIT */
/* A function of the program that ends in a call: the compiler makes a jump of it, and what is
 * called runs with no frame of the program on the stack. */
#ifndef RUNTIME_OBSERVE_LAST_CALL_H
#define RUNTIME_OBSERVE_LAST_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/* Does the return address @pc lie where vtegra calls functions of the program? */
bool last_call_from(uintptr_t pc);
/* The program's place of what runs there without a frame of the program, as a return address: the
 * last jump out of the function that was called; else that function; else where its thread was
 * made. 0: none is known. @is_program: of a return address */
uintptr_t last_call_place(struct check *c, uintptr_t pc,
                          bool (*is_program)(struct check *c, uintptr_t pc));

#endif

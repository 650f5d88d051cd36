/* SPDX-License-Identifier: MIT */
/* Values that a thread computes from what it has loaded: the nodes of struct litmus_thread. */
#ifndef LITMUS_EXPR_H
#define LITMUS_EXPR_H

#include "litmus/machine.h"

/* The node of a constant, of a loaded register, of an operation. Equal nodes are one node; what is
 * known before the test runs is a constant (EOR W2,W0,W0 is 0). Return: its place, -1 if there is
 * no room. */
int expr_const(struct litmus_thread *t, uint64_t value);
int expr_reg(struct litmus_thread *t, unsigned reg, unsigned size);
int expr_op(struct litmus_thread *t, enum litmus_expr_op op, int a, int b);

bool expr_is_const(const struct litmus_thread *t, int expr, uint64_t *value);

/* All registers that it needs are set; its value then. */
bool expr_known(const struct litmus_state *s, const struct litmus_thread *t, unsigned thread,
                unsigned expr);
uint64_t expr_value(const struct litmus_state *s, const struct litmus_thread *t, unsigned thread,
                    unsigned expr);

#endif

/* SPDX-License-Identifier: MIT */
/* A computation with a stack of its own. It pauses in the middle of its loops, and its caller
 * returns; a later call resumes it there. Nothing runs at the same time: it is a function call that
 * can be left and entered again.
 */
#ifndef MODEL_DLA_FIBER_H
#define MODEL_DLA_FIBER_H

#include <stdbool.h>

struct fiber;

/* Aborts if memory runs out. */
struct fiber *fiber_new(void);
/* Between computations only: what a paused one holds would be lost. */
void fiber_free(struct fiber *f);

/**
 * fiber_run - begin @body(@arg), or resume the computation that has paused (then both are ignored)
 * Return: true if it has ended, false if it has paused. Any thread may resume it.
 */
bool fiber_run(struct fiber *f, void (*body)(void *arg), void *arg);
/* Inside @body: fiber_run() returns now, and this call returns at the next fiber_run(). */
void fiber_pause(struct fiber *f);

#endif

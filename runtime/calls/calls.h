/* SPDX-License-Identifier: MIT */
/*
 * The record of a program's API calls: a line a call, "THREAD NAME CODE", in the file that
 * VTEGRA_CALLS names (the second process that makes calls adds ".2", and so on). Threads are
 * numbered as they make their first call. A call that another one makes is not recorded.
 */
#ifndef RUNTIME_CALLS_CALLS_H
#define RUNTIME_CALLS_CALLS_H

/**
 * calls_target - what entry @n stands in front of; called by enter.S
 *
 * Return: the function; one that answers "not found" if no library behind us has it.
 */
void *calls_target(unsigned n);

/** calls_done - entry @n has answered @code; called by enter.S */
void calls_done(unsigned n, unsigned code);

/**
 * vtegra_calls_use - for a runtime that is linked into the program, whose own calls of the driver
 * would be seen by no one
 * @name: of a function of the driver; @found: where it is
 *
 * Return: what to call in its place.
 */
void *vtegra_calls_use(const char *name, void *found);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by run.c, run_note.c, run_finding.c and run_unchecked.c. */
#ifndef CHECKER_RUN_INTERNAL_H
#define CHECKER_RUN_INTERNAL_H

#include "checker/run/run.h"

/* The region, made if it was never heard of. */
struct run_region *run_region_get(struct run *r, uint32_t id);

/* The id that stands for the region that the note names by @key, see run_region.times. */
uint32_t run_region_id(const struct run *r, const struct note *n, const char *key);
/* run_finding.c. Return: it is a defect that was not known. */
bool run_finding_note(struct run *r, const struct note *n);

/* A launch of @kernel. */
void run_grid_set(struct run *r, uint32_t grid_id, struct run_kernel *kernel, uint64_t code);

/* Those of what was checked and what was not. Return: it is one of them. */
bool run_unchecked_note(struct run *r, const struct note *n);
void run_unchecked_free(struct run *r);
/* The grid, or a part of it, was not checked for races between its threads. */
void run_grid_unchecked(struct run *r, const struct trace_record *t);

/* run_board.c. Return: true if the note was one of run_board_note_make(). */
bool run_board_note(struct run *r, const struct note *n);

#endif

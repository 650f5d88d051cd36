/* SPDX-License-Identifier: MIT */
/* Kernels with a label: does a pair of accesses race, by PTX ISA 9.0? */
#ifndef TESTS_RACE_CASES_H
#define TESTS_RACE_CASES_H

#include "model/igpu/grid.h"

#define MISSING(name) (1u << GRID_RACE_MISSING_##name)

/**
 * struct race_case - one kernel
 * @rule: the section the label follows from, and how
 * @body: PTX behind race_head (cases.c), one instruction a line; accesses that matter end in a
 * mark, "; // A"
 * @pairs: the pairs of marks that race, "AB CC"; NULL: none
 * @relation: the farthest of the racing threads; @missing: what the detector may name, a mask of
 *            MISSING(); 0: any; @also: each of these is named, in a row of its own
 * @lockstep: what races when lanes run in step, as @pairs: NULL the same, "" none
 * @same_value: both store one value
 */
struct race_case {
    const char *name, *rule, *body;
    unsigned blocks, threads;
    const char *pairs;
    enum grid_race_relation relation;
    unsigned missing, also;
    const char *lockstep;
    bool same_value;
};

/* Ends with an empty row. */
extern const struct race_case race_cases_block[], race_cases_warp[], race_cases_scope[],
    race_cases_flag[], race_cases_async[], race_cases_size[], race_cases_wide[],
    race_cases_matrix[];

/* Head and body as a text; g_free() it */
char *race_case_text(const struct race_case *c);
/* The line of mark @letter in the text, 0 if there is none */
unsigned race_case_line(const char *text, char letter);

#endif

/* SPDX-License-Identifier: MIT */
/* A case of the random numbers: a line of tests/golden/curand_host_10.4.txt before its colon. */
#ifndef TESTS_RANDOM_CASE_H
#define TESTS_RANDOM_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/library/random/random.h"

#define CASE_PARTS 12

/* Forms by letter, as the golden file has them; in the order of enum random_form. */
#define CASE_FORMS "wludnNgG"

struct random_case {
    int type, order;
    unsigned long long seed, offset;
    unsigned dimensions;
    double mean, deviation;
    unsigned n_parts;
    struct {
        char form;
        unsigned long long n;
    } part[CASE_PARTS];
};

bool random_case_parse(const char *line, struct random_case *c);

/* Numbers of all parts; @piece: numbers made at a time, 0: a part's all.
 * Return: bytes */
size_t random_case_run(const struct random_case *c, uint64_t piece, const struct random_math *math,
                       uint8_t **out);

size_t random_case_width(char form);

/* Of a part in random_case_run()'s result: parts begin at multiples of 8. */
size_t random_case_bytes(const struct random_case *c, unsigned part);

uint64_t random_case_hash(const void *data, size_t bytes); /* FNV-1a */

/* Whether two normal numbers of a form are equal but for the last bits of the elementary functions:
 * NVIDIA's are those of the host's C library, and a rational approximation for Sobol sequences. */
bool random_case_near(const struct random_case *c, char form, const void *a, const void *b);

#endif

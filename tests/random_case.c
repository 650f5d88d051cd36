/* SPDX-License-Identifier: MIT */
#include "tests/random_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/random/random.h"

bool random_case_parse(const char *line, struct random_case *c)
{
    int used = 0, more;

    memset(c, 0, sizeof(*c));
    if (sscanf(line, "%d %d %lli %lli %u %lf %lf%n", &c->type, &c->order, (long long *)&c->seed,
               (long long *)&c->offset, &c->dimensions, &c->mean, &c->deviation, &used) != 7) {
        return false;
    }
    for (line += used;
         c->n_parts < CASE_PARTS &&
         sscanf(line, " %c%llu%n", &c->part[c->n_parts].form, &c->part[c->n_parts].n, &more) == 2 &&
         strchr(CASE_FORMS, c->part[c->n_parts].form);
         line += more) {
        c->n_parts++;
    }
    return c->n_parts > 0;
}

size_t random_case_width(char form)
{
    return strchr("ldNG", form) ? 8 : 4;
}

size_t random_case_bytes(const struct random_case *c, unsigned part)
{
    return (c->part[part].n * random_case_width(c->part[part].form) + 7) / 8 * 8;
}

static void part_run(const struct random_case *c, unsigned i, void *state, uint64_t piece,
                     const struct random_math *math, uint8_t *to)
{
    struct random_request r = {
        .form = (enum random_form)(strchr(CASE_FORMS, c->part[i].form) - CASE_FORMS),
        .mean = c->mean,
        .deviation = c->deviation,
        .n = c->part[i].n,
        .math = math,
    };

    for (; r.from < r.n; r.from += r.count) {
        r.count = piece && piece < r.n - r.from ? piece : r.n - r.from;
        random_fill(state, &r, to + r.from * random_case_width(c->part[i].form));
    }
}

size_t random_case_run(const struct random_case *c, uint64_t piece, const struct random_math *math,
                       uint8_t **out)
{
    struct random_setup setup = {
        .type = (enum random_type)c->type,
        .order = c->order == 102   ? RANDOM_ORDER_SEEDED
                 : c->order == 103 ? RANDOM_ORDER_LEGACY
                                   : RANDOM_ORDER_DEFAULT,
        .seed = c->seed,
        .offset = c->offset,
        .dimensions = c->dimensions,
    };
    void *state = calloc(1, random_state_bytes(setup.type));
    size_t bytes = 0, at = 0;

    for (unsigned i = 0; i < c->n_parts; i++) {
        bytes += random_case_bytes(c, i);
    }
    *out = calloc(1, bytes);
    random_state_init(state, &setup);
    for (unsigned i = 0; i < c->n_parts; i++) {
        part_run(c, i, state, piece, math, *out + at);
        at += random_case_bytes(c, i);
    }
    free(state);
    return bytes;
}

uint64_t random_case_hash(const void *data, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

bool random_case_near(const struct random_case *c, char form, const void *a, const void *b)
{
    bool wide = random_case_width(form) == 8, logarithm = form == 'g' || form == 'G';
    double x, y, limit = wide ? (c->type >= 200 || c->type == 141 ? 4e-12 : 2e-15) : 2e-7;
    float f, g;

    memcpy(wide ? (void *)&x : (void *)&f, a, wide ? 8 : 4);
    memcpy(wide ? (void *)&y : (void *)&g, b, wide ? 8 : 4);
    x = wide ? x : (double)f;
    y = wide ? y : (double)g;
    /* Errors are those of the sum of both terms, a normal number is below 8. */
    limit *= fabs(c->mean) + 8 * c->deviation;
    return fabs(x - y) <= limit * (logarithm ? fabs(y) : 1);
}

/* SPDX-License-Identifier: MIT */
/* What the rows of model/engines.h before an engine's add up to: the tests of engines that are
 * added to a build know their own numbers by this, and name no other engine. */
#ifndef TESTS_ROWS_BEFORE_H
#define TESTS_ROWS_BEFORE_H

#include <string.h>

struct rows_before {
    int units, engines, queues;
};

/* @NAME: of the engine's row, which has to be there. */
static inline struct rows_before rows_before(const char *NAME)
{
    static const struct {
        const char *name;
        struct rows_before is;
    } rows[] = {
#define UNIT(ROW) { #ROW, { 1, 0, 0 } },
#define ENGINE(ROW, row, words, instances, queues, ...) \
    { #ROW, { instances, instances, (instances) * (queues) } },
#include "model/engines.h"
    };
    struct rows_before sum = { 0, 0, 0 };

    for (unsigned i = 0; strcmp(rows[i].name, NAME) != 0; i++) {
        sum.units += rows[i].is.units;
        sum.engines += rows[i].is.engines;
        sum.queues += rows[i].is.queues;
    }
    return sum;
}

#endif

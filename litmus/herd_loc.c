/* SPDX-License-Identifier: MIT */
/* Locations of herd's files, and the numbers that stand for their addresses. */
#include <string.h>

#include "litmus/herd.h"

uint64_t herd_address(int loc)
{
    return (uint64_t)(loc + 1) << HERD_LOC_SHIFT;
}

int herd_location(struct lex *l, struct litmus_test *test, const char *name, const char *at)
{
    struct litmus_loc *loc = &test->loc[test->locs];

    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, name) == 0) {
            return (int)i;
        }
    }
    if (test->locs == LITMUS_LOCS) {
        lex_fail(l, at, "more than %d locations: split the test", LITMUS_LOCS);
        return -1;
    }
    *loc = (struct litmus_loc){ .kind = LITMUS_PAGEABLE,
                                .size = l->ptx ? 4 : 8,
                                .line = test->lines++ };
    g_strlcpy(loc->name, name, sizeof(loc->name));
    return (int)test->locs++;
}

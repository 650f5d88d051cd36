/* SPDX-License-Identifier: MIT */
/* What accesses to many lines will need comes into the host's caches beforehand, for all of them at
 * once: the host then waits for one of them instead of for each. */
#include "model/iocoherency/l2_internal.h"

/* Of a host line each: the line's state, and the part of its bytes that is wanted */
static void cell_ahead(struct l2_line *line, unsigned off)
{
    __builtin_prefetch(line, 1);
    __builtin_prefetch(line_data(line) + off, 1);
}

/* Return: the line that must leave, NULL: none, or none that is known */
static struct l2_line *oldest_ahead(struct l2 *l2, unsigned set, const struct l2_want *want)
{
    bool full;
    uint32_t i = l2_line_number(&l2->sets, set, l2_set_place(&l2->sets, set, &full));
    struct l2_line *line;

    if (want->dram) {
        __builtin_prefetch(want->dram);
        __builtin_prefetch(want->dram + L2_HOST_LINE);
    }
    if (i / SLAB_LINES >= l2->n_slabs) {
        return NULL;
    }
    line = line_at(l2, i);
    cell_ahead(line, 0);
    __builtin_prefetch(line_data(line) + L2_HOST_LINE, 1);
    return full ? line : NULL;
}

/* Taken for lines that an instruction is about to access, in whatever order; it changes nothing,
 * and nothing depends on it: a line that is missed is slow. */
void l2_ahead(struct l2 *l2, const struct l2_want *want, unsigned n)
{
    struct l2_line *leaves[L2_WANTS];
    unsigned set[L2_WANTS], leaving = 0;

    if (l2->never) {
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        set[k] = l2_set_number(&l2->sets, want[k].pa & ~(uint64_t)(BUS_LINE - 1));
        __builtin_prefetch(l2->sets.tag[set[k]]);
        __builtin_prefetch(&l2->sets.set[set[k]], 1);
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned same = l2_tags_equal(l2->sets.tag[set[k]], l2_tag(want[k].pa));

        if (!l2_set_is_known(&l2->sets, set[k])) {
            continue;
        }
        if (same) {
            cell_ahead(
                line_at(l2, l2_line_number(&l2->sets, set[k], (unsigned)__builtin_ctz(same))),
                (unsigned)want[k].pa & (BUS_LINE - L2_HOST_LINE));
        } else {
            leaves[leaving] = oldest_ahead(l2, set[k], &want[k]);
            leaving += leaves[leaving] != NULL;
        }
    }
    for (unsigned k = 0; k < leaving; k++) {
        __builtin_prefetch(leaves[k]->page);
    }
}

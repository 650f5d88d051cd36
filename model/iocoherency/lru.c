/* SPDX-License-Identifier: MIT */
/* Geometry of the CPU caches: sets and ways with true LRU. It holds no data and no state of a line;
 * it only answers which line has to leave when another comes in. */
#include <string.h>

#include "model/iocoherency/ioc_internal.h"

#define LRU_FREE UINT64_MAX

struct ioc_lru {
    unsigned sets, ways;
    uint64_t *line; /* [set * ways], most recent first */
};

struct ioc_lru *ioc_lru_new(uint64_t bytes, unsigned ways)
{
    struct ioc_lru *l = g_new0(struct ioc_lru, 1);

    l->ways = MAX(ways, 1);
    l->sets = (unsigned)MAX(bytes / IOC_LINE / l->ways, 1);
    l->line = g_new(uint64_t, (size_t)l->sets * l->ways);
    memset(l->line, 0xff, sizeof(*l->line) * l->sets * l->ways);
    return l;
}

void ioc_lru_free(struct ioc_lru *l)
{
    if (l) {
        g_free(l->line);
        g_free(l);
    }
}

static uint64_t *lru_set(struct ioc_lru *l, uint64_t line_pa)
{
    return l->line + (line_pa / IOC_LINE) % l->sets * l->ways;
}

/* Moves the line to the front. Return: true if another had to go, named in *victim. */
bool ioc_lru_touch(struct ioc_lru *l, uint64_t line_pa, uint64_t *victim)
{
    uint64_t *set = lru_set(l, line_pa);
    unsigned way = 0;
    bool full;

    while (way < l->ways - 1 && set[way] != line_pa && set[way] != LRU_FREE) {
        way++;
    }
    full = set[way] != line_pa && set[way] != LRU_FREE;
    if (full && victim) {
        *victim = set[way];
    }
    memmove(set + 1, set, way * sizeof(*set));
    set[0] = line_pa;
    return full;
}

void ioc_lru_forget(struct ioc_lru *l, uint64_t line_pa)
{
    uint64_t *set = lru_set(l, line_pa);

    for (unsigned way = 0; way < l->ways; way++) {
        if (set[way] == line_pa) {
            memmove(set + way, set + way + 1, (l->ways - way - 1) * sizeof(*set));
            set[l->ways - 1] = LRU_FREE;
            return;
        }
    }
}

/* Some line that is in, chosen by @random. */
bool ioc_lru_pick(struct ioc_lru *l, uint64_t random, uint64_t *line_pa)
{
    size_t slots = (size_t)l->sets * l->ways;

    for (size_t i = 0; i < slots; i++) {
        uint64_t at = l->line[(random + i) % slots];

        if (at != LRU_FREE) {
            *line_pa = at;
            return true;
        }
    }
    return false;
}

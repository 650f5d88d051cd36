/* SPDX-License-Identifier: MIT */
/* Geometry of the CPU caches: sets and ways with true LRU. It holds no data and no state of a line;
 * it only answers which line has to leave when another comes in. */
#include <string.h>

#include "model/iocoherency/ioc_internal.h"

/* Places hold the line's address with bit 0 set: zero is free, and a big cache costs no memory until it
 * is used. */
#define LRU_FREE 0
#define LRU_USED 1u

struct ioc_lru {
    unsigned sets, ways;
    unsigned mask; /* sets - 1 if that is a power of two: no division; else 0 */
    uint64_t *line; /* [set * ways], most recent first */
    uint64_t *used; /* [(sets + 63) / 64]: bit i: something is in set i */
};

struct ioc_lru *ioc_lru_new(uint64_t bytes, unsigned ways)
{
    struct ioc_lru *l = g_new0(struct ioc_lru, 1);

    l->ways = MAX(ways, 1);
    l->sets = (unsigned)MAX(bytes / IOC_LINE / l->ways, 1);
    l->mask = (l->sets & (l->sets - 1)) == 0 ? l->sets - 1 : 0;
    l->line = g_new0(uint64_t, (size_t)l->sets * l->ways);
    l->used = g_new0(uint64_t, (l->sets + 63) / 64);
    return l;
}

void ioc_lru_free(struct ioc_lru *l)
{
    if (l) {
        g_free(l->line);
        g_free(l->used);
        g_free(l);
    }
}

static unsigned lru_set_number(const struct ioc_lru *l, uint64_t line_pa)
{
    uint64_t line = line_pa / IOC_LINE;

    return (unsigned)(l->mask ? line & l->mask : line % l->sets);
}

static uint64_t *lru_set(struct ioc_lru *l, uint64_t line_pa)
{
    return l->line + (size_t)lru_set_number(l, line_pa) * l->ways;
}

/* The same for a line that is in. */
void ioc_lru_hit(struct ioc_lru *l, uint64_t line_pa)
{
    uint64_t *set = lru_set(l, line_pa);

    line_pa |= LRU_USED;
    if (set[0] == line_pa) {
        return;
    }
    if (l->ways > 1 && set[1] == line_pa) { /* two lines take turns */
        set[1] = set[0];
        set[0] = line_pa;
        return;
    }
    ioc_lru_touch(l, line_pa & ~(uint64_t)LRU_USED, NULL);
}

/* Moves the line to the front. Return: true if another had to go, named in *victim. */
bool ioc_lru_touch(struct ioc_lru *l, uint64_t line_pa, uint64_t *victim)
{
    unsigned number = lru_set_number(l, line_pa), way = 0;
    uint64_t *set = l->line + (size_t)number * l->ways;
    bool full;

    while (way < l->ways - 1 && set[way] != (line_pa | LRU_USED) && set[way] != LRU_FREE) {
        way++;
    }
    full = set[way] != (line_pa | LRU_USED) && set[way] != LRU_FREE;
    if (full && victim) {
        *victim = set[way] & ~(uint64_t)LRU_USED;
    }
    memmove(set + 1, set, way * sizeof(*set));
    set[0] = line_pa | LRU_USED;
    l->used[number / 64] |= UINT64_C(1) << number % 64;
    return full;
}

void ioc_lru_forget(struct ioc_lru *l, uint64_t line_pa)
{
    uint64_t *set = lru_set(l, line_pa);

    for (unsigned way = 0; way < l->ways; way++) {
        if (set[way] == (line_pa | LRU_USED)) {
            memmove(set + way, set + way + 1, (l->ways - way - 1) * sizeof(*set));
            set[l->ways - 1] = LRU_FREE;
            if (set[0] == LRU_FREE) {
                l->used[lru_set_number(l, line_pa) / 64] &=
                    ~(UINT64_C(1) << lru_set_number(l, line_pa) % 64);
            }
            return;
        }
    }
}

unsigned ioc_lru_set_number(const struct ioc_lru *l, uint64_t line_pa)
{
    return lru_set_number(l, line_pa);
}

bool ioc_lru_is_first(struct ioc_lru *l, uint64_t line_pa)
{
    return lru_set(l, line_pa)[0] == (line_pa | LRU_USED);
}

/* The first set from @set on, around the end, that holds something. */
static bool lru_next_used(const struct ioc_lru *l, unsigned *set)
{
    unsigned words = (l->sets + 63) / 64, word = *set / 64;
    uint64_t bits = l->used[word] & ~UINT64_C(0) << *set % 64;

    for (unsigned i = 0; i <= words; i++) {
        if (bits) {
            *set = word * 64 + (unsigned)__builtin_ctzll(bits);
            return true;
        }
        word = (word + 1) % words;
        bits = l->used[word];
    }
    return false;
}

/* Some line that is in, chosen by @random. */
bool ioc_lru_pick(struct ioc_lru *l, uint64_t random, uint64_t *line_pa)
{
    unsigned set = (unsigned)(random % l->sets), n = 0;
    const uint64_t *line;

    if (!lru_next_used(l, &set)) {
        return false;
    }
    line = l->line + (size_t)set * l->ways;
    while (n < l->ways && line[n] != LRU_FREE) {
        n++;
    }
    *line_pa = line[random / l->sets % n] & ~(uint64_t)LRU_USED;
    return true;
}

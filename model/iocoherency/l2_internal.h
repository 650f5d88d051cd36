/* SPDX-License-Identifier: MIT */
/* The L2 inside: for l2.c, which is the rule, and l2_fast.h, its fast ways. */
#ifndef MODEL_IOCOHERENCY_L2_INTERNAL_H
#define MODEL_IOCOHERENCY_L2_INTERNAL_H

#include "model/iocoherency/ioc_internal.h"
#include "model/iocoherency/l2_line.h"
#include "model/iocoherency/l2_log.h"
#include "model/iocoherency/l2_map.h"
#include "model/iocoherency/l2_set.h"

/* A region's last miss, and how far it was from the one before */
#define AHEAD 16u

struct l2_ahead {
    uint64_t pa, step;
};

/* Lines are numbered, by l2_set.c or l2_map.c; a slab holds so many of them. Its memory is zero,
 * and comes from the host page by page as lines are used. */
#define SLAB_LINES 32768u

/* A line beside its bytes: a miss, which needs both, touches one place of the host's memory. */
struct l2_cell {
    struct l2_line line;
    uint8_t data[BUS_LINE];
};

_Static_assert(offsetof(struct l2_cell, data) == sizeof(struct l2_line), "l2_line_of()");

struct l2_slab {
    struct l2_cell *cell;
    void *memory;
};

/**
 * struct l2
 * @sets: unless the policy is NEVER, then @map
 */
struct l2 {
    struct l2_front front; /* first */
    struct l2_config config;
    struct ioc *ioc;
    struct trace *trace;
    bool never;
    struct l2_sets sets;
    struct l2_map map;
    struct l2_slab *slab;
    uint32_t n_slabs;
    uint64_t births;
    struct l2_ahead ahead[AHEAD];
    struct l2_log log;
    uint64_t random;
};

/* l2.c: see there. A line's dirty bytes go to memory, and stay marked. */
void l2_part_write_back(struct l2 *l2, const struct l2_line *line, enum bus_agent agent);
/* The @sectors that are missing are read. Return: which they were */
unsigned l2_sectors_fill(struct l2 *l2, struct l2_line *line, unsigned sectors,
                         enum bus_agent agent);
/* For an observer of TRACE_CACHE */
void l2_evict_report(struct l2 *l2, const struct l2_line *line, enum bus_agent agent);
void l2_write_back_report(struct l2 *l2, const struct l2_line *line, enum bus_agent agent);
void l2_fill_report(struct l2 *l2, const struct l2_line *line, unsigned sectors,
                    enum bus_agent agent);

/* l2_slab.c: lines of this number, and all below, have memory from now on. */
void l2_slabs_reach(struct l2 *l2, uint32_t line);

static inline struct l2_line *line_at(const struct l2 *l2, uint32_t i)
{
    return &l2->slab[i / SLAB_LINES].cell[i % SLAB_LINES].line;
}

static inline uint8_t *line_data(struct l2_line *line)
{
    return ((struct l2_cell *)line)->data; /* which begins with it */
}

static inline bool mask_any(const struct bus_mask *m)
{
    return m->word[0] | m->word[1];
}

static inline bool mask_all(const struct bus_mask *m)
{
    return (m->word[0] & m->word[1]) == UINT64_MAX;
}

static inline void mask_add(struct bus_mask *m, const struct bus_mask *more)
{
    m->word[0] |= more->word[0];
    m->word[1] |= more->word[1];
}

/* In a set that has been renewed. Return: NULL: it is not there. */
static inline struct l2_line *set_find(const struct l2 *l2, unsigned set, uint64_t line_pa,
                                       unsigned *way)
{
    unsigned same = l2_tags_equal(l2->sets.tag[set], l2_tag(line_pa));

    for (; same; same &= same - 1) {
        struct l2_line *line;

        *way = (unsigned)__builtin_ctz(same);
        line = line_at(l2, l2_line_number(&l2->sets, set, *way));
        if (line->pa == line_pa) {
            return line;
        }
    }
    return NULL;
}

static inline struct l2_line *line_recent(struct l2 *l2, struct l2_line *line, uint32_t i)
{
    l2->front.recent = i;
    l2->front.recent_pa = line->pa;
    return line;
}

/* Without being an access */
static inline bool line_find(struct l2 *l2, uint64_t line_pa, uint32_t *line)
{
    unsigned set, way;

    if (l2->never) {
        return l2_map_find(&l2->map, line_pa, line);
    }
    set = l2_set_number(&l2->sets, line_pa);
    l2_set_tags(&l2->sets, set);
    if (!set_find(l2, set, line_pa, &way)) {
        return false;
    }
    *line = l2_line_number(&l2->sets, set, way);
    return true;
}

/* In the order of dirty lines, once. */
static inline void line_log(struct l2 *l2, struct l2_line *line)
{
    if (!line->number) {
        if (!l2_log_has_room(&l2->log)) {
            l2_log_make_room(&l2->log);
        }
        line->number = l2_log_append(&l2->log, line);
    }
}

static inline void line_unlog(struct l2 *l2, struct l2_line *line)
{
    if (line->number) {
        l2_log_remove(&l2->log, line->number);
        line->number = 0;
    }
}

#endif

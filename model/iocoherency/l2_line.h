/* SPDX-License-Identifier: MIT */
/* A line of the L2, and the shortest way to one that has been loaded before: where it was is kept
 * with a proof, and if the proof holds nothing is looked up. It counts and orders as l2_load()
 * does.
 */
#ifndef MODEL_IOCOHERENCY_L2_LINE_H
#define MODEL_IOCOHERENCY_L2_LINE_H

#include "model/iocoherency/l2.h"
#include "model/iocoherency/l2_set.h"

#define L2_HOST_LINE 64u
#define L2_NO_LINE UINT64_MAX

/* Everything but the data, in one line of the host. @pa: L2_NO_LINE: nothing is here
 * @birth: lines are numbered as they come; 0 once it has left
 * @number: in the log of dirty lines, 0: not in it */
struct l2_line {
    struct bus_mask valid, dirty;
    struct ioc_page *page;
    uint64_t pa, birth, number;
} __attribute__((aligned(L2_HOST_LINE)));

/**
 * struct l2_front - what struct l2 begins with
 * @recent: the line found last, the youngest of its set; @recent_pa: its address, L2_NO_LINE: there
 *          is none
 * @found: it was there before
 * @cpu_snoops: as configured
 * @lost: lines born up to then are gone (l2_invalidate)
 */
struct l2_front {
    uint64_t recent_pa, lost;
    struct l2_totals totals;
    uint32_t recent;
    bool found, cpu_snoops;
};

/**
 * struct l2_place - where a line is all of whose bytes are valid
 * @order, @way: of its set; NULL without a geometry
 */
struct l2_place {
    const struct l2_line *line;
    uint64_t birth;
    const uint8_t *data;
    uint64_t *order;
    uint32_t way, number;
};

/* The line of which l2_load() returned the bytes: they follow it. */
static inline const struct l2_line *l2_line_of(const uint8_t *bytes)
{
    return (const struct l2_line *)(const void *)bytes - 1;
}

static inline const uint8_t *l2_line_bytes(const struct l2_line *line)
{
    return (const uint8_t *)(line + 1);
}

/* Thor: does a load bring stores of the CPU into the line? */
static inline bool l2_follows_cpu(const struct l2 *l2)
{
    return ((const struct l2_front *)l2)->cpu_snoops;
}

/* Was the line that l2_load() returned last there before? */
static inline bool l2_last_was_there(const struct l2 *l2)
{
    return ((const struct l2_front *)l2)->found;
}

/* The place of the line that l2_load() returned last. Return: false: better look it up. */
bool l2_place_of_last(struct l2 *l2, struct l2_place *place);

/* Is it there still? Then its page is @page. All its bytes are valid, as long as it stays. */
static inline bool l2_place_holds(const struct l2 *l2, const struct l2_place *place,
                                  const struct ioc_page *page)
{
    const struct l2_front *front = (const struct l2_front *)l2;
    const struct l2_line *line = place->line;

    return line->birth == place->birth && line->page == page && place->birth > front->lost &&
           !(front->cpu_snoops && page->view); /* Thor's CPU may have stored to it */
}

/* A load of so many sectors there, which hit; the line's age is the caller's matter. */
static inline void l2_place_load(struct l2 *l2, const struct l2_place *place,
                                 struct ioc_count *count, unsigned sectors)
{
    struct l2_front *front = (struct l2_front *)l2;

    front->recent = place->number;
    front->recent_pa = place->line->pa;
    front->totals.hits += sectors;
    count->read_sectors += sectors;
    count->read_hits += sectors;
}

/* Is the line the youngest of its set? If not, a load makes it so: l2_place_touch() */
static inline bool l2_place_is_youngest(const struct l2_place *place)
{
    return !place->order || (*place->order & 15) == place->way;
}

static inline void l2_place_touch(const struct l2_place *place)
{
    if (place->order) {
        l2_order_touch(place->order, place->way);
    }
}

#endif

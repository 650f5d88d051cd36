/* SPDX-License-Identifier: MIT */
/* Which line of the L2 holds an address, for an L2 from which no line ever leaves on its own
 * (EVICT_NEVER): it has no sets, only as many lines as were asked for. */
#ifndef MODEL_IOCOHERENCY_L2_MAP_H
#define MODEL_IOCOHERENCY_L2_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct l2_map_entry {
    uint64_t line_pa; /* with bit 0 set; 0: free */
    uint32_t line;
};

/**
 * struct l2_map - open addressing; an entry stands at its hash's place or after it, with no free one between
 * @spare: numbers of lines that have gone; @next: all from here on were never given out
 */
struct l2_map {
    struct l2_map_entry *entry;
    uint32_t shift; /* 64 - log2 of the entries */
    uint32_t lines;
    uint32_t *spare;
    uint32_t n_spare, spare_capacity, next;
};

void l2_map_init(struct l2_map *m);
void l2_map_free(struct l2_map *m);
void l2_map_clear(struct l2_map *m);
bool l2_map_find(const struct l2_map *m, uint64_t line_pa, uint32_t *line);
uint32_t l2_map_put(struct l2_map *m, uint64_t line_pa); /* which is not in it */
void l2_map_drop(struct l2_map *m, uint64_t line_pa);    /* which is in it */

#endif

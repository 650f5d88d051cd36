/* SPDX-License-Identifier: MIT */
#include "model/iocoherency/l2_map.h"

#include <glib.h>
#include <string.h>

#define SHIFT_FIRST 54u /* 1024 entries */
#define USED 1u

static uint32_t l2_map_entries(const struct l2_map *m)
{
    return (uint32_t)(UINT64_C(1) << (64 - m->shift));
}

/* Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4 */
static uint32_t place_of(const struct l2_map *m, uint64_t key)
{
    return (uint32_t)((key >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> m->shift);
}

static uint32_t place_after(const struct l2_map *m, uint32_t at)
{
    return (at + 1) & (l2_map_entries(m) - 1);
}

void l2_map_init(struct l2_map *m)
{
    *m = (struct l2_map){ .shift = SHIFT_FIRST };
    m->entry = g_new0(struct l2_map_entry, l2_map_entries(m));
}

void l2_map_free(struct l2_map *m)
{
    g_free(m->entry);
    g_free(m->spare);
}

/* From small again, so that a clear costs no more than what was put in since the last one. */
void l2_map_clear(struct l2_map *m)
{
    if (m->lines || m->next) {
        l2_map_free(m);
        l2_map_init(m);
    }
}

/* Where the key is, or the free place where it would be. */
static uint32_t place_find(const struct l2_map *m, uint64_t key)
{
    uint32_t at = place_of(m, key);

    while (m->entry[at].line_pa != key && m->entry[at].line_pa != 0) {
        at = place_after(m, at);
    }
    return at;
}

bool l2_map_find(const struct l2_map *m, uint64_t line_pa, uint32_t *line)
{
    const struct l2_map_entry *e = &m->entry[place_find(m, line_pa | USED)];

    *line = e->line;
    return e->line_pa != 0;
}

static void map_grow(struct l2_map *m)
{
    struct l2_map_entry *old = m->entry;
    uint32_t n = l2_map_entries(m);

    m->shift--;
    m->entry = g_new0(struct l2_map_entry, l2_map_entries(m));
    for (uint32_t i = 0; i < n; i++) {
        if (old[i].line_pa) {
            m->entry[place_find(m, old[i].line_pa)] = old[i];
        }
    }
    g_free(old);
}

uint32_t l2_map_put(struct l2_map *m, uint64_t line_pa)
{
    uint32_t line = m->n_spare ? m->spare[--m->n_spare] : m->next++;

    if (++m->lines > l2_map_entries(m) / 2) {
        map_grow(m);
    }
    m->entry[place_find(m, line_pa | USED)] = (struct l2_map_entry){ line_pa | USED, line };
    return line;
}

static void spare_add(struct l2_map *m, uint32_t line)
{
    if (m->n_spare == m->spare_capacity) {
        m->spare_capacity = MAX(64, m->spare_capacity * 2);
        m->spare = g_renew(uint32_t, m->spare, m->spare_capacity);
    }
    m->spare[m->n_spare++] = line;
}

/* Entries behind the hole that could stand in it move up: none may be cut off from its hash's
 * place. */
void l2_map_drop(struct l2_map *m, uint64_t line_pa)
{
    uint32_t hole = place_find(m, line_pa | USED), mask = l2_map_entries(m) - 1;

    spare_add(m, m->entry[hole].line);
    m->lines--;
    for (uint32_t at = place_after(m, hole); m->entry[at].line_pa; at = place_after(m, at)) {
        uint32_t home = place_of(m, m->entry[at].line_pa);

        if (((at - home) & mask) >= ((at - hole) & mask)) {
            m->entry[hole] = m->entry[at];
            hole = at;
        }
    }
    m->entry[hole].line_pa = 0;
}

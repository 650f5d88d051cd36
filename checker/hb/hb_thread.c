/* SPDX-License-Identifier: MIT */
/* Threads that end: an agent has a history of its own, and programs make threads without end. */
#include "checker/hb/hb_clock_internal.h"
#include "checker/hb/hb_vc.h"

#define OVER_NAMED 32u /* threads that have ended and whose accesses have their number for sure */
#define OVER_KEPT 256u

void hb_thread_ended(struct hb_clocks *c, uint32_t number, unsigned by)
{
    int64_t name = hb_agent_name(0, HB_CPU, number);
    unsigned index = GPOINTER_TO_UINT(g_hash_table_lookup(c->by_name, &name));
    struct over over = { .index = index - 1 };

    if (!index) {
        return;
    }
    /* Its last deed was to release its end, which who joins it has acquired. */
    over.clock = hb_agent_clock(c, over.index);
    over.clock -= by != over.index && vc_get(&hb_agent(c, by)->vc, over.index) + 1 == over.clock;
    g_hash_table_remove(c->by_name, &name);
    c->last_index = 0;
    g_array_append_val(c->over, over);
}

/* The place of a thread that it comes after, so what that one did is as ordered as if this one had
 * done it; where too many wait for one of those, that hides races, and invents none. */
void hb_thread_begins(struct hb_clocks *c, uint32_t number, uint64_t object)
{
    int64_t name = hb_agent_name(0, HB_CPU, number);
    const struct object *o = g_hash_table_lookup(c->spaces[HB_OBJECTS], &object);
    const struct over *over = &g_array_index(c->over, struct over, 0);
    guint i = 0, n = c->over->len > OVER_NAMED ? c->over->len - OVER_NAMED : 0;

    if (!n || g_hash_table_contains(c->by_name, &name)) {
        return;
    }
    while (i < n && !(o && vc_get(&o->vc, over[i].index) >= over[i].clock)) {
        i++;
    }
    if (i == n && c->over->len < OVER_KEPT) {
        return;
    }
    c->forgot += i == n;
    i = i == n ? 0 : i;
    hb_agent(c, over[i].index)->number = number;
    hb_agent(c, over[i].index)->site = hb_agent(c, over[i].index)->label = 0;
    g_hash_table_insert(c->by_name, g_memdup2(&name, sizeof(name)),
                        GUINT_TO_POINTER(over[i].index + 1));
    hb_clock_tick(c, over[i].index);
    g_array_remove_range(c->over, i, 1);
}

/* SPDX-License-Identifier: MIT */
/* Who lies where. */
#include <string.h>

#include "runtime/hal/guest/guest.h"

static void table_lock(struct guest_table *t)
{
    while (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) {
    }
}

static void table_unlock(struct guest_table *t)
{
    atomic_flag_clear_explicit(&t->busy, memory_order_release);
}

static uintptr_t table_first(const struct guest_mem *m)
{
    return (uintptr_t)m->mem.cpu;
}

/* The first allocation that ends behind @at. */
static unsigned table_entry_find(const struct guest_table *t, uintptr_t at)
{
    unsigned lo = 0, hi = t->n;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if (table_first(t->mem[mid]) + t->mem[mid]->mem.size <= at) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

void table_insert(struct guest_table *t, struct guest_mem *m)
{
    unsigned i;

    table_lock(t);
    i = table_entry_find(t, table_first(m));
    if (t->n == t->cap) {
        t->cap = MAX(16, t->cap * 2);
        t->mem = g_renew(struct guest_mem *, t->mem, t->cap);
    }
    memmove(t->mem + i + 1, t->mem + i, (t->n - i) * sizeof(*t->mem));
    t->mem[i] = m;
    t->n++;
    table_unlock(t);
}

struct guest_mem *table_remove(struct guest_table *t, const struct hal_mem *mem)
{
    struct guest_mem *m = NULL;
    unsigned i;

    table_lock(t);
    i = table_entry_find(t, (uintptr_t)mem->cpu);
    if (i < t->n && t->mem[i]->mem.id == mem->id) {
        m = t->mem[i];
        t->n--;
        memmove(t->mem + i, t->mem + i + 1, (t->n - i) * sizeof(*t->mem));
    }
    table_unlock(t);
    return m;
}

struct guest_mem *table_at(struct guest_table *t, const void *cpu)
{
    struct guest_mem *m = NULL;
    unsigned i;

    table_lock(t);
    i = table_entry_find(t, (uintptr_t)cpu);
    if (i < t->n && table_first(t->mem[i]) <= (uintptr_t)cpu) {
        m = t->mem[i];
    }
    table_unlock(t);
    return m;
}

bool table_overlaps(struct guest_table *t, const void *cpu, size_t size)
{
    unsigned i;
    bool found;

    table_lock(t);
    i = table_entry_find(t, (uintptr_t)cpu);
    found = i < t->n && table_first(t->mem[i]) < (uintptr_t)cpu + size;
    table_unlock(t);
    return found;
}

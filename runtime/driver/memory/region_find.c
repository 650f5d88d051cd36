/* SPDX-License-Identifier: MIT */
/* All allocations by address, those of managed memory, and the last that were freed. Needs no other
 * file of the driver. */
#include "runtime/driver/memory/region_internal.h"

#define FREED_KEPT 64u

static GTree *regions;     /* by address: struct region */
static GArray *freed;      /* struct freed: the newest last */
static GPtrArray *managed; /* struct region */
static uint64_t last_serial;
static bool absent_shown;

/* Addresses are compared as numbers. */
static int region_find_compare(const void *a, const void *b)
{
    return a < b ? -1 : a > b;
}

static void tables_make(void)
{
    regions = g_tree_new(region_find_compare);
    freed = g_array_new(FALSE, FALSE, sizeof(struct freed));
    managed = g_ptr_array_new();
}

void region_list_add(struct region *r)
{
    if (!regions) {
        tables_make();
    }
    r->serial = ++last_serial;
    g_tree_insert(regions, (void *)r->mem.cpu, r);
    if (r->mem.kind == HAL_MEM_MANAGED) {
        g_ptr_array_add(managed, r);
    }
}

void region_list_remove(struct region *r)
{
    struct freed f = { (uintptr_t)r->mem.cpu, r->bytes,          r->serial,
                       r->mem.kind,           r->mem.registered, r->mem.id };

    if (r->mem.kind == HAL_MEM_MANAGED) {
        g_ptr_array_remove(managed, r);
    }
    g_tree_remove(regions, r->mem.cpu);
    if (freed->len == FREED_KEPT) {
        g_array_remove_index(freed, 0);
    }
    g_array_append_val(freed, f);
}

unsigned region_managed_count(void)
{
    return managed ? managed->len : 0;
}

struct region *region_managed_nth(unsigned i)
{
    return g_ptr_array_index(managed, i);
}

struct region *region_above(uint64_t address)
{
    GTreeNode *node = regions ? g_tree_upper_bound(regions, (void *)(uintptr_t)address) : NULL;

    return node ? g_tree_node_value(node) : NULL;
}

/* The last region that begins at or below @address. */
static struct region *region_find_below(uint64_t address)
{
    GTreeNode *node = regions ? g_tree_upper_bound(regions, (void *)(uintptr_t)address) : NULL;

    if (regions) {
        node = node ? g_tree_node_previous(node) : g_tree_node_last(regions);
    }
    return node ? g_tree_node_value(node) : NULL;
}

void region_show_absent(bool show)
{
    absent_shown = show;
}

struct region *region_at_absent(uint64_t address)
{
    struct region *r = region_find_below(address);

    return r && address - (uintptr_t)r->mem.cpu < r->mem.size ? r : NULL;
}

struct region *region_at(uint64_t address)
{
    struct region *r = region_at_absent(address);

    return r && r->absent && !absent_shown ? NULL : r;
}

/* The application may use it as one buffer (CUDA Driver API, virtual memory management). */
static bool mappings_cover(uint64_t address, size_t bytes)
{
    const struct region *r = region_at(address);
    size_t room;

    while (r && r->physical && r->access != CU_MEM_ACCESS_FLAGS_PROT_NONE) {
        room = (uintptr_t)r->mem.cpu + r->mem.size - address;
        if (bytes <= room) {
            return true;
        }
        address += room;
        bytes -= room;
        r = region_at(address);
    }
    return false;
}

/* Registered memory counts from the application's first byte to its last, not in whole pages. */
struct region *region_range(uint64_t address, size_t bytes)
{
    struct region *r = region_at(address);
    uint64_t base = r && r->host ? (uintptr_t)r->host : address;
    uint64_t room;

    if (!r || address < base) {
        return NULL;
    }
    if (r->physical) {
        return mappings_cover(address, bytes) ? r : NULL;
    }
    room = (r->host ? (uintptr_t)r->host : (uintptr_t)r->mem.cpu) + r->bytes - address;
    return room <= r->bytes && bytes <= room ? r : NULL;
}

struct region *region_nearest(uint64_t address)
{
    struct region *before = region_find_below(address);
    struct region *after = region_above(address);

    if (!before || !after) {
        return before ? before : after;
    }
    return address - ((uintptr_t)before->mem.cpu + before->bytes) <=
                   (uintptr_t)after->mem.cpu - address
               ? before
               : after;
}

const struct freed *region_freed_at(uint64_t address)
{
    for (guint i = freed ? freed->len : 0; i > 0; i--) {
        const struct freed *f = &g_array_index(freed, struct freed, i - 1);

        if (address - f->base < f->bytes) {
            return f;
        }
    }
    return NULL;
}

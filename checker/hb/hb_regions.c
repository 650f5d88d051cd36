/* SPDX-License-Identifier: MIT */
/* Regions by id. Ids grow for ever, and few regions live at a time: a chunk of ids whose regions
 * are all gone costs one pointer. */
#include "checker/hb/hb_internal.h"

#define CHUNK 4096u

struct chunk {
    unsigned used;
    struct hb_region *region[CHUNK];
};

static void lines_free(struct hb_region *r)
{
    for (uint64_t i = 0; r->pages && i < r->len / HB_PAGE; i++) {
        g_free(r->pages[i]);
    }
    g_free(r->pages);
}

static void chunk_free(gpointer data)
{
    struct chunk *k = data;

    for (unsigned i = 0; k && i < CHUNK; i++) {
        if (k->region[i]) {
            lines_free(k->region[i]);
            g_free(k->region[i]);
        }
    }
    g_free(k);
}

void hb_regions_open(struct hb *hb)
{
    hb->regions = g_ptr_array_new_with_free_func(chunk_free);
}

struct hb_region *hb_region_at(const struct hb *hb, uint32_t id)
{
    const struct chunk *k = id / CHUNK < hb->regions->len ? hb->regions->pdata[id / CHUNK] : NULL;

    return k ? k->region[id % CHUNK] : NULL;
}

static struct chunk *chunk_get(struct hb *hb, uint32_t id)
{
    if (id / CHUNK >= hb->regions->len) {
        g_ptr_array_set_size(hb->regions, (gint)(id / CHUNK) + 1);
    }
    if (!hb->regions->pdata[id / CHUNK]) {
        hb->regions->pdata[id / CHUNK] = g_new0(struct chunk, 1);
    }
    return hb->regions->pdata[id / CHUNK];
}

struct hb_region *hb_region_get(struct hb *hb, uint32_t id)
{
    struct chunk *k = id ? chunk_get(hb, id) : NULL;

    if (k && !k->region[id % CHUNK]) {
        k->region[id % CHUNK] = g_new0(struct hb_region, 1);
        k->region[id % CHUNK]->id = id;
        k->used++;
    }
    return k ? k->region[id % CHUNK] : NULL;
}

void hb_region_drop(struct hb *hb, uint32_t id)
{
    struct hb_region *r = hb_region_at(hb, id);
    struct chunk *k;

    if (r) {
        k = hb->regions->pdata[id / CHUNK];
        k->region[id % CHUNK] = NULL;
        lines_free(r);
        g_free(r);
        if (--k->used == 0) {
            hb->regions->pdata[id / CHUNK] = NULL;
            g_free(k);
        }
    }
}

struct hb_region *hb_region_next(const struct hb *hb, const struct hb_region *after)
{
    uint64_t id = after ? (uint64_t)after->id + 1 : 1;

    while (id / CHUNK < hb->regions->len) {
        const struct chunk *k = hb->regions->pdata[id / CHUNK];

        if (k && k->region[id % CHUNK]) {
            return k->region[id % CHUNK];
        }
        id = k ? id + 1 : (id / CHUNK + 1) * CHUNK;
    }
    return NULL;
}

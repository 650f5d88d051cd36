/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory whose cache state is modelled: guest RAM is the CPU's view, a copy here is DRAM. */
#include "qemu-plugin/board.h"

#include <string.h>

#define PAGES_MAX (UINT64_C(1) << 20)

/* One TRACK_ADD: pieces that lie together in physical memory are one region of the model each. */
struct piece {
    uint32_t region;
    uint64_t pa, bytes;
    uint8_t *dram;
};

struct range {
    unsigned function;
    uint64_t bus, pages;
    GArray *pieces; /* struct piece */
};

static void range_free(struct range *r)
{
    for (guint i = 0; i < r->pieces->len; i++) {
        g_free(g_array_index(r->pieces, struct piece, i).dram);
    }
    g_array_free(r->pieces, TRUE);
    g_free(r);
}

/* Where the pages are, before anything is done. */
static enum track_status pages_find(unsigned function, uint64_t bus, uint64_t pages, GArray *pieces)
{
    for (uint64_t i = 0; i < pages; i++) {
        struct piece *last =
            pieces->len ? &g_array_index(pieces, struct piece, pieces->len - 1) : NULL;
        struct page *page;
        const char *why;
        uint64_t pa;

        if (!dma_find(function, bus + i * PAGE, false, &pa, &why)) {
            return TRACK_REFUSED;
        }
        page = page_at(pa);
        if (page && page->range) {
            return TRACK_TWICE;
        }
        if (last && last->pa + last->bytes == pa) {
            last->bytes += PAGE;
        } else {
            g_array_append_val(pieces, ((struct piece){ .pa = pa, .bytes = PAGE }));
        }
    }
    return TRACK_OK;
}

static void piece_add(struct range *r, struct piece *p)
{
    uint8_t *view = board.ram + (p->pa - board.ram_pa);

    p->region = board.next_region++;
    p->dram = g_memdup2(view, p->bytes); /* clean: DRAM holds what the CPU sees */
    for (uint64_t off = 0; off < p->bytes; off += PAGE) {
        struct page *page = page_at(p->pa + off);

        soc_memory_remove(board.soc, page->region); /* dma_find() has added it as a plain page */
        page->region = 0;
        page->piece = p->region;
        page->range = r;
        page->store_pc = g_new0(uint64_t, PAGE / LINE);
        page->writer = g_new0(uint8_t, PAGE / LINE);
    }
    soc_memory_add(board.soc, p->region, p->pa, p->bytes, p->dram, view, true);
}

static gint piece_order(gconstpointer a, gconstpointer b)
{
    const struct piece *pa = a, *pb = b;

    return (pa->pa > pb->pa) - (pa->pa < pb->pa);
}

/* Twice the same physical page behind two bus addresses of one range, which has up to PAGES_MAX
 * pieces. */
static bool pieces_overlap(GArray *pieces)
{
    GArray *sorted = g_array_copy(pieces);
    bool overlap = false;

    g_array_sort(sorted, piece_order);
    for (guint i = 1; i < sorted->len && !overlap; i++) {
        const struct piece *before = &g_array_index(sorted, struct piece, i - 1);

        overlap = before->pa + before->bytes > g_array_index(sorted, struct piece, i).pa;
    }
    g_array_free(sorted, TRUE);
    return overlap;
}

enum track_status track_add(unsigned function, uint64_t bus, uint64_t pages)
{
    struct range *r;
    enum track_status status;

    if (!board.opt.cpu) {
        return TRACK_OFF;
    }
    if (bus % PAGE || pages == 0 || pages > PAGES_MAX || bus + pages * PAGE < bus) {
        return TRACK_ALIGNMENT;
    }
    if (board.tracked_pages + pages > PAGES_MAX) {
        return TRACK_ALIGNMENT;
    }
    r = g_new0(struct range, 1);
    r->function = function;
    r->bus = bus;
    r->pages = pages;
    r->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    status = pages_find(function, bus, pages, r->pieces);
    if (status == TRACK_OK && pieces_overlap(r->pieces)) {
        status = TRACK_TWICE;
    }
    if (status != TRACK_OK) {
        range_free(r);
        return status;
    }
    for (guint i = 0; i < r->pieces->len; i++) {
        piece_add(r, &g_array_index(r->pieces, struct piece, i));
    }
    board.tracked_pages += (uint32_t)pages;
    board.ranges = g_list_append(board.ranges, r);
    cpu_watch();
    cpu_forget();
    return TRACK_OK;
}

/* Nothing the CPU stored is lost: its dirty lines win, elsewhere the CPU now sees DRAM. */
static void range_remove(struct range *r)
{
    for (guint i = 0; i < r->pieces->len; i++) {
        struct piece *p = &g_array_index(r->pieces, struct piece, i);

        soc_cpu_clean_invalidate(board.soc, p->pa, p->bytes);
        soc_memory_remove(board.soc, p->region);
        for (uint64_t off = 0; off < p->bytes; off += PAGE) {
            page_forget(page_at(p->pa + off));
        }
    }
    board.tracked_pages -= (uint32_t)r->pages;
    board.ranges = g_list_remove(board.ranges, r);
    cpu_forget();
    range_free(r);
}

enum track_status track_remove(unsigned function, uint64_t bus, uint64_t pages)
{
    for (GList *l = board.ranges; l; l = l->next) {
        struct range *r = l->data;

        if (r->function == function && r->bus == bus && r->pages == pages) {
            range_remove(r);
            return TRACK_OK;
        }
    }
    return TRACK_NOT_TRACKED;
}

void track_remove_function(unsigned function)
{
    GList *next;

    for (GList *l = board.ranges; l; l = next) {
        struct range *r = l->data;

        next = l->next;
        if (r->function == function) {
            range_remove(r);
        }
    }
}

void track_remove_all(void)
{
    while (board.ranges) {
        range_remove(board.ranges->data);
    }
}

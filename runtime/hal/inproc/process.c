/* SPDX-License-Identifier: MIT */
/* Pages of the process that the iGPU reaches by their own addresses (hal_process_pages).
 *
 * The CPU view of such a page is the application's page itself; its DRAM image is cut from the
 * board's DRAM when an engine first touches it, and stays: whatever the process maps at that
 * address later, the view shows it. Whether an engine may touch a page is asked of the kernel each
 * time, because munmap() and mprotect() are not seen.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/hal/inproc/inproc.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

#define CHUNK_BYTES (UINT64_C(2) << 20)

/* One byte of a page is there for a load, and for a store. */
static bool byte_usable(void *page, bool write)
{
    char byte;
    struct iovec local = { &byte, 1 }, remote = { page, 1 };

    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0) == 1 &&
           (!write || process_vm_writev(gettid(), &local, 1, &remote, 1, 0) == 1);
}

/* Kernels before 5.14 do not know the first question. The other one stores what it has loaded: a
 * store of another thread in between would be lost. */
bool inproc_page_usable(void *page, bool write)
{
    static const char known[1];
    static int asks; /* 0: not tried, 1: yes, -1: no */

    if (!asks) {
        void *own = (void *)((uintptr_t)known & ~(uintptr_t)(HAL_PAGE - 1));

        asks = madvise(own, HAL_PAGE, MADV_POPULATE_READ) == 0 ? 1 : -1;
    }
    return asks > 0 ? madvise(page, HAL_PAGE, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0
                    : byte_usable(page, write);
}

static bool process_inside(uint64_t va, const void *base, uint64_t bytes)
{
    return va - (uintptr_t)base < bytes;
}

/* The board itself: allocations, which the driver maps or does not, and the images of its DRAM. */
static bool is_board(const struct hal *hal, uint64_t va)
{
    return process_inside(va, (void *)(uintptr_t)hal->va.start, hal->va.end - hal->va.start) ||
           process_inside(va, hal->dram, hal->dram_bytes) ||
           process_inside(va, hal->views, hal->dram_bytes);
}

/* The next page of DRAM for such use; 0: there is none. */
static uint64_t dram_page(struct hal *hal)
{
    struct inproc_process *p = &hal->process;
    uint64_t bytes = CHUNK_BYTES;

    if (p->next == p->end) {
        if (!extents_alloc(&hal->bus, bytes, HAL_PAGE, &p->next)) {
            bytes = HAL_PAGE;
            if (!extents_alloc(&hal->bus, bytes, HAL_PAGE, &p->next)) {
                return p->next = p->end = 0;
            }
        }
        p->end = p->next + bytes;
        if (!inproc_image_open(&hal->dram_pages, p->next - SOC_DRAM_BASE, bytes)) {
            return p->next = p->end = 0;
        }
    }
    p->next += HAL_PAGE;
    return p->next - HAL_PAGE;
}

static int page_find(void *opaque, uint64_t va, bool write, struct soc_process_page *out)
{
    struct hal *hal = opaque;
    void *page = (void *)(uintptr_t)va;
    uint64_t *bus;

    if (is_board(hal, va)) {
        return -ENOENT;
    }
    if (!inproc_page_usable(page, write)) {
        return write && inproc_page_usable(page, false) ? -EACCES : -ENOENT;
    }
    bus = g_hash_table_lookup(hal->process.pages, &va);
    if (!bus) {
        uint64_t pair[2] = { va, dram_page(hal) };

        if (!pair[1]) {
            return -ENOMEM;
        }
        bus = g_memdup2(pair, sizeof(pair));
        g_hash_table_insert(hal->process.pages, bus, bus + 1);
        bus++;
    }
    *out = (struct soc_process_page){ *bus, hal->dram + (*bus - SOC_DRAM_BASE), page };
    return 0;
}

int hal_process_pages(struct hal *hal, uint32_t *id)
{
    int error;

    inproc_enter(hal);
    error = soc_process_pages(hal->soc, hal->next_id + 1, page_find, hal);
    if (!error) {
        *id = ++hal->next_id;
        hal->process.pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    }
    inproc_leave(hal);
    return error;
}

void inproc_process_close(struct hal *hal)
{
    if (hal->process.pages) {
        g_hash_table_destroy(hal->process.pages);
    }
}

bool hal_mem_lost(struct hal *hal, const void *cpu)
{
    uint64_t va = (uintptr_t)cpu & ~(uint64_t)(HAL_PAGE - 1);
    void *page = (void *)(uintptr_t)va, *at;
    const struct inproc_mem *m;

    if (!inproc_inside()) {
        return false; /* the application's own access */
    }
    m = inproc_mem_at(hal, cpu);
    if (!(m && m->mem.registered) &&
        !(hal->process.pages && g_hash_table_lookup(hal->process.pages, &va))) {
        return false;
    }
    at = mmap(page, HAL_PAGE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != page && at != MAP_FAILED) {
        munmap(at, HAL_PAGE);
    }
    return at == page;
}

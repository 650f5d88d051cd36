/* SPDX-License-Identifier: MIT */
/* GPU page tables, built in kernel memory as model/regs/gmmu.h describes them.
 *
 * Table 1 (model/rules/kinds.def) decides one bit a page: VOL, "the L2 does not cache it". */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/context.h"

#include <errno.h>
#include <string.h>

#include "model/regs/gmmu.h"
#include "model/rules/port.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"
#include "runtime/hal/kinds.h"

/* Page tables of one context, in kernel memory. */
struct address_space {
    GPtrArray *chunks;   /* struct hal_mem: tables are cut from them */
    uint32_t chunk_used; /* bytes of the newest */
    uint64_t pdb;        /* bus address of PDE3 */
    uint8_t *root;
};

#define CHUNK_BYTES (64u * 1024)

/* A zeroed table; its bus address in *@bus. Freed chunks of other contexts come back zeroed. */
static uint8_t *table_new(struct address_space *as, uint64_t *bus)
{
    struct hal_mem *chunk;
    uint8_t *table;

    if (!as->chunks->len || as->chunk_used == CHUNK_BYTES) {
        chunk = g_new0(struct hal_mem, 1);
        if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, CHUNK_BYTES, HAL_PAGE, NULL, chunk)) {
            g_free(chunk);
            return NULL;
        }
        room_take(HAL_MEM_KERNEL, chunk->size);
        g_ptr_array_add(as->chunks, chunk);
        as->chunk_used = 0;
    }
    chunk = g_ptr_array_index(as->chunks, as->chunks->len - 1);
    table = (uint8_t *)chunk->cpu + as->chunk_used;
    *bus = chunk->bus + as->chunk_used;
    as->chunk_used += GMMU_TABLE_BYTES;
    return table;
}

static struct address_space *pages_of(const struct context *context)
{
    return context_part(context, CONTEXT_PAGES);
}

uint64_t as_pdb(const struct context *context)
{
    return pages_of(context)->pdb;
}

int as_init(struct context *context)
{
    struct address_space *as = g_new0(struct address_space, 1);

    context_part_set(context, CONTEXT_PAGES, as);
    as->chunks = g_ptr_array_new();
    as->root = table_new(as, &as->pdb);
    return as->root ? 0 : -ENOMEM;
}

void as_free(struct context *context)
{
    struct address_space *as = pages_of(context);

    as_invalidate();
    for (guint i = 0; i < as->chunks->len; i++) {
        struct hal_mem *chunk = g_ptr_array_index(as->chunks, i);

        room_give(HAL_MEM_KERNEL, chunk->size);
        hal_mem_free(core_hal(), chunk);
        g_free(chunk);
    }
    g_ptr_array_free(as->chunks, TRUE);
    core_bury(as);
}

void as_invalidate(void)
{
    devices_write(IGPU_MMU_INVALIDATE, 1);
}

/* CPU address of a table of ours from the bus address in its PDE. */
static uint8_t *table_cpu(const struct address_space *as, uint64_t bus)
{
    for (guint i = 0; i < as->chunks->len; i++) {
        const struct hal_mem *chunk = g_ptr_array_index(as->chunks, i);

        if (bus >= chunk->bus && bus - chunk->bus < chunk->size) {
            return (uint8_t *)chunk->cpu + (bus - chunk->bus);
        }
    }
    return NULL;
}

static bool beside_faults; /* vtegra run --oob fault */

void as_beside_faults(void)
{
    beside_faults = true;
}

#define BLOCK (UINT64_C(1) << GMMU_PDE0_SHIFT)

static void table_zero(uint8_t *table, uint64_t va, uint64_t end)
{
    for (; va < end; va += HAL_PAGE) {
        memset(table + (va >> GMMU_PAGE_SHIFT & 0x1ff) * 8, 0, 8);
    }
}

/* A block of 2 MiB is mapped whole on a board (GMMU_PTE_SPARSE), but for what another context or
 * the CPU alone has; pages that were freed fault. */
static void table_sparse(uint8_t *table, uint64_t va)
{
    static const uint64_t pte = GMMU_PTE_SPARSE;
    uint64_t begin = va & ~(BLOCK - 1), end = begin + BLOCK;
    struct region *r = region_at(begin);

    for (unsigned i = 0; i < GMMU_TABLE_BYTES / sizeof(pte); i++) {
        memcpy(table + i * sizeof(pte), &pte, sizeof(pte));
    }
    for (r = r ? r : region_above(begin); r && (uintptr_t)r->mem.cpu < end;
         r = region_above((uintptr_t)r->mem.cpu)) {
        table_zero(table, MAX(begin, (uintptr_t)r->mem.cpu),
                   MIN(end, (uintptr_t)r->mem.cpu + r->mem.size));
    }
}

/* The table behind entry @index of @table; made when @make and it is not there yet. */
static uint8_t *address_space_descend(struct address_space *as, uint8_t *table, unsigned index,
                                      unsigned entry_bytes, bool make)
{
    /* PDE0 is dual: small pages hang off its second half. */
    uint8_t *entry = table + (size_t)index * entry_bytes + (entry_bytes - 8);
    uint64_t pde, bus;
    uint8_t *next;

    memcpy(&pde, entry, sizeof(pde));
    if ((pde & GMMU_PDE_APERTURE_MASK) != 0) {
        return table_cpu(as, GMMU_PDE_ADDRESS(pde));
    }
    if (!make) {
        return NULL;
    }
    next = table_new(as, &bus);
    if (next) {
        pde = GMMU_PDE(bus);
        memcpy(entry, &pde, sizeof(pde));
    }
    return next;
}

/* The page of PTEs for @va. @sparse: what a new one is filled with. */
static uint8_t *pte_table(struct address_space *as, uint64_t va, bool make, bool sparse)
{
    uint8_t *t = as->root, *pde0;

    t = t ? address_space_descend(as, t, va >> GMMU_PDE3_SHIFT & 0x3, 8, make) : NULL;
    t = t ? address_space_descend(as, t, va >> GMMU_PDE2_SHIFT & 0x1ff, 8, make) : NULL;
    pde0 = t ? address_space_descend(as, t, va >> GMMU_PDE1_SHIFT & 0x1ff, 8, make) : NULL;
    t = pde0 ? address_space_descend(as, pde0, va >> GMMU_PDE0_SHIFT & 0xff, 16, false) : NULL;
    if (pde0 && !t && make) {
        t = address_space_descend(as, pde0, va >> GMMU_PDE0_SHIFT & 0xff, 16, true);
        if (t && sparse) {
            table_sparse(t, va);
        }
    }
    return t;
}

/* Write the PTEs of @size bytes from @va: @pte and on, or zero when @pte is 0. @sparse: of blocks
 * that get their first page. */
static int ptes_write(struct address_space *as, uint64_t va, uint64_t size, uint64_t pte,
                      bool sparse)
{
    uint64_t step = pte ? (GMMU_PTE(UINT64_C(1) << GMMU_PAGE_SHIFT) & ~GMMU_PTE_VALID) : 0;

    for (uint64_t end = va + size; va < end;) {
        uint8_t *table = pte_table(as, va, pte != 0, sparse);
        unsigned index = va >> GMMU_PAGE_SHIFT & 0x1ff;

        if (!table && pte) {
            return -ENOMEM;
        }
        for (; index < 512 && va < end; index++, va += HAL_PAGE, pte += step) {
            if (table) {
                memcpy(table + (size_t)index * 8, &pte, sizeof(pte));
            }
        }
    }
    return 0;
}

#define KERNEL_VA (UINT64_C(1) << 39)

uint64_t as_va(const struct hal_mem *mem)
{
    return mem->kind == HAL_MEM_KERNEL ? KERNEL_VA + mem->bus : (uintptr_t)mem->cpu;
}

static uint64_t aperture_of(const struct soc_profile *p, const struct hal_mem *mem)
{
    return hal_in_vidmem(p, mem->kind)            ? GMMU_PTE_APERTURE_VIDEO
           : rules_port_snoops(p, BUS_AGENT_IGPU) ? GMMU_PTE_APERTURE_SYS_COHERENT
                                                  : GMMU_PTE_APERTURE_SYS_NONCOHERENT;
}

static uint64_t pte_of(const struct context *c, const struct hal_mem *mem, bool read_only)
{
    const struct soc_profile *p = device_profile(context_device(c));
    enum rules_caching gpu = hal_gpu_caching(p, mem->kind, mem->registered);
    uint64_t pte = GMMU_PTE(mem->bus) | aperture_of(board_profile(), mem);

    pte |= gpu == RULES_UNCACHED ? GMMU_PTE_VOL : 0;
    pte |= read_only ? GMMU_PTE_READ_ONLY : 0;
    return pte;
}

/* The program's own pages have no mapped neighbours; kernels have no pointers near the driver's. */
static bool blocks_whole(const struct hal_mem *mem)
{
    return !beside_faults && !mem->registered && mem->kind != HAL_MEM_KERNEL;
}

/* The guard page: it may have been another allocation's before. */
static void page_behind(struct address_space *as, uint64_t va)
{
    static const uint64_t pte = GMMU_PTE_SPARSE;
    unsigned index = va >> GMMU_PAGE_SHIFT & 0x1ff;
    uint8_t *table = index && !region_at(va) ? pte_table(as, va, false, false) : NULL;
    uint64_t old;

    if (table) {
        memcpy(&old, table + (size_t)index * 8, sizeof(old));
        if (!(old & GMMU_PTE_VALID)) {
            memcpy(table + (size_t)index * 8, &pte, sizeof(pte));
        }
    }
}

static int map_as(struct context *context, const struct hal_mem *mem, uint64_t pte)
{
    int error = ptes_write(pages_of(context), as_va(mem), mem->size, pte, blocks_whole(mem));

    if (!error && blocks_whole(mem)) {
        page_behind(pages_of(context), as_va(mem) + mem->size);
    }
    if (error) {
        as_unmap(context, mem);
    }
    return error;
}

int as_map(struct context *context, const struct hal_mem *mem, bool read_only)
{
    return map_as(context, mem, pte_of(context, mem, read_only));
}

void as_leave_out(struct context *context, const struct hal_mem *mem)
{
    if (blocks_whole(mem)) {
        ptes_write(pages_of(context), as_va(mem), mem->size, 0, false);
    }
}

int as_map_uncached(struct context *context, const struct hal_mem *mem, bool read_only)
{
    return map_as(context, mem, pte_of(context, mem, read_only) | GMMU_PTE_VOL);
}

uint64_t as_second_va(const struct hal_mem *mem)
{
    return KERNEL_VA + mem->bus;
}

int as_map_second(struct context *context, const struct hal_mem *mem)
{
    int error = ptes_write(pages_of(context), as_second_va(mem), mem->size,
                           pte_of(context, mem, false), false);

    if (error) {
        as_unmap_second(context, mem);
    }
    return error;
}

int as_map_far(struct context *context, const struct hal_mem *mem, uint64_t offset, uint64_t bytes)
{
    uint64_t first = offset & ~(uint64_t)(HAL_PAGE - 1);
    uint64_t size = (offset + bytes - first + (HAL_PAGE - 1)) & ~(uint64_t)(HAL_PAGE - 1);

    return ptes_write(pages_of(context), as_second_va(mem) + first, size,
                      GMMU_PTE(mem->bus + first) | aperture_of(board_profile(), mem) | GMMU_PTE_VOL,
                      false);
}

void as_unmap_second(struct context *context, const struct hal_mem *mem)
{
    ptes_write(pages_of(context), as_second_va(mem), mem->size, 0, false);
    as_invalidate();
}

/* The order of nvgpu's unmap (common/mm/gmmu): the L2 first, then the tables, then the TLB. The
 * caller has done the L2 (coherency_l2_clean_invalidate) where the bytes matter. */
void as_unmap(struct context *context, const struct hal_mem *mem)
{
    ptes_write(pages_of(context), as_va(mem), mem->size, 0, false);
    as_invalidate();
}

/* SPDX-License-Identifier: MIT */
/* Memory of the board in a guest: one file as big as its DRAM, mostly holes. An allocation is a
 * piece of it, pinned and mapped for the device at its offset, and mapped for the application at an
 * address of the arena unless it is device memory. The machine has one image of it; that the CPU's
 * caches may hold another is modelled by QEMU for the pages that are tracked.
 *
 * What Linux gives a program is cacheable. The driver's own memory (rings, page tables) would be
 * uncached on the board: it is not tracked, so both sides see the same bytes, which is the same to
 * see. Pinned memory of a SoC that is not I/O coherent is uncached too, and an application can tell
 * (atomics do not work there): its pages come from a module of ours in the guest's kernel, which
 * maps them as non-cacheable. Without the module it is refused. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "model/regs/regs.h"
#include "model/rules/port.h"
#include "runtime/hal/guest/guest.h"
#include "runtime/hal/kinds.h"

#define ARENA_BASE UINT64_C(0x200000000000)
#define ARENA_MIN (UINT64_C(16) << 30)
#define UNCACHED "/dev/vtegra-memory"
#define KEEP_FREE (UINT64_C(64) << 20) /* what the guest's kernel keeps for itself, ours */

static int arena_open(struct hal *hal)
{
    uint64_t size = MAX(hal->dram_bytes * 4, ARENA_MIN);
    void *at = mmap((void *)(uintptr_t)ARENA_BASE, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (at == MAP_FAILED) {
        return -errno;
    }
    extents_init(&hal->va, (uintptr_t)at, (uintptr_t)at + size);
    quarantine_init(&hal->va_freed, &hal->va);
    return 0;
}

static int image_open(struct hal *hal)
{
    void *at;

    hal->fd = memfd_create("vtegra-dram", MFD_CLOEXEC);
    if (hal->fd < 0 || ftruncate(hal->fd, (off_t)hal->dram_bytes) != 0) {
        return -errno;
    }
    at = mmap(NULL, hal->dram_bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, hal->fd, 0);
    hal->alias = at == MAP_FAILED ? NULL : at;
    return at == MAP_FAILED ? -errno : 0;
}

int memory_open(struct hal *hal)
{
    const struct soc_profile *p = hal->config.profile;
    int err;

    hal->fd = -1;
    hal->uncached = open(UNCACHED, O_RDWR | O_CLOEXEC);
    atomic_flag_clear(&hal->table.busy);
    hal->dram_bytes = (p->memory.dram_bytes - p->memory.carveout_bytes) & ~(uint64_t)(HAL_PAGE - 1);
    extents_init(&hal->bus, GUEST_BUS_BASE, GUEST_BUS_BASE + hal->dram_bytes);
    err = image_open(hal);
    if (!err) {
        err = arena_open(hal);
    }
    if (err) {
        fprintf(stderr, "vtegra: cannot reserve addresses for %.1f GiB of board memory: %s\n",
                (double)hal->dram_bytes / (1 << 30), strerror(-err));
    }
    return err;
}

void memory_close(struct hal *hal)
{
    if (hal->va.taken) {
        device_track(TRACK_REMOVE_ALL, 0, 0);
        munmap((void *)(uintptr_t)hal->va.start, hal->va.end - hal->va.start);
    }
    for (unsigned i = 0; i < hal->table.n; i++) {
        device_unmap(hal->table.mem[i]->mem.size, hal->table.mem[i]->mem.bus);
        g_free(hal->table.mem[i]);
    }
    g_free(hal->table.mem);
    records_close(hal);
    if (hal->alias) {
        munmap(hal->alias, hal->dram_bytes);
    }
    if (hal->fd >= 0) {
        close(hal->fd);
    }
    if (hal->uncached >= 0) {
        close(hal->uncached);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(hal->engine_iova); i++) {
        extents_clear(&hal->engine_iova[i]);
    }
    extents_clear(&hal->bus);
    quarantine_clear(&hal->va_freed);
    extents_clear(&hal->va);
}

/* --- pieces of an allocation ------------------------------------------------------------------ */

static bool kind_cpu_cached(const struct hal *hal, enum hal_mem_kind kind, bool registered)
{
    return hal_caching(hal->config.profile, kind, registered, RULES_CPU) == RULES_CACHED;
}

/* Pinned pages cannot be swapped: rather an error than a guest that kills processes. */
static bool room_for(size_t size)
{
    struct sysinfo info;

    return sysinfo(&info) != 0 ||
           (uint64_t)(info.freeram + info.bufferram) * info.mem_unit > size + KEEP_FREE;
}

/* Pages of the module. They need no other mapping: the application's may be closed, and no
 * maintenance reads them. */
static int pages_open_uncached(struct hal *hal, struct guest_mem *m)
{
    m->alias = mmap(m->mem.cpu, m->mem.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    hal->uncached, 0);
    if (m->alias == MAP_FAILED) {
        m->alias = m->mem.cpu;
        return -ENOMEM;
    }
    return device_map(m->alias, m->mem.size, m->mem.bus);
}

static int pages_open(struct hal *hal, struct guest_mem *m)
{
    uint64_t offset = m->mem.bus - GUEST_BUS_BASE;

    m->alias = hal->alias + offset;
    if (mprotect(m->alias, m->mem.size, PROT_READ | PROT_WRITE) != 0) {
        return -ENOMEM;
    }
    if (!hal_mem_is_device(m->mem.kind) &&
        mmap(m->mem.cpu, m->mem.size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, hal->fd, (off_t)offset) == MAP_FAILED) {
        return -ENOMEM;
    }
    return device_map(m->alias, m->mem.size, m->mem.bus);
}

/* Pages back to the kernel, zeros for the next owner. */
static void pages_drop(struct hal *hal, const struct guest_mem *m)
{
    off_t offset = (off_t)(m->mem.bus - GUEST_BUS_BASE);

    if (m->mem.registered) {
        return;
    }
    mmap(m->mem.cpu, m->mem.size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (m->of_module) {
        return;
    }
    mprotect(hal->alias + offset, m->mem.size, PROT_NONE);
    fallocate(hal->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, (off_t)m->mem.size);
}

/* From now on the machine looks at what the CPU's caches would hold of it. */
static int memory_track(struct guest_mem *m)
{
    enum track_status status;

    if (!m->mem.cpu_cached && !m->of_module) {
        return 0;
    }
    status = device_track(TRACK_ADD, m->mem.bus, m->mem.size);
    m->tracked = status == TRACK_OK;
    if (status != TRACK_OK && status != TRACK_OFF) {
        fprintf(stderr, "vtegra: the board does not track 0x%llx, %zu bytes (status %d)\n",
                (unsigned long long)m->mem.bus, m->mem.size, (int)status);
        return -ENOMEM;
    }
    return 0;
}

/* What the L2 still holds of pages that go back to the kernel would come out over their next owner.
 */
static void l2_leave(void)
{
    static const uint32_t operations[] = { IGPU_FLUSH_L2_FLUSH_DIRTY,
                                           IGPU_FLUSH_L2_SYSTEM_INVALIDATE };

    for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
        uint32_t at = device_unit(UNIT_IGPU) + operations[i];

        device_write(at, 1);
        while (device_read(at) & (FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_PENDING) |
                                  FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_OUTSTANDING))) {
        }
    }
}

/* Before the pages go: what the board still says of them. */
static void memory_forget(struct hal *hal, struct guest_mem *m)
{
    l2_leave();
    records_fetch(hal);
    records_region(hal, m, false);
}

static void memory_retire(struct hal *hal, struct guest_mem *m)
{
    if (m->tracked) {
        device_track(TRACK_REMOVE, m->mem.bus, m->mem.size);
    }
    device_unmap(m->mem.size, m->mem.bus);
    pages_drop(hal, m);
    extents_free(&hal->bus, m->mem.bus, m->mem.size);
    g_free(m);
}

static struct guest_mem *mem_new(struct hal *hal, enum hal_mem_kind kind, bool registered,
                                 size_t size)
{
    struct guest_mem *m;
    uint64_t bus;

    if (!extents_alloc(&hal->bus, size, HAL_PAGE, &bus)) {
        return NULL;
    }
    m = g_new0(struct guest_mem, 1);
    m->mem.kind = kind;
    m->mem.size = size;
    m->mem.bus = bus;
    m->mem.id = ++hal->next_id;
    m->mem.registered = registered;
    m->mem.cpu_cached = kind_cpu_cached(hal, kind, registered);
    return m;
}

/* --- addresses -------------------------------------------------------------------------------- */

/* Those of freed memory only when there are no others. */
static bool va_take(struct hal *hal, size_t size, size_t align, uint64_t *va)
{
    align = MAX(align, HAL_PAGE);
    return extents_alloc(&hal->va, size, align, va) ||
           (quarantine_release(&hal->va_freed) && extents_alloc(&hal->va, size, align, va));
}

bool hal_mem_lost(struct hal *hal, const void *cpu)
{
    (void)hal;
    (void)cpu;
    return false; /* the guest's kernel keeps pinned pages */
}

int hal_process_pages(struct hal *hal, uint32_t *id)
{
    (void)id;
    if (hal->config.profile->gpu.pageable_uses_host_page_tables) {
        fprintf(stderr, "vtegra: the device in QEMU has no PASID and reaches no pageable memory "
                        "(malloc, static, "
                        "stack): cudaDevAttrPageableMemoryAccess is 0 here\n");
    }
    return -ENOTSUP;
}

void *hal_va_reserve(struct hal *hal, size_t size, size_t align, void *hint)
{
    uint64_t va = (uintptr_t)hint;

    if (hint && (uintptr_t)hint % MAX(align, HAL_PAGE) == 0 && extents_take(&hal->va, va, size)) {
        return hint;
    }
    return va_take(hal, size, align, &va) ? (void *)(uintptr_t)va : NULL;
}

void hal_va_release(struct hal *hal, void *va, size_t size)
{
    quarantine_add(&hal->va_freed, (uintptr_t)va, size);
}

void hal_arena_bounds(struct hal *hal, uint64_t *base, uint64_t *size)
{
    *base = hal->va.start;
    *size = hal->va.end - hal->va.start;
}

/* --- hal.h ------------------------------------------------------------------------------------ */

static int refuse_uncached(const struct hal *hal)
{
    static bool said;

    if (!said) {
        said = true;
        fprintf(
            stderr,
            "vtegra: pinned memory of %s is not cached by the CPU (CUDA for Tegra, Table 1), and "
            "the guest's kernel gives a program such memory through the module vtegra_memory "
            "alone: "
            "scripts/guest.sh builds it into the guest, insmod loads it elsewhere. Or run this "
            "program without QEMU (vtegra run), or use managed memory\n",
            hal->config.profile->soc.name);
    }
    return -ENOTSUP;
}

static bool is_uncached(const struct hal *hal, enum hal_mem_kind kind)
{
    return !hal_mem_is_device(kind) && kind != HAL_MEM_KERNEL && !kind_cpu_cached(hal, kind, false);
}

int hal_mem_alloc(struct hal *hal, enum hal_mem_kind kind, size_t size, size_t align, void *at,
                  struct hal_mem *out)
{
    struct guest_mem *m;
    uint64_t va = (uintptr_t)at;
    int err;

    if (size == 0 || size > hal->dram_bytes || (align & (align - 1)) || va % HAL_PAGE) {
        return size > hal->dram_bytes ? -ENOMEM : -EINVAL;
    }
    if (is_uncached(hal, kind) && hal->uncached < 0) {
        return refuse_uncached(hal);
    }
    size = (size + HAL_PAGE - 1) & ~(size_t)(HAL_PAGE - 1);
    m = room_for(size) ? mem_new(hal, kind, false, size) : NULL;
    if (!m) {
        return -ENOMEM;
    }
    m->at_given = at != NULL;
    m->of_module = is_uncached(hal, kind);
    if (!at && !va_take(hal, size, align, &va)) {
        extents_free(&hal->bus, m->mem.bus, size);
        g_free(m);
        return -ENOMEM;
    }
    m->mem.cpu = (void *)(uintptr_t)va;
    err = m->of_module ? pages_open_uncached(hal, m) : pages_open(hal, m);
    if (!err) {
        err = memory_track(m);
    }
    if (err) {
        if (!at) {
            extents_free(&hal->va, va, size);
        }
        memory_retire(hal, m);
        return -ENOMEM;
    }
    table_insert(&hal->table, m);
    records_region(hal, m, true);
    *out = m->mem;
    return 0;
}

void hal_mem_free(struct hal *hal, const struct hal_mem *mem)
{
    struct guest_mem *m = table_remove(&hal->table, mem);

    if (!m) {
        return;
    }
    memory_forget(hal, m);
    if (!m->at_given && m->mem.kind == HAL_MEM_KERNEL) { /* no application knows the address */
        extents_free(&hal->va, (uintptr_t)m->mem.cpu, m->mem.size);
    } else if (!m->at_given) {
        quarantine_add(&hal->va_freed, (uintptr_t)m->mem.cpu, m->mem.size);
    }
    memory_retire(hal, m);
}

int hal_mem_register(struct hal *hal, void *cpu, size_t size, struct hal_mem *out)
{
    struct guest_mem *m;
    int err;

    if (!rules_port_snoops(hal->config.profile, BUS_AGENT_IGPU)) {
        return -ENOTSUP; /* CUDA for Tegra 2.1 */
    }
    if (size == 0 || (uintptr_t)cpu % HAL_PAGE || size % HAL_PAGE) {
        return -EINVAL;
    }
    if (table_overlaps(&hal->table, cpu, size)) {
        return -EEXIST;
    }
    m = mem_new(hal, HAL_MEM_PINNED, true, size);
    if (!m) {
        return -ENOMEM;
    }
    m->mem.cpu = m->alias = cpu;
    err = device_map(cpu, size,
                     m->mem.bus); /* the kernel pins them: it says if they cannot be written */
    if (!err) {
        err = memory_track(m);
    }
    if (err) {
        memory_retire(hal, m);
        return err == -ENOMEM ? -ENOMEM : -EFAULT;
    }
    table_insert(&hal->table, m);
    records_region(hal, m, true);
    *out = m->mem;
    return 0;
}

void hal_mem_unregister(struct hal *hal, const struct hal_mem *mem)
{
    struct guest_mem *m = table_remove(&hal->table, mem);

    if (m) {
        memory_forget(hal, m);
        memory_retire(hal, m);
    }
}

bool hal_mem_adopt(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len)
{
    (void)hal;
    (void)mem;
    (void)offset;
    (void)len;
    return false;
}

void *hal_mem_alias(struct hal *hal, const struct hal_mem *mem)
{
    (void)hal;
    (void)mem;
    return NULL; /* the machine sees each access of the CPU */
}

int hal_mem_protect(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len,
                    enum hal_prot prot)
{
    static const int prots[] = {
        [HAL_PROT_NONE] = PROT_NONE,
        [HAL_PROT_READ] = PROT_READ,
        [HAL_PROT_WRITE] = PROT_READ | PROT_WRITE,
    };

    (void)hal;
    if (hal_mem_is_device(mem->kind) || offset % HAL_PAGE || len % HAL_PAGE || offset > mem->size ||
        len > mem->size - offset) {
        return -EINVAL;
    }
    return mprotect((char *)mem->cpu + offset, len, prots[prot]) == 0 ? 0 : -errno;
}

bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out)
{
    const struct guest_mem *m = table_at(&hal->table, cpu);

    if (m) {
        *out = m->mem;
    }
    return m != NULL;
}

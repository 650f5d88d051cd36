/* SPDX-License-Identifier: MIT */
/* Memory of the in-process board: two files as big as the DRAM, mostly holes, and an arena of
 * addresses.
 *
 *   dram file   the DRAM image                     model: one mapping of the whole
 *   view file   the CPU view of cached memory      model: one mapping of the whole
 *
 * A discrete GPU's own memory is the end of both: bus addresses behind those of the DRAM.
 *
 * The application's mapping of an allocation shows pages of one of them at a fixed address of the
 * arena: the view if the CPU caches that kind of memory, the DRAM image itself if it does not,
 * nothing for device memory. Only this mapping is ever protected, so the model can always reach
 * both images.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "model/rules/port.h"
#include "runtime/hal/inproc/inproc.h"
#include "runtime/hal/kinds.h"

#define ARENA_MIN (UINT64_C(16) << 30)

/* Fixed places, so that addresses are the same in every run and under ASan (which owns the low 16
 * TiB from 2 GiB on) and valgrind (which has 16 TiB in all). */
static const uint64_t arena_bases[] = { UINT64_C(0x200000000000), UINT64_C(0x40000000000),
                                        UINT64_C(0x10000000000) };

static int arena_open(struct hal *hal)
{
    for (uint64_t size = MAX(hal->dram_bytes * 4, ARENA_MIN); size >= ARENA_MIN; size /= 2) {
        for (unsigned i = 0; i < G_N_ELEMENTS(arena_bases); i++) {
            void *want = (void *)(uintptr_t)arena_bases[i];
            void *at =
                mmap(want, size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

            if (at == want) {
                extents_init(&hal->va, (uintptr_t)at, (uintptr_t)at + size);
                quarantine_init(&hal->va_freed, &hal->va);
                return 0;
            }
            if (at != MAP_FAILED) {
                munmap(at, size);
            }
        }
    }
    return -ENOMEM;
}

/* Under a limit on the size of files, which holds for these too, ftruncate() sends SIGXFSZ besides
 * its error (setrlimit(2)): the program would end without a word. */
static int size_set(int fd, uint64_t size)
{
    const struct timespec now = { 0 };
    sigset_t limit, old;
    int err;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &old);
    err = ftruncate(fd, (off_t)size) == 0 ? 0 : -errno;
    if (err == -EFBIG && !sigismember(&old, SIGXFSZ)) {
        sigtimedwait(&limit, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return err;
}

#define SIZE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* A program started with stderr closed would write its messages, and we ours, into the DRAM that
 * has got its number. */
static int behind_standard(int fd)
{
    int moved;

    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
}

/* Sealed: another process gets it (hal_share()), which could cut it short otherwise, and the next
 * touch here would be SIGBUS. */
static int image_open(const char *name, uint64_t size, int *fd, uint8_t **map)
{
    void *at;
    int err;

    *fd = behind_standard(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    err = *fd < 0 ? -errno : size_set(*fd, size);
    if (!err && fcntl(*fd, F_ADD_SEALS, SIZE_SEALS) != 0) {
        err = -errno;
    }
    if (err) {
        return err;
    }
    at = mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, *fd, 0);
    *map = at == MAP_FAILED ? NULL : at;
    return at == MAP_FAILED ? -ENOMEM : 0;
}

/* What to do about @err. */
static const char *memory_advice(const struct hal *hal, int err)
{
    if (hal->dram_fd < 0 || (hal->dram && hal->view_fd < 0)) {
        return err == -EMFILE || err == -ENFILE
                   ? "Too many files are open: raise the limit (ulimit -n)"
                   : "The system refuses memfd_create(2), as a container's seccomp filter does: "
                     "allow "
                     "that call";
    }
    return err == -EFBIG ? "Is there a limit on the size of files (ulimit -f)?"
                         : "Is there a limit on address space (ulimit -v)?";
}

int inproc_memory_open(struct hal *hal)
{
    const struct soc_profile *p = hal->config.profile;
    uint64_t system = soc_profile_system_bytes(p) & ~(uint64_t)(HAL_PAGE - 1);
    int err;

    hal->dram_fd = hal->view_fd = -1;
    hal->dram_bytes =
        system + ((p->gpu.vidmem_bytes + p->dgpu.vidmem_bytes) & ~(uint64_t)(HAL_PAGE - 1));
    extents_init(&hal->bus, SOC_DRAM_BASE, SOC_DRAM_BASE + system);
    extents_init(&hal->vidmem, SOC_DRAM_BASE + system, SOC_DRAM_BASE + hal->dram_bytes);
    err = image_open("vtegra-dram", hal->dram_bytes, &hal->dram_fd, &hal->dram);
    if (!err) {
        err = image_open("vtegra-view", hal->dram_bytes, &hal->view_fd, &hal->views);
    }
    if (!err) {
        err = inproc_image_begin(&hal->dram_pages, hal->dram, hal->dram_bytes);
    }
    if (!err) {
        err = inproc_image_begin(&hal->view_pages, hal->views, hal->dram_bytes);
    }
    if (!err) {
        err = arena_open(hal);
    }
    if (err) {
        fprintf(stderr, "vtegra: cannot reserve addresses for %.1f GiB of board memory: %s. %s\n",
                (double)hal->dram_bytes / (1 << 30), strerror(-err), memory_advice(hal, err));
    }
    return err;
}

static void image_close(int fd, uint8_t *map, uint64_t size)
{
    if (map) {
        munmap(map, size);
    }
    if (fd >= 0) {
        close(fd);
    }
}

void inproc_memory_close(struct hal *hal)
{
    inproc_adopted_close(hal);
    for (unsigned i = 0; i < hal->n_mems; i++) {
        g_free(hal->mems[i]);
    }
    g_free(hal->mems);
    if (hal->va.taken) {
        munmap((void *)(uintptr_t)hal->va.start, hal->va.end - hal->va.start);
    }
    inproc_image_end(&hal->dram_pages);
    inproc_image_end(&hal->view_pages);
    image_close(hal->dram_fd, hal->dram, hal->dram_bytes);
    image_close(hal->view_fd, hal->views, hal->dram_bytes);
    extents_clear(&hal->bus);
    extents_clear(&hal->vidmem);
    quarantine_clear(&hal->va_freed);
    extents_clear(&hal->va);
}

/* --- who lies where ------------------------------------------------------------------------------
 */

/* Signal handlers look here too. That cannot deadlock: code that holds this lock touches no
 * application memory, so no fault interrupts it, and hooks ask hal_busy(). */
void inproc_mems_lock(struct hal *hal)
{
    inproc_inside_begin();
    while (atomic_flag_test_and_set_explicit(&hal->mems_busy, memory_order_acquire)) {
    }
}

void inproc_mems_unlock(struct hal *hal)
{
    atomic_flag_clear_explicit(&hal->mems_busy, memory_order_release);
    inproc_inside_end();
}

/* First allocation that ends behind @at. */
static unsigned mems_index(const struct hal *hal, uintptr_t at)
{
    unsigned lo = 0, hi = hal->n_mems;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if ((uintptr_t)hal->mems[mid]->mem.cpu + hal->mems[mid]->mem.size <= at) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void mems_insert(struct hal *hal, struct inproc_mem *m)
{
    unsigned i;

    inproc_mems_lock(hal);
    i = mems_index(hal, (uintptr_t)m->mem.cpu);
    if (hal->n_mems == hal->cap_mems) {
        hal->cap_mems = MAX(16, hal->cap_mems * 2);
        hal->mems = g_renew(struct inproc_mem *, hal->mems, hal->cap_mems);
    }
    memmove(hal->mems + i + 1, hal->mems + i, (hal->n_mems - i) * sizeof(*hal->mems));
    hal->mems[i] = m;
    hal->n_mems++;
    inproc_mems_unlock(hal);
}

static struct inproc_mem *mems_remove(struct hal *hal, const struct hal_mem *mem)
{
    struct inproc_mem *m = NULL;
    unsigned i;

    inproc_mems_lock(hal);
    i = mems_index(hal, (uintptr_t)mem->cpu);
    if (i < hal->n_mems && hal->mems[i]->mem.id == mem->id) {
        m = hal->mems[i];
        hal->n_mems--;
        memmove(hal->mems + i, hal->mems + i + 1, (hal->n_mems - i) * sizeof(*hal->mems));
    }
    inproc_mems_unlock(hal);
    return m;
}

struct inproc_mem *inproc_mem_at(struct hal *hal, const void *cpu)
{
    struct inproc_mem *m = NULL;
    unsigned i;

    inproc_mems_lock(hal);
    i = mems_index(hal, (uintptr_t)cpu);
    if (i < hal->n_mems && (uintptr_t)hal->mems[i]->mem.cpu <= (uintptr_t)cpu) {
        m = hal->mems[i];
    }
    inproc_mems_unlock(hal);
    return m;
}

bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out)
{
    struct inproc_mem *m = inproc_mem_at(hal, cpu);

    if (m) {
        *out = m->mem;
    }
    return m != NULL;
}

/* --- allocation ----------------------------------------------------------------------------------
 */

/* The bus addresses that memory of @kind is taken from. */
static struct extents *bus_of(struct hal *hal, enum hal_mem_kind kind)
{
    return hal_in_vidmem(hal->config.profile, kind) ? &hal->vidmem : &hal->bus;
}

/* The application's window on the pages; device memory keeps the arena's PROT_NONE. */
static int map_for_cpu(struct hal *hal, const struct inproc_mem *m)
{
    off_t offset = (off_t)(m->mem.bus - SOC_DRAM_BASE);
    void *at;

    if (hal_mem_is_device(m->mem.kind)) {
        return 0;
    }
    at = mmap(m->mem.cpu, m->mem.size, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
              m->mem.cpu_cached ? hal->view_fd : hal->dram_fd, offset);
    return at == MAP_FAILED ? -ENOMEM : 0;
}

static void unmap_for_cpu(struct inproc_mem *m)
{
    if (hal_mem_is_device(m->mem.kind)) {
        return; /* map_for_cpu() */
    }
    mmap(m->mem.cpu, m->mem.size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Has the model reach the pages of @m. */
static bool pages_open(struct hal *hal, const struct inproc_mem *m)
{
    uint64_t offset = m->mem.bus - SOC_DRAM_BASE;

    if (!inproc_image_open(&hal->dram_pages, offset, m->mem.size)) {
        return false;
    }
    if (m->mem.cpu_cached && !inproc_image_open(&hal->view_pages, offset, m->mem.size)) {
        inproc_image_close(&hal->dram_pages, offset, m->mem.size);
        return false;
    }
    return true;
}

/* Pages back to the host, so that the next owner finds zeros. */
static void pages_drop(struct hal *hal, const struct inproc_mem *m)
{
    off_t offset = (off_t)(m->mem.bus - SOC_DRAM_BASE);

    inproc_image_close(&hal->dram_pages, (uint64_t)offset, m->mem.size);
    if (m->mem.cpu_cached) {
        inproc_image_close(&hal->view_pages, (uint64_t)offset, m->mem.size);
    }
    fallocate(hal->dram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, (off_t)m->mem.size);
    if (!hal_mem_is_device(m->mem.kind)) { /* the CPU has no view of that */
        fallocate(hal->view_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                  (off_t)m->mem.size);
    }
    extents_free(bus_of(hal, m->mem.kind), m->mem.bus, m->mem.size);
}

static struct inproc_mem *mem_new(struct hal *hal, enum hal_mem_kind kind, bool registered,
                                  size_t size)
{
    struct inproc_mem *m;
    uint64_t bus;

    if (!extents_alloc(bus_of(hal, kind), size, HAL_PAGE, &bus)) {
        return NULL;
    }
    m = g_new0(struct inproc_mem, 1);
    m->mem.kind = kind;
    m->mem.size = size;
    m->mem.bus = bus;
    m->mem.id = ++hal->next_id;
    m->mem.registered = registered;
    m->mem.cpu_cached =
        hal_caching(hal->config.profile, kind, registered, RULES_CPU) == RULES_CACHED;
    m->dram = hal->dram + (bus - SOC_DRAM_BASE);
    m->view_model = m->mem.cpu_cached ? hal->views + (bus - SOC_DRAM_BASE) : NULL;
    if (!pages_open(hal, m)) {
        extents_free(bus_of(hal, kind), bus, size);
        g_free(m);
        return NULL;
    }
    return m;
}

/* Addresses of the arena; those of freed memory only when there are no others. */
static bool va_take(struct hal *hal, size_t size, size_t align, uint64_t *va)
{
    align = MAX(align, HAL_PAGE);
    return extents_alloc(&hal->va, size, align, va) ||
           (quarantine_release(&hal->va_freed) && extents_alloc(&hal->va, size, align, va));
}

static bool va_choose(struct hal *hal, size_t size, size_t align, void *at, void **out)
{
    uint64_t va = (uintptr_t)at;

    if (!at && !va_take(hal, size, align, &va)) {
        return false;
    }
    *out = (void *)(uintptr_t)va;
    return true;
}

int hal_mem_alloc(struct hal *hal, enum hal_mem_kind kind, size_t size, size_t align, void *at,
                  struct hal_mem *out)
{
    struct inproc_mem *m;
    size_t asked = size;

    if (size == 0 || size > hal->dram_bytes || (align & (align - 1)) || (uintptr_t)at % HAL_PAGE) {
        return size > hal->dram_bytes ? -ENOMEM : -EINVAL;
    }
    size = (size + HAL_PAGE - 1) & ~(size_t)(HAL_PAGE - 1);
    m = mem_new(hal, kind, false, size);
    if (!m) {
        return -ENOMEM;
    }
    m->at_given = at != NULL;
    if (!va_choose(hal, size, align, at, &m->mem.cpu)) {
        pages_drop(hal, m);
        g_free(m);
        return -ENOMEM;
    }
    if (map_for_cpu(hal, m) != 0) {
        if (!at) {
            extents_free(&hal->va, (uintptr_t)m->mem.cpu, size);
        }
        pages_drop(hal, m);
        g_free(m);
        return -ENOMEM;
    }
    inproc_enter(hal);
    soc_memory_add(hal->soc, m->mem.id, m->mem.bus, size, m->dram, m->view_model, false);
    soc_memory_asked(hal->soc, m->mem.id, asked);
    inproc_leave(hal);
    mems_insert(hal, m);
    *out = m->mem;
    return 0;
}

void hal_mem_free(struct hal *hal, const struct hal_mem *mem)
{
    struct inproc_mem *m = mems_remove(hal, mem);

    if (!m) {
        return;
    }
    inproc_enter(hal);
    soc_memory_remove(hal->soc, m->mem.id);
    inproc_leave(hal);
    unmap_for_cpu(m);
    if (!m->at_given && m->mem.kind == HAL_MEM_KERNEL) { /* no application knows the address */
        extents_free(&hal->va, (uintptr_t)m->mem.cpu, m->mem.size);
    } else if (!m->at_given) {
        quarantine_add(&hal->va_freed, (uintptr_t)m->mem.cpu, m->mem.size);
    }
    pages_drop(hal, m);
    g_free(m);
}

/* Can the process load from and store to every page? Asks the kernel instead of trying. Where a
 * sandbox forbids the question, the pointer is trusted, as runtime/driver/memory/staging.c does. */
static bool pages_usable(void *cpu, size_t size)
{
    for (size_t off = 0; off < size; off += HAL_PAGE) {
        if (!inproc_page_usable((char *)cpu + off, true)) {
            return errno == ENOSYS || errno == EPERM;
        }
    }
    return true;
}

static bool memory_overlaps(struct hal *hal, const void *cpu, size_t size)
{
    unsigned i;
    bool found;

    inproc_mems_lock(hal);
    i = mems_index(hal, (uintptr_t)cpu);
    found = i < hal->n_mems && (uintptr_t)hal->mems[i]->mem.cpu < (uintptr_t)cpu + size;
    inproc_mems_unlock(hal);
    return found;
}

int hal_mem_register(struct hal *hal, void *cpu, size_t size, struct hal_mem *out)
{
    struct inproc_mem *m;

    if (!rules_port_snoops(hal->config.profile, BUS_AGENT_IGPU)) {
        return -ENOTSUP; /* CUDA for Tegra 2.1 */
    }
    if (size == 0 || (uintptr_t)cpu % HAL_PAGE || size % HAL_PAGE ||
        memory_overlaps(hal, cpu, size)) {
        return size == 0 || (uintptr_t)cpu % HAL_PAGE || size % HAL_PAGE ? -EINVAL : -EEXIST;
    }
    if (!pages_usable(cpu, size)) {
        return -EFAULT;
    }
    m = mem_new(hal, HAL_MEM_PINNED, true, size);
    if (!m) {
        return -ENOMEM;
    }
    m->mem.cpu = cpu;
    m->view_model = cpu;
    inproc_enter(hal);
    soc_memory_add(hal->soc, m->mem.id, m->mem.bus, size, m->dram, cpu, true);
    inproc_leave(hal);
    mems_insert(hal, m);
    *out = m->mem;
    return 0;
}

void hal_mem_unregister(struct hal *hal, const struct hal_mem *mem)
{
    struct inproc_mem *m = mems_remove(hal, mem);

    if (m) {
        inproc_enter(hal);
        soc_memory_remove(hal->soc, m->mem.id);
        inproc_leave(hal);
        if (inproc_adopted_give(hal, m)) {
            pages_drop(hal, m);
        }
        g_free(m);
    }
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

int hal_mem_protect(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len,
                    enum hal_prot prot)
{
    static const int prots[] = {
        [HAL_PROT_NONE] = PROT_NONE,
        [HAL_PROT_READ] = PROT_READ,
        [HAL_PROT_WRITE] = PROT_READ | PROT_WRITE,
    };

    struct inproc_mem *m = inproc_mem_at(hal, mem->cpu);

    if (!m || hal_mem_is_device(mem->kind) || offset % HAL_PAGE || len % HAL_PAGE ||
        offset > mem->size || len > mem->size - offset) {
        return -EINVAL;
    }
    inproc_enter(hal);
    m->closed = prot != HAL_PROT_WRITE || (m->closed && len < mem->size);
    inproc_leave(hal);
    return mprotect((char *)mem->cpu + offset, len, prots[prot]) == 0 ? 0 : -errno;
}

static bool is_adopted(const struct inproc_mem *m, size_t offset, size_t len)
{
    return offset >= m->adopted.offset && len <= m->adopted.bytes &&
           offset - m->adopted.offset <= m->adopted.bytes - len;
}

void *hal_mem_alias(struct hal *hal, const struct hal_mem *mem)
{
    struct inproc_mem *m = inproc_mem_at(hal, mem->cpu);
    size_t offset = m ? (size_t)((uint8_t *)mem->cpu - (uint8_t *)m->mem.cpu) : 0;

    if (!m || m->mem.id != mem->id || hal_mem_is_device(m->mem.kind)) {
        return NULL;
    }
    if (m->mem.registered) {
        return is_adopted(m, offset, mem->size) ? hal->views + (m->mem.bus - SOC_DRAM_BASE) + offset
                                                : NULL;
    }
    return (m->view_model ? m->view_model : m->dram) + offset;
}

void hal_arena_bounds(struct hal *hal, uint64_t *base, uint64_t *size)
{
    *base = hal->va.start;
    *size = hal->va.end - hal->va.start;
}

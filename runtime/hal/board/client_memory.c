/* SPDX-License-Identifier: MIT */
/* Memory of a board in another process: the server says where, this process maps the pages there.
 * Who reads the server's bytes here and who reads them there sees the same file; what the CPU may
 * touch is this process' own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/hal/board/client.h"

#define FREE_PAGES (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static bool is_range(uint64_t base, uint64_t bytes)
{
    return base % HAL_PAGE == 0 && bytes % HAL_PAGE == 0 && bytes > 0 && base <= UINT64_MAX - bytes;
}

#ifdef __aarch64__
static bool arena_is_free(uint64_t base, uint64_t bytes)
{
    unsigned long start, end;
    char line[512];
    bool is_free = true;
    FILE *maps = fopen("/proc/self/maps", "re");

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
            is_free = is_free && (end <= base || start >= base + bytes);
        }
    }
    if (maps) {
        fclose(maps);
    }
    return is_free;
}
#endif

/* Nothing else comes to lie between the board's pages. qemu-aarch64 7.2 keeps notes about every
 * page of a mapping, which for so many takes minutes: there the range has only to be free. A
 * mapping that appears in it later is kept, and the board's memory at its place is refused.
 */
static bool arena_reserve(struct hal *hal)
{
#ifdef __aarch64__
    return hal->board.flags & BOARD_SAME_PROCESS ||
           arena_is_free(hal->board.arena_base, hal->board.arena_bytes);
#else
    void *want = (void *)(uintptr_t)hal->board.arena_base;
    void *at =
        mmap(want, hal->board.arena_bytes, PROT_NONE, FREE_PAGES | MAP_FIXED_NOREPLACE, -1, 0);

    if (at != want && at != MAP_FAILED) {
        munmap(at, hal->board.arena_bytes);
    }
    hal->reserved = at == want;
    return hal->reserved;
#endif
}

int client_memory_open(struct hal *hal)
{
    const struct board_welcome *b = &hal->board;

    if (!is_range(b->arena_base, b->arena_bytes) || !is_range(b->dram_base, b->dram_bytes)) {
        fprintf(stderr, "vtegra: the board's addresses make no sense\n");
        return -EPROTO;
    }
    for (int i = 0; i < 2; i++) {
        int seals = fcntl(hal->files[i], F_GET_SEALS);
        struct stat st;

        if (fstat(hal->files[i], &st) != 0 || (uint64_t)st.st_size != b->dram_bytes) {
            fprintf(stderr, "vtegra: the board's memory is not as large as it says\n");
            return -EPROTO;
        }
        if (seals < 0 || !(seals & F_SEAL_SHRINK)) { /* cut short, a touch here would be SIGBUS */
            fprintf(stderr,
                    "vtegra: the board's memory is not sealed against a change of its size\n");
            return -EPROTO;
        }
    }
    if (!arena_reserve(hal)) {
        fprintf(stderr,
                "vtegra: the board's memory belongs at 0x%llx .. 0x%llx, which is not free in this "
                "process\n",
                (unsigned long long)b->arena_base,
                (unsigned long long)(b->arena_base + b->arena_bytes));
        return -ENOMEM;
    }
    return 0;
}

static void client_memory_unmap(const struct hal *hal, void *cpu, size_t size)
{
    if (hal->reserved) {
        mmap(cpu, size, PROT_NONE, FREE_PAGES | MAP_FIXED, -1, 0);
    } else {
        munmap(cpu, size);
    }
}

void client_memory_close(struct hal *hal)
{
    for (unsigned i = 0; i < hal->n_mems && !hal->reserved; i++) {
        munmap(hal->mems[i].mem.cpu, hal->mems[i].mem.size);
    }
    if (hal->reserved) {
        munmap((void *)(uintptr_t)hal->board.arena_base, hal->board.arena_bytes);
    }
    g_free(hal->mems);
}

void hal_arena_bounds(struct hal *hal, uint64_t *base, uint64_t *size)
{
    *base = hal->board.arena_base;
    *size = hal->board.arena_bytes;
}

/* --- who lies where --------------------------------------------------------------------------- */

static void mems_lock(struct hal *hal)
{
    while (atomic_flag_test_and_set_explicit(&hal->busy, memory_order_acquire)) {
    }
}

static void mems_unlock(struct hal *hal)
{
    atomic_flag_clear_explicit(&hal->busy, memory_order_release);
}

/* The first that ends behind @at. */
static unsigned mems_index(const struct hal *hal, uintptr_t at)
{
    unsigned lo = 0, hi = hal->n_mems;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if ((uintptr_t)hal->mems[mid].mem.cpu + hal->mems[mid].mem.size <= at) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* What is there already has come once more: by import. Return: false: it is not. */
static bool mems_again(struct hal *hal, const struct hal_mem *mem)
{
    unsigned i;
    bool again;

    mems_lock(hal);
    i = mems_index(hal, (uintptr_t)mem->cpu);
    again = i < hal->n_mems && hal->mems[i].mem.id == mem->id;
    if (again) {
        hal->mems[i].holds++;
    }
    mems_unlock(hal);
    return again;
}

static void mems_insert(struct hal *hal, const struct hal_mem *mem)
{
    unsigned i;

    mems_lock(hal);
    if (hal->n_mems == hal->cap_mems) {
        hal->cap_mems = MAX(16, hal->cap_mems * 2);
        hal->mems = g_renew(struct client_mem, hal->mems, hal->cap_mems);
    }
    i = mems_index(hal, (uintptr_t)mem->cpu);
    memmove(hal->mems + i + 1, hal->mems + i, (hal->n_mems - i) * sizeof(*hal->mems));
    hal->mems[i] = (struct client_mem){ *mem, 1 };
    hal->n_mems++;
    mems_unlock(hal);
}

/* Return: false: it is not there. *@last: it is no longer. */
static bool mems_remove(struct hal *hal, const struct hal_mem *mem, bool *last)
{
    bool found;
    unsigned i;

    mems_lock(hal);
    i = mems_index(hal, (uintptr_t)mem->cpu);
    found = i < hal->n_mems && hal->mems[i].mem.id == mem->id;
    *last = found && --hal->mems[i].holds == 0;
    if (*last) {
        hal->n_mems--;
        memmove(hal->mems + i, hal->mems + i + 1, (hal->n_mems - i) * sizeof(*hal->mems));
    }
    mems_unlock(hal);
    return found;
}

bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out)
{
    bool found;
    unsigned i;

    mems_lock(hal);
    i = mems_index(hal, (uintptr_t)cpu);
    found = i < hal->n_mems && (uintptr_t)hal->mems[i].mem.cpu <= (uintptr_t)cpu;
    if (found) {
        *out = hal->mems[i].mem;
    }
    mems_unlock(hal);
    return found;
}

/* --- allocation ------------------------------------------------------------------------------- */

/* The server may be anybody: what it answers lies in the arena and in the files, or is refused. */
static bool mem_sensible(const struct hal *hal, const struct hal_mem *mem, size_t asked)
{
    const struct board_welcome *b = &hal->board;
    uint64_t cpu = (uintptr_t)mem->cpu, size = mem->size;

    return size >= asked && size % HAL_PAGE == 0 && cpu % HAL_PAGE == 0 &&
           mem->bus % HAL_PAGE == 0 && cpu >= b->arena_base && size <= b->arena_bytes &&
           cpu - b->arena_base <= b->arena_bytes - size && mem->bus >= b->dram_base &&
           size <= b->dram_bytes && mem->bus - b->dram_base <= b->dram_bytes - size && mem->id != 0;
}

static int map_for_cpu(const struct hal *hal, const struct hal_mem *mem)
{
    off_t offset = (off_t)(mem->bus - hal->board.dram_base);
    int how =
        hal->reserved || hal->board.flags & BOARD_SAME_PROCESS ? MAP_FIXED : MAP_FIXED_NOREPLACE;
    void *at;

    if (hal_mem_is_device(mem->kind)) {
        return 0;
    }
    at = mmap(mem->cpu, mem->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | how,
              hal->files[mem->cpu_cached], offset);
    if (at != mem->cpu && at != MAP_FAILED) {
        munmap(at, mem->size);
    }
    return at == mem->cpu ? 0 : -ENOMEM;
}

int hal_mem_alloc(struct hal *hal, enum hal_mem_kind kind, size_t size, size_t align, void *at,
                  struct hal_mem *out)
{
    uint64_t value[BOARD_VALUES];
    int err = (int)board_call(hal, BOARD_ALLOC,
                              (const uint64_t[6]){ kind, size, align, (uintptr_t)at }, value);

    if (err) {
        return err == -EIO ? -ENOMEM : err;
    }
    *out = (struct hal_mem){ .cpu = (void *)(uintptr_t)value[0],
                             .size = value[1],
                             .bus = value[2],
                             .id = (uint32_t)value[3],
                             .kind = kind,
                             .cpu_cached = value[5] & 1 };
    if (!mem_sensible(hal, out, size) || (at && out->cpu != at)) {
        fprintf(stderr, "vtegra: the board has answered with memory that makes no sense\n");
        return -ENOMEM;
    }
    err = map_for_cpu(hal, out);
    if (err) {
        BOARD_CALL(hal, BOARD_FREE, out->id);
        return err;
    }
    mems_insert(hal, out);
    return 0;
}

void hal_mem_free(struct hal *hal, const struct hal_mem *mem)
{
    bool last;

    if (mems_remove(hal, mem, &last)) {
        if (last) {
            client_memory_unmap(hal, mem->cpu, mem->size);
        }
        BOARD_CALL(hal, BOARD_FREE, mem->id);
    }
}

int hal_export(struct hal *hal, const struct hal_pass *pass, uint64_t token[2])
{
    uint64_t value[BOARD_VALUES];
    int err;

    if (!hal->board.board) {
        return -ENOTSUP;
    }
    err = (int)board_call(hal, BOARD_EXPORT,
                          (const uint64_t[6]){ pass->mem.id, pass->syncpt,
                                               pass->rights | (pass->often ? BOARD_OFTEN : 0),
                                               pass->note[0], pass->note[1] },
                          value);
    memcpy(token, value, 2 * sizeof(token[0]));
    return err;
}

void hal_unexport(struct hal *hal, const uint64_t token[2])
{
    BOARD_CALL(hal, BOARD_UNEXPORT, token[0], token[1]);
}

/* Return: 0; -ENOMEM: it cannot be here, and was given back. */
static int imported_map(struct hal *hal, const struct hal_mem *mem)
{
    if (!mem->id || mems_again(hal, mem)) {
        return 0;
    }
    if (!mem_sensible(hal, mem, 0) || mem->kind >= HAL_MEM_KINDS || map_for_cpu(hal, mem) != 0) {
        BOARD_CALL(hal, BOARD_FREE, mem->id);
        return -ENOMEM;
    }
    mems_insert(hal, mem);
    return 0;
}

int hal_import(struct hal *hal, const uint64_t token[2], uint32_t least, struct hal_pass *out)
{
    uint64_t value[BOARD_VALUES];
    int err;

    *out = (struct hal_pass){ 0 };
    if (!hal->board.board) {
        return -ENOTSUP;
    }
    err =
        (int)board_call(hal, BOARD_IMPORT, (const uint64_t[6]){ token[0], token[1], least }, value);
    if (err) {
        return err;
    }
    *out = (struct hal_pass){ .mem = { .cpu = (void *)(uintptr_t)value[0],
                                       .size = value[1],
                                       .bus = value[2],
                                       .id = (uint32_t)value[3],
                                       .kind = (enum hal_mem_kind)value[4],
                                       .cpu_cached = value[5] & 1 },
                              .syncpt = (uint32_t)(value[5] >> 32),
                              .rights = value[5] >> 8 & 0xff,
                              .often = (value[5] & BOARD_OFTEN) != 0,
                              .note = { value[6], value[7] } };
    if (out->syncpt >= hal->config.profile->host1x.syncpts) {
        return -ENOENT;
    }
    err = imported_map(hal, &out->mem);
    if (err && out->syncpt) {
        hal_release(hal, HAL_CLAIM_SYNCPT, out->syncpt);
    }
    return err;
}

/* The application's own pages are this process' only; the server cannot reach them. */
int hal_mem_register(struct hal *hal, void *cpu, size_t size, struct hal_mem *out)
{
    static bool said;

    (void)cpu;
    (void)size;
    (void)out;
    if (!said && hal->config.profile->soc.io_coherent) {
        fprintf(
            stderr,
            "vtegra: registered memory (cudaHostRegister) is not supported over a board in another "
            "process\n");
        said = true;
    }
    return -ENOTSUP;
}

void hal_mem_unregister(struct hal *hal, const struct hal_mem *mem)
{
    (void)hal;
    (void)mem; /* there is none */
}

bool hal_mem_lost(struct hal *hal, const void *cpu)
{
    (void)hal;
    (void)cpu;
    return false; /* the board is elsewhere and has no such memory */
}

int hal_process_pages(struct hal *hal, uint32_t *id)
{
    (void)id;
    if (hal->config.profile->gpu.pageable_uses_host_page_tables) {
        fprintf(stderr, "vtegra: a board in another process cannot reach pageable memory (malloc, "
                        "static, stack): "
                        "cudaDevAttrPageableMemoryAccess is 0 here\n");
    }
    return -ENOTSUP;
}

void *hal_va_reserve(struct hal *hal, size_t size, size_t align, void *hint)
{
    uint64_t value[BOARD_VALUES];
    const struct board_welcome *b = &hal->board;

    if (board_call(hal, BOARD_VA_RESERVE, (const uint64_t[6]){ size, align, (uintptr_t)hint },
                   value) != 0 ||
        value[0] < b->arena_base || size > b->arena_bytes ||
        value[0] - b->arena_base > b->arena_bytes - size) {
        return NULL;
    }
    return (void *)(uintptr_t)value[0];
}

void hal_va_release(struct hal *hal, void *va, size_t size)
{
    BOARD_CALL(hal, BOARD_VA_RELEASE, (uintptr_t)va, size);
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
    return NULL;
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

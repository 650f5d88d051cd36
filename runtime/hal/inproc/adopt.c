/* SPDX-License-Identifier: MIT */
/* Registered memory whose pages the board has taken over (hal_mem_adopt): the application's
 * addresses show the view file, as those of memory that came from here do. So the model reaches the
 * bytes while their pages are closed to the application.
 *
 * Private memory alone can move: nothing but the address leads to it. A child of fork() is to have
 * pages of its own, as it would have had, so they are copied before the fork.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hal/inproc/inproc.h"

/* One line of /proc/self/maps (proc(5)). */
struct mapping {
    uintptr_t first, end;
    char access[5];
    unsigned long offset;
    unsigned major, minor;
    unsigned long inode;
    char path[16]; /* its beginning */
};

static bool mapping_read(FILE *maps, struct mapping *out)
{
    char line[512];

    if (!fgets(line, sizeof(line), maps)) {
        return false;
    }
    if (!strchr(line, '\n')) {
        for (int c = fgetc(maps); c != '\n' && c != EOF;) {
            c = fgetc(maps);
        }
    }
    out->path[0] = '\0';
    return sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %15s", &out->first, &out->end, out->access,
                  &out->offset, &out->major, &out->minor, &out->inode, out->path) >= 7;
}

/* Those that overlap [first, end): an array of struct mapping. */
static GArray *mappings_of(uintptr_t first, uintptr_t end)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct mapping));
    FILE *maps = fopen("/proc/self/maps", "re");
    struct mapping m;

    while (maps && mapping_read(maps, &m) && m.first < end) {
        if (m.end > first) {
            g_array_append_val(all, m);
        }
    }
    if (maps) {
        fclose(maps);
    }
    return all;
}

/* A stack is left alone: the kernel writes there when a signal comes. */
static bool mapping_is_private(const struct mapping *m)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return strcmp(m->access, "rw-p") == 0 && strcmp(m->path, "[stack]") != 0 &&
           !(m->first <= here && here < m->end);
}

static bool all_is_private(uintptr_t first, uintptr_t end)
{
    g_autoptr(GArray) all = mappings_of(first, end);

    for (guint i = 0; i < all->len && first < end; i++) {
        const struct mapping *m = &g_array_index(all, struct mapping, i);

        if (m->first > first || !mapping_is_private(m)) {
            return false;
        }
        first = m->end;
    }
    return first >= end;
}

static uint8_t *bytes_of(const struct hal *hal, const struct inproc_mem *m)
{
    return hal->views + (m->mem.bus - SOC_DRAM_BASE) + m->adopted.offset;
}

/* --- children --------------------------------------------------------------------------------- */

static struct hal *adopting; /* the one board that has taken pages over */

static void copies_drop(struct hal *hal)
{
    for (unsigned i = 0; i < hal->n_mems; i++) {
        struct inproc_adopted *a = &hal->mems[i]->adopted;

        if (a->copy) {
            munmap(a->copy, a->bytes);
            a->copy = NULL;
        }
    }
}

static void *copy_of(const struct hal *hal, const struct inproc_mem *m)
{
    void *copy =
        mmap(NULL, m->adopted.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED) {
        return NULL;
    }
    memcpy(copy, bytes_of(hal, m), m->adopted.bytes);
    return copy;
}

static void fork_before(void)
{
    if (!adopting) {
        return;
    }
    inproc_mems_lock(adopting);
    for (unsigned i = 0; i < adopting->n_mems; i++) {
        struct inproc_mem *m = adopting->mems[i];

        m->adopted.copy = m->adopted.bytes ? copy_of(adopting, m) : NULL;
    }
}

static void fork_parent(void)
{
    if (adopting) {
        copies_drop(adopting);
        inproc_mems_unlock(adopting);
    }
}

static void *adopted_at(const struct inproc_mem *m)
{
    return (uint8_t *)m->mem.cpu + m->adopted.offset;
}

static void fork_child(void)
{
    for (unsigned i = 0; adopting && i < adopting->n_mems; i++) {
        struct inproc_adopted *a = &adopting->mems[i]->adopted;

        if (a->copy) {
            mremap(a->copy, a->bytes, a->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   adopted_at(adopting->mems[i]));
            a->copy = NULL;
            a->bytes = 0;
        }
    }
    if (adopting) {
        inproc_mems_unlock(adopting);
    }
}

/* --- taking and giving back ------------------------------------------------------------------- */

static bool pages_take(struct hal *hal, struct inproc_mem *m, size_t offset, size_t len)
{
    uint8_t *cpu = (uint8_t *)m->mem.cpu + offset;
    uint64_t from = m->mem.bus - SOC_DRAM_BASE + offset;

    if (mprotect(cpu, len, PROT_READ) != 0) {
        return false;
    }
    memcpy(hal->views + from, cpu, len);
    if (mmap(cpu, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, hal->view_fd,
             (off_t)from) == MAP_FAILED) {
        mprotect(cpu, len, PROT_READ | PROT_WRITE);
        return false;
    }
    return true;
}

bool hal_mem_adopt(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len)
{
    static bool forks;
    struct inproc_mem *m = inproc_mem_at(hal, mem->cpu);
    uintptr_t first = (uintptr_t)mem->cpu + offset;

    if (!m || !m->mem.registered || !m->mem.cpu_cached || m->adopted.bytes || !len ||
        offset % HAL_PAGE || len % HAL_PAGE || offset > m->mem.size || len > m->mem.size - offset ||
        !all_is_private(first, first + len)) {
        return false;
    }
    if (!forks) {
        forks = pthread_atfork(fork_before, fork_parent, fork_child) == 0;
    }
    if (!forks || !pages_take(hal, m, offset, len)) {
        return false;
    }
    adopting = hal;
    m->adopted = (struct inproc_adopted){ offset, len, NULL };
    inproc_enter(hal);
    soc_memory_view(hal->soc, m->mem.id, offset, len, bytes_of(hal, m));
    inproc_leave(hal);
    return true;
}

/* Return: false: there is no memory to copy to. */
static bool pages_give(const struct hal *hal, const struct inproc_mem *m, uintptr_t first,
                       uintptr_t end)
{
    size_t len = end - first;
    uint64_t from = m->mem.bus - SOC_DRAM_BASE + (first - (uintptr_t)m->mem.cpu);
    void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED) {
        return false;
    }
    mprotect((void *)first, len, PROT_READ);
    memcpy(copy, hal->views + from, len);
    if (mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first) == MAP_FAILED) {
        mprotect((void *)first, len, PROT_READ | PROT_WRITE);
        munmap(copy, len);
        return false;
    }
    return true;
}

/* What the application has unmapped, or put in its place, is not ours to give. */
static bool mapping_is_ours(const struct hal *hal, const struct inproc_mem *m,
                            const struct mapping *at)
{
    uint64_t offset = m->mem.bus - SOC_DRAM_BASE + (at->first - (uintptr_t)m->mem.cpu);
    struct stat view;

    return fstat(hal->view_fd, &view) == 0 && at->inode == view.st_ino && at->offset == offset;
}

bool inproc_adopted_give(struct hal *hal, struct inproc_mem *m)
{
    uintptr_t first = (uintptr_t)adopted_at(m), end = first + m->adopted.bytes;
    g_autoptr(GArray) all = m->adopted.bytes ? mappings_of(first, end) : NULL;
    bool given = true;

    for (guint i = 0; all && i < all->len; i++) {
        const struct mapping *at = &g_array_index(all, struct mapping, i);

        if (mapping_is_ours(hal, m, at)) {
            given = pages_give(hal, m, MAX(first, at->first), MIN(end, at->end)) && given;
        }
    }
    m->adopted.bytes = 0;
    return given;
}

void inproc_adopted_close(const struct hal *hal)
{
    if (adopting == hal) {
        adopting = NULL;
    }
}

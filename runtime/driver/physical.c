/* SPDX-License-Identifier: MIT */
/* Memory without an address: who holds it, and descriptors that stand for it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/driver/core.h"
#include "runtime/driver/virtual.h"

struct physical *physical_new(size_t size, const CUmemAllocationProp *prop)
{
    struct physical *p = g_new0(struct physical, 1);
    struct check_region told = { .size = size, .api = "cuMemCreate" };
    void *va;

    p->reserved = size + HAL_PAGE;
    va = hal_va_reserve(core.hal, p->reserved, HAL_PAGE, NULL);
    if (!va || hal_mem_alloc(core.hal, HAL_MEM_DEVICE, size, HAL_PAGE, va, &p->mem)) {
        if (va) {
            hal_va_release(core.hal, va, p->reserved);
        }
        g_free(p);
        return NULL;
    }
    p->prop = *prop;
    p->door = -1;
    p->handle = handle_new(HANDLE_PHYSICAL, p);
    p->handles = 1;
    core.used_bytes += p->mem.size;
    g_ptr_array_add(core.physicals, p);
    told.mem = p->mem;
    told.caller = check_caller_get();
    check_region_add(core.check, &told);
    return p;
}

struct physical *physical_of(CUmemGenericAllocationHandle handle)
{
    struct physical *p = handle_find(HANDLE_PHYSICAL, (void *)(uintptr_t)handle);

    return p && p->handles ? p : NULL;
}

/* Does somebody still have the exported end of the pipe open? */
static bool descriptor_open(const struct physical *p)
{
    struct pollfd door = { .fd = p->door };

    return p->door >= 0 && !(poll(&door, 1, 0) == 1 && (door.revents & POLLERR));
}

void physical_released(struct physical *p)
{
    struct check_caller caller = check_caller_get();

    if (p->handles || p->mappings || descriptor_open(p)) {
        return;
    }
    if (p->door >= 0) {
        close(p->door);
    }
    handle_free(p->handle);
    g_ptr_array_remove(core.physicals, p);
    check_region_remove(core.check, p->mem.id, &caller);
    core.used_bytes -= p->mem.size;
    hal_mem_free(core.hal, &p->mem);
    hal_va_release(core.hal, p->mem.cpu, p->reserved);
    g_free(p);
}

void physical_reap(void)
{
    for (guint i = core.physicals->len; i > 0; i--) {
        physical_released(g_ptr_array_index(core.physicals, i - 1));
    }
}

/* Any number of descriptors may be asked for; all are ends of one pipe, and all closed is what
 * poll() says of the other end. */
CUresult physical_export(struct physical *p, int *descriptor)
{
    char path[32];
    int ends[2];
    struct stat st;

    if (descriptor_open(p)) {
        g_snprintf(path, sizeof(path), "/proc/self/fd/%d", p->door);
        *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        return *descriptor < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
    }
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    if (fstat(ends[0], &st) != 0) {
        close(ends[0]);
        close(ends[1]);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    if (p->door >= 0) {
        close(p->door);
    }
    p->door = ends[1];
    p->inode = st.st_ino;
    *descriptor = ends[0];
    return CUDA_SUCCESS;
}

CUresult physical_import(int descriptor, struct physical **out)
{
    struct stat st;

    if (fstat(descriptor, &st) != 0) {
        return CUDA_ERROR_UNKNOWN;
    }
    for (guint i = 0; S_ISFIFO(st.st_mode) && i < core.physicals->len; i++) {
        struct physical *p = g_ptr_array_index(core.physicals, i);

        if (p->door >= 0 && p->inode == st.st_ino) {
            *out = p;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

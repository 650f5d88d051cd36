/* SPDX-License-Identifier: MIT */
/* Memory without an address: who holds it, and descriptors that stand for it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/memory/virtual_internal.h"

static struct object_list physicals; /* struct physical */

static void physical_end(void *object)
{
    struct physical *p = object;
    struct check_caller caller = check_caller_get();

    if (p->door >= 0) {
        close(p->door);
    }
    if (p->exported) {
        hal_unexport(core_hal(), p->token);
    }
    check_region_remove(core_check(), p->mem.id, &caller);
    room_give(p->mem.kind, p->mem.size);
    hal_mem_free(core_hal(), &p->mem);
    if (!p->imported) {
        hal_va_release(core_hal(), p->mem.cpu, p->reserved);
    }
}

static const struct object_kind physical_kind = { .name = "physical memory",
                                                  .type = HANDLE_PHYSICAL,
                                                  .end = physical_end };

static struct physical *physical_make(const struct hal_mem *mem, size_t size,
                                      const CUmemAllocationProp *prop, const char *api)
{
    struct physical *p = object_new(&physical_kind, sizeof(*p), NULL);
    struct check_region told = { .mem = *mem, .size = size, .api = api };

    p->mem = *mem;
    p->prop = *prop;
    p->door = -1;
    object_open(&p->base);
    room_take(p->mem.kind, p->mem.size);
    object_list_add(&physicals, &p->base);
    told.caller = report_caller();
    check_region_add(core_check(), &told);
    return p;
}

struct physical *physical_new(size_t size, const CUmemAllocationProp *prop)
{
    size_t reserved = size + HAL_PAGE;
    void *va = hal_va_reserve(core_hal(), reserved, HAL_PAGE, NULL);
    struct hal_mem mem;
    struct physical *p;

    if (!va || hal_mem_alloc(core_hal(), device_memory_kind(device_of(prop->location.id)), size,
                             HAL_PAGE, va, &mem)) {
        if (va) {
            hal_va_release(core_hal(), va, reserved);
        }
        return NULL;
    }
    p = physical_make(&mem, size, prop, "cuMemCreate");
    p->reserved = reserved;
    p->handles = 1;
    return p;
}

struct physical *physical_of(CUmemGenericAllocationHandle handle)
{
    struct physical *p = handle_find(HANDLE_PHYSICAL, (void *)(uintptr_t)handle);

    return p && p->handles ? p : NULL;
}

/* Does a process still have the exported end of the pipe open? */
static bool descriptor_open(const struct physical *p)
{
    struct pollfd door = { .fd = p->door };

    return p->door >= 0 && !(poll(&door, 1, 0) == 1 && (door.revents & POLLERR));
}

void physical_released(struct physical *p)
{
    if (!p->handles && !p->mappings && !descriptor_open(p)) {
        object_unref(&p->base);
    }
}

void physical_reap(void)
{
    for (struct physical *p = object_last(&physicals), *before; p; p = before) {
        before = object_before(&p->base);
        physical_released(p);
    }
}

/* What lies in the pipe, for a process that shares the board: it looks, and takes nothing out. */
struct message {
    uint64_t magic, board, token[2];
};
#define MESSAGE_MAGIC UINT64_C(0x7967726574667664)

static bool message_put(struct physical *p, int pipe)
{
    const struct hal_pass pass = { .mem = p->mem,
                                   .rights = HAL_RIGHT_READ | HAL_RIGHT_WRITE,
                                   .often = true };
    struct message m = { .magic = MESSAGE_MAGIC };
    uint32_t process;

    if (!hal_shared_board(core_hal(), &m.board, &process)) {
        return true;
    }
    if (!p->exported && hal_export(core_hal(), &pass, p->token)) {
        return false;
    }
    p->exported = true;
    memcpy(m.token, p->token, sizeof(m.token));
    return write(pipe, &m, sizeof(m)) == sizeof(m);
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
    if (fstat(ends[0], &st) != 0 || !message_put(p, ends[1])) {
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

/* false: the descriptor is none of another process's on this board. */
static bool message_peek(int descriptor, struct message *m)
{
    uint64_t board;
    uint32_t process;
    int copy[2];
    bool got;

    if (!hal_shared_board(core_hal(), &board, &process) || pipe2(copy, O_CLOEXEC | O_NONBLOCK)) {
        return false;
    }
    got = tee(descriptor, copy[1], sizeof(*m), SPLICE_F_NONBLOCK) == sizeof(*m) &&
          read(copy[0], m, sizeof(*m)) == sizeof(*m) && m->magic == MESSAGE_MAGIC &&
          m->board == board;
    close(copy[0]);
    close(copy[1]);
    return got;
}

static struct physical *imported_before(const uint64_t token[2])
{
    for (struct physical *p = object_first(&physicals); p; p = object_after(&p->base)) {
        if (p->imported && !memcmp(p->token, token, sizeof(p->token))) {
            return p;
        }
    }
    return NULL;
}

/* Of another process; NULL: it is stale. What a handle says of itself is measured (H200, 580). */
static struct physical *import(const uint64_t token[2])
{
    const CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
    struct physical *p = imported_before(token);
    struct hal_pass pass;

    if (p || hal_import(core_hal(), token, HAL_RIGHT_READ | HAL_RIGHT_WRITE, &pass)) {
        return p;
    }
    if (!pass.mem.id || !hal_mem_is_device(pass.mem.kind) || pass.syncpt) {
        if (pass.mem.id) {
            hal_mem_free(core_hal(), &pass.mem);
        }
        return NULL;
    }
    p = physical_make(&pass.mem, pass.mem.size, &prop, "cuMemImportFromShareableHandle");
    p->imported = true;
    memcpy(p->token, token, sizeof(p->token));
    return p;
}

CUresult physical_import(int descriptor, struct physical **out)
{
    struct message m;
    struct stat st;

    if (fstat(descriptor, &st) != 0) {
        return CUDA_ERROR_UNKNOWN;
    }
    for (struct physical *p = S_ISFIFO(st.st_mode) ? object_first(&physicals) : NULL; p;
         p = object_after(&p->base)) {
        if (p->door >= 0 && p->inode == st.st_ino) {
            *out = p;
            return CUDA_SUCCESS;
        }
    }
    *out = S_ISFIFO(st.st_mode) && message_peek(descriptor, &m) ? import(m.token) : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

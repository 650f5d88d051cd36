/* SPDX-License-Identifier: MIT */
/* Memory that the VI writes: mapped for its SMMU stream as long as the buffer lives. */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/engines/vi/vi.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/observe/closed.h"

static int buffer_map(struct rt_camera_buffer *b, size_t offset, size_t bytes)
{
    int err =
        hal_iommu_map(core_hal(), UNIT_VI, &b->mem, offset, bytes, HAL_PROT_WRITE, &b->mapped_iova);

    b->mapped = err ? 0 : bytes;
    return err;
}

int rt_camera_buffer_shared(struct rt_shared *shared, struct rt_camera_buffer **out)
{
    struct rt_camera_buffer *b = g_new0(struct rt_camera_buffer, 1);
    int err;

    if (core_enter_any() != CUDA_SUCCESS) {
        g_free(b);
        return -EIO;
    }
    b->mem = *shared_mem(shared);
    err = buffer_map(b, 0, b->mem.size);
    core_leave(CUDA_SUCCESS);
    if (err) {
        g_free(b);
        return err;
    }
    b->shared = rt_shared_ref(shared);
    b->iova = b->mapped_iova;
    *out = b;
    return 0;
}

/* get_user_pages(): managed memory that the GPU has is closed (inferred: as any access of the
 * kernel's to it). */
static bool pages_open(uint8_t *at)
{
    uint8_t byte;
    struct iovec to = { &byte, 1 }, from = { at, 1 };

    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

static void user_memory_forget(struct rt_camera_buffer *b)
{
    struct check_caller caller = check_caller_get();

    pending_user_gone(&b->mem);
    check_region_remove(core_check(), b->mem.id, &caller);
    closed_moving(b->mem.cpu, b->mem.size);
    hal_mem_unregister(core_hal(), &b->mem);
    closed_moving(NULL, 0);
}

static int user_memory_register(struct rt_camera_buffer *b, uintptr_t first, uintptr_t end)
{
    struct check_region region = { .size = b->bytes, .api = "VIDIOC_QBUF" };
    int err = hal_mem_register(core_hal(), (void *)first, end - first, &b->mem);

    if (!err) {
        b->registered = true;
        region.mem = b->mem;
        region.caller = check_caller_get();
        check_region_add(core_check(), &region);
        pending_user_new(&b->mem, b->at, b->bytes, &b->adopted);
    }
    return err;
}

/* CUDA's memory is the board's already; pages of malloc() become so. */
static int user_memory_find(struct rt_camera_buffer *b)
{
    uintptr_t first = (uintptr_t)b->at & ~(uintptr_t)(HAL_PAGE - 1);
    uintptr_t end = ((uintptr_t)b->at + b->bytes + HAL_PAGE - 1) & ~(uintptr_t)(HAL_PAGE - 1);

    if (hal_mem_find(core_hal(), b->at, &b->mem)) {
        if (hal_mem_is_device(b->mem.kind) != b->device || b->mem.kind == HAL_MEM_KERNEL ||
            (uintptr_t)b->at + b->bytes > (uintptr_t)b->mem.cpu + b->mem.size) {
            return -EFAULT;
        }
        return b->mem.kind == HAL_MEM_MANAGED && !pages_open(b->at) ? -EFAULT : 0;
    }
    return b->device ? -EFAULT : user_memory_register(b, first, end);
}

static int user_make(struct rt_camera_buffer *b)
{
    size_t offset, bytes;
    int err = user_memory_find(b);

    if (err) {
        return err;
    }
    offset = (size_t)(b->at - (uint8_t *)b->mem.cpu) & ~(size_t)(HAL_PAGE - 1);
    bytes = ((size_t)(b->at - (uint8_t *)b->mem.cpu) + b->bytes + HAL_PAGE - 1 - offset) &
            ~(size_t)(HAL_PAGE - 1);
    err = buffer_map(b, offset, bytes);
    b->iova = b->mapped_iova + (uintptr_t)b->at % HAL_PAGE;
    if (err && b->registered) {
        user_memory_forget(b);
    }
    return err;
}

static int buffer_make(void *at, size_t bytes, bool device, struct rt_camera_buffer **out)
{
    struct rt_camera_buffer *b = g_new0(struct rt_camera_buffer, 1);
    int err;

    if (!bytes || (uintptr_t)at + bytes < (uintptr_t)at || core_enter_any() != CUDA_SUCCESS) {
        g_free(b);
        return -EFAULT;
    }
    b->at = at;
    b->bytes = bytes;
    b->device = device;
    err = user_make(b);
    core_leave(CUDA_SUCCESS);
    if (err) {
        g_free(b);
        return err;
    }
    *out = b;
    return 0;
}

int rt_camera_buffer_user(void *at, size_t bytes, struct rt_camera_buffer **out)
{
    return buffer_make(at, bytes, false, out);
}

int rt_camera_buffer_device(uint64_t at, size_t bytes, struct rt_camera_buffer **out)
{
    return buffer_make((void *)(uintptr_t)at, bytes, true, out);
}

void rt_camera_buffer_free(struct rt_camera_buffer *b)
{
    if (!b) {
        return;
    }
    if (core_enter_any() == CUDA_SUCCESS) {
        hal_iommu_unmap(core_hal(), UNIT_VI, b->mapped_iova, b->mapped);
        if (b->registered) {
            user_memory_forget(b);
        }
        core_leave(CUDA_SUCCESS);
    }
    rt_shared_unref(b->shared);
    g_free(b);
}

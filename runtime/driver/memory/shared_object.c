/* SPDX-License-Identifier: MIT */
/* Memory of the SoC that belongs to no CUDA context. */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/memory/external_internal.h"

#include <errno.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/memory_use.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"

static int pages_alloc(size_t bytes, size_t align, enum hal_mem_kind kind, struct hal_mem *mem,
                       size_t *reserved)
{
    size_t size = (bytes + (HAL_PAGE - 1)) & ~(size_t)(HAL_PAGE - 1);
    void *va;
    int error;

    if (!room_has(kind == HAL_MEM_VIDMEM ? kind : HAL_MEM_PINNED, size)) {
        return -ENOMEM;
    }
    *reserved = size + HAL_PAGE;
    va = hal_va_reserve(core_hal(), *reserved, MAX(align, HAL_PAGE), NULL);
    error = va ? hal_mem_alloc(core_hal(), kind, size, HAL_PAGE, va, mem) : -ENOMEM;
    if (error && va) {
        hal_va_release(core_hal(), va, *reserved);
    }
    return error;
}

static struct rt_shared *shared_object_begin(const struct hal_mem *mem, size_t bytes,
                                             size_t reserved, const char *api)
{
    struct rt_shared *s = shared_new(mem, bytes, reserved);
    struct check_region region = { .mem = *mem, .size = bytes, .api = api };

    room_take(shared_room(mem), mem->size);
    region.caller = report_caller();
    check_region_add(core_check(), &region);
    return s;
}

static CUresult memory_make(size_t bytes, size_t align, enum hal_mem_kind kind, const char *api,
                            struct rt_shared **out)
{
    uint64_t most = kind == HAL_MEM_VIDMEM ? room_most(kind) : board_profile()->memory.dram_bytes;
    struct hal_mem mem;
    size_t reserved;
    int status;

    cost_pass(COST_ALLOC, 1);
    if (bytes > most || align > most) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    status = pages_alloc(bytes, align, kind, &mem, &reserved);
    if (status) {
        return status == -ENOTSUP ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = shared_object_begin(&mem, bytes, reserved, api);
    return CUDA_SUCCESS;
}

CUresult shared_make(size_t bytes, size_t align, bool cpu_cached, const char *api,
                     struct rt_shared **out)
{
    return memory_make(bytes, align, cpu_cached ? HAL_MEM_SHARED : HAL_MEM_SHARED_UNCACHED, api,
                       out);
}

static CUresult memory_enter(size_t bytes, size_t align, struct rt_shared **out)
{
    CUresult error =
        !bytes || (align & (align - 1)) || !out ? CUDA_ERROR_INVALID_VALUE : rt_init(0);

    return error ? error : core_enter_any();
}

CUresult rt_shared_new(size_t bytes, size_t align, bool cpu_cached, const char *api,
                       struct rt_shared **out)
{
    CUresult error = memory_enter(bytes, align, out);

    return error ? error : core_leave(shared_make(bytes, align, cpu_cached, api, out));
}

CUresult rt_shared_new_vidmem(size_t bytes, size_t align, const char *api, struct rt_shared **out)
{
    CUresult error = memory_enter(bytes, align, out);

    return error ? error
                 : core_leave(soc_profile_gpus(board_profile()) < 2
                                  ? CUDA_ERROR_NOT_SUPPORTED
                                  : memory_make(bytes, align, HAL_MEM_VIDMEM, api, out));
}

/* --- between processes --- */

uint64_t rt_board_number(void)
{
    uint64_t board;
    uint32_t process;

    return core_is_up() && hal_shared_board(core_hal(), &board, &process) ? board : 0;
}

CUresult rt_shared_export(struct rt_shared *s, bool writable, uint64_t token[2])
{
    const struct hal_pass pass = { .mem = s->mem,
                                   .rights = HAL_RIGHT_READ | (writable ? HAL_RIGHT_WRITE : 0),
                                   .note = { s->bytes } };
    CUresult error = core_enter_any();
    int err = error ? 0 : hal_export(core_hal(), &pass, token);

    return error ? error
                 : core_leave(!err              ? CUDA_SUCCESS
                              : err == -ENOTSUP ? CUDA_ERROR_NOT_SUPPORTED
                                                : CUDA_ERROR_OUT_OF_MEMORY);
}

static struct rt_shared *shared_of(uint32_t id)
{
    for (struct rt_shared *s = object_first(&shared_all); s; s = object_after(&s->base)) {
        if (s->mem.id == id) {
            return s;
        }
    }
    return NULL;
}

/* What the exporter says of it may be wrong. */
static bool is_sensible(const struct hal_pass *pass, unsigned kinds)
{
    return pass->mem.id && pass->note[0] && pass->note[0] <= pass->mem.size &&
           (1u << pass->mem.kind & kinds);
}

static struct rt_shared *shared_object_imported(const struct hal_pass *pass, const char *api)
{
    struct rt_shared *s = shared_of(pass->mem.id);

    if (s) {
        hal_mem_free(core_hal(), &pass->mem); /* once is enough */
        shared_ref(s);
        return s;
    }
    return shared_object_begin(&pass->mem, pass->note[0], 0, api);
}

enum rt_import import_result(int error)
{
    switch (error) {
    case 0:
        return RT_IMPORT_OK;
    case -ENOENT:
        return RT_IMPORT_GONE;
    case -EACCES:
        return RT_IMPORT_DENIED;
    default:
        return RT_IMPORT_FAILED;
    }
}

int shared_import(const uint64_t token[2], unsigned kinds, const char *api, uint32_t *rights,
                  struct rt_shared **out)
{
    struct hal_pass pass;
    int err = hal_import(core_hal(), token, *rights, &pass);

    if (!err && !is_sensible(&pass, kinds)) {
        if (pass.mem.id) {
            hal_mem_free(core_hal(), &pass.mem);
        }
        if (pass.syncpt) {
            hal_release(core_hal(), HAL_CLAIM_SYNCPT, pass.syncpt);
        }
        err = -ENOENT;
    }
    if (!err) {
        *rights = pass.rights;
        *out = shared_object_imported(&pass, api);
    }
    return err;
}

enum rt_import rt_shared_import(const uint64_t token[2], const char *api, bool *writable,
                                struct rt_shared **out)
{
    uint32_t rights = HAL_RIGHT_READ | (*writable ? HAL_RIGHT_WRITE : 0);
    int err;

    if (core_enter_any() != CUDA_SUCCESS) {
        return RT_IMPORT_FAILED;
    }
    cost_pass(COST_MAP, 1);
    err = shared_import(token,
                        1u << HAL_MEM_SHARED | 1u << HAL_MEM_SHARED_UNCACHED | 1u << HAL_MEM_VIDMEM,
                        api, &rights, out);
    if (!err) {
        *writable = rights & HAL_RIGHT_WRITE;
    }
    core_leave(CUDA_SUCCESS);
    return import_result(err);
}

/* --- use --- */

struct rt_shared *rt_shared_ref(struct rt_shared *s)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        shared_ref(s);
        core_leave(CUDA_SUCCESS);
    }
    return s;
}

/* After the teardown the board is gone, and the memory with it. */
void rt_shared_unref(struct rt_shared *s)
{
    if (s && core_enter_any() == CUDA_SUCCESS) {
        shared_unref(s);
        core_leave(CUDA_SUCCESS);
    }
}

void *rt_shared_cpu(const struct rt_shared *s)
{
    return s->mem.cpu;
}

size_t rt_shared_size(const struct rt_shared *s)
{
    return s->bytes;
}

CUresult rt_shared_flush(struct rt_shared *s, uint64_t offset, uint64_t bytes)
{
    CUresult error = core_enter_any();

    if (error) {
        return error;
    }
    if (offset > s->bytes || bytes > s->bytes - offset) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (bytes && s->mem.cpu_cached) {
        hal_cpu_clean_invalidate(core_hal(), (uint8_t *)s->mem.cpu + offset, bytes);
        shared_flush_done(s);
        pending_shared_cleaned(s, offset, bytes);
        pending_shared_dropped(s, offset, bytes);
    }
    return core_leave(CUDA_SUCCESS);
}

void rt_shared_freed(struct rt_shared *s)
{
    if (core_enter_any() != CUDA_SUCCESS) {
        return;
    }
    if (s->imports) {
        report_finding(&check_rules[CHECK_RULE_EXTERNAL_FREED], s->mem.id, 0, 0, NULL,
                       "the NvSciBufObj is freed while CUDA, cuDLA or NvMedia 2D uses it");
    }
    core_leave(CUDA_SUCCESS);
}

/* SPDX-License-Identifier: MIT */
/* Handles of CUDA IPC: 64 bytes that a process gives another one in any way. */
#include <errno.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_ipc.h"
#include "runtime/driver/stream/event.h"
#include "runtime/driver/stream/ipc_event.h"

#define SECTION "CUDA Driver API, CUDA IPC"

enum { MEMORY_MAGIC = 0x4d495456, EVENT_MAGIC = 0x45495456 }; /* "VTIM", "VTIE" */

/* @process: the exporter, on @board; @token: of hal_export(). */
struct ipc_handle {
    uint32_t magic, process;
    uint64_t board, token[2], reserved[4];
};
_Static_assert(sizeof(struct ipc_handle) == CU_IPC_HANDLE_SIZE, "as CUDA has it");

static struct ipc_handle handle_make(uint32_t magic, const uint64_t token[2])
{
    struct ipc_handle h = { .magic = magic, .token = { token[0], token[1] } };

    hal_shared_board(core_hal(), &h.board, &h.process);
    return h;
}

/* Of another process on this board. @bad: the code of bytes that are none. */
static CUresult handle_check(const struct ipc_handle *h, uint32_t magic, CUresult bad,
                             const char *api)
{
    uint64_t board;
    uint32_t process;

    if (h->magic != magic || !hal_shared_board(core_hal(), &board, &process)) {
        return bad;
    }
    if (h->board != board) {
        return report_error(bad, api, SECTION,
                            "the handle is one of another board: give all processes one board "
                            "(vtegra run --shared, or --board SOCKET for each)");
    }
    if (h->process == process) {
        return report_error(CUDA_ERROR_INVALID_CONTEXT, api, SECTION,
                            "the handle is this process's own, and is for another process");
    }
    return CUDA_SUCCESS;
}

static CUresult ipc_handle_gone(CUresult code, const char *api)
{
    return report_error(code, api, SECTION,
                        "the handle is stale: the exporter has freed it, or has ended");
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What cudaMalloc() has given: nothing else goes to another process this way. */
static struct region *ipc_handle_exportable(CUdeviceptr ptr)
{
    struct region *r = region_range(ptr, 1);

    return r && hal_mem_is_device(r->mem.kind) && !r->physical && !r->shared && !r->of_module &&
                   !r->pool && !r->owner && !r->imported && r->use == REGION_DATA
               ? r
               : NULL;
}

static CUresult region_export(struct region *r)
{
    const struct hal_pass pass = { .mem = r->mem,
                                   .rights = HAL_RIGHT_READ | HAL_RIGHT_WRITE,
                                   .often = true,
                                   .note = { r->bytes } };

    if (!r->exported && hal_export(core_hal(), &pass, r->token)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    r->exported = true;
    return CUDA_SUCCESS;
}

CUresult rt_ipc_mem_get(CUipcMemHandle *handle, CUdeviceptr ptr)
{
    struct ipc_handle h;
    struct context *c;
    struct region *r;
    CUresult error;

    if (rule_find("cuIpcGetMemHandle")) {
        return rt_unsupported("cuIpcGetMemHandle");
    }
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    r = ipc_handle_exportable(ptr);
    if (!handle || !r) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuIpcGetMemHandle", SECTION,
                                       "no memory of cudaMalloc() of this process"));
    }
    error = region_export(r);
    if (!error) {
        h = handle_make(MEMORY_MAGIC, r->token);
        memcpy(handle, &h, sizeof(h));
    }
    return core_leave(error);
}

/* Opened here before. */
static struct region *ipc_handle_opened(const uint64_t token[2])
{
    for (struct region *r = region_above(0); r; r = region_above((uintptr_t)r->mem.cpu)) {
        if (r->imported && !memcmp(r->token, token, sizeof(r->token))) {
            return r;
        }
    }
    return NULL;
}

/* What the exporter says of it may be wrong. */
static bool is_sensible(const struct hal_pass *pass)
{
    return pass->mem.id && hal_mem_is_device(pass->mem.kind) && !pass->syncpt && pass->note[0] &&
           pass->note[0] <= pass->mem.size && !region_at((uintptr_t)pass->mem.cpu);
}

static CUresult mem_import(struct context *c, const uint64_t token[2], CUdeviceptr *ptr)
{
    struct hal_pass pass;
    struct region *r;
    CUresult error;
    int err = hal_import(core_hal(), token, HAL_RIGHT_READ | HAL_RIGHT_WRITE, &pass);

    if (err == -ENOENT || err == -EACCES) {
        return ipc_handle_gone(CUDA_ERROR_INVALID_HANDLE, "cuIpcOpenMemHandle");
    }
    if (err) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!is_sensible(&pass)) {
        if (pass.mem.id) {
            hal_mem_free(core_hal(), &pass.mem);
        }
        return ipc_handle_gone(CUDA_ERROR_INVALID_HANDLE, "cuIpcOpenMemHandle");
    }
    r = region_import(c, &pass.mem, pass.note[0], token, &error);
    if (r) {
        report_region(r, "cuIpcOpenMemHandle");
        *ptr = (uintptr_t)r->mem.cpu;
    }
    return error;
}

CUresult rt_ipc_mem_open(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned flags)
{
    struct ipc_handle h;
    struct context *c;
    struct region *r;
    CUresult error;

    if (rule_find("cuIpcOpenMemHandle")) {
        return rt_unsupported("cuIpcOpenMemHandle");
    }
    memcpy(&h, &handle, sizeof(h));
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    if (!ptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = handle_check(&h, MEMORY_MAGIC, CUDA_ERROR_INVALID_VALUE, "cuIpcOpenMemHandle");
    r = error ? NULL : ipc_handle_opened(h.token);
    if (r) {
        r->opens++;
        *ptr = (uintptr_t)r->mem.cpu;
    } else if (!error) {
        error = mem_import(c, h.token, ptr);
    }
    return core_leave(error);
}

/* Waits for the context, in which the lock may be free for a while: looked up again after. */
static CUresult close_last(struct region *r)
{
    uint64_t ptr = (uintptr_t)r->mem.cpu, serial = r->serial;
    struct check_caller caller = check_caller_get();
    g_autoptr(GArray) pending = inuse_pending();
    CUresult error = context_wait(r->context);

    r = region_at(ptr);
    if (r && r->serial == serial && !r->opens) {
        inuse_report(pending, r, "cuIpcCloseMemHandle");
        check_region_remove(core_check(), r->mem.id, &caller);
        region_free(r);
    }
    return error;
}

CUresult rt_ipc_mem_close(CUdeviceptr ptr)
{
    struct context *c;
    struct region *r;
    CUresult error;

    if (rule_find("cuIpcCloseMemHandle")) {
        return rt_unsupported("cuIpcCloseMemHandle");
    }
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    r = region_at(ptr);
    if (!r || !r->imported || (uintptr_t)r->mem.cpu != ptr || !r->opens) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuIpcCloseMemHandle", SECTION,
                                       "not an address that cuIpcOpenMemHandle() has given, or "
                                       "closed before"));
    }
    return core_leave(--r->opens ? CUDA_SUCCESS : close_last(r));
}

/* --- events ----------------------------------------------------------------------------------- */

CUresult rt_ipc_event_get(CUipcEventHandle *handle, CUevent event)
{
    struct ipc_event *e = NULL;
    uint64_t token[2];
    struct ipc_handle h;
    struct context *c;
    CUresult error;

    if (rule_find("cuIpcGetEventHandle")) {
        return rt_unsupported("cuIpcGetEventHandle");
    }
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    if (!handle || !event) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    e = event_ipc(event);
    if (!e || ipc_event_foreign(e)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_HANDLE, "cuIpcGetEventHandle", SECTION,
                                       "no event that this process has made with "
                                       "CU_EVENT_INTERPROCESS"));
    }
    if (ipc_event_export(e, token)) {
        return core_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    h = handle_make(EVENT_MAGIC, token);
    memcpy(handle, &h, sizeof(h));
    return core_leave(CUDA_SUCCESS);
}

static CUresult event_import(struct context *c, const uint64_t token[2], CUevent *event)
{
    static const char api[] = "cuIpcOpenEventHandle";
    struct ipc_event *e;
    struct hal_pass pass;
    int err = hal_import(core_hal(), token, HAL_RIGHT_READ | HAL_RIGHT_WRITE, &pass);

    if (err == -ENOENT || err == -EACCES) {
        return ipc_handle_gone(CUDA_ERROR_MAP_FAILED, api);
    }
    if (err) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    e = ipc_event_imported(&pass.mem);
    if (!e) {
        if (pass.mem.id) {
            hal_mem_free(core_hal(), &pass.mem);
        }
        return ipc_handle_gone(CUDA_ERROR_MAP_FAILED, api);
    }
    *event = event_new_ipc(c, e, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    return CUDA_SUCCESS;
}

CUresult rt_ipc_event_open(CUevent *event, CUipcEventHandle handle)
{
    struct ipc_handle h;
    struct context *c;
    CUresult error;

    if (rule_find("cuIpcOpenEventHandle")) {
        return rt_unsupported("cuIpcOpenEventHandle");
    }
    memcpy(&h, &handle, sizeof(h));
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    if (!event) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = handle_check(&h, EVENT_MAGIC, CUDA_ERROR_MAP_FAILED, "cuIpcOpenEventHandle");
    return core_leave(error ? error : event_import(c, h.token, event));
}

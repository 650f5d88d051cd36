/* SPDX-License-Identifier: MIT */
/* DLA units and their handles. */
#include "runtime/driver/engines/dla/dla_submit.h"

#include <stdio.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/room.h"

#define TIMEOUT_MAX_MS 1000000u /* cuDLA API, cudlaSetTaskTimeoutInMs: 1000 s */

static unsigned next_number; /* of handles, for reports */

/* VTEGRA_DLA_HANG: which task of the program hangs, counted for each DLA; 0: none. */
static uint64_t hang_wanted(void)
{
    const char *text = g_getenv("VTEGRA_DLA_HANG");
    guint64 n = 0;

    if (text && *text && !g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX, &n, NULL)) {
        fprintf(
            stderr,
            "vtegra: VTEGRA_DLA_HANG=\"%s\" is no number of a task (1, 2 ...; 0: none): no task "
            "is made to hang\n",
            text);
    }
    return n;
}

/* Called while the context still stands. */
static void context_gone(struct context *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < DLA_UNITS * DLA_TASK_QUEUES; i++) {
        struct dla_device *d = dla_units[i / DLA_TASK_QUEUES].device[i % DLA_TASK_QUEUES];

        if (d && d->primary == context_handle(c)) {
            d->context_gone = true;
            n++;
        }
    }
    if (n) {
        dla_rule(DLA_RULE_PRIMARY_CONTEXT, "cuDevicePrimaryCtxReset", 0,
                 "the primary context is destroyed while %u cuDLA handle%s use%s it", n,
                 n == 1 ? "" : "s", n == 1 ? "s" : "");
    }
}

/* The part of a kernel driver's probe: where errors are written, which interrupts come. */
static cudlaStatus unit_open(struct dla_unit *u)
{
    uint32_t unit = u->unit;

    if (u->open) {
        return cudlaSuccess;
    }
    if (hal_claim(core_hal(), HAL_CLAIM_UNIT, &unit)) {
        return dla_error(cudlaErrorOutOfResources, "cudlaCreateDevice", "vtegra",
                         "another process of this board uses DLA %u: it serves one at a time",
                         u->index);
    }
    if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, sizeof(struct dla_error_record), HAL_PAGE, NULL,
                      &u->error)) {
        hal_release(core_hal(), HAL_CLAIM_UNIT, unit);
        return cudlaErrorOutOfResources;
    }
    u->open = true;
    dla_fault_init();
    notify_context_gone_add(context_gone);
    dla_iova_init();
    u->hang = hang_wanted();
    hal_write32(core_hal(), u->unit, DLA_ERROR_LO, (uint32_t)u->error.bus);
    hal_write32(core_hal(), u->unit, DLA_ERROR_HI, (uint32_t)(u->error.bus >> 32));
    hal_write32(core_hal(), u->unit, DLA_FALCON_IRQMSET,
                FIELD_MASK(DLA_FALCON_IRQSTAT_SWGEN0) | FIELD_MASK(DLA_FALCON_IRQSTAT_SWGEN1));
    return cudlaSuccess;
}

cudlaStatus rt_dla_count(uint64_t *count)
{
    if (rt_init(0)) {
        return count ? cudlaErrorUmd : cudlaErrorInvalidParam;
    }
    if (!count) {
        return dla_error(cudlaErrorInvalidParam, "cudlaDeviceGetCount",
                         "cuDLA API, cudlaDeviceGetCount", "pNumDevices is NULL");
    }
    *count = MIN(board_profile()->dla.cores, DLA_UNITS);
    return cudlaSuccess;
}

cudlaStatus rt_dla_version(uint64_t *version)
{
    if (!version) {
        rt_init(0); /* or there is no report yet */
        return dla_error(cudlaErrorInvalidParam, "cudlaGetVersion", "cuDLA API, cudlaGetVersion",
                         "version is NULL");
    }
    *version = 1000000u * CUDLA_VER_MAJOR + 1000u * CUDLA_VER_MINOR + CUDLA_VER_PATCH;
    return cudlaSuccess;
}

/* As of any API that this SoC does not have. The code is the one of a number that is too high. */
static cudlaStatus no_dla(uint64_t device)
{
    g_autofree char *text = g_strdup_printf("there is no DLA %" G_GUINT64_FORMAT ": %s has 0",
                                            device, board_profile()->soc.name);
    const struct rule rule = {
        .section = "cuDLA API, cudlaCreateDevice",
        .standing = CHECK_INFERRED,
        .text = text,
        .todo = "run with --soc xavier, xavier-nx, orin or orin-nx, or put the network on the GPU",
    };

    rule_report(&rule, "cudlaCreateDevice");
    return cudlaErrorInvalidParam;
}

/* Arguments in documented order, and whether this board has such a thing. */
static cudlaStatus create_check(uint64_t device, const cudlaDevHandle *handle, uint32_t mode)
{
    static const char *const api = "cudlaCreateDevice";
    cudlaStatus status;

    if (!handle || (mode != CUDLA_CUDA_DLA && mode != CUDLA_STANDALONE)) {
        return dla_error(cudlaErrorInvalidParam, api, "cuDLA API, cudlaCreateDevice", "%s",
                         handle ? "flags is neither CUDLA_CUDA_DLA nor CUDLA_STANDALONE"
                                : "devHandle is NULL");
    }
    if (!device_profile(device_current())->gpu.integrated) {
        return dla_rule(DLA_RULE_DGPU, api, 0, "the current GPU, %s, is no iGPU",
                        device_profile(device_current())->gpu.name);
    }
    if (!board_profile()->dla.cores) {
        return no_dla(device);
    }
    status = dla_edition_check(RULES_FEATURE_CUDLA, api, "cuDLA");
    if (status) {
        return status;
    }
    if (device >= MIN(board_profile()->dla.cores, DLA_UNITS)) {
        return dla_error(cudlaErrorInvalidParam, api, "cuDLA API, cudlaCreateDevice",
                         "there is no DLA %" G_GUINT64_FORMAT ": %s has %" G_GUINT32_FORMAT
                         "; cudlaDeviceGetCount() says how many",
                         device, board_profile()->soc.name, board_profile()->dla.cores);
    }
    return cudlaSuccess;
}

static void device_end(void *object)
{
    struct dla_device *d = object;

    if (d->module) {
        dla_module_free(d->module);
    }
    dla_buffers_drop(d);
    dla_signals_lost(d);
    dla_standalone_drop(d);
    g_ptr_array_free(d->syncs, TRUE);
    for (unsigned i = 0; i < DLA_TASK_QUEUE_DEPTH; i++) {
        dla_pending_clear(&d->pending[i]);
    }
    dla_memory_free(d->unit, &d->slots);
    syncpt_catch_up(d->syncpt, d->submitted);
    syncpt_give(d->syncpt);
    d->unit->device[d->queue] = NULL;
    g_ptr_array_free(d->buffers, TRUE);
    g_array_free(d->past, TRUE);
}

static const struct object_kind device_kind = {
    .name = "cuDLA handle", .type = HANDLE_DLA, .end = device_end, .free = core_bury
};

static cudlaStatus device_make(struct dla_unit *u, CUcontext context, cudlaDevHandle *handle,
                               bool standalone)
{
    struct dla_device *d;
    uint32_t syncpt;
    unsigned queue = 0;

    while (queue < DLA_TASK_QUEUES && u->device[queue]) {
        queue++;
    }
    if (queue == DLA_TASK_QUEUES) {
        return dla_error(
            cudlaErrorOutOfResources, "cudlaCreateDevice", "cuDLA API, cudlaCreateDevice",
            "DLA %u has all its %d handles: destroy one first", u->index, DLA_TASK_QUEUES);
    }
    syncpt = syncpt_find(NULL);
    if (!syncpt) {
        return dla_error(cudlaErrorOutOfResources, "cudlaCreateDevice", "vtegra",
                         "no syncpoint is left: this SoC has %" G_GUINT32_FORMAT,
                         board_profile()->host1x.syncpts);
    }
    d = object_new(&device_kind, sizeof(*d), NULL);
    d->syncpt = syncpt;
    d->start = d->submitted = syncpt_value(d->syncpt);
    d->unit = u;
    d->queue = queue;
    d->number = next_number++;
    d->primary = context;
    d->standalone = standalone;
    d->syncs = g_ptr_array_new();
    d->buffers = g_ptr_array_new_with_free_func(g_free);
    d->past = g_array_new(FALSE, FALSE, sizeof(struct dla_past));
    u->device[queue] = d;
    *handle = object_open(&d->base);
    return cudlaSuccess;
}

cudlaStatus rt_dla_create(uint64_t device, cudlaDevHandle *handle, uint32_t mode)
{
    bool standalone = mode == CUDLA_STANDALONE;
    CUcontext context = NULL;
    cudlaStatus status;

    if (rt_init(0)) {
        return cudlaErrorCuda;
    }
    status = create_check(device, handle, mode);
    if (status) {
        return status;
    }
    /* "cuDLA internally allocates memory with CUDA using the primary context" (note 5.4). */
    if ((!standalone && rt_primary_retain(&context, 0)) || core_enter()) {
        return cudlaErrorCuda;
    }
    status = unit_open(&dla_units[device]);
    if (!status) {
        status = device_make(&dla_units[device], context, handle, standalone);
    }
    dla_leave(status);
    if (status && !standalone) {
        rt_primary_release(0);
    }
    return status;
}

/* The context of the last task: who waits for it hears of its error. */
static struct context *context_of(const struct dla_device *d)
{
    const struct dla_pending *p = d->put ? &d->pending[(d->put - 1) % DLA_TASK_QUEUE_DEPTH] : NULL;
    struct context *c = p ? handle_find(HANDLE_CONTEXT, p->context) : NULL;

    return c;
}

/* Return: no task of the handle will begin any more. */
static bool wait_fails(struct dla_device *d)
{
    struct context *c = context_of(d);

    return d->standalone ? wait_limit(dla_fence(d), -1) != 0
                         : !c || context_error(c) || wait_fence(c, dla_fence(d));
}

bool dla_wait(struct dla_device *d)
{
    cudlaDevHandle handle = d->base.handle;

    while (dla_busy(d)) {
        /* Without its stream's context the task never begins: drop it. */
        if (wait_fails(d)) {
            if (handle_find(HANDLE_DLA, handle) != d) {
                return false;
            }
            hal_write32(core_hal(), d->unit->unit, DLA_THI_METHOD_ID, DLA_CMD_QUEUE_FLUSH);
            hal_write32(core_hal(), d->unit->unit, DLA_THI_METHOD_DATA, d->queue);
            break;
        }
        if (handle_find(HANDLE_DLA, handle) != d) {
            return false;
        }
    }
    return true;
}

cudlaStatus rt_dla_destroy(cudlaDevHandle handle)
{
    struct dla_device *d;
    cudlaStatus status = dla_enter(handle, &d, "cudlaDestroyDevice");
    bool gone;

    if (status) {
        return status;
    }
    dla_service();
    if (dla_in_flight(d)) {
        dla_rule(DLA_RULE_DESTROY_IN_FLIGHT, "cudlaDestroyDevice", 0,
                 "the handle still has tasks that have not run; a board may crash here");
    }
    if (!dla_wait(d)) {
        return dla_leave(cudlaErrorInvalidDevice);
    }
    gone = d->context_gone || d->standalone;
    object_unref(&d->base);
    dla_leave(cudlaSuccess);
    if (!gone) {
        rt_primary_release(0);
    }
    return cudlaSuccess;
}

cudlaStatus rt_dla_attribute(cudlaDevHandle handle, cudlaDevAttributeType type,
                             cudlaDevAttribute *attribute)
{
    struct dla_device *d;
    cudlaStatus status = dla_enter(handle, &d, "cudlaDeviceGetAttribute");

    if (status) {
        return status;
    }
    if (!attribute) {
        return dla_leave_device(d,
                                dla_error(cudlaErrorInvalidParam, "cudlaDeviceGetAttribute",
                                          "cuDLA API", "pAttribute is NULL"),
                                "cudlaDeviceGetAttribute");
    }
    memset(attribute, 0, sizeof(*attribute));
    switch (type) {
    case CUDLA_UNIFIED_ADDRESSING: /* an IOVA is no CUDA address: inferred for all boards */
        attribute->unifiedAddressingSupported = 0;
        return dla_leave(cudlaSuccess);
    case CUDLA_DEVICE_VERSION: /* "Xavier has 1.0 and Orin has 2.0"; the numbers: inferred */
        attribute->deviceVersion =
            (uint32_t)g_ascii_strtoull(board_profile()->dla.version, NULL, 10);
        return dla_leave(cudlaSuccess);
    }
    return dla_leave_device(
        d,
        dla_error(cudlaErrorInvalidAttribute, "cudlaDeviceGetAttribute", "cuDLA API",
                  "there is no attribute %d: CUDLA_UNIFIED_ADDRESSING is 0, CUDLA_DEVICE_VERSION 1",
                  (int)type),
        "cudlaDeviceGetAttribute");
}

cudlaStatus rt_dla_last_error(cudlaDevHandle handle)
{
    struct dla_device *d;
    cudlaStatus status = dla_enter(handle, &d, "cudlaGetLastError");

    if (status) {
        return status;
    }
    dla_service();
    d->reported = d->reported || d->error;
    return dla_leave(d->error);
}

cudlaStatus rt_dla_set_timeout(cudlaDevHandle handle, uint32_t timeout_ms)
{
    struct dla_device *d;
    cudlaStatus status = dla_enter(handle, &d, "cudlaSetTaskTimeoutInMs");

    if (status) {
        return status;
    }
    if (!timeout_ms || timeout_ms > TIMEOUT_MAX_MS) {
        return dla_leave_device(d,
                                dla_error(cudlaErrorInvalidParam, "cudlaSetTaskTimeoutInMs",
                                          "cuDLA API",
                                          "%" G_GUINT32_FORMAT " ms: from 1 to %u are allowed",
                                          timeout_ms, TIMEOUT_MAX_MS),
                                "cudlaSetTaskTimeoutInMs");
    }
    d->timeout_ms = timeout_ms;
    return dla_leave(cudlaSuccess);
}

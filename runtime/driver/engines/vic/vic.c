/* SPDX-License-Identifier: MIT */
/* The VIC and the contexts of NvMedia 2D. */
#include "runtime/driver/engines/vic/vic.h"

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/room.h"

#define SECTION "DRIVE OS API reference, NvMedia 2D"

G_STATIC_ASSERT(VIC_SLOT_BYTES >= VIC_CONFIG_BYTES);

static unsigned next_number; /* of contexts, for reports */

static const char *status_name(NvMediaStatus status)
{
    switch (status) {
    case NVMEDIA_STATUS_BAD_PARAMETER:
        return "NVMEDIA_STATUS_BAD_PARAMETER";
    case NVMEDIA_STATUS_PENDING:
        return "NVMEDIA_STATUS_PENDING";
    case NVMEDIA_STATUS_TIMED_OUT:
        return "NVMEDIA_STATUS_TIMED_OUT";
    case NVMEDIA_STATUS_OUT_OF_MEMORY:
        return "NVMEDIA_STATUS_OUT_OF_MEMORY";
    case NVMEDIA_STATUS_NOT_SUPPORTED:
        return "NVMEDIA_STATUS_NOT_SUPPORTED";
    case NVMEDIA_STATUS_INSUFFICIENT_BUFFERING:
        return "NVMEDIA_STATUS_INSUFFICIENT_BUFFERING";
    case NVMEDIA_STATUS_INVALID_STATE:
        return "NVMEDIA_STATUS_INVALID_STATE";
    default:
        return "NVMEDIA_STATUS_ERROR";
    }
}

NvMediaStatus vic_error(NvMediaStatus status, const char *api, const char *format, ...)
{
    g_autofree char *text = NULL, *detail = NULL;
    struct check_note note = { .kind = CHECK_NOTE_ERROR, .api = api, .section = SECTION };
    va_list args;

    if (core_state() || core_lost()) {
        return status;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    detail = g_strdup_printf("%s: %s", status_name(status), text);
    note.detail = detail;
    note.caller = check_caller_get();
    check_api_note(core_check(), &note);
    return status;
}

NvMediaStatus vic_enter(const NvMedia2D *handle, struct vic_context **c, const char *api)
{
    if (core_enter_any()) { /* then there can be no context */
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    *c = handle_find(HANDLE_VIC, handle);
    if (!*c) {
        return vic_leave(
            vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "handle is %s",
                      handle ? "none of NvMedia2DCreate(), or was destroyed" : "NULL"));
    }
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus vic_leave(NvMediaStatus status)
{
    return core_leave(CUDA_SUCCESS) == CUDA_SUCCESS ? status : NVMEDIA_STATUS_ERROR;
}

NvMediaStatus rt_vic_version(NvMediaVersion *version)
{
    if (!version) {
        rt_init(0); /* or there is no report yet */
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, "NvMedia2DGetVersion", "version is NULL");
    }
    *version = (NvMediaVersion){ NVMEDIA_2D_VERSION_MAJOR, NVMEDIA_2D_VERSION_MINOR,
                                 NVMEDIA_2D_VERSION_PATCH };
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_refuse(NvMediaStatus status, const char *api, const char *why)
{
    rt_init(0); /* or there is no report yet */
    return vic_error(status, api, "%s", why);
}

void rt_vic_form(const char *compose)
{
    vic_compose_name = compose;
}

NvMediaStatus rt_vic_wrong_phase(const char *api)
{
    return vic_error(NVMEDIA_STATUS_INVALID_STATE, api,
                     "a call of the Init group in the Runtime phase (--safety-phase)");
}

/* --- a context -------------------------------------------------------------------------------- */

static NvMediaStatus create_check(NvMedia2D *const *handle, const NvMedia2DAttributes *a)
{
    static const char *const api = "NvMedia2DCreate";

    if (!handle) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "handle is NULL");
    }
    if (a->numComposeParameters - 1 >= VIC_PARAMS_MAX ||
        a->maxRegisteredBuffers - 1 >= VIC_BUFFERS_MAX ||
        a->maxRegisteredSyncs - 1 >= VIC_SYNCS_MAX || a->maxFilterBuffers > VIC_FILTERS_MAX) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "an attribute is out of range: numComposeParameters 1 to %u, "
                         "maxRegisteredBuffers 1 to %u, maxRegisteredSyncs 1 to %u, "
                         "maxFilterBuffers 0 to %u",
                         VIC_PARAMS_MAX, VIC_BUFFERS_MAX, VIC_SYNCS_MAX, VIC_FILTERS_MAX);
    }
    if (!board_profile()->vic.cores) {
        return vic_error(NVMEDIA_STATUS_NOT_SUPPORTED, api,
                         "%s has no VIC that is modelled: run with --soc xavier or orin",
                         board_profile()->soc.name);
    }
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus vic_open(const char *api)
{
    static bool open;
    uint32_t unit = UNIT_VIC;

    if (open) {
        return NVMEDIA_STATUS_OK;
    }
    if (hal_claim(core_hal(), HAL_CLAIM_UNIT, &unit)) {
        return vic_error(NVMEDIA_STATUS_ERROR, api,
                         "another process of this board uses the VIC: it serves one at a time");
    }
    open = true;
    vic_fault_init();
    vic_write(VIC_FALCON_IRQMSET, FIELD_MASK(VIC_FALCON_IRQSTAT_SWGEN0));
    return NVMEDIA_STATUS_OK;
}

/* Operations need registered buffers, which stay while they are used: none is pending. */
static void context_end(void *object)
{
    struct vic_context *c = object;

    if (c->slots.size) {
        vic_unmap(c->slots_iova, c->slots.size);
        room_give(HAL_MEM_KERNEL, c->slots.size);
        hal_mem_free(core_hal(), &c->slots);
    }
    syncpt_give(c->syncpt);
    g_ptr_array_unref(c->buffers);
    g_ptr_array_unref(c->syncs);
}

static const struct object_kind context_kind = {
    .name = "context of NvMedia 2D", .type = HANDLE_VIC, .end = context_end, .free = core_bury
};

static NvMediaStatus context_memory(struct vic_context *c)
{
    c->syncpt = syncpt_find(NULL);
    if (c->syncpt && hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, VIC_PENDING_MAX * VIC_SLOT_BYTES,
                                   HAL_PAGE, NULL, &c->slots) == 0) {
        if (vic_map(&c->slots, c->slots.size, false, &c->slots_iova) == 0) {
            room_take(HAL_MEM_KERNEL, c->slots.size);
            c->submitted = syncpt_value(c->syncpt);
            return NVMEDIA_STATUS_OK;
        }
        hal_mem_free(core_hal(), &c->slots);
    }
    c->slots.size = 0;
    return vic_error(NVMEDIA_STATUS_OUT_OF_MEMORY, "NvMedia2DCreate",
                     "no memory or no syncpoint is left");
}

static NvMediaStatus context_new(NvMedia2D **handle, const NvMedia2DAttributes *limits)
{
    struct vic_context *c = object_new(&context_kind, sizeof(*c), NULL);
    NvMediaStatus status;

    c->buffers = g_ptr_array_new_with_free_func(g_free);
    c->syncs = g_ptr_array_new_with_free_func(g_free);
    status = context_memory(c);
    if (status) {
        object_unref(&c->base);
        return status;
    }
    c->limits = *limits;
    c->number = next_number++;
    object_list_add(&vic_contexts, &c->base);
    *handle = object_open(&c->base);
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_create(NvMedia2D **handle, const NvMedia2DAttributes *attr)
{
    static const NvMedia2DAttributes defaults = { .numComposeParameters = 1,
                                                  .maxRegisteredBuffers = 64,
                                                  .maxRegisteredSyncs = 16 };
    const NvMedia2DAttributes *limits = attr ? attr : &defaults;
    NvMediaStatus status;

    if (rt_init(0) || core_enter_any()) {
        return handle ? NVMEDIA_STATUS_ERROR : NVMEDIA_STATUS_BAD_PARAMETER;
    }
    status = create_check(handle, limits);
    status = status ? status : vic_open("NvMedia2DCreate");
    return vic_leave(status ? status : context_new(handle, limits));
}

NvMediaStatus rt_vic_destroy(const NvMedia2D *handle)
{
    static const char *const api = "NvMedia2DDestroy";
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    vic_service();
    if (c->buffers->len || c->syncs->len) {
        return vic_leave(vic_error(NVMEDIA_STATUS_PENDING, api,
                                   "%u buffers and %u sync objects are still registered",
                                   c->buffers->len, c->syncs->len));
    }
    object_unref(&c->base);
    return vic_leave(NVMEDIA_STATUS_OK);
}

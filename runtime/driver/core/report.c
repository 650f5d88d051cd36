/* SPDX-License-Identifier: MIT */
/* What the driver core reports to the checker. */
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/module/module.h"

/* What this thread's newest call has reported, so that the runtime above need not report it
 * again. */
static _Thread_local CUresult told;

void report_forget(void)
{
    told = CUDA_SUCCESS;
}

CUresult report_last(void)
{
    return told;
}

CUresult report_known(CUresult code)
{
    told = code;
    return code;
}

/* An API call failed: worth a line in the report, with the sentence that says why. */
CUresult report_error(CUresult code, const char *api, const char *section, const char *format, ...)
{
    va_list args;
    char *text;
    struct check_note note = { .kind = CHECK_NOTE_ERROR, .api = api, .section = section };
    char *detail;

    if (core_lost()) { /* why it failed is no mistake of the program's */
        return report_known(code);
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    detail = g_strdup_printf("%s: %s", rt_error_name(code), text);
    note.detail = detail;
    note.caller = check_caller_get();
    check_api_note(core_check(), &note);
    g_free(detail);
    g_free(text);
    return report_known(code);
}

static const struct check_caller *caller_kept;

void report_as(const struct check_caller *caller)
{
    caller_kept = caller;
}

struct check_caller report_caller(void)
{
    return caller_kept ? *caller_kept : check_caller_get();
}

void report_finding(const struct check_rule *rule, uint32_t region, uint32_t grid, uint64_t address,
                    const char *todo, const char *format, ...)
{
    struct check_finding finding = {
        .rule = rule->name,
        .severity = rule->severity,
        .standing = rule->standing,
        .section = rule->section,
        .todo = todo ? todo : rule->todo,
        .grid_id = grid,
        .region = region,
        .address = address,
    };
    va_list args;
    char *text;

    if (core_lost()) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    finding.text = text;
    finding.caller = report_caller();
    check_finding(core_check(), &finding);
    g_free(text);
}

struct check_caller report_note(enum check_note_kind kind, const char *api,
                                const struct region *region, const struct region *source,
                                uint64_t bytes, const struct stream *stream)
{
    struct check_note note = {
        .kind = kind,
        .api = api,
        .region = region ? region_id(region) : 0,
        .region2 = source ? region_id(source) : 0,
        .bytes = bytes,
        .stream = stream ? stream_ordinal(stream) : CHECK_ALL_STREAMS,
    };

    note.caller = report_caller();
    check_api_note(core_check(), &note);
    return note.caller;
}

void report_event(struct fence fence, const struct stream *stream)
{
    if (check_mask(core_check()) & TRACE_SYNC) {
        struct check_caller caller = report_caller();

        check_event(core_check(), fence.id, fence.threshold, stream_ordinal(stream), &caller);
    }
}

void report_nonblocking(const struct stream *stream)
{
    if (check_mask(core_check()) & TRACE_SYNC) {
        struct check_caller caller = report_caller();

        check_stream_nonblocking(core_check(), stream_ordinal(stream), &caller);
    }
}

void report_sci_sync(const struct stream *stream, bool signals, bool skips)
{
    struct check_note note = { .kind = signals ? CHECK_NOTE_SIGNAL : CHECK_NOTE_WAIT,
                               .api = signals ? "cuSignalExternalSemaphoresAsync"
                                              : "cuWaitExternalSemaphoresAsync",
                               .skips = skips,
                               .stream = stream_ordinal(stream) };

    note.caller = report_caller();
    check_api_note(core_check(), &note);
}

void report_event_wait(struct fence fence)
{
    if (check_mask(core_check()) & TRACE_SYNC) {
        check_event_wait(core_check(), fence.id, fence.threshold);
    }
}

void report_region(const struct region *region, const char *api)
{
    struct check_region r = { .mem = *region_mem(region),
                              .size = region_bytes(region),
                              .api = api };

    r.heap = region_context(region) && region == module_heap(region_context(region));
    if (region_kind(region) == HAL_MEM_MANAGED) {
        r.attached = region_attach(region) == CU_MEM_ATTACH_HOST     ? CHECK_ATTACH_HOST
                     : region_attach(region) == CU_MEM_ATTACH_SINGLE ? CHECK_ATTACH_SINGLE
                                                                     : CHECK_ATTACH_GLOBAL;
    }
    r.caller = report_caller();
    check_region_add(core_check(), &r);
}

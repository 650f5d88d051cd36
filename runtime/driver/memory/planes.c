/* SPDX-License-Identifier: MIT */
/* Pictures whose CPU caches the program maintains: rt_planes.h. */
#include <stdio.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/memory/external_internal.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/planes.h"
#include "runtime/driver/memory/rt_planes.h"

#define SECTION "Jetson Multimedia API, NvBufSurface"

CUresult rt_planes_set(struct rt_shared *s, const struct rt_plane *planes, unsigned n)
{
    g_autoptr(GString) text = g_string_new(NULL);
    CUresult error = core_enter_any();

    if (error) {
        return error;
    }
    s->n_planes = MIN(n, RT_PLANES);
    for (unsigned i = 0; i < s->n_planes; i++) {
        s->plane[i] = planes[i];
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT, i ? " " : "",
                               planes[i].offset, planes[i].bytes);
    }
    check_region_planes(core_check(), s->mem.id, text->str);
    return core_leave(CUDA_SUCCESS);
}

/* --- the CPU's caches ------------------------------------------------------------------------- */

static void lines_load(struct rt_shared *s, unsigned plane)
{
    s->plane_loaded[plane] |= s->plane_reads[plane];
    if (s->plane_reads[plane] && core_policy() != HAL_POLICY_EAGER && snoop_any_past()) {
        hal_cpu_access(core_hal(), (const uint8_t *)s->mem.cpu + s->plane[plane].offset,
                       s->plane[plane].bytes, ACCESS_LOAD);
    }
}

void rt_planes_map(struct rt_shared *s, unsigned plane, bool mapped, bool reads)
{
    if (plane >= RT_PLANES || core_enter_any() != CUDA_SUCCESS) {
        return;
    }
    s->plane_reads[plane] = mapped && (reads || s->plane_reads[plane]);
    if (mapped && !s->plane_loaded[plane]) {
        lines_load(s, plane); /* else an earlier mapping's lines are there still, however old */
    }
    if (snoop_any_past()) {
        pending_shared_cached(s, s->plane[plane].offset, s->plane[plane].bytes, mapped);
    }
    core_leave(CUDA_SUCCESS);
}

static CUresult plane_enter(const struct rt_shared *s, unsigned plane, uint8_t **at)
{
    CUresult error = core_enter_any();

    if (error) {
        return error;
    }
    if (plane >= s->n_planes) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *at = (uint8_t *)s->mem.cpu + s->plane[plane].offset;
    return CUDA_SUCCESS;
}

CUresult rt_planes_for_cpu(struct rt_shared *s, unsigned plane)
{
    uint8_t *at = NULL;
    CUresult error = plane_enter(s, plane, &at);

    if (error) {
        return error;
    }
    hal_cpu_invalidate(core_hal(), at, s->plane[plane].bytes);
    lines_load(s, plane);
    if (snoop_any_past()) {
        pending_shared_dropped(s, s->plane[plane].offset, s->plane[plane].bytes);
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_planes_for_device(struct rt_shared *s, unsigned plane)
{
    uint8_t *at = NULL;
    CUresult error = plane_enter(s, plane, &at);

    if (error) {
        return error;
    }
    hal_cpu_clean(core_hal(), at, s->plane[plane].bytes);
    if (snoop_any_past()) {
        pending_shared_cleaned(s, s->plane[plane].offset, s->plane[plane].bytes);
    }
    return core_leave(CUDA_SUCCESS);
}

/* --- processes -------------------------------------------------------------------------------- */

CUresult rt_shared_share(struct rt_shared *s, uint64_t token[2])
{
    const struct hal_pass pass = { .mem = s->mem,
                                   .rights = HAL_RIGHT_READ | HAL_RIGHT_WRITE,
                                   .often = true,
                                   .note = { s->bytes } };
    CUresult error = core_enter_any();

    if (error) {
        return error;
    }
    return core_leave(hal_export(core_hal(), &pass, token) ? CUDA_ERROR_NOT_SUPPORTED
                                                           : CUDA_SUCCESS);
}

void rt_shared_unshare(const uint64_t token[2])
{
    if (core_enter_any() == CUDA_SUCCESS) {
        hal_unexport(core_hal(), token);
        core_leave(CUDA_SUCCESS);
    }
}

/* --- the report ------------------------------------------------------------------------------- */

void rt_planes_error(const char *api, const char *code, const char *why)
{
    g_autofree char *detail = g_strdup_printf("%s: %s", code, why);

    if (core_life() == CORE_NEW) { /* a program that fails here may never have a report */
        fprintf(stderr, "vtegra: %s returned %s\n", api, detail);
    }
    if (core_state()) {
        return;
    }
    check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_ERROR,
                                                       .api = api,
                                                       .detail = detail,
                                                       .section = SECTION,
                                                       .caller = check_caller_get() });
}

void rt_planes_finding(enum rt_planes_finding what, const struct rt_shared *s, const char *text)
{
    static const enum check_rule_id rule[] = {
        [RT_PLANES_MAPPED_TWICE] = CHECK_RULE_SURFACE_MAPPED_TWICE,
        [RT_PLANES_BLOCK_LINEAR] = CHECK_RULE_SURFACE_BLOCK_LINEAR,
    };

    if (core_enter_any() == CUDA_SUCCESS) {
        report_finding(&check_rules[rule[what]], s ? s->mem.id : 0, 0, 0, NULL, "%s", text);
        core_leave(CUDA_SUCCESS);
    }
}

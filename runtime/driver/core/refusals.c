/* SPDX-License-Identifier: MIT */
/* What the libraries above say of calls that they refuse themselves. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/rt_init.h"

/* What the fault was is a finding; that all calls repeat its code from then on is no news. The
 * error of a DLA's task is: its finding is about cuDLA's code, CUDA's comes with the calls. */
static bool is_sticky(CUresult code)
{
    const struct context *c;
    bool sticky;

    if (code == CUDA_ERROR_EXTERNAL_DEVICE) {
        return false;
    }
    core_lock();
    c = handle_find(HANDLE_CONTEXT, core_context_top());
    sticky = c && context_error(c) == code;
    core_unlock();
    return sticky;
}

void rt_reported(CUresult code, const char *error, const char *why)
{
    g_autofree char *detail = why ? g_strdup_printf("%s: %s", error, why) : NULL;

    if (core_state() || report_last() == code || is_sticky(code)) {
        return;
    }
    report_known(code);
    check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_ERROR,
                                                       .detail = detail ? detail : error,
                                                       .caller = check_caller_get() });
}

void rt_reported_missing(const char *api)
{
    if (core_state()) {
        return;
    }
    report_known(CUDA_ERROR_NOT_SUPPORTED);
    check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_UNSUPPORTED,
                                                       .api = api,
                                                       .detail = "not supported by vtegra",
                                                       .caller = check_caller_get() });
}

void rt_own_code(const void *start, const void *stop)
{
    check_own_code(start, stop);
}

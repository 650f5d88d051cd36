/* SPDX-License-Identifier: MIT */
/* What the report says when a call of cuDLA fails, or breaks a rule. */
#include "runtime/driver/engines/dla/dla.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"

struct dla_rule_row {
    const char *name;
    cudlaStatus status;
    enum check_severity severity;
    enum check_standing standing;
    const char *editions, *section, *todo;
};

static const struct dla_rule_row rows[] = {
#define RULE(id, ...) [DLA_RULE_##id] = { __VA_ARGS__ },
#include "runtime/driver/engines/dla/dla_rules.def"
#undef RULE
};

cudlaStatus dla_error(cudlaStatus status, const char *api, const char *section, const char *format,
                      ...)
{
    g_autofree char *text = NULL;
    g_autofree char *detail = NULL;
    struct check_note note = { .kind = CHECK_NOTE_ERROR, .api = api, .section = section };
    va_list args;

    if (core_lost()) {
        return status;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    detail = g_strdup_printf("%s: %s", rt_dla_status_name(status), text);
    note.detail = detail;
    note.caller = check_caller_get();
    check_api_note(core_check(), &note);
    return status;
}

cudlaStatus dla_rule(enum dla_rule_id id, const char *api, uint32_t region, const char *format, ...)
{
    const struct dla_rule_row *row = &rows[id];
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    report_finding(&(struct check_rule){ row->name, row->severity, row->standing, row->section,
                                         NULL, row->todo },
                   region, 0, 0, NULL, "%s: %s%s%s%s", api, what,
                   *row->editions ? " (known issue of cuDLA " : "", row->editions,
                   *row->editions ? ")" : "");
    return row->status == cudlaSuccess ? cudlaSuccess
                                       : dla_error(row->status, api, row->section, "%s", what);
}

/* Xavier's default edition is 11.8, a CUDA upgrade package on JetPack 5, whose own cuDLA is that of
 * 11.4 (inferred): what 11.8 leaves out is refused where that edition was asked for. */
static bool edition_is_default(void)
{
    const char *asked = g_getenv("VTEGRA_EDITION");

    return !asked || !*asked;
}

bool dla_edition_lacks(enum rules_feature feature)
{
    struct rules_facts facts = rules_facts_of(board_profile());

    if (feature == RULES_FEATURE_CUDLA_NOOP && edition_is_default()) {
        return false;
    }
    facts.os = rules_os_find(board_system());
    return !rules_support(&facts, feature)->there;
}

cudlaStatus dla_edition_check(enum rules_feature feature, const char *api, const char *what)
{
    if (!dla_edition_lacks(feature)) {
        return cudlaSuccess;
    }
    return dla_rule(DLA_RULE_EDITION, api, 0, "edition %s of CUDA for Tegra has no %s",
                    board_profile()->soc.edition, what);
}

const char *rt_dla_status_name(cudlaStatus status)
{
#define S(name) \
    case name:  \
        return #name
    switch (status) {
        S(cudlaSuccess);
        S(cudlaErrorInvalidParam);
        S(cudlaErrorOutOfResources);
        S(cudlaErrorCreationFailed);
        S(cudlaErrorInvalidAddress);
        S(cudlaErrorOs);
        S(cudlaErrorCuda);
        S(cudlaErrorUmd);
        S(cudlaErrorInvalidDevice);
        S(cudlaErrorInvalidAttribute);
        S(cudlaErrorIncompatibleDlaSWVersion);
        S(cudlaErrorMemoryRegistered);
        S(cudlaErrorInvalidModule);
        S(cudlaErrorUnsupportedOperation);
        S(cudlaErrorNvSci);
        S(cudlaErrorDlaErrInvalidInput);
        S(cudlaErrorDlaErrInvalidPreAction);
        S(cudlaErrorDlaErrNoMem);
        S(cudlaErrorDlaErrProcessorBusy);
        S(cudlaErrorDlaErrTaskStatusMismatch);
        S(cudlaErrorDlaErrEngineTimeout);
        S(cudlaErrorDlaErrDataMismatch);
        S(cudlaErrorUnknown);
    }
#undef S
    return NULL;
}

/* SPDX-License-Identifier: MIT */
#include "tools/soc/soc_edition.h"

#include <stdio.h>
#include <string.h>

#include "model/rules/features.h"
#include "profiles/profile.h"
#include "tools/soc/soc_rules.h"

/* The answer under one system. */
static char *soc_edition_answer(const struct soc_profile *p, const char *os,
                                enum rules_feature feature)
{
    struct soc_profile profile = *p;
    struct rules_facts facts;
    const struct rules_support *s;
    enum rules_standing standing;

    profile_system_set(&profile, os);
    facts = rules_facts_of(&profile);
    facts.os = rules_os_find(os);
    s = rules_support(&facts, feature);
    standing = rules_standing_in(&facts, s->standing);
    return g_strdup_printf("%s%s%s%s%s", s->there ? "yes" : "no", *s->remark ? " (" : "", s->remark,
                           *s->remark ? ")" : "",
                           standing == RULES_UNKNOWN        ? " [unknown]"
                           : standing == RULES_INTERPOLATED ? " [interpolated]"
                                                            : "");
}

/* What vtegra has less than a board whose column says yes. */
static const char *const ours[RULES_FEATURE_COUNT] = {
    [RULES_FEATURE_NVML] = "no: there is no libnvidia-ml",
    [RULES_FEATURE_EVENT_IPC] = "between processes of `vtegra run --shared`",
    [RULES_FEATURE_MEMORY_IPC] = "between processes of `vtegra run --shared`",
    [RULES_FEATURE_SHAREABLE_HANDLES] =
        "POSIX file descriptors; between processes of `vtegra run --shared`",
    [RULES_FEATURE_RDMA] = "no: its calls answer cudaErrorNotSupported",
    [RULES_FEATURE_MPS] = "no: processes share a board with `vtegra run --shared`",
    [RULES_FEATURE_CUSOLVER] = "no: its calls answer CUSOLVER_STATUS_NOT_SUPPORTED",
    [RULES_FEATURE_CUB] = "yes: with nvcc, or Debian's libcub-dev",
    [RULES_FEATURE_NVGRAPH] = "no",
    [RULES_FEATURE_SYNC_BY_PLATFORM] = "no: the flags change nothing",
    [RULES_FEATURE_CUDLA_MODULES] = "no: one module at a time on a handle",
    [RULES_FEATURE_UPGRADE_PACKAGES] = "no: there are no packages to install",
    [RULES_FEATURE_TASK_TRACKER] = "no: the report names kernel, line and stream of a fault",
};

const char *soc_feature_here(const struct soc_profile *p, unsigned feature)
{
    g_auto(GStrv) systems = g_strsplit(p->soc.os, ",", -1);

    for (char **os = systems; *os; os++) {
        g_autofree char *board = soc_edition_answer(p, *os, feature);

        if (g_str_has_prefix(board, "yes")) {
            return ours[feature] ? ours[feature] : "yes";
        }
    }
    return "no";
}

char *soc_feature_text(const struct soc_profile *p, unsigned feature)
{
    char **systems = g_strsplit(p->soc.os, ",", -1);
    char *first = soc_edition_answer(p, systems[0], feature);
    GString *text = g_string_new(NULL);
    gboolean same = TRUE;

    for (char **os = systems; *os; os++) {
        g_autofree char *one = soc_edition_answer(p, *os, feature);

        same &= strcmp(one, first) == 0;
        g_string_append_printf(text, "%s%s: %s", text->len ? "; " : "", *os, one);
    }
    g_strfreev(systems);
    if (same) {
        g_string_free(text, TRUE);
        return first;
    }
    g_free(first);
    return g_string_free(text, FALSE);
}

static unsigned soc_edition_print(const char *what, const struct soc_profile *a,
                                  const struct soc_profile *b, char *then, char *now)
{
    unsigned differ = strcmp(then, now) != 0;

    if (differ) {
        printf("%s\n  %-6s %s\n  %-6s %s\n", what, a->soc.edition, then, b->soc.edition, now);
    }
    g_free(then);
    g_free(now);
    return differ;
}

void soc_edition_diff(const struct soc_profile *a, const struct soc_profile *b)
{
    static const char *const sides[] = { "CPU", "iGPU", "dGPU" };
    unsigned differ = 0;

    printf("%s: edition %s against edition %s of CUDA for Tegra\n", a->soc.name, b->soc.edition,
           a->soc.edition);
    for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
        for (enum rules_side side = 0; rules_kind_title(kind) && side < RULES_SIDE_COUNT; side++) {
            g_autofree char *what =
                g_strdup_printf("Table 1, %s, %s", rules_kind_title(kind), sides[side]);

            differ += soc_edition_print(what, a, b, soc_memory_text(a, kind, side),
                                        soc_memory_text(b, kind, side));
        }
    }
    for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
        differ += soc_edition_print(rules_feature_title(f), a, b, soc_feature_text(a, f),
                                    soc_feature_text(b, f));
    }
    if (!differ) {
        printf("nothing differs for this SoC\n");
    }
}

/* SPDX-License-Identifier: MIT */
#include "profiles/edition.h"

#include <string.h>

#include "model/rules/kinds.h"
#include "profiles/nearest.h"

gboolean profile_editions_known(const char *list)
{
    char **names = g_strsplit(list, ",", -1);
    gboolean ok = names[0] != NULL;
    int last = -1;

    for (char **n = names; *n && ok; n++) {
        int edition = (int)rules_edition_find(*n);

        ok = edition > last && edition < RULES_EDITION_COUNT;
        last = edition;
    }
    g_strfreev(names);
    return ok;
}

gboolean profile_has_edition(const struct soc_profile *profile, const char *edition)
{
    char **names = g_strsplit(profile->soc.editions, ",", -1);
    gboolean has = g_strv_contains((const char *const *)names, edition);

    g_strfreev(names);
    return has;
}

static void unknown_error(const char *edition, GError **error)
{
    const char *names[RULES_EDITION_COUNT + 1] = { NULL }, *near;

    for (enum rules_edition e = 0; e < RULES_EDITION_COUNT; e++) {
        names[e] = rules_edition_name(e);
    }
    near = nearest_word(edition, names);
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_EDITION,
                "unknown edition \"%s\" of CUDA for Tegra%s%s%s; known: " PROFILE_EDITIONS, edition,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

gboolean profile_edition_set(struct soc_profile *profile, const char *edition, GError **error)
{
    if (rules_edition_find(edition) == RULES_EDITION_COUNT) {
        unknown_error(edition, error);
        return FALSE;
    }
    if (!profile_has_edition(profile, edition)) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_EDITION,
                    "%s never had edition %s of CUDA for Tegra; it has had %s", profile->soc.name,
                    edition, profile->soc.editions);
        return FALSE;
    }
    g_strlcpy(profile->soc.edition, edition, sizeof(profile->soc.edition));
    return TRUE;
}

void profile_system_set(struct soc_profile *profile, const char *os)
{
    if (strcmp(os, "linux") == 0) {
        return;
    }
    if (profile->gpu.concurrent_managed_access) {
        g_strlcpy(profile->rules.managed_touch_signal, "SIGSEGV",
                  sizeof(profile->rules.managed_touch_signal));
    }
    profile->gpu.concurrent_managed_access = false;
    profile->gpu.direct_managed_access_from_host = false;
    profile->gpu.pageable_memory_access = false;
    profile->gpu.pageable_uses_host_page_tables = false;
    profile->rules.cpu_snoops_l2 = false;
}

/* SPDX-License-Identifier: MIT */
/*
 * Profile files: one SoC each, GLib key files whose every line says where its figure comes from:
 *     l2_bytes = 4194304 | measured | deviceQuery listing
 * The keys, types and limits are those of model/profile.def; nothing may be missing or extra.
 */
#ifndef PROFILES_PROFILE_H
#define PROFILES_PROFILE_H

#include <glib.h>

#include "model/profile.h"

#define PROFILE_ERROR profile_error_quark()

enum profile_error {
    PROFILE_ERROR_UNKNOWN_SOC, /* no file of that name in the search path */
    PROFILE_ERROR_FILE,        /* not readable, or no key file */
    PROFILE_ERROR_KEY,         /* missing, unknown or given twice */
    PROFILE_ERROR_VALUE,       /* wrong type, out of limits, or against another figure */
    PROFILE_ERROR_STANDING,    /* no standing, an unknown one, or no source */
    PROFILE_ERROR_EDITION,     /* an unknown edition, or one that the SoC never had */
};

enum profile_standing {
    PROFILE_DOCUMENTED, /* by NVIDIA or Arm; the source names the document */
    PROFILE_MEASURED,   /* on a board; the source says where */
    PROFILE_INFERRED,   /* chosen; the source gives the reason */
};

GQuark profile_error_quark(void);

/**
 * profile_load - read a profile
 * @name_or_path: "orin" is looked up in the search path; a text with '/' or ending in ".profile"
 *                is a file
 * @error: says file, line, section and key, what is wrong and what to do
 *
 * The search path is $VTEGRA_PROFILES, then share/vtegra/profiles beside the lib/ or bin/ that
 * holds this code, then beside the bin/ of the running program. $VTEGRA_EDITION, where it is set,
 * is the edition of CUDA for Tegra in force (profiles/edition.h), and $VTEGRA_POWER the power mode
 * (profiles/power.h).
 *
 * Return: the profile, every field inside its limits, to be freed with profile_free(); NULL with
 * @error set.
 */
struct soc_profile *profile_load(const char *name_or_path, GError **error);

/**
 * profile_parse - the same from text in memory
 * @text: content of a profile file, @len bytes, any bytes
 * @file: the name that errors show
 */
struct soc_profile *profile_parse(const char *text, gsize len, const char *file, GError **error);

void profile_free(struct soc_profile *profile);

/**
 * profile_edition_set - put an edition in force
 * @edition: "11.4"
 * @error: names what exists: of an unknown edition all, else those that the SoC has had
 *
 * Return: FALSE with @error set; the profile is as before.
 */
gboolean profile_edition_set(struct soc_profile *profile, const char *edition, GError **error);

/**
 * profile_system_set - the figures that @os changes
 * @os: "linux" (L4T), "qnx", "android" or "embedded-linux"
 *
 * pageableMemoryAccess and concurrentManagedAccess are 1 on L4T only (CUDA for Tegra 13.4, 4.1).
 * Without registration (4.7) nor pageable access no memory is fully coherent (3.2) on QNX: CPU
 * accesses snoop no L2.
 */
void profile_system_set(struct soc_profile *profile, const char *os);

/**
 * profile_standing - where a figure comes from
 * @profile: as profile_load() returned it; a copy of the struct knows no standing
 * @key: "section.key", e.g. "gpu.l2_bytes"
 * @source: set to text owned by @profile; may be NULL
 *
 * Return: FALSE if there is no such key; nothing is set then.
 */
gboolean profile_standing(const struct soc_profile *profile, const char *key,
                          enum profile_standing *standing, const char **source);

/** profile_standing_name - "documented", "measured" or "inferred" */
const char *profile_standing_name(enum profile_standing standing);

/**
 * profile_list - names of the profiles in a folder, or in the whole search path
 * @dir: folder; NULL for the search path
 *
 * Return: sorted names without ".profile", each once; empty if there are none. g_strfreev() frees.
 */
char **profile_list(const char *dir);

#endif

/* SPDX-License-Identifier: MIT */
/* Where profiles lie, and which there are. */
#include "profiles/profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiles/edition.h"
#include "profiles/nearest.h"
#include "profiles/power.h"

#define SUFFIX ".profile"
#define LARGEST (1 << 20) /* bytes; a profile has a few KiB */

static struct soc_profile *file_load(const char *path, GError **error)
{
    struct soc_profile *profile = NULL;
    GStatBuf info;
    char *text;
    gsize len;

    if (g_stat(path, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > LARGEST)) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE, "%s: not a profile, but a %s", path,
                    S_ISDIR(info.st_mode)   ? "folder"
                    : S_ISREG(info.st_mode) ? "file of more than 1 MiB"
                                            : "special file");
        return NULL;
    }
    /* GLib's own message has typographic quotes, which a C locale cannot print. */
    if (g_access(path, R_OK) != 0 || !g_file_get_contents(path, &text, &len, NULL)) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE, "%s: cannot read the profile: %s",
                    path, g_strerror(errno));
        return NULL;
    }
    profile = profile_parse(text, len, path, error);
    g_free(text);
    return profile;
}

/* <folder of @file>/../share/vtegra/profiles, if @file can be resolved */
static void path_add_beside(GPtrArray *dirs, const char *file)
{
    char *real = file ? realpath(file, NULL) : NULL;
    char *dir;

    if (!real) {
        return;
    }
    dir = g_path_get_dirname(real);
    g_ptr_array_add(dirs, g_build_filename(dir, "..", "share", "vtegra", "profiles", NULL));
    g_free(dir);
    free(real);
}

/* Lies in the library or program that this code was linked into. */
static const char anchor;

static GPtrArray *search_path(void)
{
    GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
    const char *own = g_getenv("VTEGRA_PROFILES");
    Dl_info info;

    if (own && *own) {
        g_ptr_array_add(dirs, g_strdup(own));
    }
    if (dladdr(&anchor, &info) != 0) {
        path_add_beside(dirs, info.dli_fname);
    }
    path_add_beside(dirs, "/proc/self/exe");
    return dirs;
}

static gboolean is_path(const char *name_or_path)
{
    return strchr(name_or_path, '/') || g_str_has_suffix(name_or_path, SUFFIX);
}

static void unknown_soc_error(const char *name, GPtrArray *dirs, GError **error)
{
    char **known = profile_list(NULL);
    const char *near = nearest_word(name, (const char *const *)known);

    if (known[0]) {
        char *list = g_strjoinv(" ", known);

        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNKNOWN_SOC,
                    "unknown SoC \"%s\"%s%s%s; known: %s (or give the path of a profile file)",
                    name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "", list);
        g_free(list);
    } else if (dirs->len) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNKNOWN_SOC,
                    "unknown SoC \"%s\": no profile files in %s; set VTEGRA_PROFILES to their "
                    "folder",
                    name, (const char *)g_ptr_array_index(dirs, 0));
    } else {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNKNOWN_SOC,
                    "no folder of profiles for SoC \"%s\": it is found by /proc/self/exe, which "
                    "cannot be read; mount /proc, or set VTEGRA_PROFILES to the folder",
                    name);
    }
    g_strfreev(known);
}

/* $VTEGRA_EDITION and $VTEGRA_POWER, which vtegra run --edition and --power set, instead of the
 * profile's own. */
static struct soc_profile *in_force(struct soc_profile *profile, GError **error)
{
    const char *edition = g_getenv(PROFILE_EDITION_ENV), *power = g_getenv(PROFILE_POWER_ENV);

    if (profile && ((edition && *edition && !profile_edition_set(profile, edition, error)) ||
                    (power && *power && !profile_power_set(profile, power, error)))) {
        profile_free(profile);
        return NULL;
    }
    return profile;
}

struct soc_profile *profile_load(const char *name_or_path, GError **error)
{
    struct soc_profile *profile = NULL;
    GPtrArray *dirs;
    char *found = NULL;

    if (is_path(name_or_path)) {
        return in_force(file_load(name_or_path, error), error);
    }
    dirs = search_path();
    for (guint i = 0; i < dirs->len && !found; i++) {
        char *path =
            g_strdup_printf("%s/%s" SUFFIX, (char *)g_ptr_array_index(dirs, i), name_or_path);

        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            found = path;
        } else {
            g_free(path);
        }
    }
    if (found) {
        profile = in_force(file_load(found, error), error);
        g_free(found);
    } else {
        unknown_soc_error(name_or_path, dirs, error);
    }
    g_ptr_array_unref(dirs);
    return profile;
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_add(GPtrArray *names, const char *dir_path)
{
    GDir *dir = g_dir_open(dir_path, 0, NULL);
    const char *file;

    while (dir && (file = g_dir_read_name(dir))) {
        char *name;

        if (!g_str_has_suffix(file, SUFFIX) || file[0] == '.') {
            continue;
        }
        name = g_strndup(file, strlen(file) - strlen(SUFFIX));
        if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) {
            g_free(name);
        } else {
            g_ptr_array_add(names, name);
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
}

char **profile_list(const char *dir)
{
    GPtrArray *names = g_ptr_array_new();

    if (dir) {
        names_add(names, dir);
    } else {
        GPtrArray *dirs = search_path();

        for (guint i = 0; i < dirs->len; i++) {
            names_add(names, g_ptr_array_index(dirs, i));
        }
        g_ptr_array_unref(dirs);
    }
    g_ptr_array_sort(names, names_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

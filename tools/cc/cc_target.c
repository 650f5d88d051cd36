/* SPDX-License-Identifier: MIT */
#include "tools/cc/cc_target.h"

#include <stdlib.h>
#include <string.h>

#include "profiles/profile.h"
#include "tools/cmd.h"

/* From sm_53, the oldest Tegra with a profile, what clang 19 has (clang++-19
 * --print-supported-cpus --target=nvptx64-nvidia-cuda); sm_90a is for one architecture alone. */
static const unsigned known[] = { 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90 };

/* The targets of the Tegras. Any board loads PTX for an older one (CUDA C++ Programming Guide,
 * "PTX Compatibility"), and code for a newer one may use what the older lacks. */
static const char *const tegras[] = { "sm_53", "sm_62", "sm_72", "sm_87" };

gboolean cc_assembles(const struct cc_args *args)
{
    static const char *const no[] = { "-S", "-E", "-fsyntax-only", "-M", "-MM" };

    for (guint i = 0; i < args->compile->len; i++) {
        for (gsize k = 0; k < G_N_ELEMENTS(no); k++) {
            if (strcmp(g_ptr_array_index(args->compile, i), no[k]) == 0) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static unsigned number_of(const char *arch)
{
    return (unsigned)strtoul(arch + strlen("sm_"), NULL, 10);
}

static gint cc_target_order(gconstpointer a, gconstpointer b)
{
    const char *const *x = a, *const *y = b;
    unsigned i = number_of(*x), j = number_of(*y);

    return i != j ? (i > j) - (i < j) : strcmp(*x, *y);
}

/* The newest target that clang has and the SoC may load. */
static gboolean soc_add(struct cc_args *args, const char *soc)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(soc, &error);
    unsigned best = known[0], cc;

    if (!profile) {
        cmd_error("cc", "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    cc = soc_profile_cc(profile);
    if (soc_profile_gpus(profile) > 1) { /* text for the older one runs on both */
        struct soc_profile discrete = soc_profile_gpu(profile, 1);

        cc = MIN(cc, soc_profile_cc(&discrete));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        best = known[i] <= cc ? known[i] : best;
    }
    if (best != cc) {
        cmd_error("cc", "clang 19 has no sm_%u, which %s is: PTX for sm_%u", cc, soc, best);
    }
    g_ptr_array_add(args->archs, g_strdup_printf("sm_%u", best));
    profile_free(profile);
    return TRUE;
}

/* nvcc 13 names GPUs that clang 19 has not: text for an older one runs on them. */
static void newer_replace(struct cc_args *args)
{
    unsigned newest = known[G_N_ELEMENTS(known) - 1];

    for (guint i = 0; i < args->archs->len; i++) {
        char **arch = (char **)&g_ptr_array_index(args->archs, i);

        if (number_of(*arch) > newest) {
            cmd_error("cc", "note: clang 19 has no %s: PTX for sm_%u, which it may load", *arch,
                      newest);
            g_free(*arch);
            *arch = g_strdup_printf("sm_%u", newest);
        }
    }
}

/* Text has one target: clang takes no -o for several. */
static void default_add(struct cc_args *args)
{
    args->as_many = cc_assembles(args);
    for (size_t i = args->as_many ? 0 : G_N_ELEMENTS(tegras) - 1; i < G_N_ELEMENTS(tegras); i++) {
        g_ptr_array_add(args->archs, g_strdup(tegras[i]));
    }
}

gboolean cc_targets_choose(struct cc_args *args)
{
    for (guint i = 0; i < args->socs->len; i++) {
        if (!soc_add(args, g_ptr_array_index(args->socs, i))) {
            return FALSE;
        }
    }
    if (args->archs->len == 0) {
        default_add(args);
    }
    newer_replace(args);
    g_ptr_array_sort(args->archs, cc_target_order);
    for (guint i = 1; i < args->archs->len;) {
        if (strcmp(g_ptr_array_index(args->archs, i - 1), g_ptr_array_index(args->archs, i)) == 0) {
            g_ptr_array_remove_index(args->archs, i);
        } else {
            i++;
        }
    }
    return TRUE;
}

/* Each target is a pass over the source: only the last one, and the host's, warn. */
void cc_targets_flags(GPtrArray *argv, const struct cc_args *args, guint first)
{
    for (guint i = first; i < args->archs->len; i++) {
        const char *arch = g_ptr_array_index(args->archs, i);

        g_ptr_array_add(argv, g_strconcat("--cuda-gpu-arch=", arch, NULL));
        if (i + 1 < args->archs->len) {
            g_ptr_array_add(argv, g_strconcat("-Xarch_", arch, NULL));
            g_ptr_array_add(argv, g_strdup("-w"));
        }
    }
}

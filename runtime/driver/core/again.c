/* SPDX-License-Identifier: MIT */
/* A seed means a run only together with all that the run was asked for: the whole command is
 * printed.
 */
#include "runtime/driver/core/again.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/observe/shell.h"

static char *program; /* with its arguments, as a line for a shell */

/* The loader gives constructors what it gives main(): before the program may change it. */
static __attribute__((constructor)) void arguments_take(int argc, char **argv)
{
    if (argc > 0 && argv && argv[0]) {
        program = shell_line((const char *const *)argv);
    }
}

static const char *again_env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

static void again_option(GPtrArray *words, const char *name, const char *value)
{
    if (value) {
        g_ptr_array_add(words, (char *)name);
        g_ptr_array_add(words, (char *)value);
    }
}

/* As seen from where the program was started. */
static const char *from_here(const char *path)
{
    g_autofree char *here = g_get_current_dir();
    size_t length = strlen(here);

    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void options_of_seed(GPtrArray *words)
{
    const char *strategy = again_env("VTEGRA_STRATEGY", "pct");

    again_option(words, "--seed", again_env("VTEGRA_SEED", "0"));
    again_option(words, "--strategy", strategy);
    if (strcmp(strategy, "pct") == 0) {
        again_option(words, "--depth", again_env("VTEGRA_DEPTH", "2"));
    }
    again_option(words, "--length", again_env("VTEGRA_LENGTH", NULL));
}

/* What explore takes of the run's options, too. */
char *again_explore_text(void)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autofree char *line = NULL;

    if (!program) {
        return NULL;
    }
    g_ptr_array_add(words, (char *)"vtegra");
    g_ptr_array_add(words, (char *)"explore");
    again_option(words, "--soc", again_env("VTEGRA_SOC", "orin"));
    again_option(words, "--edition", again_env("VTEGRA_EDITION", NULL));
    again_option(words, "--power", again_env("VTEGRA_POWER", NULL));
    again_option(words, "--os", again_env("VTEGRA_OS", NULL));
    g_ptr_array_add(words, NULL);
    line = shell_line((const char *const *)words->pdata);
    return g_strconcat(line, " -- ", program, NULL);
}

char *again_text(void)
{
    const char *schedule = again_env("VTEGRA_SCHEDULE", NULL),
               *policy = again_env("VTEGRA_POLICY", "lazy");
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autofree char *line = NULL;
    gboolean seeded = strcmp(policy, "seeded") == 0;

    if (!program) {
        return NULL;
    }
    g_ptr_array_add(words, (char *)"vtegra");
    if (schedule && seeded) {
        g_ptr_array_add(words, (char *)"replay");
        g_ptr_array_add(words, (char *)from_here(schedule));
    } else {
        g_ptr_array_add(words, (char *)"run");
        if (strcmp(again_env("VTEGRA_SHARED", "0"), "1") ==
            0) { /* PROGRAM may be one of several there */
            g_ptr_array_add(words, (char *)"--shared");
        }
        again_option(words, "--soc", again_env("VTEGRA_SOC", "orin"));
        again_option(words, "--edition", again_env("VTEGRA_EDITION", NULL));
        again_option(words, "--power", again_env("VTEGRA_POWER", NULL));
        again_option(words, "--os", again_env("VTEGRA_OS", NULL));
        again_option(words, "--policy", policy);
        again_option(words, "--evict", again_env("VTEGRA_EVICT", seeded ? "seeded" : "lru"));
        again_option(words, "--check", again_env("VTEGRA_CHECK", NULL));
        again_option(words, "--races", again_env("VTEGRA_RACES", NULL));
        again_option(words, "--oob", again_env("VTEGRA_OOB", NULL));
        if (strcmp(again_env("VTEGRA_SAFETY", "0"), "1") == 0) {
            g_ptr_array_add(words, (char *)"--safety");
        }
        again_option(words, "--camera", again_env("VTEGRA_CAMERA", NULL));
        again_option(words, "--rest", again_env("VTEGRA_REST_MIB", NULL));
        again_option(words, "--swap", again_env("VTEGRA_SWAP_MIB", NULL));
        again_option(words, "--host-memory", again_env("VTEGRA_HOST_MIB", NULL));
        again_option(words, "--steps", again_env("VTEGRA_STEP_LIMIT", NULL));
    }
    if (seeded && !schedule) {
        options_of_seed(words);
    } else if (strcmp(again_env("VTEGRA_EVICT", ""), "seeded") == 0 && !schedule) {
        again_option(words, "--seed", again_env("VTEGRA_SEED", "0"));
    }
    g_ptr_array_add(words, NULL);
    line = shell_line((const char *const *)words->pdata);
    return g_strconcat(line, " -- ", program, NULL);
}

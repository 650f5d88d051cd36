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

static const char *env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

static void option(GPtrArray *words, const char *name, const char *value)
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
    const char *strategy = env("VTEGRA_STRATEGY", "pct");

    option(words, "--seed", env("VTEGRA_SEED", "0"));
    option(words, "--strategy", strategy);
    if (strcmp(strategy, "pct") == 0) {
        option(words, "--depth", env("VTEGRA_DEPTH", "2"));
    }
    option(words, "--length", env("VTEGRA_LENGTH", NULL));
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
    option(words, "--soc", env("VTEGRA_SOC", "orin"));
    option(words, "--edition", env("VTEGRA_EDITION", NULL));
    option(words, "--power", env("VTEGRA_POWER", NULL));
    option(words, "--os", env("VTEGRA_OS", NULL));
    g_ptr_array_add(words, NULL);
    line = shell_line((const char *const *)words->pdata);
    return g_strconcat(line, " -- ", program, NULL);
}

char *again_text(void)
{
    const char *schedule = env("VTEGRA_SCHEDULE", NULL), *policy = env("VTEGRA_POLICY", "lazy");
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
        if (strcmp(env("VTEGRA_SHARED", "0"), "1") == 0) { /* PROGRAM may be one of several there */
            g_ptr_array_add(words, (char *)"--shared");
        }
        option(words, "--soc", env("VTEGRA_SOC", "orin"));
        option(words, "--edition", env("VTEGRA_EDITION", NULL));
        option(words, "--power", env("VTEGRA_POWER", NULL));
        option(words, "--os", env("VTEGRA_OS", NULL));
        option(words, "--policy", policy);
        option(words, "--evict", env("VTEGRA_EVICT", seeded ? "seeded" : "lru"));
        option(words, "--check", env("VTEGRA_CHECK", NULL));
        option(words, "--races", env("VTEGRA_RACES", NULL));
        option(words, "--oob", env("VTEGRA_OOB", NULL));
        if (strcmp(env("VTEGRA_SAFETY", "0"), "1") == 0) {
            g_ptr_array_add(words, (char *)"--safety");
        }
        option(words, "--camera", env("VTEGRA_CAMERA", NULL));
        option(words, "--rest", env("VTEGRA_REST_MIB", NULL));
        option(words, "--swap", env("VTEGRA_SWAP_MIB", NULL));
        option(words, "--host-memory", env("VTEGRA_HOST_MIB", NULL));
        option(words, "--steps", env("VTEGRA_STEP_LIMIT", NULL));
    }
    if (seeded && !schedule) {
        options_of_seed(words);
    } else if (strcmp(env("VTEGRA_EVICT", ""), "seeded") == 0 && !schedule) {
        option(words, "--seed", env("VTEGRA_SEED", "0"));
    }
    g_ptr_array_add(words, NULL);
    line = shell_line((const char *const *)words->pdata);
    return g_strconcat(line, " -- ", program, NULL);
}

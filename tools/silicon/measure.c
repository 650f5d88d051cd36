/* SPDX-License-Identifier: MIT */
/* vtegra measure: becomes vtegra run with a program of ours (tools/measure), on the model or on
 * silicon. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/silicon/silicon.h"

#define CMD "measure"

enum { MEASURE_NO_DRIVER = 77 };

static const char description[] =
    "Prints the lines of a profile (model/profile.def) that a driver answers or a clock shows, "
    "with\n"
    "the standing \"measured\"; the other keys as comments. With --backend silicon the GPU of "
    "this\n"
    "machine is asked, and latencies are measured. On the model the figures are the profile's.\n"
    "\n"
    "The exit status is 0; 1 if the driver refuses; 77: no NVIDIA driver here; 125: not started.\n"
    "\n"
    "Examples:\n"
    "  vtegra measure --backend silicon > mine.profile\n"
    "  vtegra measure --soc tx2";

int cmd_measure(int argc, char **argv)
{
    g_autofree char *soc = NULL, *backend = NULL;
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc, "as for vtegra run", "SOC" },
        { "backend", 0, 0, G_OPTION_ARG_STRING, &backend,
          "model, or silicon: NVIDIA's driver and GPU (model)", "BACKEND" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    gboolean silicon;

    if (!cmd_options(CMD, "- figures for a profile", description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc > 1) {
        cmd_error(CMD, "\"%s\": no argument is expected", argv[1]);
        return CMD_USAGE;
    }
    silicon = g_strcmp0(backend, "silicon") == 0;
    if (silicon && silicon_missing()) {
        cmd_error(CMD, "%s", silicon_missing());
        return MEASURE_NO_DRIVER;
    }
    g_ptr_array_add(args, (char *)"vtegra");
    g_ptr_array_add(args, (char *)"run");
    g_ptr_array_add(args, (char *)"--quiet");
    g_ptr_array_add(args, (char *)"--check");
    g_ptr_array_add(args, (char *)"off");
    g_ptr_array_add(args, (char *)"--backend");
    g_ptr_array_add(args, backend ? backend : (char *)"model");
    if (soc) {
        g_ptr_array_add(args, (char *)"--soc");
        g_ptr_array_add(args, soc);
    }
    g_ptr_array_add(args, (char *)"--");
    g_ptr_array_add(args, paths_get("share/vtegra/bin/measure"));
    g_ptr_array_add(args, (char *)(silicon ? "timings" : NULL));
    g_ptr_array_add(args, NULL);
    execv("/proc/self/exe", (char **)args->pdata);
    cmd_error(CMD, "cannot start vtegra run: %s", g_strerror(errno));
    return CMD_FAILED;
}

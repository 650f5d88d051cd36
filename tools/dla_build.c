/* SPDX-License-Identifier: MIT */
/* vtegra dla build: the command. */
#include "tools/dla_build.h"

#include <stdlib.h>

#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/save.h"

#define CMD "dla build"

static const char description[] =
    "Makes a DLA 1 loadable from a JSON description of layers; docs/dla-build.md has the format "
    "and\n"
    "examples. Data files that it names are relative to its folder.\n"
    "\n"
    "Example:\n"
    "  vtegra dla build net.json -o net.loadable && vtegra dla inspect net.loadable";

int dla_build(int argc, char **argv)
{
    char *output = NULL;
    const GOptionEntry entries[] = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
                                       "the loadable to write", "FILE" },
                                     { NULL, 0, 0, 0, NULL, NULL, NULL } };
    GError *error = NULL;
    int status = CMD_USAGE;
    uint8_t *bytes;
    size_t len = 0;

    if (!cmd_options(CMD, "DESCRIPTION.json -o FILE", description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2 || !output) {
        cmd_error(CMD, "one description and -o FILE; see vtegra dla build --help");
    } else if (!(bytes = build_file(argv[1], &len, &error)) ||
               !save(output, bytes, len, &error)) {
        cmd_error(CMD, "%s", error ? error->message : "?");
        g_clear_error(&error);
        status = CMD_FOUND;
    } else {
        status = CMD_OK;
    }
    if (status == CMD_OK) {
        free(bytes);
    }
    g_free(output);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* vtegra board: the board is a program of its own, beside this one, since it holds the model. */
#include <errno.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/paths.h"

int cmd_board(int argc, char **argv)
{
    char *path = paths_get("bin/vtegra-board");

    (void)argc;
    execv(path, argv);
    cmd_error("board", "cannot run %s: %s; this vtegra is not completely installed", path,
              g_strerror(errno));
    g_free(path);
    return CMD_FAILED;
}

/* SPDX-License-Identifier: MIT */
/* Without libmicrohttpd: the command says so. */
#include "tools/cmd.h"

int cmd_playground(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    cmd_error(
        "playground",
        "this vtegra was built without libmicrohttpd: install libmicrohttpd-dev and build again");
    return CMD_FAILED;
}

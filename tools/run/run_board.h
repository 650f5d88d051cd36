/* SPDX-License-Identifier: MIT */
/* vtegra run: the board in a process of its own. */
#ifndef TOOLS_RUN_BOARD_H
#define TOOLS_RUN_BOARD_H

#include <glib.h>

/* --board: is it there? @board: NULL, or its path, which becomes absolute: the program may change
 * its folder. FALSE after a line on stderr. */
gboolean run_board_check(char **board, const char *soc);

/**
 * run_board_start - --shared: a board for this process and all that it starts
 * @board: NULL, becomes its socket; @no_model: NULL, or the program, which needs no board of ours
 *
 * The board ends by itself when they have all ended: each has the other end of a pipe of its own.
 * Return: FALSE after a line on stderr.
 */
gboolean run_board_start(char **board, const char *soc, const char *policy, const char *no_model);

#endif

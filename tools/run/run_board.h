/* SPDX-License-Identifier: MIT */
/* vtegra run: the board in a process of its own. */
#ifndef TOOLS_RUN_BOARD_H
#define TOOLS_RUN_BOARD_H

#include <glib.h>

/**
 * run_board_check - --board: is it there, and whose is it?
 * @board: NULL, or its path, which becomes absolute: the program may change its folder
 * @user: NULL, or whose it may be (a name or a number, becomes a number)
 *
 * Return: FALSE after a line on stderr.
 */
gboolean run_board_check(char **board, char **user, const char *soc);

/* A board's name without a file (runtime/hal/board/address.h), which no other user can guess; it
 * goes with the board, however that ends. NULL: errno. */
char *run_board_name(const char *whose);

/**
 * run_board_start - --shared: a board for this process and all that it starts
 * @board: NULL, becomes its socket; @no_model: NULL, or the program, which needs no board of ours
 *
 * The board ends by itself when they have all ended: each has the other end of a pipe of its own.
 * Its socket listens before it is started, and has no file.
 * Return: FALSE after a line on stderr.
 */
gboolean run_board_start(char **board, const char *soc, const char *policy, const char *no_model);

#endif

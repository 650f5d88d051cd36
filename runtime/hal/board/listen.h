/* SPDX-License-Identifier: MIT */
/* The socket that programs call to reach a board (runtime/hal/board/address.h). */
#ifndef RUNTIME_HAL_BOARD_LISTEN_H
#define RUNTIME_HAL_BOARD_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Which file the socket of a board is; inode 0: none, its address has no file. */
struct socket_file {
    dev_t dev;
    ino_t ino;
};

/**
 * socket_open - listen at a path, or at a name without a file
 * @anyone: the file lets other users connect; the board asks who they are
 *
 * A file appears when the socket listens, not before: a program that sees it can connect. That of a
 * board that has died gives way.
 * Return: the socket; -1 after a line on stderr.
 */
int socket_open(const char *name, bool anyone, struct socket_file *own);

/* Another board may have taken the path since: its clients must find it. */
void socket_remove(const char *path, const struct socket_file *own);

#endif

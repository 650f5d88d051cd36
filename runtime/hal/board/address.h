/* SPDX-License-Identifier: MIT */
/* Where a board is found, and whose it is. Read by the server, its clients and vtegra run.
 *
 * A board reads and writes all the memory that a program shares with its engines, and so does a
 * program with the board's: each side asks the kernel which user the other one is (SO_PEERCRED,
 * unix(7)) before it sends a byte. */
#ifndef RUNTIME_HAL_BOARD_ADDRESS_H
#define RUNTIME_HAL_BOARD_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#define BOARD_SOCKET "VTEGRA_BOARD"
/* The number of the user whose board a program uses; the program's own user where it is not set. */
#define BOARD_USER "VTEGRA_BOARD_USER"

/**
 * board_address - the socket's address
 * @name: a path; or "@" and a name without a file (an abstract address), which is gone with the
 *        last process that has the socket, however that ends
 *
 * Return: 0; -EINVAL: @name is NULL or empty; -ENAMETOOLONG.
 */
int board_address(const char *name, struct sockaddr_un *address);

/* The effective user of the other end, of a listening one when it began to listen. false: unknown.
 */
bool board_peer(int fd, uint32_t *user);

/* BOARD_USER; the effective user where that is not set or no number. */
uint32_t board_user(void);

/**
 * board_connect - to the board at @name, if it is @user's
 * @peer: NULL, or whose it is; set where -EPERM is returned
 *
 * Return: the socket; as board_address(); -EPERM: it belongs to another user, and nothing was sent;
 * -errno of connect(2).
 */
int board_connect(const char *name, uint32_t user, uint32_t *peer);

#endif

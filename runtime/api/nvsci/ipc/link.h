/* SPDX-License-Identifier: MIT */
/* One end of a channel: how two processes, or two threads of one, find each other, and notice that
 * the other is gone.
 *
 * Each end listens at an address that its name gives; so a name that is in use cannot be opened
 * twice. Once both ends have been reset, end 1 connects to end 0, which answers with the memory of
 * the rings. An end 0 that is reset later than end 1 knocks: it connects and hangs up. Messages
 * beyond that are single bytes that wake the other end; a closed connection is the other end's
 * close, reset, or death.
 */
#ifndef RUNTIME_API_NVSCI_IPC_LINK_H
#define RUNTIME_API_NVSCI_IPC_LINK_H

#include "runtime/api/nvsci/ipc/config.h"
#include "runtime/api/nvsci/ipc/ring.h"

enum ipc_link_state {
    IPC_LINK_IDLE, /* not reset since it was opened, or since the other end went */
    IPC_LINK_WAITING,
    IPC_LINK_UP,
};

/**
 * struct ipc_link
 * @poll: readable when ipc_link_pump() may have something to do
 * @established, @broken: happened and was not reported yet
 */
struct ipc_link {
    struct ipc_channel channel;
    unsigned side;
    uint32_t realm; /* endpoints of other configuration files have the same names */
    enum ipc_link_state state;
    int listener, connection, poll;
    bool established, broken, corrupt;
    struct ipc_ring ring;
    size_t ring_bytes;
};

/* Return: 0; -EADDRINUSE: the name is open already, -EPERM: by another user; another -errno. */
int ipc_link_open(struct ipc_link *link, const struct ipc_channel *channel, unsigned side,
                  uint32_t realm);
void ipc_link_close(struct ipc_link *link);
void ipc_link_reset(struct ipc_link *link);
/* What has arrived. Never blocks. */
void ipc_link_pump(struct ipc_link *link);
void ipc_link_wake(struct ipc_link *link); /* the other end */
/* The memory makes no sense: as if the other end had gone. */
void ipc_link_corrupt(struct ipc_link *link);

#endif

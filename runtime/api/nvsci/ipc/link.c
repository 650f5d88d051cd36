/* SPDX-License-Identifier: MIT */
#include "runtime/api/nvsci/ipc/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { KIND = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC };

/* An address without a file: nothing is left when a process dies. */
static socklen_t address_of(const struct ipc_link *link, unsigned side, struct sockaddr_un *at)
{
    int n;

    *at = (struct sockaddr_un){ .sun_family = AF_UNIX };
    n = snprintf(at->sun_path + 1, sizeof(at->sun_path) - 1, "vtsci-%u-%08x-%s", (unsigned)getuid(),
                 link->realm, link->channel.name[side]);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static void link_watch(struct ipc_link *link, int op, int fd, uint32_t events)
{
    struct epoll_event e = { .events = events, .data = { .fd = fd } };

    epoll_ctl(link->poll, op, fd, &e);
}

/* The listener says something only to an end that waits; else it would wake it for nothing. */
static void set_state(struct ipc_link *link, enum ipc_link_state state)
{
    link->state = state;
    link_watch(link, EPOLL_CTL_MOD, link->listener, state == IPC_LINK_WAITING ? EPOLLIN : 0);
}

static void hang_up(struct ipc_link *link)
{
    if (link->connection >= 0) {
        close(link->connection);
        link->connection = -1;
    }
}

static void drop_connection(struct ipc_link *link)
{
    hang_up(link);
    if (link->ring.memory) {
        munmap(link->ring.memory, link->ring_bytes);
        link->ring.memory = NULL;
    }
}

/* Only processes of the same user are believed to be the other end. */
static bool same_user(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == getuid();
}

/* The address is taken. Return: -EPERM: by another user; else -EADDRINUSE. */
static int taken_by(const struct sockaddr_un *at, socklen_t len)
{
    int fd = socket(AF_UNIX, KIND, 0);
    bool other = fd >= 0 && !connect(fd, (const struct sockaddr *)at, len) && !same_user(fd);

    if (fd >= 0) {
        close(fd);
    }
    return other ? -EPERM : -EADDRINUSE;
}

int ipc_link_open(struct ipc_link *link, const struct ipc_channel *channel, unsigned side,
                  uint32_t realm)
{
    struct sockaddr_un at;
    socklen_t len;
    int error = 0;

    *link = (struct ipc_link){
        .channel = *channel, .side = side, .realm = realm, .connection = -1, .poll = -1
    };
    link->ring_bytes = ipc_ring_bytes(channel->frames, channel->frame_size);
    link->listener = socket(AF_UNIX, KIND, 0);
    len = address_of(link, side, &at);
    if (link->listener < 0 || bind(link->listener, (struct sockaddr *)&at, len) ||
        listen(link->listener, 8) || (link->poll = epoll_create1(EPOLL_CLOEXEC)) < 0) {
        error = -errno;
        if (link->listener >= 0) {
            close(link->listener);
        }
        return error == -EADDRINUSE ? taken_by(&at, len) : error;
    }
    link_watch(link, EPOLL_CTL_ADD, link->listener, 0);
    return 0;
}

void ipc_link_close(struct ipc_link *link)
{
    drop_connection(link);
    close(link->listener);
    close(link->poll);
    link->listener = link->poll = -1;
}

static int call_peer(struct ipc_link *link)
{
    struct sockaddr_un at;
    socklen_t len = address_of(link, !link->side, &at);
    int fd = socket(AF_UNIX, KIND, 0);

    if (fd >= 0 && (connect(fd, (struct sockaddr *)&at, len) || !same_user(fd))) {
        close(fd);
        return -1;
    }
    return fd;
}

static void ring_up(struct ipc_link *link, void *memory)
{
    ipc_ring_open(&link->ring, memory, link->side, link->channel.frames, link->channel.frame_size);
    link->established = true;
    set_state(link, IPC_LINK_UP);
}

/* --- end 0 --- */

static int memory_make(struct ipc_link *link, void **memory)
{
    int fd = memfd_create("nvsciipc", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, (off_t)link->ring_bytes) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    *memory = mmap(NULL, link->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*memory == MAP_FAILED) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool memory_send(int connection, int fd)
{
    char byte = 'M', control[CMSG_SPACE(sizeof(fd))] = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(fd));
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* Has the caller hung up already? Then it was reset since, and calls again. */
static bool hung_up(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void answer_calls(struct ipc_link *link)
{
    int fd;

    while (link->state == IPC_LINK_WAITING &&
           (fd = accept4(link->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        void *memory;
        int shared = hung_up(fd) || !same_user(fd) ? -1 : memory_make(link, &memory);

        if (shared < 0) {
            close(fd);
        } else if (!memory_send(fd, shared)) {
            munmap(memory, link->ring_bytes);
            close(shared);
            close(fd);
        } else {
            close(shared);
            link->connection = fd;
            link_watch(link, EPOLL_CTL_ADD, fd, EPOLLIN);
            ring_up(link, memory);
        }
    }
}

/* --- end 1 --- */

static void connect_to_peer(struct ipc_link *link)
{
    if (link->connection < 0) {
        link->connection = call_peer(link);
        if (link->connection >= 0) {
            link_watch(link, EPOLL_CTL_ADD, link->connection, EPOLLIN);
        }
    }
}

static void hear_knocks(struct ipc_link *link)
{
    bool knocked = false;
    int fd;

    while ((fd = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        close(fd);
        knocked = true;
    }
    if (knocked) {
        connect_to_peer(link);
    }
}

/* The memory must be of the size that this end's own file says, and stay so. */
static void memory_take(struct ipc_link *link, int fd)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    void *memory;

    if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW) ||
        fstat(fd, &st) || (size_t)st.st_size != link->ring_bytes) {
        drop_connection(link);
        return;
    }
    memory = mmap(NULL, link->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        drop_connection(link);
        return;
    }
    ring_up(link, memory);
}

/* --- both --- */

/* Return: what recvmsg() says; a descriptor that came is in *fd, else -1. */
static ssize_t message_take(int connection, int *fd)
{
    char byte[8];
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)];
    struct iovec part = { byte, sizeof(byte) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    ssize_t n = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    *fd = -1;
    if (n <= 0) {
        return n;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        for (size_t at = 0; c->cmsg_type == SCM_RIGHTS && at + CMSG_LEN(sizeof(int)) <= c->cmsg_len;
             at += sizeof(int)) {
            if (*fd >= 0) {
                close(*fd);
            }
            memcpy(fd, CMSG_DATA(c) + at, sizeof(int));
        }
    }
    return n;
}

/* What the other end has sent before can still be read, until the next reset. */
static void peer_gone(struct ipc_link *link)
{
    hang_up(link);
    if (link->state == IPC_LINK_UP) {
        link->broken = true;
        link->established = false;
        set_state(link, IPC_LINK_IDLE);
    }
}

static void hear_peer(struct ipc_link *link)
{
    while (link->connection >= 0) {
        int fd;
        ssize_t n = message_take(link->connection, &fd);

        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (n <= 0) {
            peer_gone(link);
            return;
        }
        if (fd >= 0) {
            if (link->side == 1 && link->state == IPC_LINK_WAITING) {
                memory_take(link, fd);
            }
            close(fd);
        }
    }
}

void ipc_link_pump(struct ipc_link *link)
{
    hear_peer(link);
    if (link->state == IPC_LINK_WAITING && link->side == 0) {
        answer_calls(link);
    } else if (link->state == IPC_LINK_WAITING) {
        hear_knocks(link);
        hear_peer(link);
    }
}

void ipc_link_reset(struct ipc_link *link)
{
    int knock;

    drop_connection(link);
    link->established = link->broken = link->corrupt = false;
    set_state(link, IPC_LINK_WAITING);
    if (link->side == 0) {
        answer_calls(link);
        if (link->state == IPC_LINK_WAITING && (knock = call_peer(link)) >= 0) {
            close(knock);
        }
    } else {
        connect_to_peer(link);
        hear_peer(link);
    }
}

void ipc_link_wake(struct ipc_link *link)
{
    /* A full queue wakes the other end as well. */
    if (link->connection >= 0 && send(link->connection, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
        errno == EPIPE) {
        peer_gone(link);
    }
}

void ipc_link_corrupt(struct ipc_link *link)
{
    link->corrupt = true;
    peer_gone(link);
}

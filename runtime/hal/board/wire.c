/* SPDX-License-Identifier: MIT */
/* Packets, and files that come with them. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/hal/board/board.h"

/* FNV-1a. A profile is plain data whose gaps are zero (profiles/profile.h). */
uint64_t board_profile_hash(const struct soc_profile *profile)
{
    struct soc_profile figures;
    const unsigned char *bytes = (const unsigned char *)&figures;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    memcpy(&figures, profile, sizeof(figures)); /* with the gaps */
    memset(figures.soc.edition, 0,
           sizeof(figures.soc.edition)); /* the driver's affair, not the board's */
    for (size_t i = 0; i < sizeof(figures); i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* By number: a program may have functions of these names of its own, which are not to see what the
 * driver sends, and which the scheduler takes for the program's calls. */
static ssize_t message_send(int fd, const struct msghdr *message)
{
    return syscall(SYS_sendmsg, fd, message, MSG_NOSIGNAL);
}

static ssize_t message_receive(int fd, struct msghdr *message, int flags)
{
    return syscall(SYS_recvmsg, fd, message, flags);
}

int board_send(int fd, const void *head, size_t head_bytes, const void *more, size_t more_bytes)
{
    struct iovec parts[2] = { { (void *)(uintptr_t)head, head_bytes },
                              { (void *)(uintptr_t)more, more_bytes } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = more_bytes ? 2 : 1 };
    ssize_t n;

    do {
        n = message_send(fd, &message);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (size_t)n == head_bytes + more_bytes ? 0 : -EIO;
}

int64_t board_receive(int fd, void *packet, size_t max)
{
    ssize_t n;

    do {
        /* the kernel drops files that come with it */
        n = syscall(SYS_recvfrom, fd, packet, max, MSG_TRUNC, NULL, NULL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n == 0 ? -ECONNRESET : (size_t)n > max ? -EMSGSIZE : n;
}

int board_send_files(int fd, const void *head, size_t bytes, const int files[2])
{
    struct iovec part = { (void *)(uintptr_t)head, bytes };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } control = { 0 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.space,
                              .msg_controllen = sizeof(control.space) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    ssize_t n;

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(c), files, 2 * sizeof(int));
    do {
        n = message_send(fd, &message);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (size_t)n == bytes ? 0 : -EIO;
}

static void files_take(struct msghdr *message, int files[2])
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            int file;

            memcpy(&file, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            if (i < 2 && files[i] < 0) {
                files[i] = file;
            } else {
                close(file);
            }
        }
    }
}

int64_t board_receive_files(int fd, void *packet, size_t max, int files[2])
{
    struct iovec part = { packet, max };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    ssize_t n;

    files[0] = files[1] = -1;
    do {
        message.msg_control = control.space;
        message.msg_controllen = sizeof(control.space);
        n = message_receive(fd, &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return -errno;
    }
    files_take(&message, files);
    return n == 0 ? -ECONNRESET : message.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}

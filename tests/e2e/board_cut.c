/* SPDX-License-Identifier: MIT */
/* Between a program and its board: hands every packet on, and hangs up at the program's packet
 * number N, as the kernel does for a board that is killed there. Usage: board_cut BOARD OWN N
 * before|after before: the board never gets that packet; after: it does what it says, and dies
 * before the reply Prints the number of packets when the program ends first. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char packet[1 << 18];
static union {
    struct cmsghdr header;
    char space[256];
} control;

/* Files that come with it are handed on, too. Return: false: the sender is gone. */
static int hand_on(int from, int to)
{
    struct iovec part = { packet, sizeof(packet) };
    struct msghdr m = { .msg_iov = &part,
                        .msg_iovlen = 1,
                        .msg_control = &control,
                        .msg_controllen = sizeof(control) };
    ssize_t n = recvmsg(from, &m, 0);

    if (n <= 0) {
        return 0;
    }
    part.iov_len = (size_t)n;
    if (to >= 0 && sendmsg(to, &m, MSG_NOSIGNAL) != n) {
        return 0;
    }
    for (struct cmsghdr *c = m.msg_controllen ? CMSG_FIRSTHDR(&m) : NULL; c;
         c = CMSG_NXTHDR(&m, c)) {
        for (size_t at = CMSG_LEN(0); at < c->cmsg_len; at += sizeof(int)) {
            int file;

            memcpy(&file, (char *)c + at, sizeof(file));
            close(file);
        }
    }
    return 1;
}

static int socket_at(const char *path, int type,
                     int (*how)(int, const struct sockaddr *, socklen_t))
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, type, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (how(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        perror(path);
        exit(2);
    }
    return fd;
}

/* Return: packets of the program's; -1: cut. */
static long relay(int program, int board, long cut, int after)
{
    struct pollfd fds[2] = { { program, POLLIN, 0 }, { board, POLLIN, 0 } };
    long n = 0;

    for (;;) {
        poll(fds, 2, -1);
        if (fds[1].revents && !hand_on(board, program)) {
            return n;
        }
        if (fds[0].revents) {
            if (recv(program, packet, 1, MSG_PEEK) <= 0) {
                return n; /* its end is no packet to cut at */
            }
            n++;
            if (n == cut && !after) {
                return -1;
            }
            if (!hand_on(program, board)) {
                return n - 1;
            }
            if (n == cut) {
                hand_on(board, -1); /* it has begun to answer */
                return -1;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int listener = argc == 5 ? socket_at(argv[2], SOCK_SEQPACKET, bind) : -1;
    long n = 0;

    if (argc == 3) {
        return listen(socket_at(argv[2], SOCK_STREAM, bind), 8) == 0 ? pause() : 2;
    }
    if (listener < 0 || listen(listener, 8) != 0) {
        return 2;
    }
    while (n == 0 || n == 1) { /* who only looks whether there is a board sends no more */
        int program = accept(listener, NULL, NULL);
        int board = socket_at(argv[1], SOCK_SEQPACKET, connect);

        n = relay(program, board, atol(argv[3]), argv[4][0] == 'a');
        close(board);
        close(program);
    }
    if (n > 0) {
        printf("%ld\n", n);
    }
    unlink(argv[2]);
    return 0;
}

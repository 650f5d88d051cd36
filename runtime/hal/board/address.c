/* SPDX-License-Identifier: MIT */
#include "runtime/hal/board/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* All of sun_path counts in the address of a name without a file: whoever passes sizeof(*address),
 * as all here do, means the same name. */
int board_address(const char *name, struct sockaddr_un *address)
{
    size_t len = name ? strlen(name) : 0;

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (len >= sizeof(address->sun_path)) {
        return -ENAMETOOLONG;
    }
    if (len == 0 || strcmp(name, "@") == 0) {
        return -EINVAL;
    }
    memcpy(address->sun_path, name, len);
    if (*name == '@') {
        *address->sun_path = '\0';
    }
    return 0;
}

bool board_peer(int fd, uint32_t *user)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0 || len != sizeof(peer)) {
        return false;
    }
    *user = peer.uid;
    return true;
}

uint32_t board_user(void)
{
    const char *text = getenv(BOARD_USER);
    char *end = NULL;
    unsigned long long user = text ? strtoull(text, &end, 10) : 0;

    return text && *text >= '0' && *text <= '9' && *end == '\0' && user < UINT32_MAX
               ? (uint32_t)user
               : geteuid();
}

static int connect_checked(int fd, const struct sockaddr_un *address, uint32_t user, uint32_t *peer)
{
    uint32_t owner = UINT32_MAX; /* no user's number */
    int err;

    do { /* a signal while the queue of calls is full; nothing is under way then */
        err = connect(fd, (const struct sockaddr *)address, sizeof(*address));
    } while (err != 0 && errno == EINTR);
    if (err != 0) {
        return -errno;
    }
    if (!board_peer(fd, &owner) || owner != user) {
        if (peer) {
            *peer = owner;
        }
        return -EPERM;
    }
    return 0;
}

int board_connect(const char *name, uint32_t user, uint32_t *peer)
{
    struct sockaddr_un address;
    int err = board_address(name, &address), fd;

    if (err) {
        return err;
    }
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    err = connect_checked(fd, &address, user, peer);
    if (err) {
        close(fd);
        return err;
    }
    return fd;
}

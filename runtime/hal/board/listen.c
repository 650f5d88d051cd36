/* SPDX-License-Identifier: MIT */
#include "runtime/hal/board/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hal/board/address.h"

/* Makes room for ours where a board was killed and has left its socket. Only a refused connection
 * says that nothing listens (connect(2)): another error is a service of another kind (EPROTOTYPE),
 * a busy one (EAGAIN), or one that this user may not use (EACCES). */
static bool socket_left_behind(int fd, const struct sockaddr_un *address)
{
    struct stat st;
    const char *path = address->sun_path;

    if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode)) {
        return true;
    }
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0) {
        fprintf(stderr, "vtegra board: a board runs at %s already\n", path);
        return false;
    }
    if (errno != ECONNREFUSED) {
        fprintf(stderr,
                "vtegra board: %s is the socket of something else, which may run: %s. Name another "
                "path, or remove it if nothing uses it\n",
                path, strerror(errno));
        return false;
    }
    unlink(path);
    return true;
}

static struct socket_file socket_file_get(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? (struct socket_file){ st.st_dev, st.st_ino }
                                 : (struct socket_file){ 0 };
}

void socket_remove(const char *path, const struct socket_file *own)
{
    const struct socket_file now = socket_file_get(path);

    if (own->ino && now.dev == own->dev && now.ino == own->ino) {
        unlink(path);
    }
}

static int at_once(int fd, const struct sockaddr_un *address)
{
    return bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 ||
                   listen(fd, SOMAXCONN) != 0
               ? -errno
               : 0;
}

/* A bound socket refuses connections until it listens, and its file is there as soon as it is
 * bound: it is bound under another name in the same folder, and gets its own by link(2), which
 * replaces nothing. The other name is short, whatever the folder's is. */
static int behind_a_name(int fd, const char *path, bool anyone)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), err;
    g_autofree char *name = g_strdup_printf(".vtegra-%08x%08x", g_random_int(), g_random_int());
    struct sockaddr_un first = { .sun_family = AF_UNIX };

    if (dir < 0) {
        return -errno;
    }
    g_snprintf(first.sun_path, sizeof(first.sun_path), "/proc/self/fd/%d/%s", dir, name);
    umask(0077);
    err = at_once(fd, &first);
    if (!err && anyone && fchmodat(dir, name, 0666, 0) != 0) {
        err = -errno;
    }
    if (!err && linkat(dir, name, AT_FDCWD, path, 0) != 0) {
        err = -errno;
    }
    unlinkat(dir, name, 0);
    close(dir);
    return err;
}

static int listen_at(int fd, const char *name, bool anyone, struct socket_file *own)
{
    struct sockaddr_un address;
    int err = board_address(name, &address);

    if (err == -ENAMETOOLONG) {
        fprintf(stderr, "vtegra board: %s is too long for a socket (%zu bytes at most)\n", name,
                sizeof(address.sun_path) - 1);
        return err;
    }
    if (!err && *name != '@' && !socket_left_behind(fd, &address)) {
        return -EADDRINUSE;
    }
    if (!err) {
        err = *name == '@' ? at_once(fd, &address) : behind_a_name(fd, name, anyone);
    }
    if (err) {
        fprintf(stderr, "vtegra board: %s: %s\n", name, strerror(-err));
    } else if (*name != '@') {
        *own = socket_file_get(name);
    }
    return err;
}

int socket_open(const char *name, bool anyone, struct socket_file *own)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    *own = (struct socket_file){ 0 };
    if (fd < 0) {
        fprintf(stderr, "vtegra board: %s: %s\n", name, strerror(errno));
    } else if (listen_at(fd, name, anyone, own) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

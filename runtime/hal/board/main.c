/* SPDX-License-Identifier: MIT */
/* vtegra board: a board that stays, for programs in other processes. Those that run at one time
 * share it; who comes when none is left finds it as after power-up. */
#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_HOST = 125 };

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

struct client {
    int fd;
    struct board *board;
};

/* Return: true if it wanted the board. */
static bool client_serve(int fd, struct board *board)
{
    struct board_hello hello;
    bool wants = board_greet(board, fd, &hello) > 0;

    if (wants) {
        board_serve(board, fd, &hello);
    }
    close(fd);
    return wants;
}

static void *client_thread(void *opaque)
{
    struct client *c = opaque;

    client_serve(c->fd, c->board);
    g_free(c);
    return NULL;
}

/* Makes room for ours where a board was killed and has left its socket. Only a refused connection
 * says that nobody listens (connect(2)): another error is a service of another kind (EPROTOTYPE), a
 * busy one (EAGAIN), or one that this user may not use (EACCES). */
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

/* Which file the socket of this board is; none (inode 0) where it cannot be found. */
struct socket_file {
    dev_t dev;
    ino_t ino;
};

static struct socket_file socket_file_get(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? (struct socket_file){ st.st_dev, st.st_ino }
                                 : (struct socket_file){ 0 };
}

/* Another board may have taken the path since: its clients must find it. */
static void socket_remove(const char *path, const struct socket_file *own)
{
    const struct socket_file now = socket_file_get(path);

    if (now.ino && now.dev == own->dev && now.ino == own->ino) {
        unlink(path);
    }
}

static int socket_open(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        fprintf(stderr, "vtegra board: %s is too long for a socket (%zu bytes at most)\n", path,
                sizeof(address.sun_path) - 1);
        return -1;
    }
    g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
    if (!socket_left_behind(fd, &address)) {
        close(fd);
        return -1;
    }
    umask(0077);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 8) != 0) {
        fprintf(stderr, "vtegra board: %s: %s\n", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static void client_start(int fd, struct board *board)
{
    struct client *c = g_new(struct client, 1);
    pthread_t thread;

    *c = (struct client){ fd, board };
    if (pthread_create(&thread, NULL, client_thread, c) == 0) {
        pthread_detach(thread);
    } else {
        close(fd);
        g_free(c);
    }
}

#define LEFT_MS 20 /* how often to look whether the last program has ended */

/* Is there to be another program? Waits until one comes. @run: a pipe whose other end all processes
 * of a run have; -1: none. */
static bool client_comes(int server, int run, struct board *board)
{
    struct pollfd p[2] = { { .fd = server, .events = POLLIN }, { .fd = run } };
    bool over = false;

    while (!stopped && !(over && board_programs(board) == 0)) {
        int n = poll(p, over ? 1 : 2, over ? LEFT_MS : -1);

        if (n > 0 && p[0].revents) {
            return true;
        }
        over |= n > 0 && p[1].revents;
    }
    return false;
}

static void clients_serve(int server, int run, struct board *board, gboolean once)
{
    while (client_comes(server, run, board)) {
        int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0) {
            continue; /* a signal */
        }
        if (!once) {
            client_start(fd, board);
        } else if (client_serve(fd, board)) {
            return;
        }
    }
}

static int run(const char *path, const char *soc, gboolean once, int of)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(soc, &error);
    struct sigaction action = { .sa_handler = on_signal };
    struct socket_file own;
    int server;

    if (!profile) {
        fprintf(stderr, "vtegra board: %s\n", error->message);
        g_error_free(error);
        return EXIT_USAGE;
    }
    server = socket_open(path);
    if (server >= 0) {
        own = socket_file_get(path);
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        if (of < 0) {
            fprintf(stderr, "vtegra board: %s (%s) at %s\n", profile->soc.name,
                    profile->soc.marketing, path);
        }
        clients_serve(server, of, board_new(profile, NULL), once); /* a thread may still use it */
        socket_remove(path, &own);
        close(server);
    }
    if (!stopped) { /* else its client may still look at it */
        profile_free(profile);
    }
    return server >= 0 ? EXIT_OK : EXIT_HOST;
}

/* What the board at @path has given out. */
static int counts_print(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const struct board_hello hello = { .magic = BOARD_MAGIC,
                                       .version = BOARD_VERSION,
                                       .flags = BOARD_PROBE | BOARD_COUNT };
    struct board_welcome welcome = { 0 };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool ok;

    g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
    ok = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
         board_send(fd, &hello, sizeof(hello), NULL, 0) == 0 &&
         board_receive(fd, &welcome, sizeof(welcome)) == sizeof(welcome) && !welcome.status;
    close(fd);
    if (!ok) {
        fprintf(stderr, "vtegra board: no board of this vtegra answers at %s\n", path);
        return EXIT_HOST;
    }
    welcome.text[sizeof(welcome.text) - 1] = '\0';
    printf("%s\n", welcome.text);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    char *path = NULL, *soc = NULL;
    gboolean once = FALSE, counts = FALSE;
    int of = -1;
    const GOptionEntry entries[] = {
        { "socket", 0, 0, G_OPTION_ARG_FILENAME, &path, "where programs find it: VTEGRA_BOARD",
          "PATH" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc, "virtual SoC, or a profile file (orin)", "SOC" },
        { "once", 0, 0, G_OPTION_ARG_NONE, &once, "end with the first program", NULL },
        { "counts", 0, 0, G_OPTION_ARG_NONE, &counts,
          "print what the board at --socket has given out, and end", NULL },
        { "run", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &of,
          "end when no process has the other end of this pipe any more (vtegra run --shared)",
          "FD" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new("- a board for programs in other processes");
    const char *env = g_getenv("VTEGRA_SOC");
    GError *error = NULL;
    int status = EXIT_USAGE;

    g_set_prgname("vtegra board");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(context, "Example:\n"
                                              "  vtegra board --soc tx2 --socket /tmp/board &\n"
                                              "  vtegra run --soc tx2 --board /tmp/board -- ./app");
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        fprintf(stderr, "vtegra board: %s; see vtegra board --help\n", error->message);
        g_error_free(error);
    } else if (argc > 1 || !path) {
        fprintf(stderr, "vtegra board: %s; see vtegra board --help\n",
                argc > 1 ? "no arguments but options"
                         : "--socket PATH says where programs find it");
    } else if (counts) {
        status = counts_print(path);
    } else {
        status = run(path, soc ? soc : env && *env ? env : "orin", once, of);
    }
    g_option_context_free(context);
    g_free(path);
    g_free(soc);
    return status;
}

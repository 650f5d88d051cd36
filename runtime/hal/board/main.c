/* SPDX-License-Identifier: MIT */
/* vtegra board: a board that stays, for programs in other processes. Those that run at one time
 * share it; who comes when none is left finds it as after power-up. */
#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "runtime/hal/board/board.h"
#include "runtime/hal/board/listen.h"

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_HOST = 125 };

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

/* How many threads have a client, also one that has not greeted yet. */
static atomic_uint threads;

/**
 * struct settings - what the command line says
 * @path: of the socket; @soc: VTEGRA_SOC, or the SoC's profile; @users: NULL, or whose programs are
 *        served beside the own ones
 * @listener: -1, or a socket at @path that listens already; @run: -1, or a pipe whose other end all
 *            processes of a run have; @ready: -1, or where to write a byte when the board is there
 */
struct settings {
    char *path, *soc, **users;
    gboolean once, counts;
    int listener, run, ready;
};

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
    atomic_fetch_sub(&threads, 1);
    return NULL;
}

static void client_start(int fd, struct board *board)
{
    struct client *c = g_new(struct client, 1);
    pthread_t thread;

    *c = (struct client){ fd, board };
    atomic_fetch_add(&threads, 1);
    if (pthread_create(&thread, NULL, client_thread, c) == 0) {
        pthread_detach(thread);
    } else {
        atomic_fetch_sub(&threads, 1);
        close(fd);
        g_free(c);
    }
}

#define LEFT_MS 20 /* how often to look whether the last program has ended */

/* Is there to be another program? Waits until one comes. @run: as in struct settings. When its
 * other end is closed everywhere, those that have called already are served still. */
static bool client_comes(int server, int run)
{
    struct pollfd p[2] = { { .fd = server, .events = POLLIN }, { .fd = run } };
    bool over = false;

    while (!stopped) {
        bool last = over && atomic_load(&threads) == 0;
        int n = poll(p, over ? 1 : 2, last ? 0 : over ? LEFT_MS : -1);

        if (n > 0 && p[0].revents) {
            return true;
        }
        if (last) {
            return false;
        }
        over |= n > 0 && p[1].revents;
    }
    return false;
}

static void clients_serve(const struct settings *s, int server, struct board *board)
{
    while (client_comes(server, s->run)) {
        int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0) {
            g_usleep(1000); /* a signal, a caller that has gone, or no descriptors for now */
        } else if (!s->once) {
            client_start(fd, board);
        } else if (client_serve(fd, board)) {
            return;
        }
    }
}

static bool user_number(const char *name, uint32_t *number)
{
    const struct passwd *user = getpwnam(name);
    guint64 value;

    if (user) {
        *number = user->pw_uid;
    } else if (g_ascii_string_to_unsigned(name, 10, 0, UINT32_MAX - 1, &value, NULL)) {
        *number = (uint32_t)value;
    } else {
        fprintf(stderr, "vtegra board: --allow %s: there is no such user\n", name);
        return false;
    }
    return true;
}

static bool users_allow(struct board *board, char **users)
{
    uint32_t number;

    for (; users && *users; users++) {
        if (!user_number(*users, &number)) {
            return false;
        }
        board_allow(board, number);
    }
    return true;
}

/* The board is there: says so to a user, or to vtegra run. */
static void ready_report(const struct settings *s, const struct soc_profile *profile)
{
    if (s->ready < 0) {
        fprintf(stderr, "vtegra board: %s (%s) at %s\n", profile->soc.name, profile->soc.marketing,
                s->path);
    } else if (write(s->ready, "", 1) == 1) {
        close(s->ready);
    }
}

static int board_main_serve(const struct settings *s, const struct soc_profile *profile)
{
    struct sigaction action = { .sa_handler = on_signal };
    struct board *board = board_new(profile, NULL); /* to the end: a thread may still use it */
    struct socket_file own = { 0 };
    int server;

    if (!users_allow(board, s->users)) {
        return EXIT_USAGE;
    }
    server = s->listener >= 0 ? s->listener : socket_open(s->path, s->users != NULL, &own);
    if (server < 0) {
        return EXIT_HOST;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    ready_report(s, profile);
    clients_serve(s, server, board);
    socket_remove(s->path, &own);
    close(server);
    return EXIT_OK;
}

static int board_run(const struct settings *s)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(s->soc, &error);
    int status;

    if (!profile) {
        fprintf(stderr, "vtegra board: %s\n", error->message);
        g_error_free(error);
        return EXIT_USAGE;
    }
    status = board_main_serve(s, profile);
    if (!stopped) { /* else its client may still look at it */
        profile_free(profile);
    }
    return status;
}

/* What the board at @path has given out. */
static int counts_print(const char *path)
{
    const struct board_hello hello = { .magic = BOARD_MAGIC,
                                       .version = BOARD_VERSION,
                                       .flags = BOARD_PROBE | BOARD_COUNT };
    struct board_welcome welcome = { 0 };
    int fd = board_connect(path, board_user(), NULL);
    bool ok = fd >= 0 && board_send(fd, &hello, sizeof(hello), NULL, 0) == 0 &&
              board_receive(fd, &welcome, sizeof(welcome)) == sizeof(welcome) && !welcome.status;

    if (fd >= 0) {
        close(fd);
    }
    if (!ok) {
        fprintf(stderr, "vtegra board: no board of this vtegra and this user answers at %s%s%s\n",
                path, fd < 0 ? ": " : "", fd == -EPERM ? "it is another user's" : "");
        return EXIT_HOST;
    }
    welcome.text[sizeof(welcome.text) - 1] = '\0';
    printf("%s\n", welcome.text);
    return EXIT_OK;
}

/* Return: false after a line on stderr. */
static bool options_parse(int *argc, char ***argv, struct settings *s)
{
    const GOptionEntry entries[] = {
        { "socket", 0, 0, G_OPTION_ARG_FILENAME, &s->path,
          "where programs find it: VTEGRA_BOARD; @NAME is a name without a file", "PATH" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &s->soc, "virtual SoC, or a profile file (orin)",
          "SOC" },
        { "allow", 0, 0, G_OPTION_ARG_STRING_ARRAY, &s->users,
          "serve programs of this user, too, who can then read and write what all share", "USER" },
        { "once", 0, 0, G_OPTION_ARG_NONE, &s->once, "end with the first program", NULL },
        { "counts", 0, 0, G_OPTION_ARG_NONE, &s->counts,
          "print what the board at --socket has given out, and end", NULL },
        { "run", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &s->run,
          "end when no process has the other end of this pipe any more (vtegra run --shared)",
          "FD" },
        { "listen", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &s->listener,
          "the socket, which listens", "FD" },
        { "ready", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &s->ready,
          "write a byte there when the board is there", "FD" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new("- a board for programs in other processes");
    GError *error = NULL;
    bool ok = false;

    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(context, "Example:\n"
                                              "  vtegra board --soc tx2 --socket /tmp/board &\n"
                                              "  vtegra run --soc tx2 --board /tmp/board -- ./app");
    if (!g_option_context_parse(context, argc, argv, &error)) {
        fprintf(stderr, "vtegra board: %s; see vtegra board --help\n", error->message);
        g_error_free(error);
    } else if (*argc > 1 || !s->path || !*s->path || strcmp(s->path, "@") == 0) {
        fprintf(stderr, "vtegra board: %s; see vtegra board --help\n",
                *argc > 1 ? "no arguments but options"
                          : "--socket PATH says where programs find it");
    } else {
        ok = true;
    }
    g_option_context_free(context);
    return ok;
}

int main(int argc, char **argv)
{
    struct settings s = { .listener = -1, .run = -1, .ready = -1 };
    const char *env = g_getenv("VTEGRA_SOC");
    int status = EXIT_USAGE;

    g_set_prgname("vtegra board");
    if (options_parse(&argc, &argv, &s)) {
        s.soc = s.soc ? s.soc : g_strdup(env && *env ? env : "orin");
        status = s.counts ? counts_print(s.path) : board_run(&s);
    }
    g_strfreev(s.users);
    g_free(s.path);
    g_free(s.soc);
    return status;
}

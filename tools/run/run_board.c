/* SPDX-License-Identifier: MIT */
#include "tools/run/run_board.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hal/board/address.h"
#include "sched/processes/round.h"
#include "tools/cmd.h"
#include "tools/paths.h"

#define CMD "run"
#define FD_MIN 100 /* of what stays open: out of the way of scripts, which number descriptors */

static gboolean user_check(char **user)
{
    const struct passwd *entry = *user ? getpwnam(*user) : NULL;

    if (!*user) {
        return TRUE;
    }
    if (!entry && !g_ascii_string_to_unsigned(*user, 10, 0, UINT32_MAX - 1, NULL, NULL)) {
        cmd_error(CMD, "--board-user %s: there is no such user", *user);
        return FALSE;
    }
    if (entry) {
        g_free(*user);
        *user = g_strdup_printf("%u", entry->pw_uid);
    }
    g_setenv(BOARD_USER, *user, TRUE);
    return TRUE;
}

/* @fd: what board_connect() has returned. */
static gboolean run_board_reached(const char *name, const char *soc, int fd, uint32_t owner)
{
    if (fd == -EPERM) {
        cmd_error(CMD,
                  "--board %s belongs to user %u, not to user %u, and would read and write all "
                  "shared memory of the program, which was not started. Start one of your own "
                  "(vtegra board), or trust it: --board-user %u",
                  name, owner, board_user(), owner);
    } else if (fd < 0) {
        cmd_error(CMD, "--board %s: %s; start it first: vtegra board --soc %s --socket %s", name,
                  g_strerror(-fd), soc, name);
    } else {
        close(fd);
    }
    return fd >= 0;
}

gboolean run_board_check(char **board, char **user, const char *soc)
{
    uint32_t owner = 0;
    char *absolute;
    int fd;

    if (!user_check(user)) {
        return FALSE;
    }
    if (!*board) {
        return TRUE;
    }
    absolute = **board == '@' ? g_strdup(*board) : g_canonicalize_filename(*board, NULL);
    fd = board_connect(absolute, board_user(), &owner);
    if (!run_board_reached(*board, soc, fd, owner)) {
        g_free(absolute);
        return FALSE;
    }
    g_free(*board);
    *board = absolute;
    return TRUE;
}

/* --- --shared --------------------------------------------------------------------------------- */

/* What the board gets: @socket listens; @run: one end of a pipe, the other end is the program's;
 * @ready: where it says that it is there. */
struct inherited {
    int socket, run, ready;
};

static void G_GNUC_NORETURN board_exec(const char *name, const char *soc,
                                       const struct inherited *fd)
{
    g_autofree char *path = paths_get("bin/vtegra-board");
    g_autofree char *listen = g_strdup_printf("--listen=%d", fd->socket);
    g_autofree char *run = g_strdup_printf("--run=%d", fd->run);
    g_autofree char *ready = g_strdup_printf("--ready=%d", fd->ready);
    const int all[] = { fd->socket, fd->run, fd->ready };
    int null = open("/dev/null", O_RDWR);

    setsid(); /* Ctrl-C is for the programs: they write their reports */
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        fcntl(all[i], F_SETFD, 0);
    }
    execl(path, "vtegra board", "--socket", name, "--soc", soc, listen, run, ready, (char *)NULL);
    cmd_error(CMD, "cannot run %s: %s; this vtegra is not completely installed", path,
              g_strerror(errno));
    _exit(CMD_FAILED);
}

/* As a process that is no child of the program's, which may wait for its own. */
static gboolean board_fork(const char *name, const char *soc, const struct inherited *fd)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (fork() == 0) {
            board_exec(name, soc, fd);
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child;
}

#define START_MS 60000 /* against a board that hangs */

/* Until it is there; where it ends before, it has said why. */
static gboolean board_wait(int ready)
{
    struct pollfd p = { .fd = ready, .events = POLLIN };
    char byte;
    int n;

    do {
        n = poll(&p, 1, START_MS);
    } while (n < 0 && errno == EINTR);
    if (n > 0 && read(ready, &byte, 1) == 1) {
        return TRUE;
    }
    cmd_error(CMD, "--shared: the board has %s; the program was not started",
              n > 0 ? "ended before it was there" : "not come up");
    return FALSE;
}

/* Of one length: it is in the environment, which lies below the stack of each process. */
char *run_board_name(const char *whose)
{
    guint64 number[2];

    if (getrandom(number, sizeof(number), 0) != sizeof(number)) {
        return NULL;
    }
    return g_strdup_printf("@vtegra-%s-%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", whose,
                           number[0], number[1]);
}

static int socket_listen(const char *name)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd >= 0 && (board_address(name, &address) != 0 ||
                    bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
                    listen(fd, SOMAXCONN) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The file by which the processes of the run take turns (sched/processes/round.h). */
static gboolean turn_make(void)
{
    g_autofree char *number = NULL;
    int file = memfd_create("vtegra-turn", MFD_CLOEXEC), fd = -1;

    if (file >= 0 && ftruncate(file, ROUND_BYTES) == 0) {
        fd = fcntl(file, F_DUPFD, FD_MIN);
    }
    if (fd < 0) {
        cmd_error(CMD, "--shared: the turn of the processes: %s", g_strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
    number = g_strdup_printf("%d", fd);
    g_setenv(ROUND_VARIABLE, number, TRUE);
    return fd >= 0;
}

/* Return: the board is there. The other end of its pipe stays open in the program. */
static gboolean board_begin(const char *name, const char *soc, int socket)
{
    int run[2], ready[2];
    gboolean ok;

    if (pipe2(run, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0) {
        cmd_error(CMD, "--shared: %s", g_strerror(errno));
        return FALSE;
    }
    ok = board_fork(name, soc, &(struct inherited){ socket, run[0], ready[1] });
    close(ready[1]);
    ok = ok && board_wait(ready[0]);
    close(ready[0]);
    close(run[0]);
    ok = ok && fcntl(run[1], F_DUPFD, FD_MIN) >= 0;
    close(run[1]);
    return ok;
}

static gboolean shared_check(const char *board, const char *no_model)
{
    if (board) {
        cmd_error(CMD, "--shared and --board: programs that name one board share it without "
                       "--shared");
    } else if (no_model) {
        cmd_error(CMD, "--shared: %s runs on no board of this machine's model", no_model);
    }
    return !board && !no_model;
}

gboolean run_board_start(char **board, const char *soc, const char *policy, const char *no_model)
{
    g_autofree char *name = run_board_name("run");
    gboolean ok;
    int socket;

    if (!shared_check(*board, no_model) || (strcmp(policy, "seeded") == 0 && !turn_make())) {
        return FALSE;
    }
    socket = socket_listen(name);
    if (socket < 0) {
        cmd_error(CMD, "--shared: the board's socket: %s", g_strerror(errno));
        return FALSE;
    }
    ok = board_begin(name, soc, socket);
    close(socket); /* the board's alone: a call after its end is refused */
    *board = ok ? g_steal_pointer(&name) : NULL;
    return ok;
}

/* SPDX-License-Identifier: MIT */
#include "tools/run/run_board.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/processes/round.h"
#include "tools/cmd.h"
#include "tools/paths.h"

#define CMD "run"
#define TURN_FD_MIN 100 /* out of the way of scripts, which name descriptors by number */

gboolean run_board_check(char **board, const char *soc)
{
    char *absolute = *board ? g_canonicalize_filename(*board, NULL) : NULL;

    if (absolute && access(absolute, R_OK | W_OK) != 0) {
        cmd_error(CMD, "--board %s: %s; start it first: vtegra board --soc %s --socket %s", *board,
                  g_strerror(errno), soc, *board);
        g_free(absolute);
        return FALSE;
    }
    g_free(*board);
    *board = absolute;
    return TRUE;
}

static void G_GNUC_NORETURN board_exec(const char *socket, const char *soc, int run)
{
    g_autofree char *path = paths_get("bin/vtegra-board"), *fd = g_strdup_printf("--run=%d", run);
    int null = open("/dev/null", O_RDWR);

    setsid(); /* Ctrl-C is for the programs: they write their reports */
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    execl(path, "vtegra board", "--socket", socket, "--soc", soc, fd, (char *)NULL);
    cmd_error(CMD, "cannot run %s: %s; this vtegra is not completely installed", path,
              g_strerror(errno));
    _exit(CMD_FAILED);
}

/* As a process that is no child of the program's, which may wait for its own. */
static gboolean board_fork(const char *socket, const char *soc, const int pipe[2])
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (fork() == 0) {
            close(pipe[1]);
            board_exec(socket, soc, pipe[0]);
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child;
}

#define START_MS 10000

/* Until it is there; it has said why if it ends before. */
static gboolean board_wait(const char *socket)
{
    for (unsigned ms = 0; ms < START_MS; ms++) {
        if (access(socket, R_OK | W_OK) == 0) {
            return TRUE;
        }
        g_usleep(1000);
    }
    cmd_error(CMD, "--shared: no board has come up");
    return FALSE;
}

/* The file by which the processes of the run take turns (sched/processes/round.h). */
static gboolean turn_make(void)
{
    g_autofree char *number = NULL;
    int file = memfd_create("vtegra-turn", MFD_CLOEXEC), fd = -1;

    if (file >= 0 && ftruncate(file, ROUND_BYTES) == 0) {
        fd = fcntl(file, F_DUPFD, TURN_FD_MIN);
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

gboolean run_board_start(char **board, const char *soc, const char *policy, const char *no_model)
{
    /* Of one length: it is in the environment, which lies below the stack of each process. */
    g_autofree char *socket = g_strdup_printf("%s/vtegra-run-%07d", g_get_tmp_dir(), (int)getpid());
    gboolean ok;
    int run[2];

    if (*board) {
        cmd_error(CMD, "--shared and --board: programs that name one board share it without "
                       "--shared");
        return FALSE;
    }
    if (no_model) {
        cmd_error(CMD, "--shared: %s runs on no board of this machine's model", no_model);
        return FALSE;
    }
    if (strcmp(policy, "seeded") == 0 && !turn_make()) {
        return FALSE;
    }
    if (pipe(run) != 0) {
        cmd_error(CMD, "--shared: %s", g_strerror(errno));
        return FALSE;
    }
    unlink(socket);
    ok = board_fork(socket, soc, run) && board_wait(socket);
    close(run[0]); /* run[1] stays open in the program */
    *board = ok ? g_steal_pointer(&socket) : NULL;
    return ok;
}

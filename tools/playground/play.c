/* SPDX-License-Identifier: MIT */
#include "tools/playground/play.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tools/paths.h"
#include "trace/reader.h"

#define BOTH "exec \"$@\" 2>&1" /* streams into one */
#define NOBODY \
    65534u /* the account for programs where root serves: RLIMIT_NPROC does not bind root */

const char *play_missing(void)
{
    g_autofree char *bwrap = g_find_program_in_path("bwrap"),
                    *prlimit = g_find_program_in_path("prlimit");

    return !bwrap     ? "bwrap is not there, in which programs are run: install bubblewrap"
           : !prlimit ? "prlimit is not there, which limits programs: install util-linux"
                      : NULL;
}

/* --- a process in the sandbox ---------------------------------------------------------------- */

struct play_child {
    GPid pid;
    int out;
};

static gint running; /* the box's process, 0: none */

/* Between fork and exec. @unused: GLib's */
static void play_child_limits(gpointer unused)
{
    const struct rlimit core = { 0, 0 };
    sigset_t none;
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    (void)unused;
    if (fd >= 0) { /* memory has no limit of its own: the model reserves more than there is */
        if (write(fd, "1000", 4) < 0) {
            _exit(126);
        }
        close(fd);
    }
    setrlimit(RLIMIT_CORE, &core);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the server waits for signals of its own */
    if (geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))) {
        _exit(126);
    }
}

static gboolean play_child_start(const char *folder, const char *const *command,
                                 struct play_child *child, GError **error)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *bin = paths_get("bin"),
                    *path = g_strconcat(bin, ":/usr/local/bin:/usr/bin:/bin", NULL);
    const char *const box[] = { "bwrap",
                                "--unshare-all",
                                "--die-with-parent",
                                "--new-session",
                                "--ro-bind",
                                "/",
                                "/",
                                "--dev",
                                "/dev",
                                "--proc",
                                "/proc",
                                "--bind",
                                folder,
                                folder,
                                "--chdir",
                                folder,
                                "--clearenv",
                                "--setenv",
                                "PATH",
                                path,
                                "--setenv",
                                "HOME",
                                folder,
                                "--setenv",
                                "TMPDIR",
                                folder,
                                "--setenv",
                                "LANG",
                                "C.UTF-8",
                                "--setenv",
                                "VTEGRA_TRACE_CLASSES",
                                "all",
                                "prlimit" };

    for (gsize i = 0; i < G_N_ELEMENTS(box); i++) {
        g_ptr_array_add(args, g_strdup(box[i]));
    }
    g_ptr_array_add(args, g_strdup_printf("--nproc=%u", PLAY_PROCESSES));
    g_ptr_array_add(args, g_strdup("--"));
    for (; *command; command++) {
        g_ptr_array_add(args, g_strdup(*command));
    }
    g_ptr_array_add(args, NULL);
    return g_spawn_async_with_pipes(
        folder, (char **)args->pdata, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
        play_child_limits, NULL, &child->pid, NULL, &child->out, NULL, error);
}

/* Bytes that the folder's files take. Links are not followed. No limit of the kernel's does: the
 * model's memory is a file, too. */
static guint64 play_folder_bytes(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    guint64 bytes = 0;

    for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        struct stat st;

        if (lstat(below, &st) == 0) {
            bytes += (guint64)st.st_blocks * 512;
            bytes += S_ISDIR(st.st_mode) ? play_folder_bytes(below) : 0;
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    return bytes;
}

/* What it prints, until it ends. Return: NULL, or why it has to be stopped. */
static char *play_child_read(const struct play_child *child, const char *folder, unsigned seconds,
                             GString *said)
{
    gint64 now = g_get_monotonic_time(), until = now + (gint64)seconds * G_USEC_PER_SEC, look = now;
    char buffer[4096];

    for (;;) {
        struct pollfd p = { .fd = child->out, .events = POLLIN };
        ssize_t n;

        now = g_get_monotonic_time();
        if (now >= until) {
            return g_strdup_printf("stopped after %u s: that is the limit here", seconds);
        }
        if (now >= look) {
            look = now + G_USEC_PER_SEC / 4;
            if (play_folder_bytes(folder) > PLAY_FILES_MAX) {
                return g_strdup_printf("stopped: its files have more than %u MiB",
                                       (unsigned)(PLAY_FILES_MAX >> 20));
            }
        }
        if (poll(&p, 1, 250) <= 0) {
            continue;
        }
        n = read(child->out, buffer, sizeof(buffer));
        if (n <= 0) {
            return NULL;
        }
        g_string_append_len(said, buffer,
                            MIN(n, (ssize_t)(PLAY_TEXT_MAX - MIN(said->len, PLAY_TEXT_MAX))));
    }
}

/* Return: as the shell has it, 128 + signal; -1: it was stopped. Both streams of the child are
 * @said. */
static int play_child_run(const char *folder, const char *const *command, unsigned seconds,
                          GString *said, char **over)
{
    struct play_child child;
    GError *error = NULL;
    int status = 0;

    if (!play_child_start(folder, command, &child, &error)) {
        *over = g_strdup(error->message);
        g_error_free(error);
        return -1;
    }
    g_atomic_int_set(&running, child.pid);
    *over = play_child_read(&child, folder, seconds, said);
    g_atomic_int_set(&running, 0); /* before it is reaped: its number may be another's then */
    if (*over) {
        kill(child.pid,
             SIGKILL); /* the box's first process dies with it, and all others with that */
    }
    close(child.out);
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    g_spawn_close_pid(child.pid);
    if (*over) {
        return -1;
    }
    if (said->len >= PLAY_TEXT_MAX) {
        *over = g_strdup_printf("it printed more than %u KiB: the rest is left out",
                                PLAY_TEXT_MAX >> 10);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void play_stop(void)
{
    gint pid = g_atomic_int_get(&running);

    if (pid) {
        kill(pid, SIGKILL);
    }
}

/* --- the folder ------------------------------------------------------------------------------ */

/* The folder itself, too. Links are deleted, not followed. */
static void play_folder_delete(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);

    for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        struct stat st;

        if (lstat(below, &st) == 0 && S_ISDIR(st.st_mode)) {
            play_folder_delete(below);
        } else {
            unlink(below);
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    rmdir(path);
}

/* A file of the program's own making may be anything, a link to another too: it is opened as a
 * plain file. NULL: there is none, or it has more than @max bytes. */
static GString *play_file_read(const char *folder, const char *name, gsize max)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    struct stat st;
    GString *data;
    FILE *f;
    char buffer[65536];
    size_t n;

    if (lstat(path, &st) || !S_ISREG(st.st_mode) || !(f = trace_open(path))) {
        return NULL;
    }
    data = g_string_new(NULL);
    while (data->len <= max && (n = fread(buffer, 1, sizeof(buffer), f)) > 0) {
        g_string_append_len(data, buffer, (gssize)n);
    }
    fclose(f);
    if (data->len == 0 || data->len > max) {
        g_string_free(data, TRUE);
        return NULL;
    }
    return data;
}

static gboolean play_source_write(const char *folder, const char *source)
{
    g_autofree char *path = g_build_filename(folder, "play.cu", NULL);

    return g_file_set_contents(path, source, -1, NULL) &&
           (geteuid() != 0 || chown(folder, NOBODY, NOBODY) == 0) && g_chmod(path, 0644) == 0;
}

static void play_in(const char *folder, const char *soc, const char *policy, guint64 seed,
                    unsigned seconds, struct play_result *out, GString *said)
{
    g_autofree char *vtegra = paths_get("bin/vtegra"),
                    *number = g_strdup_printf("%" G_GUINT64_FORMAT, seed);
    const char *const build[] = { "sh",      "-c",          BOTH,         "sh",      vtegra, "cc",
                                  "--track", "-g",          "-O1",        "play.cu", "-o",   "play",
                                  "-lcudla", "-lnvscisync", "-lnvscibuf", NULL };
    const char *const run[] = { "sh",     "-c",          BOTH,      "sh",        vtegra,
                                "run",    "--soc",       soc,       "--report",  "report.txt",
                                "--json", "report.json", "--trace", "trace.txt", "--policy",
                                policy,   "--",          "./play",  NULL };
    const char *const seeded[] = { "sh",     "-c",          BOTH,      "sh",        vtegra,
                                   "run",    "--soc",       soc,       "--report",  "report.txt",
                                   "--json", "report.json", "--trace", "trace.txt", "--policy",
                                   "seeded", "--seed",      number,    "--",        "./play",
                                   NULL };

    out->status = play_child_run(folder, build, PLAY_BUILD_S, said, &out->over);
    out->built = out->status == 0;
    if (!out->built) {
        return;
    }
    out->status = play_child_run(folder, strcmp(policy, "seeded") == 0 ? seeded : run, seconds,
                                 said, &out->over);
    out->data = play_file_read(folder, "trace.txt", PLAY_TRACE_MAX);
    if (!out->data) {
        out->data = play_file_read(folder, "report.json", PLAY_TRACE_MAX);
        if (out->data && !out->over) {
            out->over = g_strdup_printf(
                "its trace has more than %u MiB: the report is shown without a timeline",
                PLAY_TRACE_MAX >> 20);
        }
    }
}

void play(const char *source, const char *soc, const char *policy, guint64 seed, unsigned seconds,
          struct play_result *out)
{
    g_autofree char *folder = g_dir_make_tmp("vtegra-play-XXXXXX", NULL);
    GString *said = g_string_new(NULL);

    *out = (struct play_result){ .status = -1 };
    if (!folder || !play_source_write(folder, source)) {
        out->over = g_strdup_printf("no folder for it: %s", g_strerror(errno));
    } else {
        play_in(folder, soc, policy, seed, seconds, out, said);
    }
    if (folder) {
        play_folder_delete(folder);
    }
    out->said = g_utf8_make_valid(said->str, (gssize)said->len);
    g_string_free(said, TRUE);
}

void play_free(struct play_result *out)
{
    g_free(out->said);
    g_free(out->over);
    if (out->data) {
        g_string_free(out->data, TRUE);
    }
}

/* SPDX-License-Identifier: MIT */
/* Files that the run writes: what is in them after everything that may happen on the way. */
#include <check.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/suite.h"
#include "trace/tracefile.h"

static char *path, *part, *full;

static void setup(void)
{
    scratch_open();
    ck_assert_int_eq(g_chdir(dir), 0); /* whatever is made by mistake is made there */
    path = g_build_filename(dir, "file", NULL);
    part = g_strconcat(path, ".part", NULL);
    full = g_build_filename(dir, "full", NULL);
    ck_assert_int_eq(symlink("/dev/full", full), 0); /* the device itself is never in danger */
}

static void teardown(void)
{
    char *all[] = { path, part, full };

    scratch_close(all, G_N_ELEMENTS(all));
}

static void assert_content(const char *file, const char *wanted)
{
    g_autofree char *text = NULL;

    ck_assert(g_file_get_contents(file, &text, NULL, NULL));
    ck_assert_str_eq(text, wanted);
}

static void assert_said(const char *what, unsigned times)
{
    g_autofree char *text = NULL;
    unsigned n = 0;

    ck_assert(g_file_get_contents(err_path, &text, NULL, NULL));
    for (const char *p = text; (p = strstr(p, what)); p++) {
        n++;
    }
    ck_assert_msg(n == times, "%u times '%s' in:\n%s", n, what, text);
}

START_TEST(lines_of_the_trace_replace_the_last_one)
{
    struct tracefile *t;
    struct stat st;

    ck_assert(g_file_set_contents(path, "of a run before, and longer than this one", -1, NULL));
    t = tracefile_open(path);
    ck_assert_ptr_nonnull(t);
    tracefile_line(t, "one");
    tracefile_line(t, "");
    tracefile_line(t, "two");
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 0); /* buffered */
    ck_assert(tracefile_flush(t));
    assert_content(path, "one\n\ntwo\n");
    tracefile_line(t, "three");
    tracefile_close(t);
    assert_content(path, "one\n\ntwo\nthree\n");
    assert_said("vtegra", 0);
}
END_TEST

/* Many buffers full, in lines of every length: not a byte is missing or twice. */
START_TEST(long_traces_are_complete)
{
    GString *wanted = g_string_new(NULL);
    struct tracefile *t = tracefile_open(path);

    for (unsigned i = 0; i < 5000; i++) {
        g_autofree char *line = g_strdup_printf("%u %*s", i, (int)(i % 997), "x");

        tracefile_line(t, line);
        g_string_append_printf(wanted, "%s\n", line);
    }
    tracefile_close(t);
    assert_content(path, wanted->str);
    g_string_free(wanted, TRUE);
}
END_TEST

/* Of 65,536 bytes: a line of 65,535 and its end; one more is left out, and the next is not. */
START_TEST(a_line_as_long_as_the_buffer_fits)
{
    GString *line = g_string_new(NULL);
    struct tracefile *t = tracefile_open(path);
    g_autofree char *text = NULL;
    gsize len;

    for (unsigned i = 0; i < 65535; i++) {
        g_string_append_c(line, (char)('a' + i % 26));
    }
    tracefile_line(t, "before");
    tracefile_line(t, line->str);
    g_string_append_c(line, '!');
    tracefile_line(t, line->str);
    tracefile_line(t, "behind");
    tracefile_close(t);
    ck_assert(g_file_get_contents(path, &text, &len, NULL));
    ck_assert_uint_eq(len, 7 + 65536 + 7);
    ck_assert_int_eq(strncmp(text, "before\nabc", 10), 0);
    ck_assert_ptr_null(strchr(text, '!'));
    ck_assert_str_eq(text + len - 8, "\nbehind\n");
    g_string_free(line, TRUE);
}
END_TEST

START_TEST(a_trace_that_cannot_be_written_ends_once)
{
    struct tracefile *t = tracefile_open(full);

    ck_assert_ptr_nonnull(t);
    tracefile_line(t, "one");
    ck_assert(!tracefile_flush(t));
    tracefile_line(t, "two");
    ck_assert(!tracefile_flush(t));
    tracefile_close(t);
    assert_said("full: No space left on device; the trace ends here", 1);
    ck_assert_ptr_null(tracefile_open("/nonexistent/trace"));
    assert_said("trace file /nonexistent/trace: No such file or directory; the run continues", 1);
    tracefile_line(NULL, "no trace is asked for"); /* and all of it is harmless then */
    ck_assert(!tracefile_flush(NULL));
    tracefile_close(NULL);
}
END_TEST

/* POSIX, open: a file of this process only; a program that it starts does not get it. */
START_TEST(a_trace_is_not_handed_to_other_programs)
{
    struct tracefile *t = tracefile_open(path);
    g_autofree char *command = g_strdup_printf("! ls -l /proc/$$/fd | grep -q '%s$'", path);

    ck_assert_int_eq(system(command), 0);
    tracefile_close(t);
}
END_TEST

START_TEST(closing_gives_the_descriptor_back)
{
    int before = open("/dev/null", O_RDONLY), after;

    close(before);
    tracefile_close(tracefile_open(path));
    ck_assert(outfile_write(path, "report", "text"));
    after = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(after, before);
    close(after);
}
END_TEST

/* --- whole texts ------------------------------------------------------------------------------ */

START_TEST(a_new_text_replaces_the_old_one)
{
    struct stat st;
    mode_t mask = umask(022);

    ck_assert(outfile_write(path, "report", "a long first text"));
    ck_assert(outfile_write(path, "report", "second"));
    umask(mask);
    assert_content(path, "second");
    ck_assert(!g_file_test(part, G_FILE_TEST_EXISTS));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0644); /* as any program's: 0666 without the umask */
}
END_TEST

/* Another user may write to /tmp: what lies at the name of a half-written file is not ours. */
START_TEST(a_link_at_the_temporary_name_is_not_followed)
{
    g_autofree char *victim = g_build_filename(dir, "victim", NULL);

    ck_assert(g_file_set_contents(victim, "mine", -1, NULL));
    ck_assert_int_eq(symlink(victim, part), 0);
    ck_assert(outfile_write(path, "report", "text"));
    assert_content(path, "text");
    assert_content(victim, "mine");
    ck_assert(g_file_test(part, G_FILE_TEST_IS_SYMLINK));
    ck_assert_int_eq(unlink(victim), 0);
}
END_TEST

/* Somebody who has the old one open goes on reading it whole. */
START_TEST(readers_of_the_old_text_keep_it)
{
    char got[16] = "";
    int fd;

    ck_assert(outfile_write(path, "report", "old text"));
    fd = open(path, O_RDONLY);
    ck_assert(outfile_write(path, "report", "new"));
    ck_assert_int_eq(read(fd, got, sizeof(got) - 1), 8);
    ck_assert_str_eq(got, "old text");
    close(fd);
}
END_TEST

static void limited(bool regular)
{
    struct rlimit limit = { 1000, 1000 };
    g_autofree char *text = g_strnfill(5000, 'x');

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(outfile_write(regular ? path : full, "JSON report", text));
}

/* POSIX, write: as many bytes as there is room for, then EFBIG. The old text stays; where there was
 * none, there is none. */
START_TEST(a_text_that_does_not_fit_leaves_the_old_one)
{
    int status;
    pid_t pid;

    ck_assert(_i == 2 || g_file_set_contents(path, "old", -1, NULL));
    pid = fork();
    if (pid == 0) {
        limited(_i != 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0); /* false */
    if (_i == 2) {
        ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
    } else {
        assert_content(path, "old");
    }
    ck_assert(!g_file_test(part, G_FILE_TEST_EXISTS));
    assert_said(_i == 1 ? "full: No space left on device; the program's own output"
                        : "file: File too large; the program's own output and exit status",
                1);
}
END_TEST

/* A folder is no file, and a file needs a name (POSIX, rename: ENOENT). */
START_TEST(a_text_that_cannot_take_its_place_is_an_error)
{
    ck_assert_int_eq(g_mkdir(path, 0700), 0);
    ck_assert(!outfile_write(path, "report", "text"));
    ck_assert_int_eq(g_rmdir(path), 0);
    assert_said("Is a directory", 1);
    ck_assert(!outfile_write("", "report", "text"));
    ck_assert(!g_file_test(".part", G_FILE_TEST_EXISTS));
    assert_said("report : No such file or directory", 1);
}
END_TEST

static void *reader(void *arg)
{
    int fd = *(int *)arg;
    GString *got = g_string_new(NULL);
    char buffer[4096];
    ssize_t n;

    while ((n = read(fd, buffer, sizeof(buffer))) > 0) {
        g_string_append_len(got, buffer, n);
    }
    return g_string_free(got, FALSE);
}

/* A pipe is no file that could be replaced. */
START_TEST(pipes_get_the_text_itself)
{
    int ends[2];
    pthread_t thread;
    g_autofree char *name = NULL;
    char *got;

    ck_assert_int_eq(pipe(ends), 0);
    pthread_create(&thread, NULL, reader, &ends[0]);
    name = g_strdup_printf("/proc/self/fd/%d", ends[1]);
    ck_assert(outfile_write(name, "report", "into the pipe"));
    close(ends[1]);
    pthread_join(thread, (void **)&got);
    ck_assert_str_eq(got, "into the pipe");
    g_free(got);
}
END_TEST

static void into(int target, const char *name)
{
    int saved = dup(target), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool written;

    dup2(fd, target);
    close(fd);
    written = outfile_write(name, "report", "text");
    dup2(saved, target);
    close(saved);
    ck_assert(written);
    assert_content(path, "text");
}

START_TEST(a_dash_is_stdout_and_no_name_stderr)
{
    into(STDOUT_FILENO, "-");
    into(STDERR_FILENO, NULL);
}
END_TEST

static atomic_bool interrupted;
static pthread_t writer;

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&interrupted, true);
}

static void *interrupt(void *arg)
{
    while (!atomic_load(&interrupted)) {
        g_usleep(10000);
        pthread_kill(writer, SIGUSR1);
    }
    return reader(arg);
}

/* So that the next byte has to wait. Return: bytes. */
static size_t pipe_fill(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    char zeros[4096] = { 0 };
    size_t all = 0;
    ssize_t n;

    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while ((n = write(fd, zeros, sizeof(zeros))) > 0) {
        all += (size_t)n;
    }
    fcntl(fd, F_SETFL, flags);
    return all;
}

/* POSIX, write: EINTR where nothing is written yet, else fewer bytes (with 1: a pipe is shorter
 * than the text). Both are a reason to go on. */
START_TEST(a_signal_of_the_program_does_not_cut_the_text)
{
    struct sigaction act = { .sa_handler = on_signal }; /* no SA_RESTART */
    int ends[2];
    pthread_t thread;
    g_autofree char *name = NULL;
    GString *text = g_string_new(NULL);
    char *got;
    size_t before;

    for (unsigned i = 0; i < (_i ? 50000 : 1); i++) {
        g_string_append_printf(text, "%u ", i);
    }
    sigaction(SIGUSR1, &act, NULL);
    ck_assert_int_eq(pipe(ends), 0);
    before = _i ? 0 : pipe_fill(ends[1]);
    writer = pthread_self();
    pthread_create(&thread, NULL, interrupt, &ends[0]);
    name = g_strdup_printf("/proc/self/fd/%d", ends[1]);
    ck_assert(outfile_write(name, "report", text->str));
    close(ends[1]);
    pthread_join(thread, (void **)&got);
    ck_assert_str_eq(got + before, text->str);
    g_free(got);
    g_string_free(text, TRUE);
    assert_said("vtegra", 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tracefile");
    TCase *t = tcase_create("tracefile");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, lines_of_the_trace_replace_the_last_one);
    tcase_add_test(t, long_traces_are_complete);
    tcase_add_test(t, a_line_as_long_as_the_buffer_fits);
    tcase_add_test(t, a_trace_that_cannot_be_written_ends_once);
    tcase_add_test(t, a_trace_is_not_handed_to_other_programs);
    tcase_add_test(t, closing_gives_the_descriptor_back);
    tcase_add_test(t, a_new_text_replaces_the_old_one);
    tcase_add_test(t, readers_of_the_old_text_keep_it);
    tcase_add_loop_test(t, a_text_that_does_not_fit_leaves_the_old_one, 0, 3);
    tcase_add_test(t, a_text_that_cannot_take_its_place_is_an_error);
    tcase_add_test(t, a_link_at_the_temporary_name_is_not_followed);
    tcase_add_test(t, pipes_get_the_text_itself);
    tcase_add_test(t, a_dash_is_stdout_and_no_name_stderr);
    tcase_add_loop_test(t, a_signal_of_the_program_does_not_cut_the_text, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}

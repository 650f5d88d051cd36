/* SPDX-License-Identifier: MIT */
/* The fault handler from outside: a program that touches what it must not, as a child process. */
#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/emulated.h"
#include "tests/emulator.h"

struct outcome {
    int status; /* of waitpid() */
    char *out, *err, *report;
};

/* Line of test_fault_app.c that carries the mark. */
static unsigned mark(const char *name)
{
    char *text, *at, *wanted = g_strdup_printf("/* MARK %s */", name);
    unsigned line = 1;

    ck_assert(g_file_get_contents(FAULT_APP_SOURCE, &text, NULL, NULL));
    at = strstr(text, wanted);
    ck_assert_ptr_nonnull(at);
    for (const char *p = text; p < at; p++) {
        line += *p == '\n';
    }
    g_free(wanted);
    g_free(text);
    return line;
}

static char **environment(const char *report, const char *more)
{
    char **env = g_get_environ();

    env = g_environ_setenv(env, "BOARD_REPORT", report, TRUE);
    env = g_environ_setenv(env, "LD_PRELOAD", PRELOAD, TRUE);
    if (more) {
        char **pair = g_strsplit(more, "=", 2);

        env = g_environ_setenv(env, pair[0], pair[1], TRUE);
        g_strfreev(pair);
    }
    return env;
}

/* argv: the command, NULL-terminated; @more: one NAME=value for the environment, or NULL */
static struct outcome run_command(char **argv, const char *more)
{
    struct outcome o = { 0 };
    char *report = g_strdup_printf("%s/vtegra-test-fault-%d", g_get_tmp_dir(), (int)getpid());
    char **env = environment(report, more);
    GError *error = NULL;

    g_remove(report);
    ck_assert_msg(g_spawn_sync(NULL, argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL, &o.out, &o.err,
                               &o.status, &error),
                  "%s", error ? error->message : "");
    if (!g_file_get_contents(report, &o.report, NULL, NULL)) {
        o.report = g_strdup("");
    }
    g_remove(report);
    g_free(report);
    g_strfreev(env);
    return o;
}

static struct outcome run_case(const char *name, const char *more)
{
    char *own[] = { (char *)FAULT_APP, (char *)name, NULL };
    char **argv = emulated(own);
    struct outcome o = run_command(argv, more);

    g_free(argv);
    return o;
}

static void outcome_free(struct outcome *o)
{
    g_free(o->out);
    g_free(o->err);
    g_free(o->report);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;

    for (const char *p = text; (p = strstr(p, what)); p++) {
        n++;
    }
    return n;
}

/* However the lines are wrapped. */
static void assert_has(const char *text, const char *what)
{
    GRegex *blanks = g_regex_new("\\s+", 0, 0, NULL);
    char *flat = g_regex_replace_literal(blanks, text, -1, 0, " ", 0, NULL);

    ck_assert_msg(strstr(flat, what) != NULL, "'%s' is not in:\n%s", what, text);
    g_free(flat);
    g_regex_unref(blanks);
}

static void assert_line(const char *text, const char *label, const char *mark_name,
                        const char *function)
{
    char *wanted = g_strdup_printf("%stest_fault_app.c:%u in %s", label, mark(mark_name), function);

    assert_has(text, wanted);
    g_free(wanted);
}

static void assert_exits(const struct outcome *o, int status)
{
    ck_assert_msg(WIFEXITED(o->status) && WEXITSTATUS(o->status) == status, "status %#x, %s",
                  o->status, o->err);
}

static void assert_killed(const struct outcome *o, int sig)
{
    ck_assert_msg(WIFSIGNALED(o->status) && WTERMSIG(o->status) == sig, "status %#x, %s", o->status,
                  o->err);
    assert_has(o->report, "vtegra report"); /* written before it died */
}

START_TEST(touch_of_active_managed_memory_names_everything_and_kills)
{
    struct outcome o = run_case("managed_write", NULL);

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "error: CPU write to managed memory");
    assert_line(o.err, "where tests/", "write", "managed_write");
    assert_line(o.err, "cudaMallocManaged 1.0 MiB at tests/", "alloc", "launch");
    assert_has(o.err, "offset 0x10"); /* managed[4] */
    assert_has(o.err, "kernel spin (stream 0, launched at");
    assert_line(o.report, "launched at tests/", "launch", "launch");
    assert_has(o.err, "CUDA for Tegra 3.6");
    assert_has(o.report, "managed-active-touch");
    outcome_free(&o);
}
END_TEST

START_TEST(reads_and_writes_are_told_apart)
{
    struct outcome o = run_case("managed_read", NULL);

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "error: CPU read of managed memory");
    outcome_free(&o);
}
END_TEST

START_TEST(device_memory_is_never_mapped)
{
    struct outcome o = run_case("device_read", NULL);

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "CPU read of device memory, which is never mapped for the CPU");
    assert_has(o.err, "CUDA for Tegra Table 1");
    outcome_free(&o);
}
END_TEST

START_TEST(memory_that_was_freed_is_named)
{
    struct outcome o = run_case("managed_freed", NULL);

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "CPU write to memory that was freed before");
    assert_line(o.err, "where tests/", "freed", "managed_freed");
    assert_has(o.err, "use-after-free");
    assert_has(o.err, "offset 0x10");
    outcome_free(&o);
}
END_TEST

/* CUDA for Tegra, Table 1: what is closed, and to whom. Each says whether it was read or written.
 */
static const struct {
    const char *name, *said, *rule;
} touches[] = {
    { "device_read", "CPU read of device memory", "device-touch" },
    { "device_write", "CPU write to device memory", "device-touch" },
    { "managed_freed", "CPU write to memory that was freed before", "use-after-free" },
    { "freed_read", "CPU read of memory that was freed before", "use-after-free" },
    { "pinned_closed", "CPU read of memory that is closed to the CPU", "forbidden-touch" },
    { "pinned_closed_write", "CPU write to memory that is closed to the CPU", "forbidden-touch" },
    { "managed_read", "CPU read of managed memory", "managed-active-touch" },
    { "managed_write", "CPU write to managed memory", "managed-active-touch" },
};

START_TEST(each_touch_has_its_rule)
{
    struct outcome o = run_case(touches[_i].name, NULL);

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, touches[_i].said);
    assert_has(o.report, touches[_i].rule);
    ck_assert_uint_eq(count(o.err, "error:"), 1);
    outcome_free(&o);
}
END_TEST

/* Registered memory is the program's own, before and after. */
START_TEST(memory_that_was_registered_is_the_programs_own)
{
    struct outcome o = run_case("registered_freed", NULL);

    assert_killed(&o, SIGSEGV);
    ck_assert_uint_eq(count(o.err, "error:"), 0);
    outcome_free(&o);
}
END_TEST

/* An engine's access to memory that went: it finds zeros (20 + what was read; 29: 9 was stored),
 * the program goes on, and neither its line nor errno has to do with it. */
START_TEST(memory_that_an_engine_misses_is_told)
{
    struct outcome o = run_case(_i ? "lost_write" : "lost_read", NULL);

    assert_exits(&o, _i ? 29 : 20);
    assert_has(o.err, _i ? "error: An engine wrote to memory that the program has unmapped"
                         : "error: An engine read memory that the program has unmapped");
    assert_has(o.report, "unmapped-in-use");
    ck_assert_uint_eq(count(o.err, "where "), 0);
    outcome_free(&o);
}
END_TEST

/* The driver may open it, as a board without concurrent access that migrates would. */
START_TEST(what_the_driver_opens_goes_on)
{
    struct outcome o = run_case("managed_write", "BOARD_RESOLVE=1");

    assert_exits(&o, 0);
    ck_assert_uint_eq(count(o.err, "error:"), 0);
    outcome_free(&o);
    o = run_case("not_ours", "BOARD_RESOLVE=1");
    assert_killed(&o, SIGSEGV);
    outcome_free(&o);
}
END_TEST

START_TEST(fault_inside_libc_names_the_callers_line)
{
    struct outcome o = run_case("inside_libc", NULL);

    if (emulator_lacks("libc in a folder of the system")) {
        return;
    }
    assert_killed(&o, SIGSEGV);
    assert_line(o.err, "where tests/", "libc", "inside_libc");
    assert_has(o.err, "(inside libc.so.6)");
    outcome_free(&o);
}
END_TEST

START_TEST(after_synchronisation_it_is_open)
{
    struct outcome o = run_case("synchronised", NULL);

    assert_exits(&o, 7);
    ck_assert_uint_eq(count(o.err, "error:"), 0);
    outcome_free(&o);
}
END_TEST

START_TEST(board_that_gives_sigbus_gives_sigbus)
{
    struct outcome o = run_case("managed_write", "BOARD_SIGNAL=SIGBUS");

    if (emulator_lacks("end by SIGBUS")) {
        return;
    }
    assert_killed(&o, SIGBUS);
    outcome_free(&o);
    o = run_case("bus_handler_after", "BOARD_SIGNAL=SIGBUS");
    assert_exits(&o, 42);
    ck_assert_str_eq(o.out, "handler 7 at 16\n");
    outcome_free(&o);
    o = run_case("device_read", "BOARD_SIGNAL=SIGBUS"); /* no page of that is ever mapped */
    assert_killed(&o, SIGSEGV);
    outcome_free(&o);
    o = run_case("not_ours", "BOARD_SIGNAL=SIGBUS");
    assert_killed(&o, SIGSEGV);
    outcome_free(&o);
    o = run_case("handler_after", "BOARD_SIGNAL=SIGBUS"); /* it handles SIGSEGV only */
    assert_killed(&o, SIGBUS);
    outcome_free(&o);
}
END_TEST

/* Installed before or after the board came up; with the address in siginfo; the report is made. */
START_TEST(own_handler_runs_after_the_finding)
{
    static const char *const names[] = { "handler_before", "handler_after",
                                         "small_alternate_stack" };
    struct outcome o = run_case(names[_i], NULL);

    assert_exits(&o, 42);
    ck_assert_str_eq(o.out, "handler 11 at 16\n");
    ck_assert_uint_eq(count(o.err, "error: CPU write to managed memory"), 1);
    assert_has(o.report, "managed-active-touch"); /* though the handler called _exit() */
    outcome_free(&o);
}
END_TEST

START_TEST(handler_that_jumps_may_jump_again)
{
    struct outcome o = run_case("plain_signal", NULL);

    assert_exits(&o, 5);
    ck_assert_str_eq(o.out, "jumped with 11\njumped with 11\n");
    outcome_free(&o);
}
END_TEST

START_TEST(handler_that_makes_it_accessible_goes_on)
{
    struct outcome o = run_case("handler_opens", NULL);

    assert_exits(&o, 9);
    ck_assert_str_eq(o.out, "opened\n");
    outcome_free(&o);
}
END_TEST

START_TEST(resethand_is_kept)
{
    struct outcome o = run_case("reset_hand", NULL);

    assert_killed(&o, SIGSEGV);
    ck_assert_str_eq(o.out, "default again: 1\n");
    outcome_free(&o);
}
END_TEST

START_TEST(blocked_signal_still_leaves_a_report)
{
    struct outcome o = run_case("blocked", NULL);

    assert_killed(&o, SIGSEGV);
    ck_assert_str_eq(o.out, "blocked: 1\n"); /* the application sees its own mask */
    assert_has(o.err, "error: CPU write");
    outcome_free(&o);
}
END_TEST

START_TEST(blocked_fault_kills_in_spite_of_a_handler)
{
    struct outcome o = run_case("blocked_with_handler", NULL);

    assert_killed(&o, SIGSEGV);
    ck_assert_str_eq(o.out, "");
    outcome_free(&o);
    o = run_case("unblocked_again", NULL);
    assert_exits(&o, 42);
    outcome_free(&o);
}
END_TEST

START_TEST(handler_runs_with_its_mask)
{
    struct outcome o = run_case("masks", NULL);

    assert_exits(&o, 13);
    ck_assert_str_eq(o.out, "1 1 0\n");
    outcome_free(&o);
    o = run_case("no_defer", NULL);
    assert_exits(&o, 13);
    ck_assert_str_eq(o.out, "0 0 1\n");
    outcome_free(&o);
}
END_TEST

START_TEST(other_peoples_faults_go_where_they_went)
{
    struct outcome o = run_case("not_ours", NULL);

    assert_killed(&o, SIGSEGV);
    ck_assert_uint_eq(count(o.err, "error:"), 0);
    outcome_free(&o);
    o = run_case("not_ours_handled", NULL);
    assert_exits(&o, 6);
    outcome_free(&o);
    o = run_case("truncated_file", NULL);
    assert_exits(&o, 10);
    outcome_free(&o);
    o = run_case("truncated_unhandled", NULL);
    assert_killed(&o, SIGBUS);
    outcome_free(&o);
}
END_TEST

START_TEST(sent_signals_act_as_without_us)
{
    struct outcome o = run_case("sent", NULL);

    assert_killed(&o, SIGSEGV);
    outcome_free(&o);
    o = run_case("ignored", NULL);
    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "error: CPU write");
    outcome_free(&o);
    o = run_case("ignored_and_sent", NULL);
    assert_exits(&o, 8);
    outcome_free(&o);
}
END_TEST

START_TEST(exit_without_atexit_and_fork_give_one_report)
{
    struct outcome o = run_case("leaves_early", NULL);

    assert_exits(&o, 11);
    ck_assert_uint_eq(count(o.report, "vtegra report"), 1);
    outcome_free(&o);
    o = run_case("forks", "BOARD_REPORT=/proc/self/fd/1");
    assert_exits(&o, 12);
    ck_assert_uint_eq(count(o.out, "vtegra report"), 1);
    outcome_free(&o);
}
END_TEST

/* Not under `vtegra run`: the finding and the signal all the same. */
START_TEST(without_preload_the_default_still_works)
{
    struct outcome o = run_case("managed_write", "LD_PRELOAD=");

    assert_killed(&o, SIGSEGV);
    assert_has(o.err, "error: CPU write to managed memory");
    outcome_free(&o);
    o = run_case("handler_before", "LD_PRELOAD=");
    assert_exits(&o, 42);
    outcome_free(&o);
    o = run_case("jumps_before", "LD_PRELOAD=");
    assert_killed(&o, SIGSEGV);
    ck_assert_str_eq(o.out, "jumped\n");
    outcome_free(&o);
}
END_TEST

/* gdb sees the signal first, at the access; then the program gets it. */
START_TEST(gdb_stops_at_the_access)
{
    char *argv[] = { (char *)"gdb",
                     (char *)"-nx",
                     (char *)"-batch",
                     (char *)"-ex",
                     (char *)"run",
                     (char *)"-ex",
                     (char *)"frame",
                     (char *)"-ex",
                     (char *)"continue",
                     (char *)"--args",
                     (char *)FAULT_APP,
                     (char *)"handler_after",
                     NULL };
    char *gdb = g_find_program_in_path("gdb");
    struct outcome o;

    if (!gdb || *TEST_EMULATOR) {
        return;
    }
    g_free(gdb);
    o = run_command(argv, "DEBUGINFOD_URLS=");
    if (strstr(o.out, "ptrace: Operation not permitted")) { /* a container without ptrace */
        outcome_free(&o);
        return;
    }
    assert_has(o.out, "received signal SIGSEGV");
    assert_has(o.out, "handler_after () at");
    assert_has(o.out, "handler 11 at 16");
    outcome_free(&o);
}
END_TEST

#ifdef FAULT_APP_ASAN
START_TEST(asan_program_still_gets_its_report)
{
    char *argv[] = { (char *)FAULT_APP_ASAN, (char *)"managed_write", NULL };
    struct outcome o;

    if (emulator_lacks("AddressSanitizer")) {
        return;
    }
    o = run_command(argv, "ASAN_OPTIONS=detect_leaks=0");
    ck_assert(!WIFEXITED(o.status) || WEXITSTATUS(o.status) != 0);
    assert_has(o.err, "error: CPU write to managed memory");
    assert_has(o.err, "AddressSanitizer: SEGV on unknown address");
    ck_assert_uint_eq(count(o.err, "does not come first"), 0);
    outcome_free(&o);
}
END_TEST
#endif

START_TEST(valgrind_runs_it)
{
    char *argv[] = { (char *)"valgrind", (char *)"-q", (char *)FAULT_APP, (char *)"handler_after",
                     NULL };
    char *valgrind = g_find_program_in_path("valgrind");
    struct outcome o;

    if (!valgrind || *TEST_EMULATOR) {
        return;
    }
    g_free(valgrind);
    o = run_command(argv, NULL);
    assert_exits(&o, 42);
    assert_has(o.err, "error: CPU write to managed memory");
    outcome_free(&o);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fault");
    TCase *t = tcase_create("fault");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t, 120);
    tcase_add_test(t, touch_of_active_managed_memory_names_everything_and_kills);
    tcase_add_test(t, reads_and_writes_are_told_apart);
    tcase_add_test(t, device_memory_is_never_mapped);
    tcase_add_test(t, memory_that_was_freed_is_named);
    tcase_add_loop_test(t, each_touch_has_its_rule, 0, G_N_ELEMENTS(touches));
    tcase_add_test(t, memory_that_was_registered_is_the_programs_own);
    tcase_add_loop_test(t, memory_that_an_engine_misses_is_told, 0, 2);
    tcase_add_test(t, what_the_driver_opens_goes_on);
    tcase_add_test(t, fault_inside_libc_names_the_callers_line);
    tcase_add_test(t, after_synchronisation_it_is_open);
    tcase_add_test(t, board_that_gives_sigbus_gives_sigbus);
    tcase_add_loop_test(t, own_handler_runs_after_the_finding, 0, 3);
    tcase_add_test(t, handler_that_jumps_may_jump_again);
    tcase_add_test(t, handler_that_makes_it_accessible_goes_on);
    tcase_add_test(t, resethand_is_kept);
    tcase_add_test(t, blocked_signal_still_leaves_a_report);
    tcase_add_test(t, blocked_fault_kills_in_spite_of_a_handler);
    tcase_add_test(t, handler_runs_with_its_mask);
    tcase_add_test(t, other_peoples_faults_go_where_they_went);
    tcase_add_test(t, sent_signals_act_as_without_us);
    tcase_add_test(t, exit_without_atexit_and_fork_give_one_report);
    tcase_add_test(t, without_preload_the_default_still_works);
    suite_add_tcase(s, t);
    t = tcase_create("tools");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, gdb_stops_at_the_access);
#ifdef FAULT_APP_ASAN
    tcase_add_test(t, asan_program_still_gets_its_report);
#endif
    tcase_add_test(t, valgrind_runs_it);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

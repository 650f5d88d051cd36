/* SPDX-License-Identifier: MIT */
/* Who sleeps, and whether only for a time: asked of the kernel, about a thread of this process.
 * proc(5): state S of stat, and the system call of /proc/.../syscall. */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/turn/asleep.h"
#include "tests/emulated.h"

static int ends[2];
static atomic_int tid;
static atomic_bool stop;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

enum how { NANOSLEEP, POLL_NOTHING, SELECT_NOTHING, READ, POLL_PIPE, SELECT_PIPE, COMPUTE, DOZE };

static void *go(void *arg)
{
    struct pollfd fd = { .fd = ends[0], .events = POLLIN };
    fd_set set;
    char c;

    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    atomic_store(&tid, (int)syscall(SYS_gettid));
    switch (*(enum how *)arg) {
    case NANOSLEEP:
        sleep_ms(3000);
        break;
    case POLL_NOTHING:
        poll(NULL, 0, 3000);
        break;
    case SELECT_NOTHING:
        select(0, NULL, NULL, NULL, &(struct timeval){ 3, 0 });
        break;
    case READ:
        ck_assert_int_eq(read(ends[0], &c, 1), 0);
        break;
    case POLL_PIPE:
        poll(&fd, 1, 3000);
        break;
    case SELECT_PIPE:
        select(ends[0] + 1, &set, NULL, NULL, &(struct timeval){ 3, 0 });
        break;
    case COMPUTE:
        while (!atomic_load(&stop)) {
        }
        break;
    case DOZE: /* asleep whenever somebody looks, but it goes on */
        while (!atomic_load(&stop)) {
            sleep_ms(1);
        }
        break;
    }
    return NULL;
}

static const struct {
    enum how how;
    bool asleep, for_a_time;
} ways[] = {
    { NANOSLEEP, true, true }, { POLL_NOTHING, true, true }, { SELECT_NOTHING, true, true },
    { READ, true, false },     { POLL_PIPE, true, false },   { SELECT_PIPE, true, false },
    { COMPUTE, false, false },
};

static pthread_t start(enum how *how)
{
    pthread_t thread;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, go, how), 0);
    while (!atomic_load(&tid)) {
        sleep_ms(1);
    }
    sleep_ms(100);
    return thread;
}

/* proc(5): the process's memory stands in stat, too. */
static void take_memory(void)
{
    const size_t size = 64 << 20;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 1, size);
}

START_TEST(sleep_is_told_from_work)
{
    enum how how = ways[_i].how;
    uint64_t state;

    if (ways[_i].for_a_time && emulator_lacks("/proc with its machine's system calls")) {
        return;
    }
    start(&how);
    state = asleep_state(tid);
    ck_assert_int_eq(state != 0, ways[_i].asleep);
    ck_assert_int_eq(asleep_for_a_time(tid), ways[_i].for_a_time);
    take_memory();
    sleep_ms(50);
    ck_assert_uint_eq(asleep_state(tid), state); /* the same sleep is the same state */
}
END_TEST

/* Both times asleep, and it has run in between. */
START_TEST(another_sleep_is_another_state)
{
    enum how how = DOZE;
    uint64_t first, second;
    unsigned differ = 0;

    start(&how);
    for (int i = 0; i < 20; i++) {
        while (!(first = asleep_state(tid))) {
        }
        sleep_ms(20);
        while (!(second = asleep_state(tid))) {
        }
        differ += first != second;
    }
    ck_assert_uint_eq(differ, 20);
}
END_TEST

START_TEST(who_is_not_there_does_not_sleep)
{
    char text[64] = "x";

    ck_assert_uint_eq(asleep_state(-1), 0);
    ck_assert(!asleep_for_a_time(-1));
    ck_assert_uint_eq(asleep_file(-1, "stat", text, sizeof(text)), 0);
    ck_assert_str_eq(text, "");
    ck_assert_uint_eq(asleep_file(getpid(), "comm", text, sizeof(text)), strlen(text));
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
}
END_TEST

/* pthread_exit(3): main() ends, the process goes on; proc(5): state Z. */
static void *looks_at_main(void *none)
{
    char text[1024];

    (void)none;
    for (int ms = 0; ms < 2000; ms++) {
        if (asleep_file(getpid(), "stat", text, sizeof(text)) && strstr(text, ") Z ")) {
            _exit(asleep_state(getpid()) != 0 && asleep_for_good(getpid()) &&
                          !asleep_for_good(gettid())
                      ? 0
                      : 1);
        }
        sleep_ms(1);
    }
    _exit(2);
    return NULL;
}

START_TEST(main_that_has_ended_sleeps_for_good)
{
    pthread_t thread;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (pthread_create(&thread, NULL, looks_at_main, NULL) != 0) {
            _exit(3);
        }
        pthread_exit(NULL);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(files_are_closed)
{
    char text[256];
    int before = dup(0), after;

    close(before);
    asleep_file(getpid(), "stat", text, sizeof(text));
    after = dup(0);
    ck_assert_int_eq(after, before);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("asleep");
    TCase *t = tcase_create("asleep");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(t, sleep_is_told_from_work, 0, sizeof(ways) / sizeof(ways[0]));
    tcase_add_test(t, another_sleep_is_another_state);
    tcase_add_test(t, who_is_not_there_does_not_sleep);
    tcase_add_test(t, main_that_has_ended_sleeps_for_good);
    tcase_add_test(t, files_are_closed);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

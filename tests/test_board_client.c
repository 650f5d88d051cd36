/* SPDX-License-Identifier: MIT */
/* A program whose board is in another process, and that process is hostile, of another version, or
 * dies: a line on stderr and errors, never a crash, never memory where it does not belong. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

#define ARENA UINT64_C(0x200000000000)
#define ARENA_BYTES (UINT64_C(1) << 30)
#define DRAM_BYTES (UINT64_C(1) << 20)

static struct soc_profile *profile;
static char dir[] = "/tmp/vtbcXXXXXX", path[64];
static int listener, peer = -1;
static struct board_welcome welcome;
static bool files_sent = true, files_sealed = true;
static size_t welcome_bytes;
static pthread_t thread;

/* Answers the greeting; the rest each test does itself. */
static void *serve(void *unused)
{
    struct board_hello hello;
    int files[2];

    peer = accept(listener, NULL, NULL);
    board_receive(peer, &hello, sizeof(hello));
    for (int i = 0; i < 2; i++) {
        files[i] = memfd_create("t", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (ftruncate(files[i], (off_t)DRAM_BYTES) != 0 ||
            (files_sealed && fcntl(files[i], F_ADD_SEALS, F_SEAL_SHRINK) != 0)) {
            abort();
        }
    }
    if (files_sent) {
        board_send_files(peer, &welcome, welcome_bytes, files);
    } else {
        board_send(peer, &welcome, welcome_bytes, NULL, 0);
    }
    close(files[0]);
    close(files[1]);
    return unused;
}

static void setup(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    GError *error = NULL;

    profile = profile_load("tx2", &error);
    ck_assert_msg(profile != NULL, "%s", error ? error->message : "");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    g_snprintf(path, sizeof(path), "%s/s", dir);
    setenv(BOARD_SOCKET, path, 1);
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    welcome = (struct board_welcome){ .magic = BOARD_MAGIC,
                                      .version = BOARD_VERSION,
                                      .arena_base = ARENA,
                                      .arena_bytes = ARENA_BYTES,
                                      .dram_base = 0x80000000,
                                      .dram_bytes = DRAM_BYTES };
    welcome_bytes = sizeof(welcome);
    files_sent = true;
}

static void teardown(void)
{
    unlink(path);
    rmdir(dir);
    profile_free(profile);
}

static struct hal *open_board(void)
{
    struct hal *hal;

    pthread_create(&thread, NULL, serve, NULL);
    hal = hal_open(&(struct hal_config){ .profile = profile });
    pthread_join(thread, NULL);
    return hal;
}

START_TEST(without_a_board_it_says_how_to_start_one)
{
    unlink(path);
    ck_assert_ptr_null(hal_open(&(struct hal_config){ .profile = profile }));
    ck_assert_int_eq(errno, ENOENT);
    setenv(BOARD_SOCKET, "", 1);
    ck_assert_ptr_null(hal_open(&(struct hal_config){ .profile = profile }));
    ck_assert_int_eq(errno, EINVAL);
}
END_TEST

/* unix(7): the kernel says who listens. Nothing may be sent to another user's board. */
START_TEST(a_board_of_another_user_is_refused)
{
    char *want = g_strdup_printf("%u", (unsigned)geteuid() + 1);
    struct hal_given given = { 0 };
    char byte;

    setenv(BOARD_USER, want, 1);
    ck_assert_ptr_null(hal_open(&(struct hal_config){ .profile = profile }));
    ck_assert_int_eq(errno, EPERM);
    hal_given(&given);
    for (int i = 0; i < 2; i++) {
        int fd = accept(listener, NULL, NULL);

        ck_assert_int_eq(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
        close(fd);
    }
    g_free(want);
    unsetenv(BOARD_USER);
}
END_TEST

/* Where no number is given the user is one's own, not user 0. */
START_TEST(a_user_that_is_no_number_is_ones_own)
{
    static const char *const none[] = { "", "root", "-1", "0x", "4294967295", "99999999999", " 1" };

    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
        setenv(BOARD_USER, none[i], 1);
        ck_assert_uint_eq(board_user(), geteuid());
    }
    setenv(BOARD_USER, "4294967294", 1);
    ck_assert_uint_eq(board_user(), 4294967294u);
    unsetenv(BOARD_USER);
    ck_assert_uint_eq(board_user(), geteuid());
}
END_TEST

START_TEST(names_of_sockets)
{
    struct sockaddr_un address;
    char name[sizeof(address.sun_path) + 1] = "@";

    ck_assert_int_eq(board_address(NULL, &address), -EINVAL);
    ck_assert_int_eq(board_address("", &address), -EINVAL);
    ck_assert_int_eq(board_address("@", &address), -EINVAL); /* bind(2) would choose one itself */
    memset(name + 1, 'n', sizeof(name) - 2);
    ck_assert_int_eq(board_address(name, &address), -ENAMETOOLONG);
    name[sizeof(name) - 2] = '\0';
    ck_assert_int_eq(board_address(name, &address), 0);
    ck_assert_int_eq(address.sun_path[0], 0); /* unix(7), abstract */
    ck_assert_mem_eq(address.sun_path + 1, name + 1, sizeof(name) - 2);
}
END_TEST

START_TEST(a_welcome_that_makes_no_sense_is_refused)
{
    switch (_i) {
    case 0:
        welcome.magic = 0;
        break;
    case 1:
        welcome.version = BOARD_VERSION + 1;
        break;
    case 2:
        welcome.status = -EBUSY;
        memset(welcome.text, 'x', sizeof(welcome.text)); /* no end */
        break;
    case 3:
        files_sent = false;
        break;
    case 4:
        welcome_bytes = 40;
        break;
    case 5:
        welcome.dram_bytes *= 2; /* the files are smaller: a touch would be SIGBUS */
        break;
    case 6:
        welcome.arena_bytes = UINT64_MAX - 4095;
        break;
    case 7:
        welcome.arena_base = (uintptr_t)&welcome & ~UINT64_C(4095); /* our own memory */
        break;
    case 8:
        welcome.arena_base++;
        break;
    case 9:
        files_sealed = false; /* cut short later, a touch would be SIGBUS */
        break;
    }
    ck_assert_ptr_null(open_board());
}
END_TEST

/* The server's side of one exchange, by a thread. */
static struct board_message reply;
static size_t reply_bytes;

static void *answer(void *unused)
{
    struct board_request request;

    board_receive(peer, &request, sizeof(request));
    if (reply_bytes) {
        board_send(peer, &reply, reply_bytes, NULL, 0);
    } else {
        close(peer);
    }
    return unused;
}

static void answer_with(struct board_message m, size_t bytes)
{
    reply = m;
    reply_bytes = bytes;
    pthread_create(&thread, NULL, answer, NULL);
}

START_TEST(memory_outside_the_boards_own_is_refused)
{
    static const struct board_message wrong[] = {
        { .value = { 0x10000, 4096, 0x80000000, 1 } }, /* no place of the arena's */
        { .value = { ARENA + ARENA_BYTES - 4096, 8192, 0x80000000, 1 } }, /* over its end */
        { .value = { ARENA, UINT64_MAX - 4095, 0x80000000, 1 } },
        { .value = { ARENA, 4096, 0x80000000 + DRAM_BYTES, 1 } }, /* behind the files' end */
        { .value = { ARENA, 4096, 0x1000, 1 } },
        { .value = { ARENA, 4096, 0x80000001, 1 } },
        { .value = { ARENA + 1, 4096, 0x80000000, 1 } },
        { .value = { ARENA, 2048, 0x80000000, 1 } }, /* less than asked for */
    };
    struct hal *hal = open_board();
    struct hal_mem mem;

    ck_assert_ptr_nonnull(hal);
    answer_with(wrong[_i], sizeof(wrong[_i]));
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_MANAGED, 4096, 0, NULL, &mem), -ENOMEM);
    pthread_join(thread, NULL);
    ck_assert(!hal_mem_find(hal, (void *)(uintptr_t)ARENA, &mem));
    hal_close(hal);
}
END_TEST

START_TEST(good_memory_is_mapped_and_found)
{
    struct hal *hal = open_board();
    struct hal_mem mem;

    answer_with((struct board_message){ .value = { ARENA, 4096, 0x80000000, 1, 0, 1 } },
                sizeof(reply));
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_MANAGED, 100, 0, NULL, &mem), 0);
    pthread_join(thread, NULL);
    *(volatile int *)mem.cpu = 5;
    ck_assert(hal_mem_find(hal, (char *)mem.cpu + 4095, &mem));
    ck_assert(!hal_mem_find(hal, (char *)mem.cpu + 4096, &mem));
    ck_assert_int_eq(hal_mem_protect(hal, &mem, 0, 8192, HAL_PROT_READ), -EINVAL);
    hal_close(hal);
}
END_TEST

START_TEST(a_board_that_goes_or_talks_nonsense_gives_errors_from_then_on)
{
    static const struct board_message wrong[] = {
        { .type = BOARD_REPLY },                        /* truncated */
        { .type = 99 },                                 /* no such message */
        { .type = BOARD_RECORDS, .count = 1 },          /* none follows */
        { .type = BOARD_RECORDS, .count = UINT32_MAX }, /* times its size overflows */
        { .type = BOARD_TEXT, .count = 0 },             /* nobody asked for it */
        { .type = BOARD_ASK_CHOOSE, .count = 1 },       /* we do not choose */
        { .type = BOARD_ASK_DRAW, .result = 77 },       /* no such cache */
        { .type = BOARD_REPLY },                        /* it dies */
    };
    struct hal *hal = open_board();
    uint64_t iova;

    answer_with(wrong[_i], _i == 7 ? 0 : _i == 0 ? 60 : sizeof(reply));
    ck_assert(!hal_lost(hal));
    ck_assert_int_eq(hal_wait(hal, 0, 1, 0), -EIO);
    pthread_join(thread, NULL);
    ck_assert(hal_lost(hal));
    ck_assert_uint_eq(hal_read32(hal, UNIT_IGPU, 0), 0); /* who polls a bit goes on */
    ck_assert_int_eq(hal_cpu_clean(hal, &hal, 64), -EIO);
    ck_assert_int_eq(
        hal_iommu_map(hal, UNIT_DLA, &(struct hal_mem){ 0 }, 0, 4096, HAL_PROT_READ, &iova), -EIO);
    ck_assert_ptr_null(hal_va_reserve(hal, 4096, 0, NULL));
    ck_assert(!hal_poll(hal, true));
    hal_interrupt(hal, true);
    hal_close(hal);
}
END_TEST

/* The server's side: a SIGNAL has its reply; what is sent then has none; the next reply has both
 * increments. */
struct heard {
    uint32_t op[4];
    unsigned n;
};

static void *answer_posts(void *opaque)
{
    struct heard *heard = opaque;
    struct {
        struct board_message m;
        struct board_record r;
    } records = { { .type = BOARD_REPLY, .count = 1 },
                  { .event = TRACE_EVENT_SYNCPT_INCR, .arg = { 5, 9 } } };
    struct board_message m = { .type = BOARD_REPLY, .value = { 8 } };
    struct board_request request;

    while (board_receive(peer, &request, sizeof(request)) == sizeof(request)) {
        heard->op[heard->n++ % 4] = request.op;
        if (request.op == BOARD_TIME) {
            board_send(peer, &records, sizeof(records), NULL, 0);
        } else if (request.op != BOARD_POST) {
            board_send(peer, &m, sizeof(m), NULL, 0);
        }
    }
    return NULL;
}

static void event_note(void *opaque, const struct trace_record *record)
{
    g_array_append_val(opaque, record->event);
}

START_TEST(only_the_first_signal_waits_for_its_reply)
{
    struct hal *hal = open_board();
    GArray *events = g_array_new(FALSE, FALSE, sizeof(enum trace_event));
    struct hal_signal_slot slot;
    struct heard heard = { 0 };

    pthread_create(&thread, NULL, answer_posts, &heard);
    hal_observe(hal, TRACE_ALL, event_note, events);
    ck_assert_uint_eq(hal_signal(hal, 5, &slot, 4, 0, true), 8); /* the server has counted */
    ck_assert_uint_eq(hal_signal(hal, 5, &slot, 8, 0, true), 9);
    hal_note(hal, HAL_NOTE_RELEASE, 1, 2); /* after the increment, also in the trace */
    ck_assert_uint_eq(events->len, 2);
    ck_assert_int_eq(g_array_index(events, enum trace_event, 0), TRACE_EVENT_SYNCPT_INCR);
    ck_assert_int_eq(g_array_index(events, enum trace_event, 1), TRACE_EVENT_CPU_RELEASE);
    hal_settle(hal);                                              /* nothing is on its way */
    ck_assert_uint_eq(hal_signal(hal, 5, &slot, 9, 0, false), 8); /* others increment, too */
    hal_close(hal);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(heard.n, 5);
    ck_assert_uint_eq(heard.op[1], BOARD_SIGNAL);
    ck_assert_uint_eq(heard.op[2], BOARD_POST);
    ck_assert_uint_eq(heard.op[3], BOARD_TIME);
    ck_assert_uint_eq(heard.op[0], BOARD_SIGNAL); /* the fifth */
    g_array_unref(events);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_client");
    TCase *tcase = tcase_create("board_client");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, without_a_board_it_says_how_to_start_one);
    tcase_add_test(tcase, a_board_of_another_user_is_refused);
    tcase_add_test(tcase, a_user_that_is_no_number_is_ones_own);
    tcase_add_test(tcase, names_of_sockets);
    tcase_add_loop_test(tcase, a_welcome_that_makes_no_sense_is_refused, 0, 10);
    tcase_add_loop_test(tcase, memory_outside_the_boards_own_is_refused, 0, 8);
    tcase_add_test(tcase, good_memory_is_mapped_and_found);
    tcase_add_loop_test(tcase, a_board_that_goes_or_talks_nonsense_gives_errors_from_then_on, 0, 8);
    tcase_add_test(tcase, only_the_first_signal_waits_for_its_reply);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/* A board for another process, spoken to packet by packet: what it gives, and that no client can
 * break it. */
#include <check.h>
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/contract.h"
#include "model/regs/regs.h"
#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

static struct soc_profile *profile;
static int client, server, served;
static uint32_t client_user, allowed; /* 0: this one; none */
static pthread_t thread;
static struct board_welcome welcome;
static struct board_message message;
static unsigned char packet[BOARD_PACKET_MAX];
static unsigned records;
static int files[2];

static void *serve(void *unused)
{
    struct board *board = board_new(profile, NULL);
    struct board_hello greeting;

    if (allowed) {
        board_allow(board, 42);
        board_allow(board, allowed);
    }
    served = board_greet(board, server, &greeting);
    if (served > 0) {
        served = board_serve(board, server, &greeting);
    }
    board_free(board);
    close(server);
    return unused;
}

static void start(const char *soc)
{
    GError *error = NULL;
    int pair[2];

    profile = profile_load(soc, &error);
    ck_assert_msg(profile != NULL, "%s", error ? error->message : "");
    ck_assert_int_eq(seteuid(client_user ? client_user : geteuid()), 0); /* SO_PEERCRED: of then */
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert_int_eq(seteuid(getuid()), 0);
    client = pair[0];
    server = pair[1];
    records = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
}

static void end(int want)
{
    close(client);
    pthread_join(thread, NULL);
    ck_assert_int_eq(served, want);
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    profile_free(profile);
}

static struct board_hello hello(void)
{
    return (struct board_hello){ .magic = BOARD_MAGIC,
                                 .version = BOARD_VERSION,
                                 .policy = HAL_POLICY_LAZY,
                                 .evict = EVICT_LRU,
                                 .profile_hash = board_profile_hash(profile),
                                 .contract_hash = contract_here.hash,
                                 .contract_time = contract_here.time };
}

static void greet(const struct board_hello *h, size_t bytes)
{
    ck_assert_int_eq(board_send(client, h, bytes, NULL, 0), 0);
    ck_assert_int_eq(board_receive_files(client, &welcome, sizeof(welcome), files),
                     sizeof(welcome));
}

static void connected(const char *soc)
{
    struct board_hello h;

    start(soc);
    h = hello();
    greet(&h, sizeof(h));
    ck_assert_int_eq(welcome.status, 0);
}

/* Sends one and takes everything up to its reply, which is in @message. false: the server has hung
 * up. */
static bool request_raw(const struct board_request *r)
{
    if (board_send(client, r, sizeof(*r), NULL, 0) != 0) {
        return false;
    }
    do {
        int64_t n = board_receive(client, packet, sizeof(packet));

        if (n < 0) {
            return false;
        }
        ck_assert_int_ge(n, sizeof(message));
        memcpy(&message, packet, sizeof(message));
        records += message.type <= BOARD_RECORDS ? message.count : 0; /* REPLY's, too */
    } while (message.type != BOARD_REPLY);
    return true;
}

static int64_t request(enum board_op op, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    ck_assert(request_raw(&(struct board_request){ .op = op, .arg = { a, b, c, d } }));
    return message.result;
}

/* --- greeting --------------------------------------------------------------------------------- */

/* Only root can be another user. @_i: is that user allowed? */
START_TEST(a_program_of_another_user_is_refused_or_allowed)
{
    struct board_hello h;

    if (getuid() != 0) {
        return;
    }
    client_user = 65534;
    allowed = _i ? 65534 : 0;
    start("tx2");
    h = hello();
    if (_i) {
        greet(&h, sizeof(h));
        ck_assert_int_eq(welcome.status, 0);
    } else {
        ck_assert_int_eq(board_receive_files(client, &welcome, sizeof(welcome), files),
                         sizeof(welcome)); /* before it has said a word */
        ck_assert_int_eq(welcome.status, -EACCES);
        ck_assert_ptr_nonnull(strstr(welcome.text, "the program is user 65534's"));
    }
    end(_i ? 0 : -EPROTO);
}
END_TEST

START_TEST(who_greets_wrongly_hears_why)
{
    static const char *const texts[] = { "no greeting",
                                         "board is older",
                                         "wants tegra99",
                                         "policy 9",
                                         "no greeting",
                                         "are of different sources",
                                         "the program's runtime is older; build it anew",
                                         "the program's runtime is older",
                                         "board is older" };
    static const size_t bytes[] = { [4] = 17, [7] = 72, [8] = sizeof(struct board_hello) + 8 };
    _Alignas(struct board_hello) unsigned char longer[sizeof(struct board_hello) + 8] = { 0 };
    struct board_hello h;

    start("orin");
    h = hello();
    switch (_i) {
    case 0:
        h.magic = 1;
        break;
    case 1:
        h.version = BOARD_VERSION + 2;
        break;
    case 2:
        h.profile_hash++;
        memset(h.soc, 'x', sizeof(h.soc)); /* no end: it is not read past */
        strcpy(h.soc, "tegra99");
        break;
    case 3:
        h.policy = 9;
        break;
    case 5:
        h.contract_hash ^= 1;
        break;
    case 6:
        h.contract_hash = 0;
        break;
    case 7: /* as version 1 was */
        h.version = 1;
        break;
    case 8: /* as a later one may be */
        h.version = BOARD_VERSION + 1;
        break;
    }
    memcpy(longer, &h, sizeof(h));
    greet((const struct board_hello *)(const void *)longer,
          (unsigned)_i < G_N_ELEMENTS(bytes) && bytes[_i] ? bytes[_i] : sizeof(h));
    ck_assert_int_lt(welcome.status, 0);
    ck_assert_ptr_nonnull(strstr(welcome.text, texts[_i]));
    ck_assert_int_eq(files[0], -1);
    end(-EPROTO);
}
END_TEST

START_TEST(the_files_are_as_large_as_the_board_says)
{
    struct stat st;

    connected("tx2");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(fstat(files[i], &st), 0);
        ck_assert_uint_eq((uint64_t)st.st_size, welcome.dram_bytes);
    }
    ck_assert_uint_eq(welcome.dram_base, 0x80000000u);
    end(0);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

START_TEST(the_client_cannot_change_the_size_of_the_files)
{
    connected("tx2");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ftruncate(files[i], 0), -1);
        ck_assert_int_eq(errno, EPERM); /* memfd_create(2), file sealing */
        ck_assert_int_eq(ftruncate(files[i], (off_t)welcome.dram_bytes + 4096), -1);
        ck_assert_int_eq(errno, EPERM);
    }
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 0, 0), 0);
    ck_assert_int_ge(request(BOARD_CLEAN, message.value[0], 4096, 0, 0), 0);
    end(0);
}
END_TEST

START_TEST(both_sides_see_the_same_bytes)
{
    uint64_t offset;
    uint32_t *mine;

    connected("tx2");
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_PINNED, 5000, 0, 0), 0);
    ck_assert_uint_eq(message.value[1], 8192);
    ck_assert_uint_eq(message.value[5], 0); /* TX2 does not cache pinned memory: Table 1 */
    offset = message.value[2] - welcome.dram_base;
    mine = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], (off_t)offset);
    ck_assert(mine != MAP_FAILED);
    mine[0] = 0x1234;
    mine = mmap((void *)(uintptr_t)welcome.arena_base, 4096, PROT_READ, MAP_SHARED, files[0],
                (off_t)offset);
    ck_assert_uint_eq(mine[0], 0x1234);
    ck_assert_int_eq(request(BOARD_FREE, 1, 0, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_FREE, 1, 0, 0, 0), -EINVAL);
    end(0);
}
END_TEST

START_TEST(sizes_and_places_that_cannot_be_are_refused)
{
    static const uint64_t sizes[] = { 0, UINT64_MAX, UINT64_MAX - 4095, UINT64_C(1) << 63,
                                      UINT64_C(1) << 47 };
    static int here = 42; /* of the server's own process */
    uint64_t at = (uintptr_t)&here & ~UINT64_C(4095), va;

    connected("orin");
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        ck_assert_int_lt(request(BOARD_ALLOC, HAL_MEM_MANAGED, sizes[i], 0, 0), 0);
        ck_assert_int_lt(request(BOARD_VA_RESERVE, sizes[i], 0, 0, 0), 0);
        ck_assert_int_lt(request(BOARD_VA_RELEASE, welcome.arena_base, sizes[i], 0, 0), 0);
    }
    ck_assert_int_eq(request(BOARD_ALLOC, 99, 4096, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 3, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 0, at), -EINVAL);
    ck_assert_int_eq(here, 42);
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 0, welcome.arena_base), -EINVAL);
    ck_assert_int_eq(request(BOARD_VA_RESERVE, 8192, 0, 0, 0), 0);
    va = message.value[0];
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 8193, 0, va),
                     -EINVAL); /* over its end */
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 0, va + 4096), 0);
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 8192, 0, va),
                     -EINVAL); /* something is there */
    ck_assert_int_eq(request(BOARD_VA_RELEASE, va, 8192, 0, 0), -EBUSY);
    ck_assert_int_eq(request(BOARD_VA_RELEASE, va, 4096, 0, 0), -EINVAL);
    end(0);
}
END_TEST

START_TEST(ranges_are_cut_to_what_the_board_has)
{
    connected("tx2");
    ck_assert_int_eq(request(BOARD_CLEAN, 0, UINT64_MAX, 0, 0), 0); /* and ends */
    ck_assert_int_eq(request(BOARD_CLEAN_INVALIDATE, UINT64_MAX, UINT64_MAX, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_ACCESS, (uintptr_t)&profile, 8, ACCESS_STORE, 0), 0);
    ck_assert_int_eq(request(BOARD_ACCESS, welcome.arena_base, 8, 77, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_LINE, (uintptr_t)&profile, 0, 0, 0), 0);
    end(0);
}
END_TEST

START_TEST(units_syncpoints_and_mappings_that_are_not_there_are_refused)
{
    connected("xavier");
    ck_assert_int_eq(request(BOARD_READ32, 99, 0, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_READ32, UNIT_IGPU, UINT64_C(1) << 32, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_WAIT, UINT32_MAX, 0, 1, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_NOTE, HAL_NOTE_THREAD, 0, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_IOMMU_UNMAP, UNIT_DLA, 0x80000000, 4096, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_IOMMU_MAP, UNIT_DLA, 7, 0, 4096), -EINVAL);
    ck_assert_int_eq(request(BOARD_IOMMU_SYNCPT, 99, 0, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_IOMMU_FAULT, 99, 0, 0, 0), 0);
    end(0);
}
END_TEST

/* --- claims ----------------------------------------------------------------------------------- */

START_TEST(what_is_claimed_comes_in_the_documented_order)
{
    connected("xavier");
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_CHANNEL, 0, 0, 0), 0);
        ck_assert_uint_eq(message.value[0], i); /* hal.h: the lowest free one */
        ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_SYNCPT, 0, 0, 0), 0);
        ck_assert_uint_eq(message.value[0], i + 1); /* never 0 */
    }
    ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_CHANNEL, 1, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_CHANNEL, 1, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_CHANNEL, 0, 0, 0), 0);
    ck_assert_uint_eq(message.value[0], 1);
    ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_SYNCPT, 1, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_SYNCPT, 3, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_SYNCPT, 0, 0, 0), 0);
    ck_assert_uint_eq(message.value[0], 3); /* hal.h: given back last */
    for (unsigned i = 1; i <= 2; i++) {
        ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_CODE, 0, 0, 0), 0);
        ck_assert_uint_eq(message.value[0], i);
        ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_CODE, i, 0, 0), 0);
    }
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_UNIT, UNIT_DLA, 0, 0), 0);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_UNIT, UNIT_DLA, 0, 0), -EBUSY);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_UNIT, UNIT_IGPU, 0, 0), -EINVAL);
    /* A channel of a second GPU, which this board has not. */
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_CHANNEL, CHAN_COUNT, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIM_CONTEXT, CHAN_COUNT, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_CLAIM, HAL_CLAIMS, 0, 0, 0), -EINVAL);
    ck_assert_int_eq(request(BOARD_RELEASE, HAL_CLAIM_CHANNEL, 77777, 0, 0), -EINVAL);
    end(0);
}
END_TEST

START_TEST(a_board_has_no_more_than_it_has)
{
    unsigned n = 0;

    connected("tx2");
    while (n <= CHAN_COUNT && request(BOARD_CLAIM, HAL_CLAIM_CONTEXT, 0, 0, 0) == 0) {
        n++;
    }
    ck_assert_uint_eq(n, CHAN_COUNT);
    ck_assert_int_eq(message.result, -ENOSPC);
    for (n = 0; n <= 1024 && request(BOARD_CLAIM, HAL_CLAIM_SYNCPT, 0, 0, 0) == 0; n++) {
    }
    ck_assert_uint_eq(n, 575); /* L4T, T186: nb_pts 576; 0 is host1x' own */
    end(0);
}
END_TEST

/* --- records ---------------------------------------------------------------------------------- */

START_TEST(records_come_before_the_reply_that_made_them)
{
    uint64_t va;

    connected("tx2");
    ck_assert_int_eq(request(BOARD_ALLOC, HAL_MEM_MANAGED, 4096, 0, 0), 0);
    va = message.value[0];
    request(BOARD_ACCESS, va, 64 * 4, ACCESS_STORE, 0);
    ck_assert_uint_eq(records, 0);
    request(BOARD_OBSERVE, TRACE_ALL, 1, 0, 0);
    request(BOARD_ACCESS, va, 4096, ACCESS_STORE, 0);
    ck_assert_uint_gt(records, 0);
    request(BOARD_LINE, va, 0, 0, 0);
    ck_assert_uint_eq(message.value[0], 3); /* valid, dirty */
    end(0);
}
END_TEST

/* The records of notes, which the client makes, have it. */
START_TEST(a_reply_has_the_time)
{
    uint64_t then;

    connected("tx2");
    request(BOARD_TIME_ADVANCE, 12345, 0, 0, 0);
    request(BOARD_READ32, UNIT_HOST1X, HOST1X_SYNCPT + 4, 0, 0);
    then = message.time_ns;
    ck_assert_uint_ge(then, 12345);
    request(BOARD_TIME, 0, 0, 0, 0);
    ck_assert_uint_eq(message.value[0], then);
    end(0);
}
END_TEST

/* --- what is no request ----------------------------------------------------------------------- */

START_TEST(who_breaks_the_rules_is_sent_away)
{
    struct board_request r[2] = { { .op = BOARD_TIME }, { .op = BOARD_TIME } };

    connected("tx2");
    switch (_i) {
    case 0:
        board_send(client, r, 17, NULL, 0);
        break;
    case 1:
        board_send(client, r, sizeof(r), NULL, 0);
        break;
    case 2:
        r[0].op = BOARD_OP_COUNT;
        board_send(client, r, sizeof(r[0]), NULL, 0);
        break;
    case 3:
        r[0].op = BOARD_ANSWER;
        board_send(client, r, sizeof(r[0]), NULL, 0);
        break;
    }
    ck_assert_int_eq(board_receive(client, packet, sizeof(packet)), -ECONNRESET);
    end(-EPROTO);
}
END_TEST

/* Numbers that often go wrong, and those that the server has given. */
static uint64_t number(GRand *rand, const uint64_t *known, unsigned n)
{
    static const uint64_t edges[] = { 0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      7,
                                      8,
                                      63,
                                      64,
                                      4095,
                                      4096,
                                      4097,
                                      8192,
                                      65536,
                                      UINT32_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX - 4095,
                                      UINT64_C(1) << 40,
                                      UINT64_C(1) << 63 };

    switch (g_rand_int_range(rand, 0, 3)) {
    case 0:
        return edges[g_rand_int_range(rand, 0, G_N_ELEMENTS(edges))];
    case 1:
        return known[g_rand_int_range(rand, 0, (gint32)n)] + (g_rand_boolean(rand) ? 0 : 4096);
    default:
        return g_rand_int(rand) >> g_rand_int_range(rand, 0, 32);
    }
}

START_TEST(no_sequence_of_requests_breaks_the_board)
{
    GRand *rand = g_rand_new_with_seed((guint32)_i + 1);
    uint64_t known[64];

    connected(_i % 2 ? "xavier" : "tx2");
    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        known[i] = welcome.arena_base;
    }
    request(BOARD_OBSERVE, TRACE_ALL, 1, 0, 0);
    for (unsigned i = 0; i < 3000; i++) {
        struct board_request r = { .op = (uint32_t)g_rand_int_range(rand, 0, BOARD_OP_COUNT),
                                   .thread = g_rand_int(rand) % 4 };

        for (int k = 0; k < 6; k++) {
            r.arg[k] = number(rand, known, G_N_ELEMENTS(known));
        }
        if (r.op == BOARD_ALLOC && g_rand_boolean(rand)) {
            r.arg[0] %= 4;
            r.arg[1] %= 1 << 20;
            r.arg[2] = 0;
            r.arg[3] = g_rand_boolean(rand) ? 0 : r.arg[3];
        }
        if (r.op == BOARD_WAIT) {
            r.arg[2] = r.arg[2] % 8 + 1;
        }
        ck_assert_msg(request_raw(&r), "request %u, %u, ended it", i, r.op);
        known[g_rand_int_range(rand, 0, G_N_ELEMENTS(known))] = message.value[i % 4];
    }
    g_rand_free(rand);
    end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_server");
    TCase *tcase = tcase_create("board_server");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tcase, a_program_of_another_user_is_refused_or_allowed, 0, 2);
    tcase_add_loop_test(tcase, who_greets_wrongly_hears_why, 0, 9);
    tcase_add_test(tcase, the_files_are_as_large_as_the_board_says);
    tcase_add_test(tcase, the_client_cannot_change_the_size_of_the_files);
    tcase_add_test(tcase, both_sides_see_the_same_bytes);
    tcase_add_test(tcase, sizes_and_places_that_cannot_be_are_refused);
    tcase_add_test(tcase, ranges_are_cut_to_what_the_board_has);
    tcase_add_test(tcase, units_syncpoints_and_mappings_that_are_not_there_are_refused);
    tcase_add_test(tcase, what_is_claimed_comes_in_the_documented_order);
    tcase_add_test(tcase, a_board_has_no_more_than_it_has);
    tcase_add_test(tcase, records_come_before_the_reply_that_made_them);
    tcase_add_test(tcase, a_reply_has_the_time);
    tcase_add_loop_test(tcase, who_breaks_the_rules_is_sent_away, 0, 4);
    tcase_add_loop_test(tcase, no_sequence_of_requests_breaks_the_board, 0, 6);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/* Books of threads that end, and at the run's end: whose they are, what is leased to them, and what
 * becomes of what they have counted; and what becomes of steps that are remembered. The hooks are
 * made by hand, as runtime/track/track.h has them. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>

#include "checker/hb/hb.h"
#include "profiles/profile.h"
#include "runtime/observe/check.h"
#include "runtime/observe/check_internal.h"
#include "runtime/track/track.h"
#include "tests/suite.h"

#define LEN 4u
#define LINE 64u
#define OBJECTS 100u             /* more than a book has room for */
#define HERE ((uintptr_t)0x1000) /* the only place of the program */

static struct soc_profile *profile;
static struct hal *hal;
static struct check *checker;
static struct hal_mem mem, flag; /* flag: where another thread's are */
static struct vtegra_track_client client;
static struct vtegra_track_book none;
static _Thread_local struct vtegra_track_book *home[OBJECTS] = { [0 ... OBJECTS - 1] = &none };

static void attach(const struct vtegra_track_client *wants)
{
    client = wants ? *wants : (struct vtegra_track_client){ 0 };
}

static struct vtegra_track_object object = { .version = VTEGRA_TRACK_VERSION, .attach = attach };

static uintptr_t line_at(unsigned n)
{
    return (uintptr_t)mem.cpu + (size_t)n * LINE;
}

static bool leased(struct vtegra_track_book *book, unsigned n)
{
    return vtegra_track_line_of(book, line_at(n))->line != 0;
}

/* A store by object @of. */
static void store_at(unsigned of, uintptr_t at, size_t len)
{
    struct vtegra_track_book *b = home[of];
    struct vtegra_track_line *line = vtegra_track_line_of(b, at);
    struct vtegra_track_site *site = vtegra_track_site_of(b, HERE);
    uintptr_t whole = at & ~(uintptr_t)(LINE - 1);

    if (line->line != (whole | VTEGRA_TRACK_MAY_LOAD | VTEGRA_TRACK_MAY_STORE) ||
        site->pc != HERE || site->key != (line->region | len)) {
        client.access(&home[of], (const void *)at, len, VTEGRA_TRACK_STORE, HERE);
    } else if (b->access) {
        b->access(b, line, site, at, VTEGRA_TRACK_STORES);
    } else {
        ck_assert(vtegra_track_count(b, site, at, VTEGRA_TRACK_STORES));
    }
}

static void store(unsigned of, unsigned n)
{
    store_at(of, line_at(n), LEN);
}

static uint64_t stores_told(void)
{
    const GPtrArray *sites = run_region(checker->run, mem.id)->sites;
    uint64_t n = 0;

    for (guint i = 0; i < sites->len; i++) {
        n += ((const struct run_site *)sites->pdata[i])->stores;
    }
    return n;
}

static struct check *watch(enum check_hb hb)
{
    return check_open(&(struct check_config){
        .profile = profile,
        .os = "linux",
        .policy = "lazy",
        .evict = "lru",
        .quiet = true,
        .hb = hb,
    });
}

static void region_make(struct hal_mem *m)
{
    struct check_region region = { .size = HAL_PAGE, .api = "cuMemAllocHost" };

    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_PINNED, HAL_PAGE, HAL_PAGE, NULL, m), 0);
    region.mem = *m;
    check_region_add(checker, &region);
}

static void board_open(enum check_hb hb)
{
    uint64_t base, size;

    profile = profile_load("orin", NULL);
    ck_assert_ptr_nonnull(profile);
    checker = watch(hb);
    hal = hal_open(&(struct hal_config){ .profile = profile, .evict = EVICT_LRU });
    ck_assert_ptr_nonnull(hal);
    vtegra_track_enlist(&object);
    hal_observe(hal, check_mask(checker), check_sink, checker);
    hal_arena_bounds(hal, &base, &size);
    check_hooks_install(checker, hal, base, size);
    region_make(&mem);
    region_make(&flag);
}

static void setup(void)
{
    board_open(CHECK_HB_OFF);
}

static void setup_races(void)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* findings, printed live */
    board_open(CHECK_HB_ON);
}

static void teardown(void)
{
    check_close(checker);
    hal_close(hal);
    check_free(checker);
    profile_free(profile);
}

static void *apart(void *(*work)(void *), void *arg)
{
    pthread_t thread;
    void *result;

    ck_assert_int_eq(pthread_create(&thread, NULL, work, arg), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return result;
}

/* --- a thread's end --------------------------------------------------------------------------- */

static void *store_once(void *arg)
{
    (void)arg;
    store(0, 1);
    return home[0];
}

START_TEST(the_book_of_a_thread_that_ended_is_the_next_ones)
{
    struct vtegra_track_book *first;

    store(0, 0);
    first = apart(store_once, NULL);
    ck_assert_ptr_ne(first, &none);
    ck_assert_ptr_ne(first, home[0]);
    ck_assert_ptr_eq(apart(store_once, NULL), first);
}
END_TEST

START_TEST(hooks_of_two_objects_have_one_book)
{
    store(0, 0);
    store(1, 1);
    ck_assert_ptr_ne(home[0], &none);
    ck_assert_ptr_eq(home[1], home[0]);
}
END_TEST

/* A destructor of the program's; the C library calls them in the order in which keys were made. */
static pthread_key_t late;
static unsigned with_a_book;

static void look(void *arg)
{
    (void)arg;
    for (unsigned of = 0; of < OBJECTS; of++) {
        with_a_book += home[of] != &none;
    }
}

static void *store_of_all(void *arg)
{
    pthread_setspecific(late, &late);
    for (unsigned of = 0; of < OBJECTS; of++) {
        store(of, 0);
    }
    look(NULL);
    ck_assert_uint_gt(with_a_book, 1);
    with_a_book = 0;
    return arg;
}

START_TEST(behind_its_end_a_thread_has_no_book)
{
    ck_assert_int_eq(pthread_key_create(&late, look), 0);
    apart(store_of_all, NULL);
    ck_assert_uint_eq(with_a_book, 0);
}
END_TEST

static bool was_leased;

static void *lease(void *arg)
{
    store_once(arg);
    was_leased = leased(home[0], 1);
    return home[0];
}

START_TEST(nothing_is_leased_to_a_thread_that_ended)
{
    struct vtegra_track_book *book = apart(lease, NULL);

    ck_assert(was_leased);
    ck_assert(!leased(book, 1));
}
END_TEST

/* --- the run's end ---------------------------------------------------------------------------- */

START_TEST(what_nobody_has_asked_for_is_in_the_report)
{
    for (unsigned i = 0; i < 10; i++) {
        store(0, 0);
    }
    check_close(checker);
    ck_assert_uint_eq(stores_told(), 10);
}
END_TEST

/* The report is written, and the board may be gone. */
START_TEST(behind_the_end_nothing_is_leased)
{
    store(0, 0);
    ck_assert(leased(home[0], 0));
    check_close(checker);
    hal_cpu_lease_end(hal);
    store(0, 0);
    ck_assert(!leased(home[0], 0));
}
END_TEST

START_TEST(the_end_of_another_run_is_not_this_ones)
{
    struct check *other = watch(CHECK_HB_OFF);

    check_close(other);
    store(0, 0);
    ck_assert(leased(home[0], 0));
    check_free(other);
}
END_TEST

/* --- steps that are remembered ---------------------------------------------------------------- */

/* The second word of the first line is told, that of the second line is the same step. */
static void two_words_of_two_lines(unsigned n)
{
    for (unsigned i = 0; i < 2; i++) {
        store(0, n + i);
        store_at(0, line_at(n + i) + LEN, LEN);
    }
}

/* By a thread behind nothing that the first one has done. */
static void *load(void *word)
{
    hal_note(hal, HAL_NOTE_THREAD, 2, 0);
    client.access(&home[0], word, LEN, VTEGRA_TRACK_LOAD, HERE);
    return NULL;
}

static void assert_stored(uintptr_t word)
{
    apart(load, (void *)word);
    ck_assert_uint_eq(checker->run->findings->len, 1); /* a race with the store */
}

/* Like a range's last piece, of which each call has its length. */
START_TEST(a_step_is_of_its_size)
{
    two_words_of_two_lines(0);
    store(0, 2);
    store_at(0, line_at(3), 2 * LEN);
    store_at(0, line_at(2) + LEN, 2 * LEN);
    assert_stored(line_at(2) + 2 * LEN);
}
END_TEST

/* Flags of another thread, each with a story of its own, until the states of lines have other
 * numbers. */
static void states_renamed(void)
{
    const uint32_t *changes = hb_changes(checker->hb), before = *changes;
    struct trace_record t = { .event = TRACE_EVENT_CPU_STORE,
                              .agent = BUS_AGENT_CPU,
                              .region = flag.id,
                              .thread = 3,
                              .arg = { (uintptr_t)flag.cpu, LEN, 1, flag.bus, true } };

    while (*changes == before) {
        check_sink(checker, &t);
    }
}

/* The lines' states are now numbered in the lines' order: the third line's has the number that the
 * second one's had. */
START_TEST(a_step_is_of_the_states_as_they_were_numbered)
{
    two_words_of_two_lines(1);
    store(0, 3);
    store_at(0, line_at(0) + 2 * LEN, LEN);
    states_renamed();
    store(0, 1);
    store_at(0, line_at(1) + LEN, LEN);
    assert_stored(line_at(1) + LEN);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("access_log_threads");
    TCase *t = tcase_create("end");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_book_of_a_thread_that_ended_is_the_next_ones);
    tcase_add_test(t, hooks_of_two_objects_have_one_book);
    tcase_add_test(t, behind_its_end_a_thread_has_no_book);
    tcase_add_test(t, nothing_is_leased_to_a_thread_that_ended);
    tcase_add_test(t, what_nobody_has_asked_for_is_in_the_report);
    tcase_add_test(t, behind_the_end_nothing_is_leased);
    tcase_add_test(t, the_end_of_another_run_is_not_this_ones);
    suite_add_tcase(s, t);
    t = tcase_create("steps");
    tcase_add_checked_fixture(t, setup_races, teardown);
    tcase_add_test(t, a_step_is_of_its_size);
    tcase_add_test(t, a_step_is_of_the_states_as_they_were_numbered);
    suite_add_tcase(s, t);
    return suite_main(s);
}

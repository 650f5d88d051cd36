/* SPDX-License-Identifier: MIT */
/* Books of threads that end, and at the run's end: whose they are, what is leased to them, and what
 * becomes of what they have counted. The hooks are made by hand, as runtime/track/track.h has them.
 */
#include <check.h>
#include <pthread.h>

#include "profiles/profile.h"
#include "runtime/check/check.h"
#include "runtime/check/check_internal.h"
#include "runtime/track/track.h"
#include "tests/suite.h"

#define LEN 4u
#define LINE 64u
#define OBJECTS 100u /* more than a book has room for */

static struct soc_profile *profile;
static struct hal *hal;
static struct check *checker;
static struct hal_mem mem;
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

/* A store to line @n, by object @of. */
static void store(unsigned of, unsigned n)
{
    const uintptr_t pc = 0x1000, at = line_at(n);
    struct vtegra_track_book *b = home[of];
    struct vtegra_track_line *line = vtegra_track_line_of(b, at);
    struct vtegra_track_site *site = vtegra_track_site_of(b, pc);

    if (line->line == (at | VTEGRA_TRACK_MAY_LOAD | VTEGRA_TRACK_MAY_STORE) && site->pc == pc &&
        site->key == (line->region | LEN)) {
        ck_assert(vtegra_track_count(b, site, at, VTEGRA_TRACK_STORES));
    } else {
        client.access(&home[of], (const void *)at, LEN, VTEGRA_TRACK_STORE, pc);
    }
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

static struct check *checker_new(void)
{
    return check_open(&(struct check_config){
        .profile = profile,
        .os = "linux",
        .policy = "lazy",
        .evict = "lru",
        .quiet = true,
        .hb = CHECK_HB_OFF,
    });
}

static void setup(void)
{
    struct check_region region = { .size = HAL_PAGE, .api = "cuMemAlloc" };
    uint64_t base, size;

    profile = profile_load("orin", NULL);
    ck_assert_ptr_nonnull(profile);
    checker = checker_new();
    hal = hal_open(&(struct hal_config){ .profile = profile, .evict = HAL_EVICT_LRU });
    ck_assert_ptr_nonnull(hal);
    vtegra_track_enlist(&object);
    hal_observe(hal, check_mask(checker), check_sink, checker);
    hal_arena_bounds(hal, &base, &size);
    check_hooks_install(checker, hal, base, size);
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_PINNED, HAL_PAGE, HAL_PAGE, NULL, &mem), 0);
    region.mem = mem;
    check_region_add(checker, &region);
}

static void teardown(void)
{
    check_close(checker);
    hal_close(hal);
    check_free(checker);
    profile_free(profile);
}

static void *apart(void *(*work)(void *))
{
    pthread_t thread;
    void *result;

    ck_assert_int_eq(pthread_create(&thread, NULL, work, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return result;
}

/* --- a thread's end --------------------------------------------------------------------------- */

static void *store_once(void *arg)
{
    store(0, 1);
    return arg ? arg : home[0];
}

START_TEST(the_book_of_a_thread_that_ended_is_the_next_ones)
{
    struct vtegra_track_book *first;

    store(0, 0);
    first = apart(store_once);
    ck_assert_ptr_ne(first, &none);
    ck_assert_ptr_ne(first, home[0]);
    ck_assert_ptr_eq(apart(store_once), first);
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
    apart(store_of_all);
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
    struct vtegra_track_book *book = apart(lease);

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
    struct check *other = checker_new();

    check_close(other);
    store(0, 0);
    ck_assert(leased(home[0], 0));
    check_free(other);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("book_threads");
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
    return suite_main(s);
}

/* SPDX-License-Identifier: MIT */
/* The runtime's end of compiler hooks, on a board that only listens: who is told of the board, what
 * is heard of an access, and what each line of the program is said to have accessed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/observe/access_log.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/track/track.h"
#include "tests/report_rig.h"
#include "tests/suite.h"

/* --- the board -------------------------------------------------------------------------------- */

#define BYTES 64u /* of each region */
#define REGIONS 400u
static unsigned char memory[REGIONS][BYTES];

static struct {
    enum access_kind access[8];
    unsigned accesses, notes;
    enum hal_note note;
    uint64_t object;
    uint32_t first; /* number of the first region */
    bool busy;
} board;
static struct hal *const hal = (struct hal *)&board;

bool hal_mem_find(struct hal *h, const void *cpu, struct hal_mem *out)
{
    size_t at = (size_t)((const unsigned char *)cpu - memory[0]);

    ck_assert_ptr_eq(h, hal);
    if (at >= sizeof(memory)) {
        return false;
    }
    *out = (struct hal_mem){ .cpu = memory[at / BYTES],
                             .size = BYTES,
                             .id = board.first + (uint32_t)(at / BYTES),
                             .kind = HAL_MEM_MANAGED };
    return true;
}

void hal_cpu_access(struct hal *h, const void *cpu, size_t len, enum access_kind access)
{
    (void)h, (void)cpu, (void)len;
    board.access[board.accesses++ % G_N_ELEMENTS(board.access)] = access;
}

void hal_note(struct hal *h, enum hal_note what, uint64_t a, uint64_t b)
{
    (void)h, (void)b;
    board.notes++;
    board.note = what;
    board.object = a;
}

bool hal_busy(struct hal *h)
{
    (void)h;
    return board.busy;
}

bool hal_mem_lost(struct hal *h, const void *cpu)
{
    (void)h, (void)cpu;
    return false;
}

uint64_t hal_time_ns(struct hal *h)
{
    (void)h;
    return 0;
}

void hal_cpu_lease(struct hal *h, const void *cpu, uintptr_t *lease, const void **equal)
{
    (void)h, (void)cpu, (void)lease, (void)equal;
}

void hal_cpu_lease_end(struct hal *h)
{
    (void)h;
}

void hal_cpu_lease_holder(struct hal *h, void (*tell)(void *opaque), void *opaque)
{
    (void)h, (void)tell, (void)opaque;
}

void hal_cpu_hits(struct hal *h, const struct hal_hits *hits)
{
    (void)h, (void)hits;
}

/* --- the scheduler ---------------------------------------------------------------------------- */

static unsigned points, accesses_before;
static enum sched_point last_point;
static bool scheduled;

static void point(enum sched_point what, const volatile void *address, uintptr_t pc)
{
    (void)address, (void)pc;
    points++;
    last_point = what;
    accesses_before = board.accesses;
}

static bool no(void)
{
    return false;
}

static bool suppress(bool on)
{
    return !on;
}

static uint32_t thread(void)
{
    return 0;
}

static struct vtegra_track_watch *watch(void)
{
    return NULL;
}

__attribute__((visibility("default"))) const struct vtegra_sched *vtegra_sched(void)
{
    static const struct vtegra_sched sched = { .version = VTEGRA_SCHED_VERSION,
                                               .active = no,
                                               .point = point,
                                               .thread = thread,
                                               .watch = watch,
                                               .suppress = suppress,
                                               .busy = no };

    return scheduled ? &sched : NULL;
}

/* --- objects with hooks ----------------------------------------------------------------------- */

static unsigned told[2];
static bool heard; /* the last word: of a board */
static struct vtegra_track_client client;

static void hear(const struct vtegra_track_client *c)
{
    heard = c != NULL;
    client = c ? *c : client;
}

static void attach_first(const struct vtegra_track_client *c)
{
    told[0]++;
    hear(c);
}

static void attach_later(const struct vtegra_track_client *c)
{
    told[1]++;
    hear(c);
}

static struct vtegra_track_object first = { .version = VTEGRA_TRACK_VERSION,
                                            .attach = attach_first },
                                  later = { .version = VTEGRA_TRACK_VERSION,
                                            .attach = attach_later };

static struct check *open_check(enum check_hb hb, bool machine_sees_cpu)
{
    static struct soc_profile orin = { .soc = { .name = "orin", .io_coherent = true },
                                       .cpu = { .line_bytes = 64 } };

    return check_open(&(struct check_config){ .profile = &orin,
                                              .os = "linux",
                                              .policy = "lazy",
                                              .evict = "never",
                                              .program = "p",
                                              .json_path = json_path,
                                              .trace_path = trace_path,
                                              .machine_sees_cpu = machine_sees_cpu,
                                              .hb = hb });
}

/* A board whose hooks have been told of it. */
static struct check *open_board(enum check_hb hb)
{
    struct check *c;

    vtegra_track_enlist(&first);
    c = open_check(hb, false);
    check_hooks_install(c, hal, (uintptr_t)memory, sizeof(memory));
    ck_assert(heard);
    return c;
}

static void close_board(struct check *c)
{
    check_close(c);
    check_free(c);
}

/* Functions whose places can be told apart; each is one line. */
#define F(n)                                            \
    static __attribute__((noinline)) int f##n(int more) \
    {                                                   \
        return more * (n + 3) + n;                      \
    }
#define TEN(d) F(d##0) F(d##1) F(d##2) F(d##3) F(d##4) F(d##5) F(d##6) F(d##7) F(d##8) F(d##9)
TEN(1)
TEN(2)
TEN(3)
TEN(4)
#define P(n) (uintptr_t) f##n
#define TEN_P(d) \
    P(d##0), P(d##1), P(d##2), P(d##3), P(d##4), P(d##5), P(d##6), P(d##7), P(d##8), P(d##9)
#define PLACES 40u

/* The hook's return address: of the first or of the second instruction of a function. */
static uintptr_t place(unsigned i)
{
    static const uintptr_t of[PLACES] = { TEN_P(1), TEN_P(2), TEN_P(3), TEN_P(4) };

    return of[i % PLACES] + 1;
}

static void access_from(uintptr_t pc, unsigned region, enum vtegra_track_access access)
{
    static _Thread_local struct vtegra_track_book *book;

    client.access(&book, memory[region], 4, access, pc);
}

START_TEST(objects_hear_of_the_board_while_it_is_there)
{
    struct check *c;

    vtegra_track_enlist(&first);
    c = open_check(CHECK_HB_OFF, false);
    ck_assert_uint_eq(told[0], 0);
    check_hooks_install(c, hal, (uintptr_t)memory, sizeof(memory));
    ck_assert_uint_eq(told[0], 1);
    ck_assert(heard);
    ck_assert_uint_eq(client.version, VTEGRA_TRACK_VERSION);
    ck_assert_uint_eq(client.arena.base, (uintptr_t)memory);
    ck_assert_uint_eq(client.arena.size, sizeof(memory));
    heard = false;
    vtegra_track_enlist(&later); /* loaded when the board is there */
    ck_assert_uint_eq(told[1], 1);
    ck_assert(heard);
    check_hooks_install(c, hal, 0, 0);
    ck_assert(!heard);
    close_board(c);
}
END_TEST

/* Nobody is there yet whom they could tell. */
START_TEST(before_the_board_objects_hear_nothing)
{
    struct check *c = open_check(CHECK_HB_OFF, false);

    vtegra_track_enlist(&later);
    ck_assert_uint_eq(told[1], 0);
    close_board(c);
}
END_TEST

/* docs/races.md, "What hooks see": the report says of what the accesses are exact. In QEMU the
 * machine sees them all. */
START_TEST(code_without_hooks_is_named_where_hooks_count)
{
    g_autofree char *trace = NULL;
    struct check *c;

    vtegra_track_enlist(&first);
    c = open_check(CHECK_HB_OFF, _i);
    check_hooks_install(c, hal, (uintptr_t)memory, sizeof(memory));
    close_board(c);
    trace = content(trace_path);
    ck_assert_int_eq(strstr(trace, "@object name=p ") != NULL, !_i);
}
END_TEST

static unsigned count_of(const char *line)
{
    g_autofree char *trace = content(trace_path);
    g_auto(GStrv) lines = g_strsplit(trace, "\n", -1);
    unsigned n = 0;

    for (char **l = lines; *l; l++) {
        n += strcmp(*l, line) == 0;
    }
    return n;
}

/* Once, and only where they hear of the board's memory. */
START_TEST(that_there_are_hooks_is_said)
{
    struct check *c;

    vtegra_track_enlist(&first);
    c = open_check(CHECK_HB_OFF, false);
    check_hooks_install(c, hal, (uintptr_t)memory, _i ? sizeof(memory) : 0);
    close_board(c);
    ck_assert_uint_eq(count_of("@hooks"), _i);
}
END_TEST

/* However many there are, and after one of them has gone, too. */
START_TEST(every_registered_range_is_in_the_table)
{
    struct check *c = open_board(CHECK_HB_OFF);
    const uintptr_t lowest = UINT64_C(1) << 40, step = 8192;
    const unsigned ranges = 10000;

    for (unsigned i = 0; i < ranges; i++) {
        hook_range_add(
            &(struct hal_mem){ .cpu = (void *)(lowest + i * step), .size = 4096, .id = 1000 + i });
    }
    hook_range_remove(1000 + 64);
    hook_range_remove(1000 + ranges); /* was never added */
    for (unsigned i = 0; i < ranges; i++) {
        const uintptr_t at = lowest + i * step;

        ck_assert_int_eq(vtegra_track_ranges_have(client.ranges, at), i != 64);
        ck_assert_int_eq(vtegra_track_ranges_have(client.ranges, at + 4095), i != 64);
        ck_assert(!vtegra_track_ranges_have(client.ranges, at + 4096));
    }
    close_board(c);
}
END_TEST

/* --- accesses --------------------------------------------------------------------------------- */

/* A handler must not wait for what its own thread holds: what it does is not heard. */
START_TEST(what_a_signal_handler_does_inside_is_not_heard)
{
    struct check *c = open_board(CHECK_HB_ON);

    board.busy = _i == 1;
    if (_i == 2) {
        check_enter();
    }
    ck_assert_int_eq(check_hooked(), _i > 0);
    access_from(0, 1, VTEGRA_TRACK_LOAD);
    ck_assert_uint_eq(board.accesses, _i == 0);
    check_flag(&board, true);
    ck_assert_uint_eq(board.notes, _i == 0);
    if (_i == 2) {
        check_leave();
    }
    board.busy = false;
    close_board(c);
}
END_TEST

/* Of what both loads and stores, the load comes first. */
START_TEST(an_update_is_a_load_and_a_store)
{
    struct vtegra_track_book *book = NULL;
    struct check *c = open_board(CHECK_HB_OFF);

    hook_report(&book, (uintptr_t)memory[1], 4, VTEGRA_TRACK_LOADS | VTEGRA_TRACK_STORES, 0);
    ck_assert_uint_eq(board.accesses, 2);
    ck_assert_int_eq(board.access[0], ACCESS_LOAD);
    ck_assert_int_eq(board.access[1], ACCESS_STORE);
    hook_report(&book, (uintptr_t)memory[1], 4, VTEGRA_TRACK_STORES, 0);
    ck_assert_uint_eq(board.accesses, 3);
    ck_assert_int_eq(board.access[2], ACCESS_STORE);
    hook_report(&book, (uintptr_t)memory[1], 4, VTEGRA_TRACK_LOADS, 0);
    ck_assert_uint_eq(board.accesses, 4);
    ck_assert_int_eq(board.access[3], ACCESS_LOAD);
    close_board(c);
}
END_TEST

/* Another thread may go on in between; loads and stores are points of their own. */
START_TEST(a_switch_point_comes_before_its_access)
{
    struct check *c;

    scheduled = true;
    c = open_board(CHECK_HB_OFF);
    access_from(place(0), 1, VTEGRA_TRACK_LOAD);
    ck_assert_uint_eq(points, 1);
    ck_assert_int_eq(last_point, SCHED_LOAD);
    ck_assert_uint_eq(accesses_before, 0);
    access_from(place(0), 1, VTEGRA_TRACK_STORE);
    ck_assert_int_eq(last_point, SCHED_STORE);
    ck_assert_uint_eq(accesses_before, 1);
    access_from(place(0), 1, VTEGRA_TRACK_LOAD_SYNC);
    ck_assert_int_eq(last_point, SCHED_LOAD);
    ck_assert_uint_eq(points, 3);
    ck_assert_uint_eq(hook_pc, 0); /* what comes from no hook has no place */
    close_board(c);
}
END_TEST

/* docs/races.md, "What orders". */
START_TEST(flags_order_threads_by_their_address)
{
    struct check *c = open_board(CHECK_HB_ON);
    uint64_t of_first;

    check_flag(&told[0], true);
    ck_assert_uint_eq(board.notes, 1);
    ck_assert_int_eq(board.note, HAL_NOTE_RELEASE);
    of_first = board.object;
    check_flag(&told[0], false);
    ck_assert_uint_eq(board.notes, 2);
    ck_assert_int_eq(board.note, HAL_NOTE_ACQUIRE);
    ck_assert_uint_eq(board.object, of_first);
    check_flag(&told[1], false);
    ck_assert_uint_ne(board.object, of_first);
    close_board(c);
}
END_TEST

START_TEST(where_nobody_looks_for_races_flags_are_not_told)
{
    struct check *c = open_board(CHECK_HB_OFF);

    check_flag(&told[0], true);
    ck_assert_uint_eq(board.notes, 0);
    close_board(c);
}
END_TEST

/* The scheduler knows by it a loop that only waits. */
START_TEST(a_look_at_a_flag_is_told_to_the_scheduler)
{
    struct check *c;

    scheduled = true;
    c = open_board(CHECK_HB_OFF);
    client.order(&told[0], VTEGRA_TRACK_RELEASE);
    ck_assert_uint_eq(points, 0);
    client.order(&told[0], VTEGRA_TRACK_ACQUIRE);
    ck_assert_uint_eq(points, 1);
    ck_assert_int_eq(last_point, SCHED_LOOK);
    board.busy = true;
    client.order(&told[0], VTEGRA_TRACK_ACQUIRE);
    ck_assert_uint_eq(points, 1);
    close_board(c);
}
END_TEST

/* --- places ----------------------------------------------------------------------------------- */

struct site {
    unsigned region, function;
    uint64_t loads, stores, atomics, bytes;
    char *where;
};

/* The @site notes of the trace, in their order. */
static GArray *sites_read(void)
{
    GArray *sites = g_array_new(FALSE, TRUE, sizeof(struct site));
    g_autofree char *trace = content(trace_path);
    g_auto(GStrv) lines = g_strsplit(trace, "\n", -1);

    for (char **line = lines; *line; line++) {
        struct site s = { 0 };
        struct note n;
        const char *in;

        if (!g_str_has_prefix(*line, "@site ")) {
            continue;
        }
        ck_assert_msg(note_parse(*line, &n), "%s", *line);
        in = strstr(note_get(&n, "where"), " in f");
        ck_assert_msg(in != NULL, "%s", *line);
        s.region = (unsigned)note_num(&n, "region");
        s.function = (unsigned)strtoul(in + strlen(" in f"), NULL, 10);
        s.loads = note_num(&n, "loads");
        s.stores = note_num(&n, "stores");
        s.atomics = note_num(&n, "atomics");
        s.bytes = note_num(&n, "bytes");
        s.where = g_strdup(note_get(&n, "where"));
        g_array_append_val(sites, s);
        note_clear(&n);
    }
    return sites;
}

static void sites_drop(GArray *sites)
{
    for (guint i = 0; i < sites->len; i++) {
        g_free(g_array_index(sites, struct site, i).where);
    }
    g_array_unref(sites);
}

START_TEST(a_place_has_what_its_instructions_did)
{
    struct check *c = open_board(CHECK_HB_OFF);
    const struct site *s;
    GArray *sites;

    access_from(place(0), 2, VTEGRA_TRACK_STORE);
    access_from(place(0), 1, VTEGRA_TRACK_LOAD);
    access_from(place(0), 1, VTEGRA_TRACK_STORE);
    access_from(place(0) + 1, 1, VTEGRA_TRACK_LOAD); /* of the same line */
    access_from(place(0), 1, VTEGRA_TRACK_ATOMIC);
    access_from(place(1), 1, VTEGRA_TRACK_STORE);
    close_board(c);
    sites = sites_read();
    ck_assert_uint_eq(sites->len, 3);
    s = &g_array_index(sites, struct site, 0);
    ck_assert_uint_eq(s->region, 1);
    ck_assert_uint_eq(s->function, 10);
    ck_assert_uint_eq(s->loads, 2);
    ck_assert_uint_eq(s->stores, 1);
    ck_assert_uint_eq(s->atomics, 1);
    ck_assert_uint_eq(s->bytes, 4 * 4);
    ck_assert_uint_eq(s[1].function, 11);
    ck_assert_uint_eq(s[1].stores, 1);
    ck_assert_uint_eq(s[2].region, 2);
    ck_assert_uint_eq(s[2].stores, 1);
    sites_drop(sites);
}
END_TEST

/* An address is another buffer's when the first has gone; an atomic load is a load of its place. */
START_TEST(a_place_is_of_the_buffer_that_is_there_now)
{
    struct check *c = open_board(CHECK_HB_OFF);
    const struct site *s;
    GArray *sites;

    access_from(place(0), 1, VTEGRA_TRACK_LOAD_SYNC);
    board.first = 1000;
    hook_range_remove(1);
    access_from(place(0), 1, VTEGRA_TRACK_STORE_SYNC);
    close_board(c);
    sites = sites_read();
    ck_assert_uint_eq(sites->len, 2);
    s = &g_array_index(sites, struct site, 0);
    ck_assert_uint_eq(s[0].region, 1);
    ck_assert_uint_eq(s[0].loads, 1);
    ck_assert_uint_eq(s[0].atomics, 0);
    ck_assert_uint_eq(s[1].region, 1001);
    ck_assert_uint_eq(s[1].stores, 1);
    sites_drop(sites);
}
END_TEST

/* By region, the busiest place first; names decide a tie, addresses never. */
START_TEST(places_are_in_an_order_that_any_run_has)
{
    struct check *c = open_board(CHECK_HB_OFF);
    GArray *sites;
    guint ties = 0;

    for (unsigned i = 0; i < 3 * PLACES; i++) {
        for (unsigned k = 0; k <= i * 7 % 3; k++) {
            access_from(place(i * 11), 3 - i / PLACES, VTEGRA_TRACK_LOAD + (k + i) % 2);
        }
    }
    close_board(c);
    sites = sites_read();
    ck_assert_uint_eq(sites->len, 3 * PLACES);
    for (guint i = 1; i < sites->len; i++) {
        const struct site *x = &g_array_index(sites, struct site, i - 1), *y = x + 1;

        ck_assert_uint_le(x->region, y->region);
        if (x->region == y->region) {
            ck_assert_uint_ge(x->loads + x->stores, y->loads + y->stores);
            if (x->loads + x->stores == y->loads + y->stores) {
                ck_assert_int_lt(strcmp(x->where, y->where), 0);
                ties++;
            }
        }
    }
    ck_assert_uint_gt(ties, 50);
    sites_drop(sites);
}
END_TEST

/* However many meet in one place of the table: no other's accesses are a place's. Where it is full
 * the board still hears of each. */
START_TEST(no_place_has_anothers_accesses)
{
    unsigned regions = _i ? REGIONS - 1 : 50, accesses = 0;
    struct check *c = open_board(CHECK_HB_OFF);
    GArray *sites;

    for (unsigned r = 1; r <= regions; r++) {
        for (unsigned i = 0; i < PLACES; i++) {
            for (unsigned k = 0; k <= (r + i) % 3; k++) {
                access_from(place(i), r, VTEGRA_TRACK_LOAD);
                accesses++;
            }
        }
    }
    ck_assert_uint_eq(board.accesses, accesses);
    close_board(c);
    sites = sites_read();
    if (_i) {
        ck_assert_uint_lt(sites->len, regions * PLACES);
    } else {
        ck_assert_uint_eq(sites->len, regions * PLACES);
    }
    for (guint i = 0; i < sites->len; i++) {
        const struct site *s = &g_array_index(sites, struct site, i);

        ck_assert_uint_eq(s->loads, (s->region + s->function - 10) % 3 + 1);
    }
    sites_drop(sites);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hook");
    TCase *t = tcase_create("hook");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, objects_hear_of_the_board_while_it_is_there);
    tcase_add_test(t, before_the_board_objects_hear_nothing);
    tcase_add_loop_test(t, code_without_hooks_is_named_where_hooks_count, 0, 2);
    tcase_add_loop_test(t, what_a_signal_handler_does_inside_is_not_heard, 0, 3);
    tcase_add_test(t, an_update_is_a_load_and_a_store);
    tcase_add_test(t, flags_order_threads_by_their_address);
    tcase_add_test(t, where_nobody_looks_for_races_flags_are_not_told);
    tcase_add_test(t, a_look_at_a_flag_is_told_to_the_scheduler);
    tcase_add_loop_test(t, that_there_are_hooks_is_said, 0, 2);
    tcase_add_test(t, every_registered_range_is_in_the_table);
    tcase_add_test(t, a_switch_point_comes_before_its_access);
    tcase_add_test(t, a_place_is_of_the_buffer_that_is_there_now);
    tcase_add_test(t, a_place_has_what_its_instructions_did);
    tcase_add_test(t, places_are_in_an_order_that_any_run_has);
    tcase_add_loop_test(t, no_place_has_anothers_accesses, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}

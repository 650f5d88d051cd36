/* SPDX-License-Identifier: MIT */
/* The L2 against a model of single bytes, and what it counts (test_l2.c: which line leaves). A byte
 * of a line is held or not, dirty or not (l2.h; ARCHITECTURE, "who sees what": a hit returns the
 * L2's bytes however old, a miss fills through the port, dirty bytes stay until cleaned or
 * evicted). */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"
#include "model/iocoherency/l2_map.h"
#include "model/iocoherency/l2_set.h"

#define PA UINT64_C(0x80000000)
#define LINES 8u
#define BYTES (2 * IOC_PAGE)

static struct trace trace;
static struct ioc *ioc;
static struct l2 *l2;
static uint8_t *dram;
static unsigned seen[TRACE_EVENT_COUNT];
static struct trace_record last[TRACE_EVENT_COUNT];

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    seen[r->event]++;
    last[r->event] = *r;
}

static void build(enum evict evict, uint64_t bytes, uint64_t seed)
{
    trace = (struct trace){ .mask = TRACE_ALL, .sink = sink };
    memset(seen, 0, sizeof(seen));
    dram = calloc(1, BYTES);
    ioc = ioc_new(&(struct ioc_config){ .snoops = ~0u }, &trace);
    l2 = l2_new(&(struct l2_config){ .bytes = bytes, .ways = 4, .evict = evict, .seed = seed }, ioc,
                &trace);
    ioc_region_add(ioc, 7, PA, BYTES, dram, NULL, false);
}

static void setup(void)
{
    build(EVICT_NEVER, 4096, 0);
}

static void teardown(void)
{
    l2_free(l2);
    ioc_free(ioc);
    free(dram);
}

static struct ioc_page *page(unsigned line)
{
    return ioc_page_find(ioc, PA + line * BUS_LINE);
}

static const uint8_t *load(unsigned line, unsigned sectors)
{
    return l2_load(l2, page(line), line * BUS_LINE % IOC_PAGE, sectors, BUS_AGENT_IGPU);
}

static void store(unsigned line, const uint8_t *data, struct bus_mask mask)
{
    l2_store(l2, page(line), line * BUS_LINE % IOC_PAGE, data, &mask, BUS_AGENT_IGPU);
}

static const struct ioc_count *count(void)
{
    return &page(0)->region->count[BUS_AGENT_IGPU];
}

/* --- a model of single bytes ------------------------------------------------------------------ */

static struct {
    bool held[LINES][BUS_LINE], dirty[LINES][BUS_LINE];
    uint8_t data[LINES][BUS_LINE], memory[LINES][BUS_LINE];
    uint64_t hits, misses, sectors, write_hits, write_misses, written_back;
} ref;

static uint64_t state;

static unsigned draw(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % n;
}

static void ref_load(unsigned line, unsigned sectors)
{
    for (unsigned s = 0; s < 4; s++) {
        unsigned missing = 0;

        for (unsigned b = 32 * s; sectors >> s & 1 && b < 32 * s + 32; b++) {
            missing += !ref.held[line][b];
        }
        for (unsigned b = 32 * s; missing && b < 32 * s + 32; b++) {
            if (!ref.held[line][b]) {
                ref.held[line][b] = true;
                ref.data[line][b] = ref.memory[line][b];
            }
        }
        ref.sectors += sectors >> s & 1;
        ref.misses += missing != 0;
        ref.hits += (sectors >> s & 1) && !missing;
    }
}

static void ref_store(unsigned line, const uint8_t *data, const bool *mask)
{
    bool any = false;

    for (unsigned b = 0; b < BUS_LINE; b++) {
        any |= ref.held[line][b];
    }
    ref.write_hits += any;
    ref.write_misses += !any;
    for (unsigned b = 0; b < BUS_LINE; b++) {
        if (mask[b]) {
            ref.held[line][b] = ref.dirty[line][b] = true;
            ref.data[line][b] = data[b];
        }
    }
}

/* Return: dirty bytes there were. @write: they go to memory; @drop: nothing is held any more. */
static unsigned ref_maintain(bool write, bool drop, unsigned *lines)
{
    unsigned bytes = 0;

    *lines = 0;
    for (unsigned l = 0; l < LINES; l++) {
        unsigned before = bytes;

        for (unsigned b = 0; b < BUS_LINE; b++) {
            bytes += ref.dirty[l][b];
            if (ref.dirty[l][b] && write) {
                ref.memory[l][b] = ref.data[l][b];
            }
            ref.dirty[l][b] = false;
            ref.held[l][b] &= !drop;
        }
        *lines += bytes != before;
    }
    ref.written_back += write ? bytes : 0;
    return bytes;
}

static void random_store(void)
{
    unsigned line = draw(LINES), kind = draw(4), first = draw(BUS_LINE),
             n = 1 + draw(BUS_LINE - first);
    struct bus_mask mask = { { 0 } };
    bool bytes[BUS_LINE];
    uint8_t data[BUS_LINE];

    for (unsigned b = 0; b < BUS_LINE;
         b++) { /* all of it, a range, single bytes, groups of eight */
        bytes[b] = b == first || kind == 0 || (kind == 1 && b >= first && b < first + n) ||
                   (kind == 2 && !draw(5)) || (kind == 3 && first >> (b / 16) & 1);
        mask.word[b / 64] |= (uint64_t)bytes[b] << b % 64;
        data[b] = (uint8_t)draw(256);
    }
    store(line, data, mask);
    ref_store(line, data, bytes);
}

static void random_load(void)
{
    unsigned line = draw(LINES), sectors = 1 + draw(15);
    const uint8_t *got = load(line, sectors);

    ref_load(line, sectors);
    for (unsigned b = 0; b < BUS_LINE; b++) {
        if (sectors >> (b / 32) & 1) {
            ck_assert_uint_eq(got[b], ref.data[line][b]);
        }
    }
}

static void random_maintenance(void)
{
    unsigned lines, bytes;

    if (draw(2)) {
        bytes = ref_maintain(true, false, &lines);
        l2_clean(l2, BUS_AGENT_HOST);
        ck_assert_uint_eq(last[TRACE_EVENT_L2_CLEAN].arg[0], lines);
        ck_assert_uint_eq(last[TRACE_EVENT_L2_CLEAN].arg[1], bytes);
    } else {
        bytes = ref_maintain(false, true, &lines);
        l2_invalidate(l2, BUS_AGENT_HOST);
        ck_assert_uint_eq(last[TRACE_EVENT_L2_INVALIDATE].arg[1], bytes);
    }
}

/* Another agent's write, which the L2 does not see */
static void random_memory(void)
{
    unsigned line = draw(LINES), b = draw(BUS_LINE);

    ref.memory[line][b] = dram[line * BUS_LINE + b] = (uint8_t)draw(256);
}

static void all_is_equal(void)
{
    for (unsigned l = 0; l < LINES; l++) {
        unsigned dirty, want = 0, held = 0;
        bool found = l2_line_state(l2, PA + l * BUS_LINE, &dirty);

        for (unsigned b = 0; b < BUS_LINE; b++) {
            want += ref.dirty[l][b];
            held += ref.held[l][b];
        }
        ck_assert_uint_eq(dirty, want);
        ck_assert(found || held == 0);
        ck_assert_mem_eq(dram + l * BUS_LINE, ref.memory[l], BUS_LINE);
    }
    ck_assert_uint_eq(l2_totals(l2)->hits, ref.hits);
    ck_assert_uint_eq(l2_totals(l2)->misses, ref.misses);
    ck_assert_uint_eq(l2_totals(l2)->written_back_bytes, ref.written_back);
    ck_assert_uint_eq(l2_totals(l2)->evictions, 0);
    ck_assert_uint_eq(count()->read_sectors, ref.sectors);
    ck_assert_uint_eq(count()->read_hits, ref.hits);
    ck_assert_uint_eq(count()->read_misses, ref.misses);
    ck_assert_uint_eq(count()->write_hits, ref.write_hits);
    ck_assert_uint_eq(count()->write_misses, ref.write_misses);
}

/* Without evictions, and in sets that have room for all lines. */
START_TEST(every_byte_is_what_the_rules_say)
{
    memset(&ref, 0, sizeof(ref));
    state = (uint64_t)_i;
    build(_i % 2 ? EVICT_LRU : EVICT_NEVER, 128 * BUS_LINE, 0);
    for (unsigned i = 0; i < 3000; i++) {
        unsigned what = draw(20);

        if (what < 8) {
            random_store();
        } else if (what < 17) {
            random_load();
        } else if (what < 19) {
            random_memory();
        } else {
            random_maintenance();
        }
        all_is_equal();
    }
    teardown();
}
END_TEST

/* --- one at a time ---------------------------------------------------------------------------- */

START_TEST(a_modified_word_is_loaded_and_dirty)
{
    unsigned dirty;
    uint8_t *word;

    memset(dram, 0x11, BYTES);
    word = l2_modify(l2, page(1), BUS_LINE + 36, 4, BUS_AGENT_IGPU);
    ck_assert_uint_eq(word[0], 0x11);
    memset(word, 0x77, 4);
    ck_assert(l2_line_state(l2, PA + BUS_LINE, &dirty));
    ck_assert_uint_eq(dirty, 4);
    ck_assert_uint_eq(load(1, 2)[36], 0x77);
    ck_assert_uint_eq(count()->read_misses, 1);
    ck_assert_uint_eq(count()->read_hits, 1);
    l2_clean(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(dram[BUS_LINE + 35], 0x11);
    ck_assert_uint_eq(dram[BUS_LINE + 36], 0x77);
    ck_assert_uint_eq(dram[BUS_LINE + 39], 0x77);
    ck_assert_uint_eq(dram[BUS_LINE + 40], 0x11);
}
END_TEST

START_TEST(a_fill_says_which_sectors_were_missing)
{
    load(0, 2);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_FILL].arg[1], 2);
    load(0, 15);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_FILL].arg[1], 13);
    load(1, 15);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_FILL].arg[0], PA + BUS_LINE);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_FILL].arg[1], 15);
    load(1, 15);
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_FILL], 3);
}
END_TEST

START_TEST(a_write_back_names_its_bytes)
{
    uint8_t data[BUS_LINE] = { 0 };

    store(2, data, (struct bus_mask){ { 0x5, UINT64_C(1) << 63 } });
    l2_clean(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_WRITEBACK], 1);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_WRITEBACK].arg[0], PA + 2 * BUS_LINE);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_WRITEBACK].arg[1], 0x5);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_WRITEBACK].arg[2], UINT64_C(1) << 63);
    l2_clean(l2, BUS_AGENT_HOST); /* nothing is dirty now */
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_WRITEBACK], 1);
}
END_TEST

START_TEST(lost_bytes_are_told_for_each_line)
{
    uint8_t data[BUS_LINE] = { 0 };

    store(2, data, bus_mask_range(0, 3));
    store(5, data, bus_mask_range(60, 9));
    l2_invalidate(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(seen[TRACE_EVENT_LOST_BYTES], 2);
    ck_assert_uint_eq(last[TRACE_EVENT_LOST_BYTES].arg[0], PA + 5 * BUS_LINE);
    ck_assert_uint_eq(last[TRACE_EVENT_LOST_BYTES].arg[1], 9);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_INVALIDATE].arg[1], 12);
    l2_invalidate(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_INVALIDATE].arg[1], 0);
}
END_TEST

/* One set of four ways: the fifth line takes the place of the one used longest ago. */
START_TEST(an_eviction_is_told_and_counted)
{
    unsigned dirty;
    uint8_t data[BUS_LINE];

    teardown();
    build(EVICT_LRU, 4 * BUS_LINE, 0);
    memset(data, 0x77, sizeof(data));
    store(0, data, bus_mask_range(1, 5));
    for (unsigned line = 1; line < 4; line++) {
        load(line, 15);
    }
    ck_assert_uint_eq(l2_totals(l2)->evictions, 0);
    load(4, 1);
    ck_assert_uint_eq(l2_totals(l2)->evictions, 1);
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], 1);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_EVICT].arg[0], PA);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_EVICT].arg[1], 5);
    ck_assert_uint_eq(l2_totals(l2)->written_back_bytes, 5);
    ck_assert(!l2_line_state(l2, PA, &dirty));
    ck_assert_uint_eq(dram[0], 0);
    ck_assert_uint_eq(dram[1], 0x77);
    ck_assert_uint_eq(load(0, 1)[1], 0x77);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_EVICT].arg[0], PA + BUS_LINE);
}
END_TEST

START_TEST(only_the_policy_seeded_evicts_by_seed)
{
    teardown();
    build((enum evict)_i, 4 * BUS_LINE, 3);
    load(0, 1);
    for (unsigned i = 0; i < 100; i++) {
        l2_evict_some(l2);
    }
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], (enum evict)_i == EVICT_SEEDED);
}
END_TEST

/* The seed alone decides; no line is out of its reach. */
START_TEST(the_seed_decides_which_line_leaves)
{
    uint64_t order[2][64] = { { 0 } };

    teardown();
    for (unsigned run = 0; run < 2; run++) {
        build(EVICT_SEEDED, 64 * BUS_LINE, 11);
        for (unsigned line = 0; line < 32; line++) {
            load(line, 1);
        }
        for (unsigned i = 0; i < 1000 && seen[TRACE_EVENT_L2_EVICT] < 32; i++) {
            unsigned before = seen[TRACE_EVENT_L2_EVICT];

            l2_evict_some(l2);
            if (seen[TRACE_EVENT_L2_EVICT] > before) {
                order[run][before] = last[TRACE_EVENT_L2_EVICT].arg[0];
            }
        }
        ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], 32); /* from every way */
        if (run == 0) {
            teardown();
        }
    }
    ck_assert_mem_eq(order[0], order[1], sizeof(order[0]));
}
END_TEST

START_TEST(only_lines_of_the_range_are_forgotten)
{
    unsigned dirty;
    uint8_t data[BUS_LINE] = { 0 };

    for (unsigned line = 0; line < 4; line++) {
        store(line, data, bus_mask_range(0, 4));
    }
    l2_forget(l2, PA + BUS_LINE, 2 * BUS_LINE);
    for (unsigned line = 0; line < 4; line++) {
        ck_assert_int_eq(l2_line_state(l2, PA + line * BUS_LINE, &dirty), line == 0 || line == 3);
    }
    l2_clean(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_CLEAN].arg[0], 2);
    ck_assert_uint_eq(last[TRACE_EVENT_L2_CLEAN].arg[1], 8);
}
END_TEST

START_TEST(the_state_is_the_lines_at_each_of_its_bytes)
{
    unsigned dirty;
    uint8_t data[BUS_LINE] = { 0 };

    teardown();
    build(_i ? EVICT_LRU : EVICT_NEVER, 4096, 0);
    store(2, data, bus_mask_range(0, 3));
    for (unsigned i = 0; i < BUS_LINE; i++) {
        ck_assert(l2_line_state(l2, PA + 2 * BUS_LINE + i, &dirty));
        ck_assert_uint_eq(dirty, 3);
    }
    ck_assert(!l2_line_state(l2, PA + 3 * BUS_LINE, &dirty));
}
END_TEST

/* l2_set.h: "no line is anywhere", however often that has been said. */
START_TEST(lines_do_not_come_back_when_the_numbers_of_invalidations_do)
{
    struct l2_sets sets;
    uint32_t line;
    bool full;

    l2_sets_init(&sets, 4 * BUS_LINE, 2);
    l2_set_tags(&sets, 0);
    l2_set_put(&sets, 0, l2_set_place(&sets, 0, &full), PA);
    sets.epoch = UINT32_MAX;
    l2_set_tags(&sets, 1);
    l2_set_put(&sets, 1, l2_set_place(&sets, 1, &full), PA + BUS_LINE);
    l2_sets_clear(&sets);
    for (unsigned set = 0; set < 2; set++) {
        ck_assert_uint_eq(l2_tags_equal(l2_set_tags(&sets, set), L2_TAG_NONE), 0xffff);
        for (unsigned way = 0; way < 2; way++) {
            ck_assert_uint_eq(l2_set_place(&sets, set, &full), way);
            ck_assert(!full);
            l2_set_put(&sets, set, way, PA + way * 4096 + set * BUS_LINE);
        }
        l2_set_place(&sets, set, &full);
        ck_assert(full);
    }
    l2_sets_clear(&sets);
    ck_assert(!l2_sets_choose(&sets, 0, 0, &line));
    l2_sets_free(&sets);
}
END_TEST

/* l2_set.h: "of set @first, or of the next set where that place has one"; after the last comes the
 * first. In 320 sets, so that the first, the last and others of the host's words that say which are
 * used have lines. */
START_TEST(a_choice_goes_on_to_the_next_set_that_has_a_line)
{
    static const unsigned used[] = { 3, 64, 66, 128, 130, 255, 319 };
    struct l2_sets sets;
    uint32_t line;

    l2_sets_init(&sets, 320 * BUS_LINE, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(used); i++) {
        l2_set_tags(&sets, used[i]);
        l2_set_put(&sets, used[i], 0, PA + i * BUS_LINE);
    }
    for (unsigned first = 0; first < 320; first++) {
        unsigned want = used[0];

        for (unsigned i = G_N_ELEMENTS(used); i > 0; i--) {
            want = used[i - 1] >= first ? used[i - 1] : want;
        }
        ck_assert(l2_sets_choose(&sets, first, 0, &line));
        ck_assert_uint_eq(line, want); /* of one way: a line has its set's number */
    }
    l2_sets_free(&sets);
}
END_TEST

/* What has gone takes no room: as many entries as in the beginning, and the same few numbers. */
START_TEST(a_map_is_as_large_as_its_lines_need)
{
    struct l2_map map;
    uint32_t shift;

    l2_map_init(&map);
    shift = map.shift;
    for (unsigned i = 0; i < 5000; i++) {
        ck_assert_uint_eq(l2_map_put(&map, PA + i * BUS_LINE), 0);
        l2_map_drop(&map, PA + i * BUS_LINE);
    }
    ck_assert_uint_eq(map.shift, shift);
    l2_map_free(&map);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("l2");
    TCase *tc = tcase_create("bytes"), *one = tcase_create("one");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tc, every_byte_is_what_the_rules_say, 0, 6);
    tcase_add_checked_fixture(one, setup, teardown);
    tcase_add_test(one, a_modified_word_is_loaded_and_dirty);
    tcase_add_test(one, a_fill_says_which_sectors_were_missing);
    tcase_add_test(one, a_write_back_names_its_bytes);
    tcase_add_test(one, lost_bytes_are_told_for_each_line);
    tcase_add_test(one, an_eviction_is_told_and_counted);
    tcase_add_loop_test(one, only_the_policy_seeded_evicts_by_seed, 0, 3);
    tcase_add_test(one, the_seed_decides_which_line_leaves);
    tcase_add_test(one, only_lines_of_the_range_are_forgotten);
    tcase_add_loop_test(one, the_state_is_the_lines_at_each_of_its_bytes, 0, 2);
    tcase_add_test(one, a_choice_goes_on_to_the_next_set_that_has_a_line);
    tcase_add_test(one, lines_do_not_come_back_when_the_numbers_of_invalidations_do);
    tcase_add_test(one, a_map_is_as_large_as_its_lines_need);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, one);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* SPDX-License-Identifier: MIT */
/* The iGPU's L2 against the plainest one that follows l2.h: an array of ways with a time stamp each, byte by
 * byte. Both get the same accesses by chance; bytes, records, their order and the totals must be equal. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"
#include "model/iocoherency/l2_line.h"

#define AREAS 3u
#define PAGES 64u
#define AREA_LINES (PAGES * IOC_PAGE / BUS_LINE)
#define RECORDS 20000u
#ifdef __SANITIZE_ADDRESS__ /* which makes each step ten times as long */
#define STEPS 1000u
#define ROUNDS 2u
#else
#define STEPS 4000u
#define ROUNDS 3u
#endif
#define PLACES 6144u /* of the plain one: all lines of all areas */

/* Lines so far apart have equal lower bits in their numbers: 2^38 and 2^45 bytes. */
static const uint64_t area_pa[AREAS] = { UINT64_C(0x80000000), UINT64_C(0x4080000000),
                                         UINT64_C(0x200080000000) };

struct record {
    enum trace_event event;
    uint64_t arg[3];
};

struct records {
    struct record record[RECORDS];
    unsigned n;
};

struct plain_line {
    bool live, listed;
    uint64_t pa, stamp, dirty_since;
    uint8_t data[BUS_LINE];
    bool valid[BUS_LINE], dirty[BUS_LINE];
};

static struct {
    struct plain_line place[PLACES];
    unsigned known[PLACES]; /* of each set: places that ever had a line */
    unsigned sets, ways;
    uint64_t stamp;
    struct records records;
    uint8_t dram[AREAS][PAGES * IOC_PAGE];
    struct l2_totals totals;
} plain;

static struct records seen;
static struct trace trace;
static struct ioc *ioc;
static struct l2 *l2;
static uint8_t *dram[AREAS];
static uint64_t chance, drawn;
static unsigned short_ways; /* loads that needed no look-up */

static unsigned pick(unsigned n)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(chance >> 33) % n;
}

static uint64_t draw(void *opaque)
{
    (void)opaque;
    return drawn;
}

static void records_add(struct records *r, enum trace_event event, uint64_t a, uint64_t b, uint64_t c)
{
    ck_assert_uint_lt(r->n, RECORDS);
    r->record[r->n++] = (struct record){ event, { a, b, c } };
}

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    if (r->event >= TRACE_EVENT_L2_FILL && r->event <= TRACE_EVENT_L2_WRITEBACK) {
        records_add(&seen, r->event, r->arg[0], r->arg[1], r->arg[2]);
    } else if (r->event == TRACE_EVENT_L2_CLEAN || r->event == TRACE_EVENT_L2_INVALIDATE ||
               r->event == TRACE_EVENT_LOST_BYTES) {
        records_add(&seen, r->event, r->arg[0], r->arg[1], 0);
    }
}

static void build(enum evict evict, unsigned sets, unsigned ways)
{
    trace = (struct trace){ .mask = TRACE_ALL, .sink = sink };
    memset(&plain, 0, sizeof(plain));
    seen.n = 0;
    chance = sets * 64 + ways;
    plain.sets = evict == EVICT_NEVER ? 1 : sets;
    plain.ways = evict == EVICT_NEVER ? PLACES : ways;
    ioc = ioc_new(&(struct ioc_config){ .evict = EVICT_NEVER }, &trace);
    l2 = l2_new(
        &(struct l2_config){
            .bytes = (uint64_t)sets * ways * BUS_LINE, .ways = ways, .evict = evict, .draw = draw },
        ioc, &trace);
    for (unsigned a = 0; a < AREAS; a++) {
        dram[a] = malloc(PAGES * IOC_PAGE);
        for (unsigned i = 0; i < PAGES * IOC_PAGE; i++) {
            dram[a][i] = plain.dram[a][i] = (uint8_t)pick(256);
        }
        ioc_region_add(ioc, a + 1, area_pa[a], PAGES * IOC_PAGE, dram[a], NULL, false);
    }
}

static void take_down(void)
{
    l2_free(l2);
    ioc_free(ioc);
    for (unsigned a = 0; a < AREAS; a++) {
        free(dram[a]);
    }
}

/* --- the plain one --- */

static uint8_t *plain_dram(uint64_t pa)
{
    for (unsigned a = 0; a < AREAS; a++) {
        if (pa - area_pa[a] < PAGES * IOC_PAGE) {
            return &plain.dram[a][pa - area_pa[a]];
        }
    }
    ck_abort_msg("no memory");
}

static unsigned plain_set(uint64_t pa)
{
    uint64_t n = pa / BUS_LINE;

    return (unsigned)((n ^ n / plain.sets) % plain.sets);
}

static struct plain_line *plain_find(uint64_t pa)
{
    for (unsigned w = 0; w < plain.ways; w++) {
        struct plain_line *l = &plain.place[plain_set(pa) * plain.ways + w];

        if (l->live && l->pa == pa) {
            return l;
        }
    }
    return NULL;
}

static unsigned plain_dirty(const struct plain_line *l)
{
    unsigned n = 0;

    for (unsigned i = 0; i < BUS_LINE; i++) {
        n += l->dirty[i];
    }
    return n;
}

static void plain_write_back(struct plain_line *l)
{
    struct bus_mask m = { { 0, 0 } };

    if (plain_dirty(l) == 0) {
        return;
    }
    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (l->dirty[i]) {
            *plain_dram(l->pa + i) = l->data[i];
            m.word[i / 64] |= UINT64_C(1) << i % 64;
            plain.totals.written_back_bytes++;
        }
    }
    records_add(&plain.records, TRACE_EVENT_L2_WRITEBACK, l->pa, m.word[0], m.word[1]);
    memset(l->dirty, 0, sizeof(l->dirty));
}

static void plain_evict(struct plain_line *l)
{
    records_add(&plain.records, TRACE_EVENT_L2_EVICT, l->pa, plain_dirty(l), 0);
    plain_write_back(l);
    l->live = l->listed = false;
    plain.totals.evictions++;
}

/* A free place, else the one that was used longest ago. */
static struct plain_line *plain_place(uint64_t pa)
{
    unsigned set = plain_set(pa), victim = 0;
    struct plain_line *place = &plain.place[set * plain.ways];

    for (unsigned w = 0; w < plain.ways; w++) {
        if (!place[w].live) {
            plain.known[set] = plain.known[set] > w ? plain.known[set] : w + 1;
            return &place[w];
        }
        victim = place[w].stamp < place[victim].stamp ? w : victim;
    }
    plain_evict(&place[victim]);
    return &place[victim];
}

static struct plain_line *plain_get(uint64_t pa)
{
    struct plain_line *l = plain_find(pa);

    if (!l) {
        l = plain_place(pa);
        memset(l, 0, sizeof(*l));
        l->live = true;
        l->pa = pa;
    }
    l->stamp = ++plain.stamp;
    return l;
}

static void plain_list(struct plain_line *l)
{
    if (!l->listed) {
        l->listed = true;
        l->dirty_since = plain.stamp;
    }
}

static const uint8_t *plain_load(uint64_t pa, unsigned sectors)
{
    struct plain_line *l = plain_get(pa);
    unsigned missing = 0;

    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (sectors >> i / BUS_SECTOR & 1 && !l->valid[i]) {
            l->data[i] = *plain_dram(pa + i);
            l->valid[i] = true;
            missing |= 1u << i / BUS_SECTOR;
        }
    }
    for (unsigned s = 0; s < 4; s++) {
        plain.totals.misses += missing >> s & 1;
        plain.totals.hits += (sectors & ~missing) >> s & 1;
    }
    if (missing) {
        records_add(&plain.records, TRACE_EVENT_L2_FILL, pa, missing, 0);
    }
    return l->data;
}

static void plain_store(uint64_t pa, const uint8_t *data, const struct bus_mask *mask)
{
    struct plain_line *l = plain_get(pa);

    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (mask->word[i / 64] >> i % 64 & 1) {
            l->data[i] = data[i];
            l->valid[i] = l->dirty[i] = true;
        }
    }
    plain_list(l);
}

static void plain_modify(uint64_t pa, unsigned at, uint32_t value)
{
    struct plain_line *l;

    plain_load(pa, 1u << at / BUS_SECTOR);
    l = plain_find(pa);
    memcpy(l->data + at, &value, 4);
    memset(l->dirty + at, true, 4);
    plain_list(l);
}

static struct plain_line *plain_oldest_dirty(void)
{
    struct plain_line *first = NULL;

    for (unsigned i = 0; i < plain.sets * plain.ways; i++) {
        struct plain_line *l = &plain.place[i];

        if (l->live && l->listed && (!first || l->dirty_since < first->dirty_since)) {
            first = l;
        }
    }
    return first;
}

static void plain_clean(void)
{
    uint64_t before = plain.totals.written_back_bytes, lines = 0;

    for (struct plain_line *l; (l = plain_oldest_dirty()); lines++) {
        plain_write_back(l);
        l->listed = false;
    }
    records_add(&plain.records, TRACE_EVENT_L2_CLEAN, lines, plain.totals.written_back_bytes - before, 0);
}

static void plain_invalidate(void)
{
    uint64_t lost = 0;

    for (struct plain_line *l; (l = plain_oldest_dirty());) {
        records_add(&plain.records, TRACE_EVENT_LOST_BYTES, l->pa, plain_dirty(l), 0);
        lost += plain_dirty(l);
        l->listed = false;
    }
    for (unsigned i = 0; i < plain.sets * plain.ways; i++) {
        plain.place[i].live = false;
    }
    records_add(&plain.records, TRACE_EVENT_L2_INVALIDATE, 0, lost, 0);
}

static void plain_forget(uint64_t pa, uint64_t len)
{
    for (uint64_t at = pa; at < pa + len; at += BUS_LINE) {
        struct plain_line *l = plain_find(at);

        if (l) {
            l->live = l->listed = false;
        }
    }
}

/* From the drawn set on, the first that has a line in the drawn place. */
static void plain_evict_some(uint64_t number)
{
    for (unsigned i = 0; number && i < plain.sets; i++) {
        unsigned set = (unsigned)((number / 2 + i) % plain.sets);
        struct plain_line *l =
            plain.known[set] ? &plain.place[set * plain.ways + (number >> 32) % plain.known[set]] : NULL;

        if (l && l->live) {
            plain_evict(l);
            return;
        }
    }
}

/* --- the same to both --- */

/* Often few lines, and often the same one again. */
static uint64_t line_by_chance(void)
{
    static uint64_t before;

    if (before == 0 || pick(4)) {
        before = area_pa[pick(AREAS)] + (uint64_t)pick(pick(4) ? 96 : AREA_LINES) * BUS_LINE;
    }
    return before;
}

static struct bus_mask mask_by_chance(void)
{
    unsigned first = pick(BUS_LINE);

    switch (pick(3)) {
    case 0:
        return bus_mask_range(0, BUS_LINE);
    case 1:
        return bus_mask_range(first / 4 * 4, 4);
    default:
        return bus_mask_range(first, 1 + pick(BUS_LINE - first));
    }
}

/* Places that loads found, kept as a port keeps them. */
#define KEPT 64u

static struct kept {
    uint64_t pa;
    struct l2_place place;
} kept[KEPT];

static const uint8_t *load_as_a_port(uint64_t pa, unsigned sectors)
{
    struct kept *k = &kept[pa / BUS_LINE % KEPT];
    struct ioc_page *page = ioc_page_find(ioc, pa);
    const uint8_t *data;

    if (k->place.line && k->pa == pa && l2_place_holds(l2, &k->place, page)) {
        l2_place_load(l2, &k->place, ioc_count(ioc, page, BUS_AGENT_IGPU),
                      bus_sectors_count(sectors));
        l2_place_touch(&k->place);
        short_ways++;
        return k->place.data;
    }
    data = l2_load(l2, page, (unsigned)(pa % IOC_PAGE), sectors, BUS_AGENT_IGPU);
    if (l2_place_of_last(l2, &k->place)) {
        k->pa = pa;
    }
    return data;
}

/* The L2 alone: a hint must change nothing. */
static void hint(void)
{
    struct l2_want want[L2_WANTS];
    unsigned n = pick(L2_WANTS + 1);

    for (unsigned i = 0; i < n; i++) {
        uint64_t pa = line_by_chance() + pick(BUS_LINE);
        const struct ioc_page *page = ioc_page_find(ioc, pa);

        want[i] = (struct l2_want){ pa, pick(2) ? page->dram + pa % IOC_PAGE / BUS_LINE * BUS_LINE : NULL };
    }
    l2_ahead(l2, want, n);
}

static void load(uint64_t pa)
{
    unsigned sectors = pick(2) ? 15 : 1 + pick(15);
    const uint8_t *want = plain_load(pa, sectors);
    const uint8_t *got = load_as_a_port(pa, sectors);

    for (unsigned s = 0; s < 4; s++) {
        ck_assert(!(sectors >> s & 1) || memcmp(want + 32 * s, got + 32 * s, 32) == 0);
    }
}

static void store(uint64_t pa)
{
    struct bus_mask mask = mask_by_chance();
    uint8_t data[BUS_LINE];

    for (unsigned i = 0; i < BUS_LINE; i++) {
        data[i] = (uint8_t)pick(256);
    }
    plain_store(pa, data, &mask);
    l2_store(l2, ioc_page_find(ioc, pa), (unsigned)(pa % IOC_PAGE), data, &mask, BUS_AGENT_IGPU);
}

static void modify(uint64_t pa)
{
    unsigned at = pick(32) * 4;
    uint32_t value = pick(1u << 30);

    plain_modify(pa, at, value);
    memcpy(l2_modify(l2, ioc_page_find(ioc, pa), (unsigned)(pa % IOC_PAGE) + at, 4, BUS_AGENT_IGPU),
           &value, 4);
}

static void maintain(void)
{
    uint64_t page = line_by_chance() & ~(uint64_t)(IOC_PAGE - 1);

    switch (pick(8)) {
    case 0:
        plain_invalidate();
        l2_invalidate(l2, BUS_AGENT_HOST);
        break;
    case 1:
    case 2:
        plain_forget(page, IOC_PAGE);
        l2_forget(l2, page, IOC_PAGE);
        break;
    default:
        plain_clean();
        l2_clean(l2, BUS_AGENT_HOST);
    }
}

static void step(bool seeded)
{
    uint64_t pa = line_by_chance();
    unsigned what = pick(64);

    if (pick(4) == 0) {
        hint();
    }
    if (what == 0) {
        maintain();
    } else if (what < 4 && seeded) {
        drawn = (uint64_t)pick(1u << 30) << 32 | pick(1u << 30);
        plain_evict_some(drawn);
        l2_evict_some(l2);
    } else if (what < 32) {
        load(pa);
    } else if (what < 56) {
        store(pa);
    } else {
        modify(pa);
    }
}

static void compare(void)
{
    const struct l2_totals *t = l2_totals(l2);
    uint64_t pa = line_by_chance();
    struct plain_line *l = plain_find(pa);
    unsigned dirty;

    ck_assert_uint_eq(seen.n, plain.records.n);
    for (unsigned i = 0; i < seen.n; i++) {
        ck_assert_int_eq(seen.record[i].event, plain.records.record[i].event);
        ck_assert(memcmp(seen.record[i].arg, plain.records.record[i].arg, sizeof(seen.record[i].arg)) == 0);
    }
    seen.n = plain.records.n = 0;
    ck_assert_uint_eq(t->hits, plain.totals.hits);
    ck_assert_uint_eq(t->misses, plain.totals.misses);
    ck_assert_uint_eq(t->evictions, plain.totals.evictions);
    ck_assert_uint_eq(t->written_back_bytes, plain.totals.written_back_bytes);
    ck_assert_int_eq(l2_line_state(l2, pa, &dirty), l != NULL);
    ck_assert_uint_eq(dirty, l ? plain_dirty(l) : 0);
}

static void race(enum evict evict, unsigned sets, unsigned ways)
{
    build(evict, sets, ways);
    memset(kept, 0, sizeof(kept));
    short_ways = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        step(evict == EVICT_SEEDED);
        compare();
    }
    plain_clean();
    l2_clean(l2, BUS_AGENT_HOST);
    compare();
    for (unsigned a = 0; a < AREAS; a++) {
        ck_assert_mem_eq(dram[a], plain.dram[a], PAGES * IOC_PAGE);
    }
    ck_assert(short_ways > 0 || sets * ways < 32);
    take_down();
}

START_TEST(lines_leave_as_if_by_time_stamps)
{
    static const unsigned geometry[][2] = { { 1, 1 }, { 1, 2 },  { 1, 16 }, { 2, 2 },  { 3, 3 },
                                            { 4, 7 }, { 8, 16 }, { 12, 16 }, { 64, 16 }, { 65, 5 } };

    race(EVICT_LRU, geometry[_i][0], geometry[_i][1]);
    race(EVICT_SEEDED, geometry[_i][0], geometry[_i][1]);
}
END_TEST

START_TEST(without_eviction_every_line_stays)
{
    race(EVICT_NEVER, 2, 2);
}
END_TEST

/* More dirty lines than the log has room for at first, and most leave again: in order all the same. */
START_TEST(order_of_dirty_lines_outlives_its_room)
{
    build(EVICT_LRU, 128, 16);
    for (unsigned i = 0; i < 20000; i++) {
        store(line_by_chance());
        if (i % 64 == 63) {
            compare();
        }
    }
    plain_clean();
    l2_clean(l2, BUS_AGENT_HOST);
    compare();
    take_down();
}
END_TEST

/* Many times as many lines as a place of the map's first size, all found again; those that went are free. */
START_TEST(without_eviction_a_line_that_went_makes_room)
{
    build(EVICT_NEVER, 2, 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < AREAS * AREA_LINES; i++) {
            store(area_pa[i % AREAS] + (uint64_t)(i / AREAS) * BUS_LINE);
        }
        compare();
        plain_clean();
        l2_clean(l2, BUS_AGENT_HOST);
        compare();
        plain_forget(area_pa[round], PAGES * IOC_PAGE);
        l2_forget(l2, area_pa[round], PAGES * IOC_PAGE);
        compare();
    }
    take_down();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l2");
    TCase *t = tcase_create("against a plain one");
    SRunner *runner = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, lines_leave_as_if_by_time_stamps, 0, 10);
    tcase_add_test(t, without_eviction_every_line_stays);
    tcase_add_test(t, order_of_dirty_lines_outlives_its_room);
    tcase_add_test(t, without_eviction_a_line_that_went_makes_room);
    suite_add_tcase(s, t);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

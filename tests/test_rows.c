/* SPDX-License-Identifier: MIT */
/* Many lines in one call, and records that are counted, against the same one line or one sector at
 * a time: iocoherency.h and l2.h promise "as if". Two machines get the same accesses by chance;
 * bytes, counts, totals, records and their order must be equal, also in what comes later. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"

#define PA UINT64_C(0x80000000)
#define PAGES 2u
#define BYTES (PAGES * IOC_PAGE)
#define RECORDS 4000u
#ifdef __SANITIZE_ADDRESS__ /* which makes each step ten times as long */
#define STEPS 300u
#else
#define STEPS 3000u
#endif
#define LINES 16u /* IOC_LINE, from the beginning of a page: few, so that they meet */

/**
 * struct side - a machine; @whole: many lines a call
 * @spare: an observer that lets caches count, in @counts
 */
struct side {
    bool whole;
    struct trace trace;
    struct trace_spare spare;
    struct trace_counts counts;
    struct trace_record record[RECORDS];
    unsigned n;
    uint32_t news;
    struct ioc *ioc;
    struct l2 *l2;
    uint8_t *dram, *view;
};

/**
 * struct kind - of both machines
 * @counted: caches count, else they send; @followed: fills and evictions are sent all the same
 * @silent: nothing is observed
 */
struct kind {
    bool coherent, cpu_snoops, counted, followed, silent, cached;
    enum evict evict;
};

static struct side sides[2];
static uint64_t chance;

static unsigned pick(unsigned n)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(chance >> 33) % n;
}

static void sink(void *opaque, const struct trace_record *r)
{
    struct side *s = opaque;

    ck_assert_uint_lt(s->n, RECORDS);
    s->record[s->n++] = *r;
}

static void nothing(void *opaque)
{
    (void)opaque;
}

static void nothing_at(void *opaque, uint64_t time_ns)
{
    (void)opaque;
    (void)time_ns;
}

static struct trace_counts *counts_of(void *opaque, uint32_t region)
{
    (void)region;
    return &((struct side *)opaque)->counts;
}

static void side_open(struct side *s, const struct kind *k, bool whole)
{
    memset(s, 0, sizeof(*s));
    s->whole = whole;
    s->trace = (struct trace){ .mask = k->silent ? 0 : TRACE_ALL, .sink = sink, .opaque = s };
    s->counts.followed = k->followed;
    s->spare = (struct trace_spare){
        .news = &s->news, .begin = nothing, .rest = nothing_at, .counts = counts_of
    };
    s->dram = calloc(1, BYTES);
    s->view = calloc(1, BYTES);
    s->ioc = ioc_new(&(struct ioc_config){ .snoops = k->coherent ? UINT_MAX : 0,
                                           .evict = k->evict,
                                           .cpu_cache_bytes = 2 * 2 * IOC_LINE,
                                           .cpu_cache_ways = 2 },
                     &s->trace);
    s->l2 = l2_new(&(struct l2_config){ .bytes = 2 * 2 * BUS_LINE,
                                        /* two sets of two ways */ .ways = 2,
                                        .evict = k->evict,
                                        .cpu_snoops = k->cpu_snoops },
                   s->ioc, &s->trace);
    if (k->counted) {
        trace_spare_set(&s->trace, &s->spare);
    }
    ioc_region_add(s->ioc, 7, PA, BYTES, s->dram, k->cached ? s->view : NULL, false);
}

static void side_close(struct side *s)
{
    l2_free(s->l2);
    ioc_free(s->ioc);
    trace_spare_set(&s->trace, NULL);
    free(s->dram);
    free(s->view);
}

static struct ioc_page *page(const struct side *s)
{
    return ioc_page_find(s->ioc, PA);
}

/* --- the accesses --- */

/* @off, @len: of IOC_LINE lines */
static void port_read(struct side *s, unsigned off, unsigned len, uint8_t *out)
{
    if (s->whole && ioc_port_read_sectors(s->ioc, page(s), off, out, len, BUS_AGENT_CE)) {
        return;
    }
    for (unsigned at = 0; at < len; at += BUS_SECTOR) {
        ioc_port_read(s->ioc, page(s), off + at, out + at, BUS_SECTOR, BUS_AGENT_CE);
    }
}

static void port_write(struct side *s, unsigned off, unsigned len, const uint8_t *data)
{
    unsigned unit = s->whole ? len : IOC_LINE;

    for (unsigned at = 0; at < len; at += unit) {
        ioc_port_write(s->ioc, page(s), off + at, data + at, unit, NULL, BUS_AGENT_CE);
    }
}

static void row_load(struct side *s, unsigned off, unsigned lines, uint8_t *out)
{
    if (s->whole) {
        l2_load_row(s->l2, page(s), off, out, lines, BUS_AGENT_CE);
        return;
    }
    for (unsigned i = 0; i < lines; i++) {
        memcpy(out + i * BUS_LINE, l2_load(s->l2, page(s), off + i * BUS_LINE, 15, BUS_AGENT_CE),
               BUS_LINE);
    }
}

static void row_store(struct side *s, unsigned off, unsigned lines, const uint8_t *data)
{
    static const struct bus_mask all = { { UINT64_MAX, UINT64_MAX } };

    if (s->whole) {
        l2_store_row(s->l2, page(s), off, data, lines, BUS_AGENT_CE);
        return;
    }
    for (unsigned i = 0; i < lines; i++) {
        l2_store(s->l2, page(s), off + i * BUS_LINE, data + i * BUS_LINE, &all, BUS_AGENT_CE);
    }
}

/* One line, on both the same way. */
static void line_access(struct side *s, unsigned off, bool store, const uint8_t *in, uint8_t *out)
{
    const struct bus_mask some = bus_mask_range(7, 90);

    if (store) {
        l2_store(s->l2, page(s), off, in, &some, BUS_AGENT_IGPU);
    } else {
        memcpy(out, l2_load(s->l2, page(s), off, 15, BUS_AGENT_IGPU), BUS_LINE);
    }
}

static void cpu(struct side *s, unsigned what, unsigned off, unsigned len, uint8_t value)
{
    switch (what) {
    case 0:
        ioc_cpu_access(s->ioc, PA + off, PA + off, len, ACCESS_STORE);
        memset(s->view + off, value, len);
        break;
    case 1: /* which has not been reported */
        s->view[off] = value;
        break;
    case 2:
        ioc_cpu_access(s->ioc, PA + off, PA + off, len, ACCESS_LOAD);
        break;
    case 3:
        ioc_cpu_clean(s->ioc, PA + off, len);
        break;
    default:
        ioc_cpu_clean_invalidate(s->ioc, PA + off, len);
    }
}

/* --- equal? --- */

static void sides_compare(void)
{
    const struct side *a = &sides[0], *b = &sides[1];
    const struct l2_totals *ta = l2_totals(a->l2), *tb = l2_totals(b->l2);

    ck_assert(memcmp(a->dram, b->dram, BYTES) == 0);
    ck_assert(memcmp(a->view, b->view, BYTES) == 0);
    ck_assert(memcmp(page(a)->region->count, page(b)->region->count,
                     sizeof(page(a)->region->count)) == 0);
    ck_assert(memcmp(ta, tb, sizeof(*ta)) == 0);
    ck_assert_uint_eq(a->counts.fills, b->counts.fills);
    ck_assert_uint_eq(a->counts.evicts, b->counts.evicts);
    ck_assert_uint_eq(a->counts.snoops, b->counts.snoops);
    ck_assert_uint_eq(a->n, b->n);
    for (unsigned i = 0; i < a->n; i++) {
        ck_assert_int_eq(a->record[i].event, b->record[i].event);
        ck_assert(memcmp(a->record[i].arg, b->record[i].arg, sizeof(a->record[i].arg)) == 0);
    }
    sides[0].n = sides[1].n = 0;
}

static void accesses(unsigned seed)
{
    unsigned what = pick(13), line = pick(LINES), lines = 1 + pick(LINES - line),
             cpu_what = pick(5);
    unsigned wide = line / 2, row = 1 + pick(LINES / 2 - wide);
    uint8_t in[LINES * IOC_LINE], out[2][LINES * IOC_LINE] = { { 0 } };

    for (unsigned i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t)(seed * 7 + i / 3);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &sides[i];

        if (what < 3) {
            port_read(s, line * IOC_LINE, lines * IOC_LINE, out[i]);
        } else if (what == 3) {
            port_write(s, line * IOC_LINE, lines * IOC_LINE, in);
        } else if (what == 4) {
            row_load(s, wide * BUS_LINE, row, out[i]);
        } else if (what == 5) {
            row_store(s, wide * BUS_LINE, row, in);
        } else if (what < 10) {
            line_access(s, wide * BUS_LINE, what == 6, in, out[i]);
        } else {
            cpu(s, cpu_what, line * IOC_LINE, lines * IOC_LINE, (uint8_t)seed);
        }
    }
    ck_assert(memcmp(out[0], out[1], sizeof(in)) == 0);
}

/* TX2, Orin, Thor; caches that count, that count while a line is followed, that send, that nothing
 * observes; both evictions. */
START_TEST(many_lines_are_as_if_one_by_one)
{
    unsigned soc = (unsigned)_i % 3, observer = (unsigned)_i / 3 % 4;
    struct kind kind = { .coherent = soc > 0,
                         .cpu_snoops = soc > 1,
                         .counted = observer < 2,
                         .followed = observer == 1,
                         .silent = observer == 3,
                         .cached = _i / 24 == 0,
                         .evict = _i / 12 % 2 ? EVICT_NEVER : EVICT_LRU };

    chance = (unsigned)_i;
    side_open(&sides[0], &kind, false);
    side_open(&sides[1], &kind, true);
    for (unsigned i = 0; i < STEPS; i++) {
        accesses(i);
        sides_compare();
    }
    side_close(&sides[0]);
    side_close(&sides[1]);
}
END_TEST

static unsigned sent(const struct side *s, enum trace_event event)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->n; i++) {
        /* of snoops, those of reads: record.h */
        n += s->record[i].event == event &&
             (event != TRACE_EVENT_CPU_SNOOP || s->record[i].arg[1] == 0);
    }
    return n;
}

static bool is_counted(const struct trace_record *r)
{
    return r->event == TRACE_EVENT_L2_FILL || r->event == TRACE_EVENT_L2_EVICT ||
           r->event == TRACE_EVENT_L2_WRITEBACK ||
           (r->event == TRACE_EVENT_CPU_SNOOP && r->arg[1] == 0);
}

/* The first machine counts, the second sends: the numbers are those of the records, and all others
 * are sent by both. */
START_TEST(what_is_counted_is_what_would_be_sent)
{
    struct kind kind = { .coherent = true, .counted = true, .cached = true, .evict = EVICT_LRU };
    unsigned fills = 0, evicts = 0, snoops = 0, rest = 0;

    chance = (unsigned)_i;
    side_open(&sides[0], &kind, _i % 2);
    kind.counted = false;
    side_open(&sides[1], &kind, false);
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned k = 0;

        accesses(i);
        fills += sent(&sides[1], TRACE_EVENT_L2_FILL);
        evicts += sent(&sides[1], TRACE_EVENT_L2_EVICT);
        snoops += sent(&sides[1], TRACE_EVENT_CPU_SNOOP);
        for (unsigned n = 0; n < sides[1].n; n++) {
            if (!is_counted(&sides[1].record[n])) {
                ck_assert_uint_lt(k, sides[0].n);
                ck_assert_int_eq(sides[1].record[n].event, sides[0].record[k++].event);
                rest++;
            }
        }
        ck_assert_uint_eq(k, sides[0].n);
        ck_assert_uint_eq(sides[0].counts.fills, fills);
        ck_assert_uint_eq(sides[0].counts.evicts, evicts);
        ck_assert_uint_eq(sides[0].counts.snoops, snoops);
        sides[0].n = sides[1].n = 0;
    }
    ck_assert(fills && evicts && snoops && rest);
    side_close(&sides[0]);
    side_close(&sides[1]);
}
END_TEST

/* Only then the tests above look at the short way. A page whose lines are all dirty, I/O coherent:
 * each sector is a snoop, and nothing is sent. */
START_TEST(dirty_lines_are_read_the_short_way)
{
    const struct kind kind = { .coherent = true, .counted = true, .cached = true };
    uint8_t out[4 * IOC_LINE];

    side_open(&sides[0], &kind, true);
    cpu(&sides[0], 0, 0, sizeof(out), 5);
    sides[0].n = 0;
    ck_assert(
        ioc_port_read_sectors(sides[0].ioc, page(&sides[0]), 0, out, sizeof(out), BUS_AGENT_CE));
    ck_assert_uint_eq(sides[0].counts.snoops, sizeof(out) / BUS_SECTOR);
    ck_assert_uint_eq(sides[0].n, 0);
    ck_assert_uint_eq(out[sizeof(out) - 1], 5);
    ck_assert(!ioc_port_is_quiet(sides[0].ioc, page(&sides[0]), 0, IOC_LINE, true, BUS_AGENT_CE));
    /* One of the lines is clean: the rest are snooped, sector by sector. */
    ioc_cpu_clean(sides[0].ioc, PA, IOC_LINE);
    sides[0].n = 0;
    ck_assert(
        ioc_port_read_sectors(sides[0].ioc, page(&sides[0]), 0, out, sizeof(out), BUS_AGENT_CE));
    ck_assert_uint_eq(sides[0].counts.snoops, (2 * sizeof(out) - IOC_LINE) / BUS_SECTOR);
    /* A store that was not reported is due a record: the long way, which sends it. */
    sides[0].view[1] = 9;
    ck_assert(
        !ioc_port_read_sectors(sides[0].ioc, page(&sides[0]), 0, out, sizeof(out), BUS_AGENT_CE));
    side_close(&sides[0]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rows");
    TCase *t = tcase_create("rows");
    SRunner *sr;
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, many_lines_are_as_if_one_by_one, 0, 48);
    tcase_add_loop_test(t, what_is_counted_is_what_would_be_sent, 0, 4);
    tcase_add_test(t, dirty_lines_are_read_the_short_way);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

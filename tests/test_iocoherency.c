/* SPDX-License-Identifier: MIT */
/* The coherency table, row by row. Expected bytes are written by hand from CUDA for Tegra 2.1 and
 * Table 1 and the Arm ARM's DC operations; a test names its rule. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"

#define PA UINT64_C(0x80000000)
#define PAGES 2u
#define BYTES (PAGES * IOC_PAGE)

static struct trace trace;
static struct ioc *ioc;
static struct l2 *l2;
static uint8_t *dram, *view;
static unsigned seen[TRACE_EVENT_COUNT];
static struct trace_record last;

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    seen[r->event]++;
    last = *r;
}

/* Knuth's constants for 64 bits; never 0, which would be no eviction. */
static uint64_t draw(void *state)
{
    uint64_t *s = state;

    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *s | 1;
}

static uint64_t port_bytes; /* through the port */

static void build(bool coherent, bool snoops, enum evict evict, bool cached)
{
    static uint64_t state;

    trace = (struct trace){ .mask = TRACE_ALL, .sink = sink };
    memset(seen, 0, sizeof(seen));
    port_bytes = 0;
    dram = calloc(1, BYTES);
    view = calloc(1, BYTES);
    ioc = ioc_new(
        &(struct ioc_config){
            .snoops = coherent ? UINT_MAX : 0,
            .evict = evict,
            .cpu_cache_bytes = 2 * 2 * IOC_LINE, /* two sets of two ways */
            .cpu_cache_ways = 2,
            .port_bytes = &port_bytes,
        },
        &trace);
    l2 = l2_new(&(struct l2_config){ .bytes = 2 * 2 * BUS_LINE,
                                     .ways = 2,
                                     .evict = evict,
                                     .draw = draw,
                                     .draw_opaque = &state,
                                     .cpu_snoops = snoops },
                ioc, &trace);
    ioc_region_add(ioc, 7, PA, BYTES, dram, cached ? view : NULL, false);
}

static void coherent_setup(void)
{
    build(true, false, EVICT_NEVER, true);
}

static void noncoherent_setup(void)
{
    build(false, false, EVICT_NEVER, true);
}

static void uncached_setup(void)
{
    build(false, false, EVICT_NEVER, false);
}

static void lru_setup(void)
{
    build(false, false, EVICT_LRU, true);
}

static void seeded_setup(void)
{
    build(false, false, EVICT_SEEDED, true);
}

static void thor_setup(void)
{
    build(true, true, EVICT_NEVER, true);
}

static void teardown(void)
{
    l2_free(l2);
    ioc_free(ioc);
    free(dram);
    free(view);
}

/* The CPU with exact tracking: told first, then done on the view. */
static uint8_t cpu_load(unsigned off)
{
    ioc_cpu_access(ioc, PA + off, PA + off, 1, ACCESS_LOAD);
    return view[off];
}

static void cpu_store(unsigned off, uint8_t value)
{
    ioc_cpu_access(ioc, PA + off, PA + off, 1, ACCESS_STORE);
    view[off] = value;
}

static struct ioc_page *page(unsigned off)
{
    return ioc_page_find(ioc, PA + off);
}

static uint8_t port_load(unsigned off)
{
    uint8_t value;

    ioc_port_read(ioc, page(off), off % IOC_PAGE, &value, 1, BUS_AGENT_CE);
    return value;
}

static void port_store(unsigned off, uint8_t value)
{
    ioc_port_write(ioc, page(off), off % IOC_PAGE, &value, 1, NULL, BUS_AGENT_CE);
}

static uint8_t gpu_load(unsigned off)
{
    unsigned line = off % IOC_PAGE & ~(BUS_LINE - 1);

    return l2_load(l2, page(off), line, 1u << off % BUS_LINE / BUS_SECTOR,
                   BUS_AGENT_IGPU)[off % BUS_LINE];
}

static void gpu_store(unsigned off, uint8_t value)
{
    unsigned line = off % IOC_PAGE & ~(BUS_LINE - 1);
    struct bus_mask mask = bus_mask_range(off % BUS_LINE, 1);
    uint8_t data[BUS_LINE];

    memset(data, 0xee, sizeof(data)); /* must not get anywhere */
    data[off % BUS_LINE] = value;
    l2_store(l2, page(off), line, data, &mask, BUS_AGENT_IGPU);
}

/* --- CPU load and store, cached --------------------------------------------------------------- */

START_TEST(cpu_load_miss_fills_the_view_from_dram)
{
    memset(dram, 0x11, IOC_LINE); /* by an engine, before anybody looked */
    memset(view, 0x11, IOC_LINE);
    ck_assert_uint_eq(cpu_load(5), 0x11);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 1);
    cpu_load(6);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 1); /* the same line: a hit */
    cpu_load(IOC_LINE);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 2);
}
END_TEST

START_TEST(cpu_store_stays_in_the_cache_until_cleaned)
{
    cpu_store(3, 0xaa);
    ck_assert_uint_eq(dram[3], 0);
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, IOC_LINE), 1);
    ck_assert_uint_eq(dram[3], 0xaa);
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, IOC_LINE), 0); /* clean now */
    ck_assert_uint_eq(cpu_load(3), 0xaa);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 1); /* it stayed valid */
}
END_TEST

START_TEST(clean_touches_only_lines_of_the_range)
{
    cpu_store(0, 1);
    cpu_store(IOC_LINE, 2);
    cpu_store(3 * IOC_LINE, 3);
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA + IOC_LINE + 10, 1), 1);
    ck_assert_uint_eq(dram[0], 0);
    ck_assert_uint_eq(dram[IOC_LINE], 2);
    ck_assert_uint_eq(dram[3 * IOC_LINE], 0);
}
END_TEST

START_TEST(maintenance_crosses_pages)
{
    cpu_store(IOC_PAGE - 1, 1);
    cpu_store(IOC_PAGE, 2);
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA + IOC_PAGE - 1, 2), 2);
    ck_assert_uint_eq(dram[IOC_PAGE - 1], 1);
    ck_assert_uint_eq(dram[IOC_PAGE], 2);
}
END_TEST

START_TEST(invalidate_of_a_dirty_line_loses_its_bytes_and_says_so)
{
    cpu_store(3, 0xaa);
    ck_assert_int_eq(ioc_cpu_invalidate(ioc, PA, IOC_LINE), 1);
    ck_assert_uint_eq(last.event, TRACE_EVENT_CPU_INVALIDATE);
    ck_assert_uint_eq(last.arg[3], 1); /* lost */
    ck_assert_uint_eq(cpu_load(3), 0);
    ck_assert_uint_eq(dram[3], 0);
}
END_TEST

START_TEST(clean_invalidate_writes_back_and_drops)
{
    cpu_store(3, 0xaa);
    ck_assert_int_eq(ioc_cpu_clean_invalidate(ioc, PA, IOC_LINE), 1);
    ck_assert_uint_eq(dram[3], 0xaa);
    cpu_load(3);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 2);
}
END_TEST

START_TEST(write_back_is_a_whole_line_so_false_sharing_loses_the_engines_bytes)
{
    cpu_store(0, 0xaa);
    port_store(32, 0xbb); /* another byte of the same line, not coherent */
    ck_assert_uint_eq(dram[32], 0xbb);
    ioc_cpu_clean(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(dram[0], 0xaa);
    ck_assert_uint_eq(dram[32], 0); /* overwritten by the CPU's old byte */
}
END_TEST

START_TEST(store_of_the_same_value_makes_the_line_dirty_all_the_same)
{
    cpu_store(0, 0); /* what is there already: only the tracking can know */
    port_store(32, 0xbb);
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, IOC_LINE), 1);
    ck_assert_uint_eq(dram[32], 0);
}
END_TEST

START_TEST(eviction_writes_a_dirty_line_back)
{
    /* Two sets of two ways: lines 0, 2, 4 share a set. */
    cpu_store(0, 0xaa);
    cpu_load(2 * IOC_LINE);
    ck_assert_uint_eq(dram[0], 0);
    cpu_load(4 * IOC_LINE);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_EVICT], 1);
    ck_assert_uint_eq(dram[0], 0xaa);
}
END_TEST

START_TEST(eviction_takes_the_least_recently_used_line)
{
    cpu_store(0, 0xaa);
    cpu_store(2 * IOC_LINE, 0xbb);
    cpu_load(0);
    cpu_load(4 * IOC_LINE);
    ck_assert_uint_eq(dram[0], 0);
    ck_assert_uint_eq(dram[2 * IOC_LINE], 0xbb);
}
END_TEST

START_TEST(eviction_of_a_stale_clean_line_lets_the_next_load_see_dram)
{
    cpu_load(0);
    port_store(0, 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0);
    cpu_load(2 * IOC_LINE);
    cpu_load(4 * IOC_LINE);
    ck_assert_uint_eq(cpu_load(0), 0xbb);
}
END_TEST

/* --- uncached --------------------------------------------------------------------------------- */

START_TEST(uncached_access_is_on_dram_itself)
{
    ck_assert_int_eq(ioc_cpu_access(ioc, PA, PA, 4, ACCESS_STORE), -1);
    dram[0] = 0xaa; /* the access: the mapping is the DRAM image */
    ck_assert_uint_eq(port_load(0), 0xaa);
    ck_assert_uint_eq(ioc_totals(ioc)->cpu_uncached, 1);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 0);
}
END_TEST

START_TEST(atomic_on_uncached_memory_is_reported)
{
    ioc_cpu_access(ioc, PA, PA, 4, ACCESS_ATOMIC);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_UNCACHED_ATOMIC], 1); /* CUDA for Tegra 3.2 */
}
END_TEST

/* --- I/O port --------------------------------------------------------------------------------- */

START_TEST(coherent_port_read_sees_a_dirty_cpu_line)
{
    cpu_store(3, 0xaa);
    ck_assert_uint_eq(port_load(3), 0xaa);
    ck_assert_uint_eq(dram[3], 0); /* a snoop, not a clean */
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], 1);
}
END_TEST

START_TEST(noncoherent_port_read_sees_dram_only)
{
    cpu_store(3, 0xaa);
    ck_assert_uint_eq(port_load(3), 0);
    ioc_cpu_clean(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(port_load(3), 0xaa);
}
END_TEST

START_TEST(coherent_port_write_merges_with_a_dirty_line_and_drops_it)
{
    cpu_store(0, 0xaa);
    port_store(32, 0xbb);
    ck_assert_uint_eq(dram[0], 0xaa); /* written back first */
    ck_assert_uint_eq(dram[32], 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0xaa);
    ck_assert_uint_eq(cpu_load(32), 0xbb);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 2); /* it had been dropped */
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, IOC_LINE), 0);
}
END_TEST

START_TEST(coherent_port_write_drops_a_clean_line)
{
    cpu_load(0);
    port_store(0, 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0xbb);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FILL], 2);
}
END_TEST

START_TEST(noncoherent_port_write_leaves_a_valid_line_stale)
{
    cpu_load(0);
    port_store(0, 0xbb);
    ck_assert_uint_eq(dram[0], 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_STALE], 1);
    ioc_cpu_invalidate(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(cpu_load(0), 0xbb);
}
END_TEST

START_TEST(clean_does_not_repair_a_stale_line)
{
    cpu_load(0);
    port_store(0, 0xbb);
    ioc_cpu_clean(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(cpu_load(0), 0);
    ck_assert_uint_eq(dram[0], 0xbb);
}
END_TEST

START_TEST(port_write_to_a_line_the_cpu_does_not_hold_is_seen)
{
    port_store(0, 0xbb);
    ck_assert_uint_eq(view[0], 0xbb); /* even by a load that nobody reports */
    ck_assert_uint_eq(cpu_load(0), 0xbb);
}
END_TEST

/* A range of several lines: each line by its own state. Lines 0 and 2 are dirty, 1 and 3 are not
 * held; 0xaa is what the CPU stored, 0x11 what DRAM holds. */
static void four_lines(void)
{
    memset(dram, 0x11, BYTES);
    memset(view, 0x11, BYTES);
    for (unsigned i = 0; i < IOC_LINE; i++) {
        cpu_store(i, 0xaa);
        cpu_store(2 * IOC_LINE + i, 0xaa);
    }
}

START_TEST(port_read_takes_each_line_from_where_it_is)
{
    bool coherent = _i == 1;
    uint8_t got[200];

    build(coherent, false, EVICT_NEVER, true);
    four_lines();
    ioc_port_read(ioc, page(0), 10, got, sizeof(got), BUS_AGENT_CE);
    for (unsigned i = 0; i < sizeof(got); i++) {
        ck_assert_uint_eq(got[i], coherent && (10 + i) / 64 % 2 == 0 ? 0xaa : 0x11);
    }
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], coherent ? 2 : 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], coherent ? 0 : 2);
    ck_assert_uint_eq(port_bytes, 200);
    teardown();
}
END_TEST

/* As long as a line, but not one: its last byte is the next line's first. */
START_TEST(port_read_of_a_lines_length_sees_both_its_lines)
{
    bool coherent = _i == 1;
    uint8_t got[IOC_LINE];

    build(coherent, false, EVICT_NEVER, true);
    cpu_store(IOC_LINE, 0xaa);
    ioc_port_read(ioc, page(0), 1, got, sizeof(got), BUS_AGENT_CE);
    ck_assert_uint_eq(got[IOC_LINE - 1], coherent ? 0xaa : 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], coherent ? 1 : 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], coherent ? 0 : 1);
    teardown();
}
END_TEST

START_TEST(port_write_of_a_page_meets_the_line_the_cpu_holds)
{
    bool coherent = _i == 1;
    static const uint8_t data[IOC_PAGE] = { 0x77 };

    build(coherent, false, EVICT_NEVER, true);
    cpu_load(5 * IOC_LINE);
    ioc_port_write(ioc, page(0), 0, data, sizeof(data), NULL, BUS_AGENT_CE);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], coherent ? 1 : 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_WRITE_UNSEEN], coherent ? 0 : 1);
    ck_assert_uint_eq(last.arg[0], PA + 5 * IOC_LINE);
    ck_assert_uint_eq(dram[0], 0x77);
    teardown();
}
END_TEST

START_TEST(port_write_across_lines_changes_its_bytes_and_no_other)
{
    bool coherent = _i & 1, masked = _i & 2;
    struct bus_mask mask = bus_mask_range(0, 100);
    uint8_t data[100];

    build(coherent, false, EVICT_NEVER, true);
    four_lines();
    cpu_load(IOC_LINE); /* line 1 is held, clean */
    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i + 100);
    }
    ioc_port_write(ioc, page(0), 40, data, sizeof(data), masked ? &mask : NULL, BUS_AGENT_CE);
    for (unsigned i = 0; i < 256; i++) {
        bool written = i >= 40 && i < 140, dirty = i < 64 || (i >= 128 && i < 192);
        /* Coherent: dirty lines 0 and 2 are written back first. */
        uint8_t want = written ? (uint8_t)(i + 60) : dirty && coherent ? 0xaa : 0x11;

        ck_assert_uint_eq(dram[i], want);
        ck_assert_uint_eq(cpu_load(i), coherent ? want : dirty ? 0xaa : 0x11);
    }
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], coherent ? 3 : 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_WRITE_UNSEEN], coherent ? 0 : 3);
    ck_assert_uint_eq(port_bytes, 100);
    teardown();
}
END_TEST

/* Lines of 128: the CPU holds half of the fourth one, or has stored there without a report. */
START_TEST(port_write_of_plain_lines_ends_before_one_that_the_cpu_has)
{
    bool stored = _i & 1;
    uint8_t data[8 * BUS_LINE];

    build(_i & 2, false, EVICT_NEVER, true);
    memset(data, 0x77, sizeof(data));
    if (stored) {
        view[7 * IOC_LINE + 3] = 1;
    } else {
        cpu_load(7 * IOC_LINE);
    }
    memset(seen, 0, sizeof(seen));
    ck_assert_uint_eq(
        ioc_port_write_plain(ioc, page(0), BUS_LINE, data, sizeof(data), BUS_AGENT_VI),
        2 * BUS_LINE);
    for (unsigned i = 0; i < 9 * BUS_LINE; i++) {
        uint8_t want = i >= BUS_LINE && i < 3 * BUS_LINE ? 0x77 : 0;

        ck_assert_uint_eq(dram[i], want);
        ck_assert_uint_eq(view[i], stored && i == 7 * IOC_LINE + 3 ? 1 : want);
    }
    for (unsigned i = 0; i < TRACE_EVENT_COUNT; i++) {
        ck_assert_uint_eq(seen[i], 0);
    }
    ck_assert_uint_eq(port_bytes, 2 * BUS_LINE);
    teardown();
}
END_TEST

/* Bytes 0, 63, 64 and 100 of 101, from byte 20 of the page on: lines 0 and 1. */
START_TEST(port_write_with_a_mask_changes_the_bytes_it_names)
{
    struct bus_mask mask = { { UINT64_C(1) << 63 | 1, UINT64_C(1) << 36 | 1 } };
    uint8_t data[101];

    cpu_load(0);
    cpu_load(IOC_LINE);
    cpu_load(2 * IOC_LINE);
    memset(data, 0x77, sizeof(data));
    ioc_port_write(ioc, page(0), 20, data, sizeof(data), &mask, BUS_AGENT_CE);
    for (unsigned i = 0; i < 256; i++) {
        uint8_t want = i == 20 || i == 83 || i == 84 || i == 120 ? 0x77 : 0;

        ck_assert_uint_eq(dram[i], want);
        ck_assert_uint_eq(cpu_load(i), want);
    }
    ck_assert_uint_eq(port_bytes, 4);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], 2);
}
END_TEST

START_TEST(port_write_leaves_lines_alone_that_its_mask_does_not_name)
{
    struct bus_mask mask = _i == 0 ? bus_mask_range(0, 64) : bus_mask_range(64, 64);
    uint8_t data[BUS_LINE];

    build(true, false, EVICT_NEVER, true);
    cpu_load(0);
    cpu_load(IOC_LINE);
    memset(data, 0x77, sizeof(data));
    ioc_port_write(ioc, page(0), 0, data, sizeof(data), &mask, BUS_AGENT_CE);
    ck_assert_uint_eq(page(0)->valid, _i == 0 ? 2 : 1);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], 1);
    ck_assert_uint_eq(dram[0], _i == 0 ? 0x77 : 0);
    ck_assert_uint_eq(dram[64], _i == 1 ? 0x77 : 0);
    teardown();
}
END_TEST

START_TEST(port_write_to_uncached_memory_is_a_write_to_dram)
{
    struct bus_mask mask = bus_mask_range(3, 2);
    uint8_t data[200], got[200];

    memset(data, 0x77, sizeof(data));
    ioc_port_write(ioc, page(0), 30, data, sizeof(data), NULL, BUS_AGENT_CE);
    for (unsigned i = 0; i < 256; i++) {
        ck_assert_uint_eq(dram[i], i >= 30 && i < 230 ? 0x77 : 0);
    }
    ioc_port_write(ioc, page(IOC_PAGE), 30, data, 10, &mask, BUS_AGENT_CE);
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_uint_eq(dram[IOC_PAGE + i], i == 33 || i == 34 ? 0x77 : 0);
    }
    ioc_port_read(ioc, page(0), 30, got, sizeof(got), BUS_AGENT_CE);
    ck_assert_mem_eq(got, data, sizeof(got));
    ck_assert_uint_eq(port_bytes, 402);
}
END_TEST

/* Stored without a record, and an engine writes beside it: the store is found first, so the line is
 * written back and merges (coherent), or is stale (not coherent) and keeps the CPU's byte. */
START_TEST(port_write_finds_an_unreported_store)
{
    bool coherent = _i == 1;

    build(coherent, false, EVICT_NEVER, true);
    view[100] = 0xaa;
    port_store(101, 0xbb);
    ck_assert_uint_eq(dram[101], 0xbb);
    ck_assert_uint_eq(dram[100], coherent ? 0xaa : 0);
    ck_assert_uint_eq(cpu_load(100), 0xaa);
    ck_assert_uint_eq(cpu_load(101), coherent ? 0xbb : 0);
    teardown();
}
END_TEST

/* The engine reads DRAM while the CPU's line is dirty: only where the bytes differ does that show.
 */
START_TEST(noncoherent_port_read_of_a_dirty_line_is_reported)
{
    cpu_store(3, 0); /* dirty, the same byte */
    port_load(3);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], 0);
    cpu_store(IOC_LINE + 3, 0xaa);
    port_load(IOC_LINE + 60); /* another byte of the line */
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], 1);
    ck_assert_uint_eq(last.arg[0], PA + IOC_LINE);
    cpu_load(2 * IOC_LINE);
    dram[2 * IOC_LINE] = 1; /* a clean line that differs is no store of the CPU's */
    port_load(2 * IOC_LINE);
    trace.mask = TRACE_ALL & ~(unsigned)TRACE_CACHE;
    port_load(IOC_LINE);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], 1);
}
END_TEST

START_TEST(a_dla_that_is_not_coherent_reads_dram)
{
    uint8_t value = 1;

    ioc_free(ioc);
    ioc = ioc_new(&(struct ioc_config){ .snoops = ~(1u << BUS_AGENT_DLA) }, &trace);
    ioc_region_add(ioc, 7, PA, BYTES, dram, view, false);
    cpu_store(3, 0xaa);
    ioc_port_read(ioc, page(0), 3, &value, 1, BUS_AGENT_DLA);
    ck_assert_uint_eq(value, 0);
    ck_assert_uint_eq(port_load(3), 0xaa); /* the copy engine does */
}
END_TEST

/* --- stores that nobody reported -------------------------------------------------------------- */

START_TEST(unreported_store_is_found_by_comparison)
{
    view[100] = 0xaa;
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, BYTES), 1);
    ck_assert_uint_eq(dram[100], 0xaa);
}
END_TEST

START_TEST(stale_is_not_taken_for_dirty)
{
    cpu_load(0);
    port_store(0, 0xbb); /* view 0, DRAM bb: different, but the CPU stored nothing */
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, BYTES), 0);
    ck_assert_uint_eq(dram[0], 0xbb);
    view[1] = 0xaa; /* now it does */
    ck_assert_int_eq(ioc_cpu_clean(ioc, PA, BYTES), 1);
    ck_assert_uint_eq(dram[1], 0xaa);
    ck_assert_uint_eq(dram[0], 0); /* the whole old line */
}
END_TEST

START_TEST(coherent_port_read_sees_an_unreported_store)
{
    view[100] = 0xaa;
    ck_assert_uint_eq(port_load(100), 0xaa);
}
END_TEST

/* --- the iGPU's L2 ---------------------------------------------------------------------------- */

START_TEST(l2_hit_returns_its_bytes_however_old)
{
    ck_assert_uint_eq(gpu_load(0), 0);
    cpu_store(0, 0xaa);
    ioc_cpu_clean(ioc, PA, IOC_LINE); /* DRAM has it, the L2 does not know */
    ck_assert_uint_eq(gpu_load(0), 0);
    l2_invalidate(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(gpu_load(0), 0xaa);
}
END_TEST

START_TEST(l2_fills_a_sector_of_32_bytes)
{
    gpu_load(0);
    cpu_store(40, 0xaa);
    ioc_cpu_clean(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(gpu_load(40), 0xaa); /* the next sector was not fetched before */
    cpu_store(31, 0xaa);
    ioc_cpu_clean(ioc, PA, IOC_LINE);
    ck_assert_uint_eq(gpu_load(31), 0);
    ck_assert_uint_eq(l2_totals(l2)->misses, 2);
    ck_assert_uint_eq(l2_totals(l2)->hits, 1);
}
END_TEST

START_TEST(cpu_load_never_looks_into_the_l2)
{
    gpu_store(0, 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0); /* one-way coherency */
    ck_assert_uint_eq(dram[0], 0);
    ck_assert_uint_eq(gpu_load(0), 0xbb);
}
END_TEST

START_TEST(l2_clean_writes_only_dirty_bytes_and_keeps_the_line)
{
    gpu_store(1, 0xbb);
    cpu_store(0, 0xaa);
    cpu_store(2, 0xcc);
    l2_clean(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(dram[0], 0xaa);
    ck_assert_uint_eq(dram[1], 0xbb);
    ck_assert_uint_eq(dram[2], 0xcc);
    ck_assert_uint_eq(cpu_load(1), 0xbb);
    dram[1] = view[1] = 0x77;
    ck_assert_uint_eq(gpu_load(1), 0xbb); /* still there */
}
END_TEST

START_TEST(l2_invalidate_loses_dirty_bytes_and_says_so)
{
    gpu_store(1, 0xbb);
    l2_invalidate(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(seen[TRACE_EVENT_LOST_BYTES], 1);
    ck_assert_uint_eq(gpu_load(1), 0);
    ck_assert_uint_eq(dram[1], 0);
}
END_TEST

START_TEST(l2_load_after_a_partial_store_keeps_the_stored_bytes)
{
    memset(dram, 0x11, BYTES);
    memset(view, 0x11, BYTES);
    gpu_store(1, 0xbb);
    ck_assert_uint_eq(gpu_load(0), 0x11);
    ck_assert_uint_eq(gpu_load(1), 0xbb);
    ck_assert_uint_eq(gpu_load(2), 0x11);
}
END_TEST

START_TEST(l2_eviction_writes_back)
{
    /* Two sets of two ways; a line's set is the low bit of its number xor the next one's. */
    for (unsigned line = 0; line < 6; line++) {
        gpu_store(line * BUS_LINE, 0xbb);
    }
    ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], 2);
    ck_assert_uint_eq(dram[0], 0xbb);
    ck_assert_uint_eq(l2_totals(l2)->written_back_bytes, 2);
}
END_TEST

/* SEEDED: whichever set the draw begins with, a line that is there is found, and found again when
 * it has come back. */
START_TEST(l2_eviction_by_seed_finds_the_only_line)
{
    for (unsigned i = 0; i < 12; i++) {
        gpu_store(i % 4 * BUS_LINE, (uint8_t)(i + 1));
        l2_evict_some(l2);
        ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], i + 1);
        ck_assert_uint_eq(dram[i % 4 * BUS_LINE], i + 1);
        l2_evict_some(l2); /* there is none */
        ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], i + 1);
    }
}
END_TEST

/* A place of the set without a line does not hide the other one. */
START_TEST(l2_eviction_by_seed_takes_every_line)
{
    unsigned dirty, calls = 0;

    for (unsigned round = 1; round <= 8; round++) {
        gpu_store(0, 0xaa); /* numbers 0 and 3: the same set */
        gpu_store(3 * BUS_LINE, 0xbb);
        while (l2_line_state(l2, PA, &dirty) || l2_line_state(l2, PA + 3 * BUS_LINE, &dirty)) {
            l2_evict_some(l2);
            ck_assert_uint_lt(++calls, 1000);
        }
        ck_assert_uint_eq(seen[TRACE_EVENT_L2_EVICT], 2 * round);
    }
}
END_TEST

START_TEST(l2_fill_snoops_a_dirty_cpu_line_where_io_coherent)
{
    cpu_store(3, 0xaa);
    ck_assert_uint_eq(gpu_load(3), 0xaa);
}
END_TEST

/* A fill asks the CPU's caches once for each of its four transactions of 32 bytes; two of them fall
 * into the dirty line of 64. */
START_TEST(l2_fill_of_a_whole_line_takes_each_half_where_it_is)
{
    const uint8_t *line;

    memset(dram, 0x11, BYTES);
    memset(view, 0x11, BYTES);
    cpu_store(64, 0xaa);
    line = l2_load(l2, page(0), 0, 15, BUS_AGENT_IGPU);
    ck_assert_uint_eq(line[63], 0x11);
    ck_assert_uint_eq(line[64], 0xaa);
    ck_assert_uint_eq(line[127], 0x11);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_SNOOP], 2);
}
END_TEST

/* Nobody reported the store: a fill of a whole line finds it as one of a sector does. */
START_TEST(l2_fill_of_a_whole_line_sees_an_unreported_store)
{
    view[70] = 0xaa;
    ck_assert_uint_eq(l2_load(l2, page(0), 0, 15, BUS_AGENT_IGPU)[70], 0xaa);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_FOUND], 1);
}
END_TEST

START_TEST(l2_fill_of_a_whole_line_is_told_that_it_is_stale)
{
    cpu_store(64, 0xaa); /* not coherent: DRAM answers */
    ck_assert_uint_eq(l2_load(l2, page(0), 0, 15, BUS_AGENT_IGPU)[64], 0);
    ck_assert_uint_eq(seen[TRACE_EVENT_PORT_READ_STALE], 2);
}
END_TEST

START_TEST(l2_fill_misses_a_dirty_cpu_line_where_not_coherent)
{
    cpu_store(3, 0xaa);
    ck_assert_uint_eq(gpu_load(3), 0);
}
END_TEST

START_TEST(l2_forgets_memory_that_goes_away)
{
    unsigned dirty;

    gpu_store(1, 0xbb);
    l2_forget(l2, PA, BYTES);
    ck_assert(!l2_line_state(l2, PA, &dirty));
    l2_clean(l2, BUS_AGENT_HOST);
    ck_assert_uint_eq(dram[1], 0);
}
END_TEST

START_TEST(thor_cpu_load_sees_the_l2)
{
    gpu_store(0, 0xbb);
    ck_assert_uint_eq(cpu_load(0), 0xbb);
    cpu_store(0, 0xaa);
    ck_assert_uint_eq(gpu_load(0), 0xaa);
}
END_TEST

/* --- counts ----------------------------------------------------------------------------------- */

START_TEST(counts_are_told_once_per_region_and_agent)
{
    gpu_load(0);
    gpu_load(1);
    ioc_counts_flush(ioc);
    ck_assert_uint_eq(seen[TRACE_EVENT_SUM_PORT], 1); /* one fill of 32 bytes by the iGPU */
    ck_assert_uint_eq(last.region, 7);
    ck_assert_uint_eq(last.agent, BUS_AGENT_IGPU);
    ck_assert_uint_eq(last.arg[0], 32);
    ioc_counts_flush(ioc);
    ck_assert_uint_eq(seen[TRACE_EVENT_SUM_PORT], 1);
    gpu_load(BUS_LINE);
    ioc_counts_flush(ioc);
    ck_assert_uint_eq(last.arg[0], 32); /* only what is new */
}
END_TEST

/* Told without a record of each access: the quick way. Lines 0, 2, 4 share a set of two ways: 0 and
 * 2 come in, 0 is touched again, so 4 takes the place of 2. */
START_TEST(hit_told_afterwards_makes_the_line_young)
{
    struct ioc_page *p = ioc_page_find(ioc, PA);

    trace.mask = TRACE_ALL & ~(unsigned)TRACE_ACCESS;
    ck_assert(!ioc_cpu_hit(ioc, PA, 4, ACCESS_LOAD));
    ioc_cpu_accessed(ioc, PA, PA, 4, ACCESS_LOAD, true);
    ioc_cpu_accessed(ioc, PA + 2 * IOC_LINE, PA, 4, ACCESS_LOAD, true);
    ck_assert(ioc_cpu_hit(ioc, PA + 60, 4, ACCESS_LOAD));
    ioc_cpu_accessed(ioc, PA + 4 * IOC_LINE, PA, 4, ACCESS_LOAD, true);
    ck_assert_uint_eq(p->valid, 1 << 0 | 1 << 4);
    ck_assert_uint_eq(ioc_totals(ioc)->cpu_hits, 1);
}
END_TEST

START_TEST(hit_told_afterwards_is_a_store_too)
{
    struct ioc_page *p = ioc_page_find(ioc, PA);

    trace.mask = TRACE_ALL & ~(unsigned)TRACE_ACCESS;
    ioc_cpu_accessed(ioc, PA, PA, 4, ACCESS_LOAD, true);
    ck_assert_uint_eq(p->dirty, 0);
    ck_assert(ioc_cpu_hit(ioc, PA, 8, ACCESS_STORE));
    ck_assert_uint_eq(p->dirty, 1);
    ioc_counts_flush(ioc);
    ck_assert_uint_eq(seen[TRACE_EVENT_SUM_READ], 1);
    ck_assert_uint_eq(seen[TRACE_EVENT_SUM_WRITE], 1);
    ck_assert_uint_eq(last.arg[0], 8);
    ck_assert_uint_eq(last.arg[1], 1);
    ck_assert_uint_eq(last.arg[2], 1);
}
END_TEST

/* What is more than a hit that changes nothing else goes the long way. */
START_TEST(only_plain_hits_of_one_line_are_quick)
{
    ioc_cpu_accessed(ioc, PA, PA, 8, ACCESS_LOAD, true);
    ck_assert(!ioc_cpu_hit(ioc, PA, 4, ACCESS_LOAD)); /* somebody wants a record of it */
    trace.mask = TRACE_ALL & ~(unsigned)TRACE_ACCESS;
    ck_assert(ioc_cpu_hit(ioc, PA, 4, ACCESS_LOAD));
    ck_assert(!ioc_cpu_hit(ioc, PA, 4, ACCESS_ATOMIC));
    ck_assert(!ioc_cpu_hit(ioc, PA + 60, 8, ACCESS_LOAD));
    ck_assert(!ioc_cpu_hit(ioc, PA + IOC_LINE, 4, ACCESS_LOAD));
    ck_assert(!ioc_cpu_hit(ioc, PA + BYTES, 4, ACCESS_LOAD));
    port_store(8, 1); /* an engine writes under the line: each load of it is stale */
    ck_assert(!ioc_cpu_hit(ioc, PA, 4, ACCESS_LOAD));
    ioc_cpu_accessed(ioc, PA, PA, 8, ACCESS_LOAD, true);
    ck_assert_uint_eq(seen[TRACE_EVENT_CPU_STALE], 1);
}
END_TEST

START_TEST(bits_are_counted)
{
    for (unsigned sectors = 0; sectors < 16; sectors++) {
        ck_assert_uint_eq(bus_sectors_count(sectors), (unsigned)__builtin_popcount(sectors));
    }
    for (unsigned first = 0; first < BUS_LINE; first++) {
        for (unsigned len = 0; first + len <= BUS_LINE; len++) {
            struct bus_mask mask = bus_mask_range(first, len);

            ck_assert_uint_eq(bus_mask_count(&mask), len);
        }
    }
}
END_TEST

/* Each builds what it needs. */
static void loops(Suite *s)
{
    TCase *tc = tcase_create("port");

    tcase_add_loop_test(tc, port_read_takes_each_line_from_where_it_is, 0, 2);
    tcase_add_loop_test(tc, port_read_of_a_lines_length_sees_both_its_lines, 0, 2);
    tcase_add_loop_test(tc, port_write_of_a_page_meets_the_line_the_cpu_holds, 0, 2);
    tcase_add_loop_test(tc, port_write_across_lines_changes_its_bytes_and_no_other, 0, 4);
    tcase_add_loop_test(tc, port_write_of_plain_lines_ends_before_one_that_the_cpu_has, 0, 4);
    tcase_add_loop_test(tc, port_write_leaves_lines_alone_that_its_mask_does_not_name, 0, 2);
    tcase_add_loop_test(tc, port_write_finds_an_unreported_store, 0, 2);
    suite_add_tcase(s, tc);
}

static void group(Suite *s, const char *name, void (*setup)(void), const TTest *const *tests,
                  size_t n)
{
    TCase *tc = tcase_create(name);

    tcase_add_checked_fixture(tc, setup, teardown);
    for (size_t i = 0; i < n; i++) {
        tcase_add_test(tc, tests[i]);
    }
    suite_add_tcase(s, tc);
}

#define GROUP(s, name, setup, ...)                               \
    group(s, name, setup, (const TTest *const[]){ __VA_ARGS__ }, \
          sizeof((const TTest *const[]){ __VA_ARGS__ }) / sizeof(TTest *))

int main(void)
{
    Suite *s = suite_create("iocoherency");
    SRunner *runner = srunner_create(s);
    int failed;

    GROUP(s, "not coherent", noncoherent_setup, cpu_load_miss_fills_the_view_from_dram,
          cpu_store_stays_in_the_cache_until_cleaned, clean_touches_only_lines_of_the_range,
          maintenance_crosses_pages, invalidate_of_a_dirty_line_loses_its_bytes_and_says_so,
          clean_invalidate_writes_back_and_drops,
          write_back_is_a_whole_line_so_false_sharing_loses_the_engines_bytes,
          store_of_the_same_value_makes_the_line_dirty_all_the_same,
          noncoherent_port_read_sees_dram_only, noncoherent_port_write_leaves_a_valid_line_stale,
          noncoherent_port_read_of_a_dirty_line_is_reported, clean_does_not_repair_a_stale_line,
          port_write_to_a_line_the_cpu_does_not_hold_is_seen,
          unreported_store_is_found_by_comparison, stale_is_not_taken_for_dirty,
          l2_hit_returns_its_bytes_however_old, l2_fills_a_sector_of_32_bytes,
          cpu_load_never_looks_into_the_l2, l2_invalidate_loses_dirty_bytes_and_says_so,
          l2_load_after_a_partial_store_keeps_the_stored_bytes,
          l2_fill_of_a_whole_line_is_told_that_it_is_stale,
          l2_fill_misses_a_dirty_cpu_line_where_not_coherent, l2_forgets_memory_that_goes_away,
          counts_are_told_once_per_region_and_agent);
    GROUP(s, "I/O coherent", coherent_setup, coherent_port_read_sees_a_dirty_cpu_line,
          coherent_port_write_merges_with_a_dirty_line_and_drops_it,
          coherent_port_write_drops_a_clean_line, a_dla_that_is_not_coherent_reads_dram,
          port_write_with_a_mask_changes_the_bytes_it_names,
          coherent_port_read_sees_an_unreported_store,
          l2_fill_of_a_whole_line_takes_each_half_where_it_is,
          l2_fill_of_a_whole_line_sees_an_unreported_store,
          l2_fill_snoops_a_dirty_cpu_line_where_io_coherent, cpu_load_never_looks_into_the_l2,
          l2_clean_writes_only_dirty_bytes_and_keeps_the_line);
    GROUP(s, "uncached", uncached_setup, uncached_access_is_on_dram_itself,
          port_write_to_uncached_memory_is_a_write_to_dram, atomic_on_uncached_memory_is_reported);
    GROUP(s, "LRU", lru_setup, hit_told_afterwards_makes_the_line_young,
          hit_told_afterwards_is_a_store_too, only_plain_hits_of_one_line_are_quick,
          eviction_writes_a_dirty_line_back, eviction_takes_the_least_recently_used_line,
          eviction_of_a_stale_clean_line_lets_the_next_load_see_dram, l2_eviction_writes_back);
    GROUP(s, "bus", noncoherent_setup, bits_are_counted);
    GROUP(s, "seeded", seeded_setup, l2_eviction_by_seed_finds_the_only_line,
          l2_eviction_by_seed_takes_every_line);
    GROUP(s, "Thor", thor_setup, thor_cpu_load_sees_the_l2);
    loops(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

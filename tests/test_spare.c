/* SPDX-License-Identifier: MIT */
/* What need not be sent: two checkers see the same happen, one every record, the other through
 * struct trace_spare. Their findings are the same, in the same order and as often. What happens is
 * drawn by chance. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker/hb/hb.h"

#define PA UINT64_C(0x80010000)
#define PAGE 4096u
#define LINE 128u
#define LINES 4u /* of each region */
#define CHANNELS 3u
#define FOUND_MAX 4096u

enum { PINNED = 1, DEVICE, MANAGED };

/**
 * struct side - a checker, and what it found
 * @spared: accesses that were no record
 */
struct side {
    struct trace trace;
    struct trace_spare spare;
    struct trace_counts counts[MANAGED + 1];
    struct run *run;
    struct hb *hb;
    struct hb_finding found[FOUND_MAX];
    unsigned n_found, spared, records;
    uint32_t news;
    bool begun;
};

static struct side each, less;
static uint64_t chance;

static unsigned below(unsigned n)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(chance >> 33) % n;
}

static void keep(void *opaque, const struct hb_finding *f)
{
    struct side *s = opaque;

    ck_assert_uint_lt(s->n_found, FOUND_MAX);
    s->found[s->n_found++] = *f;
}

static void sink(void *opaque, const struct trace_record *r)
{
    struct side *s = opaque;

    s->records++;
    hb_record(s->hb, r, 0);
}

static void begin(void *opaque)
{
    struct side *s = opaque;

    s->begun = true;
}

static void rest(void *opaque, uint64_t time_ns)
{
    struct side *s = opaque;

    (void)time_ns;
    s->begun = false;
}

static struct trace_counts *counts(void *opaque, uint32_t region)
{
    struct side *s = opaque;

    s->counts[region].followed = hb_follows(s->hb, region);
    return &s->counts[region];
}

static bool run_take(void *opaque, const struct trace_record *first, unsigned lines)
{
    struct side *s = opaque;

    return hb_run(s->hb, first, lines);
}

static void again(void *opaque, const struct trace_record *r, uint64_t bytes[2])
{
    struct side *s = opaque;

    hb_again_bytes(s->hb, r, bytes);
}

static void note(struct side *s, const char *line)
{
    struct note n;

    ck_assert(note_parse(line, &n));
    run_note(s->run, &n);
    hb_note(s->hb, &n);
    note_clear(&n);
    s->news++;
}

static void both_note(const char *line)
{
    note(&each, line);
    note(&less, line);
}

static void both_send(enum trace_event event, uint32_t agent, uint32_t region,
                      const uint64_t arg[TRACE_ARGS])
{
    trace_emit_more(&each.trace, event, agent, region, arg);
    trace_emit_more(&less.trace, event, agent, region, arg);
}

#define SEND(event, agent, region, ...) \
    both_send(TRACE_EVENT_##event, agent, region, (const uint64_t[TRACE_ARGS]){ __VA_ARGS__ })

static void side_open(struct side *s, bool spares)
{
    memset(s, 0, sizeof(*s));
    s->run = run_new();
    s->hb = hb_new(s->run, keep, s);
    s->trace = (struct trace){ .mask = TRACE_ALL, .sink = sink, .opaque = s };
    s->spare = (struct trace_spare){ .news = &s->news,
                                     .begin = begin,
                                     .rest = rest,
                                     .counts = counts,
                                     .access = sink,
                                     .run = run_take,
                                     .again = again };
    trace_spare_set(&s->trace, spares ? &s->spare : NULL);
}

static void side_close(struct side *s)
{
    trace_spare_set(&s->trace, NULL);
    hb_free(s->hb);
    run_free(s->run);
}

static void regions_add(void)
{
    static const char *const kinds[] = {
        [PINNED] = "pinned", [DEVICE] = "device", [MANAGED] = "managed"
    };
    char line[200];

    for (uint32_t id = PINNED; id <= MANAGED; id++) {
        SEND(REGION_ADD, BUS_AGENT_DRIVER, id, PA + id * PAGE, PAGE, id != DEVICE);
        snprintf(line, sizeof(line),
                 "@region id=%u kind=%s cpu_cached=%d va=0x%x size=4096 len=4096", id, kinds[id],
                 id != DEVICE, id * PAGE);
        both_note(line);
    }
}

/* --- what happens --- */

static uint64_t line_of(uint32_t region)
{
    return PA + region * PAGE + below(LINES) * LINE;
}

/* Few shapes, so that they come again */
static uint64_t bytes(void)
{
    static const uint64_t shapes[] = { UINT64_MAX, 0xf, 0xf0, 0xff, UINT64_C(0xffffffff), 0 };

    return shapes[below(6)];
}

/* As a port does */
static void access_report(struct side *s, struct trace_record r, uint64_t place)
{
    if (trace_access_spared(&s->trace, &r, place)) {
        s->spared++;
        return;
    }
    trace_emit(&s->trace, TRACE_EVENT_GPU_AT, BUS_AGENT_IGPU, 0, place >> 32, (uint32_t)place, 0,
               0);
    trace_access(&s->trace, &r, place);
}

static void gpu_access(uint32_t region, uint64_t pa, bool store, uint64_t low, uint64_t high,
                       unsigned scope, uint64_t place)
{
    struct trace_record r = { .event = store ? TRACE_EVENT_GPU_STORE : TRACE_EVENT_GPU_LOAD,
                              .agent = BUS_AGENT_IGPU,
                              .region = region,
                              .arg = { pa, low, high, scope, region != PINNED, pa } };

    if (low | high) {
        access_report(&each, r, place);
        access_report(&less, r, place);
    }
}

/* A warp's loop: the same few accesses in turn. */
static void gpu_loop(void)
{
    uint32_t region[3];
    uint64_t pa[3], low[3], high[3], place[3];
    unsigned n = 1 + below(3), stores = below(8),
             scope = below(12) ? BUS_SCOPE_NONE : BUS_SCOPE_GPU + below(2);

    for (unsigned i = 0; i < n; i++) {
        region[i] = PINNED + below(3);
        pa[i] = line_of(region[i]);
        low[i] = bytes();
        high[i] = below(3) ? low[i] : bytes();
        place[i] = below(3);
    }
    for (unsigned turn = 1 + below(5); turn > 0; turn--) {
        for (unsigned i = 0; i < n; i++) {
            gpu_access(region[i], pa[i], stores >> i & 1, low[i], high[i], scope, place[i]);
        }
    }
}

/* Whole lines: together where that is taken, else one by one. */
static void engine_run(void)
{
    uint32_t region = PINNED + below(3);
    unsigned first = below(LINES), lines = 1 + below(LINES - first);
    uint64_t pa = PA + region * PAGE + first * LINE;
    static const enum trace_event events[] = { TRACE_EVENT_GPU_STORE, TRACE_EVENT_GPU_LOAD,
                                               TRACE_EVENT_DLA_STORE, TRACE_EVENT_DLA_LOAD };
    unsigned what = below(4);
    bool gpu = what < 2; /* others have no L2, and no record of theirs is spared alone */
    struct trace_record r = { .event = events[what],
                              .agent = gpu ? BUS_AGENT_CE : BUS_AGENT_VI,
                              .region = region,
                              .arg = { pa, UINT64_MAX, UINT64_MAX, 0, gpu && region != PINNED,
                                       pa } };
    struct trace_record one = r;
    bool taken = trace_run_spared(&less.trace, &one, lines);

    for (unsigned i = 0; i < lines; i++) {
        one = r;
        one.arg[0] = one.arg[5] = pa + i * LINE;
        if (!gpu) {
            trace_emit_more(&each.trace, one.event, one.agent, one.region, one.arg);
            if (!taken) {
                trace_emit_more(&less.trace, one.event, one.agent, one.region, one.arg);
            }
            continue;
        }
        ck_assert(!trace_access_spared(&each.trace, &one, 0));
        trace_access(&each.trace, &one, 0);
        if (!taken && !trace_access_spared(&less.trace, &one, 0)) {
            trace_access(&less.trace, &one, 0);
        }
    }
    less.spared += taken ? lines : 0;
}

static void atomic_send(struct side *s, struct trace_record r, uint64_t place)
{
    if (trace_atomic_spared(&s->trace, &r, place)) {
        s->spared++;
        return;
    }
    trace_emit(&s->trace, TRACE_EVENT_GPU_AT, BUS_AGENT_IGPU, 0, place >> 32, (uint32_t)place, 0,
               0);
    trace_atomic(&s->trace, &r, place);
}

/* Often the same word again, and now and then a plain access between. */
static void atomic(void)
{
    uint32_t region = PINNED + below(3);
    uint64_t pa = line_of(region) + 4 * below(4), place = below(3);
    unsigned scope = below(4), size = below(4) ? 4 : 8;

    for (unsigned turn = 1 + below(6); turn > 0; turn--) {
        uint64_t at = (below(8) ? pa : pa ^ 4) & ~(uint64_t)(size - 1);
        struct trace_record r = { .event = TRACE_EVENT_GPU_ATOMIC,
                                  .agent = BUS_AGENT_IGPU,
                                  .region = region,
                                  .arg = { at, size, below(2), scope, region != PINNED, at } };

        if (below(6) == 0) {
            gpu_access(region, line_of(region), below(2), bytes(), 0, BUS_SCOPE_NONE, place);
        }
        atomic_send(&each, r, place);
        atomic_send(&less, r, place);
    }
}

static void cpu_access(void)
{
    uint32_t region = below(2) ? PINNED : MANAGED;
    uint64_t pa = line_of(region) + 4 * below(32);
    bool sync = below(4) == 0;

    if (below(2)) {
        SEND(CPU_LOAD, BUS_AGENT_CPU, region, pa, 4, 1, pa, sync);
    } else {
        SEND(CPU_STORE, BUS_AGENT_CPU, region, pa, 4, 1, pa, sync);
    }
}

static void cpu_cache(void)
{
    uint64_t pa = line_of(MANAGED);

    switch (below(4)) {
    case 0:
        SEND(CPU_FILL, BUS_AGENT_CPU, MANAGED, pa);
        break;
    case 1:
        SEND(CPU_WRITEBACK, BUS_AGENT_CPU, MANAGED, pa);
        break;
    case 2:
        SEND(CPU_EVICT, BUS_AGENT_CPU, MANAGED, pa, below(2));
        break;
    default:
        SEND(CPU_SNOOP, BUS_AGENT_IGPU, MANAGED, pa, 1, below(2));
    }
}

/* Of memory whose versions are followed; of other memory the L2's records say nothing (l2_device).
 */
static void l2_line(void)
{
    uint64_t pa = line_of(MANAGED);

    switch (below(3)) {
    case 0:
        SEND(L2_FILL, BUS_AGENT_IGPU, MANAGED, pa, 1 + below(15));
        break;
    case 1:
        SEND(L2_WRITEBACK, BUS_AGENT_IGPU, MANAGED, pa, bytes(), bytes());
        break;
    default:
        SEND(L2_EVICT, BUS_AGENT_IGPU, MANAGED, pa, 0);
    }
}

static void l2_device(void)
{
    uint64_t pa = line_of(DEVICE);
    struct trace_counts *c = NULL;
    uint32_t asked = less.trace.generation - 1;

    ck_assert_ptr_nonnull(trace_spare_counts(&less.trace, DEVICE, &asked, &c));
    ck_assert(!c->followed);
    trace_emit(&each.trace, TRACE_EVENT_L2_FILL, BUS_AGENT_IGPU, DEVICE, pa, 15, 0, 0);
    trace_emit(&each.trace, TRACE_EVENT_L2_EVICT, BUS_AGENT_IGPU, DEVICE, pa, 8, 0, 0);
    trace_emit(&each.trace, TRACE_EVENT_L2_WRITEBACK, BUS_AGENT_IGPU, DEVICE, pa, 255, 0, 0);
}

static void order(void)
{
    static uint32_t value[CHANNELS], put[CHANNELS];
    uint32_t channel = below(CHANNELS);

    switch (below(5)) {
    case 0:
        SEND(DOORBELL, BUS_AGENT_CPU, 0, channel, ++put[channel]);
        SEND(SEGMENT, BUS_AGENT_HOST, 0, channel, put[channel]);
        break;
    case 1:
        SEND(SYNCPT_INCR, BUS_AGENT_HOST, 0, less.trace.channel, ++value[0]);
        break;
    case 2:
        SEND(CPU_WAITED, BUS_AGENT_CPU, 0, below(CHANNELS + 1), value[0]);
        break;
    case 3:
        SEND(L2_INVALIDATE, BUS_AGENT_HOST, 0, 0, 0);
        break;
    default:
        each.trace.channel = less.trace.channel = 1 + channel;
        SEND(GRID_BEGIN, BUS_AGENT_IGPU, 0, channel, 0, 0, 7);
    }
}

static void step(void)
{
    static void (*const rare[])(
        void) = { atomic, cpu_access, cpu_cache, l2_line, l2_device, order };

    if (below(3)) {
        gpu_loop();
    } else if (below(3) == 0) {
        engine_run();
    } else {
        rare[below(G_N_ELEMENTS(rare))]();
    }
    if (below(8) == 0) {
        trace_spare_rest(&less.trace);
        ck_assert(!less.begun);
        trace_spare_begin(&less.trace);
        ck_assert(less.begun);
    }
}

static bool who_equal(const struct hb_who *a, const struct hb_who *b)
{
    return a->cpu == b->cpu && a->access == b->access && a->number == b->number &&
           a->stream == b->stream && a->grid_id == b->grid_id && a->pc == b->pc &&
           g_strcmp0(a->name, b->name) == 0 && g_strcmp0(a->at, b->at) == 0;
}

static void findings_equal(void)
{
    ck_assert_uint_eq(each.n_found, less.n_found);
    for (unsigned i = 0; i < each.n_found; i++) {
        const struct hb_finding *a = &each.found[i], *b = &less.found[i];

        ck_assert_int_eq(a->rule, b->rule);
        ck_assert_uint_eq(a->region, b->region);
        ck_assert_uint_eq(a->offset, b->offset);
        ck_assert_uint_eq(a->size, b->size);
        ck_assert_uint_eq(a->count, b->count);
        ck_assert(who_equal(&a->first, &b->first) && who_equal(&a->second, &b->second));
    }
}

/* Orin, Xavier; TX2; Thor */
static const char *const boards[] = { "@run soc=orin io_coherent=1", "@run soc=tx2 io_coherent=0",
                                      "@run soc=thor io_coherent=1 cpu_snoops_l2=1" };

#ifdef __SANITIZE_ADDRESS__ /* which makes each step ten times as long */
#define PROGRAMS 100
#else
#define PROGRAMS 300
#endif

START_TEST(what_is_not_sent_would_change_nothing)
{
    chance = (uint64_t)_i * 977 + 1;
    side_open(&each, false);
    side_open(&less, true);
    both_note(boards[_i % 3]);
    both_note("@hooks");
    both_note("@file code=1 number=0 path=k.cu");
    both_note("@kernel id=7 name=k stream=0 code=1");
    regions_add();
    each.trace.channel = less.trace.channel = 1;
    for (unsigned i = 0; i < 300; i++) {
        step();
    }
    hb_repeats(each.hb);
    hb_repeats(less.hb);
    findings_equal();
    ck_assert_uint_gt(less.spared, 10);
    ck_assert_uint_lt(less.records, each.records);
    side_close(&each);
    side_close(&less);
}
END_TEST

/* Not by chance: an access that finds something is told each time, or its count would be wrong. */
START_TEST(an_access_that_finds_a_race_is_always_sent)
{
    side_open(&each, false);
    side_open(&less, true);
    both_note(boards[0]);
    both_note("@hooks");
    regions_add();
    SEND(CPU_STORE, BUS_AGENT_CPU, PINNED, PA + PAGE, 4, 1, PA + PAGE);
    each.trace.channel = less.trace.channel = 1;
    for (unsigned i = 0; i < 5; i++) {
        gpu_access(PINNED, PA + PAGE, false, 0xf, 0, BUS_SCOPE_NONE, 1);
        gpu_access(PINNED, PA + PAGE, false, 0xf0, 0, BUS_SCOPE_NONE, 1);
    }
    hb_repeats(each.hb);
    hb_repeats(less.hb);
    ck_assert_uint_eq(less.n_found, 2);
    ck_assert_uint_eq(less.found[1].count, 4);
    findings_equal();
    side_close(&each);
    side_close(&less);
}
END_TEST

static void count(void *opaque, const struct trace_record *r)
{
    struct side *s = opaque;

    (void)r;
    ck_assert(s->begun);
    s->records++;
}

/* An observer that keeps a lock for a step, and wants each record. */
START_TEST(a_lock_alone_spares_nothing)
{
    struct trace_spare lock = { .begin = begin, .rest = rest };
    struct side s = { .trace = { .mask = TRACE_ALL, .sink = count, .opaque = &s } };
    struct trace_record r = { .event = TRACE_EVENT_GPU_LOAD, .arg = { PA, 0xf, 0, 0, 1, PA } };
    struct trace_counts *counts = NULL;
    uint32_t asked = 0;

    trace_spare_set(&s.trace, &lock);
    trace_spare_begin(&s.trace);
    trace_emit(&s.trace, TRACE_EVENT_SEGMENT, 0, 0, 1, 2, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert(!trace_access_spared(&s.trace, &r, 0));
        trace_access(&s.trace, &r, 0);
    }
    ck_assert(!trace_run_spared(&s.trace, &r, LINES));
    ck_assert_ptr_null(trace_spare_counts(&s.trace, PINNED, &asked, &counts));
    trace_spare_end(&s.trace);
    ck_assert_uint_eq(s.records, 4);
    ck_assert(s.begun);
    trace_spare_rest(&s.trace);
    ck_assert(!s.begun);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spare");
    TCase *tests = tcase_create("spare");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tests, what_is_not_sent_would_change_nothing, 0, PROGRAMS);
    tcase_add_test(tests, an_access_that_finds_a_race_is_always_sent);
    tcase_add_test(tests, a_lock_alone_spares_nothing);
    suite_add_tcase(suite, tests);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

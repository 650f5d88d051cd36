/* SPDX-License-Identifier: MIT */
/* Records made by hand for the happens-before checker: a board, what the CPU, a channel and the
 * caches do, and what orders them. Findings are kept in found[]. */
#ifndef TESTS_HB_RIG_H
#define TESTS_HB_RIG_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker/hb/hb.h"

#define PA UINT64_C(0x80010000)
#define VA UINT64_C(0x200000010000)
#define PAGE 4096u
#define ALL UINT64_MAX

enum { PINNED = 1, DEVICE, MANAGED, DRIVER }; /* regions, a page each */

static struct run *run;
static struct hb *hb;
static struct hb_finding found[16];
static unsigned n_found;
static uint32_t put[4], taken[4], value[8];

static inline void keep(void *opaque, const struct hb_finding *f)
{
    (void)opaque;
    ck_assert_uint_lt(n_found, 16);
    found[n_found++] = *f;
}

/* --- records ---------------------------------------------------------------------------------- */

static inline struct trace_record record(enum trace_event event, uint32_t agent, uint64_t a,
                                         uint64_t b, uint64_t c)
{
    return (struct trace_record){ .event = event, .agent = agent, .arg = { a, b, c } };
}

static inline void send(struct trace_record t)
{
    hb_record(hb, &t, 0);
}

static inline void note(const char *line)
{
    struct note n;

    ck_assert(note_parse(line, &n));
    run_note(run, &n);
    hb_note(hb, &n);
    note_clear(&n);
}

static inline void region(uint32_t id, const char *kind, bool cached)
{
    struct trace_record t =
        record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, PA + id * PAGE, PAGE, cached);
    char line[200];

    t.region = id;
    send(t);
    snprintf(line, sizeof(line), "@region id=%u kind=%s cpu_cached=%d va=0x%llx size=4096 len=4096",
             id, kind, cached, (unsigned long long)(VA + id * PAGE));
    note(line);
}

static inline void cpu(uint32_t thread, enum trace_event event, uint32_t id, uint64_t at,
                       unsigned len, bool sync, uintptr_t pc)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, VA + id * PAGE + at, len, 1);

    t.region = id;
    t.thread = thread;
    t.arg[3] = PA + id * PAGE + at;
    t.arg[4] = sync;
    hb_record(hb, &t, pc);
}

static inline void load(uint32_t id, uint64_t at, unsigned len)
{
    cpu(0, TRACE_EVENT_CPU_LOAD, id, at, len, false, 0x1000);
}

static inline void store(uint32_t id, uint64_t at, unsigned len)
{
    cpu(0, TRACE_EVENT_CPU_STORE, id, at, len, false, 0x2000);
}

/* An access by a channel to bytes @low of the line at @at. */
static inline void gpu(uint32_t channel, enum trace_event event, uint32_t id, uint64_t at,
                       uint64_t low, enum bus_scope scope, bool cached)
{
    struct trace_record t = record(event, BUS_AGENT_IGPU, VA + id * PAGE + at, low, 0);

    t.region = id;
    t.channel = channel + 1;
    t.arg[3] = scope;
    t.arg[4] = cached;
    t.arg[5] = PA + id * PAGE + at;
    hb_record(hb, &t, 0);
}

static inline void gpu_load(uint32_t channel, uint32_t id, uint64_t at, uint64_t low)
{
    gpu(channel, TRACE_EVENT_GPU_LOAD, id, at, low, BUS_SCOPE_NONE, id != PINNED);
}

static inline void gpu_store(uint32_t channel, uint32_t id, uint64_t at, uint64_t low)
{
    gpu(channel, TRACE_EVENT_GPU_STORE, id, at, low, BUS_SCOPE_NONE, id != PINNED);
}

static inline void cache(enum trace_event event, uint32_t id, uint64_t at, uint64_t b, uint64_t c)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, PA + id * PAGE + at, b, c);

    t.region = id;
    send(t);
}

/* --- what orders ------------------------------------------------------------------------------ */

static inline void submit_by(uint32_t thread, uint32_t channel)
{
    struct trace_record t = record(TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, channel, ++put[channel], 0);

    t.thread = thread;
    send(t);
}

static inline void submit(uint32_t channel)
{
    submit_by(0, channel);
}

/* The channel takes the next submission. */
static inline void take(uint32_t channel)
{
    send(record(TRACE_EVENT_SEGMENT, BUS_AGENT_HOST, channel, ++taken[channel], 0));
}

/* The channel has done everything so far: syncpoint @id. */
static inline void done(uint32_t channel, uint32_t id)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_HOST, id, ++value[id], 0);

    t.channel = channel + 1;
    send(t);
}

static inline void wait_for(uint32_t thread, uint32_t id, uint32_t threshold)
{
    struct trace_record t = record(TRACE_EVENT_CPU_WAITED, BUS_AGENT_CPU, id, threshold, 0);

    t.thread = thread;
    send(t);
}

static inline void handover(enum trace_event event, uint32_t thread, uint64_t object)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, object, 0, 0);

    t.thread = thread;
    send(t);
}

static inline void open_board(const char *header)
{
    run = run_new();
    hb = hb_new(run, keep, NULL);
    n_found = 0;
    memset(put, 0, sizeof(put));
    memset(taken, 0, sizeof(taken));
    memset(value, 0, sizeof(value));
    note(header);
    note("@hooks");
}

static inline void regions(bool pinned_cached)
{
    region(PINNED, "pinned", pinned_cached);
    region(DEVICE, "device", false);
    region(MANAGED, "managed", true);
}

static inline void close_board(void)
{
    hb_free(hb);
    run_free(run);
}

static inline void coherent(void)
{
    open_board("@run soc=orin io_coherent=1");
    regions(true);
}

/* tx2: pinned memory is uncached, engines do not look into the CPU's caches. */
static inline void not_coherent(void)
{
    open_board("@run soc=tx2 io_coherent=0");
    regions(false);
}

static inline void thor(void)
{
    open_board("@run soc=thor io_coherent=1 cpu_snoops_l2=1");
    regions(true);
}

#define EXPECT_NONE() ck_assert_uint_eq(n_found, 0)

static inline void expect(enum hb_rule rule, uint64_t offset, uint64_t size)
{
    ck_assert_uint_eq(n_found, 1);
    ck_assert_int_eq(found[0].rule, rule);
    ck_assert_uint_eq(found[0].offset, offset);
    ck_assert_uint_eq(found[0].size, size);
}

/* For the suites: a case of a board, with its tests. */
typedef const TTest *hb_test;

static inline void hb_case(Suite *s, const char *name, void (*board)(void), const hb_test *tests,
                           unsigned n)
{
    TCase *t = tcase_create(name);

    tcase_add_checked_fixture(t, board, close_board);
    tcase_set_timeout(t, 30);
    for (unsigned i = 0; i < n; i++) {
        tcase_add_test(t, tests[i]);
    }
    suite_add_tcase(s, t);
}
#define HB_CASE(suite, name, board, tests) \
    hb_case(suite, name, board, tests, sizeof(tests) / sizeof((tests)[0]))

static inline int hb_suite_run(Suite *s)
{
    SRunner *runner = srunner_create(s);
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif

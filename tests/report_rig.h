/* SPDX-License-Identifier: MIT */
/* A report to be written: its files, and a small run to report on. */
#ifndef TESTS_REPORT_RIG_H
#define TESTS_REPORT_RIG_H

#include <check.h>
#include <string.h>

#include "model/bus.h"
#include "runtime/observe/check.h"
#include "tests/scratch.h"

static char *report_path, *json_path, *trace_path;

static inline void setup(void)
{
    scratch_open();
    report_path = g_build_filename(dir, "report", NULL);
    json_path = g_build_filename(dir, "json", NULL);
    trace_path = g_build_filename(dir, "trace", NULL);
}

static inline void teardown(void)
{
    char *all[] = { report_path, json_path, trace_path };

    scratch_close(all, G_N_ELEMENTS(all));
}

static inline char *content(const char *path)
{
    char *text = NULL;

    ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    return text;
}

/* All of it in one line, a blank between words: prose may be wrapped anywhere. */
static inline char *flat(const char *path)
{
    g_autofree char *text = content(path);
    g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
    GString *s = g_string_new(NULL);

    for (char **w = words; *w; w++) {
        g_string_append_printf(s, "%s%s", **w && s->len ? " " : "", *w);
    }
    return g_string_free(s, FALSE);
}

static const char *rig_os = "linux"; /* of start() */
static uint64_t rig_vidmem;          /* 0: an iGPU */
static enum check_races rig_races;

static inline struct check *start(const char *report, const char *json, const char *trace)
{
    struct soc_profile tx2 = {
        .soc = { .name = "tx2", .marketing = "Jetson TX2 8GB" },
        .cpu = { .line_bytes = 64 },
        .gpu = { .vidmem_bytes = rig_vidmem, .cc_major = 6, .cc_minor = 2 },
        .timing = { .cpu_hit_ps = 1000, .cpu_miss_ps = 16000, .cpu_uncached_ps = 47900 },
    };
    struct check_config config = {
        .profile = &tx2,
        .os = rig_os,
        .policy = "lazy",
        .evict = "never",
        .program = "/x/y/pipeline",
        .seed = 7,
        .races = rig_races,
        .report_path = report,
        .json_path = json,
        .trace_path = trace,
    };

    return check_open(&config);
}

static inline void record(struct check *c, uint64_t time_ns, enum trace_event event, uint32_t agent,
                          uint32_t region, uint32_t channel, uint64_t a, uint64_t b, uint64_t x,
                          uint64_t d)
{
    struct trace_record r = { event, agent, region, channel, time_ns, { a, b, x, d }, 0, 0 };

    check_sink(c, &r);
}

#define MIB (UINT64_C(1) << 20)

static inline void region(struct check *c, uint32_t id, enum hal_mem_kind kind, const char *api)
{
    struct check_region r = { .mem = { .cpu = (void *)(uintptr_t)(id << 24),
                                       .size = 4 * MIB,
                                       .id = id,
                                       .kind = kind,
                                       .cpu_cached = kind == HAL_MEM_MANAGED },
                              .size = 4 * MIB,
                              .api = api };

    record(c, 0, TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, id, 0,
           UINT64_C(0x80000000) + id * 4 * MIB, 4 * MIB, r.mem.cpu_cached, 0);
    check_region_add(c, &r);
}

static inline void copy(struct check *c, uint32_t dst, uint32_t src)
{
    struct check_note n = {
        .kind = CHECK_NOTE_COPY, .api = "cuMemcpy", .region = dst, .region2 = src, .bytes = 4 * MIB
    };

    check_api_note(c, &n);
    record(c, 2000, TRACE_EVENT_SUM_READ, BUS_AGENT_CE, src, 1, 4 * MIB, 131072, 0, 131072);
    record(c, 2000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_CE, dst, 1, 4 * MIB, 32768, 0, 0);
    record(c, 3000, TRACE_EVENT_COPY, BUS_AGENT_CE, 0, 1, 0, (uint64_t)src << 24,
           (uint64_t)dst << 24, 4 * MIB);
}

/* The note's first listing in small: pinned h_a filled by the CPU, copied to d_a, k1 from d_a to
 * d_b. */
static inline void pipeline(struct check *c)
{
    struct check_kernel k1 = {
        .grid_id = 1, .name = "_Z2k1PKiPi", .grid = { 32, 128, 1 }, .block = { 32, 8, 1 }
    };
    struct check_finding finding = { .rule = "some-rule",
                                     .severity = CHECK_WARNING,
                                     .standing = CHECK_MEASURED,
                                     .section = "a section",
                                     .text = "Something happened.",
                                     .todo = "Do something.",
                                     .grid_id = 1,
                                     .region = 2,
                                     .address = (2 << 24) + 16 };

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    region(c, 3, HAL_MEM_DEVICE, "cuMemAlloc");
    record(c, 1000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_CPU, 1, 0, 4 * MIB, MIB, 0, 0);
    copy(c, 2, 1);
    check_kernel(c, &k1);
    record(c, 5000, TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 1, 0, 0x100, 0, 1);
    record(c, 9000, TRACE_EVENT_SUM_READ, BUS_AGENT_IGPU, 2, 1, 12 * MIB, 393216, 262144, 131072);
    record(c, 9000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_IGPU, 3, 1, 4 * MIB, 32768, 0, 32768);
    record(c, 9000, TRACE_EVENT_GRID_END, BUS_AGENT_IGPU, 0, 1, 0, 0x100, 12345, 4000);
    record(c, 9500, TRACE_EVENT_L2_CLEAN, BUS_AGENT_HOST, 0, 1, 32768, 4 * MIB, 0, 0);
    record(c, 10000, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, 1, 0, 0x80000000, 0, 0, 0);
    record(c, 10000, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, 1, 0, 0x80000000, 0, 0, 0);
    check_finding(c, &finding);
}

static inline void run_pipeline(const char *report, const char *json, const char *trace)
{
    struct check *c = start(report, json, trace);

    pipeline(c);
    check_close(c);
    check_free(c);
}

static inline void assert_has(const char *text, const char *what)
{
    ck_assert_msg(strstr(text, what) != NULL, "'%s' is not in:\n%s", what, text);
}

#endif

/* SPDX-License-Identifier: MIT */
/* The live checker: opening, closing, records. What the driver core tells is in told.c. */
#include "runtime/check/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/check/advice.h"
#include "runtime/check/book.h"
#include "runtime/check/check_internal.h"
#include "runtime/check/objects.h"
#include "runtime/check/report.h"
#include "runtime/check/rule.h"
#include "runtime/check/sched.h"
#include "runtime/check/source.h"

#define MASK_REPORT (TRACE_SUM | TRACE_WORK | TRACE_MAINT | TRACE_FAULT | TRACE_MEMORY)

bool check_take(struct check *c, struct note *n)
{
    char *line = c->trace ? note_format(n) : NULL;
    bool new;

    if (line) {
        tracefile_line(c->trace, line);
        g_free(line);
    }
    new = run_note(c->run, n);
    if (c->hb) {
        hb_note(c->hb, n);
    }
    note_clear(n);
    return new;
}

static void header_note(struct check *c, const struct check_config *config)
{
    const struct soc_profile *p = &c->profile;
    char *program =
        g_path_get_basename(config->program ? config->program : program_invocation_name);
    struct note n;

    note_init(&n, "run");
    note_str(&n, "program", program);
    note_str(&n, "soc", p->soc.name);
    note_str(&n, "module", p->soc.marketing);
    note_str(&n, "gpu", p->gpu.name);
    note_u64(&n, "cc", soc_profile_cc(p));
    note_u64(&n, "io_coherent", p->soc.io_coherent);
    note_u64(&n, "cpu_snoops_l2", p->rules.cpu_snoops_l2);
    note_str(&n, "os", config->os);
    note_str(&n, "policy", config->policy);
    note_str(&n, "evict", config->evict);
    note_u64(&n, "seed", config->seed);
    note_str(&n, "again", config->again);
    note_u64(&n, "safety", config->safety);
    note_u64(&n, "hb", c->hb != NULL);
    note_u64(&n, "cpu_hit_ps", p->timing.cpu_hit_ps);
    note_u64(&n, "cpu_miss_ps", p->timing.cpu_miss_ps);
    note_u64(&n, "cpu_uncached_ps", p->timing.cpu_uncached_ps);
    note_u64(&n, "cpu_maintain_ps", p->timing.cpu_maintain_line_ps);
    note_u64(&n, "cpu_line", p->cpu.line_bytes);
    note_u64(&n, "bandwidth_mb_s", p->memory.bandwidth_mb_s);
    if (config->machine_sees_cpu) {
        note_u64(&n, "machine_sees_cpu", 1);
    }
    check_take(c, &n);
    g_free(program);
}

_Thread_local volatile unsigned check_inside;

/* The fault handler may interrupt its own thread inside the checker. */
static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

struct check *check_open(const struct check_config *config)
{
    struct check *c = g_new0(struct check, 1);

    lock_init(&c->lock);
    c->profile = *config->profile;
    c->run = run_new();
    c->sites = sites_new();
    c->holds = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->launches = g_hash_table_new(NULL, NULL);
    c->codes = g_hash_table_new(NULL, NULL);
    c->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    c->grid_code = g_hash_table_new(NULL, NULL);
    c->repeats = g_hash_table_new(repeat_hash, repeat_equal);
    c->repeat_list = g_ptr_array_new_with_free_func(g_free);
    c->report_path = g_strdup(config->report_path);
    c->json_path = g_strdup(config->json_path);
    c->json_if_found = config->json_if_found;
    c->quiet = config->quiet;
    c->pid = getpid();
    hooks_look();
    c->hooks_expected = objects_hooked();
    if (config->hb == CHECK_HB_ON || (config->hb == CHECK_HB_AUTO && c->hooks_expected)) {
        c->hb = hb_new(c->run, hb_tell, c);
        c->run->checked = true;
    }
    if (config->trace_path) {
        c->trace = tracefile_open(config->trace_path);
    }
    if (c->trace) {
        c->trace_classes = config->trace_classes
                               ? config->trace_classes
                               : TRACE_ALL & ~(unsigned)(TRACE_ACCESS | TRACE_CACHE);
        tracefile_line(c->trace, TRACE_FIRST_LINE);
    }
    header_note(c, config);
    return c;
}

void check_free(struct check *c)
{
    if (!c) {
        return;
    }
    tracefile_close(c->trace);
    sites_free(c->sites);
    hb_free(c->hb);
    g_hash_table_destroy(c->holds);
    g_hash_table_destroy(c->launches);
    g_hash_table_destroy(c->codes);
    g_hash_table_destroy(c->files);
    g_hash_table_destroy(c->grid_code);
    g_hash_table_destroy(c->repeats);
    g_ptr_array_free(c->repeat_list, TRUE);
    run_free(c->run);
    g_free(c->report_path);
    g_free(c->json_path);
    pthread_mutex_destroy(&c->lock);
    g_free(c);
    source_close();
}

unsigned check_mask(const struct check *c)
{
    if (!c) {
        return 0;
    }
    return MASK_REPORT | c->trace_classes | (c->hooks_expected ? TRACE_CACHE : 0) |
           (c->hb ? HB_CLASSES : 0);
}

/* The access will not happen: it faults, and the fault handler tells more of it. */
static bool closed_to_cpu(const struct check *c, const struct trace_record *t)
{
    return trace_event_class[t->event] == TRACE_ACCESS && t->agent == BUS_AGENT_CPU &&
           g_hash_table_contains(c->holds, GUINT_TO_POINTER(t->region));
}

/* Where in the program: of a hook, or as the machine that saw the access says. */
static uintptr_t access_pc(const struct trace_record *t)
{
    bool access = t->event == TRACE_EVENT_CPU_LOAD || t->event == TRACE_EVENT_CPU_STORE ||
                  t->event == TRACE_EVENT_CPU_ATOMIC;

    return hook_pc || !access ? hook_pc : (uintptr_t)t->arg[5];
}

void check_sink(void *check, const struct trace_record *record)
{
    struct check *c = check;
    char line[512];

    if (!c) {
        return;
    }
    check_lock(c);
    if (!c->closed) {
        if (c->trace && (trace_event_class[record->event] & c->trace_classes)) {
            trace_format(record, line, sizeof(line));
            tracefile_line(c->trace, line);
        }
        run_record(c->run, record);
        rule_record(c, record);
        if (c->hb && !closed_to_cpu(c, record)) {
            hb_record(c->hb, record, access_pc(record));
        }
    }
    check_unlock(c);
}

void check_untold_records(struct check *c, uint64_t n, uint64_t time_ns)
{
    check_lock(c);
    if (!c->closed) {
        c->run->records += n;
        c->run->time_ns = MAX(c->run->time_ns, time_ns);
    }
    check_unlock(c);
}

static void cache_notes(struct check *c)
{
    for (guint i = 0; i < c->run->regions->len; i++) {
        const struct run_region *region = c->run->regions->pdata[i];
        struct note n;

        if (region->cpu_fills + region->cpu_evicts + region->snooped_lines + region->stale_lines +
                region->l2_fills + region->l2_evicts ==
            0) {
            continue;
        }
        note_init(&n, "cache");
        note_u64(&n, "region", region->id);
        note_u64(&n, "cpu_fills", region->cpu_fills);
        note_u64(&n, "cpu_evicts", region->cpu_evicts);
        note_u64(&n, "snooped", region->snooped_lines);
        note_u64(&n, "stale", region->stale_lines);
        note_u64(&n, "l2_fills", region->l2_fills);
        note_u64(&n, "l2_evicts", region->l2_evicts);
        check_take(c, &n);
    }
}

static void end_notes(struct check *c)
{
    struct note n;

    hooks_end(c);
    rule_repeats_notes(c);
    if (c->hb) {
        hb_repeats(c->hb);
    }
    sites_notes(c);
    cache_notes(c);
    note_init(&n, "end");
    note_u64(&n, "time_ns", c->run->time_ns);
    check_take(c, &n);
}

/* No report where the board was never used, or a program that only asks for the version would talk.
 */
static bool run_is_empty(const struct run *r)
{
    return r->numbered == 0 && r->kernels->len == 0 && r->findings->len == 0 && r->copies->len == 0;
}

static void reports_write(const struct check *c)
{
    const char *json = c->json_if_found && c->run->findings->len == 0 ? NULL : c->json_path;

    if (json || c->report_path || (!c->quiet && !run_is_empty(c->run))) {
        report_write(c->run, c->quiet ? REPORT_NO_TEXT : REPORT_TEXT, c->report_path, json);
    }
}

void check_close(struct check *c)
{
    const struct vtegra_sched *sched = check_sched();
    int saved = errno;
    bool hushed;

    if (!c || c->pid != getpid()) {
        return;
    }
    books_close(c);
    check_lock(c);
    hushed = sched && sched->hush(true); /* json-glib takes locks, and ours is held */
    if (!c->closed) {
        end_notes(c);
        c->closed = true;
        tracefile_flush(c->trace);
        reports_write(c);
    }
    if (sched) {
        sched->hush(hushed);
    }
    check_unlock(c);
    errno = saved;
}

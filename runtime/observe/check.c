/* SPDX-License-Identifier: MIT */
/* The live checker: opening, closing, records. What the driver core reports is in api_notes.c. */
#include "runtime/observe/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checker/print/text.h"
#include "checker/run/run_board.h"
#include "checker/timeline/timeline.h"
#include "runtime/observe/access_log.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/forked.h"
#include "runtime/observe/objects.h"
#include "runtime/observe/report.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/sites.h"
#include "runtime/observe/source.h"
#include "runtime/observe/source_file.h"

#define MASK_REPORT (TRACE_SUM | TRACE_WORK | TRACE_MAINT | TRACE_FAULT | TRACE_MEMORY)

static const char *host_place(void *check, uint64_t pc)
{
    (void)check;
    return source_place(&(struct check_caller){ .pc = { (uintptr_t)pc } })->text;
}

static const char *host_launched(void *check, uint32_t grid_id)
{
    const struct source_place *place = ids_get(((const struct check *)check)->launches, grid_id);

    return place ? place->text : NULL;
}

static void host_noted(void *check, const struct note *n)
{
    struct check *c = check;
    g_autofree char *line = c->trace ? note_format(n) : NULL;

    if (line) {
        tracefile_line(c->trace, line);
    }
    if (c->timeline) {
        timeline_note(c->timeline, n);
    }
}

static void timeline_write(void *file, const void *data, size_t len)
{
    tracefile_bytes(file, data, len);
}

/* "%p" in a name is this process's number, so that each process of a run has files of its own. */
static char *file_of_process(const char *path)
{
    g_auto(GStrv) parts = path ? g_strsplit(path, "%p", -1) : NULL;
    char number[16];

    g_snprintf(number, sizeof(number), "%d", (int)getpid());
    return path ? g_strjoinv(number, parts) : NULL;
}

static void timeline_open(struct check *c, const char *name)
{
    g_autofree char *path = file_of_process(name);

    c->perfetto = path ? tracefile_open(path) : NULL;
    c->timeline = c->perfetto ? timeline_new(timeline_write, c->perfetto) : NULL;
}

static void timeline_close(struct check *c)
{
    timeline_free(c->timeline);
    c->timeline = NULL;
    tracefile_flush(c->perfetto);
}

/* A finding that just happened: stderr. A report that goes there at the end, too, says the rest, so
 * that it is read once. A program that is stuck may have no end. */
static void host_found(void *check, const struct run_finding *f)
{
    const struct check *c = check;
    bool report_follows = !c->quiet && !c->report_path && strcmp(f->rule, "stuck") != 0;

    if (f->severity == CHECK_ERROR || (f->severity == CHECK_WARNING && !c->quiet)) {
        g_autofree char *text =
            report_follows ? text_finding_short(c->run, f) : text_finding_live(c->run, f);

        (void)!tracefile_write(STDERR_FILENO, text, strlen(text));
    }
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
    if (soc_profile_discrete(p)) {
        note_u64(&n, "discrete", 1);
    }
    if (soc_profile_gpus(p) > 1) {
        note_u64(&n, "gpus", soc_profile_gpus(p));
        note_u64(&n, "link_mb_s", p->dgpu_memory.link_mb_s);
        note_u64(&n, "dgpu_mb_s", p->dgpu_memory.bandwidth_mb_s);
    }
    note_u64(&n, "io_coherent", p->soc.io_coherent);
    note_u64(&n, "cpu_snoops_l2", p->rules.cpu_snoops_l2);
    if (config->past_caches) {
        note_u64(&n, "past_caches", config->past_caches);
    }
    note_u64(&n, "concurrent_managed", p->gpu.concurrent_managed_access);
    note_u64(&n, "pageable_access", p->gpu.pageable_memory_access);
    note_u64(&n, "numa_local", p->memory.numa_node == p->gpu.host_numa_node);
    note_str(&n, "edition", p->soc.edition);
    note_str(&n, "os", config->os);
    note_str(&n, "policy", config->policy);
    note_str(&n, "evict", config->evict);
    note_u64(&n, "seed", config->seed);
    note_str(&n, "again", config->again);
    note_u64(&n, "safety", config->safety);
    if (config->shared) {
        note_u64(&n, "shared", 1);
    }
    if (c->races) {
        note_u64(&n, "kernel_races", c->races);
    }
    if (c->races && config->races_auto) {
        note_u64(&n, "kernel_races_auto", 1);
    }
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
    checker_note(c->checker, &n);
    g_free(program);
}

static void board_note(struct check *c)
{
    struct note n;

    run_board_note_make(&c->profile, &n);
    checker_note(c->checker, &n);
}

/* The fault handler may interrupt its own thread inside the checker. */
static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* `vtegra run` has read it before: a program that was started without may name a wrong one. */
static struct suppressions *suppressions_read(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    struct suppressions *s = NULL;

    if (path && *path && g_file_get_contents(path, &text, NULL, &error)) {
        s = suppressions_parse(text, path, &error);
    }
    if (error) {
        fprintf(stderr, "vtegra: %s: no finding is suppressed\n", error->message);
    }
    return s;
}

struct check *check_open(const struct check_config *config)
{
    struct check *c = g_new0(struct check, 1);

    lock_init(&c->lock);
    c->profile = *config->profile;
    c->sites = sites_new();
    c->holds = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    c->launches = ids_new(CHECK_LAUNCHES_KEPT, NULL);
    c->codes = g_hash_table_new(NULL, NULL);
    c->report_path = file_of_process(config->report_path);
    c->json_path = file_of_process(config->json_path);
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        c->form_path[i] = file_of_process(config->form_path[i]);
    }
    c->json_if_found = config->json_if_found;
    c->quiet = config->quiet;
    c->check_off = config->hb == CHECK_HB_OFF;
    c->error_exitcode = config->error_exitcode;
    c->unchecked_exitcode = config->unchecked_exitcode;
    c->pid = getpid();
    hooks_look();
    c->hooks_expected = objects_hooked();
    c->checker = checker_new(
        &(struct checker_host){ host_place, host_noted, host_found, c, host_launched },
        config->hb == CHECK_HB_ON || (config->hb == CHECK_HB_AUTO && c->hooks_expected));
    c->run = checker_run(c->checker);
    c->run->suppressions = suppressions_read(config->suppressions_path);
    c->run->gen_suppressions = config->gen_suppressions;
    c->run->folder = realpath(config->folder ? config->folder : ".", NULL);
    c->hb = checker_hb(c->checker);
    c->races = config->races_auto && !c->hb ? CHECK_RACES_OFF : config->races;
    if (config->trace_path) {
        g_autofree char *path = file_of_process(config->trace_path);

        c->trace = tracefile_open(path);
    }
    if (c->trace) {
        c->trace_classes = config->trace_classes
                               ? config->trace_classes
                               : TRACE_ALL & ~(unsigned)(TRACE_ACCESS | TRACE_CACHE);
        tracefile_line(c->trace, TRACE_FIRST_LINE);
    }
    timeline_open(c, config->perfetto_path);
    header_note(c, config);
    board_note(c);
    return c;
}

void check_free(struct check *c)
{
    if (!c) {
        return;
    }
    tracefile_close(c->trace);
    timeline_close(c);
    tracefile_close(c->perfetto);
    sites_free(c->sites);
    g_hash_table_destroy(c->holds);
    ids_free(c->launches);
    g_hash_table_destroy(c->codes);
    checker_free(c->checker);
    g_free(c->report_path);
    g_free(c->json_path);
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        g_free(c->form_path[i]);
    }
    pthread_mutex_destroy(&c->lock);
    g_free(c);
    source_close();
}

enum check_races check_races(const struct check *c)
{
    return c ? c->races : CHECK_RACES_OFF;
}

unsigned check_mask(const struct check *c)
{
    if (!c) {
        return 0;
    }
    return MASK_REPORT | c->trace_classes | (c->timeline ? TIMELINE_CLASSES : 0) |
           (c->hooks_expected ? TRACE_CACHE : 0) | (c->hb ? HB_CLASSES | TRACE_FOREIGN : 0);
}

/* The access will not happen: it faults, and the fault handler knows more of it. */
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

/* The most frequent record of a submission; only files show it: to the checker it is one more. */
static bool only_counts(const struct check *c, const struct trace_record *record)
{
    return record->event == TRACE_EVENT_METHOD && !c->timeline &&
           !(c->trace && c->trace_classes & TRACE_WORK);
}

/* The board could not keep them: the report says how many. */
static void left_out_note(struct check *c, const struct trace_record *t)
{
    struct note n;

    if (t->event == TRACE_EVENT_COUNT && t->process == TRACE_PROCESSES && t->arg[0] + t->arg[1]) {
        note_init(&n, "left_out");
        note_u64(&n, "records", t->arg[0]);
        note_u64(&n, "others", t->arg[1]);
        checker_note(c->checker, &n);
    }
}

static void record_take(struct check *c, const struct trace_record *record)
{
    char line[512];

    if (c->closed) {
        return;
    }
    if (record->process) {
        left_out_note(c, record);
        checker_foreign(c->checker, record);
        return;
    }
    if (only_counts(c, record)) {
        checker_untold(c->checker, 1, record->time_ns);
        return;
    }
    if (c->trace && (trace_event_class[record->event] & c->trace_classes)) {
        trace_format(record, line, sizeof(line));
        tracefile_line(c->trace, line);
    }
    if (c->timeline) {
        timeline_record(c->timeline, record);
    }
    checker_record(c->checker, record, access_pc(record), !closed_to_cpu(c, record));
}

/* --- what the board spares
 * ------------------------------------------------------------------------ */

static void burst_begin(void *check)
{
    struct check *c = check;

    if (!c->in_burst) { /* no step before in this call of the board */
        check_lock(c);
        c->in_burst = true;
    }
}

static void burst_end(void *check, uint64_t time_ns)
{
    struct check *c = check;

    if (time_ns) {
        burst_begin(c);
    }
    if (c->in_burst) {
        if (!c->closed) {
            checker_untold(c->checker, 0, time_ns);
        }
        c->in_burst = false;
        check_unlock(c);
    }
}

/* Versions of memory that only the iGPU sees are not followed. */
static struct trace_counts *spare_counts(void *check, uint32_t region)
{
    struct check *c = check;

    return checker_counts(c->checker, region);
}

static void spare_access(void *check, const struct trace_record *record)
{
    struct check *c = check;

    if (!c->in_burst) {
        check_sink(c, record);
    } else if (!c->closed) {
        checker_access(c->checker, record);
    }
}

static bool spare_run(void *check, const struct trace_record *first, unsigned lines)
{
    struct check *c = check;

    return hb_run(c->hb, first, lines);
}

static void spare_again(void *check, const struct trace_record *record, uint64_t bytes[2])
{
    struct check *c = check;

    hb_again_bytes(c->hb, record, bytes);
}

/* A trace file or a timeline shows what happened to each line. The lock is taken once a step, not
 * once a record, all the same. */
const struct trace_spare *check_spare(struct check *c)
{
    if (!c) {
        return NULL;
    }
    if (!c->hb || c->timeline || c->trace_classes & (TRACE_ACCESS | TRACE_CACHE)) {
        c->spare = (struct trace_spare){ .begin = burst_begin, .rest = burst_end };
        return &c->spare;
    }
    c->spare = (struct trace_spare){ .news = checker_news(c->checker),
                                     .begin = burst_begin,
                                     .rest = burst_end,
                                     .counts = spare_counts,
                                     .access = spare_access,
                                     .run = spare_run,
                                     .again = spare_again };
    return &c->spare;
}

void check_sink(void *check, const struct trace_record *record)
{
    struct check *c = check;

    if (!c) {
        return;
    }
    if (c->in_burst) {
        record_take(c, record);
    } else {
        check_lock(c);
        record_take(c, record);
        check_unlock(c);
    }
}

void check_untold_records(struct check *c, uint64_t n, uint64_t time_ns)
{
    check_lock(c);
    if (!c->closed) {
        checker_untold(c->checker, n, time_ns);
    }
    check_unlock(c);
}

/* For forms of the report that tools read. Only what the program itself decides becomes a note:
 * traces of two machines are compared. */
static void file_take(void *check, const char *name, const char *relative, const char *absolute)
{
    struct check *c = check;
    char *real = absolute ? realpath(absolute, NULL) : NULL;
    struct note n;

    if (relative && strcmp(relative, name) != 0) {
        note_init(&n, "source");
        note_str(&n, "name", name);
        note_str(&n, "path", relative);
        checker_note(c->checker, &n);
    }
    if (real) {
        g_hash_table_insert(c->run->here, g_strdup(name), g_strdup(real));
    }
    free(real);
}

static void end_notes(struct check *c)
{
    struct note n;

    hooks_end(c);
    checker_repeats(c->checker);
    sites_notes(c);
    forked_notes(c);
    source_files(file_take, c);
    if (c->spin_ns || c->sleep_ns) {
        note_init(&n, "waits");
        note_u64(&n, "spin_ns", c->spin_ns);
        note_u64(&n, "sleep_ns", c->sleep_ns);
        checker_note(c->checker, &n);
    }
    checker_end(c->checker, c->status, c->signal);
}

/* No report where the board was never used and nothing failed, or a program that only asks for the
 * version would talk. */
static bool run_is_empty(const struct run *r)
{
    return r->numbered == 0 && r->kernels->len == 0 && r->findings->len == 0 &&
           r->copies->len == 0 && r->errors->len == 0;
}

static void reports_write(const struct check *c)
{
    const char *json = c->json_if_found && c->run->findings->len == 0 ? NULL : c->json_path;

    if (json || c->report_path || (!c->quiet && !run_is_empty(c->run))) {
        report_write(c->run, c->quiet ? REPORT_NO_TEXT : REPORT_TEXT, c->report_path, json);
    }
    report_forms_write(c->run, (const char *const *)c->form_path);
}

/* A wrong result may stand beside a report without findings, in a file or nowhere at all. QEMU has
 * a report of stale bytes of its own. */
static void unchecked_say(const struct check *c)
{
    static const char text[] =
        "vtegra: this run was not checked for races and stale bytes; `vtegra run --check on` does "
        "(`--check off`: without this line)\n";

    if (!c->hb && !c->check_off && c->run->kernels->len && !c->run->machine_sees_cpu) {
        (void)!tracefile_write(STDERR_FILENO, text, sizeof(text) - 1);
    }
}

/* As on a board, a signal that kills the program takes with it what stdio has not written. */
static void lost_output_say(const struct check *c)
{
    size_t bytes = c->signal ? __fpending(stdout) : 0;
    char text[256];
    int n;

    if (bytes) {
        n = snprintf(text, sizeof(text),
                     "vtegra: %zu bytes that the program printed are lost: stdout is no terminal, "
                     "so they waited in its buffer when %s killed the program. `stdbuf -oL` before "
                     "the program's name, or setvbuf(stdout, NULL, _IOLBF, 0), writes each line\n",
                     bytes, c->signal);
        (void)!tracefile_write(STDERR_FILENO, text, (size_t)n);
    }
}

void check_ends(struct check *c, int status, const char *signal)
{
    if (c) {
        c->status = status & 0xff; /* as the parent of the process sees it */
        c->signal = signal;
    }
}

void check_waited(struct check *c, uint64_t ns, bool sleeps)
{
    if (c) {
        *(sleeps ? &c->sleep_ns : &c->spin_ns) += ns;
    }
}

/* A thread that is in the HAL would wait for itself: then the report has the counts of some calls
 * ago. */
void check_accesses_end(struct check *c)
{
    if (c && c->pid == getpid() && !c->closed && c->hal && !hal_busy(c->hal)) {
        hal_cpu_lease_end(c->hal);
    }
}

void check_close(struct check *c)
{
    const struct vtegra_sched *sched = check_sched();
    int saved = errno;
    bool suppressed;

    if (!c || c->pid != getpid()) {
        return;
    }
    access_logs_close(c);
    check_lock(c);
    suppressed = sched && sched->suppress(true); /* GLib may take locks, and ours is held */
    if (!c->closed) {
        end_notes(c);
        c->closed = true;
        tracefile_end(c->trace);
        timeline_close(c);
        reports_write(c);
        unchecked_say(c);
        lost_output_say(c);
    }
    if (sched) {
        sched->suppress(suppressed);
    }
    check_unlock(c);
    errno = saved;
}

int check_exit_status(const struct check *c, int status)
{
    bool done = c && c->pid == getpid() && c->closed;

    if (done && c->run->findings->len && c->error_exitcode) {
        return c->error_exitcode;
    }
    return done && !status && c->unchecked_exitcode && run_unchecked_any(c->run)
               ? c->unchecked_exitcode
               : status;
}

/* SPDX-License-Identifier: MIT */
/* What the happens-before checker found, in words: both accesses, the missing operation, the rule.
 */
#include <inttypes.h>

#include "runtime/check/check_internal.h"
#include "runtime/check/demangle.h"
#include "runtime/check/source.h"

struct words {
    const char *rule, *section, *what, *todo;
    enum check_standing standing;
};

#define WAIT_TODO                                                                           \
    "Let the CPU wait for that stream before it touches the bytes (cudaStreamSynchronize, " \
    "cudaEventSynchronize), or start the work after the CPU is done."

/* Standing: that the API orders only so much is documented; so is that the driver cares for the
 * caches at launch, synchronisation and hints (2.2). Which operation was missing follows from the
 * model's caches. */
static const struct words words[HB_RULES] = {
    [HB_RACE] = { "race", "CUDA Programming Guide, asynchronous concurrent execution",
                  "nothing orders the two", NULL, CHECK_DOCUMENTED },
    [HB_FREED] = { "use-after-free", "CUDA Driver API, Stream Ordered Memory Allocator",
                   "comes after it: the memory may be somebody else's by then",
                   "Free the memory after its last use: queue the free behind that use.",
                   CHECK_DOCUMENTED },
    [HB_STALE_CLEAN_CPU] = { "stale-cpu-clean-missing", "CUDA for Tegra 2.1, I/O Coherency",
                             "got older bytes: the newest are in the CPU's cache, which was not "
                             "cleaned",
                             "Clean the CPU cache between the two: hand the buffer over through "
                             "the API "
                             "(launch, attach, signal).",
                             CHECK_DOCUMENTED },
    [HB_STALE_CLEAN_L2] = { "stale-l2-clean-missing", "CUDA for Tegra 2.1, I/O Coherency",
                            "got older bytes: the newest are in the iGPU's L2, which was not "
                            "cleaned "
                            "(coherency is one way: the CPU does not look there)",
                            "Synchronise through the API so that the driver cleans the L2 for this "
                            "buffer; unified memory must be attached to the stream that uses it.",
                            CHECK_DOCUMENTED },
    [HB_STALE_INVALIDATE_CPU] = { "stale-cpu-invalidate-missing",
                                  "CUDA for Tegra 2.1, I/O Coherency",
                                  "got older bytes: memory is newer than the line in the CPU's "
                                  "cache, "
                                  "which was not invalidated",
                                  "Invalidate the CPU cache between the two: take the buffer back "
                                  "through "
                                  "the API (synchronise, attach, wait).",
                                  CHECK_DOCUMENTED },
    [HB_STALE_INVALIDATE_L2] = { "stale-l2-invalidate-missing", "CUDA for Tegra 2.1, I/O Coherency",
                                 "got older bytes: they are newer outside the iGPU's L2, which was "
                                 "not "
                                 "invalidated",
                                 "Let the driver invalidate the L2 between the two: launch after "
                                 "the "
                                 "bytes were written, with the buffer attached to the launch's "
                                 "stream.",
                                 CHECK_DOCUMENTED },
    [HB_STALE_LOST] = { "stale-lost", "CUDA for Tegra 2.1, I/O Coherency",
                        "got older bytes: the newest were lost in a cache before they reached "
                        "memory",
                        "Clean the cache that held them before it is invalidated.",
                        CHECK_INFERRED },
    [HB_LOST_CPU] = { "lost-update-cpu", "Arm ARM B2.4, caches; CUDA for Tegra 2.1, I/O Coherency",
                      "was overwritten in memory by a write-back of the CPU's cache, which writes "
                      "whole "
                      "lines: false sharing with an engine that is not coherent",
                      "Keep what the CPU writes and what the engine writes in different cache "
                      "lines "
                      "(64 bytes), or hand the line over between the two.",
                      CHECK_INFERRED },
    [HB_LOST_L2] = { "lost-update-l2", "CUDA for Tegra 2.1, I/O Coherency",
                     "was overwritten in memory by a write-back of older bytes from the iGPU's L2",
                     "Clean the L2 before the other side writes: synchronise through the API.",
                     CHECK_INFERRED },
};

static const char *verb(enum hb_access access)
{
    static const char *const verbs[] = { [HB_READ] = "read",
                                         [HB_WRITE] = "write",
                                         [HB_UPDATE] = "atomic update",
                                         [HB_FREE] = "free",
                                         [HB_ALLOC] = "allocation" };

    return verbs[access];
}

/* A kernel's name is mangled, a call's is not. */
static char *who_name(const struct hb_who *w)
{
    g_autofree char *name = w->name ? demangle(w->name) : NULL;

    if (w->cpu) {
        return w->number ? g_strdup_printf("CPU thread %u", w->number) : g_strdup("the CPU");
    }
    return g_strdup_printf("%s%s%s%s (stream %u)", w->grid_id ? "kernel " : "",
                           name ? name : "an engine", w->at ? " at " : "", w->at ? w->at : "",
                           w->stream);
}

static const char *who_where(const struct hb_who *w)
{
    struct check_caller caller = { .pc = { w->pc } };

    return w->cpu ? (w->pc ? source_place(&caller)->text : NULL) : w->where;
}

/* Of the buffer as a whole, by a call. */
static bool whole(enum hb_access access)
{
    return access == HB_FREE || access == HB_ALLOC;
}

/* "write by kernel scale (stream 0), launched at app.cu:30" */
static char *who_text(const struct hb_who *w)
{
    g_autofree char *name = who_name(w);
    const char *where = who_where(w);

    return g_strdup_printf("%s by %s%s%s", verb(w->access), name,
                           !where || !*where            ? ""
                           : w->cpu || whole(w->access) ? " at "
                                                        : ", launched at ",
                           where ? where : "");
}

static bool has(const struct hb_finding *f, enum hb_access access)
{
    return f->first.access == access || f->second.access == access;
}

/* Of a race between the CPU and an engine. Host functions run on a thread of the driver's, and may
 * not call CUDA (CUDA Runtime API, cudaLaunchHostFunc). */
static char *wait_todo(const struct hb_finding *f)
{
    const struct hb_who *cpu = f->first.cpu ? &f->first : &f->second;

    if (f->waited) {
        return g_strdup_printf("CPU thread %" PRIu32
                               " has waited for this work, CPU thread %" PRIu32
                               " has not: hand the bytes over from the one to the other (a lock, a "
                               "join, or an atomic flag with release and acquire).",
                               f->waiter, cpu->number);
    }
    return g_strconcat(WAIT_TODO,
                       cpu->number ? " Where the access is in a host function, which may not call "
                                     "CUDA, let its stream wait first: cudaEventRecord behind the "
                                     "work, cudaStreamWaitEvent before cudaLaunchHostFunc."
                                   : NULL,
                       NULL);
}

/* The side that should have waited. */
static const struct hb_who *late_side(const struct hb_finding *f)
{
    return f->first_late ? &f->first : &f->second;
}

static const struct hb_who *early_side(const struct hb_finding *f)
{
    return f->first_late ? &f->second : &f->first;
}

static char *streams_todo(const struct hb_who *early, const struct hb_who *late)
{
    return g_strdup_printf("Order the streams: cudaEventRecord in stream %" PRIu32
                           " behind the %s, then cudaStreamWaitEvent in stream %" PRIu32
                           " before the %s; or use one stream.",
                           early->stream, verb(early->access), late->stream, verb(late->access));
}

/* g_free(). */
static char *todo(const struct hb_finding *f)
{
    if (f->rule != HB_RACE) {
        return g_strdup(words[f->rule].todo);
    }
    if (has(f, HB_ALLOC)) {
        return g_strdup("Let the stream that uses the memory wait for its allocation: "
                        "cudaEventRecord after it in its stream, and cudaStreamWaitEvent in the "
                        "other one before the use.");
    }
    if (has(f, HB_FREE)) {
        return g_strdup("Let the stream that frees wait for the last use: cudaEventRecord after "
                        "that use in its stream, and cudaStreamWaitEvent in this one before the "
                        "free.");
    }
    if (f->first.cpu != f->second.cpu) {
        return wait_todo(f);
    }
    return f->first.cpu ? g_strdup("Order the threads: a mutex, a join, or an atomic flag.")
                        : streams_todo(early_side(f), late_side(f));
}

/* A sentence, or "": the wait that did not order the two. g_free(). */
static char *event_text(const struct hb_finding *f)
{
    const struct hb_who *late = late_side(f), *work = early_side(f);
    g_autofree char *name =
        late->cpu ? who_name(late) : g_strdup_printf("stream %" PRIu32, late->stream);
    g_autofree char *than = f->event_stream == work->stream
                                ? g_strdup_printf("but before the %s", verb(work->access))
                                : g_strdup_printf("not behind the %s in stream %" PRIu32,
                                                  verb(work->access), work->stream);

    return f->event_where
               ? g_strdup_printf(" The last event that %s waited for was recorded at %s, in stream "
                                 "%" PRIu32 ", %s.",
                                 name, f->event_where, f->event_stream, than)
               : g_strdup("");
}

static char *finding_text(const struct hb_finding *f)
{
    g_autofree char *first = who_name(&f->first), *second = who_name(&f->second);

    if (f->rule == HB_RACE) {
        g_autofree char *event = event_text(f);

        return g_strdup_printf("Race: %s by %s and %s by %s of the same bytes; %s.%s",
                               verb(f->first.access), first, verb(f->second.access), second,
                               words[f->rule].what, event);
    }
    if (f->rule == HB_FREED) {
        return g_strdup_printf("Use after free: the %s by %s of memory that %s frees %s.",
                               verb(f->second.access), second, first, words[f->rule].what);
    }
    if (f->rule == HB_LOST_CPU || f->rule == HB_LOST_L2) {
        return g_strdup_printf("Lost: the %s by %s (%" PRIu64 " byte%s) %s.", verb(f->first.access),
                               first, f->size, f->size == 1 ? "" : "s", words[f->rule].what);
    }
    return g_strdup_printf("Stale: the %s by %s after the %s by %s %s.", verb(f->second.access),
                           second, verb(f->first.access), first, words[f->rule].what);
}

/* What makes it happen again: the command, else options; a trace from elsewhere may not know them
 * all. */
static char *run_text(const struct run *r)
{
    bool seeded = g_strcmp0(r->policy, "seeded") == 0 || g_strcmp0(r->evict, "seeded") == 0;
    g_autofree char *seed = seeded ? g_strdup_printf(" --seed %" PRIu64, r->seed) : g_strdup("");

    if (r->again) {
        return g_strdup(r->again);
    }
    return r->soc && r->policy && r->evict ? g_strdup_printf("--soc %s --policy %s --evict %s%s",
                                                             r->soc, r->policy, r->evict, seed)
                                           : NULL;
}

/* The place a developer looks at is the CPU's, that of an early free, or that of the use of what is
 * allocated; the other side is told beside it. */
static const struct hb_who *place_of(const struct hb_finding *f)
{
    bool early_free = f->rule == HB_RACE && f->first.access == HB_FREE;

    bool late_alloc = f->second.access == HB_ALLOC;

    return (f->first.cpu && !f->second.cpu) || early_free || late_alloc ? &f->first : &f->second;
}

/* What one side does and where, whoever does it: "write k1 a.cu:5 k.cu:9"; NULL: not known. */
static char *side_key(const struct hb_who *w)
{
    const char *where = who_where(w);

    return where && *where ? g_strdup_printf("%s %s %s %s", verb(w->access),
                                             w->cpu ? "CPU" : w->name, where, w->at ? w->at : "")
                           : NULL;
}

/* By which run_note.c knows the defect again. A race is the same whoever comes first. */
static char *pair_key(const struct hb_finding *f, bool unseen)
{
    g_autofree char *first = side_key(&f->first);
    g_autofree char *second = unseen ? g_strdup("unseen") : side_key(&f->second);
    bool turned = f->rule == HB_RACE && g_strcmp0(first, second) > 0;

    return first && second
               ? g_strdup_printf("%s, %s", turned ? second : first, turned ? first : second)
               : NULL;
}

/* g_free(). */
static char *streams_text(const struct hb_finding *f)
{
    uint32_t a = f->first.stream, b = f->second.stream;

    if (f->first.cpu && f->second.cpu) {
        return NULL;
    }
    return f->first.cpu || f->second.cpu || a == b
               ? g_strdup_printf("%" PRIu32, f->first.cpu ? b : a)
               : g_strdup_printf("%" PRIu32 ",%" PRIu32, MIN(a, b), MAX(a, b));
}

void hb_words(const struct run *r, const struct hb_finding *f, struct note *n)
{
    const struct words *w = &words[f->rule];
    const struct hb_who *here = place_of(f);
    const struct hb_who *there = here == &f->first ? &f->second : &f->first;
    const struct hb_who *gpu = !here->cpu && !whole(here->access) ? here
                               : !there->cpu                      ? there
                                                                  : NULL;
    bool unseen =
        (f->rule == HB_LOST_CPU || f->rule == HB_LOST_L2) && f->first.cpu == f->second.cpu;
    g_autofree char *text = finding_text(f), *run = run_text(r), *what_to_do = todo(f);
    g_autofree char *pair = pair_key(f, unseen), *streams = streams_text(f);
    g_autofree char *other = unseen ? g_strdup("stores that no hook saw") : who_text(there);

    note_init(n, "finding");
    note_str(n, "rule", w->rule);
    note_str(n, "severity", run_severity_name[CHECK_ERROR]);
    note_str(n, "standing", run_standing_name[w->standing]);
    note_str(n, "section",
             has(f, HB_FREE) || has(f, HB_ALLOC) ? words[HB_FREED].section : w->section);
    note_str(n, "text", text);
    note_str(n, "todo", what_to_do);
    note_str(n, "kernel", gpu && gpu->grid_id ? gpu->name : NULL);
    note_u64(n, "region", f->region);
    note_hex(n, "offset", f->offset);
    if (who_where(here) && *who_where(here)) {
        note_str(n, "where", who_where(here));
    }
    note_str(n, "other", other);
    note_str(n, "pair", pair);
    note_str(n, "streams", streams);
    note_str(n, "run", run);
    if (f->count > 1) {
        note_u64(n, "count", f->count);
    }
}

void hb_tell(void *check, const struct hb_finding *f)
{
    struct check *c = check;
    struct note n;

    hb_words(c->run, f, &n);
    told_finding(c, &n);
}

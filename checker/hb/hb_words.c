/* SPDX-License-Identifier: MIT */
/* What the happens-before checker found, in words: both accesses, the rule. */
#include "checker/hb/hb_words_internal.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/run/run_planes.h"

const struct check_rule *hb_words_rule(enum hb_rule rule)
{
    static const enum check_rule_id ids[HB_RULES] = {
        [HB_RACE] = CHECK_RULE_RACE,
        [HB_FREED] = CHECK_RULE_FREED,
        [HB_STALE_CLEAN_CPU] = CHECK_RULE_STALE_CLEAN_CPU,
        [HB_STALE_CLEAN_L2] = CHECK_RULE_STALE_CLEAN_L2,
        [HB_STALE_INVALIDATE_CPU] = CHECK_RULE_STALE_INVALIDATE_CPU,
        [HB_STALE_INVALIDATE_L2] = CHECK_RULE_STALE_INVALIDATE_L2,
        [HB_STALE_LOST] = CHECK_RULE_STALE_LOST,
        [HB_LOST_CPU] = CHECK_RULE_LOST_CPU,
        [HB_LOST_L2] = CHECK_RULE_LOST_L2,
    };

    return &check_rules[ids[rule]];
}

const char *hb_words_verb(enum hb_access access)
{
    static const char *const verbs[] = { [HB_READ] = "read",
                                         [HB_WRITE] = "write",
                                         [HB_UPDATE] = "atomic update",
                                         [HB_FREE] = "free",
                                         [HB_ALLOC] = "allocation" };

    return verbs[access];
}

/* A kernel's name is mangled, a call's is not. */
char *hb_words_who(const struct hb_who *w)
{
    g_autofree char *name = w->name ? demangle(w->name) : NULL, *stream = NULL;

    if (w->process) {
        return g_strdup(w->name);
    }
    if (w->cpu) {
        return w->number ? g_strdup_printf("CPU thread %u", w->number) : g_strdup("the CPU");
    }
    stream = w->stream == HB_NO_STREAM ? g_strdup("no stream") : run_stream_text(w->stream);
    return g_strdup_printf("%s%s%s%s (%s)", w->grid_id ? "kernel " : "", name ? name : "an engine",
                           w->at ? " at " : "", w->at ? w->at : "", stream);
}

/* "write by kernel scale (stream 0), launched at app.cu:30" */
static char *who_text(const struct hb_who *w)
{
    g_autofree char *name = hb_words_who(w);
    const char *where = w->where;

    return g_strdup_printf("%s by %s%s%s", hb_words_verb(w->access), name,
                           !where || !*where                     ? ""
                           : w->cpu || hb_words_whole(w->access) ? " at "
                                                                 : ", launched at ",
                           where ? where : "");
}

/* A call that is not asynchronous by its name. */
static bool is_call(const char *name, const char *what)
{
    return name && (g_str_has_prefix(name, "cuda") || g_str_has_prefix(name, "cu")) &&
           strstr(name, what) && !strstr(name, "Async");
}

/* CUDA Runtime API, API synchronization behavior: such a copy out of pageable memory returns when
 * its source is staged. Work that does not wait for the copy's stream may overtake the rest. */
bool hb_words_copy_pending(const struct hb_finding *f)
{
    const struct hb_who *copy = hb_words_early(f), *late = hb_words_late(f);

    return f->rule == HB_RACE && copy->staged && copy->access == HB_WRITE && !late->cpu &&
           !hb_words_of_processes(f) &&
           (is_call(copy->name, "Memcpy") || is_call(copy->name, "cublasSet"));
}

static const struct check_rule *rule_of(const struct hb_finding *f)
{
    return hb_words_copy_pending(f) ? &check_rules[CHECK_RULE_COPY_PENDING]
                                    : hb_words_rule(f->rule);
}

/* A sentence, or "": the wait that did not order the two. g_free(). */
static char *event_text(const struct hb_finding *f)
{
    const struct hb_who *late = hb_words_late(f), *work = hb_words_early(f);
    bool streams = (late->cpu || late->stream != HB_NO_STREAM) && work->stream != HB_NO_STREAM;
    g_autofree char *name = late->cpu ? hb_words_who(late) : run_stream_text(late->stream);
    g_autofree char *in = run_stream_text(work->stream), *event = run_stream_text(f->event_stream);
    g_autofree char *than =
        f->event_stream == work->stream
            ? g_strdup_printf("but before the %s", hb_words_verb(work->access))
            : g_strdup_printf("not behind the %s in %s", hb_words_verb(work->access), in);

    return f->event_where && streams
               ? g_strdup_printf(" The last event that %s waited for was recorded at %s, in %s, "
                                 "%s.",
                                 name, f->event_where, event, than)
               : g_strdup("");
}

/* A sentence, or "": the call was not asynchronous by its name, and yet its work went on. */
static char *call_text(const struct run *r, const struct hb_finding *f)
{
    const struct run_region *region = run_region(r, f->region);
    const struct hb_who *work = hb_words_early(f);
    bool copy = is_call(work->name, "Memcpy"), fill = is_call(work->name, "Memset");

    if (work->cpu || work->grid_id || work->access != HB_WRITE || !region ||
        region->kind != RUN_DEVICE || (!copy && !fill)) {
        return g_strdup("");
    }
    return g_strdup_printf(" %s may return before its %s is done%s (CUDA Runtime API, API "
                           "synchronization behavior).",
                           work->name, copy ? "copy" : "fill",
                           !copy          ? ""
                           : work->staged ? ": of pageable memory, when the bytes are staged"
                                          : ": within device memory, at once");
}

static char *copy_pending_text(const struct run *r, const struct hb_finding *f)
{
    const struct hb_who *copy = hb_words_early(f), *late = hb_words_late(f);
    const char *made =
        late->stream == HB_NO_STREAM ? NULL : run_stream_nonblocking(r, late->stream);
    g_autofree char *at = hb_todo_at(copy), *with = who_text(late), *to = NULL, *stream = NULL,
                    *by = NULL, *event = event_text(f);

    to = run_region(r, f->region) ? run_region_name(run_region(r, f->region))
                                  : g_strdup("its destination");
    if (made) {
        stream = run_stream_text(late->stream);
        by = g_strdup_printf(" (%s does not wait for it: it was made non-blocking at %s)", stream,
                             made);
    }
    return g_strdup_printf("%s%s returns when the bytes of pageable memory are staged; the copy "
                           "from there to %s may still be undone, and nothing orders it before "
                           "the %s%s.%s",
                           copy->name, at, to, with, by ? by : "", event);
}

static char *plain_text(const struct run *r, const struct hb_finding *f)
{
    g_autofree char *first = hb_words_who(&f->first), *second = hb_words_who(&f->second);

    if (hb_words_copy_pending(f)) {
        return copy_pending_text(r, f);
    }
    if (f->rule == HB_RACE) {
        g_autofree char *event = event_text(f), *call = call_text(r, f);

        return g_strdup_printf("Race: %s by %s and %s by %s of the same bytes; %s.%s%s",
                               hb_words_verb(f->first.access), first,
                               hb_words_verb(f->second.access), second,
                               hb_words_rule(f->rule)->text, event, call);
    }
    if (f->rule == HB_FREED) {
        return g_strdup_printf("Use after free: the %s by %s of memory that %s frees %s.",
                               hb_words_verb(f->second.access), second, first,
                               hb_words_rule(f->rule)->text);
    }
    if (f->rule == HB_LOST_CPU || f->rule == HB_LOST_L2) {
        return g_strdup_printf("Lost: the %s by %s (%" PRIu64 " byte%s) %s.",
                               hb_words_verb(f->first.access), first, f->size,
                               f->size == 1 ? "" : "s", hb_words_rule(f->rule)->text);
    }
    return g_strdup_printf("Stale: the %s by %s after the %s by %s %s.",
                           hb_words_verb(f->second.access), second, hb_words_verb(f->first.access),
                           first, hb_words_rule(f->rule)->text);
}

/* Where in a picture. g_free(). */
static char *finding_text(const struct run *r, const struct hb_finding *f)
{
    g_autofree char *plane = run_plane_text(run_region(r, f->region), f->offset, f->size);
    char *text = plain_text(r, f);

    if (plane) {
        char *more = g_strdup_printf("%s The bytes lie %s of the buffer.", text, plane);

        g_free(text);
        text = more;
    }
    return text;
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

/* Primary location of a finding: this process's; else the CPU access if there is one, else the
 * premature free, else the copy that may be pending, else the use of the buffer. The other access
 * is the secondary location. */
static const struct hb_who *place_of(const struct hb_finding *f)
{
    bool early_free = f->rule == HB_RACE && f->first.access == HB_FREE;

    bool late_alloc = f->second.access == HB_ALLOC;

    if (hb_words_of_processes(f)) {
        return f->first.process ? &f->second : &f->first;
    }
    if (hb_words_copy_pending(f)) {
        return hb_words_early(f);
    }
    return (f->first.cpu && !f->second.cpu) || early_free || late_alloc ? &f->first : &f->second;
}

/* What one side does and where, whoever does it: "write k1 a.cu:5 k.cu:9"; NULL: not known. */
static char *side_key(const struct hb_who *w)
{
    const char *where = w->where;

    return where && *where ? g_strdup_printf("%s %s %s %s", hb_words_verb(w->access),
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
    const struct hb_who *own = place_of(f);

    if (hb_words_of_processes(f)) {
        return own->cpu || own->stream == HB_NO_STREAM ? NULL
                                                       : g_strdup_printf("%" PRIu32, own->stream);
    }
    if (f->first.cpu && f->second.cpu) {
        return NULL;
    }
    return f->first.cpu || f->second.cpu || a == b
               ? g_strdup_printf("%" PRIu32, f->first.cpu ? b : a)
               : g_strdup_printf("%" PRIu32 ",%" PRIu32, MIN(a, b), MAX(a, b));
}

void hb_words(const struct run *r, const struct hb_finding *f, struct note *n)
{
    const struct check_rule *w = rule_of(f);
    const struct hb_who *here = place_of(f);
    const struct hb_who *there = here == &f->first ? &f->second : &f->first;
    const struct hb_who *kernel = here->grid_id ? here : there;
    bool unseen =
        (f->rule == HB_LOST_CPU || f->rule == HB_LOST_L2) && f->first.cpu == f->second.cpu;
    g_autofree char *text = finding_text(r, f), *run = run_text(r), *what_to_do = hb_todo(r, f);
    g_autofree char *event = f->rule == HB_RACE ? event_text(f) : NULL;
    g_autofree char *pair = pair_key(f, unseen), *streams = streams_text(f);
    g_autofree char *other = unseen ? g_strdup("stores that no hook saw") : who_text(there);

    note_init(n, "finding");
    note_str(n, "rule", w->name);
    note_str(n, "severity", run_severity_name[w->severity]);
    note_str(n, "standing", run_standing_name[w->standing]);
    note_str(n, "section",
             hb_words_has(f, HB_FREE) || hb_words_has(f, HB_ALLOC)
                 ? hb_words_rule(HB_FREED)->section
                 : w->section);
    note_str(n, "text", text);
    note_str(n, "todo", what_to_do);
    note_str(n, "kernel", kernel->grid_id ? kernel->name : NULL);
    note_u64(n, "region", f->region);
    note_hex(n, "offset", f->offset);
    if (here->where && *here->where) {
        note_str(n, "where", here->where);
    }
    note_str(n, "other", other);
    if (here->cpu && there->cpu && !unseen && !hb_words_of_processes(f)) {
        note_u64(n, "thread", here->number);
        note_u64(n, "other_thread", there->number);
    }
    note_str(n, "pair", pair);
    if (event && *event) {
        note_str(n, "event", event + 1);
    }
    note_str(n, "streams", streams);
    note_str(n, "run", run);
    if (f->count > 1) {
        note_u64(n, "count", f->count);
    }
}

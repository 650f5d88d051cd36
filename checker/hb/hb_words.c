/* SPDX-License-Identifier: MIT */
/* What the happens-before checker found, in words: both accesses, the missing operation, the rule.
 */
#include "checker/hb/hb_words.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/rules/rules.h"
#include "checker/run/run_planes.h"

#define WAIT_TODO                                                                           \
    "Let the CPU wait for that stream before it touches the bytes (cudaStreamSynchronize, " \
    "cudaEventSynchronize), or start the work after the CPU is done."

#define PASS_CALLS                                                                  \
    "NvSciSyncIpcExportFence, NvSciSyncIpcImportFence; with CUDA IPC, an event of " \
    "cudaIpcOpenEventHandle, recorded behind it and then waited for by cudaStreamWaitEvent"

#define FENCE_TODO                                                               \
    "Let the CPU wait for the fence of that task%s before it touches the bytes " \
    "(NvSciSyncFenceWait), or signal a fence that the task waits for when the CPU is done."

#define SIGNALLED_TODO                                                                          \
    "Let the CPU wait for the fence that is signalled behind the work at %s before it touches " \
    "the bytes (NvSciSyncFenceWait); or signal a fence that the stream waits for when the CPU " \
    "is done (NvSciSyncObjSignal, cudaWaitExternalSemaphoresAsync)."

#define SCI_TODO                                                                                   \
    "Signal a sync object in that stream behind the work (cudaSignalExternalSemaphoresAsync), "    \
    "and "                                                                                         \
    "let the CPU wait for this fence before it touches the bytes (NvSciSyncFenceWait); or signal " \
    "a "                                                                                           \
    "fence that the stream waits for when the CPU is done (NvSciSyncObjSignal, "                   \
    "cudaWaitExternalSemaphoresAsync)."

#define FRAME_TODO                                                                                 \
    "A frame of an EGLStream passes from stream to stream, and the CPU waits for neither: let it " \
    "wait for the stream that the frame was acquired or returned in (cudaStreamSynchronize "       \
    "behind %s), and touch the frame only between that call and ReleaseFrame or PresentFrame."

#define FRAME_STREAMS_TODO                                                                     \
    "Pass the frame: cudaEGLStreamProducerPresentFrame with the stream of the %s, behind it; " \
    "then "                                                                                    \
    "cudaEGLStreamConsumerAcquireFrame with the stream of the %s, before it. The way back is " \
    "cudaEGLStreamConsumerReleaseFrame and cudaEGLStreamProducerReturnFrame."

static const struct check_rule *rule_row(enum hb_rule rule)
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

static const char *hb_words_verb(enum hb_access access)
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

/* Of the buffer as a whole, by a call. */
static bool hb_words_whole(enum hb_access access)
{
    return access == HB_FREE || access == HB_ALLOC;
}

/* "write by kernel scale (stream 0), launched at app.cu:30" */
static char *who_text(const struct hb_who *w)
{
    g_autofree char *name = who_name(w);
    const char *where = w->where;

    return g_strdup_printf("%s by %s%s%s", hb_words_verb(w->access), name,
                           !where || !*where                     ? ""
                           : w->cpu || hb_words_whole(w->access) ? " at "
                                                                 : ", launched at ",
                           where ? where : "");
}

static bool hb_words_has(const struct hb_finding *f, enum hb_access access)
{
    return f->first.access == access || f->second.access == access;
}

/* "at app.cu:50", or "" */
static char *at_text(const struct hb_who *w)
{
    return w->where && *w->where ? g_strdup_printf(" at %s", w->where) : g_strdup("");
}

static char *frame_todo(const struct hb_finding *f)
{
    g_autofree char *stream = run_stream_text(f->frame_stream);
    g_autofree char *call =
        f->frame_where
            ? g_strdup_printf("%s at %s, which gave it in %s", f->frame_api, f->frame_where, stream)
            : g_strdup("cudaEGLStreamConsumerAcquireFrame or cudaEGLStreamProducerReturnFrame");

    return g_strdup_printf(FRAME_TODO, call);
}

/* Of a race between the CPU and an engine. Host functions run on a thread of the driver's, and may
 * not call CUDA (CUDA Runtime API, cudaLaunchHostFunc). */
static char *wait_todo(const struct run *r, const struct hb_finding *f)
{
    const struct run_region *region = run_region(r, f->region);
    const struct hb_who *cpu = f->first.cpu ? &f->first : &f->second;
    const struct hb_who *work = f->first.cpu ? &f->second : &f->first;

    if (f->waited) {
        return g_strdup_printf("CPU thread %" PRIu32
                               " has waited for this work, CPU thread %" PRIu32
                               " has not: let the second thread wait for the first (a lock, a "
                               "join, or an atomic flag with release and acquire).",
                               f->waiter, cpu->number);
    }
    if (work->stream == HB_NO_STREAM) {
        g_autofree char *at = at_text(work);

        return g_strdup_printf(FENCE_TODO, at);
    }
    if (f->sync_where && region && region->kind == RUN_SHARED) {
        return g_strdup_printf(SIGNALLED_TODO, f->sync_where);
    }
    if (region && region->frame) {
        return frame_todo(f);
    }
    if (region && region->kind == RUN_SHARED) {
        return g_strdup(SCI_TODO);
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

static bool is_nvmedia(const struct hb_who *w)
{
    return w->name && g_str_has_prefix(w->name, "NvMedia");
}

static bool of_processes(const struct hb_finding *f)
{
    return f->first.process || f->second.process;
}

/* A call that is not asynchronous by its name. */
static bool is_call(const char *name, const char *what)
{
    return name && (g_str_has_prefix(name, "cuda") || g_str_has_prefix(name, "cu")) &&
           strstr(name, what) && !strstr(name, "Async");
}

/* CUDA Runtime API, API synchronization behavior: such a copy out of pageable memory returns when
 * its source is staged. Work that does not wait for the copy's stream may overtake the rest. */
static bool is_copy_pending(const struct hb_finding *f)
{
    const struct hb_who *copy = early_side(f), *late = late_side(f);

    return f->rule == HB_RACE && copy->staged && copy->access == HB_WRITE && !late->cpu &&
           !of_processes(f) && (is_call(copy->name, "Memcpy") || is_call(copy->name, "cublasSet"));
}

static const struct check_rule *rule_of(const struct hb_finding *f)
{
    return is_copy_pending(f) ? &check_rules[CHECK_RULE_COPY_PENDING] : rule_row(f->rule);
}

static char *copy_pending_todo(const struct hb_finding *f)
{
    const struct hb_who *copy = early_side(f), *late = late_side(f);
    g_autofree char *from = copy->stream == HB_NO_STREAM ? g_strdup("its stream")
                                                         : run_stream_text(copy->stream),
                    *to = late->stream == HB_NO_STREAM ? g_strdup("the other work")
                                                       : run_stream_text(late->stream);

    return g_strdup_printf(
        "Copy in the stream that uses the bytes (cudaMemcpyAsync in %s), or wait "
        "for %s after the copy (cudaStreamSynchronize, or cudaEventRecord and "
        "cudaStreamWaitEvent).",
        to, from);
}

/* One side is another process's: the fence has to get from the one to the other. */
static char *processes_todo(const struct hb_finding *f)
{
    const struct hb_who *early = early_side(f), *late = late_side(f);
    g_autofree char *first = who_name(early), *second = who_name(late);

    if (late->cpu) {
        return g_strdup_printf("Let %s wait for a fence of the %s by %s before it touches the "
                               "bytes (NvSciSyncFenceWait), or signal a fence that this work waits "
                               "for when the CPU is done. The fence passes from one process to the "
                               "other: " PASS_CALLS ".",
                               second, hb_words_verb(early->access), first);
    }
    return g_strdup_printf("Signal a sync object behind the %s by %s, pass its fence to the other "
                           "process (" PASS_CALLS "), and let the %s by %s wait for it: "
                           "cudaSignalExternalSemaphoresAsync and cudaWaitExternalSemaphoresAsync "
                           "in a stream, signalEvents and waitEvents of a task.",
                           hb_words_verb(early->access), first, hb_words_verb(late->access),
                           second);
}

/* Two that the same stream was given, and that have no order: nodes of one graph. */
static char *streams_todo(const struct hb_who *early, const struct hb_who *late)
{
    g_autofree char *first = NULL, *second = NULL;

    if (early->stream == HB_NO_STREAM || late->stream == HB_NO_STREAM) {
        return g_strdup_printf("Signal a sync object behind the %s, and let the %s wait for its "
                               "fence: cudaSignalExternalSemaphoresAsync and "
                               "cudaWaitExternalSemaphoresAsync in a stream, %s.",
                               hb_words_verb(early->access), hb_words_verb(late->access),
                               is_nvmedia(early) || is_nvmedia(late)
                                   ? "EOF and pre-fences of an operation of NvMedia 2D"
                                   : "signalEvents and waitEvents of a task");
    }
    if (early->stream == late->stream) {
        return g_strdup_printf("Add an edge to the graph: make the %s a dependency of the %s "
                               "(cudaGraphAddDependencies); or capture both from one stream.",
                               hb_words_verb(early->access), hb_words_verb(late->access));
    }
    first = run_stream_text(early->stream);
    second = run_stream_text(late->stream);
    return g_strdup_printf("Order the streams: cudaEventRecord in %s behind the %s, then "
                           "cudaStreamWaitEvent in %s before the %s%s",
                           first, hb_words_verb(early->access), second, hb_words_verb(late->access),
                           early->stream >> RUN_STREAM_DEVICE == late->stream >> RUN_STREAM_DEVICE
                               ? "; or use one stream."
                               : ". An event orders streams of two devices, too.");
}

/* No call maintains the CPU's caches for an engine that CUDA does not know. */
static bool is_flush_missing(const struct hb_finding *f)
{
    return (f->rule == HB_STALE_CLEAN_CPU || f->rule == HB_STALE_INVALIDATE_CPU) &&
           (f->first.stream == HB_NO_STREAM || f->second.stream == HB_NO_STREAM);
}

/* CUDA Programming Guide, NVSCI interoperability: a signal or wait of an external semaphore
 * maintains the L2 for NvSciBuf memory, unless its flag SkipNvSciBufMemSync is set. */
static char *stale_sci_todo(const struct hb_finding *f)
{
    bool clean = f->rule == HB_STALE_CLEAN_L2;

    if (f->sync_where && f->sync_skips) {
        return g_strdup_printf("The %s at %s does not %s the L2, because its flag "
                               "SkipNvSciBufMemSync is set: call it without the flag.",
                               clean ? "signal" : "wait", f->sync_where,
                               clean ? "clean" : "invalidate");
    }
    if (f->sync_where && clean) {
        return g_strdup_printf("Wait for the fence that is signalled behind the work at %s "
                               "(NvSciSyncFenceWait): for an NvSciBuf buffer this signal cleans "
                               "the L2. A wait for the stream alone does not.",
                               f->sync_where);
    }
    return g_strdup(clean ? "Signal a sync object in the stream after the work "
                            "(cudaSignalExternalSemaphoresAsync, without SkipNvSciBufMemSync) and "
                            "wait for its fence (NvSciSyncFenceWait): for an NvSciBuf buffer this "
                            "signal cleans the L2. A wait for the stream alone does not."
                          : "Let the stream wait for a fence of the other side before the work "
                            "(cudaWaitExternalSemaphoresAsync, without SkipNvSciBufMemSync): for "
                            "an NvSciBuf buffer this wait invalidates the L2.");
}

static char *stale_todo(const struct run *r, const struct hb_finding *f)
{
    const struct run_region *region = run_region(r, f->region);
    bool of_l2 = f->rule == HB_STALE_CLEAN_L2 || f->rule == HB_STALE_INVALIDATE_L2;

    return region && region->kind == RUN_SHARED && of_l2 ? stale_sci_todo(f)
                                                         : g_strdup(rule_row(f->rule)->todo);
}

/* A buffer of NvBufSurface, which no driver maintains; NULL: none. g_free(). */
static char *planes_todo(const struct run *r, const struct hb_finding *f)
{
    bool for_cpu = f->rule == HB_STALE_INVALIDATE_CPU;

    return for_cpu || f->rule == HB_STALE_CLEAN_CPU || f->rule == HB_LOST_CPU
               ? run_plane_todo(run_region(r, f->region), f->offset, for_cpu)
               : NULL;
}

/* g_free(). */
static char *hb_words_todo(const struct run *r, const struct hb_finding *f)
{
    char *of_planes = planes_todo(r, f);

    if (of_planes) {
        return of_planes;
    }
    if (is_flush_missing(f)) {
        return g_strdup("Clean and invalidate the CPU's lines of these bytes between the two "
                        "(NvSciBufObjFlushCpuCacheRange): the engine does not see the CPU's "
                        "caches (CpuNeedSwCacheCoherency).");
    }
    if (f->rule != HB_RACE) {
        return stale_todo(r, f);
    }
    if (g_strcmp0(f->first.name, "VIDIOC_QBUF") == 0 ||
        g_strcmp0(f->second.name, "VIDIOC_QBUF") == 0) { /* V4L2 has no fence of the camera's */
        return g_strdup(
            "A queued buffer is the camera's. Use it when VIDIOC_DQBUF has returned it, "
            "and queue it again (VIDIOC_QBUF) when the work on it is done.");
    }
    if (is_copy_pending(f)) {
        return copy_pending_todo(f);
    }
    if (hb_words_has(f, HB_ALLOC)) {
        return g_strdup("Let the stream that uses the memory wait for its allocation: "
                        "cudaEventRecord after it in its stream, and cudaStreamWaitEvent in the "
                        "other one before the use.");
    }
    if (hb_words_has(f, HB_FREE)) {
        return g_strdup("Let the stream that frees wait for the last use: cudaEventRecord after "
                        "that use in its stream, and cudaStreamWaitEvent in this one before the "
                        "free.");
    }
    if (of_processes(f)) {
        return processes_todo(f);
    }
    if (f->first.cpu != f->second.cpu) {
        return wait_todo(r, f);
    }
    if (!f->first.cpu && run_region(r, f->region) && run_region(r, f->region)->frame) {
        return g_strdup_printf(FRAME_STREAMS_TODO, hb_words_verb(early_side(f)->access),
                               hb_words_verb(late_side(f)->access));
    }
    return f->first.cpu ? g_strdup("Order the threads: a mutex, a join, or an atomic flag.")
                        : streams_todo(early_side(f), late_side(f));
}

/* A sentence, or "": the wait that did not order the two. g_free(). */
static char *event_text(const struct hb_finding *f)
{
    const struct hb_who *late = late_side(f), *work = early_side(f);
    bool streams = (late->cpu || late->stream != HB_NO_STREAM) && work->stream != HB_NO_STREAM;
    g_autofree char *name = late->cpu ? who_name(late) : run_stream_text(late->stream);
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
    const struct hb_who *work = early_side(f);
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
    const struct hb_who *copy = early_side(f), *late = late_side(f);
    const char *made =
        late->stream == HB_NO_STREAM ? NULL : run_stream_nonblocking(r, late->stream);
    g_autofree char *at = at_text(copy), *with = who_text(late), *to = NULL, *stream = NULL,
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
    g_autofree char *first = who_name(&f->first), *second = who_name(&f->second);

    if (is_copy_pending(f)) {
        return copy_pending_text(r, f);
    }
    if (f->rule == HB_RACE) {
        g_autofree char *event = event_text(f), *call = call_text(r, f);

        return g_strdup_printf("Race: %s by %s and %s by %s of the same bytes; %s.%s%s",
                               hb_words_verb(f->first.access), first,
                               hb_words_verb(f->second.access), second, rule_row(f->rule)->text,
                               event, call);
    }
    if (f->rule == HB_FREED) {
        return g_strdup_printf("Use after free: the %s by %s of memory that %s frees %s.",
                               hb_words_verb(f->second.access), second, first,
                               rule_row(f->rule)->text);
    }
    if (f->rule == HB_LOST_CPU || f->rule == HB_LOST_L2) {
        return g_strdup_printf("Lost: the %s by %s (%" PRIu64 " byte%s) %s.",
                               hb_words_verb(f->first.access), first, f->size,
                               f->size == 1 ? "" : "s", rule_row(f->rule)->text);
    }
    return g_strdup_printf("Stale: the %s by %s after the %s by %s %s.",
                           hb_words_verb(f->second.access), second, hb_words_verb(f->first.access),
                           first, rule_row(f->rule)->text);
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

    if (of_processes(f)) {
        return f->first.process ? &f->second : &f->first;
    }
    if (is_copy_pending(f)) {
        return early_side(f);
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

    if (of_processes(f)) {
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
    g_autofree char *text = finding_text(r, f), *run = run_text(r),
                    *what_to_do = hb_words_todo(r, f);
    g_autofree char *pair = pair_key(f, unseen), *streams = streams_text(f);
    g_autofree char *other = unseen ? g_strdup("stores that no hook saw") : who_text(there);

    note_init(n, "finding");
    note_str(n, "rule", w->name);
    note_str(n, "severity", run_severity_name[w->severity]);
    note_str(n, "standing", run_standing_name[w->standing]);
    note_str(n, "section",
             hb_words_has(f, HB_FREE) || hb_words_has(f, HB_ALLOC) ? rule_row(HB_FREED)->section
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
    if (here->cpu && there->cpu && !unseen && !of_processes(f)) {
        note_u64(n, "thread", here->number);
        note_u64(n, "other_thread", there->number);
    }
    note_str(n, "pair", pair);
    note_str(n, "streams", streams);
    note_str(n, "run", run);
    if (f->count > 1) {
        note_u64(n, "count", f->count);
    }
}

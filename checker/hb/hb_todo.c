/* SPDX-License-Identifier: MIT */
/* What to do about what the happens-before checker found: the missing operation, in the words of
 * the API that the program uses, and where it goes. */
#include <inttypes.h>
#include <string.h>

#include "checker/hb/hb_words_internal.h"
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

#define FRAME_APART_TODO                                                                        \
    "The frame was given and passed on in other streams than %s, so that nothing of the "       \
    "EGLStream waits for %s: run it in the stream that is given to AcquireFrame and "           \
    "ReleaseFrame (of a producer, to PresentFrame), or let that stream wait for it before the " \
    "frame is passed on (cudaEventRecord in %s behind it, cudaStreamWaitEvent). The CPU may "   \
    "then touch the frame when it has waited for the stream that it got it in "                 \
    "(cudaStreamSynchronize behind %s)."

#define FRAME_STREAMS_TODO                                                                      \
    "Pass the frame: cudaEGLStreamProducerPresentFrame with the stream of %s, behind it; then " \
    "cudaEGLStreamConsumerAcquireFrame with the stream of %s, before it. The way back is "      \
    "cudaEGLStreamConsumerReleaseFrame and cudaEGLStreamProducerReturnFrame."

#define FUNCTION_TODO                                                                             \
    "A host function runs when its stream comes to it: let the other side wait for that, by "     \
    "cudaStreamSynchronize behind %s (or cudaEventRecord behind it and "                          \
    "cudaEventSynchronize), before it touches the bytes; or by an atomic flag that the function " \
    "sets last. A mutex does not do: it keeps the two apart, but either may come first."

char *hb_todo_at(const struct hb_who *w)
{
    return w->where && *w->where ? g_strdup_printf(" at %s", w->where) : g_strdup("");
}

/* " (app.cu:50)", or "": where the program calls what does it. */
static char *place_text(const struct hb_who *w)
{
    return w->where && *w->where ? g_strdup_printf(" (%s)", w->where) : g_strdup("");
}

/* "the write (app.cu:50)" */
static char *side_text(const struct hb_who *w)
{
    g_autofree char *place = place_text(w);

    return g_strdup_printf("the %s%s", hb_words_verb(w->access), place);
}

static char *frame_todo(const struct hb_finding *f)
{
    g_autofree char *stream = run_stream_text(f->frame_stream);
    g_autofree char *call =
        f->frame_where
            ? g_strdup_printf("%s at %s, which gave it in %s", f->frame_api, f->frame_where, stream)
            : g_strdup("cudaEGLStreamConsumerAcquireFrame or cudaEGLStreamProducerReturnFrame");

    if (f->frame_apart) {
        const struct hb_who *work = f->first.cpu ? &f->second : &f->first;
        g_autofree char *side = side_text(work), *in = run_stream_text(work->stream);

        return g_strdup_printf(FRAME_APART_TODO, in, side, in, call);
    }
    return g_strdup_printf(FRAME_TODO, call);
}

/* PTX ISA 8.8, release and acquire patterns. A kernel that waits for the CPU cannot be waited for.
 */
static char *flag_todo(const struct hb_who *cpu, const struct hb_who *work)
{
    g_autofree char *name = hb_words_who(work);
    g_autofree char *at = *work->flag ? g_strdup_printf(" at %s", work->flag) : g_strdup("");

    return cpu->access == HB_READ
               ? g_strdup_printf("The %s looks at a flag of the CPU%s while it runs; if it waits "
                                 "there, the CPU cannot wait for its end first. Let it set a flag "
                                 "of its own behind the bytes, with __threadfence_system() between "
                                 "the two, and read the bytes when this flag is seen (with "
                                 "acquire).",
                                 name, at)
               : g_strdup_printf("The %s looks at a flag of the CPU%s while it runs; if it waits "
                                 "there, the CPU cannot wait for its end first. Store the bytes "
                                 "before the flag, and the flag with release (std::atomic, or a "
                                 "fence between the two); bytes that the kernel may still use are "
                                 "stored when a flag of its own says that it is done with them.",
                                 name, at);
}

/* There is a wait, but for another event, or for one that was recorded too early. */
static char *event_todo(const struct hb_finding *f, const struct hb_who *work)
{
    g_autofree char *in = run_stream_text(work->stream), *of = run_stream_text(f->event_stream);
    g_autofree char *side = side_text(work);

    return f->event_stream == work->stream
               ? g_strdup_printf("The CPU waits too early: record the event of %s behind %s, and "
                                 "wait for it then (cudaEventSynchronize), or wait for %s "
                                 "(cudaStreamSynchronize).",
                                 f->event_where, side, in)
               : g_strdup_printf("The CPU waits for another event, recorded at %s in %s: let it "
                                 "wait for one that is recorded in %s behind %s "
                                 "(cudaEventSynchronize), or for that stream "
                                 "(cudaStreamSynchronize).",
                                 f->event_where, of, in, side);
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
        g_autofree char *at = hb_todo_at(work);

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
    if (work->flag) {
        return flag_todo(cpu, work);
    }
    if (f->event_where && hb_words_late(f)->cpu) {
        return event_todo(f, work);
    }
    return g_strconcat(WAIT_TODO,
                       cpu->number ? " Where the access is in a host function, which may not call "
                                     "CUDA, let its stream wait first: cudaEventRecord behind the "
                                     "work, cudaStreamWaitEvent before cudaLaunchHostFunc."
                                   : NULL,
                       NULL);
}

static bool is_nvmedia(const struct hb_who *w)
{
    return w->name && g_str_has_prefix(w->name, "NvMedia");
}

static char *copy_pending_todo(const struct hb_finding *f)
{
    const struct hb_who *copy = hb_words_early(f), *late = hb_words_late(f);
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
    const struct hb_who *early = hb_words_early(f), *late = hb_words_late(f);
    g_autofree char *first = hb_words_who(early), *second = hb_words_who(late);

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

static char *fence_todo(const struct hb_finding *f, const char *first, const char *second)
{
    static const char calls[] = "cudaSignalExternalSemaphoresAsync and "
                                "cudaWaitExternalSemaphoresAsync in a stream";
    const char *task = is_nvmedia(&f->first) || is_nvmedia(&f->second)
                           ? "EOF and pre-fences of an operation of NvMedia 2D"
                           : "signalEvents and waitEvents of a task";

    return f->sync_where
               ? g_strdup_printf("Let %s wait for the fence that is signalled behind the %s at "
                                 "%s: %s, %s.",
                                 second, hb_words_verb(hb_words_early(f)->access), f->sync_where,
                                 calls, task)
               : g_strdup_printf("Signal a sync object behind %s, and let %s wait for its fence: "
                                 "%s, %s.",
                                 first, second, calls, task);
}

/* Two that the same stream was given, and that have no order: nodes of one graph. */
static char *streams_todo(const struct hb_finding *f)
{
    const struct hb_who *early = hb_words_early(f), *late = hb_words_late(f);
    g_autofree char *first = side_text(early), *second = side_text(late);
    g_autofree char *in = NULL, *other = NULL;

    if (early->stream == HB_NO_STREAM || late->stream == HB_NO_STREAM) {
        return fence_todo(f, first, second);
    }
    if (early->stream == late->stream) {
        return g_strdup_printf("Add an edge to the graph: make %s a dependency of %s "
                               "(cudaGraphAddDependencies); or capture both from one stream.",
                               first, second);
    }
    in = run_stream_text(early->stream);
    other = run_stream_text(late->stream);
    return g_strdup_printf("Order the streams: cudaEventRecord in %s behind %s, then "
                           "cudaStreamWaitEvent in %s before %s%s",
                           in, first, other, second,
                           early->stream >> RUN_STREAM_DEVICE == late->stream >> RUN_STREAM_DEVICE
                               ? "; or use one stream."
                               : ". An event orders streams of two devices, too.");
}

/* An allocation or a free is on one side. */
static char *pool_todo(const struct hb_finding *f)
{
    bool frees = !hb_words_has(f, HB_ALLOC), first = hb_words_whole(f->first.access);
    g_autofree char *call = place_text(first ? &f->first : &f->second);
    g_autofree char *use = place_text(first ? &f->second : &f->first);

    return frees ? g_strdup_printf("Let the stream that frees wait for the last use: "
                                   "cudaEventRecord after that use%s in its stream, and "
                                   "cudaStreamWaitEvent in this one before the free%s.",
                                   use, call)
                 : g_strdup_printf("Let the stream that uses the memory wait for its allocation: "
                                   "cudaEventRecord after it%s in its stream, and "
                                   "cudaStreamWaitEvent in the other one before the use%s.",
                                   call, use);
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
                                                         : g_strdup(hb_words_rule(f->rule)->todo);
}

/* A buffer of NvBufSurface, which no driver maintains; NULL: none. g_free(). */
static char *planes_todo(const struct run *r, const struct hb_finding *f)
{
    bool for_cpu = f->rule == HB_STALE_INVALIDATE_CPU;

    return for_cpu || f->rule == HB_STALE_CLEAN_CPU || f->rule == HB_LOST_CPU
               ? run_plane_todo(run_region(r, f->region), f->offset, for_cpu)
               : NULL;
}

/* CUDA Runtime API, cudaLaunchHostFunc. */
static char *threads_todo(const struct hb_finding *f)
{
    g_autofree char *stream = NULL, *call = NULL;

    if (!f->function) {
        return g_strdup("Order the threads: a mutex, a join, or an atomic flag.");
    }
    if (!f->function_where) {
        return g_strdup_printf(FUNCTION_TODO, "cudaLaunchHostFunc");
    }
    stream = run_stream_text(f->function_stream);
    call = g_strdup_printf("%s at %s in %s", f->function_api, f->function_where, stream);
    return g_strdup_printf(FUNCTION_TODO, call);
}

char *hb_todo(const struct run *r, const struct hb_finding *f)
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
    if (hb_words_copy_pending(f)) {
        return copy_pending_todo(f);
    }
    if (hb_words_has(f, HB_ALLOC) || hb_words_has(f, HB_FREE)) {
        return pool_todo(f);
    }
    if (hb_words_of_processes(f)) {
        return processes_todo(f);
    }
    if (f->first.cpu != f->second.cpu) {
        return wait_todo(r, f);
    }
    if (!f->first.cpu && run_region(r, f->region) && run_region(r, f->region)->frame) {
        g_autofree char *early = side_text(hb_words_early(f)), *late = side_text(hb_words_late(f));

        return g_strdup_printf(FRAME_STREAMS_TODO, early, late);
    }
    return f->first.cpu ? threads_todo(f) : streams_todo(f);
}

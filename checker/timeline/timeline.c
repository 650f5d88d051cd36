/* SPDX-License-Identifier: MIT */
/* The timeline: tracks, and what records draw on them. */
#include "checker/timeline/timeline.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/run/run.h"
#include "checker/timeline/timeline_internal.h"
#include "model/values.h"

#define PID 1 /* the one process of the picture */

/* struct label - a kernel's name. */
struct label {
    char *name;
    uint32_t stream;
};

/* What is drawn on a stream: a copy ends at the channel's next command, a DLA's operation at its
 * next one. @from_ns, @what: of what it runs. */
struct stream {
    bool copy, op, named; /* named: after its stream, whose number a kernel's note has */
    uint64_t from_ns;
    char *what;
};

static void area_free(gpointer area)
{
    g_free(((struct area *)area)->where);
    g_free(area);
}

static void stream_free(gpointer stream)
{
    g_free(((struct stream *)stream)->what);
    g_free(stream);
}

static void label_free(gpointer label)
{
    g_free(((struct label *)label)->name);
    g_free(label);
}

static void tracks_describe(struct timeline *t, const char *program)
{
    static const struct {
        enum timeline_track track;
        const char *name;
        enum perfetto_unit unit;
    } all[] = {
        { TRACK_CPU_CACHE, "CPU caches", 0 },
        { TRACK_L2, "iGPU L2", 0 },
        { TRACK_PORT, "I/O port", 0 },
        { TRACK_CPU_DIRTY, "dirty lines, CPU caches", PERFETTO_COUNT },
        { TRACK_L2_DIRTY, "dirty lines, iGPU L2", PERFETTO_COUNT },
        { TRACK_PORT_READ, "I/O port, read", PERFETTO_BYTES },
        { TRACK_PORT_WRITTEN, "I/O port, written", PERFETTO_BYTES },
    };

    perfetto_process(t->perfetto, TRACK_RUN, PID, program);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i].unit) {
            perfetto_counter(t->perfetto, all[i].track, TRACK_RUN, all[i].name, all[i].unit);
        } else {
            perfetto_track(t->perfetto, all[i].track, TRACK_RUN, all[i].name);
        }
    }
}

struct timeline *timeline_new(perfetto_write *write, void *opaque)
{
    struct timeline *t = g_new0(struct timeline, 1);

    t->perfetto = perfetto_new(write, opaque);
    t->lines = lines_new();
    t->lives = line_life_new();
    t->tracks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    t->regions = g_hash_table_new_full(NULL, NULL, NULL, area_free);
    t->kernels = g_hash_table_new_full(NULL, NULL, NULL, label_free);
    t->spans = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    t->streams = g_hash_table_new_full(NULL, NULL, NULL, stream_free);
    t->queues = g_hash_table_new_full(NULL, NULL, NULL, timeline_queue_free);
    t->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    t->calls = g_hash_table_new_full(NULL, NULL, NULL, timeline_call_free);
    memset(t->shown, 0xff, sizeof(t->shown));
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t) {
        return;
    }
    timeline_calls_end(t);
    perfetto_free(t->perfetto);
    lines_free(t->lines);
    line_life_free(t->lives);
    g_hash_table_destroy(t->tracks);
    g_hash_table_destroy(t->regions);
    g_hash_table_destroy(t->kernels);
    g_hash_table_destroy(t->spans);
    g_hash_table_destroy(t->streams);
    g_hash_table_destroy(t->found);
    g_hash_table_destroy(t->calls);
    g_hash_table_destroy(t->queues);
    g_free(t);
}

bool timeline_track_new(struct timeline *t, uint64_t track)
{
    return g_hash_table_add(t->tracks, g_memdup2(&track, sizeof(track)));
}

uint64_t timeline_thread(struct timeline *t, uint32_t thread)
{
    uint64_t track = TRACK_THREADS + thread;

    if (timeline_track_new(t, track)) {
        g_autofree char *name = thread ? g_strdup_printf("CPU thread %" PRIu32, thread)
                                       : g_strdup("CPU thread 0 (main)");

        perfetto_thread(t->perfetto, track, PID, (int32_t)(thread + PID), name);
    }
    return track;
}

static uint64_t channel_track(struct timeline *t, uint32_t channel, uint32_t agent)
{
    uint64_t track = TRACK_CHANNELS + channel;

    if (timeline_track_new(t, track)) {
        g_autofree char *name =
            channel > QUEUE_FIRST
                ? g_strdup_printf("%s queue %" PRIu32, trace_agent_name(agent),
                                  channel - 1 - QUEUE_FIRST)
                : g_strdup_printf("%s channel %" PRIu32, agent_is_of_dgpu(agent) ? "dGPU" : "iGPU",
                                  channel - 1);

        perfetto_track(t->perfetto, track, TRACK_RUN, name);
    }
    return track;
}

/* The caches' own doings: in which of the three. */
static uint64_t cache_track(enum trace_event event)
{
    switch (event) {
    case TRACE_EVENT_L2_FILL:
    case TRACE_EVENT_L2_EVICT:
    case TRACE_EVENT_L2_WRITEBACK:
        return TRACK_L2;
    case TRACE_EVENT_CPU_SNOOP:
    case TRACE_EVENT_PORT_READ_STALE:
    case TRACE_EVENT_PORT_WRITE_UNSEEN:
        return TRACK_PORT;
    default:
        return TRACK_CPU_CACHE;
    }
}

uint64_t timeline_track_of(struct timeline *t, const struct trace_record *r)
{
    uint64_t track = TRACK_ENGINES + r->agent;

    if (trace_event_class[r->event] == TRACE_CACHE) {
        return cache_track(r->event);
    }
    if (r->agent == BUS_AGENT_CPU) {
        return timeline_thread(t, r->thread);
    }
    if (r->channel) {
        return channel_track(t, r->channel, r->agent);
    }
    if (timeline_track_new(t, track)) {
        perfetto_track(t->perfetto, track, TRACK_RUN, trace_agent_name(r->agent));
    }
    return track;
}

void timeline_counters(struct timeline *t, uint64_t time_ns)
{
    const int64_t now[] = { lines_cpu_dirty(t->lines), lines_l2_dirty(t->lines),
                            (int64_t)t->read_bytes, (int64_t)t->written_bytes };

    for (unsigned i = 0; i < G_N_ELEMENTS(now); i++) {
        if (now[i] != t->shown[i]) {
            perfetto_event(t->perfetto, &(struct perfetto_event){
                                            .type = PERFETTO_VALUE,
                                            .track = TRACK_CPU_DIRTY + i,
                                            .time_ns = time_ns,
                                            .value = now[i],
                                        });
            t->shown[i] = now[i];
        }
    }
}

static struct stream *stream_get(struct timeline *t, uint32_t channel)
{
    struct stream *s = g_hash_table_lookup(t->streams, GUINT_TO_POINTER(channel));

    if (!s) {
        s = g_new0(struct stream, 1);
        g_hash_table_insert(t->streams, GUINT_TO_POINTER(channel), s);
    }
    return s;
}

static void slice_end(struct timeline *t, const struct trace_record *r)
{
    perfetto_event(t->perfetto, &(struct perfetto_event){ .type = PERFETTO_END,
                                                          .track = timeline_track_of(t, r),
                                                          .time_ns = r->time_ns });
    timeline_counters(t, r->time_ns);
}

/* What a resource does for the stream begins. */
static void stream_begin(struct timeline *t, const struct trace_record *r, const char *what)
{
    struct stream *s = stream_get(t, r->channel);

    s->from_ns = r->time_ns;
    g_free(s->what);
    s->what = g_strdup(what);
}

static void stream_end(struct timeline *t, const struct trace_record *r,
                       enum queue_resource resource, uint32_t agent, uint64_t instance)
{
    const struct stream *s = stream_get(t, r->channel);

    timeline_queue_busy(t, &(struct queue_span){ .resource = resource,
                                                 .agent = agent,
                                                 .instance = instance,
                                                 .from_ns = s->from_ns,
                                                 .to_ns = r->time_ns,
                                                 .name = s->what ? s->what : "work" });
}

/* Until now it waited: what, is known where it has begun already (for bytes of the DRAM). */
static void timeline_queued(struct timeline *t, const struct trace_record *r)
{
    const struct stream *s = stream_get(t, r->channel);
    enum queue_resource resource = (enum queue_resource)r->arg[1];
    g_autofree char *name =
        g_strdup_printf("%s channel %" PRIu64, trace_agent_name(r->agent), r->arg[0]);

    timeline_queue_wait(
        t, &(struct queue_span){ .resource = resource,
                                 .agent = r->agent,
                                 .instance = r->arg[2],
                                 .from_ns = r->time_ns - MIN(r->arg[3], r->time_ns),
                                 .to_ns = r->time_ns,
                                 .name = resource == QUEUE_DRAM && s->what ? s->what : name });
}

static void copy_end(struct timeline *t, const struct trace_record *r)
{
    struct stream *s = stream_get(t, r->channel);

    if (s->copy) {
        s->copy = false;
        slice_end(t, r);
        stream_end(t, r, QUEUE_CE, agent_is_of_dgpu(r->agent) ? BUS_AGENT_DCE : BUS_AGENT_CE, 0);
    }
}

static void op_end(struct timeline *t, const struct trace_record *r)
{
    struct stream *s = stream_get(t, r->channel);

    if (s->op) {
        s->op = false;
        slice_end(t, r);
    }
}

static void slice_begin(struct timeline *t, const struct trace_record *r, const char *category,
                        const char *name, const struct perfetto_arg *arg, unsigned args)
{
    perfetto_event(t->perfetto, &(struct perfetto_event){ .type = PERFETTO_BEGIN,
                                                          .track = timeline_track_of(t, r),
                                                          .time_ns = r->time_ns,
                                                          .category = category,
                                                          .name = name,
                                                          .arg = arg,
                                                          .args = args });
}

static void grid_begin(struct timeline *t, const struct trace_record *r)
{
    uint32_t grid_id = (uint32_t)r->arg[3];
    const struct label *kernel = g_hash_table_lookup(t->kernels, GUINT_TO_POINTER(grid_id));
    uint64_t track = TRACK_CHANNELS + r->channel;

    if (kernel && !stream_get(t, r->channel)->named) {
        g_autofree char *name = run_stream_text(kernel->stream);

        stream_get(t, r->channel)->named = true;
        timeline_track_new(t, track);
        perfetto_track(t->perfetto, track, TRACK_RUN, name);
    }
    stream_begin(t, r, kernel ? kernel->name : "kernel");
    slice_begin(t, r, "kernel", kernel ? kernel->name : "kernel", NULL, 0);
}

static void copy_begin(struct timeline *t, const struct trace_record *r, const char *name,
                       uint64_t bytes)
{
    slice_begin(t, r, "copy", name, (struct perfetto_arg[]){ { "bytes", NULL, bytes } }, 1);
    stream_get(t, r->channel)->copy = true;
    stream_begin(t, r, name);
}

static void dla_op(struct timeline *t, const struct trace_record *r)
{
    g_autofree char *name = g_strdup_printf("operation %" PRIu64, r->arg[2]);

    op_end(t, r);
    slice_begin(t, r, "dla", name, (struct perfetto_arg[]){ { "type", NULL, r->arg[3] } }, 1);
    stream_get(t, r->channel)->op = true;
}

static void engine_record(struct timeline *t, const struct trace_record *r)
{
    if (trace_event_class[r->event] == TRACE_WORK && r->channel &&
        r->event != TRACE_EVENT_DOORBELL && r->event != TRACE_EVENT_QUEUED) {
        copy_end(t, r);
    }
    switch (r->event) {
    case TRACE_EVENT_GRID_BEGIN:
        grid_begin(t, r);
        break;
    case TRACE_EVENT_COPY:
        copy_begin(t, r, "copy", r->arg[3]);
        break;
    case TRACE_EVENT_FILL:
        copy_begin(t, r, "fill", r->arg[2]);
        break;
    case TRACE_EVENT_DLA_TASK_BEGIN:
        stream_begin(t, r, "DLA task");
        slice_begin(t, r, "dla", "DLA task",
                    (struct perfetto_arg[]){ { "sequence", NULL, r->arg[3] } }, 1);
        break;
    case TRACE_EVENT_DLA_OP:
        dla_op(t, r);
        break;
    case TRACE_EVENT_DLA_TASK_END:
        op_end(t, r);
        slice_end(t, r);
        stream_end(t, r, QUEUE_ENGINE, r->agent, r->arg[0]);
        break;
    case TRACE_EVENT_GRID_END:
        slice_end(t, r);
        stream_end(t, r, QUEUE_SMS, r->agent, 0);
        break;
    case TRACE_EVENT_QUEUED:
        timeline_queued(t, r);
        break;
    case TRACE_EVENT_SUM_PORT:
        t->read_bytes += r->arg[0];
        t->written_bytes += r->arg[1];
        break;
    default:
        break;
    }
}

static void region_record(struct timeline *t, const struct trace_record *r)
{
    struct area *area;

    if (r->event == TRACE_EVENT_REGION_ADD) {
        area = g_new0(struct area, 1);
        *area = (struct area){ .pa = r->arg[0], .len = r->arg[1] };
        g_hash_table_insert(t->regions, GUINT_TO_POINTER(r->region), area);
    } else if (r->event == TRACE_EVENT_REGION_REMOVE) {
        g_hash_table_remove(t->regions, GUINT_TO_POINTER(r->region));
    }
}

/* The record before this one has had its findings. */
static void last_keep(struct timeline *t)
{
    const struct area *area =
        t->has_last && t->last.region
            ? g_hash_table_lookup(t->regions, GUINT_TO_POINTER(t->last.region))
            : NULL;

    if (area && area->noted) {
        line_life_record(t->lives, &t->last, timeline_track_of(t, &t->last));
    }
    if (t->has_last) {
        lines_record(t->lines, &t->last);
    }
}

static void cpu_record(struct timeline *t, const struct trace_record *r)
{
    struct call *call = g_hash_table_lookup(t->calls, GUINT_TO_POINTER(r->thread));

    if (call && trace_event_class[r->event] == TRACE_ACCESS) {
        timeline_call_end(t, r->thread);
    } else if (call) {
        call->to_ns = MAX(call->to_ns, r->time_ns);
    }
    t->cpu_ns = MAX(t->cpu_ns, r->time_ns);
}

void timeline_record(struct timeline *t, const struct trace_record *r)
{
    last_keep(t);
    t->last = *r;
    t->has_last = true;
    if (r->agent == BUS_AGENT_CPU) {
        cpu_record(t, r);
    }
    region_record(t, r);
    engine_record(t, r);
}

void timeline_kernel(struct timeline *t, const struct note *n)
{
    const char *mangled = note_get(n, "name");
    struct label *kernel = g_new0(struct label, 1);

    kernel->name = mangled ? demangle(mangled) : NULL;
    kernel->name = kernel->name ? kernel->name : g_strdup(mangled ? mangled : "kernel");
    kernel->stream = (uint32_t)note_num(n, "stream");
    g_hash_table_insert(t->kernels, GUINT_TO_POINTER((guint)note_num(n, "id")), kernel);
}

static void region_note(struct timeline *t, const struct note *n)
{
    struct area *area = g_hash_table_lookup(t->regions, GUINT_TO_POINTER((guint)note_num(n, "id")));

    if (area) {
        area->noted = true;
        g_free(area->where);
        area->where = g_strdup(note_get(n, "where"));
    }
}

static void run_note_take(struct timeline *t, const struct note *n)
{
    const char *program = note_get(n, "program"), *soc = note_get(n, "soc");
    g_autofree char *name =
        g_strdup_printf("%s on %s", program ? program : "program", soc ? soc : "a SoC");

    tracks_describe(t, name);
}

void timeline_note(struct timeline *t, const struct note *n)
{
    if (strcmp(n->name, "run") == 0) {
        run_note_take(t, n);
    } else if (strcmp(n->name, "kernel") == 0) {
        timeline_kernel(t, n);
    } else if (strcmp(n->name, "region") == 0) {
        region_note(t, n);
    }
    if (strcmp(n->name, "finding") == 0) {
        timeline_finding(t, n);
    } else if (strcmp(n->name, "range") == 0) {
        timeline_range(t, n);
    } else {
        timeline_call(t, n);
    }
}

/* SPDX-License-Identifier: MIT */
/* Queues: who waited for which resource, and with what it was busy meanwhile. Work that no other
 * waited for is on its stream's track alone, so that files stay small.
 *
 * Work of several streams overlaps on a resource, and slices of one track must not: what overlaps
 * goes to further lanes, and a slice is written once its end is known. */
#include <inttypes.h>

#include "checker/timeline/timeline_internal.h"
#include "model/values.h"

#define LANES 8u /* of a resource; what overlaps with more is left out */

/* struct queue - a resource. @busy, @wait: when the last slice of each lane ends
 * @with, @from_ns, @to_ns: what it was busy with last; @drawn: that is on its track */
struct queue {
    uint64_t busy[LANES], wait[LANES], from_ns, to_ns;
    char *with;
    bool drawn;
};

void timeline_queue_free(gpointer data)
{
    g_free(((struct queue *)data)->with);
    g_free(data);
}

static struct queue *queue_get(struct timeline *t, uint32_t key)
{
    struct queue *q = g_hash_table_lookup(t->queues, GUINT_TO_POINTER(key));

    if (!q) {
        q = g_new0(struct queue, 1);
        g_hash_table_insert(t->queues, GUINT_TO_POINTER(key), q);
    }
    return q;
}

static uint32_t queue_key(enum queue_resource resource, uint32_t agent, uint64_t instance)
{
    return resource == QUEUE_DRAM ? QUEUE_DRAM
                                  : (uint32_t)(resource + 4 * (agent * 4 + instance % 4));
}

static char *queue_name(enum queue_resource resource, uint32_t agent, uint64_t instance)
{
    const char *gpu = agent_is_of_dgpu(agent) ? "dGPU" : "iGPU";

    switch (resource) {
    case QUEUE_SMS:
        return g_strconcat(gpu, " SMs", NULL);
    case QUEUE_CE:
        return g_strconcat(gpu, " copy engine", NULL);
    case QUEUE_DRAM:
        return g_strdup("DRAM");
    default:
        return g_strdup_printf("%s %" PRIu64, trace_agent_name(agent), instance);
    }
}

/* The first lane that is free at @from; LANES: none. */
static unsigned queue_lane(uint64_t *end, uint64_t from, uint64_t to)
{
    unsigned lane = 0;

    while (lane < LANES && end[lane] > from) {
        lane++;
    }
    if (lane < LANES) {
        end[lane] = to;
    }
    return lane;
}

static uint64_t queue_track(struct timeline *t, uint32_t key, const char *name, const char *of,
                            unsigned lane)
{
    uint64_t track = TRACK_QUEUES + (uint64_t)key * 2 * LANES + lane;

    if (timeline_track_new(t, track)) {
        g_autofree char *text = lane % LANES
                                    ? g_strdup_printf("%s%s, %u", of, name, lane % LANES + 1)
                                    : g_strconcat(of, name, NULL);

        perfetto_track(t->perfetto, track, TRACK_RUN, text);
    }
    return track;
}

static void queue_slice(struct timeline *t, uint64_t track, const struct queue_span *s,
                        const char *with)
{
    perfetto_event(t->perfetto, &(struct perfetto_event){
                                    .type = PERFETTO_BEGIN,
                                    .track = track,
                                    .time_ns = s->from_ns,
                                    .category = "queue",
                                    .name = s->name,
                                    .arg = (struct perfetto_arg[]){ { "behind", with, 0 } },
                                    .args = with ? 1 : 0 });
    perfetto_event(t->perfetto, &(struct perfetto_event){
                                    .type = PERFETTO_END, .track = track, .time_ns = s->to_ns });
}

void timeline_queue_busy(struct timeline *t, const struct queue_span *s)
{
    struct queue *q = queue_get(t, queue_key(s->resource, s->agent, s->instance));

    g_free(q->with);
    q->with = g_strdup(s->name);
    q->from_ns = s->from_ns;
    q->to_ns = s->to_ns;
    q->drawn = false;
}

static void queue_busy_draw(struct timeline *t, struct queue *q, uint32_t key, const char *name)
{
    unsigned lane = q->with && !q->drawn ? queue_lane(q->busy, q->from_ns, q->to_ns) : LANES;

    if (lane < LANES) {
        queue_slice(
            t, queue_track(t, key, name, "busy: ", lane),
            &(struct queue_span){ .from_ns = q->from_ns, .to_ns = q->to_ns, .name = q->with },
            NULL);
        q->drawn = true;
    }
}

void timeline_queue_wait(struct timeline *t, const struct queue_span *s)
{
    uint32_t key = queue_key(s->resource, s->agent, s->instance);
    struct queue *q = queue_get(t, key);
    g_autofree char *name = queue_name(s->resource, s->agent, s->instance);
    unsigned lane = queue_lane(q->wait, s->from_ns, s->to_ns);

    queue_busy_draw(t, q, key, name);
    if (lane < LANES) {
        queue_slice(t, queue_track(t, key, name, "waiting for ", LANES + lane), s, q->with);
    }
}

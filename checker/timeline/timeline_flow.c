/* SPDX-License-Identifier: MIT */
/* Arrows of findings: from a store through the caches to the access that got older bytes. */
#include <inttypes.h>
#include <string.h>

#include "checker/timeline/timeline_internal.h"

static const char *step_name(enum trace_event event)
{
    switch (event) {
    case TRACE_EVENT_CPU_LOAD:
    case TRACE_EVENT_GPU_LOAD:
    case TRACE_EVENT_DLA_LOAD:
        return "load";
    case TRACE_EVENT_CPU_STORE:
    case TRACE_EVENT_CPU_FOUND:
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_STORE:
        return "store";
    case TRACE_EVENT_CPU_ATOMIC:
    case TRACE_EVENT_GPU_ATOMIC:
        return "atomic";
    default:
        return trace_event_name(event);
    }
}

/* Where the arrow begins: behind a load the last store of another agent, behind a store its last
 * access. Return: -1: none is known. */
static int source_of(const struct line_step *step, unsigned n, uint64_t track, bool load)
{
    for (int i = (int)n - 1; i >= 0; i--) {
        bool fits = load ? line_life_is_store(step[i].event) : line_life_is_access(step[i].event);

        if (fits && step[i].track != track) {
            return i;
        }
    }
    return -1;
}

/* The line that a finding is about, if the newest record is an access to it. */
static bool line_of_last(const struct timeline *t, const struct note *n, uint64_t *pa)
{
    const struct area *area =
        g_hash_table_lookup(t->regions, GUINT_TO_POINTER((guint)note_num(n, "region")));
    uint64_t line[2];
    unsigned lines = t->has_last && t->last.region ? line_life_lines(&t->last, line) : 0;

    if (!area || !note_get(n, "offset")) {
        return false;
    }
    *pa = area->pa + note_num(n, "offset");
    for (unsigned i = 0; i < lines; i++) {
        if (line[i] == *pa / LINES_CPU_BYTES) {
            return true;
        }
    }
    return false;
}

/* Return: the time of the last step drawn, 0: there is no arrow. */
static uint64_t steps_draw(struct timeline *t, uint64_t pa, uint64_t track, uint64_t flow)
{
    const struct line_step *step;
    unsigned n = line_life_steps(t->lives, pa, &step);
    bool load = t->last.event == TRACE_EVENT_CPU_LOAD || t->last.event == TRACE_EVENT_GPU_LOAD ||
                t->last.event == TRACE_EVENT_DLA_LOAD;
    int from = source_of(step, n, track, load);
    uint64_t time_ns = 0;
    g_autofree char *address = g_strdup_printf("0x%" PRIx64, pa);

    for (unsigned i = (unsigned)from; from >= 0 && i < n; i++) {
        if (i > (unsigned)from && line_life_is_access(step[i].event)) {
            continue;
        }
        time_ns = i == (unsigned)from ? step[i].time_ns : MAX(step[i].time_ns, time_ns + 1);
        perfetto_event(
            t->perfetto,
            &(struct perfetto_event){
                .type = PERFETTO_INSTANT,
                .track = step[i].track,
                .time_ns = time_ns,
                .category = line_life_is_access(step[i].event) ? "access" : "cache",
                .name = step_name(step[i].event),
                .flow = flow,
                .arg = (struct perfetto_arg[]){ { "address", address, 0 },
                                                { "virtual time, ns", NULL, step[i].time_ns } },
                .args = 2,
            });
    }
    return from >= 0 ? time_ns + 1 : 0;
}

static void finding_draw(struct timeline *t, const struct note *n, uint64_t track, uint64_t time_ns,
                         uint64_t flow)
{
    const struct perfetto_arg arg[] = {
        { "what", note_get(n, "text"), 0 },         { "where", note_get(n, "where"), 0 },
        { "against", note_get(n, "other"), 0 },     { "what to do", note_get(n, "todo"), 0 },
        { "severity", note_get(n, "severity"), 0 }, { "section", note_get(n, "section"), 0 },
    };

    perfetto_event(t->perfetto, &(struct perfetto_event){ .type = PERFETTO_INSTANT,
                                                          .track = track,
                                                          .time_ns = time_ns,
                                                          .category = "finding",
                                                          .name = note_get(n, "rule"),
                                                          .flow_end = flow,
                                                          .arg = arg,
                                                          .args = G_N_ELEMENTS(arg) });
}

/* Once each: repetitions differ in their bytes alone. */
static bool is_new(struct timeline *t, const struct note *n)
{
    const char *pair = note_get(n, "pair"), *where = note_get(n, "where"),
               *rule = note_get(n, "rule");
    char *key = g_strdup_printf("%s %s %s", rule,
                                pair    ? pair
                                : where ? where
                                        : "",
                                note_get(n, "text"));

    return note_get(n, "text") && rule && g_hash_table_add(t->found, key);
}

void timeline_finding(struct timeline *t, const struct note *n)
{
    uint64_t pa, track = TRACK_RUN, time_ns = t->cpu_ns, flow = 0, behind;

    if (!is_new(t, n)) {
        return;
    }
    if (line_of_last(t, n, &pa)) {
        track = timeline_track_of(t, &t->last);
        flow = ++t->flows;
        behind = steps_draw(t, pa, track, flow);
        time_ns = MAX(t->last.time_ns, behind);
        flow = behind ? flow : 0;
    }
    finding_draw(t, n, track, time_ns, flow);
}

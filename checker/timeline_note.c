/* SPDX-License-Identifier: MIT */
/* What notes draw: the CPU's API calls, and ranges of NVTX. */
#include <inttypes.h>
#include <string.h>

#include "checker/timeline_internal.h"

void timeline_call_end(struct timeline *t)
{
    const struct perfetto_arg where[] = { { "where", t->call.where, 0 } };

    if (!t->call.open) {
        return;
    }
    perfetto_event(t->perfetto, &(struct perfetto_event){ .type = PERFETTO_BEGIN,
                                                          .track = t->call.track,
                                                          .time_ns = t->call.from_ns,
                                                          .category = "api",
                                                          .name = t->call.name,
                                                          .arg = where,
                                                          .args = 1 });
    perfetto_event(t->perfetto, &(struct perfetto_event){ .type = PERFETTO_END,
                                                          .track = t->call.track,
                                                          .time_ns = t->call.to_ns });
    timeline_counters(t, t->call.to_ns);
    g_clear_pointer(&t->call.name, g_free);
    g_clear_pointer(&t->call.where, g_free);
    t->call.open = false;
}

/* A call begins where the CPU is; it ends with the last that the CPU does before its next access or
 * call. */
void timeline_call(struct timeline *t, const struct note *n)
{
    const char *api = strcmp(n->name, "kernel") == 0 ? "launch" : note_get(n, "api");

    if (!api) {
        return;
    }
    timeline_call_end(t);
    t->call.open = true;
    t->call.name = g_strdup(api);
    t->call.where = g_strdup(note_get(n, "where"));
    t->call.track = timeline_thread(t, t->cpu_thread);
    t->call.from_ns = t->cpu_ns;
    t->call.to_ns = t->cpu_ns;
}

static uint64_t push_track(struct timeline *t, const char *domain, uint64_t thread)
{
    uint64_t track = TRACK_RANGES + thread;

    if (timeline_track_new(t, track)) {
        g_autofree char *name = g_strdup_printf("NVTX %s, thread %" PRIu64, domain, thread);

        perfetto_track(t->perfetto, track, TRACK_RUN, name);
    }
    return track;
}

/* A range with an id may overlap others: each has a track of its own. Return: 0: none is open by
 * that id. */
static uint64_t span_track(struct timeline *t, const char *domain, uint64_t id, bool starts)
{
    g_autofree char *key = g_strdup_printf("%s %" PRIu64, domain, id);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(t->spans, key));

    if (!starts) {
        g_hash_table_remove(t->spans, key);
    } else if (!number) {
        g_autofree char *name = g_strdup_printf("NVTX %s", domain);

        number = (guint)++t->n_spans;
        g_hash_table_insert(t->spans, g_steal_pointer(&key), GUINT_TO_POINTER(number));
        perfetto_track(t->perfetto, TRACK_SPANS + number, TRACK_RUN, name);
    }
    return number ? TRACK_SPANS + number : 0;
}

void timeline_range(struct timeline *t, const struct note *n)
{
    const char *phase = note_get(n, "phase"), *domain = note_get(n, "domain");
    bool span = phase && (strcmp(phase, "start") == 0 || strcmp(phase, "end") == 0);
    bool begins = phase && (strcmp(phase, "push") == 0 || strcmp(phase, "start") == 0);
    const char *name = note_get(n, "name");
    struct perfetto_event e = { .time_ns = t->cpu_ns, .category = "nvtx" };

    if (!phase) {
        return;
    }
    domain = domain ? domain : "";
    e.track = span ? span_track(t, domain, note_num(n, "id"), begins)
                   : push_track(t, domain, note_num(n, "thread"));
    e.type = begins ? PERFETTO_BEGIN : strcmp(phase, "mark") == 0 ? PERFETTO_INSTANT : PERFETTO_END;
    e.name = e.type == PERFETTO_END ? NULL : name ? name : "range";
    if (e.track) {
        perfetto_event(t->perfetto, &e);
    }
}

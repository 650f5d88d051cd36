/* SPDX-License-Identifier: MIT */
/* What notes draw: the CPU's API calls, and ranges of NVTX. */
#include <inttypes.h>
#include <string.h>

#include "checker/timeline/timeline_internal.h"

void timeline_call_free(gpointer data)
{
    struct call *call = data;

    g_free(call->name);
    g_free(call->where);
    g_free(call);
}

void timeline_call_end(struct timeline *t, uint32_t thread)
{
    const struct call *call = g_hash_table_lookup(t->calls, GUINT_TO_POINTER(thread));
    uint64_t track = timeline_thread(t, thread);

    if (!call) {
        return;
    }
    perfetto_event(t->perfetto, &(struct perfetto_event){
                                    .type = PERFETTO_BEGIN,
                                    .track = track,
                                    .time_ns = call->from_ns,
                                    .category = "api",
                                    .name = call->name,
                                    .arg = (struct perfetto_arg[]){ { "where", call->where, 0 } },
                                    .args = 1 });
    perfetto_event(t->perfetto, &(struct perfetto_event){
                                    .type = PERFETTO_END, .track = track, .time_ns = call->to_ns });
    timeline_counters(t, call->to_ns);
    g_hash_table_remove(t->calls, GUINT_TO_POINTER(thread));
}

static int threads_compare(gconstpointer a, gconstpointer b)
{
    guint x = *(const guint *)a, y = *(const guint *)b;

    return (x > y) - (x < y);
}

/* In order of the threads' numbers, as the table's order is the library's. */
void timeline_calls_end(struct timeline *t)
{
    GArray *threads = g_array_new(FALSE, FALSE, sizeof(guint));
    GHashTableIter i;
    gpointer key;

    g_hash_table_iter_init(&i, t->calls);
    while (g_hash_table_iter_next(&i, &key, NULL)) {
        guint thread = GPOINTER_TO_UINT(key);

        g_array_append_val(threads, thread);
    }
    g_array_sort(threads, threads_compare);
    for (guint n = 0; n < threads->len; n++) {
        timeline_call_end(t, g_array_index(threads, guint, n));
    }
    g_array_unref(threads);
}

/* A call begins where the CPU is; it ends with the last that its thread does before its next access
 * or call. */
void timeline_call(struct timeline *t, const struct note *n)
{
    const char *api = strcmp(n->name, "kernel") == 0 ? "launch" : note_get(n, "api");
    uint32_t thread = (uint32_t)note_num(n, "thread");
    struct call *call;

    if (!api) {
        return;
    }
    timeline_call_end(t, thread);
    call = g_new0(struct call, 1);
    *call = (struct call){ .from_ns = t->cpu_ns,
                           .to_ns = t->cpu_ns,
                           .name = g_strdup(api),
                           .where = g_strdup(note_get(n, "where")) };
    g_hash_table_insert(t->calls, GUINT_TO_POINTER(thread), call);
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

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "include/cuda.h"
#include "include/cuda_runtime_api.h"
#include "tools/silicon/compare.h"

/**
 * struct call - a line of the record
 * @at: its number among the calls of its thread, from 1
 */
struct call {
    guint64 thread;
    char *name;
    guint code, at;
};

static void call_clear(void *call)
{
    g_free(((struct call *)call)->name);
}

/* Calls that asked whether something is done, and it was not. */
static gboolean is_too_early(const char *name, guint code)
{
    return code == CUDA_ERROR_NOT_READY && strstr(name, "Query");
}

/* Threads one after the other, each in its own order. */
static int by_thread(gconstpointer a, gconstpointer b)
{
    const struct call *x = a, *y = b;

    return x->thread != y->thread ? (x->thread > y->thread) - (x->thread < y->thread)
                                  : (x->at > y->at) - (x->at < y->at);
}

static GArray *calls_of(const char *text)
{
    GArray *calls = g_array_new(FALSE, TRUE, sizeof(struct call));
    GHashTable *at = g_hash_table_new(NULL, NULL);
    char **lines = g_strsplit(text, "\n", -1);

    g_array_set_clear_func(calls, call_clear);
    for (char **line = lines; *line; line++) {
        char **words = g_strsplit(*line, " ", -1);

        if (g_strv_length(words) == 3) { /* a program that was killed may leave half of one */
            struct call c = { .thread = g_ascii_strtoull(words[0], NULL, 10),
                              .code = (guint)g_ascii_strtoull(words[2], NULL, 10) };
            gpointer thread = GSIZE_TO_POINTER(c.thread);

            c.at = GPOINTER_TO_UINT(g_hash_table_lookup(at, thread)) + 1;
            if (!is_too_early(words[1], c.code)) {
                c.name = g_strdup(words[1]);
                g_hash_table_insert(at, thread, GUINT_TO_POINTER(c.at));
                g_array_append_val(calls, c);
            }
        }
        g_strfreev(words);
    }
    g_array_sort(calls, by_thread);
    g_strfreev(lines);
    g_hash_table_destroy(at);
    return calls;
}

static const char *driver_code(guint code)
{
#define ERROR(name, text) \
    if (code == name) {   \
        return #name;     \
    }
#include "runtime/api/cuda/errors.def"
#undef ERROR
    return "an unknown code";
}

static const char *runtime_code(guint code)
{
#define ERROR(name, text) \
    if (code == name) {   \
        return #name;     \
    }
#include "runtime/api/cudart/errors.def"
#undef ERROR
    return "an unknown code";
}

static void side_add(GString *out, const char *side, const struct call *c)
{
    if (c) {
        g_string_append_printf(out, "      %-8s %s returned %u, %s\n", side, c->name, c->code,
                               strstr(c->name, "cuda") ? runtime_code(c->code)
                                                       : driver_code(c->code));
    } else {
        g_string_append_printf(out, "      %-8s makes no further call\n", side);
    }
}

static const struct call *call_at(const GArray *calls, guint i)
{
    return i < calls->len ? &g_array_index(calls, struct call, i) : NULL;
}

static gboolean is_same(const struct call *m, const struct call *s)
{
    return m->thread == s->thread && m->code == s->code && strcmp(m->name, s->name) == 0;
}

/* Where a thread of one side has ended, the other side's next call is the place. */
static void compare_calls_parted(const struct call *m, const struct call *s, GString *out)
{
    const struct call *first = !s || (m && by_thread(m, s) < 0) ? m : s;

    g_string_append_printf(out, "they differ at call %u", first->at);
    if (first->thread != 1) {
        g_string_append_printf(out, " of thread %" G_GUINT64_FORMAT, first->thread);
    }
    g_string_append_printf(out, ", %s\n", first->name);
    side_add(out, "model", m && m->thread == first->thread ? m : NULL);
    side_add(out, "silicon", s && s->thread == first->thread ? s : NULL);
}

gboolean compare_calls(const char *model, const char *silicon, GString *out)
{
    GArray *m = calls_of(model), *s = calls_of(silicon);
    guint i = 0;
    gboolean same;

    while (i < m->len && i < s->len && is_same(call_at(m, i), call_at(s, i))) {
        i++;
    }
    same = i == m->len && i == s->len;
    g_string_append_printf(out, "  %-13s %u and %u: ", "API calls", m->len, s->len);
    if (same) {
        g_string_append(out, "the same names and return codes\n");
    } else {
        compare_calls_parted(call_at(m, i), call_at(s, i), out);
    }
    g_array_free(m, TRUE);
    g_array_free(s, TRUE);
    return same;
}

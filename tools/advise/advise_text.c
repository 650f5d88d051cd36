/* SPDX-License-Identifier: MIT */
/* The answer in words. A saving below the error to expect is none that anybody can promise. */
#include "tools/advise/advise.h"

#include <string.h>

#include "checker/print/json_writer.h"
#include "checker/run/run.h"

static void answer_make(const struct advise_run *a, unsigned buffer,
                        const struct advise_board *board, struct charge_answer *out)
{
    charge_answer(&a->run, buffer, g_array_index(a->names, struct advise_buffer, buffer).launches,
                  board->profile, out);
}

/* --- text ----------------------------------------------------------------------------------------
 */

void advise_time_put(GString *s, double ns)
{
    if (ns < 0.5) {
        g_string_append_printf(s, "%12s", "-");
    } else if (ns < 1e6) {
        g_string_append_printf(s, "%9.1f us", ns / 1e3);
    } else {
        g_string_append_printf(s, "%9.2f ms", ns / 1e6);
    }
}

static void row_put(GString *s, const struct charge_answer *w, enum charge_kind kind, double parts)
{
    const struct charge_cost *c = &w->cost[kind];

    g_string_append_printf(s, "    %-18s%s", charge_kind_text(kind), kind == w->now ? "*" : " ");
    if (c->why_not) {
        g_string_append_printf(s, "  %s\n", c->why_not);
        return;
    }
    advise_time_put(s, charge_sum(c) / parts);
    advise_time_put(s, c->kernels / parts);
    advise_time_put(s, c->cpu / parts);
    advise_time_put(s, c->copies / parts);
    advise_time_put(s, (c->caches + c->calls) / parts);
    g_string_append_printf(s, "%s%s\n", c->partial ? "  " : "", c->partial ? c->partial : "");
}

static void verdict_put(GString *s, const struct charge_answer *w, const struct advise_board *board)
{
    const char *best = w->best == CHARGE_KINDS ? "" : charge_kind_text(w->best);

    if (w->best == CHARGE_KINDS) {
        g_string_append(s, "    -> no answer: its kinds cannot be compared as a whole\n");
    } else if (w->best == w->now) {
        g_string_append_printf(s, "    -> stay: no kind is cheaper than %s\n", best);
    } else if (!w->sure) {
        g_string_append_printf(s, "    -> stay: %s would save %.0f %%, which is within the error\n",
                               best, 100 * w->saves);
    } else if (w->little) {
        g_string_append_printf(
            s,
            "    -> stay: %s would save %.0f %%, which is less than the call of a launch costs\n",
            best, 100 * w->saves);
    } else {
        g_string_append_printf(s, "    -> %s saves %.0f %%: %s\n", best, 100 * w->saves,
                               charge_reason(w, board->profile));
    }
}

static void buffer_put(const struct advise_run *a, unsigned i, const struct advise_board *board,
                       GString *s)
{
    const struct advise_buffer *name = &g_array_index(a->names, struct advise_buffer, i);
    g_autofree char *size = run_size_text(a->run.buffers[i].size);
    double parts = (double)MAX(name->launches, 1);
    struct charge_answer w;

    answer_make(a, i, board, &w);
    g_string_append_printf(s, "  #%u  %s %s%s%s\n", name->number, name->api, size,
                           *name->where ? " at " : "", name->where);
    if (!name->launches) {
        g_string_append(s, "    no kernel used it\n");
        return;
    }
    g_string_append_printf(s, "    %" G_GUINT64_FORMAT " %s of %s\n", name->launches,
                           name->launches == 1 ? "launch" : "launches", name->kernels);
    g_string_append_printf(s, "    %-19s%12s%12s%12s%12s%12s\n", "a launch", "all", "kernels",
                           "CPU", "copies", "caches");
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        row_put(s, &w, kind, parts);
    }
    verdict_put(s, &w, board);
}

void advise_text(const struct advise_run *a, const struct advise_board *boards, unsigned n,
                 GString *s)
{
    g_string_append_printf(s, "vtegra advise: %s, as it ran on %s\n", a->program, a->soc);
    for (unsigned b = 0; b < n; b++) {
        g_string_append_printf(s, "%s: two kinds compare within ", boards[b].name);
        if (boards[b].percent < 100) {
            g_string_append_printf(s, "%.0f %%", boards[b].percent);
        } else {
            g_string_append_printf(s, "a factor of %.0f", 1 + boards[b].percent / 100);
        }
        g_string_append(s, " (docs/timing.md); * is what the program does\n");
        for (unsigned i = 0; i < a->run.n_buffers; i++) {
            buffer_put(a, i, &boards[b], s);
        }
        advise_ways_text(a, &boards[b], s);
    }
    if (a->discrete) {
        g_string_append_printf(s,
                               "  %u %s of the discrete GPU: not compared. It has device memory of "
                               "its own and pinned memory (Table 1, third column)\n",
                               a->discrete, a->discrete == 1 ? "buffer" : "buffers");
    }
    if (!a->run.n_buffers && !a->ways->len && !a->discrete) {
        g_string_append(s, "  the program has allocated no memory that a GPU uses\n");
    }
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static void put_ns(struct json_writer *w, const char *key, double ns)
{
    json_writer_key(w, key);
    json_writer_int(w, (int64_t)(ns + 0.5));
}

static void put_text(struct json_writer *w, const char *key, const char *value)
{
    json_writer_key(w, key);
    json_writer_text(w, value);
}

static void kind_json(struct json_writer *w, const struct charge_answer *answer,
                      enum charge_kind kind)
{
    const struct charge_cost *c = &answer->cost[kind];

    json_writer_begin(w, '{');
    put_text(w, "kind", charge_kind_text(kind));
    put_text(w, "why_not", c->why_not);
    put_text(w, "partial", c->partial);
    put_ns(w, "ns", charge_sum(c));
    put_ns(w, "kernels_ns", c->kernels);
    put_ns(w, "cpu_ns", c->cpu);
    put_ns(w, "copies_ns", c->copies);
    put_ns(w, "caches_ns", c->caches);
    put_ns(w, "calls_ns", c->calls);
    json_writer_end(w, '}');
}

static void buffer_json(struct json_writer *w, const struct advise_run *a, unsigned i,
                        const struct advise_board *board)
{
    const struct advise_buffer *name = &g_array_index(a->names, struct advise_buffer, i);
    struct charge_answer found;

    answer_make(a, i, board, &found);
    json_writer_begin(w, '{');
    put_ns(w, "buffer", name->number);
    put_text(w, "where", name->where);
    put_ns(w, "launches", (double)name->launches);
    put_text(w, "now", charge_kind_text(found.now));
    put_text(w, "best", found.best == CHARGE_KINDS ? NULL : charge_kind_text(found.best));
    put_ns(w, "saves_percent", 100 * found.saves);
    json_writer_key(w, "beyond_error");
    json_writer_bool(w, found.sure && !found.little);
    json_writer_key(w, "kinds");
    json_writer_begin(w, '[');
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        kind_json(w, &found, kind);
    }
    json_writer_end(w, ']');
    json_writer_end(w, '}');
}

void advise_json(const struct advise_run *a, const struct advise_board *boards, unsigned n,
                 GString *out)
{
    struct json_writer w;
    g_autofree char *done = NULL;

    json_writer_open(&w);
    json_writer_begin(&w, '[');
    for (unsigned b = 0; b < n; b++) {
        json_writer_begin(&w, '{');
        put_text(&w, "soc", boards[b].name);
        put_ns(&w, "error_percent", boards[b].percent);
        json_writer_key(&w, "buffers");
        json_writer_begin(&w, '[');
        for (unsigned i = 0; i < a->run.n_buffers; i++) {
            buffer_json(&w, a, i, &boards[b]);
        }
        json_writer_end(&w, ']');
        advise_ways_json(a, &boards[b], &w);
        json_writer_end(&w, '}');
    }
    json_writer_end(&w, ']');
    done = json_writer_close(&w);
    g_string_append(out, done);
    g_string_append_c(out, '\n');
}

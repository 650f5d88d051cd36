/* SPDX-License-Identifier: MIT */
/* The answer in words. A saving below the error to expect is none that anybody can promise. */
#include "tools/advise/advise.h"

#include <string.h>

#include "checker/print/json_writer.h"
#include "checker/run/run.h"

/**
 * struct answer - of one buffer on one board
 * @best: the cheapest kind of those whose sum holds all; CHARGE_KINDS: none
 * @saves: parts of what it costs now; @little: a launch saves less than it costs itself
 */
struct answer {
    struct charge_cost cost[CHARGE_KINDS];
    enum charge_kind now, best;
    double saves;
    bool sure, little; /* sure: more than the error to expect */
};

static void answer_make(const struct advise_run *a, unsigned buffer,
                        const struct advise_board *board, struct answer *out)
{
    const struct advise_buffer *name = &g_array_index(a->names, struct advise_buffer, buffer);
    struct charge_run run = a->run;
    double now;

    *out = (struct answer){ .now = run.buffers[buffer].kind, .best = CHARGE_KINDS };
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        charge(&run, buffer, kind, board->profile, &out->cost[kind]);
    }
    now = charge_sum(&out->cost[out->now]);
    if (out->cost[out->now].why_not || out->cost[out->now].partial) {
        return;
    }
    out->best = out->now;
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        if (!out->cost[kind].why_not &&
            charge_sum(&out->cost[kind]) < charge_sum(&out->cost[out->best])) {
            out->best = kind;
        }
    }
    out->saves = now > 0 ? 1 - charge_sum(&out->cost[out->best]) / now : 0;
    /* The quotient of the two is off by the error to expect, at most. */
    out->sure = 1 - (1 - out->saves) * (1 + board->percent / 100) > 0;
    out->little =
        out->saves * now < (double)MAX(name->launches, 1) * board->profile->timing.submit_ns;
}

/* --- text ----------------------------------------------------------------------------------------
 */

static void time_put(GString *s, double ns)
{
    if (ns < 0.5) {
        g_string_append_printf(s, "%12s", "-");
    } else if (ns < 1e6) {
        g_string_append_printf(s, "%9.1f us", ns / 1e3);
    } else {
        g_string_append_printf(s, "%9.2f ms", ns / 1e6);
    }
}

/* Why: what Table 1 and chapter 3 say of the two kinds. */
static const char *reason_words(const struct answer *w, const struct soc_profile *p)
{
    const struct charge_cost *now = &w->cost[w->now], *best = &w->cost[w->best];
    struct rules_facts f = rules_facts_of(p);
    enum rules_kind kind = charge_rules_kind(w->now);

    if (now->copies > best->copies && now->copies - best->copies > (now->kernels - best->kernels)) {
        return "both lie in the same DRAM, so that no copy is needed (CUDA for Tegra 3.1)";
    }
    if (now->cpu - best->cpu > now->kernels - best->kernels &&
        rules_caching(&f, kind, RULES_CPU) == RULES_UNCACHED) {
        return "the CPU does not cache it (CUDA for Tegra, Table 1 and 3.2)";
    }
    if (rules_caching(&f, kind, rules_gpu_side(&f)) == RULES_UNCACHED) {
        return "the iGPU does not cache it (CUDA for Tegra, Table 1 and 3.1)";
    }
    return "the way from DRAM to the GPU is narrower for it (measured: docs/timing.md)";
}

static void row_put(GString *s, const struct answer *w, enum charge_kind kind, double parts)
{
    const struct charge_cost *c = &w->cost[kind];

    g_string_append_printf(s, "    %-18s%s", charge_kind_text(kind), kind == w->now ? "*" : " ");
    if (c->why_not) {
        g_string_append_printf(s, "  %s\n", c->why_not);
        return;
    }
    time_put(s, charge_sum(c) / parts);
    time_put(s, c->kernels / parts);
    time_put(s, c->cpu / parts);
    time_put(s, c->copies / parts);
    time_put(s, (c->caches + c->calls) / parts);
    g_string_append_printf(s, "%s%s\n", c->partial ? "  " : "", c->partial ? c->partial : "");
}

static void verdict_put(GString *s, const struct answer *w, const struct advise_board *board)
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
                               reason_words(w, board->profile));
    }
}

static void buffer_put(const struct advise_run *a, unsigned i, const struct advise_board *board,
                       GString *s)
{
    const struct advise_buffer *name = &g_array_index(a->names, struct advise_buffer, i);
    g_autofree char *size = run_size_text(a->run.buffers[i].size);
    double parts = (double)MAX(name->launches, 1);
    struct answer w;

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
    }
    if (!a->run.n_buffers) {
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

static void kind_json(struct json_writer *w, const struct answer *answer, enum charge_kind kind)
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
    struct answer found;

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
        json_writer_end(&w, '}');
    }
    json_writer_end(&w, ']');
    done = json_writer_close(&w);
    g_string_append(out, done);
    g_string_append_c(out, '\n');
}

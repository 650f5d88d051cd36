/* SPDX-License-Identifier: MIT */
/* The section on kinds of memory: answers beyond the error to expect; `vtegra advise` has all. */
#include "checker/print/text_internal.h"

#include <inttypes.h>

#include "checker/rules/memory_kinds.h"

/* struct kinds_sum - buffers without an answer of their own */
struct kinds_sum {
    unsigned stay, unknown;
};

static char *text_kinds_time(double ns)
{
    return ns < 1e6 ? g_strdup_printf("%.1f us", ns / 1e3) : g_strdup_printf("%.2f ms", ns / 1e6);
}

static bool text_kinds_changes(const struct memory_kind *k)
{
    return k->answer.best != CHARGE_KINDS && k->answer.best != k->answer.now && k->answer.sure &&
           !k->answer.little;
}

static void text_kinds_answer(struct text_printer *p, const struct memory_kind *k)
{
    const struct charge_answer *a = &k->answer;
    g_autofree char *name = run_region_name(k->region);
    g_autofree char *now = text_kinds_time(charge_sum(&a->cost[a->now]) / (double)k->launches);
    g_autofree char *best = text_kinds_time(charge_sum(&a->cost[a->best]) / (double)k->launches);
    g_autofree char *text = g_strdup_printf(
        "%s: %s costs %s a launch, %s %s: saves %.0f %%; %s", name, charge_kind_text(a->now), now,
        charge_kind_text(a->best), best, 100 * a->saves, charge_reason(a, &p->run->board));

    text_paragraph(p->out, "  ", 4, text);
}

/* What differs by more than the error has a saving; the ways that share a buffer go by their own.
 */
static void text_kinds_way(struct text_printer *p, const struct memory_way *w)
{
    g_autofree char *name = run_region_name(w->region);
    GString *s = g_string_new(name);

    g_string_append_printf(s, ", %" PRIu64 " %s, a frame:", w->shared.frames,
                           w->shared.frames == 1 ? "frame" : "frames");
    for (unsigned way = 0; way < CHARGE_WAYS; way++) {
        g_autofree char *time = text_kinds_time(w->ns[way]);

        g_string_append_printf(s, "%s %s %s", way ? ";" : "", charge_way_text(way), time);
    }
    g_string_append_printf(s, ". SKIP flags: %s", charge_way_rule(CHARGE_WAY_SKIP, &p->run->board));
    text_paragraph(p->out, "  ", 4, s->str);
    g_string_free(s, TRUE);
}

static void text_kinds_rest(struct text_printer *p, const struct kinds_sum *sum)
{
    if (sum->stay) {
        g_autofree char *text =
            g_strdup_printf("%u %s: no kind saves more than the error, or than a launch costs",
                            sum->stay, sum->stay == 1 ? "buffer" : "buffers");

        text_paragraph(p->out, "  ", 4, text);
    }
    if (sum->unknown) {
        g_autofree char *text = g_strdup_printf(
            "%u %s: no answer, because the CPU's accesses were not seen (`" RUN_UNCHECKED_COMMAND
            "` sees them)",
            sum->unknown, sum->unknown == 1 ? "buffer" : "buffers");

        text_paragraph(p->out, "  ", 4, text);
    }
}

void text_kinds_print(struct text_printer *p, const struct memory_kinds *m)
{
    double percent = charge_error_percent(&p->run->board);
    struct kinds_sum sum = { 0, 0 };
    g_autofree char *title = NULL;
    unsigned used = m ? m->ways->len : 0;

    for (guint i = 0; m && i < m->kinds->len; i++) {
        used += g_array_index(m->kinds, struct memory_kind, i).launches != 0;
    }
    if (!used) {
        return;
    }
    title = percent < 100
                ? g_strdup_printf("Kinds of memory, in virtual time (two compare within %.0f %%)",
                                  percent)
                : g_strdup("Kinds of memory, in virtual time (two compare within a factor of 2)");
    text_heading(p, title);
    for (guint i = 0; i < m->kinds->len; i++) {
        const struct memory_kind *k = &g_array_index(m->kinds, struct memory_kind, i);

        if (k->launches && text_kinds_changes(k)) {
            text_kinds_answer(p, k);
        } else if (k->launches) {
            sum.stay += k->answer.best != CHARGE_KINDS;
            sum.unknown += k->answer.best == CHARGE_KINDS;
        }
    }
    for (guint i = 0; i < m->ways->len; i++) {
        text_kinds_way(p, &g_array_index(m->ways, struct memory_way, i));
    }
    text_kinds_rest(p, &sum);
}

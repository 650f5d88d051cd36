/* SPDX-License-Identifier: MIT */
/* The head of the text report: program, board, policy, and what was not checked. */
#include "checker/print/text_internal.h"

#include <inttypes.h>

static bool text_head_uses_pageable(const struct run *r)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->kind == RUN_PAGEABLE && region->uses->len) {
            return true;
        }
    }
    return false;
}

#define HEAD_NAMES 6u /* of code without hooks, that are named */

static void text_head_names_join(GString *s, const GPtrArray *names)
{
    for (guint i = 0; i < names->len && i < HEAD_NAMES; i++) {
        g_string_append_printf(s, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
    }
    if (names->len > HEAD_NAMES) {
        g_string_append_printf(s, " and %u more", names->len - HEAD_NAMES);
    }
}

static void text_head_object_join(GString *s, const struct run_object *o)
{
    g_string_append(s, s->len ? "; " : "");
    if (g_strcmp0(o->hooks, "some") != 0) {
        g_string_append(s, o->name ? o->name : "?");
        return;
    }
    g_string_append_printf(s, "of %s ", o->name ? o->name : "?");
    text_head_names_join(s, o->files);
    if (o->functions->len) {
        g_string_append_printf(s,
                               "%swhat was compiled without -g: ", o->files->len ? ", and " : "");
        text_head_names_join(s, o->functions);
    }
}

/* @hooks: one or another. NULL: no object. */
static char *text_head_objects(const struct run *r, const char *hooks, const char * or)
{
    GString *s = g_string_new(NULL);

    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        if (g_strcmp0(o->hooks, hooks) == 0 || g_strcmp0(o->hooks, or) == 0) {
            text_head_object_join(s, o);
        }
    }
    return g_string_free(s, s->len == 0);
}

static bool text_head_any_watched(const struct run *r)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->watched) {
            return true;
        }
    }
    return false;
}

static char *text_head_accesses(const struct run *r)
{
    if (r->machine_sees_cpu) {
        return g_strdup("exact (the machine in QEMU sees each of them)");
    }
    if (!r->hooks && text_head_any_watched(r)) {
        return g_strdup("exact for memory in use: from when work that may touch it is submitted "
                        "until the CPU has waited. Others are not counted; build with `vtegra cc "
                        "--track` for all");
    }
    if (!r->hooks) {
        return g_strdup("seen per page: reads, counts and uncached accesses are not known. Build "
                        "with `vtegra cc --track` for exact ones");
    }
    return g_strdup(!run_all_hooked(r)
                        ? "exact for code with compiler hooks only; other code is seen per page"
                    : r->objects->len
                        ? "exact (compiler hooks in all code of the program and its own libraries)"
                        : "exact (compiler hooks; code built without them is seen per page)");
}

/* Code of the application's whose accesses are not exact. */
static void text_head_hooks_print(struct text_printer *p)
{
    g_autofree char *without = text_head_objects(p->run, "none", "some"),
                    *unheard = text_head_objects(p->run, "unheard", "unheard"),
                    *unknown = text_head_objects(p->run, "unknown", "unknown");

    if (without && p->run->hooks) {
        text_labelled(p, 2, "without hooks", g_steal_pointer(&without));
    }
    if (unheard) {
        text_labelled(
            p, 2, "hooks ignored",
            g_strconcat(unheard, ": hooks of another version of vtegra; build again", NULL));
    }
    if (unknown) {
        text_labelled(p, 2, "hooks unknown",
                      g_strconcat(unknown,
                                  ": there are some, but the debug information does not say in "
                                  "which files",
                                  NULL));
    }
}

/* docs/suppressions.md */
static void text_head_suppressed_print(struct text_printer *p)
{
    const struct run *r = p->run;
    guint unused = suppressions_unused(r->suppressions);
    GString *s;

    if (!r->suppressed->len && !unused) {
        return;
    }
    s = g_string_new(NULL);
    g_string_printf(s, "%u finding%s", r->suppressed->len, r->suppressed->len == 1 ? "" : "s");
    for (guint i = 0; i < r->suppressed->len; i++) {
        const struct run_finding *f = r->suppressed->pdata[i];

        g_string_append_printf(s, "%s%s", i ? ", " : " (", f->rule);
    }
    g_string_append(s, r->suppressed->len ? ")" : "");
    if (unused) {
        g_string_append_printf(s, "; %u entr%s fitted none", unused, unused == 1 ? "y" : "ies");
    }
    text_labelled(p, 2, "suppressed", g_string_free(s, FALSE));
}

/* What a limit of docs/report.md, "What is kept", cost. */
static void text_head_forgot_print(struct text_printer *p)
{
    static const char *const text[RUN_FORGOTS] = {
        [RUN_FORGOT_ACCESSES] =
            "times to a line of 64 bytes that had more accesses than are kept: a race with the "
            "oldest of them would not be found",
        [RUN_FORGOT_WAITS] = "waits for a point so long ago that they were taken as waits for a "
                             "later one, which hides races",
        [RUN_FORGOT_WORK] = "kernels, copies and fills of which none had been waited for: whether "
                            "they still used memory that was freed",
        [RUN_FORGOT_FRAMES] = "kernels that ran after so many more turns of their frame that "
                              "whose turn it was is not known any more",
    };

    for (unsigned i = 0; i < RUN_FORGOTS; i++) {
        if (p->run->forgot[i]) {
            text_labelled(p, 2, "NOT CHECKED",
                          g_strdup_printf("%" PRIu64 " %s", p->run->forgot[i], text[i]));
        }
    }
}

/* g_free(). Findings name the others by their numbers. */
static char *text_head_processes(const struct run *r)
{
    g_autofree char *number =
        r->process ? g_strdup_printf("; this is process %" PRIu64, r->process) : NULL;

    return g_strdup_printf("share the board and %s%s; accesses of the others are counted in their "
                           "own reports",
                           g_strcmp0(r->policy, "seeded") == 0
                               ? "take turns as the seed says"
                               : "run freely: their order is the host's, another run may have "
                                 "another",
                           number ? number : "");
}

#define RACES_KERNELS 4u /* that are named */

/* Launches of one name, with all dimensions */
struct races_sum {
    const char *name;
    uint64_t ended, unchecked, partly;
};

/* In the order of their first launches; g_array_free() */
static GArray *races_sums(const struct run *r)
{
    GArray *sums = g_array_new(FALSE, TRUE, sizeof(struct races_sum));
    GHashTable *at = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < r->kernels->len; i++) {
        const struct run_kernel *k = r->kernels->pdata[i];
        gpointer n = g_hash_table_lookup(at, k->name);
        struct races_sum *sum;

        if (!n) {
            g_array_set_size(sums, sums->len + 1);
            n = GUINT_TO_POINTER(sums->len);
            g_hash_table_insert(at, k->name, n);
        }
        sum = &g_array_index(sums, struct races_sum, GPOINTER_TO_UINT(n) - 1);
        sum->name = k->name;
        sum->ended += k->ended;
        sum->unchecked += k->unchecked;
        sum->partly += k->partly;
    }
    g_hash_table_destroy(at);
    return sums;
}

static void races_sum_append(GString *s, const struct races_sum *sum)
{
    uint64_t left = MIN(sum->unchecked + sum->partly, sum->ended);

    g_string_append_printf(s, "%s%s: %" PRIu64 " of %" PRIu64 " launches", s->len ? "; " : "",
                           sum->name, sum->ended - left, sum->ended);
    if (sum->partly) {
        g_string_append_printf(s, ", a part of %" PRIu64, sum->partly);
    }
}

/* Which kernels were checked how far; g_free() */
static char *races_extent(const struct run *r)
{
    GArray *sums = races_sums(r);
    GString *some = g_string_new(NULL), *s = g_string_new(NULL);
    unsigned whole = 0, named = 0, more = 0;

    for (guint i = 0; i < sums->len; i++) {
        const struct races_sum *sum = &g_array_index(sums, struct races_sum, i);

        if (!sum->unchecked && !sum->partly) {
            whole += sum->ended > 0;
        } else if (named++ < RACES_KERNELS) {
            races_sum_append(some, sum);
        } else {
            more++;
        }
    }
    if (whole) {
        g_string_append_printf(s, "%u kernel%s whole%s", whole, whole == 1 ? "" : "s",
                               some->len ? "; " : "");
    }
    g_string_append(s, some->str);
    if (more) {
        g_string_append_printf(s, "; %u more kernels in part", more);
    }
    g_string_free(some, TRUE);
    g_array_free(sums, TRUE);
    return g_string_free(s, FALSE);
}

static bool races_sampled(const struct run *r)
{
    for (guint i = 0; i < r->kernels->len; i++) {
        const struct run_kernel *k = r->kernels->pdata[i];

        if (k->unchecked || k->partly) {
            return true;
        }
    }
    return false;
}

static char *races_text(const struct run *r)
{
    const char *step = r->races == 2 ? ", with the lanes of a warp in step" : "";
    g_autofree char *extent = NULL;

    if (!races_sampled(r)) {
        return g_strdup_printf("races between the threads of each launch were looked for%s", step);
    }
    extent = races_extent(r);
    return g_strdup_printf("races inside kernels were looked for%s in %s (--races on checks all)",
                           step, extent);
}

/* Between the threads of one kernel */
static void text_head_races_print(struct text_printer *p)
{
    const struct run *r = p->run;

    if (!r->races) {
        text_labelled(p, 2, "not checked",
                      g_strdup("races between the threads of one kernel (docs/races.md)"));
        return;
    }
    text_labelled(p, 2, "threads", races_text(r));
    text_labelled(p, 2, "not checked", g_strdup("races of printf() in kernels (docs/races.md)"));
    if (r->races_cut) {
        text_labelled(p, 2, "NOT CHECKED",
                      g_strdup_printf("races between the threads of %" PRIu64
                                      " launches, from some point on: what has to be kept of "
                                      "their accesses became too much",
                                      r->races_cut));
    }
}

/* Of the program's own making; who stops a program knows that he did. */
static bool is_fault(const char *signal)
{
    return strcmp(signal, "SIGSEGV") == 0 || strcmp(signal, "SIGBUS") == 0;
}

void text_head_print(struct text_printer *p)
{
    const struct run *r = p->run;
    char *time = run_time_text(r->time_ns);

    text_bold(p, "vtegra report");
    text_labelled(p, 2, "program", g_strdup(r->program ? r->program : "?"));
    text_labelled(
        p, 2, "board",
        g_strdup_printf(
            "%s: %s, compute capability %u.%u, %s", r->soc ? r->soc : "?",
            r->marketing ? r->marketing : "?", r->cc / 10, r->cc % 10,
            r->facts.full_coherent ? "coherent both ways (CPU accesses snoop the L2)"
            : r->facts.discrete    ? "discrete GPU (memory of its own; PCIe snoops the CPU caches)"
            : r->facts.io_coherent ? "I/O coherent (one way: the iGPU snoops the CPU caches)"
                                   : "not I/O coherent"));
    text_labelled(p, 2, "run",
                  g_strdup_printf("%s, policy %s%s, evictions %s, seed %" PRIu64 "%s",
                                  r->os ? r->os : "?", r->policy ? r->policy : "?",
                                  r->findings->len && g_strcmp0(r->policy, "lazy") == 0
                                      ? " (queued work runs as late as the API allows)"
                                      : "",
                                  r->evict ? r->evict : "?", r->seed,
                                  r->safety ? ", safety context" : ""));
    if (r->signal && !r->findings->len && is_fault(r->signal)) {
        text_labelled(p, 2, "ended",
                      g_strdup_printf("by %s, at an access that is none of the board's. The core "
                                      "file has its line (ulimit -c unlimited)",
                                      r->signal));
    }
    if (r->free_threads > 1 && r->explore) {
        text_labelled(p, 2, "CPU threads",
                      g_strdup_printf("%" PRIu64 " made calls of CUDA, in an order that the host "
                                      "decided: another run may find more, or less. To try many "
                                      "orders: %s",
                                      r->free_threads, r->explore));
    }
    if (r->shared) {
        text_labelled(p, 2, "processes", text_head_processes(r));
    }
    text_labelled(p, 2, "CPU accesses", text_head_accesses(r));
    text_head_hooks_print(p);
    if (r->hooks && text_head_uses_pageable(r)) {
        text_labelled(
            p, 2, "not checked",
            g_strdup("races in pageable memory (malloc, static, stack), which kernels used "
                     "(docs/races.md)"));
    }
    if (r->kernels->len) {
        text_head_races_print(p);
    }
    if (r->unseen) {
        text_labelled(p, 2, "NOT CHECKED",
                      g_strdup_printf("by %s: no call names what it accesses. From then on pinned "
                                      "memory stays open to the CPU, and whether the CPU waits "
                                      "before it touches the bytes is not checked",
                                      r->unseen));
    }
    if (r->left_out) {
        text_labelled(
            p, 2, "NOT CHECKED",
            g_strdup_printf("%" PRIu64 " accesses: other processes ran this one's work, and it did "
                            "not ask the board for so long that their records were left out",
                            r->left_out));
    }
    text_head_forgot_print(p);
    text_head_suppressed_print(p);
    text_labelled(
        p, 2, "virtual time",
        g_strdup_printf("%s; from the profile's figures, for comparisons on this board%s", time,
                        r->hooks || r->machine_sees_cpu
                            ? ""
                            : ". Without the time of the CPU's accesses: it does not compare kinds "
                              "of memory that the CPU uses"));
    g_free(time);
    if (r->spin_ns || r->sleep_ns) {
        g_autofree char *spun = run_time_text(r->spin_ns), *slept = run_time_text(r->sleep_ns);

        text_labelled(
            p, 2, "CPU waited",
            g_strdup_printf("%s spinning (a core is busy), %s asleep; cudaSetDeviceFlags() "
                            "chooses (CUDA for Tegra 3.5)",
                            spun, slept));
    }
}

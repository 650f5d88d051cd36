/* SPDX-License-Identifier: MIT */
/* What a kernel has done to an image is known when it has run: before OpenGL's use of the image or
 * after it. So both are kept for a while, and compared when the later one comes. */
#include "checker/rules/image_rule.h"

#include <string.h>

#include "checker/checker.h"
#include "checker/checker_internal.h"

#define KEPT_MAX 1024u

/**
 * struct grid_use - a grid has read or written the image
 * struct gl_use - OpenGL has used it while @pending had not been waited for
 */
struct grid_use {
    uint32_t grid;
    bool write;
};

struct gl_use {
    const char *call;
    bool write;
    GArray *pending; /* uint32_t */
};

/* @turns: struct image_turn of the first two kinds, the newest last; @destroyed: 0: it is not, else
 * the newest grid before it, and 1 */
struct image_memory {
    unsigned number, width, height;
    GArray *turns, *grids, *uses;
    uint64_t destroyed;
};

struct image_rules {
    struct checker *checker;
    GHashTable *memory; /* region -> struct image_memory */
};

static void use_clear(gpointer opaque)
{
    g_array_unref(((struct gl_use *)opaque)->pending);
}

static void memory_free(gpointer opaque)
{
    struct image_memory *m = opaque;

    g_array_unref(m->turns);
    g_array_unref(m->grids);
    g_array_unref(m->uses);
    g_free(m);
}

struct image_rules *image_rules_new(struct checker *c)
{
    struct image_rules *s = g_new(struct image_rules, 1);

    s->checker = c;
    s->memory = g_hash_table_new_full(NULL, NULL, NULL, memory_free);
    return s;
}

void image_rules_free(struct image_rules *s)
{
    if (s) {
        g_hash_table_destroy(s->memory);
        g_free(s);
    }
}

static void image_rule_keep(GArray *a, gconstpointer element)
{
    if (a->len == KEPT_MAX) {
        g_array_remove_range(a, 0, KEPT_MAX / 2);
    }
    g_array_append_vals(a, element, 1);
}

static struct image_memory *memory_of(struct image_rules *s, const struct image_turn *turn)
{
    gpointer key = GUINT_TO_POINTER(turn->region);
    struct image_memory *m = g_hash_table_lookup(s->memory, key);

    if (!m) {
        m = g_new0(struct image_memory, 1);
        m->turns = g_array_new(FALSE, FALSE, sizeof(struct image_turn));
        m->grids = g_array_new(FALSE, FALSE, sizeof(struct grid_use));
        m->uses = g_array_new(FALSE, FALSE, sizeof(struct gl_use));
        g_array_set_clear_func(m->uses, use_clear);
        g_hash_table_insert(s->memory, key, m);
    }
    m->number = turn->number;
    m->width = turn->width;
    m->height = turn->height;
    return m;
}

/* --- findings --------------------------------------------------------------------------------- */

static void image_rule_report(struct image_rules *s, enum check_rule_id rule, uint32_t region,
                              uint32_t grid, char *text)
{
    struct checker_finding f = checker_finding_of(rule);
    g_autofree char *own = text;

    f.text = own;
    f.where = checker_launched(s->checker, grid);
    f.grid_id = grid;
    f.region = region;
    checker_finding(s->checker, &f);
}

static const char *name_of(const struct image_rules *s, uint32_t grid)
{
    const struct run_kernel *kernel = run_grid_kernel(checker_run(s->checker), grid);

    return kernel ? kernel->name : "a kernel";
}

static void cuda_pending_report(struct image_rules *s, const struct image_memory *m,
                                uint32_t region, const struct grid_use *g, const struct gl_use *u)
{
    image_rule_report(
        s, CHECK_RULE_EGL_IMAGE_CUDA_PENDING, region, g->grid,
        g_strdup_printf("%s %s EGLImage %u (%u x %u), which %s %s: nothing has waited for the "
                        "kernel since its launch",
                        u->call, u->write ? "draws into" : "reads", m->number, m->width, m->height,
                        name_of(s, g->grid), g->write ? "writes" : "reads"));
}

static void drawn_report(struct image_rules *s, const struct image_memory *m, uint32_t region,
                         const struct grid_use *g, const char *call)
{
    image_rule_report(
        s, CHECK_RULE_EGL_IMAGE_GL_PENDING, region, g->grid,
        g_strdup_printf("%s %s EGLImage %u (%u x %u), into which OpenGL has drawn since its last "
                        "glFinish() or fence (%s): the pixels may be the older ones",
                        name_of(s, g->grid), g->write ? "writes" : "reads", m->number, m->width,
                        m->height, call));
}

/* --- OpenGL's side ---------------------------------------------------------------------------- */

static bool image_rule_has(const GArray *pending, uint32_t grid)
{
    for (guint i = 0; i < pending->len; i++) {
        if (g_array_index(pending, uint32_t, i) == grid) {
            return true;
        }
    }
    return false;
}

static void image_rule_used(struct image_rules *s, struct image_memory *m,
                            const struct image_turn *turn)
{
    struct gl_use use = { .call = turn->call, .write = turn->writes };

    use.pending = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_vals(use.pending, turn->pending, turn->n_pending);
    for (guint i = 0; i < m->grids->len; i++) {
        const struct grid_use *g = &g_array_index(m->grids, struct grid_use, i);

        if ((g->write || use.write) && image_rule_has(use.pending, g->grid)) {
            cuda_pending_report(s, m, turn->region, g, &use);
        }
    }
    image_rule_keep(m->uses, &use);
}

void image_rules_turn(struct image_rules *s, const struct image_turn *turn)
{
    struct image_memory *m = memory_of(s, turn);
    struct image_turn kept = *turn;

    switch (turn->kind) {
    case IMAGE_USED:
        image_rule_used(s, m, turn);
        break;
    case IMAGE_DESTROYED:
        m->destroyed = (uint64_t)turn->grids + 1;
        break;
    default:
        kept.pending = NULL;
        image_rule_keep(m->turns, &kept);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

static const struct image_turn *turn_of(const struct image_memory *m, uint32_t grid)
{
    for (guint i = m->turns->len; i > 0; i--) {
        const struct image_turn *turn = &g_array_index(m->turns, struct image_turn, i - 1);

        if ((int32_t)(grid - turn->grids) > 0) {
            return turn;
        }
    }
    return NULL;
}

static void grid_used(struct image_rules *s, struct image_memory *m, uint32_t region,
                      const struct grid_use *g)
{
    const struct image_turn *turn = turn_of(m, g->grid);

    if (turn && turn->kind == IMAGE_DRAWN) {
        drawn_report(s, m, region, g, turn->call);
    }
    if (m->destroyed && (int32_t)(g->grid - (uint32_t)(m->destroyed - 1)) > 0) {
        image_rule_report(
            s, CHECK_RULE_EGL_IMAGE_DESTROYED, region, g->grid,
            g_strdup_printf("%s uses EGLImage %u (%u x %u), which the program has destroyed",
                            name_of(s, g->grid), m->number, m->width, m->height));
    }
    for (guint i = 0; i < m->uses->len; i++) {
        const struct gl_use *u = &g_array_index(m->uses, struct gl_use, i);

        if ((g->write || u->write) && image_rule_has(u->pending, g->grid)) {
            cuda_pending_report(s, m, region, g, u);
        }
    }
    image_rule_keep(m->grids, g);
}

void image_rules_take(struct image_rules *s, const struct trace_record *t)
{
    struct grid_use g = { .write = t->event == TRACE_EVENT_SUM_WRITE };
    struct image_memory *m;

    if (t->event == TRACE_EVENT_REGION_REMOVE) { /* no kernel can use it any more */
        g_hash_table_remove(s->memory, GUINT_TO_POINTER(t->region));
        return;
    }
    if ((!g.write && t->event != TRACE_EVENT_SUM_READ) || !t->arg[0] || !t->channel) {
        return;
    }
    m = g_hash_table_lookup(s->memory, GUINT_TO_POINTER(t->region));
    g.grid = m ? run_grid_on(checker_run(s->checker), t->channel - 1) : 0;
    if (g.grid) {
        grid_used(s, m, t->region, &g);
    }
}

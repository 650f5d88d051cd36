/* SPDX-License-Identifier: MIT */
/* Breadth first through every state, each once: the first way found to an outcome is a shortest
 * one.
 *
 * Reduction: states are compared after machine_reduce() has taken out of them what nothing can see
 * any more. tests/test_litmus.c explores with and without and compares the outcomes.
 */
#include <string.h>

#include "litmus/expr.h"
#include "litmus/machine.h"

#define LIMIT_DEFAULT 5000000
#define NO_PARENT UINT32_MAX

struct node {
    uint32_t parent;
    struct litmus_step step;
};

/* @key: states as bytes, @size each; @slot: open addressing, index + 1 */
struct space {
    const struct litmus_machine *m;
    unsigned size;
    GByteArray *key;
    GArray *node;
    uint32_t *slot;
    uint64_t slots;
};

/* --- a state as bytes ------------------------------------------------------------------------- */

struct packer {
    uint8_t *at;
    bool unpack;
};

static void explore_part(struct packer *p, void *field, size_t len)
{
    if (p->unpack) {
        memcpy(field, p->at, len);
    } else {
        memcpy(p->at, field, len);
    }
    p->at += len;
}

/* Only what this test uses: most states take less than 100 bytes. */
static unsigned state_pass(const struct litmus_machine *m, struct litmus_state *s, uint8_t *bytes,
                           bool unpack)
{
    struct packer p = { bytes, unpack };
    unsigned mask_bytes = (m->bytes + 7) / 8;

    explore_part(&p, s->dram, m->bytes);
    explore_part(&p, s->view, m->bytes);
    for (unsigned gpu = 0; gpu < m->gpus; gpu++) {
        explore_part(&p, s->l2[gpu], m->bytes);
        explore_part(&p, &s->l2_valid[gpu], mask_bytes); /* little endian: low bytes come first */
        explore_part(&p, &s->l2_dirty[gpu], mask_bytes);
    }
    explore_part(&p, &s->cpu_valid, 1);
    explore_part(&p, &s->cpu_dirty, 1);
    for (unsigned sm = 0; sm < m->test->sms; sm++) {
        explore_part(&p, s->l1[sm], m->bytes);
        explore_part(&p, &s->l1_valid[sm], mask_bytes);
        explore_part(&p, &s->sm_n[sm], 1);
        explore_part(&p, s->sm_queue[sm], LITMUS_QUEUE);
    }
    for (unsigned gpu = 0; m->test->sms && gpu < m->gpus; gpu++) {
        explore_part(&p, &s->gpu_n[gpu], 1);
        explore_part(&p, s->gpu_queue[gpu], LITMUS_QUEUE);
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        explore_part(&p, &s->done[t], sizeof(s->done[t]));
        explore_part(&p, &s->set[t], sizeof(s->set[t]));
        if (m->test->ways) {
            explore_part(&p, &s->lost[t], sizeof(s->lost[t]));
        }
        explore_part(&p, s->reg[t], sizeof(s->reg[t][0]) * m->test->thread[t].regs);
    }
    explore_part(&p, &s->submitted, 1);
    explore_part(&p, &s->active, 1);
    explore_part(&p, &s->edges, 1);
    explore_part(&p, &s->fault, 1);
    explore_part(&p, &s->busy, 1);
    return (unsigned)(p.at - bytes);
}

static uint64_t key_hash(const uint8_t *key, unsigned size)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ size, word;

    for (unsigned i = 0; i < size; i += 8) {
        word = 0;
        memcpy(&word, key + i, MIN(size - i, 8));
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

/* --- the set of states ------------------------------------------------------------------------ */

static const uint8_t *space_key(const struct space *sp, uint32_t index)
{
    return sp->key->data + (size_t)index * sp->size;
}

static void space_grow(struct space *sp)
{
    g_free(sp->slot);
    sp->slots *= 2;
    sp->slot = g_new0(uint32_t, sp->slots);
    for (uint32_t i = 0; i < sp->node->len; i++) {
        uint64_t at = key_hash(space_key(sp, i), sp->size) & (sp->slots - 1);

        while (sp->slot[at]) {
            at = (at + 1) & (sp->slots - 1);
        }
        sp->slot[at] = i + 1;
    }
}

/* The run takes another way through the branches than these operations stand for. */
static bool way_left(const struct litmus_machine *m, const struct litmus_state *s)
{
    for (unsigned t = 0; t < m->test->threads && m->test->ways; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        for (unsigned i = 0; i < thread->assumes; i++) {
            if (expr_known(s, thread, t, thread->assume[i]) &&
                expr_value(s, thread, t, thread->assume[i]) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void space_add(struct space *sp, struct litmus_state *s, uint32_t parent,
                      struct litmus_step step)
{
    uint8_t key[sizeof(*s)];
    struct node node = { parent, step };
    uint64_t at;

    if (way_left(sp->m, s)) {
        return;
    }
    if (sp->m->reduce) {
        machine_reduce(sp->m, s);
    }
    state_pass(sp->m, s, key, false);
    at = key_hash(key, sp->size) & (sp->slots - 1);
    while (sp->slot[at]) {
        if (memcmp(space_key(sp, sp->slot[at] - 1), key, sp->size) == 0) {
            return;
        }
        at = (at + 1) & (sp->slots - 1);
    }
    g_byte_array_append(sp->key, key, sp->size);
    g_array_append_val(sp->node, node);
    sp->slot[at] = sp->node->len;
    if ((uint64_t)sp->node->len * 2 > sp->slots) {
        space_grow(sp);
    }
}

static void state_load(const struct space *sp, uint32_t index, struct litmus_state *s)
{
    memset(s, 0, sizeof(*s));
    state_pass(sp->m, s, sp->key->data + (size_t)index * sp->size, true);
}

static void space_init(struct space *sp, const struct litmus_machine *m)
{
    struct litmus_state s;
    uint8_t key[sizeof(s)];

    machine_init(m, &s);
    *sp = (struct space){ .m = m, .slots = 1 << 12 };
    sp->size = state_pass(m, &s, key, false);
    sp->key = g_byte_array_new();
    sp->node = g_array_new(FALSE, FALSE, sizeof(struct node));
    sp->slot = g_new0(uint32_t, sp->slots);
    space_add(sp, &s, NO_PARENT, (struct litmus_step){ 0 });
}

static void space_clear(struct space *sp)
{
    g_byte_array_free(sp->key, TRUE);
    g_array_free(sp->node, TRUE);
    g_free(sp->slot);
}

/* --- outcomes --------------------------------------------------------------------------------- */

static uint64_t gpu_value(const struct litmus_machine *m, const struct litmus_state *s,
                          enum litmus_gpu gpu, unsigned at, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++) {
        uint64_t byte = s->l2_valid[gpu] >> (at + i) & 1 ? s->l2[gpu][at + i]
                                                         : cache_port_load(m, s, at + i, 1);

        value |= byte << 8 * i;
    }
    return value;
}

static uint64_t cpu_value(const struct litmus_machine *m, const struct litmus_state *s, unsigned at,
                          unsigned size)
{
    bool hit = m->view >> at & 1 && s->cpu_valid >> m->cpu_line[at] & 1;

    return bytes_get(hit ? s->view : s->dram, at, size);
}

static uint64_t item_value(const struct litmus_machine *m, const struct litmus_state *s,
                           const struct litmus_item *item, uint32_t blocked)
{
    const struct litmus_loc *loc = item->index < LITMUS_LOCS ? &m->test->loc[item->index] : NULL;

    switch (item->kind) {
    case LITMUS_ITEM_REG:
        return s->reg[item->thread][item->index];
    case LITMUS_ITEM_EXPR:
        return expr_value(s, &m->test->thread[item->thread], item->thread, item->index);
    case LITMUS_ITEM_CPU:
        return cpu_value(m, s, loc->byte, loc->size);
    case LITMUS_ITEM_IGPU:
        return gpu_value(m, s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size);
    case LITMUS_ITEM_DGPU:
        return gpu_value(m, s, LITMUS_GPU_DISCRETE, loc->byte, loc->size);
    case LITMUS_ITEM_DRAM:
        return bytes_get(s->dram, loc->byte, loc->size);
    case LITMUS_ITEM_MEM:
        return loc->kind == LITMUS_DEVICE
                   ? gpu_value(m, s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size)
               : loc->kind == LITMUS_VIDMEM
                   ? gpu_value(m, s, LITMUS_GPU_DISCRETE, loc->byte, loc->size)
                   : cpu_value(m, s, loc->byte, loc->size);
    case LITMUS_ITEM_FAULT:
        return s->fault >> item->thread & 1;
    case LITMUS_ITEM_BLOCKED:
        return blocked >> item->thread & 1;
    }
    return 0;
}

/* A register that no load has set equals nothing. */
static bool cond_true(const struct litmus_cond *c, const struct litmus_outcome *o)
{
    switch (c->op) {
    case LITMUS_COND_TRUE:
        return true;
    case LITMUS_COND_EQ:
        return o->known >> c->item & 1 && o->value[c->item] == c->value;
    case LITMUS_COND_NOT:
        return !cond_true(c->a, o);
    case LITMUS_COND_AND:
        return cond_true(c->a, o) && cond_true(c->b, o);
    case LITMUS_COND_OR:
        return cond_true(c->a, o) || cond_true(c->b, o);
    }
    return false;
}

static int outcome_compare(gconstpointer a, gconstpointer b)
{
    const struct litmus_outcome *x = a, *y = b;

    for (unsigned i = 0; i < LITMUS_ITEMS; i++) {
        if (x->value[i] != y->value[i]) {
            return x->value[i] < y->value[i] ? -1 : 1;
        }
    }
    if (x->known != y->known) {
        return x->known < y->known ? -1 : 1;
    }
    if (x->fault != y->fault) {
        return x->fault < y->fault ? -1 : 1;
    }
    return x->blocked < y->blocked ? -1 : x->blocked > y->blocked;
}

/* The lines of barriers that are over before operation @j. @shown: those that the list has */
static void barriers_list(GPtrArray *lines, const struct litmus_thread *t, unsigned j,
                          uint32_t *shown)
{
    uint32_t over = order_barriers_over(t, j) & ~*shown;

    for (*shown |= over; over; over &= over - 1) {
        g_ptr_array_add(lines, order_barrier_text(t, (unsigned)__builtin_ctz(over)));
    }
}

/* The steps from the start to a state. */
static GArray *path_of(const struct space *sp, uint32_t index)
{
    GArray *path = g_array_new(FALSE, FALSE, sizeof(struct litmus_step));
    const struct node *node = &g_array_index(sp->node, struct node, 0);

    for (uint32_t i = index; i != 0; i = node[i].parent) {
        g_array_append_val(path, node[i].step);
    }
    for (guint i = 0; i < path->len / 2; i++) {
        struct litmus_step *a = &g_array_index(path, struct litmus_step, i);
        struct litmus_step *b = &g_array_index(path, struct litmus_step, path->len - 1 - i),
                           swap = *a;

        *a = *b;
        *b = swap;
    }
    return path;
}

/* The steps run again, to show what each saw. */
static GPtrArray *explore_witness(const struct space *sp, const GArray *path)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    uint32_t shown[LITMUS_THREADS] = { 0 };
    const struct litmus_test *test = sp->m->test;
    struct litmus_state s;

    machine_init(sp->m, &s);
    if (sp->m->reduce) {
        machine_reduce(sp->m, &s);
    }
    for (guint i = 0; i < path->len; i++) {
        struct litmus_step step = g_array_index(path, struct litmus_step, i);
        char *text = machine_step_text(sp->m, &s, step), *note;

        if (step.kind == LITMUS_STEP_EVENT) {
            barriers_list(lines, &test->thread[step.a], step.b, &shown[step.a]);
        }
        machine_apply(sp->m, &s, step, &note);
        if (sp->m->reduce) {
            machine_reduce(sp->m, &s);
        }
        g_ptr_array_add(lines, note ? g_strdup_printf("%-40s %s", text, note) : g_strdup(text));
        g_free(note);
        g_free(text);
    }
    for (unsigned t = 0; t < test->threads; t++) {
        if (!((s.fault | machine_running(sp->m, &s)) >> t & 1)) {
            barriers_list(lines, &test->thread[t], test->thread[t].n, &shown[t]);
        }
    }
    return lines;
}

static void outcome_add(const struct space *sp, struct litmus_result *r,
                        const struct litmus_state *s, uint32_t index)
{
    const struct litmus_test *test = sp->m->test;
    struct litmus_outcome o = { .fault = s->fault,
                                .blocked = machine_running(sp->m, s),
                                .states = 1 };

    if (test->ways && o.blocked) {
        return; /* an exclusive pair that another store came between: no such run */
    }
    for (unsigned i = 0; i < test->items; i++) {
        bool known = test->item[i].kind != LITMUS_ITEM_REG ||
                     s->set[test->item[i].thread] >> test->item[i].index & 1;

        o.known |= (uint32_t)known << i;
        o.value[i] = known ? item_value(sp->m, s, &test->item[i], o.blocked) : 0;
    }
    for (guint i = 0; i < r->outcomes->len; i++) {
        struct litmus_outcome *have = &g_array_index(r->outcomes, struct litmus_outcome, i);

        if (outcome_compare(have, &o) == 0) {
            have->states++;
            return;
        }
    }
    o.way = test;
    o.matches = cond_true(test->cond, &o);
    o.steps = path_of(sp, index);
    o.witness = explore_witness(sp, o.steps);
    g_array_append_val(r->outcomes, o);
}

static enum litmus_verdict explore_verdict(const struct litmus_test *test,
                                           const struct litmus_result *r)
{
    bool any = false, all = true;

    for (guint i = 0; i < r->outcomes->len; i++) {
        bool matches = g_array_index(r->outcomes, struct litmus_outcome, i).matches;

        any |= matches;
        all &= matches;
    }
    switch (test->quantifier) {
    case LITMUS_EXISTS:
        return any ? LITMUS_ALLOWED : LITMUS_UNSEEN;
    case LITMUS_NOT_EXISTS:
        return any ? LITMUS_FAILS : LITMUS_HOLDS;
    case LITMUS_FORALL:
        return all ? LITMUS_HOLDS : LITMUS_FAILS;
    }
    return LITMUS_FAILS;
}

/* @limit: of all ways together */
static void explore_search(struct space *sp, struct litmus_result *r, uint64_t limit)
{
    for (uint32_t i = 0; i < sp->node->len; i++) {
        struct litmus_step step[LITMUS_STEPS];
        struct litmus_state s, next;
        unsigned n, program;

        if (r->states + sp->node->len > limit) {
            r->exhausted = false;
            break;
        }
        state_load(sp, i, &s);
        n = machine_steps(sp->m, &s, step, &program);
        if (program == 0) {
            outcome_add(sp, r, &s, i);
        }
        for (unsigned k = 0; k < n; k++) {
            next = s;
            machine_apply(sp->m, &next, step[k], NULL);
            space_add(sp, &next, i, step[k]);
        }
        r->steps += n;
    }
    r->states += sp->node->len;
}

static bool way_explore(const struct litmus_test *way, const struct soc_profile *soc,
                        const struct litmus_options *options, struct litmus_result *r,
                        GError **error)
{
    struct litmus_machine *m = litmus_machine_new(way, soc, options->reduce, error);
    struct space sp;

    if (!m) {
        return false;
    }
    space_init(&sp, m);
    explore_search(&sp, r, options->limit ? options->limit : LIMIT_DEFAULT);
    space_clear(&sp);
    g_free(m);
    return true;
}

struct litmus_result *litmus_explore(const struct litmus_test *test, const struct soc_profile *soc,
                                     const struct litmus_options *options, GError **error)
{
    struct litmus_result *r = g_new0(struct litmus_result, 1);

    r->exhausted = true;
    r->outcomes = g_array_new(FALSE, TRUE, sizeof(struct litmus_outcome));
    for (const struct litmus_test *way = test; way && r->exhausted; way = way->next) {
        if (!way_explore(way, soc, options, r, error)) {
            litmus_result_free(r);
            return NULL;
        }
    }
    if (r->exhausted && r->outcomes->len == 0) { /* every way waits for another, or for itself */
        g_set_error(
            error, LITMUS_ERROR, LITMUS_ERROR_SOC,
            "%s:1:1: no run comes to its end, so there is no verdict: expected an operation that "
            "ends each loop and each wait",
            test->file);
        litmus_result_free(r);
        return NULL;
    }
    g_array_sort(r->outcomes, outcome_compare);
    r->verdict = explore_verdict(test, r);
    return r;
}

void litmus_result_free(struct litmus_result *r)
{
    if (!r) {
        return;
    }
    for (guint i = 0; i < r->outcomes->len; i++) {
        g_ptr_array_unref(g_array_index(r->outcomes, struct litmus_outcome, i).witness);
        g_array_free(g_array_index(r->outcomes, struct litmus_outcome, i).steps, TRUE);
    }
    g_array_free(r->outcomes, TRUE);
    g_free(r);
}

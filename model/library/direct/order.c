/* SPDX-License-Identifier: MIT */
/* Orders that keep factors sparse. Ties go to the lower index, so that an order is the same on
 * every host; NVIDIA's orders are others (inferred: its guide names the methods only).
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/order.h"

struct direct_graph direct_graph_new(const struct direct_matrix *a)
{
    struct direct_matrix turned = direct_matrix_transposed(a);
    struct direct_matrix sorted = direct_matrix_transposed(&turned);
    uint32_t n = a->rows, at = 0;
    struct direct_graph g = { .n = n,
                              .begin = direct_new((uint64_t)n + 1, sizeof(uint32_t)),
                              .neighbor = direct_new(2 * (uint64_t)a->begin[n], sizeof(uint32_t)) };

    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = sorted.begin[i], q = turned.begin[i];

        while (p < sorted.begin[i + 1] || q < turned.begin[i + 1]) {
            uint32_t x = p < sorted.begin[i + 1] ? sorted.column[p] : UINT32_MAX;
            uint32_t y = q < turned.begin[i + 1] ? turned.column[q] : UINT32_MAX;
            uint32_t v = x < y ? x : y;

            p += x == v;
            q += y == v;
            if (v != i && (at == g.begin[i] || g.neighbor[at - 1] != v)) {
                g.neighbor[at++] = v;
            }
        }
        g.begin[i + 1] = at;
    }
    direct_matrix_free(&turned);
    direct_matrix_free(&sorted);
    return g;
}

void direct_graph_free(struct direct_graph *g)
{
    free(g->begin);
    free(g->neighbor);
}

static uint32_t graph_degree(const struct direct_graph *g, uint32_t v)
{
    return g->begin[v + 1] - g->begin[v];
}

/* --- breadth first --- */

/**
 * struct search - the vertices of part @part that are reached from one, level by level
 * @label: by vertex: its part; @seen: the number of the search that reached it last
 * @queue: @count of them; @level: by level, where it begins, @levels of them and the end
 */
struct search {
    const struct direct_graph *g;
    uint32_t *label, *seen, *queue, *level, part, number, count, levels;
};

static struct search search_new(const struct direct_graph *g)
{
    return (struct search){ .g = g,
                            .label = direct_new(g->n, sizeof(uint32_t)),
                            .seen = direct_new(g->n, sizeof(uint32_t)),
                            .queue = direct_new(g->n, sizeof(uint32_t)),
                            .level = direct_new((uint64_t)g->n + 1, sizeof(uint32_t)) };
}

static void search_free(struct search *s)
{
    free(s->label);
    free(s->seen);
    free(s->queue);
    free(s->level);
}

static void search_visit(struct search *s, uint32_t v)
{
    if (s->label[v] == s->part && s->seen[v] != s->number) {
        s->seen[v] = s->number;
        s->queue[s->count++] = v;
    }
}

static void search_run(struct search *s, uint32_t root)
{
    uint32_t from = 0;

    s->number++;
    s->count = s->levels = 0;
    search_visit(s, root);
    while (from < s->count) {
        uint32_t to = s->count;

        s->level[s->levels++] = from;
        for (; from < to; from++) {
            uint32_t v = s->queue[from];

            for (uint32_t k = s->g->begin[v]; k < s->g->begin[v + 1]; k++) {
                search_visit(s, s->g->neighbor[k]);
            }
        }
    }
    s->level[s->levels] = s->count;
}

/* From the vertex of least degree of the last level on, as long as that makes more levels; ends
 * with the search from there. */
static void search_far(struct search *s, uint32_t root)
{
    uint32_t levels = 0;

    search_run(s, root);
    while (s->levels > levels) {
        uint32_t best = s->queue[s->level[s->levels - 1]];

        levels = s->levels;
        for (uint32_t i = s->level[s->levels - 1]; i < s->count; i++) {
            uint32_t v = s->queue[i];

            best = graph_degree(s->g, v) < graph_degree(s->g, best) ? v : best;
        }
        search_run(s, best);
    }
}

/* --- reverse Cuthill-McKee (A. George, J. Liu, 1981) --- */

/* Neighbors of the vertex that have no number yet, of least degree first */
static uint32_t mckee_neighbors(const struct direct_graph *g, uint32_t v, bool *done,
                                uint32_t *order, uint32_t count)
{
    uint32_t first = count;

    for (uint32_t k = g->begin[v]; k < g->begin[v + 1]; k++) {
        uint32_t w = g->neighbor[k], at = count;

        if (done[w]) {
            continue;
        }
        done[w] = true;
        for (; at > first && graph_degree(g, order[at - 1]) > graph_degree(g, w); at--) {
            order[at] = order[at - 1];
        }
        order[at] = w;
        count++;
    }
    return count;
}

static void order_mckee(const struct direct_graph *g, uint32_t *order)
{
    struct search s = search_new(g);
    bool *done = direct_new(g->n, sizeof(*done));
    uint32_t count = 0, at = 0;

    for (uint32_t v = 0; v < g->n; v++) {
        if (done[v]) {
            continue;
        }
        search_far(&s, v);
        done[s.queue[0]] = true;
        order[count++] = s.queue[0];
        for (; at < count; at++) {
            count = mckee_neighbors(g, order[at], done, order, count);
        }
    }
    for (uint32_t i = 0; i < g->n / 2; i++) {
        uint32_t t = order[i];

        order[i] = order[g->n - 1 - i];
        order[g->n - 1 - i] = t;
    }
    free(done);
    search_free(&s);
}

/* --- nested dissection (A. George, 1973): the middle level of a long search comes last --- */

#define SMALL 16u

/* list[from..to) becomes the vertices before the middle level, those behind it, and it; a part that
 * is not connected becomes what was reached, and the rest. Return: false: it stays as it is */
static bool dissection_split(struct search *s, uint32_t *list, uint32_t from, uint32_t to,
                             uint32_t *first, uint32_t *second)
{
    uint32_t middle = 0, at = from;

    search_far(s, list[from]);
    if (s->count < to - from) {
        uint32_t rest = from + s->count, *old = direct_new(to - from, sizeof(*old));

        memcpy(old, list + from, (to - from) * sizeof(*old));
        memcpy(list + from, s->queue, s->count * sizeof(*list));
        for (uint32_t i = 0; i < to - from; i++) {
            if (s->seen[old[i]] != s->number) {
                list[rest++] = old[i];
            }
        }
        free(old);
        *first = from + s->count;
        *second = to;
        return true;
    }
    if (to - from <= SMALL || s->levels < 3) {
        return false;
    }
    while (middle + 2 < s->levels && (middle == 0 || s->level[middle + 1] < s->count / 2)) {
        middle++;
    }
    memcpy(list + at, s->queue, s->level[middle] * sizeof(*list));
    at += s->level[middle];
    *first = at;
    for (uint32_t i = s->level[middle + 1]; i < s->count; i++) {
        list[at++] = s->queue[i];
    }
    *second = at;
    for (uint32_t i = s->level[middle]; i < s->level[middle + 1]; i++) {
        list[at++] = s->queue[i];
    }
    return true;
}

static void order_dissection(const struct direct_graph *g, uint32_t *order)
{
    struct search s = search_new(g);
    uint32_t *stack = direct_new(2 * ((uint64_t)g->n + 2), sizeof(*stack)), depth = 0, parts = 0;

    for (uint32_t v = 0; v < g->n; v++) {
        order[v] = v;
    }
    stack[0] = 0;
    stack[1] = g->n;
    depth = g->n > 0 ? 1 : 0;
    while (depth > 0) {
        uint32_t from = stack[2 * --depth], to = stack[2 * depth + 1], first, second;

        s.part = ++parts;
        for (uint32_t i = from; i < to; i++) {
            s.label[order[i]] = s.part;
        }
        if (!dissection_split(&s, order, from, to, &first, &second)) {
            continue;
        }
        for (unsigned half = 0; half < 2; half++) {
            uint32_t begin = half ? first : from, end = half ? second : first;

            if (end > begin) {
                stack[2 * depth] = begin;
                stack[2 * depth++ + 1] = end;
            }
        }
    }
    free(stack);
    search_free(&s);
}

void direct_order_find(enum direct_order kind, const struct direct_matrix *a, uint32_t *order)
{
    struct direct_graph g;

    if (kind == DIRECT_NATURAL) {
        for (uint32_t i = 0; i < a->rows; i++) {
            order[i] = i;
        }
        return;
    }
    g = direct_graph_new(a);
    (kind == DIRECT_SYMRCM   ? order_mckee
     : kind == DIRECT_SYMAMD ? direct_order_degree
                             : order_dissection)(&g, order);
    direct_graph_free(&g);
}

/* SPDX-License-Identifier: MIT */
/* The order of minimum degree (W. Tinney, J. Walker, 1967), on the graph of elimination itself: the
 * neighbors of an eliminated vertex become neighbors of each other. And rows for the diagonal.
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/order.h"

/**
 * struct elimination
 * @neighbor: by vertex: its @degree neighbors, ascending; NULL: eliminated
 * @head: by degree: the first vertex of it; @next, @before: in that list, n: none
 */
struct elimination {
    uint32_t n, **neighbor, *degree, *head, *next, *before;
};

static void vertex_list(struct elimination *e, uint32_t v)
{
    uint32_t d = e->degree[v];

    e->before[v] = e->n;
    e->next[v] = e->head[d];
    if (e->head[d] != e->n) {
        e->before[e->head[d]] = v;
    }
    e->head[d] = v;
}

static void vertex_unlist(struct elimination *e, uint32_t v)
{
    if (e->before[v] == e->n) {
        e->head[e->degree[v]] = e->next[v];
    } else {
        e->next[e->before[v]] = e->next[v];
    }
    if (e->next[v] != e->n) {
        e->before[e->next[v]] = e->before[v];
    }
}

/* The neighbors of @u: its own and those of @v, but for the two */
static void neighbors_join(struct elimination *e, uint32_t u, uint32_t v)
{
    const uint32_t *a = e->neighbor[u], *b = e->neighbor[v];
    uint32_t i = 0, j = 0, n = 0;
    uint32_t *out = direct_new((uint64_t)e->degree[u] + e->degree[v], sizeof(*out));

    while (i < e->degree[u] || j < e->degree[v]) {
        uint32_t x = i < e->degree[u] ? a[i] : UINT32_MAX, y = j < e->degree[v] ? b[j] : UINT32_MAX;
        uint32_t w = x < y ? x : y;

        i += x == w;
        j += y == w;
        if (w != u && w != v) {
            out[n++] = w;
        }
    }
    vertex_unlist(e, u);
    free(e->neighbor[u]);
    e->neighbor[u] = out;
    e->degree[u] = n;
    vertex_list(e, u);
}

static void vertex_eliminate(struct elimination *e, uint32_t v)
{
    vertex_unlist(e, v);
    for (uint32_t k = 0; k < e->degree[v]; k++) {
        neighbors_join(e, e->neighbor[v][k], v);
    }
    free(e->neighbor[v]);
    e->neighbor[v] = NULL;
}

static struct elimination elimination_new(const struct direct_graph *g)
{
    struct elimination e = { .n = g->n,
                             .neighbor = direct_new(g->n, sizeof(*e.neighbor)),
                             .degree = direct_new(g->n, sizeof(*e.degree)),
                             .head = direct_new(g->n, sizeof(*e.head)),
                             .next = direct_new(g->n, sizeof(*e.next)),
                             .before = direct_new(g->n, sizeof(*e.before)) };

    for (uint32_t v = 0; v < g->n; v++) {
        e.head[v] = g->n;
    }
    for (uint32_t v = g->n; v-- > 0;) {
        uint32_t d = g->begin[v + 1] - g->begin[v];

        e.degree[v] = d;
        e.neighbor[v] = direct_new(d, sizeof(**e.neighbor));
        memcpy(e.neighbor[v], g->neighbor + g->begin[v], d * sizeof(**e.neighbor));
        vertex_list(&e, v);
    }
    return e;
}

static void elimination_free(struct elimination *e)
{
    for (uint32_t v = 0; v < e->n; v++) {
        free(e->neighbor[v]);
    }
    free(e->neighbor);
    free(e->degree);
    free(e->head);
    free(e->next);
    free(e->before);
}

void direct_order_degree(const struct direct_graph *g, uint32_t *order)
{
    struct elimination e = elimination_new(g);
    uint32_t count = 0, least = 0;

    while (count < g->n) {
        uint32_t v;

        while (e.head[least] == g->n) {
            least++;
        }
        v = e.head[least];
        if (least == g->n - count - 1) { /* all are neighbors of all */
            for (uint32_t u = 0; u < g->n; u++) {
                if (e.neighbor[u]) {
                    order[count++] = u;
                }
            }
            break;
        }
        order[count++] = v;
        vertex_eliminate(&e, v);
        least = least > 0 ? least - 1 : 0; /* a neighbor lost one, at most */
    }
    elimination_free(&e);
}

/* --- rows for the diagonal: a matching by shortest ways --- */

/**
 * struct matching
 * @row: by column: its row; @column: by row: its column; UINT32_MAX: none
 * @from: by row: the column that the way came from; @seen: by row: column + 1 of the way
 */
struct matching {
    const struct direct_matrix *turned;
    uint32_t *row, *column, *from, *seen, *queue;
};

static void matching_flip(struct matching *m, uint32_t row)
{
    for (uint32_t next; row != UINT32_MAX; row = next) {
        uint32_t column = m->from[row];

        next = m->row[column];
        m->row[column] = row;
        m->column[row] = column;
    }
}

/* Finds column @root a row; others may change theirs. */
static bool matching_extend(struct matching *m, uint32_t root)
{
    uint32_t count = 1;

    m->queue[0] = root;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t column = m->queue[at];

        for (uint32_t k = m->turned->begin[column]; k < m->turned->begin[column + 1]; k++) {
            uint32_t row = m->turned->column[k];

            if (m->seen[row] == root + 1) {
                continue;
            }
            m->seen[row] = root + 1;
            m->from[row] = column;
            if (m->column[row] == UINT32_MAX) {
                matching_flip(m, row);
                return true;
            }
            m->queue[count++] = m->column[row];
        }
    }
    return false;
}

uint32_t direct_order_diagonal(const struct direct_matrix *a, uint32_t *order)
{
    struct direct_matrix turned = direct_matrix_transposed(a);
    uint32_t n = a->rows, found = 0, spare = 0;
    struct matching m = { .turned = &turned,
                          .row = order,
                          .column = direct_new(n, sizeof(*m.column)),
                          .from = direct_new(n, sizeof(*m.from)),
                          .seen = direct_new(n, sizeof(*m.seen)),
                          .queue = direct_new(n, sizeof(*m.queue)) };

    memset(order, 0xff, n * sizeof(*order));
    memset(m.column, 0xff, n * sizeof(*order));
    for (uint32_t j = 0; j < n; j++) {
        found += matching_extend(&m, j);
    }
    for (uint32_t j = 0; j < n; j++) { /* columns that have none take what is left */
        if (order[j] == UINT32_MAX) {
            while (m.column[spare] != UINT32_MAX) {
                spare++;
            }
            order[j] = spare;
            m.column[spare] = j;
        }
    }
    direct_matrix_free(&turned);
    free(m.column);
    free(m.from);
    free(m.seen);
    free(m.queue);
    return found;
}

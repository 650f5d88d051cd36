/* SPDX-License-Identifier: MIT */
/* A Q = L U by rows: row i less multiples of the rows of U above it, then its largest element is
 * the pivot, so that Q is a choice of columns. Which rows of U take part is found first, by a walk
 * from the row's elements (J. Gilbert, T. Peierls, Sparse partial pivoting in time proportional to
 * arithmetic operations, 1988).
 */
#include <stdlib.h>

#include "model/library/direct/direct.h"

/**
 * struct lu - the row under way
 * @x: its elements, by column of A
 * @mark: by column: i + 1 if row i has it
 * @list: columns that it has: from @top on those with a row of U, in an order in which none comes
 *   before one that it needs; before @free those without
 * @stack, @next: of the walk
 */
struct lu {
    struct direct_factors *f;
    const struct direct_matrix *a;
    struct number *x;
    uint32_t *mark, *list, *stack, *next;
    uint32_t top, free;
};

/* All columns that come from @column by rows of U */
static void lu_walk(struct lu *s, uint32_t row, uint32_t column)
{
    const struct direct_matrix *u = &s->f->upper;
    const uint32_t *place = s->f->place;
    uint32_t depth = 0;

    s->stack[0] = column;
    s->mark[column] = row + 1;
    s->next[0] = place[column] == UINT32_MAX ? 0 : u->begin[place[column]];
    for (;;) {
        uint32_t c = s->stack[depth], k = place[c];
        uint32_t end = k == UINT32_MAX ? 0 : u->begin[k + 1], to = UINT32_MAX;

        while (s->next[depth] < end && to == UINT32_MAX) {
            uint32_t candidate = u->column[s->next[depth]++];

            to = s->mark[candidate] == row + 1 ? UINT32_MAX : candidate;
        }
        if (to != UINT32_MAX) {
            s->mark[to] = row + 1;
            s->stack[++depth] = to;
            s->next[depth] = place[to] == UINT32_MAX ? 0 : u->begin[place[to]];
            continue;
        }
        if (k == UINT32_MAX) {
            s->list[s->free++] = c;
        } else {
            s->list[--s->top] = c;
        }
        if (depth-- == 0) {
            return;
        }
    }
}

static void lu_eliminate(struct lu *s, uint32_t row)
{
    struct direct_matrix *l = &s->f->lower, *u = &s->f->upper;
    uint32_t at = l->begin[row];

    direct_matrix_reserve(l, row, s->a->rows - s->top);
    for (uint32_t t = s->top; t < s->a->rows; t++) {
        uint32_t column = s->list[t], k = s->f->place[column], from = u->begin[k];
        struct number v = s->x[column];

        s->x[column] = (struct number){ 0, 0 };
        if (!number_zero(u->value[from])) { /* else A is singular, and that is known */
            v = number_divide(v, u->value[from]);
        }
        l->column[at] = k;
        l->value[at++] = v;
        for (uint32_t p = from + 1; p < u->begin[k + 1]; p++) {
            s->x[u->column[p]] = number_subtract(s->x[u->column[p]], v, u->value[p]);
        }
        s->f->fmas += u->begin[k + 1] - from;
    }
    l->begin[row + 1] = at;
}

/* The column of the pivot: the largest element, of several the first; or the diagonal. */
static uint32_t lu_pivot(const struct lu *s, uint32_t row, double threshold)
{
    uint32_t best = UINT32_MAX;
    double most = 0, diagonal = s->f->place[row] == UINT32_MAX ? number_square(s->x[row]) : 0;

    for (uint32_t t = 0; t < s->free; t++) {
        double size = number_square(s->x[s->list[t]]);

        if (best == UINT32_MAX || size > most || (size == most && s->list[t] < best)) {
            best = s->list[t];
            most = size;
        }
    }
    if (diagonal > 0 && diagonal >= threshold * threshold * most) {
        return row;
    }
    for (uint32_t j = 0; best == UINT32_MAX; j++) { /* a row of zeros: any column */
        best = s->f->place[j] == UINT32_MAX ? j : UINT32_MAX;
    }
    return best;
}

static void lu_row_store(struct lu *s, uint32_t row, uint32_t pivot)
{
    struct direct_matrix *u = &s->f->upper;
    uint32_t at = u->begin[row];

    direct_matrix_reserve(u, row, s->free + 1);
    u->column[at] = pivot;
    u->value[at++] = s->f->diagonal[row] = s->x[pivot];
    for (uint32_t t = 0; t < s->free; t++) {
        uint32_t column = s->list[t];

        if (column != pivot) {
            u->column[at] = column;
            u->value[at++] = s->x[column];
        }
        s->x[column] = (struct number){ 0, 0 };
    }
    u->begin[row + 1] = at;
    s->f->order[row] = pivot;
    s->f->place[pivot] = row;
}

void direct_lu(struct direct_factors *f, const struct direct_matrix *a, double threshold)
{
    uint32_t n = a->rows;
    struct lu s = { .f = f,
                    .a = a,
                    .x = direct_new(n, sizeof(struct number)),
                    .mark = direct_new(n, sizeof(uint32_t)),
                    .list = direct_new(n, sizeof(uint32_t)),
                    .stack = direct_new(n, sizeof(uint32_t)),
                    .next = direct_new(n, sizeof(uint32_t)) };

    f->order = direct_new(n, sizeof(*f->order));
    f->place = direct_new(n, sizeof(*f->place));
    for (uint32_t j = 0; j < n; j++) {
        f->place[j] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        s.top = n;
        s.free = 0;
        for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            if (s.mark[a->column[k]] != i + 1) {
                lu_walk(&s, i, a->column[k]);
            }
            s.x[a->column[k]].re += a->value[k].re;
            s.x[a->column[k]].im += a->value[k].im;
        }
        lu_eliminate(&s, i);
        lu_row_store(&s, i, lu_pivot(&s, i, threshold));
    }
    free(s.x);
    free(s.mark);
    free(s.list);
    free(s.stack);
    free(s.next);
}

void direct_lu_solve(struct direct_factors *f, struct number *b, struct number *x)
{
    for (uint32_t i = 0; i < f->n; i++) {
        for (uint32_t k = f->lower.begin[i]; k < f->lower.begin[i + 1]; k++) {
            b[i] = number_subtract(b[i], f->lower.value[k], b[f->lower.column[k]]);
        }
    }
    for (uint32_t i = f->n; i-- > 0;) {
        uint32_t from = f->upper.begin[i];

        for (uint32_t k = from + 1; k < f->upper.begin[i + 1]; k++) {
            b[i] = number_subtract(b[i], f->upper.value[k], x[f->upper.column[k]]);
        }
        x[f->order[i]] = number_divide(b[i], f->diagonal[i]);
    }
    f->fmas += f->lower.begin[f->n] + f->upper.begin[f->n];
}

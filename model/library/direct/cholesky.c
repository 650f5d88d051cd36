/* SPDX-License-Identifier: MIT */
/* A = L L^H by rows. Columns that row k of L has are the ways from the row's elements up the
 * elimination tree (J. Liu, The role of elimination trees in sparse factorization, 1990). f.lower
 * holds columns, one begin[j] apart, the diagonal first.
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/direct.h"

/* The columns of row @row from list[return value] on, parents behind their children. @mark: by
 * column: row + 1, if it is in the list */
static uint32_t row_reach(const struct direct_matrix *a, const uint32_t *parent, uint32_t row,
                          uint32_t *mark, uint32_t *list, uint32_t *way)
{
    uint32_t top = a->rows;

    mark[row] = row + 1;
    for (uint32_t k = a->begin[row]; k < a->begin[row + 1]; k++) {
        uint32_t length = 0;

        for (uint32_t j = a->column[k]; j < row && mark[j] != row + 1; j = parent[j]) {
            mark[j] = row + 1;
            way[length++] = j;
        }
        while (length > 0) {
            list[--top] = way[--length];
        }
    }
    return top;
}

/* The parent of column j: the first row below j that L has in it. @ancestor: shortens the way */
static uint32_t *tree_new(const struct direct_matrix *a)
{
    uint32_t *parent = direct_new(a->rows, sizeof(*parent));
    uint32_t *ancestor = direct_new(a->rows, sizeof(*ancestor));

    for (uint32_t i = 0; i < a->rows; i++) {
        parent[i] = ancestor[i] = UINT32_MAX;
        for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            uint32_t j = a->column[k], next;

            for (; j < i; j = next) {
                next = ancestor[j];
                ancestor[j] = i;
                if (next == UINT32_MAX) {
                    parent[j] = i;
                }
            }
        }
    }
    free(ancestor);
    return parent;
}

/* Where each column of L begins. */
static void columns_place(struct direct_matrix *l, const struct direct_matrix *a,
                          const uint32_t *parent, uint32_t *mark, uint32_t *list, uint32_t *way)
{
    uint64_t count = a->rows;

    for (uint32_t i = 0; i < a->rows; i++) {
        for (uint32_t t = row_reach(a, parent, i, mark, list, way); t < a->rows; t++) {
            l->begin[list[t] + 1]++;
            count++;
        }
        l->begin[i + 1]++;
    }
    if (count >= UINT32_MAX) {
        abort();
    }
    for (uint32_t j = 0; j < a->rows; j++) {
        l->begin[j + 1] += l->begin[j];
    }
    direct_matrix_reserve(l, 0, (uint32_t)count);
    memset(mark, 0, a->rows * sizeof(*mark));
}

/* Row @row: x L(row, :)^H, column by column. @end: by column, where its next element goes */
static double row_eliminate(struct direct_factors *f, uint32_t row, const uint32_t *list,
                            uint32_t top, uint32_t *end, struct number *x)
{
    struct direct_matrix *l = &f->lower;
    double diagonal = x[row].re;

    for (uint32_t t = top; t < f->n; t++) {
        uint32_t j = list[t];
        struct number v = number_divide(x[j], l->value[l->begin[j]]);

        x[j] = (struct number){ 0, 0 };
        for (uint32_t p = l->begin[j] + 1; p < end[j]; p++) {
            x[l->column[p]] = number_subtract(x[l->column[p]], v, number_conjugate(l->value[p]));
        }
        f->fmas += end[j] - l->begin[j];
        diagonal -= number_square(v);
        l->column[end[j]] = row;
        l->value[end[j]++] = v;
    }
    x[row] = (struct number){ 0, 0 };
    return diagonal;
}

void direct_cholesky(struct direct_factors *f, const struct direct_matrix *a)
{
    uint32_t n = a->rows, *parent = tree_new(a), *mark = direct_new(n, sizeof(*mark));
    uint32_t *list = direct_new(n, sizeof(*list)), *way = direct_new(n, sizeof(*way));
    uint32_t *end = direct_new(n, sizeof(*end));
    struct number *x = direct_new(n, sizeof(*x));

    columns_place(&f->lower, a, parent, mark, list, way);
    memcpy(end, f->lower.begin, n * sizeof(*end));
    for (uint32_t i = 0; i < n && f->failed == UINT32_MAX; i++) {
        uint32_t top = row_reach(a, parent, i, mark, list, way);
        double square;

        for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            if (a->column[k] <= i) {
                x[a->column[k]] = a->value[k];
            }
        }
        square = row_eliminate(f, i, list, top, end, x);
        f->failed = square > 0 ? UINT32_MAX : i;
        f->diagonal[i].re = square > 0 ? sqrt(square) : 0;
        f->lower.column[end[i]] = i;
        f->lower.value[end[i]++] = f->diagonal[i];
    }
    free(parent);
    free(mark);
    free(list);
    free(way);
    free(end);
    free(x);
}

void direct_cholesky_solve(struct direct_factors *f, struct number *b, struct number *x)
{
    const struct direct_matrix *l = &f->lower;

    if (f->failed != UINT32_MAX) { /* columns from there on are not there */
        for (uint32_t j = 0; j < f->n; j++) {
            x[j] = (struct number){ NAN, 0 };
        }
        return;
    }
    for (uint32_t j = 0; j < f->n; j++) {
        b[j] = number_divide(b[j], f->diagonal[j]);
        for (uint32_t p = l->begin[j] + 1; p < l->begin[j + 1]; p++) {
            b[l->column[p]] = number_subtract(b[l->column[p]], l->value[p], b[j]);
        }
    }
    for (uint32_t j = f->n; j-- > 0;) {
        x[j] = b[j];
        for (uint32_t p = l->begin[j] + 1; p < l->begin[j + 1]; p++) {
            x[j] = number_subtract(x[j], number_conjugate(l->value[p]), x[l->column[p]]);
        }
        x[j] = number_divide(x[j], f->diagonal[j]);
    }
    f->fmas += 2 * (uint64_t)l->begin[f->n];
}

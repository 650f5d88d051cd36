/* SPDX-License-Identifier: MIT */
/* C = alpha A B, all sparse, by rows: how many elements C has, where its rows begin, its elements.
 * Operands: A, B, and what mode[2] asks for. In double precision, rounded once; a row's terms are
 * added in the order of memory, and its columns ascend.
 */
#include <glib.h>

#include "model/library/sparse.h"

enum { COUNT, OFFSETS, ELEMENTS };

/**
 * struct pair
 * @sums, @there: by column of a row of C
 * @found: the columns of that row
 */
struct pair {
    struct library_work *w;
    struct sparse a;
    struct number *sums;
    uint8_t *there;
    uint64_t *found, columns, count;
};

static bool result_fits(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    uint64_t first = c->mode[2] == COUNT     ? 1
                     : c->mode[2] == OFFSETS ? (uint64_t)c->n[0] + 1
                                             : (uint64_t)c->n[5];

    return c->mode[2] <= ELEMENTS && c->mode[3] <= 1 && library_operand_count(&o[6]) == first &&
           sparse_is_index(o[6].type) &&
           sparse_dense_fits(&o[7], c->mode[2] == ELEMENTS ? c->n[5] : 0, 1);
}

const char *library_spgemm_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return !(c->mode[1] & LIBRARY_COORDINATES) && sparse_fits(c) && c->n[3] >= 0 && c->n[4] >= 0 &&
                   c->n[5] >= 0 && c->n[6] >= 0 && c->n[6] <= 1 && sparse_is_index(o[3].type) &&
                   sparse_is_index(o[4].type) &&
                   library_operand_count(&o[3]) == (uint64_t)c->n[1] + 1 &&
                   library_operand_count(&o[4]) == (uint64_t)c->n[4] &&
                   sparse_dense_fits(&o[5], c->n[4], 1) && result_fits(c)
               ? NULL
               : sparse_wrong_size;
}

/* Adds @v times row @k of B. Return: false: an index outside of it */
static bool row_add(struct pair *p, struct number v, uint64_t k)
{
    const struct library_call *c = p->w->call;
    uint64_t i = sparse_index(p->w, 3, k, c->n[6]);
    uint64_t to = sparse_index(p->w, 3, k + 1, c->n[6]);

    if (i > to || to > (uint64_t)c->n[4]) {
        return false;
    }
    for (; i < to; i++) {
        uint64_t column = sparse_index(p->w, 4, i, c->n[6]);

        if (column >= (uint64_t)c->n[3]) {
            return false;
        }
        if (!p->there[column]) {
            p->there[column] = 1;
            p->sums[column] = (struct number){ 0, 0 };
            p->found[p->columns++] = column;
        }
        p->sums[column] = number_add(p->sums[column], v, number_get(p->w, 5, i));
    }
    return true;
}

static int column_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void row_put(struct pair *p)
{
    const struct library_call *c = p->w->call;

    qsort(p->found, p->columns, sizeof(*p->found), column_compare);
    for (uint64_t i = 0; i < p->columns; i++) {
        uint64_t column = p->found[i];

        p->there[column] = 0;
        if (c->mode[2] == ELEMENTS && p->count + i < (uint64_t)c->n[5]) {
            sparse_integer_put(p->w, 6, p->count + i, (int64_t)(column + c->mode[3]));
            number_put(p->w, 7, p->count + i,
                       number_product(number_scalar(p->w, 0), p->sums[column]));
        }
    }
    p->count += p->columns;
    p->columns = 0;
}

static bool rows_multiply(struct pair *p)
{
    for (uint64_t row = 0; row < p->a.rows; row++) {
        uint64_t i, to, k;

        if (p->w->call->mode[2] == OFFSETS) {
            sparse_integer_put(p->w, 6, row, (int64_t)(p->count + p->w->call->mode[3]));
        }
        if (!sparse_row(&p->a, row, &i, &to)) {
            return false;
        }
        for (; i < to; i++) {
            if (!sparse_column(&p->a, i, &k) || !row_add(p, number_get(p->w, 2, i), k)) {
                return false;
            }
        }
        row_put(p);
    }
    return true;
}

void library_spgemm_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[3];
    struct pair p = { .w = w, .a = sparse_of(w) };

    p.there = g_try_malloc0(n + 1);
    p.sums = g_try_new(struct number, n + 1);
    p.found = g_try_new(uint64_t, n + 1);
    if (!p.there || !p.sums || !p.found) {
        w->why = "library call: the host has no memory for a row";
    } else if (!rows_multiply(&p)) {
        w->why = sparse_wrong_index;
    } else if (w->call->mode[2] != ELEMENTS) {
        sparse_integer_put(w, 6, w->call->mode[2] == OFFSETS ? p.a.rows : 0,
                           (int64_t)(p.count + (w->call->mode[2] == OFFSETS) * w->call->mode[3]));
    }
    number_cost(w, p.count * 4);
    g_free(p.there);
    g_free(p.sums);
    g_free(p.found);
}

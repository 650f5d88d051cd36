/* SPDX-License-Identifier: MIT */
/* C = alpha A + beta B, all sparse, by rows: where C's rows begin and how many elements it has,
 * then its elements. An element is there that A or B has, whatever the factors are; a row's columns
 * ascend. In double precision, rounded once.
 */
#include <glib.h>

#include "model/library/sparse.h"

enum { OFFSETS, ELEMENTS };

/**
 * struct sparse_sum
 * @sums, @there: by column of a row of C
 * @found: the columns of that row
 */
struct sparse_sum {
    struct library_work *w;
    struct number *sums;
    uint8_t *there;
    uint64_t *found, columns, count;
};

static bool sum_result_fits(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool elements = c->mode[2] == ELEMENTS;

    return c->mode[2] <= ELEMENTS && c->mode[3] <= 1 && sparse_is_index(o[6].type) &&
           library_operand_count(&o[6]) == (uint64_t)(elements ? c->n[5] : c->n[0] + 1) &&
           (elements ? sparse_dense_fits(&o[7], c->n[5], 1)
                     : library_operand_count(&o[7]) == 1 && sparse_is_index(o[7].type));
}

/* The offsets need no values. */
const char *library_spgeam_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool elements = c->mode[2] == ELEMENTS;

    return !(c->mode[1] & LIBRARY_COORDINATES) && sparse_indices_fit(c, 0) && c->n[4] >= 0 &&
                   c->n[5] >= 0 && c->n[6] >= 0 && c->n[6] <= 1 && sparse_is_index(o[3].type) &&
                   sparse_is_index(o[4].type) &&
                   library_operand_count(&o[3]) == (uint64_t)c->n[0] + 1 &&
                   library_operand_count(&o[4]) == (uint64_t)c->n[4] &&
                   sparse_dense_fits(&o[2], elements ? c->n[2] : 0, 1) &&
                   sparse_dense_fits(&o[5], elements ? c->n[4] : 0, 1) && sum_result_fits(c)
               ? NULL
               : sparse_wrong_size;
}

/* Adds the row of the matrix whose offsets are operand @o. Return: false: an index outside of it */
static bool sum_row_add(struct sparse_sum *p, unsigned o, uint64_t row)
{
    const struct library_call *c = p->w->call;
    int64_t base = o ? c->n[6] : c->n[7];
    uint64_t i = sparse_index(p->w, o, row, base), to = sparse_index(p->w, o, row + 1, base);

    if (i > to || to > (uint64_t)(o ? c->n[4] : c->n[2])) {
        return false;
    }
    for (; i < to; i++) {
        uint64_t column = sparse_index(p->w, o + 1, i, base);

        if (column >= (uint64_t)c->n[1]) {
            return false;
        }
        if (!p->there[column]) {
            p->there[column] = 1;
            p->sums[column] = (struct number){ 0, 0 };
            p->found[p->columns++] = column;
        }
        if (c->mode[2] == ELEMENTS) {
            p->sums[column] = number_add(p->sums[column], number_scalar(p->w, o ? 1 : 0),
                                         number_get(p->w, o + 2, i));
        }
    }
    return true;
}

static int sum_column_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void sum_row_put(struct sparse_sum *p)
{
    const struct library_call *c = p->w->call;

    qsort(p->found, p->columns, sizeof(*p->found), sum_column_compare);
    for (uint64_t i = 0; i < p->columns; i++) {
        uint64_t column = p->found[i];

        p->there[column] = 0;
        if (c->mode[2] == ELEMENTS && p->count + i < (uint64_t)c->n[5]) {
            sparse_integer_put(p->w, 6, p->count + i, (int64_t)(column + c->mode[3]));
            number_put(p->w, 7, p->count + i, p->sums[column]);
        }
    }
    p->count += p->columns;
    p->columns = 0;
}

static bool sum_rows(struct sparse_sum *p)
{
    const struct library_call *c = p->w->call;

    for (uint64_t row = 0; row < (uint64_t)c->n[0]; row++) {
        if (c->mode[2] == OFFSETS) {
            sparse_integer_put(p->w, 6, row, (int64_t)(p->count + c->mode[3]));
        }
        if (!sum_row_add(p, 0, row) || !sum_row_add(p, 3, row)) {
            return false;
        }
        sum_row_put(p);
    }
    return true;
}

void library_spgeam_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[1];
    struct sparse_sum p = { .w = w };

    p.there = g_try_malloc0(n + 1);
    p.sums = g_try_new(struct number, n + 1);
    p.found = g_try_new(uint64_t, n + 1);
    if (!p.there || !p.sums || !p.found) {
        w->why = "library call: the host has no memory for a row";
    } else if (!sum_rows(&p)) {
        w->why = sparse_wrong_index;
    } else if (w->call->mode[2] == OFFSETS) {
        sparse_integer_put(w, 6, (uint64_t)w->call->n[0], (int64_t)(p.count + w->call->mode[3]));
        sparse_integer_put(w, 7, 0, (int64_t)p.count);
    }
    if (w->call->mode[2] == ELEMENTS) { /* C may have fewer than there is room for */
        w->unwritten[6] = w->unwritten[7] =
            (uint64_t)w->call->n[5] - MIN(p.count, (uint64_t)w->call->n[5]);
    }
    number_cost(w, p.count * 2);
    g_free(p.there);
    g_free(p.sums);
    g_free(p.found);
}

/* SPDX-License-Identifier: MIT */
/* Orders of elements: the permutation that moves nothing, elements of a sparse matrix sorted with a
 * permutation that follows them, and how many elements rows or columns of a dense matrix have.
 */
#include <glib.h>

#include "model/library/sparse.h"

/* --- 0, 1, .. --- */

const char *library_iota_check(const struct library_call *c)
{
    return c->n[2] >= 0 && library_operand_count(&c->operand[0]) == (uint64_t)c->n[2] &&
                   sparse_is_index(c->operand[0].type)
               ? NULL
               : sparse_wrong_size;
}

void library_iota_run(struct library_work *w)
{
    for (uint64_t i = 0; i < (uint64_t)w->call->n[2]; i++) {
        sparse_integer_put(w, 0, i, (int64_t)i);
    }
}

/* --- sorted: operands offsets of rows, or each element's row; columns; the permutation. What a
 * matrix has not is left out --- */

static bool sort_fits(const struct library_operand *o, uint64_t n, bool needed)
{
    uint64_t count = library_operand_count(o);

    return (count == n || (!needed && count == 0)) && sparse_is_index(o->type);
}

const char *library_spsort_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool coordinates = c->mode[1] & LIBRARY_COORDINATES;

    if (c->n[0] < 0 || c->n[1] < 0 || c->n[2] < 0 || c->n[7] < 0 || c->n[7] > 1) {
        return sparse_wrong_size;
    }
    return sort_fits(&o[0], coordinates ? 0 : (uint64_t)c->n[0] + 1, true) &&
                   sort_fits(&o[1], coordinates ? (uint64_t)c->n[2] : 0, true) &&
                   sort_fits(&o[2], (uint64_t)c->n[2], true) &&
                   sort_fits(&o[3], (uint64_t)c->n[2], false)
               ? NULL
               : sparse_wrong_size;
}

/* @from: where the element was: equal ones keep their order */
struct sort_element {
    int64_t row, column, p;
    uint64_t from;
};

static int sort_compare(const void *a, const void *b)
{
    const struct sort_element *x = a, *y = b;

    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Offsets as rows of elements. Return: false: they do not ascend */
static bool sort_rows(struct library_work *w, struct sort_element *e)
{
    const struct library_call *c = w->call;

    for (uint64_t row = 0; row < (uint64_t)c->n[0]; row++) {
        uint64_t i = sparse_index(w, 0, row, c->n[7]), to = sparse_index(w, 0, row + 1, c->n[7]);

        if (i > to || to > (uint64_t)c->n[2]) {
            return false;
        }
        for (; i < to; i++) {
            e[i].row = (int64_t)row;
        }
    }
    return true;
}

static void sort_put(struct library_work *w, const struct sort_element *e)
{
    for (uint64_t i = 0; i < (uint64_t)w->call->n[2]; i++) {
        if (library_operand_count(&w->call->operand[1])) {
            sparse_integer_put(w, 1, i, e[i].row);
        }
        sparse_integer_put(w, 2, i, e[i].column);
        if (library_operand_count(&w->call->operand[3])) {
            sparse_integer_put(w, 3, i, e[i].p);
        }
    }
}

void library_spsort_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    uint64_t n = (uint64_t)c->n[2];
    bool coordinates = c->mode[1] & LIBRARY_COORDINATES;
    struct sort_element *e = g_try_new0(struct sort_element, n + 1);

    if (!e) {
        w->why = "library call: the host has no memory for the elements";
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        e[i].row = coordinates ? sparse_integer(w, 1, i) : c->n[0];
        e[i].column = sparse_integer(w, 2, i);
        e[i].p = library_operand_count(&c->operand[3]) ? sparse_integer(w, 3, i) : 0;
        e[i].from = i;
    }
    if (!coordinates && !sort_rows(w, e)) {
        w->why = sparse_wrong_index;
    } else {
        qsort(e, n, sizeof(*e), sort_compare);
    }
    sort_put(w, e);
    g_free(e);
}

/* --- elements of a dense matrix: operands the matrix, the number a row, or a column if mode[1],
 * and the number in all --- */

const char *library_nnz_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return c->n[0] >= 0 && c->n[1] >= 0 && sparse_dense_fits(&o[0], c->n[0], c->n[1]) &&
                   library_operand_count(&o[1]) == (uint64_t)(c->mode[1] ? c->n[1] : c->n[0]) &&
                   library_operand_count(&o[2]) == 1 && sparse_is_index(o[1].type) &&
                   sparse_is_index(o[2].type)
               ? NULL
               : sparse_wrong_size;
}

void library_nnz_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1], total = 0;
    uint64_t lines = w->call->mode[1] ? n : m;
    int64_t *count = g_new0(int64_t, lines + 1);

    for (uint64_t column = 0; column < n; column++) {
        for (uint64_t row = 0; row < m; row++) {
            if (!number_zero(number_get(w, 0, row + column * m))) {
                count[w->call->mode[1] ? column : row]++;
                total++;
            }
        }
    }
    for (uint64_t i = 0; i < lines; i++) {
        sparse_integer_put(w, 1, i, count[i]);
    }
    sparse_integer_put(w, 2, 0, (int64_t)total);
    number_cost(w, m * n);
    g_free(count);
}

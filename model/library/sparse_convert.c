/* SPDX-License-Identifier: MIT */
/* Sparse matrices from one form into another, and sparse vectors. */
#include <glib.h>

#include "model/library/sparse.h"

/* --- to dense --- */

const char *library_to_dense_check(const struct library_call *c)
{
    return sparse_fits(c) && sparse_dense_fits(&c->operand[3], c->n[0], c->n[1])
               ? NULL
               : sparse_wrong_size;
}

/* Where (row, column) is; mode[3] has LIBRARY_TRANSPOSED: by rows */
static uint64_t dense_place(const struct library_call *c, uint64_t row, uint64_t column)
{
    return c->mode[3] & LIBRARY_TRANSPOSED ? column + row * (uint64_t)c->n[1]
                                           : row + column * (uint64_t)c->n[0];
}

static void dense_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    struct library_work *w = data;

    number_put(w, 3, dense_place(w->call, row, column), number_get(w, 2, i));
}

void library_to_dense_run(struct library_work *w)
{
    struct sparse s = sparse_of(w);

    for (uint64_t i = 0; i < s.rows * s.columns; i++) {
        number_put(w, 3, i, (struct number){ 0, 0 });
    }
    if (!sparse_each(&s, dense_visit, w)) {
        w->why = sparse_wrong_index;
    }
}

/* --- from dense: operands dense, offsets or rows, columns, values, the count; those of no elements
 * are not asked for --- */

static bool optional_fits(const struct library_operand *o, uint64_t n, bool index)
{
    uint64_t count = library_operand_count(o);

    return (count == 0 || count == n) &&
           (count == 0 || (index ? sparse_is_index(o->type) : o->type != LIBRARY_R_64I));
}

const char *library_from_dense_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool coordinates = c->mode[1] & LIBRARY_COORDINATES;

    if (c->n[0] < 0 || c->n[1] < 0 || c->n[2] < 0 || !sparse_dense_fits(&o[0], c->n[0], c->n[1])) {
        return sparse_wrong_size;
    }
    return optional_fits(&o[1], (uint64_t)(coordinates ? c->n[2] : c->n[0] + 1), true) &&
                   optional_fits(&o[2], (uint64_t)c->n[2], true) &&
                   optional_fits(&o[3], (uint64_t)c->n[2], false) && optional_fits(&o[4], 1, true)
               ? NULL
               : sparse_wrong_size;
}

static bool operand_asked(const struct library_work *w, unsigned o)
{
    return library_operand_count(&w->call->operand[o]) != 0;
}

static void element_store(struct library_work *w, uint64_t at, uint64_t row, uint64_t column,
                          struct number v)
{
    if (at >= (uint64_t)w->call->n[2]) {
        return; /* the matrix has no room: the dense one has changed since it was counted */
    }
    if (w->call->mode[1] & LIBRARY_COORDINATES && operand_asked(w, 1)) {
        sparse_integer_put(w, 1, at, (int64_t)row + w->call->n[7]);
    }
    if (operand_asked(w, 2)) {
        sparse_integer_put(w, 2, at, (int64_t)column + w->call->n[7]);
    }
    if (operand_asked(w, 3)) {
        number_put(w, 3, at, v);
    }
}

void library_from_dense_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    uint64_t count = 0;
    bool offsets = operand_asked(w, 1) && !(c->mode[1] & LIBRARY_COORDINATES);
    uint64_t rows = offsets || c->n[1] ? (uint64_t)c->n[0] : 0;

    for (uint64_t row = 0; row < rows; row++) {
        if (offsets) {
            sparse_integer_put(w, 1, row, (int64_t)count + c->n[7]);
        }
        for (uint64_t column = 0; column < (uint64_t)c->n[1]; column++) {
            struct number v = number_get(w, 0, dense_place(c, row, column));

            if (!number_zero(v)) {
                element_store(w, count++, row, column, v);
            }
        }
    }
    if (offsets) {
        sparse_integer_put(w, 1, (uint64_t)c->n[0], (int64_t)count + c->n[7]);
    }
    if (operand_asked(w, 4)) {
        sparse_integer_put(w, 4, 0, (int64_t)count);
    }
}

/* --- rows to columns: operands 3 to 5; the values only if they are asked for --- */

const char *library_csr2csc_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    if (!sparse_indices_fit(c, 0) || c->mode[1] & LIBRARY_COORDINATES ||
        !optional_fits(&o[2], (uint64_t)c->n[2], false) ||
        library_operand_count(&o[5]) != library_operand_count(&o[2]) || o[5].type != o[2].type) {
        return sparse_wrong_size;
    }
    return library_operand_count(&o[3]) == (uint64_t)c->n[1] + 1 && sparse_is_index(o[3].type) &&
                   library_operand_count(&o[4]) == (uint64_t)c->n[2] && sparse_is_index(o[4].type)
               ? NULL
               : sparse_wrong_size;
}

struct turn {
    struct library_work *w;
    uint64_t *at;
};

static void count_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    struct turn *t = data;

    (void)row;
    (void)i;
    t->at[column + 1]++;
}

static void turn_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    struct turn *t = data;
    uint64_t to = t->at[column]++;

    sparse_integer_put(t->w, 4, to, (int64_t)row + t->w->call->n[7]);
    if (operand_asked(t->w, 5)) {
        number_put(t->w, 5, to, number_get(t->w, 2, i));
    }
}

void library_csr2csc_run(struct library_work *w)
{
    struct sparse s = sparse_of(w);
    struct turn t = { .w = w, .at = g_new0(uint64_t, s.columns + 2) };

    if (!sparse_each(&s, count_visit, &t)) {
        w->why = sparse_wrong_index;
    }
    for (uint64_t i = 0; i < s.columns; i++) {
        t.at[i + 1] += t.at[i];
    }
    if (t.at[s.columns] > s.count) { /* rows that overlap */
        w->why = sparse_wrong_index;
    }
    for (uint64_t i = 0; i <= s.columns && !w->why; i++) {
        sparse_integer_put(w, 3, i, (int64_t)t.at[i] + s.base);
    }
    if (!w->why) {
        sparse_each(&s, turn_visit, &t);
    }
    g_free(t.at);
}

/* --- offsets of rows to each element's row, and back: n[0] rows, n[2] elements --- */

const char *library_offsets_check(const struct library_call *c)
{
    bool expand = c->mode[1];
    const struct library_operand *offsets = &c->operand[expand ? 0 : 1];
    const struct library_operand *rows = &c->operand[expand ? 1 : 0];

    return c->n[0] >= 0 && c->n[2] >= 0 &&
                   library_operand_count(offsets) == (uint64_t)c->n[0] + 1 &&
                   library_operand_count(rows) == (uint64_t)c->n[2] &&
                   sparse_is_index(offsets->type) && sparse_is_index(rows->type)
               ? NULL
               : sparse_wrong_size;
}

static void rows_expand(struct library_work *w)
{
    uint64_t count = (uint64_t)w->call->n[2];

    for (uint64_t row = 0; row < (uint64_t)w->call->n[0]; row++) {
        uint64_t i = sparse_index(w, 0, row, w->call->n[7]);
        uint64_t to = sparse_index(w, 0, row + 1, w->call->n[7]);

        if (to > count) {
            w->why = sparse_wrong_index;
            return;
        }
        for (; i < to; i++) {
            sparse_integer_put(w, 1, i, (int64_t)row + w->call->n[7]);
        }
    }
}

/* Rows ascend; row r begins at the first element that is not of a row before it. */
static void rows_compress(struct library_work *w)
{
    uint64_t i = 0, count = (uint64_t)w->call->n[2];

    for (uint64_t row = 0; row <= (uint64_t)w->call->n[0]; row++) {
        while (i < count && (int64_t)sparse_index(w, 0, i, w->call->n[7]) < (int64_t)row) {
            i++;
        }
        sparse_integer_put(w, 1, row, (int64_t)i + w->call->n[7]);
    }
}

void library_offsets_run(struct library_work *w)
{
    if (w->call->mode[1]) {
        rows_expand(w);
    } else {
        rows_compress(w);
    }
}

/* --- sparse vectors: operands values, indices, the dense vector of n[1] elements --- */

static const char *vector_check(const struct library_call *c, bool result)
{
    const struct library_operand *o = c->operand;

    return c->n[1] >= 0 && c->n[2] >= 0 && sparse_dense_fits(&o[0], c->n[2], 1) &&
                   library_operand_count(&o[1]) == (uint64_t)c->n[2] &&
                   sparse_is_index(o[1].type) && sparse_dense_fits(&o[2], c->n[1], 1) &&
                   (!result || library_operand_count(&o[3]) == 1)
               ? NULL
               : sparse_wrong_size;
}

const char *library_gather_check(const struct library_call *c)
{
    return vector_check(c, false);
}

const char *library_scatter_check(const struct library_call *c)
{
    return vector_check(c, false);
}

const char *library_axpby_check(const struct library_call *c)
{
    return vector_check(c, false);
}

const char *library_spvv_check(const struct library_call *c)
{
    return vector_check(c, true);
}

const char *library_sprot_check(const struct library_call *c)
{
    return vector_check(c, false);
}

/* The place of sparse element @i in the dense vector */
static bool vector_place(struct library_work *w, uint64_t i, uint64_t *at)
{
    *at = sparse_index(w, 1, i, w->call->n[7]);
    if (*at >= (uint64_t)w->call->n[1]) {
        w->why = sparse_wrong_index;
    }
    return !w->why;
}

void library_gather_run(struct library_work *w)
{
    uint64_t at;

    for (uint64_t i = 0; i < (uint64_t)w->call->n[2] && vector_place(w, i, &at); i++) {
        number_put(w, 0, i, number_get(w, 2, at));
    }
}

void library_scatter_run(struct library_work *w)
{
    uint64_t at;

    for (uint64_t i = 0; i < (uint64_t)w->call->n[2] && vector_place(w, i, &at); i++) {
        number_put(w, 2, at, number_get(w, 0, i));
    }
}

void library_axpby_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[1], at;
    struct number alpha = number_scalar(w, 0), beta = number_scalar(w, 1);
    struct number *y = g_new0(struct number, n + 1);

    for (uint64_t i = 0; i < n && !number_zero(beta); i++) {
        y[i] = number_product(beta, number_get(w, 2, i));
    }
    for (uint64_t i = 0; i < (uint64_t)w->call->n[2] && !number_zero(alpha); i++) {
        if (!vector_place(w, i, &at)) {
            break;
        }
        y[at] = number_add(y[at], alpha, number_get(w, 0, i));
    }
    number_array_put(w, 2, y, n);
    number_cost(w, n);
    g_free(y);
}

void library_spvv_run(struct library_work *w)
{
    struct number sum = { 0, 0 };
    uint64_t at;

    for (uint64_t i = 0; i < (uint64_t)w->call->n[2] && vector_place(w, i, &at); i++) {
        struct number x = number_get(w, 0, i);

        sum = number_add(sum, w->call->mode[1] & LIBRARY_CONJUGATED ? number_conjugate(x) : x,
                         number_get(w, 2, at));
    }
    number_put(w, 3, 0, sum);
    number_cost(w, (uint64_t)w->call->n[2]);
}

void library_sprot_run(struct library_work *w)
{
    struct number c = number_scalar(w, 0), s = number_scalar(w, 1);
    uint64_t at;

    for (uint64_t i = 0; i < (uint64_t)w->call->n[2] && vector_place(w, i, &at); i++) {
        struct number x = number_get(w, 0, i), y = number_get(w, 2, at);

        number_put(w, 0, i, number_add(number_product(c, x), s, y));
        number_put(w, 2, at, number_subtract(number_product(c, y), s, x));
    }
    number_cost(w, 4 * (uint64_t)w->call->n[2]);
}

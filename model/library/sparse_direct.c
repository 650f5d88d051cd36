/* SPDX-License-Identifier: MIT */
/* cuSOLVER's systems with sparse matrices: direct/ on the operands of a call. */
#include <glib.h>

#include "model/library/direct/direct.h"
#include "model/library/sparse.h"

#define ROWS_MAX INT32_MAX /* indices are of 32 bits */

static const char reason_input[] = "library call: a sparse matrix whose rows do not ascend, or an "
                                   "index outside of it";

static bool matrix_fits(const struct library_call *c)
{
    return sparse_fits(c) && !(c->mode[1] & LIBRARY_COORDINATES) &&
           c->operand[0].type == LIBRARY_R_32I && c->operand[1].type == LIBRARY_R_32I &&
           c->n[0] < ROWS_MAX && c->n[1] < ROWS_MAX && c->n[2] < ROWS_MAX;
}

/* n numbers, or none */
static bool vector_fits(const struct library_operand *o, int64_t n)
{
    return sparse_dense_fits(o, n, 1) || library_operand_count(o) == 0;
}

static bool integers_fit(const struct library_operand *o, int64_t n)
{
    return o->type == LIBRARY_R_32I && library_operand_count(o) == (uint64_t)n;
}

static bool operand_asked(const struct library_work *w, unsigned o)
{
    return library_operand_count(&w->call->operand[o]) > 0;
}

/* Rows and columns of operands @o and @o + 1 as they are; the offsets of a matrix without elements
 * need not be right. Return: false: w->why says why */
static bool matrix_read(struct library_work *w, struct direct_matrix *m)
{
    const struct library_call *c = w->call;
    struct number *values = number_array_new(w, 2, (uint64_t)c->n[2]);
    const int32_t *begin = w->data[0];
    bool good = (int64_t)begin[c->n[0]] - c->n[7] <= c->n[2] &&
                direct_matrix_init(m, (uint32_t)c->n[0], (uint32_t)c->n[1], begin, w->data[1],
                                   (int32_t)c->n[7], values);

    w->why = good ? NULL : reason_input;
    g_free(values);
    return good;
}

/* --- A x = b --- */

const char *library_splsv_check(const struct library_call *c)
{
    if (!matrix_fits(c) || !vector_fits(&c->operand[3], c->n[0]) ||
        !vector_fits(&c->operand[4], c->n[1]) || !vector_fits(&c->operand[5], c->n[1]) ||
        (library_operand_count(&c->operand[6]) > 0 && !integers_fit(&c->operand[6], 1))) {
        return sparse_wrong_size;
    }
    if (c->mode[2] > DIRECT_CHOLESKY || c->n[3] < DIRECT_NATURAL || c->n[3] > DIRECT_METISND ||
        (c->n[0] != c->n[1] &&
         (c->mode[2] != DIRECT_QR || c->n[3] != DIRECT_NATURAL || c->n[0] < c->n[1]))) {
        return "library call: no such factors of a sparse matrix";
    }
    return NULL;
}

/* Both in the order of rows and columns that @order says */
static void system_solve(struct library_work *w, struct direct_factors *f, const uint32_t *order)
{
    struct number *b = g_new0(struct number, f->rows + 1), *x = g_new0(struct number, f->n + 1);

    for (uint32_t i = 0; i < f->rows; i++) {
        b[i] = number_get(w, 3, order ? order[i] : i);
    }
    direct_solve(f, b, x);
    for (uint32_t i = 0; i < f->n; i++) {
        number_put(w, 4, order ? order[i] : i, x[i]);
    }
    g_free(b);
    g_free(x);
}

void library_splsv_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    struct direct_matrix a, moved;
    struct direct_factors f;
    uint32_t *order = NULL;

    if (!matrix_read(w, &a)) {
        return;
    }
    if (c->n[3] != DIRECT_NATURAL) {
        order = g_new(uint32_t, a.rows + 1);
        direct_order_find((enum direct_order)c->n[3], &a, order);
        moved = direct_matrix_permuted(&a, order, order, NULL);
        direct_matrix_free(&a);
        a = moved;
    }
    direct_factor(&f, (enum direct_method)c->mode[2], &a, 1);
    if (operand_asked(w, 3) && operand_asked(w, 4)) {
        system_solve(w, &f, order);
    }
    for (uint32_t i = 0; i < f.n && operand_asked(w, 5); i++) {
        number_put(w, 5, i,
                   (struct number){ direct_length(f.diagonal[i].re, f.diagonal[i].im), 0 });
    }
    if (operand_asked(w, 6)) {
        *(int32_t *)w->data[6] = direct_zero_pivot(&f, number_scalar(w, 0).re);
    }
    number_cost(w, f.fmas);
    direct_factors_free(&f);
    direct_matrix_free(&a);
    g_free(order);
}

/* --- eigenvalues --- */

const char *library_speig_check(const struct library_call *c)
{
    return matrix_fits(c) && c->n[0] == c->n[1] && c->n[0] > 0 && c->n[3] >= 0 &&
                   c->n[3] <= ROWS_MAX && sparse_dense_fits(&c->operand[3], c->n[0], 1) &&
                   sparse_dense_fits(&c->operand[4], 1, 1) &&
                   sparse_dense_fits(&c->operand[5], c->n[0], 1)
               ? NULL
               : sparse_wrong_size;
}

void library_speig_run(struct library_work *w)
{
    struct number *x, mu;
    struct direct_matrix a;

    if (!matrix_read(w, &a)) {
        return;
    }
    x = number_array_new(w, 3, a.rows);
    direct_eigen(&a, number_scalar(w, 0), (uint32_t)w->call->n[3], number_scalar(w, 1).re, x, &mu);
    number_put(w, 4, 0, mu);
    number_array_put(w, 5, x, a.rows);
    number_cost(w, (uint64_t)w->call->n[2] * 8);
    g_free(x);
    direct_matrix_free(&a);
}

/* --- cusolverRf: new values where the factors have their elements --- */

const char *library_spplace_check(const struct library_call *c)
{
    return matrix_fits(c) && c->n[0] == c->n[1] && c->n[3] >= 0 && c->n[3] < ROWS_MAX &&
                   integers_fit(&c->operand[3], c->n[0]) && integers_fit(&c->operand[4], c->n[0]) &&
                   integers_fit(&c->operand[5], c->n[0] + 1) &&
                   integers_fit(&c->operand[6], c->n[3]) &&
                   sparse_dense_fits(&c->operand[7], c->n[3], 1)
               ? NULL
               : sparse_wrong_size;
}

/* Integers of the operand as a choice of the matrix' rows. NULL: they are none */
static uint32_t *choice_new(const struct library_work *w, unsigned o, uint32_t n)
{
    uint32_t *choice = g_new(uint32_t, n + 1);
    uint8_t *seen = g_malloc0(n + 1);
    bool good = true;

    for (uint32_t i = 0; i < n && good; i++) {
        choice[i] = ((const uint32_t *)w->data[o])[i];
        good = choice[i] < n && !seen[choice[i]];
        if (good) {
            seen[choice[i]] = 1;
        }
    }
    g_free(seen);
    if (!good) {
        g_free(choice);
    }
    return good ? choice : NULL;
}

/* The row's elements go to their columns of @m; both ascend. Return: false: there is no place */
static bool row_place(struct library_work *w, const struct direct_matrix *a,
                      const struct direct_matrix *m, uint32_t row)
{
    uint32_t to = m->begin[row];

    for (uint32_t k = a->begin[row]; k < a->begin[row + 1]; k++) {
        while (to < m->begin[row + 1] && m->column[to] < a->column[k]) {
            to++;
        }
        if (to == m->begin[row + 1] || m->column[to] != a->column[k]) {
            return false;
        }
        number_put(w, 7, to, a->value[k]);
    }
    return true;
}

void library_spplace_run(struct library_work *w)
{
    uint32_t n = (uint32_t)w->call->n[0];
    uint32_t *p = choice_new(w, 3, n), *q = choice_new(w, 4, n);
    struct direct_matrix a = { 0 }, m = { 0 }, moved;
    const int32_t *begin = w->data[5];

    if (!p || !q || begin[n] > w->call->n[3] ||
        !direct_matrix_init(&m, n, n, begin, w->data[6], 0, NULL)) {
        w->why = reason_input;
    } else if (matrix_read(w, &a)) {
        moved = direct_matrix_permuted(&a, p, q, NULL);
        for (uint64_t i = 0; i < (uint64_t)w->call->n[3]; i++) {
            number_put(w, 7, i, (struct number){ 0, 0 });
        }
        for (uint32_t i = 0; i < n && !w->why; i++) {
            w->why = row_place(w, &moved, &m, i)
                         ? NULL
                         : "library call: an element that the factors have no place for";
        }
        direct_matrix_free(&moved);
    }
    direct_matrix_free(&a);
    direct_matrix_free(&m);
    g_free(p);
    g_free(q);
}

/* SPDX-License-Identifier: MIT */
/* Products of sparse matrices, and how their elements are found. In double precision, rounded once;
 * an element's terms are added in the order of memory.
 */
#include "model/library/sparse.h"

#include <glib.h>

const char sparse_wrong_size[] = "library call: operands of another size than the sparse matrix";
const char sparse_wrong_index[] = "library call: an index outside of the sparse matrix";

bool sparse_is_index(uint32_t type)
{
    return type == LIBRARY_R_32I || type == LIBRARY_R_64I;
}

static bool numbers_fit(const struct library_call *c)
{
    return c->n[0] >= 0 && c->n[1] >= 0 && c->n[2] >= 0 && c->n[7] >= 0 && c->n[7] <= 1;
}

bool sparse_indices_fit(const struct library_call *c, unsigned o)
{
    const struct library_operand *first = &c->operand[o], *second = &c->operand[o + 1];
    uint64_t want = (uint64_t)(c->mode[1] & LIBRARY_COORDINATES ? c->n[2] : c->n[0] + 1);

    return numbers_fit(c) && sparse_is_index(first->type) && sparse_is_index(second->type) &&
           library_operand_count(first) == want &&
           library_operand_count(second) == (uint64_t)c->n[2];
}

bool sparse_dense_fits(const struct library_operand *o, int64_t m, int64_t n)
{
    uint64_t want;

    return m >= 0 && n >= 0 && !__builtin_mul_overflow((uint64_t)m, (uint64_t)n, &want) &&
           library_operand_count(o) == want && o->type != LIBRARY_R_64I &&
           o->type != LIBRARY_R_64U && !(o->flags & (LIBRARY_UPPER | LIBRARY_LOWER));
}

bool sparse_fits(const struct library_call *c)
{
    return sparse_indices_fit(c, 0) && sparse_dense_fits(&c->operand[2], c->n[2], 1);
}

struct sparse sparse_of(const struct library_work *w)
{
    const struct library_call *c = w->call;

    return (struct sparse){ .w = w,
                            .rows = (uint64_t)c->n[0],
                            .columns = (uint64_t)c->n[1],
                            .count = (uint64_t)c->n[2],
                            .base = c->n[7],
                            .coordinates = c->mode[1] & LIBRARY_COORDINATES };
}

int64_t sparse_integer(const struct library_work *w, unsigned o, uint64_t i)
{
    return w->call->operand[o].type == LIBRARY_R_32I ? ((const int32_t *)w->data[o])[i]
                                                     : ((const int64_t *)w->data[o])[i];
}

uint64_t sparse_index(const struct library_work *w, unsigned o, uint64_t i, int64_t base)
{
    return (uint64_t)sparse_integer(w, o, i) - (uint64_t)base;
}

void sparse_integer_put(struct library_work *w, unsigned o, uint64_t i, int64_t v)
{
    if (w->call->operand[o].type == LIBRARY_R_32I) {
        ((int32_t *)w->data[o])[i] = (int32_t)v;
    } else {
        ((int64_t *)w->data[o])[i] = v;
    }
}

bool sparse_row(const struct sparse *s, uint64_t row, uint64_t *from, uint64_t *to)
{
    *from = s->begin ? s->begin[row] : sparse_index(s->w, 0, row, s->base);
    *to = s->begin ? s->begin[row + 1] : sparse_index(s->w, 0, row + 1, s->base);
    return *from <= *to && *to <= s->count;
}

bool sparse_column(const struct sparse *s, uint64_t i, uint64_t *column)
{
    *column = sparse_index(s->w, 1, i, s->base);
    return *column < s->columns;
}

uint64_t *sparse_begin_new(const struct sparse *s)
{
    uint64_t *begin = g_new(uint64_t, s->rows + 2), i = 0;

    for (uint64_t row = 0; row <= s->rows; row++) {
        while (i < s->count && (int64_t)sparse_index(s->w, 0, i, s->base) < (int64_t)row) {
            i++;
        }
        begin[row] = i;
    }
    return begin;
}

static bool coordinates_each(const struct sparse *s, sparse_visit *visit, void *data)
{
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t row = sparse_index(s->w, 0, i, s->base), column;

        if (!sparse_column(s, i, &column) || row >= s->rows) {
            return false;
        }
        visit(data, row, column, i);
    }
    return true;
}

bool sparse_each(const struct sparse *s, sparse_visit *visit, void *data)
{
    if (s->coordinates) {
        return coordinates_each(s, visit, data);
    }
    for (uint64_t row = 0; row < s->rows; row++) {
        uint64_t i, to, column;

        if (!sparse_row(s, row, &i, &to)) {
            return false;
        }
        for (; i < to; i++) {
            if (!sparse_column(s, i, &column)) {
                return false;
            }
            visit(data, row, column, i);
        }
    }
    return true;
}

/* --- op(A) op(B) --- */

struct product {
    const struct library_work *w;
    struct number *sums;
    uint64_t m, n, k; /* op(A) is m x k */
};

const char *library_spmm_check(const struct library_call *c)
{
    bool turned = c->mode[1] & LIBRARY_TRANSPOSED;

    return sparse_fits(c) &&
                   sparse_dense_fits(&c->operand[3], turned ? c->n[0] : c->n[1], c->n[3]) &&
                   sparse_dense_fits(&c->operand[4], turned ? c->n[1] : c->n[0], c->n[3])
               ? NULL
               : sparse_wrong_size;
}

/* An element of op(M), m x n, as it lies in the operand */
static uint64_t dense_at(uint32_t mode, uint64_t m, uint64_t n, uint64_t row, uint64_t column)
{
    return mode & LIBRARY_TRANSPOSED ? column + row * n : row + column * m;
}

static void product_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    struct product *p = data;
    const uint32_t *mode = p->w->call->mode;
    struct number v = number_get(p->w, 2, i);
    uint64_t to = mode[1] & LIBRARY_TRANSPOSED ? column : row;
    uint64_t from = mode[1] & LIBRARY_TRANSPOSED ? row : column;

    v = mode[1] & LIBRARY_CONJUGATED ? number_conjugate(v) : v;
    for (uint64_t j = 0; j < p->n; j++) {
        struct number b = number_get(p->w, 3, dense_at(mode[2], p->k, p->n, from, j));

        b = mode[2] & LIBRARY_CONJUGATED ? number_conjugate(b) : b;
        p->sums[to + j * p->m] = number_add(p->sums[to + j * p->m], v, b);
    }
}

/* alpha sum + beta C */
static struct number sum_finish(const struct library_work *w, struct number sum, unsigned o,
                                uint64_t at)
{
    struct number beta = number_scalar(w, 1), v = number_product(number_scalar(w, 0), sum);

    return number_zero(beta) ? v : number_add(v, beta, number_get(w, o, at));
}

void library_spmm_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    struct sparse s = sparse_of(w);
    bool turned = c->mode[1] & LIBRARY_TRANSPOSED;
    struct product p = { .w = w,
                         .m = turned ? s.columns : s.rows,
                         .k = turned ? s.rows : s.columns,
                         .n = (uint64_t)c->n[3] };

    if (p.m == 0 || p.n == 0) {
        return;
    }
    p.sums = g_new0(struct number, p.m * p.n + 1);
    if (!number_zero(number_scalar(w, 0)) && !sparse_each(&s, product_visit, &p)) {
        w->why = sparse_wrong_index;
    }
    for (uint64_t j = 0; j < p.n; j++) {
        for (uint64_t i = 0; i < p.m; i++) {
            uint64_t at = dense_at(c->mode[3], p.m, p.n, i, j);

            number_put(w, 4, at, sum_finish(w, p.sums[i + j * p.m], 4, at));
        }
    }
    number_cost(w, s.count * p.n);
    g_free(p.sums);
}

/* --- the elements of op(A) op(B) that a sparse matrix has --- */

const char *library_sddmm_check(const struct library_call *c)
{
    return sparse_fits(c) && sparse_dense_fits(&c->operand[3], c->n[0], c->n[3]) &&
                   sparse_dense_fits(&c->operand[4], c->n[3], c->n[1])
               ? NULL
               : sparse_wrong_size;
}

static void sampled_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    struct product *p = data;
    struct library_work *w = (struct library_work *)p->w;
    struct number sum = { 0, 0 };

    for (uint64_t q = 0; q < p->k && !number_zero(number_scalar(w, 0)); q++) {
        struct number a = number_get(w, 3, dense_at(w->call->mode[2], p->m, p->k, row, q));
        struct number b = number_get(w, 4, dense_at(w->call->mode[3], p->k, p->n, q, column));

        sum = number_add(sum, w->call->mode[2] & LIBRARY_CONJUGATED ? number_conjugate(a) : a,
                         w->call->mode[3] & LIBRARY_CONJUGATED ? number_conjugate(b) : b);
    }
    number_put(w, 2, i, sum_finish(w, sum, 2, i));
}

void library_sddmm_run(struct library_work *w)
{
    struct sparse s = sparse_of(w);
    struct product p = { .w = w, .m = s.rows, .n = s.columns, .k = (uint64_t)w->call->n[3] };

    if (!sparse_each(&s, sampled_visit, &p)) {
        w->why = sparse_wrong_index;
    }
    number_cost(w, s.count * p.k);
}

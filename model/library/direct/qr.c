/* SPDX-License-Identifier: MIT */
/* R of A = Q R by rotations: each row of A is turned into the rows of R that its elements name,
 * until it is empty or a row of R of its own (A. George, M. Heath, Solution of sparse linear least
 * squares problems using Givens rotations, 1980). The rotations are kept: they are Q.
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/direct.h"

/* A row: its columns ascend, the first is the one that is eliminated next. */
struct sparse_row {
    uint32_t count, room;
    uint32_t *column;
    struct number *value;
};

/* One row more for scratch: what a rotation makes of two. */
struct qr {
    struct direct_factors *f;
    struct sparse_row *r, row, turned, rest;
    uint64_t rotations;
};

static void row_reserve(struct sparse_row *r, uint32_t count)
{
    if (count > r->room) {
        r->room = count + count / 2 + 8;
        r->column = realloc(r->column, r->room * sizeof(*r->column));
        r->value = realloc(r->value, r->room * sizeof(*r->value));
        if (!r->column || !r->value) {
            abort();
        }
    }
}

static void row_free(struct sparse_row *r)
{
    free(r->column);
    free(r->value);
}

static void row_swap(struct sparse_row *a, struct sparse_row *b)
{
    struct sparse_row t = *a;

    *a = *b;
    *b = t;
}

/* The rotation that takes g into f: r = c f + s g, 0 = c g - conj(s) f */
static struct direct_rotation rotation_of(uint32_t row, struct number f, struct number g)
{
    double size_f = direct_length(f.re, f.im),
           size = direct_length(size_f, direct_length(g.re, g.im));
    struct direct_rotation t = { .row = row, .c = size_f / size };

    t.s =
        number_scaled(number_product(number_scaled(f, 1 / size_f), number_conjugate(g)), 1 / size);
    return t;
}

static struct number rotation_upper(const struct direct_rotation *t, struct number r,
                                    struct number a)
{
    return number_add(number_scaled(r, t->c), t->s, a);
}

static struct number rotation_lower(const struct direct_rotation *t, struct number r,
                                    struct number a)
{
    return number_subtract(number_scaled(a, t->c), number_conjugate(t->s), r);
}

/* s->row and row @k of R, whose first columns are the same: the row loses it. */
static void row_rotate(struct qr *s, uint32_t k, const struct direct_rotation *t)
{
    struct sparse_row *r = &s->r[k], *a = &s->row;
    uint32_t i = 0, j = 0, n = 0;

    row_reserve(&s->turned, r->count + a->count);
    row_reserve(&s->rest, r->count + a->count);
    while (i < r->count || j < a->count) {
        uint32_t cr = i < r->count ? r->column[i] : UINT32_MAX;
        uint32_t ca = j < a->count ? a->column[j] : UINT32_MAX;
        struct number vr = { 0, 0 }, va = { 0, 0 };

        vr = cr <= ca ? r->value[i++] : vr;
        va = ca <= cr ? a->value[j++] : va;
        s->turned.column[n] = cr < ca ? cr : ca;
        s->turned.value[n] = rotation_upper(t, vr, va);
        if (n > 0) {
            s->rest.column[n - 1] = s->turned.column[n];
            s->rest.value[n - 1] = rotation_lower(t, vr, va);
        }
        n++;
    }
    s->f->fmas += 2 * (uint64_t)n;
    s->turned.count = n;
    s->rest.count = n - 1;
    row_swap(&s->turned, r);
    row_swap(&s->rest, a);
}

static void rotation_keep(struct qr *s, const struct direct_rotation *t)
{
    struct direct_factors *f = s->f;

    if (s->rotations == f->rotations_room) {
        f->rotations_room += f->rotations_room / 2 + 64;
        f->rotations = realloc(f->rotations, f->rotations_room * sizeof(*f->rotations));
        if (!f->rotations) {
            abort();
        }
    }
    f->rotations[s->rotations++] = *t;
}

/* What is left of a row becomes row k of R: c = 0, s = 1 takes its right-hand side along. */
static void row_eliminate(struct qr *s)
{
    while (s->row.count > 0) {
        uint32_t k = s->row.column[0];
        struct direct_rotation t = { .row = k, .s = { 1, 0 } };

        if (s->r[k].count == 0) {
            row_swap(&s->r[k], &s->row);
            s->row.count = 0;
            rotation_keep(s, &t);
            return;
        }
        if (number_zero(s->row.value[0])) {
            s->row.count--;
            memmove(s->row.column, s->row.column + 1, s->row.count * sizeof(*s->row.column));
            memmove(s->row.value, s->row.value + 1, s->row.count * sizeof(*s->row.value));
            continue;
        }
        if (!number_zero(s->r[k].value[0])) {
            t = rotation_of(k, s->r[k].value[0], s->row.value[0]);
        }
        row_rotate(s, k, &t);
        rotation_keep(s, &t);
    }
}

/* A row of A, columns ascending; @a is sorted. */
static void row_take(struct qr *s, const struct direct_matrix *a, uint32_t row)
{
    uint32_t from = a->begin[row], count = a->begin[row + 1] - from;

    row_reserve(&s->row, count);
    s->row.count = count;
    memcpy(s->row.column, a->column + from, count * sizeof(*a->column));
    memcpy(s->row.value, a->value + from, count * sizeof(*a->value));
}

static void rows_store(struct qr *s)
{
    struct direct_matrix *u = &s->f->upper;

    for (uint32_t k = 0; k < s->f->n; k++) {
        uint32_t count = s->r[k].count, from = u->begin[k];

        direct_matrix_reserve(u, k, count);
        if (count > 0) {
            memcpy(u->column + from, s->r[k].column, count * sizeof(*u->column));
            memcpy(u->value + from, s->r[k].value, count * sizeof(*u->value));
            s->f->diagonal[k] = s->r[k].value[0];
        }
        u->begin[k + 1] = from + count;
        row_free(&s->r[k]);
    }
}

void direct_qr(struct direct_factors *f, const struct direct_matrix *a)
{
    struct qr s = { .f = f, .r = direct_new(a->columns, sizeof(*s.r)) };
    struct direct_matrix turned = direct_matrix_transposed(a);
    struct direct_matrix sorted = direct_matrix_transposed(&turned);

    f->first = direct_new((uint64_t)a->rows + 1, sizeof(*f->first));
    for (uint32_t i = 0; i < a->rows; i++) {
        f->first[i] = s.rotations;
        row_take(&s, &sorted, i);
        row_eliminate(&s);
    }
    f->first[a->rows] = s.rotations;
    rows_store(&s);
    direct_matrix_free(&turned);
    direct_matrix_free(&sorted);
    row_free(&s.row);
    row_free(&s.turned);
    row_free(&s.rest);
    free(s.r);
}

void direct_qr_solve(struct direct_factors *f, struct number *b, struct number *x)
{
    struct number *y = direct_new(f->n, sizeof(*y));

    for (uint32_t i = 0; i < f->rows; i++) {
        struct number rest = b[i];

        for (uint64_t k = f->first[i]; k < f->first[i + 1]; k++) {
            const struct direct_rotation *t = &f->rotations[k];
            struct number r = y[t->row];

            y[t->row] = rotation_upper(t, r, rest);
            rest = rotation_lower(t, r, rest);
        }
    }
    for (uint32_t i = f->n; i-- > 0;) {
        for (uint32_t k = f->upper.begin[i] + 1; k < f->upper.begin[i + 1]; k++) {
            y[i] = number_subtract(y[i], f->upper.value[k], x[f->upper.column[k]]);
        }
        x[i] = number_divide(y[i], f->diagonal[i]);
    }
    f->fmas += 2 * f->first[f->rows] + f->upper.begin[f->n];
    free(y);
}

/* SPDX-License-Identifier: MIT */
/* Triangles of sparse matrices: systems solved with them, incomplete factors; and tridiagonal
 * systems. In double precision, rounded once.
 */
#include <glib.h>

#include "model/library/sparse.h"

#define NONE UINT64_MAX

/* --- op(A) X = alpha B --- */

const char *library_spsm_check(const struct library_call *c)
{
    const uint32_t both = LIBRARY_UPPER | LIBRARY_LOWER;

    if (!sparse_fits(c) || c->n[0] != c->n[1] ||
        !sparse_dense_fits(&c->operand[3], c->n[0], c->n[3]) ||
        !sparse_dense_fits(&c->operand[4], c->n[0], c->n[3])) {
        return sparse_wrong_size;
    }
    if ((c->n[4] & both) == 0 || (c->n[4] & both) == both) {
        return "library call: no such triangle of a sparse matrix";
    }
    return NULL;
}

/* Is the element of the triangle, off its diagonal? */
static bool triangle_has(int64_t triangle, uint64_t row, uint64_t column)
{
    return triangle & LIBRARY_UPPER ? column > row : column < row;
}

/* x[row] of column @x: what is left over the diagonal; and, if A is turned, out of the others */
static bool row_solve(const struct sparse *s, uint64_t row, struct number *x)
{
    const struct library_call *c = s->w->call;
    bool turned = c->mode[1] & LIBRARY_TRANSPOSED, conjugated = c->mode[1] & LIBRARY_CONJUGATED;
    struct number diagonal = { c->n[4] & LIBRARY_UNIT ? 1 : 0, 0 }, sum = x[row];
    uint64_t from, to, column;

    if (!sparse_row(s, row, &from, &to)) {
        return false;
    }
    for (uint64_t i = from; i < to; i++) {
        struct number v = number_get(s->w, 2, i);

        if (!sparse_column(s, i, &column)) {
            return false;
        }
        v = conjugated ? number_conjugate(v) : v;
        if (column == row && !(c->n[4] & LIBRARY_UNIT)) {
            diagonal = v;
        } else if (!turned && triangle_has(c->n[4], row, column)) {
            sum = number_subtract(sum, v, x[column]);
        }
    }
    x[row] = c->n[4] & LIBRARY_UNIT ? sum : number_divide(sum, diagonal);
    for (uint64_t i = from; i < to && turned; i++) {
        struct number v = number_get(s->w, 2, i);

        sparse_column(s, i, &column);
        if (triangle_has(c->n[4], row, column)) {
            x[column] = number_subtract(x[column], conjugated ? number_conjugate(v) : v, x[row]);
        }
    }
    return true;
}

static uint64_t solve_at(uint32_t mode, uint64_t m, uint64_t n, uint64_t row, uint64_t column)
{
    return mode & LIBRARY_TRANSPOSED ? column + row * n : row + column * m;
}

void library_spsm_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    struct sparse s = sparse_of(w);
    uint64_t n = (uint64_t)c->n[3];
    bool upper = c->n[4] & LIBRARY_UPPER, up = upper != !!(c->mode[1] & LIBRARY_TRANSPOSED);
    struct number *x = g_new(struct number, s.rows + 1);
    uint64_t *begin = s.coordinates ? sparse_begin_new(&s) : NULL;

    s.begin = begin;
    n = s.rows ? n : 0;
    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < s.rows; i++) {
            struct number b = number_get(w, 3, solve_at(c->mode[2], s.rows, n, i, j));

            b = c->mode[2] & LIBRARY_CONJUGATED ? number_conjugate(b) : b;
            x[i] = number_product(number_scalar(w, 0), b);
        }
        for (uint64_t i = 0; i < s.rows; i++) {
            if (!row_solve(&s, up ? s.rows - 1 - i : i, x)) {
                w->why = sparse_wrong_index;
            }
        }
        for (uint64_t i = 0; i < s.rows; i++) {
            number_put(w, 4, solve_at(c->mode[3], s.rows, n, i, j), x[i]);
        }
    }
    number_cost(w, s.count * n);
    g_free(begin);
    g_free(x);
}

/* --- A = L U, or L L^H, where A has elements --- */

const char *library_ilu0_check(const struct library_call *c)
{
    return sparse_fits(c) && c->n[0] == c->n[1] && !(c->mode[1] & LIBRARY_COORDINATES) &&
                   library_operand_count(&c->operand[3]) == 1 && c->operand[3].type == LIBRARY_R_32I
               ? NULL
               : sparse_wrong_size;
}

/**
 * struct factors
 * @at: by column: the element of the row that is factored, or NONE
 * @diagonal: by row: its element
 * @pivot: the first row whose diagonal is zero or missing, or NONE
 */
struct factors {
    struct sparse s;
    struct library_work *w;
    struct number *v;
    uint64_t *at, *diagonal;
    uint64_t pivot;
};

static void pivot_lost(struct factors *f, uint64_t row)
{
    f->pivot = row < f->pivot ? row : f->pivot;
}

/* Every index was checked before. */
static uint64_t column_of(const struct factors *f, uint64_t i)
{
    return sparse_index(f->w, 1, i, f->s.base);
}

/* Row -= row k times the factor; only where the row has elements */
static void row_eliminate(struct factors *f, uint64_t i)
{
    uint64_t k = column_of(f, i), from, to, d = f->diagonal[k];

    if (d == NONE || number_zero(f->v[d])) {
        pivot_lost(f, k);
        return;
    }
    f->v[i] = number_divide(f->v[i], f->v[d]);
    sparse_row(&f->s, k, &from, &to);
    for (uint64_t p = from; p < to; p++) {
        uint64_t column = column_of(f, p);

        if (column > k && f->at[column] != NONE) {
            f->v[f->at[column]] = number_subtract(f->v[f->at[column]], f->v[i], f->v[p]);
        }
    }
}

/* Row of L by the rows above: l[row][k] = (a - sum l[row][q] conj(l[k][q])) / l[k][k] */
static void row_cholesky(struct factors *f, uint64_t i)
{
    uint64_t k = column_of(f, i), from, to, d = f->diagonal[k];
    struct number sum = f->v[i];

    sparse_row(&f->s, k, &from, &to);
    for (uint64_t p = from; p < to; p++) {
        uint64_t column = column_of(f, p);

        if (column < k && f->at[column] != NONE) {
            sum = number_subtract(sum, f->v[f->at[column]], number_conjugate(f->v[p]));
        }
    }
    if (d == NONE || number_zero(f->v[d])) {
        pivot_lost(f, k);
        return;
    }
    f->v[i] = number_divide(sum, f->v[d]);
}

static void diagonal_root(struct factors *f, uint64_t row, uint64_t from, uint64_t to)
{
    double sum;

    if (f->diagonal[row] == NONE) {
        return;
    }
    sum = f->v[f->diagonal[row]].re;
    for (uint64_t p = from; p < to; p++) {
        if (column_of(f, p) < row) {
            sum -= number_square(f->v[p]);
        }
    }
    if (sum <= 0) {
        pivot_lost(f, row);
    }
    f->v[f->diagonal[row]] = (struct number){ sqrt(sum), 0 };
}

/* cusolverRf's numeric boost: a small pivot becomes a larger one. */
static void pivot_boost(struct factors *f, uint64_t row)
{
    double least = number_scalar(f->w, 0).re;
    uint64_t d = f->diagonal[row];

    if (least > 0 && d != NONE && number_square(f->v[d]) <= least * least) {
        f->v[d] = number_scalar(f->w, 1);
    }
}

static void row_factor(struct factors *f, uint64_t row, bool cholesky)
{
    uint64_t from, to;

    sparse_row(&f->s, row, &from, &to);
    for (uint64_t i = from; i < to; i++) {
        f->at[column_of(f, i)] = i;
    }
    f->diagonal[row] = f->at[row];
    for (uint64_t i = from; i < to; i++) { /* columns ascend */
        if (column_of(f, i) < row) {
            (cholesky ? row_cholesky : row_eliminate)(f, i);
        }
    }
    if (cholesky) {
        diagonal_root(f, row, from, to);
    }
    pivot_boost(f, row);
    if (f->diagonal[row] == NONE || number_zero(f->v[f->diagonal[row]])) {
        pivot_lost(f, row);
    }
    for (uint64_t i = from; i < to; i++) {
        f->at[column_of(f, i)] = NONE;
    }
}

static void nothing_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    (void)data;
    (void)row;
    (void)column;
    (void)i;
}

/* Operand 3: the row of the first zero pivot, counted from the base; -1: there is none */
void library_ilu0_run(struct library_work *w)
{
    struct factors f = { .s = sparse_of(w), .w = w, .pivot = NONE };

    if (!sparse_each(&f.s, nothing_visit, NULL)) {
        w->why = sparse_wrong_index;
        return;
    }
    f.v = number_array_new(w, 2, f.s.count);
    f.at = g_new(uint64_t, f.s.rows + 1);
    f.diagonal = g_new(uint64_t, f.s.rows + 1);
    for (uint64_t i = 0; i < f.s.rows; i++) {
        f.at[i] = NONE;
    }
    for (uint64_t row = 0; row < f.s.rows; row++) {
        row_factor(&f, row, w->call->mode[2]);
    }
    number_array_put(w, 2, f.v, f.s.count);
    *(int32_t *)w->data[3] = f.pivot == NONE ? -1 : (int32_t)((int64_t)f.pivot + f.s.base);
    number_cost(w, f.s.count * 8);
    g_free(f.v);
    g_free(f.at);
    g_free(f.diagonal);
}

/* --- does every row have an element on the diagonal? Operand 2 as operand 3 of ILU0 --- */

const char *library_diagonal_check(const struct library_call *c)
{
    return sparse_indices_fit(c, 0) && library_operand_count(&c->operand[2]) == 1 &&
                   c->operand[2].type == LIBRARY_R_32I
               ? NULL
               : sparse_wrong_size;
}

static void diagonal_visit(void *data, uint64_t row, uint64_t column, uint64_t i)
{
    uint8_t *there = data;

    (void)i;
    there[row] |= row == column;
}

void library_diagonal_run(struct library_work *w)
{
    struct sparse s = sparse_of(w);
    uint8_t *there = g_malloc0(s.rows + 1);
    uint64_t row = 0;

    if (!sparse_each(&s, diagonal_visit, there)) {
        w->why = sparse_wrong_index;
    }
    while (row < s.rows && there[row]) {
        row++;
    }
    *(int32_t *)w->data[2] = row == s.rows ? -1 : (int32_t)((int64_t)row + s.base);
    g_free(there);
}

/* --- tridiagonal systems: rows of dl, d, du; n[0] of them, n[1] columns --- */

const char *library_gtsv_check(const struct library_call *c)
{
    for (unsigned i = 0; i < 3; i++) {
        if (!sparse_dense_fits(&c->operand[i], c->n[0], 1)) {
            return sparse_wrong_size;
        }
    }
    return sparse_dense_fits(&c->operand[3], c->n[0], c->n[1]) ? NULL : sparse_wrong_size;
}

/* Elimination with row exchanges: row i has diagonal, next, and next but one. LAPACK's gtsv is the
 * same. */
static void bands_solve(uint64_t n, struct number *dl, struct number *d, struct number *du,
                        struct number *b)
{
    for (uint64_t i = 0; i + 1 < n; i++) {
        bool swap = number_square(d[i]) < number_square(dl[i + 1]);
        struct number below = swap ? d[i] : dl[i + 1], next = swap ? du[i] : d[i + 1], far, f, v;

        far = (struct number){ 0, 0 };
        if (swap) {
            d[i] = dl[i + 1];
            du[i] = d[i + 1];
            far = du[i + 1];
            v = b[i];
            b[i] = b[i + 1];
            b[i + 1] = v;
        }
        f = number_divide(below, d[i]);
        d[i + 1] = number_subtract(next, f, du[i]);
        if (swap) {
            du[i + 1] = number_negate(number_product(f, far));
        }
        dl[i] = far; /* the second diagonal above */
        b[i + 1] = number_subtract(b[i + 1], f, b[i]);
    }
    for (uint64_t s = 0; s < n; s++) {
        uint64_t i = n - 1 - s;

        if (s > 0) {
            b[i] = number_subtract(b[i], du[i], b[i + 1]);
        }
        if (s > 1) {
            b[i] = number_subtract(b[i], dl[i], b[i + 2]);
        }
        b[i] = number_divide(b[i], d[i]);
    }
}

void library_gtsv_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0], columns = (uint64_t)w->call->n[1];
    struct number *b;

    if (n == 0) {
        return;
    }
    b = number_array_new(w, 3, n * columns);

    for (uint64_t j = 0; j < columns; j++) {
        struct number *dl = number_array_new(w, 0, n), *d = number_array_new(w, 1, n);
        struct number *du = number_array_new(w, 2, n);

        bands_solve(n, dl, d, du, b + j * n);
        g_free(dl);
        g_free(d);
        g_free(du);
    }
    number_array_put(w, 3, b, n * columns);
    number_cost(w, n * columns * 8);
    g_free(b);
}

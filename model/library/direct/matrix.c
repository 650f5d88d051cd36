/* SPDX-License-Identifier: MIT */
/* Sparse matrices by rows. */
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/direct.h"

void *direct_new(uint64_t n, size_t bytes)
{
    void *p = calloc(n + 1, bytes);

    if (!p) {
        abort();
    }
    return p;
}

double direct_length(double a, double b)
{
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double least = fabs(a) > fabs(b) ? fabs(b) : fabs(a);

    return most == 0 || isinf(most) ? most : most * sqrt(fma(least / most, least / most, 1));
}

static struct direct_matrix matrix_new(uint32_t rows, uint32_t columns, uint32_t count)
{
    return (struct direct_matrix){ .rows = rows,
                                   .columns = columns,
                                   .begin = direct_new((uint64_t)rows + 1, sizeof(uint32_t)),
                                   .column = direct_new(count, sizeof(uint32_t)),
                                   .value = direct_new(count, sizeof(struct number)),
                                   .room = count };
}

void direct_matrix_free(struct direct_matrix *m)
{
    free(m->begin);
    free(m->column);
    free(m->value);
    *m = (struct direct_matrix){ 0 };
}

static bool indices_right(uint32_t rows, uint32_t columns, const int32_t *begin,
                          const int32_t *column, int32_t base)
{
    if (begin[0] != base) {
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) { /* all, before a column is read by one of them */
        if (begin[i + 1] < begin[i]) {
            return false;
        }
    }
    for (int32_t k = 0; k < begin[rows] - base; k++) {
        if (column[k] < base || (uint32_t)(column[k] - base) >= columns) {
            return false;
        }
    }
    return true;
}

bool direct_matrix_init(struct direct_matrix *m, uint32_t rows, uint32_t columns,
                        const int32_t *begin, const int32_t *column, int32_t base,
                        const struct number *value)
{
    uint32_t count;

    *m = (struct direct_matrix){ 0 };
    if (!indices_right(rows, columns, begin, column, base)) {
        return false;
    }
    count = (uint32_t)(begin[rows] - base);
    *m = matrix_new(rows, columns, count);
    for (uint32_t i = 0; i <= rows; i++) {
        m->begin[i] = (uint32_t)(begin[i] - base);
    }
    for (uint32_t k = 0; k < count; k++) {
        m->column[k] = (uint32_t)(column[k] - base);
    }
    if (value) {
        memcpy(m->value, value, count * sizeof(*value));
    }
    return true;
}

void direct_matrix_reserve(struct direct_matrix *m, uint32_t row, uint32_t more)
{
    uint64_t want = (uint64_t)m->begin[row] + more, room = m->room;

    if (want <= room) {
        return;
    }
    room = want + want / 2 + 16;
    m->column = realloc(m->column, room * sizeof(*m->column));
    m->value = realloc(m->value, room * sizeof(*m->value));
    if (!m->column || !m->value || room > UINT32_MAX) {
        abort();
    }
    m->room = (uint32_t)room;
}

/* A^T, rows ascending in each; @from: by element, where it was */
static struct direct_matrix matrix_turned(const struct direct_matrix *m, uint32_t *from)
{
    struct direct_matrix t = matrix_new(m->columns, m->rows, m->begin[m->rows]);
    uint32_t *at = direct_new((uint64_t)m->columns + 1, sizeof(*at));

    for (uint32_t k = 0; k < m->begin[m->rows]; k++) {
        t.begin[m->column[k] + 1]++;
    }
    for (uint32_t j = 0; j < m->columns; j++) {
        t.begin[j + 1] += t.begin[j];
        at[j] = t.begin[j];
    }
    for (uint32_t i = 0; i < m->rows; i++) {
        for (uint32_t k = m->begin[i]; k < m->begin[i + 1]; k++) {
            uint32_t to = at[m->column[k]]++;

            t.column[to] = i;
            t.value[to] = m->value[k];
            from[to] = k;
        }
    }
    free(at);
    return t;
}

struct direct_matrix direct_matrix_transposed(const struct direct_matrix *m)
{
    uint32_t *from = direct_new(m->begin[m->rows], sizeof(*from));
    struct direct_matrix t = matrix_turned(m, from);

    free(from);
    return t;
}

/* Turned twice, so that columns ascend; rows and columns take their new places on the way. */
struct direct_matrix direct_matrix_permuted(const struct direct_matrix *m, const uint32_t *p,
                                            const uint32_t *q, uint32_t *map)
{
    uint32_t count = m->begin[m->rows], at = 0;
    struct direct_matrix moved = matrix_new(m->rows, m->columns, count), turned, out;
    uint32_t *place = direct_new(m->columns, sizeof(*place));
    uint32_t *first = direct_new(count, sizeof(*first)), *second, *third;

    second = direct_new(count, sizeof(*second));
    third = direct_new(count, sizeof(*third));
    for (uint32_t j = 0; j < m->columns; j++) {
        place[q[j]] = j;
    }
    for (uint32_t i = 0; i < m->rows; i++) {
        for (uint32_t k = m->begin[p[i]]; k < m->begin[p[i] + 1]; k++, at++) {
            moved.column[at] = place[m->column[k]];
            moved.value[at] = m->value[k];
            first[at] = k;
        }
        moved.begin[i + 1] = at;
    }
    turned = matrix_turned(&moved, second);
    out = matrix_turned(&turned, third);
    for (uint32_t k = 0; map && k < count; k++) {
        map[k] = first[second[third[k]]];
    }
    direct_matrix_free(&moved);
    direct_matrix_free(&turned);
    free(place);
    free(first);
    free(second);
    free(third);
    return out;
}

bool direct_matrix_symmetric(const struct direct_matrix *m)
{
    struct direct_matrix once, twice;
    bool same;

    if (m->rows != m->columns) {
        return false;
    }
    once = direct_matrix_transposed(m);
    twice = direct_matrix_transposed(&once);
    same = memcmp(once.begin, twice.begin, ((size_t)m->rows + 1) * sizeof(*once.begin)) == 0 &&
           memcmp(once.column, twice.column, m->begin[m->rows] * sizeof(*once.column)) == 0;
    direct_matrix_free(&once);
    direct_matrix_free(&twice);
    return same;
}

void direct_matrix_multiply(const struct direct_matrix *m, const struct number *x, struct number *y)
{
    for (uint32_t i = 0; i < m->rows; i++) {
        struct number sum = { 0, 0 };

        for (uint32_t k = m->begin[i]; k < m->begin[i + 1]; k++) {
            sum = number_add(sum, m->value[k], x[m->column[k]]);
        }
        y[i] = sum;
    }
}

/* SPDX-License-Identifier: MIT */
/* Dimensions one after the other; of real numbers the last one first, of its results first. */
#include "model/library/fft/fft.h"

#include <stdlib.h>
#include <string.h>

#include "model/library/fft/fft_internal.h"

#define COUNT_MAX (UINT64_C(1) << 34)

/* All elements, with @last in the last dimension */
static uint64_t shape_count(const struct fft_shape *s, uint64_t last)
{
    uint64_t count = 1;

    if (s->rank < 1 || s->rank > FFT_RANK) {
        return 0;
    }
    for (unsigned i = 0; i < s->rank; i++) {
        uint64_t n = i + 1 == s->rank ? last : s->n[i];

        if (s->n[i] == 0 || n > COUNT_MAX / count) {
            return 0;
        }
        count *= n;
    }
    return count;
}

static uint32_t shape_last(const struct fft_shape *s)
{
    return s->rank >= 1 && s->rank <= FFT_RANK ? s->n[s->rank - 1] : 0;
}

uint64_t fft_input_count(const struct fft_shape *shape)
{
    uint32_t n = shape_last(shape);

    return shape_count(shape, shape->kind == FFT_C2R ? n / 2 + 1 : n);
}

uint64_t fft_output_count(const struct fft_shape *shape)
{
    uint32_t n = shape_last(shape);

    return shape_count(shape, shape->kind == FFT_R2C ? n / 2 + 1 : n);
}

static double number_get(const void *data, bool twice, size_t i)
{
    return twice ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void number_put(void *data, bool twice, size_t i, double value)
{
    if (twice) {
        ((double *)data)[i] = value;
    } else {
        ((float *)data)[i] = (float)value;
    }
}

static void complex_get(const void *in, bool twice, size_t count, struct fft_complex *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i].re = number_get(in, twice, 2 * i);
        to[i].im = number_get(in, twice, 2 * i + 1);
    }
}

static void complex_put(const struct fft_complex *from, bool twice, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++) {
        number_put(out, twice, 2 * i, from[i].re);
        number_put(out, twice, 2 * i + 1, from[i].im);
    }
}

/* Dimensions from @first up to before @end of an array whose last dimension has @last elements */
static bool dimensions_run(const struct fft_shape *s, unsigned first, unsigned end, size_t last,
                           struct fft_complex *data)
{
    size_t width = end == s->rank ? 1 : last;

    for (unsigned d = end; d-- > first;) {
        struct fft_line *line = fft_line_new(s->n[d], width > 1, s->sign);
        size_t block = s->n[d] * width, count = (size_t)shape_count(s, last);

        if (!line) {
            return false;
        }
        for (size_t at = 0; at < count; at += block) {
            if (width == 1) {
                fft_line_run(line, 1, data + at);
            } else {
                fft_line_run_strided(line, width, width, data + at);
            }
        }
        fft_line_free(line);
        width = block;
    }
    return true;
}

/* The last dimension of real numbers: a row at a time */
static bool rows_from_real(const struct fft_shape *s, const void *in, struct fft_complex *data)
{
    size_t n = shape_last(s), half = n / 2 + 1, rows = (size_t)(fft_input_count(s) / n);
    struct fft_line *line = fft_line_new(n, false, s->sign);
    struct fft_complex *row = malloc(n * sizeof(*row));
    bool done;

    for (size_t r = 0; line && row && r < rows; r++) {
        for (size_t k = 0; k < n; k++) {
            row[k] = (struct fft_complex){ number_get(in, s->twice, r * n + k), 0 };
        }
        fft_line_run(line, 1, row);
        memcpy(data + r * half, row, half * sizeof(*row));
    }
    done = line && row;
    fft_line_free(line);
    free(row);
    return done;
}

/* The other half of a row is the first one's conjugate; the imaginary parts of the first and, in an
 * even row, of the middle number have no effect. */
static bool rows_to_real(const struct fft_shape *s, const struct fft_complex *data, void *out)
{
    size_t n = shape_last(s), half = n / 2 + 1, rows = (size_t)(fft_output_count(s) / n);
    struct fft_line *line = fft_line_new(n, false, s->sign);
    struct fft_complex *row = malloc(n * sizeof(*row));
    bool done;

    for (size_t r = 0; line && row && r < rows; r++) {
        memcpy(row, data + r * half, half * sizeof(*row));
        row[0].im = 0;
        for (size_t k = 1; k < half; k++) {
            row[n - k] = (struct fft_complex){ row[k].re, n - k == k ? 0 : -row[k].im };
        }
        fft_line_run(line, 1, row);
        for (size_t k = 0; k < n; k++) {
            number_put(out, s->twice, r * n + k, row[k].re);
        }
    }
    done = line && row;
    fft_line_free(line);
    free(row);
    return done;
}

bool fft_run(const struct fft_shape *shape, const void *in, void *out)
{
    size_t last = shape_last(shape);
    size_t half = shape->kind == FFT_C2C ? last : last / 2 + 1;
    size_t count = (size_t)shape_count(shape, half);
    struct fft_complex *data = malloc(count * sizeof(*data));
    bool done = data != NULL;

    if (done && shape->kind == FFT_R2C) {
        done = rows_from_real(shape, in, data) &&
               dimensions_run(shape, 0, shape->rank - 1, half, data);
    } else if (done) {
        complex_get(in, shape->twice, count, data);
        done = dimensions_run(shape, 0, shape->rank - (shape->kind == FFT_C2R), half, data);
    }
    if (done && shape->kind == FFT_C2R) {
        done = rows_to_real(shape, data, out);
    } else if (done) {
        complex_put(data, shape->twice, count, out);
    }
    free(data);
    return done;
}

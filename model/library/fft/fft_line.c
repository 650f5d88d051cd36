/* SPDX-License-Identifier: MIT */
/*
 * Lines: factors 4, 2, 3, 5 and 7 by Stockham's self-sorting algorithm (W. Cochran and others,
 * "What is the fast Fourier transform?", 1967); any other size as a convolution (L. Bluestein,
 * 1970).
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/fft/fft_internal.h"

#define RADIX_MAX 7u

struct fft_line {
    size_t n, width; /* the most lines at a time */
    int sign;
    struct fft_complex *roots;    /* all of them; of an even size half of them */
    struct fft_complex *scratch;  /* width * n */
    struct fft_complex *gathered; /* the same */
    struct fft_long *divided;     /* sizes that are too long for it: all else is unused */
    /* Bluestein's convolution */
    struct fft_line *longer;
    struct fft_complex *chirp; /* n */
    struct fft_complex *filter, *work;
};

size_t fft_radix(size_t n)
{
    static const size_t radix[] = { 4, 2, 3, 5, 7 };

    for (unsigned i = 0; i < sizeof(radix) / sizeof(radix[0]); i++) {
        if (n % radix[i] == 0) {
            return radix[i];
        }
    }
    return 0;
}

static bool line_has_factors(size_t n)
{
    while (n > 1 && fft_radix(n)) {
        n /= fft_radix(n);
    }
    return n == 1;
}

static struct fft_complex line_root(const struct fft_line *l, size_t k)
{
    size_t half = l->n / 2;

    if (l->n % 2 == 0 && k >= half) {
        return (struct fft_complex){ -l->roots[k - half].re, -l->roots[k - half].im };
    }
    return l->roots[k];
}

static bool roots_make(struct fft_line *l)
{
    size_t count = l->n % 2 ? l->n : l->n / 2;

    l->roots = malloc(count * sizeof(*l->roots));
    for (size_t k = 0; l->roots && k < count; k++) {
        l->roots[k] = fft_root(k, l->n, l->sign);
    }
    return l->roots != NULL;
}

/* Size m / n: the convolution's, a power of two. */
static bool bluestein_make(struct fft_line *l)
{
    size_t m = 1;

    while (m < 2 * l->n - 1) {
        m *= 2;
    }
    l->longer = fft_line_new(m, false, -1);
    l->chirp = malloc(l->n * sizeof(*l->chirp));
    l->filter = calloc(m, sizeof(*l->filter));
    l->work = malloc(m * sizeof(*l->work));
    if (!l->longer || !l->chirp || !l->filter || !l->work) {
        return false;
    }
    for (size_t k = 0; k < l->n; k++) {
        size_t square = k * k % (2 * l->n); /* n is at most 2^31 */

        l->chirp[k] = fft_root(square, 2 * l->n, l->sign);
        l->filter[k ? m - k : 0] = l->filter[k] =
            (struct fft_complex){ l->chirp[k].re, -l->chirp[k].im };
    }
    fft_line_run(l->longer, 1, l->filter);
    return true;
}

struct fft_line *fft_line_new(size_t n, bool strided, int sign)
{
    struct fft_line *l = calloc(1, sizeof(*l));
    bool done;

    if (!l) {
        return NULL;
    }
    l->n = n;
    l->sign = sign;
    l->width = fft_long_is_for(n) || !strided ? 1 : FFT_WIDTH;
    l->gathered = strided ? malloc(n * l->width * sizeof(*l->gathered)) : NULL;
    if (line_has_factors(n) && fft_long_is_for(n)) {
        l->divided = fft_long_new(n, sign);
        done = l->divided != NULL;
    } else if (line_has_factors(n)) {
        l->scratch = malloc(n * l->width * sizeof(*l->scratch));
        done = roots_make(l) && l->scratch;
    } else {
        done = bluestein_make(l);
    }
    if (!done || (strided && !l->gathered)) {
        fft_line_free(l);
        return NULL;
    }
    return l;
}

void fft_line_free(struct fft_line *line)
{
    if (line) {
        fft_line_free(line->longer);
        fft_long_free(line->divided);
        free(line->gathered);
        free(line->roots);
        free(line->scratch);
        free(line->chirp);
        free(line->filter);
        free(line->work);
        free(line);
    }
}

/* One step: n = radix * m remains, in s interleaved sequences. */
struct stage {
    const struct fft_line *line;
    size_t n, s;
    const struct fft_complex *x;
    struct fft_complex *y;
};

static void stage_two(const struct stage *t)
{
    size_t m = t->n / 2, step = t->line->n / t->n;

    for (size_t p = 0; p < m; p++) {
        struct fft_complex w = line_root(t->line, p * step);
        const struct fft_complex *a = t->x + t->s * p, *b = a + t->s * m;
        struct fft_complex *y = t->y + 2 * t->s * p, *z = y + t->s;

        for (size_t q = 0; q < t->s; q++) {
            struct fft_complex d = { a[q].re - b[q].re, a[q].im - b[q].im };

            y[q] = (struct fft_complex){ a[q].re + b[q].re, a[q].im + b[q].im };
            z[q] = fft_product(d, w);
        }
    }
}

static void stage_four(const struct stage *t)
{
    size_t m = t->n / 4, step = t->line->n / t->n, s = t->s;
    double sign = t->line->sign;

    for (size_t p = 0; p < m; p++) {
        struct fft_complex w1 = line_root(t->line, p * step), w2 = line_root(t->line, 2 * p * step),
                           w3 = line_root(t->line, 3 * p * step);
        const struct fft_complex *a = t->x + s * p, *b = a + s * m, *c = b + s * m, *d = c + s * m;
        struct fft_complex *y = t->y + 4 * s * p;

        for (size_t q = 0; q < s; q++) {
            struct fft_complex e = { a[q].re + c[q].re, a[q].im + c[q].im };
            struct fft_complex f = { a[q].re - c[q].re, a[q].im - c[q].im };
            struct fft_complex g = { b[q].re + d[q].re, b[q].im + d[q].im };
            struct fft_complex h = { (d[q].im - b[q].im) * sign, (b[q].re - d[q].re) * sign };

            y[q] = (struct fft_complex){ e.re + g.re, e.im + g.im };
            y[s + q] = fft_product((struct fft_complex){ f.re + h.re, f.im + h.im }, w1);
            y[2 * s + q] = fft_product((struct fft_complex){ e.re - g.re, e.im - g.im }, w2);
            y[3 * s + q] = fft_product((struct fft_complex){ f.re - h.re, f.im - h.im }, w3);
        }
    }
}

/* Any radix, by its definition */
static void stage_any(const struct stage *t, size_t radix)
{
    size_t m = t->n / radix, step = t->line->n / t->n, turn = t->line->n / radix;
    struct fft_complex a[RADIX_MAX];

    for (size_t p = 0; p < m; p++) {
        for (size_t q = 0; q < t->s; q++) {
            for (size_t k = 0; k < radix; k++) {
                a[k] = t->x[q + t->s * (p + m * k)];
            }
            for (size_t j = 0; j < radix; j++) {
                struct fft_complex sum = a[0];

                for (size_t k = 1; k < radix; k++) {
                    struct fft_complex term =
                        fft_product(a[k], line_root(t->line, j * k % radix * turn));

                    sum.re += term.re;
                    sum.im += term.im;
                }
                t->y[q + t->s * (radix * p + j)] =
                    fft_product(sum, line_root(t->line, j * p * step));
            }
        }
    }
}

static void stockham_run(struct fft_line *l, size_t width, struct fft_complex *data)
{
    struct stage t = { l, l->n, width, data, l->scratch };

    while (t.n > 1) {
        size_t radix = fft_radix(t.n);
        struct fft_complex *done = t.y;

        if (radix == 4) {
            stage_four(&t);
        } else if (radix == 2) {
            stage_two(&t);
        } else {
            stage_any(&t, radix);
        }
        t.y = t.x == data ? data : l->scratch;
        t.x = done;
        t.n /= radix;
        t.s *= radix;
    }
    if (t.x != data) {
        memcpy(data, t.x, l->n * width * sizeof(*data));
    }
}

/* Conjugated, so that the inverse of the convolution is a forward transform, too */
static void bluestein_one(struct fft_line *l, struct fft_complex *data, size_t stride)
{
    size_t m = l->longer->n;
    struct fft_complex *w = l->work;

    memset(w, 0, m * sizeof(*w));
    for (size_t k = 0; k < l->n; k++) {
        w[k] = fft_product(data[k * stride], l->chirp[k]);
    }
    fft_line_run(l->longer, 1, w);
    for (size_t k = 0; k < m; k++) {
        w[k] = fft_product(w[k], l->filter[k]);
        w[k].im = -w[k].im;
    }
    fft_line_run(l->longer, 1, w);
    for (size_t k = 0; k < l->n; k++) {
        struct fft_complex r = { w[k].re / (double)m, -w[k].im / (double)m };

        data[k * stride] = fft_product(r, l->chirp[k]);
    }
}

void fft_line_run(struct fft_line *line, size_t width, struct fft_complex *data)
{
    if (!line->longer && !line->divided) {
        stockham_run(line, width, data);
        return;
    }
    for (size_t q = 0; q < width; q++) {
        if (line->divided) {
            fft_long_run(line->divided, data);
        } else {
            bluestein_one(line, data + q, width);
        }
    }
}

void fft_line_run_strided(struct fft_line *line, size_t count, size_t stride,
                          struct fft_complex *data)
{
    for (size_t q = 0; q < count; q += line->width) {
        size_t width = count - q < line->width ? count - q : line->width;

        for (size_t k = 0; k < line->n; k++) {
            memcpy(line->gathered + k * width, data + q + k * stride, width * sizeof(*data));
        }
        fft_line_run(line, width, line->gathered);
        for (size_t k = 0; k < line->n; k++) {
            memcpy(data + q + k * stride, line->gathered + k * width, width * sizeof(*data));
        }
    }
}

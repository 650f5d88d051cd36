/* SPDX-License-Identifier: MIT */
/* cuFFT: a batch is a transform. */
#include "model/library/element.h"
#include "model/library/fft/fft.h"
#include "model/library/work.h"

static struct fft_shape shape_of(const struct library_call *c)
{
    struct fft_shape s = {
        .kind = (enum fft_kind)c->mode[1],
        .sign = c->mode[2] ? 1 : -1,
        .twice = c->mode[0] == LIBRARY_R_64F,
        .rank = (unsigned)c->n[3],
    };

    for (unsigned i = 0; i < FFT_RANK && i < s.rank; i++) {
        s.n[i] = (uint32_t)c->n[i];
    }
    return s;
}

static bool side_fits(const struct library_operand *o, uint64_t count, bool real, bool twice)
{
    uint32_t type =
        real ? (twice ? LIBRARY_R_64F : LIBRARY_R_32F) : (twice ? LIBRARY_C_64F : LIBRARY_C_32F);

    return count && library_operand_count(o) == count && o->type == type;
}

const char *library_fft_check(const struct library_call *c)
{
    struct fft_shape s;

    if (c->n[3] < 1 || c->n[3] > (int64_t)FFT_RANK || c->mode[1] > LIBRARY_FFT_C2R ||
        c->mode[2] > 1 || (c->mode[0] != LIBRARY_R_32F && c->mode[0] != LIBRARY_R_64F)) {
        return "library call: no such Fourier transform";
    }
    for (int64_t i = 0; i < c->n[3]; i++) {
        if (c->n[i] < 1 || c->n[i] > INT32_MAX) {
            return "library call: no such size of a Fourier transform";
        }
    }
    s = shape_of(c);
    if (!side_fits(&c->operand[0], fft_input_count(&s), s.kind == FFT_R2C, s.twice) ||
        !side_fits(&c->operand[1], fft_output_count(&s), s.kind == FFT_C2R, s.twice)) {
        return "library call: operands of another size than the Fourier transform";
    }
    return NULL;
}

/* 5 n log2 n operations: J. Cooley and J. Tukey's count */
static uint64_t shape_cost(const struct fft_shape *s)
{
    uint64_t n =
        fft_input_count(s) > fft_output_count(s) ? fft_input_count(s) : fft_output_count(s);
    unsigned bits = 64u - (unsigned)__builtin_clzll(n);

    return n * bits * 5 / 2;
}

void library_fft_run(struct library_work *w)
{
    struct fft_shape s = shape_of(w->call);

    if (!fft_run(&s, w->data[0], w->data[1])) {
        w->why = "library call: the host has no memory for a Fourier transform";
        return;
    }
    *(s.twice ? &w->cost.twice : &w->cost.single) += shape_cost(&s);
}

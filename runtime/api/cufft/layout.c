/* SPDX-License-Identifier: MIT */
/* cuFFT, "Advanced Data Layout": element (x, y, z) of batch b lies at
 * b * dist + ((x * embed[1] + y) * embed[2] + z) * stride. */
#include "runtime/api/cufft/fft.h"

#define SIZE_MAX_64 (1LL << 31) /* of a dimension */

struct fft_layout fft_layout_basic(int rank, const long long *n)
{
    struct fft_layout l = { .rank = rank, .in.basic = true, .out.basic = true };

    for (int i = 0; i < rank; i++) {
        l.n[i] = n[i];
    }
    return l;
}

static struct fft_side side_of(int rank, const long long *embed, long long stride, long long dist)
{
    struct fft_side s = { .basic = !embed, .stride = stride, .dist = dist };

    for (int i = 0; embed && i < rank; i++) {
        s.embed[i] = embed[i];
    }
    return s;
}

struct fft_layout fft_layout_many_64(int rank, const long long *n, const long long *inembed,
                                     long long istride, long long idist, const long long *onembed,
                                     long long ostride, long long odist)
{
    struct fft_layout l = { .rank = rank };

    if (rank < 1 || rank > FFT_DIMENSIONS || !n) {
        l.wrong = true;
        return l;
    }
    l = fft_layout_basic(rank, n);
    if (inembed && onembed) {
        l.in = side_of(rank, inembed, istride, idist);
        l.out = side_of(rank, onembed, ostride, odist);
    }
    return l;
}

struct fft_layout fft_layout_many(int rank, const int *n, const int *inembed, int istride,
                                  int idist, const int *onembed, int ostride, int odist)
{
    long long wide[3][FFT_DIMENSIONS] = { { 0 } };
    const int *from[3] = { n, inembed, onembed };

    for (int k = 0; k < 3; k++) {
        for (int i = 0; from[k] && i < rank && i < FFT_DIMENSIONS; i++) {
            wide[k][i] = from[k][i];
        }
    }
    return fft_layout_many_64(rank, n ? wide[0] : NULL, inembed ? wide[1] : NULL, istride, idist,
                              onembed ? wide[2] : NULL, ostride, odist);
}

static bool type_known(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z ||
           type == CUFFT_D2Z || type == CUFFT_Z2D;
}

static bool type_is_double(cufftType type)
{
    return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

static bool side_is_real(cufftType type, bool output)
{
    return output ? type == CUFFT_C2R || type == CUFFT_Z2D : type == CUFFT_R2C || type == CUFFT_D2Z;
}

/* Elements of the last dimension: of complex numbers half, if the other side is real */
static long long side_last(const struct fft_layout *l, cufftType type, bool output)
{
    long long n = l->n[l->rank - 1];

    return !side_is_real(type, output) && side_is_real(type, !output) ? n / 2 + 1 : n;
}

static bool side_check(const struct fft_layout *l, const struct fft_side *s)
{
    if (s->basic) {
        return true;
    }
    for (int i = 1; i < l->rank; i++) {
        if (s->embed[i] < 1 || s->embed[i] > SIZE_MAX_64) {
            return false;
        }
    }
    return s->stride >= 1 && s->stride <= SIZE_MAX_64 && s->dist >= 0 && s->dist < 1LL << 40;
}

cufftResult fft_layout_check(const struct fft_layout *l, cufftType type, long long batch)
{
    long long total = 1;

    if (!type_known(type)) {
        return CUFFT_INVALID_TYPE;
    }
    if (l->wrong) {
        return CUFFT_INVALID_VALUE;
    }
    for (int i = 0; i < l->rank; i++) {
        if (l->n[i] < 1 || l->n[i] > SIZE_MAX_64 || total > (1LL << 34) / l->n[i]) {
            return CUFFT_INVALID_SIZE;
        }
        total *= l->n[i];
    }
    if (batch < 1 || batch > UINT32_MAX || !side_check(l, &l->in) || !side_check(l, &l->out)) {
        return CUFFT_INVALID_SIZE;
    }
    return CUFFT_SUCCESS;
}

static uint32_t element_type(cufftType type, bool real)
{
    return type_is_double(type) ? (real ? LIBRARY_R_64F : LIBRARY_C_64F)
                                : (real ? LIBRARY_R_32F : LIBRARY_C_32F);
}

static struct fft_side side_basic(const struct fft_layout *l, long long room)
{
    struct fft_side s = { .stride = 1, .dist = room };

    for (int i = 0; i < l->rank; i++) {
        s.embed[i] = l->n[i];
        s.dist *= i + 1 < l->rank ? l->n[i] : 1;
    }
    s.embed[l->rank - 1] = room;
    return s;
}

bool fft_layout_operand(const struct fft_layout *l, cufftType type, bool output, bool padded,
                        const void *data, struct library_operand *o)
{
    bool real = side_is_real(type, output);
    long long last = side_last(l, type, output), rows = 1;
    long long room = real && padded ? 2 * (last / 2 + 1) : last;
    struct fft_side s = output ? l->out : l->in;
    int64_t size = (type_is_double(type) ? 8 : 4) * (real ? 1 : 2);

    if (s.basic) {
        s = side_basic(l, room);
    }
    for (int i = 0; i + 1 < l->rank; i++) {
        rows *= l->n[i];
    }
    if (l->rank == 3 && l->n[0] > 1 && s.embed[1] != l->n[1]) {
        return false;
    }
    *o = (struct library_operand){ .va = (uintptr_t)data,
                                   .batch_pitch = s.dist * size,
                                   .type = element_type(type, real) };
    if (s.stride == 1) {
        o->columns = (uint64_t)last;
        o->rows = (uint64_t)rows;
        o->pitch = s.embed[l->rank - 1] * size;
    } else {
        o->columns = 1;
        o->rows = (uint64_t)(last * rows);
        o->pitch = s.stride * size;
    }
    return s.stride == 1 || rows == 1 || s.embed[l->rank - 1] == last;
}

cufftType fft_type_of(cudaDataType input, cudaDataType output, cudaDataType execution)
{
    static const cufftType all[] = { CUFFT_C2C, CUFFT_R2C, CUFFT_C2R,
                                     CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D };

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (element_type(all[i], side_is_real(all[i], false)) == (uint32_t)input &&
            element_type(all[i], side_is_real(all[i], true)) == (uint32_t)output &&
            element_type(all[i], false) == (uint32_t)execution) {
            return all[i];
        }
    }
    return FFT_ANY;
}

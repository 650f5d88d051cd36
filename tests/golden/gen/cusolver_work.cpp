/* SPDX-License-Identifier: MIT */
/* What cuSOLVER's dense functions answer to right, wrong and rare arguments: a row a question
 * (library_case.h). For a GPU with NVIDIA's library, and for ours: g++ cusolver_work.cpp -lcusolver
 * -lcudart -o ask && ./ask [NUMBER...] >cusolver.txt */
#include <cusolverDn.h>

#include <cmath>

#include "library_case.h"

static cusolverDnHandle_t h;
static int *info_d;

enum { LD = 11, WORK = 1 << 20 };
static void *work;

static void info_show(const std::string &what)
{
    show(what + " info", from_device(info_d, 1));
}

/* --- matrices of the host, LD rows apart --- */

static number at(const numbers &a, int i, int j)
{
    return a[(size_t)(i + j * LD)];
}

static numbers turned(const numbers &a)
{
    numbers t(a.size());

    for (int i = 0; i < LD; i++) {
        for (int j = 0; j < LD; j++) {
            t[(size_t)(j + i * LD)] = std::conj(at(a, i, j));
        }
    }
    return t;
}

static numbers product(const numbers &a, const numbers &b, int m, int n, int k)
{
    numbers c(LD * LD);

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            for (int p = 0; p < k; p++) {
                c[(size_t)(i + j * LD)] += at(a, i, p) * at(b, p, j);
            }
        }
    }
    return c;
}

static double distance(const numbers &a, const numbers &b, int m, int n)
{
    double most = 0;

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            most = std::max(most, std::abs(at(a, i, j) - at(b, i, j)));
        }
    }
    return most;
}

/* How far are the first @n columns of @m elements from being orthonormal? */
static double skew(const numbers &q, int m, int n)
{
    numbers one(LD * LD);

    for (int i = 0; i < n; i++) {
        one[(size_t)(i * (LD + 1))] = 1;
    }
    return distance(product(turned(q), q, n, n, m), one, n, n);
}

/* Random; 'h': Hermitian, 'p': and positive definite, 'd': with a strong diagonal */
static numbers square(cudaDataType t, char kind)
{
    numbers a = random_numbers(LD * LD, t);

    for (int i = 0; i < LD; i++) {
        for (int j = 0; j < i && (kind == 'h' || kind == 'p'); j++) {
            a[(size_t)(j + i * LD)] = std::conj(at(a, i, j));
        }
        if (kind == 'h' || kind == 'p') {
            a[(size_t)(i * (LD + 1))] = at(a, i, i).real();
        }
        a[(size_t)(i * (LD + 1))] += kind == 'p' ? 12.0 : kind == 'd' ? 6.0 : 0.0;
    }
    return a;
}

static cudaDataType real_of(cudaDataType t)
{
    return t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t;
}

static numbers diagonal(const numbers &s, int n)
{
    numbers d(LD * LD);

    for (int i = 0; i < n; i++) {
        d[(size_t)(i * (LD + 1))] = s[(size_t)i];
    }
    return d;
}

/* --- one type's functions by one name --- */

#define TYPED(t, T, R, un, he)                                                                     \
    static int getrf(int m, int n, T *a, int *p)                                                   \
    {                                                                                              \
        return cusolverDn##t##getrf(h, m, n, a, LD, (T *)work, p, info_d);                         \
    }                                                                                              \
    static int getrf_size(int m, int n, T *a, int *b)                                              \
    {                                                                                              \
        return cusolverDn##t##getrf_bufferSize(h, m, n, a, LD, b);                                 \
    }                                                                                              \
    static int getrs(int op, int n, int r, T *a, int *p, T *b)                                     \
    {                                                                                              \
        return cusolverDn##t##getrs(h, (cublasOperation_t)op, n, r, a, LD, p, b, LD, info_d);      \
    }                                                                                              \
    static int potrf(int upper, int n, T *a)                                                       \
    {                                                                                              \
        return cusolverDn##t##potrf(h, (cublasFillMode_t)upper, n, a, LD, (T *)work, WORK,         \
                                    info_d);                                                       \
    }                                                                                              \
    static int potrs(int upper, int n, int r, T *a, T *b)                                          \
    {                                                                                              \
        return cusolverDn##t##potrs(h, (cublasFillMode_t)upper, n, r, a, LD, b, LD, info_d);       \
    }                                                                                              \
    static int potri(int upper, int n, T *a)                                                       \
    {                                                                                              \
        return cusolverDn##t##potri(h, (cublasFillMode_t)upper, n, a, LD, (T *)work, WORK,         \
                                    info_d);                                                       \
    }                                                                                              \
    static int potrf_batch(int upper, int n, T **a, int *info, int k)                              \
    {                                                                                              \
        return cusolverDn##t##potrfBatched(h, (cublasFillMode_t)upper, n, a, LD, info, k);         \
    }                                                                                              \
    static int potrs_batch(int upper, int n, T **a, T **b, int k)                                  \
    {                                                                                              \
        return cusolverDn##t##potrsBatched(h, (cublasFillMode_t)upper, n, 1, a, LD, b, LD, info_d, \
                                           k);                                                     \
    }                                                                                              \
    static int geqrf(int m, int n, T *a, T *tau)                                                   \
    {                                                                                              \
        return cusolverDn##t##geqrf(h, m, n, a, LD, tau, (T *)work, WORK, info_d);                 \
    }                                                                                              \
    static int ormqr(int right, int op, int m, int n, int k, T *a, T *tau, T *c)                   \
    {                                                                                              \
        return cusolverDn##t##un##mqr(h, (cublasSideMode_t)right, (cublasOperation_t)op, m, n, k,  \
                                      a, LD, tau, c, LD, (T *)work, WORK, info_d);                 \
    }                                                                                              \
    static int orgqr(int m, int n, int k, T *a, T *tau)                                            \
    {                                                                                              \
        return cusolverDn##t##un##gqr(h, m, n, k, a, LD, tau, (T *)work, WORK, info_d);            \
    }                                                                                              \
    static int gesvd(char u, char v, int m, int n, T *a, R *s, T *U, T *V)                         \
    {                                                                                              \
        return cusolverDn##t##gesvd(h, (signed char)u, (signed char)v, m, n, a, LD, s, U, LD, V,   \
                                    LD, (T *)work, WORK, NULL, info_d);                            \
    }                                                                                              \
    static int gesvdj(int v, int econ, int m, int n, T *a, R *s, T *U, T *V, gesvdjInfo_t p)       \
    {                                                                                              \
        return cusolverDn##t##gesvdj(h, (cusolverEigMode_t)v, econ, m, n, a, LD, s, U, LD, V, LD,  \
                                     (T *)work, WORK, info_d, p);                                  \
    }                                                                                              \
    static int syevd(int v, int upper, int n, T *a, R *w)                                          \
    {                                                                                              \
        return cusolverDn##t##he##evd(h, (cusolverEigMode_t)v, (cublasFillMode_t)upper, n, a, LD,  \
                                      w, (T *)work, WORK, info_d);                                 \
    }                                                                                              \
    static int syevj(int v, int upper, int n, T *a, R *w, syevjInfo_t p)                           \
    {                                                                                              \
        return cusolverDn##t##he##evj(h, (cusolverEigMode_t)v, (cublasFillMode_t)upper, n, a, LD,  \
                                      w, (T *)work, WORK, info_d, p);                              \
    }                                                                                              \
    static int syevj_batch(int v, int upper, int n, T *a, R *w, int *info, syevjInfo_t p, int k)   \
    {                                                                                              \
        return cusolverDn##t##he##evjBatched(h, (cusolverEigMode_t)v, (cublasFillMode_t)upper, n,  \
                                             a, LD, w, (T *)work, WORK, info, p, k);               \
    }                                                                                              \
    static int sygvd(int type, int v, int upper, int n, T *a, T *b, R *w)                          \
    {                                                                                              \
        return cusolverDn##t##he##gvd(h, (cusolverEigType_t)type, (cusolverEigMode_t)v,            \
                                      (cublasFillMode_t)upper, n, a, LD, b, LD, w, (T *)work,      \
                                      WORK, info_d);                                               \
    }                                                                                              \
    static int gesv(int n, int r, T *a, int *p, T *b, T *x, int *iter)                             \
    {                                                                                              \
        return cusolverDn##t##t##gesv(h, n, r, a, LD, p, b, LD, x, LD, work, WORK, iter, info_d);  \
    }                                                                                              \
    static int gels(int m, int n, int r, T *a, T *b, T *x, int *iter)                              \
    {                                                                                              \
        return cusolverDn##t##t##gels(h, m, n, r, a, LD, b, LD, x, LD, work, WORK, iter, info_d);  \
    }
TYPED(S, float, float, or, sy)
TYPED(D, double, double, or, sy)
TYPED(C, cuComplex, float, un, he)
TYPED(Z, cuDoubleComplex, double, un, he)

static const char *const ops[] = { "N", "T", "C" }, *const halves[] = { "lower", "upper" };

/* The half that is referenced: NVIDIA's leave more than their input in the other one. */
static numbers half_of(numbers a, int upper)
{
    for (int i = 0; i < LD; i++) {
        for (int j = 0; j < LD; j++) {
            if (upper ? i > j : i < j) {
                a[(size_t)(i + j * LD)] = 0;
            }
        }
    }
    return a;
}

/* --- LU, Cholesky, QR --- */

template <typename T> static void lu(cudaDataType t)
{
    static const int sizes[][2] = { { 8, 8 }, { 9, 6 }, { 6, 9 }, { 8, 8 }, { 8, 8 } };

    for (int i = 0; i < 5; i++) { /* 3: no pivots; 4: singular */
        std::string what = "getrf " + name_of(t) + " case " + std::to_string(i);
        int m = sizes[i][0], n = sizes[i][1], *p = (int *)device(64), bytes = 0;
        numbers host = square(t, i == 3 ? 'd' : 'r');
        T *a;

        for (int r = 0; r < LD && i == 4; r++) {
            host[(size_t)(r + 2 * LD)] = 0;
        }
        a = (T *)to_device(host, t);
        ASK("getrf size " + what, getrf_size(m, n, a, &bytes));
        if (ASK(what, getrf(m, n, a, i == 3 ? NULL : p))) {
            info_show(what);
            if (i < 3) {
                show(what + " pivots", from_device(p, (size_t)std::min(m, n)));
            }
            if (i < 4) {
                show(what, from_device(a, t, LD * LD), t, 2048);
            }
        }
        for (int op = 0; op < 3 && m == n && i < 4; op++) {
            T *b = (T *)to_device(random_numbers(LD * LD, t), t);
            std::string solve = "getrs " + what + " " + ops[op];

            if (ASK(solve, getrs(op, n, 3, a, i == 3 ? NULL : p, b))) {
                info_show(solve);
                show(solve, from_device(b, t, LD * 3), t, 4096);
            }
        }
    }
}

template <typename T> static void cholesky(cudaDataType t)
{
    for (int upper = 0; upper < 2; upper++) {
        std::string what = "potrf " + name_of(t) + " " + halves[upper];
        numbers host = square(t, 'p');
        T *a = (T *)to_device(host, t), *b = (T *)to_device(random_numbers(LD * LD, t), t), **as,
          **bs;

        if (ASK(what, potrf(upper, 9, a))) {
            info_show(what);
            show(what, from_device(a, t, LD * LD), t, 256);
        }
        if (ASK("solve " + what, potrs(upper, 9, 3, a, b))) {
            info_show("solve " + what);
            show("solve " + what, from_device(b, t, LD * LD), t, 64);
        }
        if (ASK("inverse " + what, potri(upper, 9, a))) {
            info_show("inverse " + what);
            show("inverse " + what, half_of(from_device(a, t, LD * LD), upper), t, 64);
        }
        host[4 * (LD + 1)] = -1;
        cudaMemcpy(a, to_device(host, t), LD * LD * bytes_of(t), cudaMemcpyDeviceToDevice);
        if (ASK("indefinite " + what, potrf(upper, 9, a))) {
            info_show("indefinite " + what);
        }
        std::vector<T *> pointers;
        for (int i = 0; i < 3; i++) {
            pointers.push_back((T *)to_device(square(t, i == 1 ? 'h' : 'p'), t));
        }
        std::vector<T *> sides = { (T *)to_device(random_numbers(LD, t), t),
                                   (T *)to_device(random_numbers(LD, t), t),
                                   (T *)to_device(random_numbers(LD, t), t) };
        as = (T **)device(64);
        bs = (T **)device(64);
        cudaMemcpy(as, pointers.data(), 24, cudaMemcpyHostToDevice);
        cudaMemcpy(bs, sides.data(), 24, cudaMemcpyHostToDevice);
        int *infos = (int *)device(64);
        if (ASK("batch " + what, potrf_batch(upper, 9, as, infos, 3))) {
            std::vector<int> got = from_device(infos, 3);

            show("batch info " + what, std::vector<int>{ got[0], got[1] > 0, got[2] });
            show("batch " + what, half_of(from_device(pointers[2], t, LD * LD), upper), t, 256);
        }
        if (ASK("batch solve " + what, potrs_batch(upper, 9, as, bs, 3))) {
            info_show("batch solve " + what);
            show("batch solve " + what, from_device(sides[2], t, LD), t, 64);
        }
    }
}

template <typename T> static void qr(cudaDataType t)
{
    static const int sizes[][2] = { { 9, 6 }, { 8, 8 }, { 6, 9 } };

    for (int i = 0; i < 3; i++) {
        std::string what = "geqrf " + name_of(t) + " case " + std::to_string(i);
        int m = sizes[i][0], n = sizes[i][1], k = std::min(m, n);
        T *a = (T *)to_device(square(t, 'r'), t), *tau = (T *)device(LD * 16);

        if (ASK(what, geqrf(m, n, a, tau))) {
            info_show(what);
            show(what, from_device(a, t, LD * LD), t, 256);
            show(what + " tau", from_device(tau, t, (size_t)k), t, 64);
        }
        for (int j = 0; j < 6; j++) {
            int right = j / 3, op = j % 3;
            std::string turn = "ormqr " + what + (right ? " right " : " left ") + ops[op];
            T *c = (T *)to_device(random_numbers(LD * LD, t), t);

            if (ASK(turn, ormqr(right, op, right ? 5 : m, right ? m : 5, k, a, tau, c))) {
                info_show(turn);
                show(turn, from_device(c, t, LD * LD), t, 256);
            }
        }
        if (m >= n && ASK("orgqr " + what, orgqr(m, n, k, a, tau))) {
            info_show("orgqr " + what);
            show("orgqr " + what, from_device(a, t, LD * LD), t, 256);
        }
    }
}

/* --- singular values --- */

template <typename T, typename R> static void svd(cudaDataType t)
{
    static const char jobs[][2] = { { 'A', 'A' }, { 'S', 'S' }, { 'N', 'N' },
                                    { 'O', 'S' }, { 'S', 'O' }, { 'N', 'A' } };
    static const int sizes[][2] = { { 9, 6 }, { 8, 8 }, { 6, 9 } };

    for (int i = 0; i < 18; i++) {
        int m = sizes[i / 6][0], n = sizes[i / 6][1], k = std::min(m, n);
        const char *job = jobs[i % 6];
        std::string what = "gesvd " + name_of(t) + " " + std::to_string(m) + "x" +
                           std::to_string(n) + " " + job[0] + job[1];
        numbers host = square(t, 'r'), u, v;
        T *a = (T *)to_device(host, t), *U = (T *)device(LD * LD * 16),
          *V = (T *)device(LD * LD * 16);
        R *s = (R *)device(LD * 8);

        if (!ASK(what, gesvd(job[0], job[1], m, n, a, s, U, V))) {
            continue;
        }
        info_show(what);
        numbers values = from_device(s, real_of(t), (size_t)k);
        show(what + " values", values, real_of(t), 256);
        u = from_device(job[0] == 'O' ? a : U, t, LD * LD);
        v = from_device(job[1] == 'O' ? a : V, t, LD * LD);
        if (job[0] != 'N') {
            show_error(what + " skew u", skew(u, m, job[0] == 'A' ? m : k), t, 64);
        }
        if (job[1] != 'N') {
            show_error(what + " skew v", skew(turned(v), n, job[1] == 'A' ? n : k), t, 64);
        }
        if (job[0] != 'N' && job[1] != 'N') {
            show_error(
                what + " product",
                distance(product(product(u, diagonal(values, k), m, k, k), v, m, n, k), host, m, n),
                t, 256);
        }
    }
    gesvdjInfo_t p;
    cusolverDnCreateGesvdjInfo(&p);
    for (int i = 0; i < 9; i++) {
        int m = sizes[i / 3][0], n = sizes[i / 3][1], k = std::min(m, n), econ = i % 3 == 1,
            vectors = i % 3 != 2;
        std::string what = "gesvdj " + name_of(t) + " " + std::to_string(m) + "x" +
                           std::to_string(n) + (econ ? " economy" : "") +
                           (vectors ? "" : " values");
        numbers host = square(t, 'r'), u, v;
        T *a = (T *)to_device(host, t), *U = (T *)device(LD * LD * 16),
          *V = (T *)device(LD * LD * 16);
        R *s = (R *)device(LD * 8);

        if (!ASK(what, gesvdj(vectors, econ, m, n, a, s, U, V, p))) {
            continue;
        }
        info_show(what);
        numbers values = from_device(s, real_of(t), (size_t)k);
        show(what + " values", values, real_of(t), 256);
        if (vectors) {
            u = from_device(U, t, LD * LD);
            v = from_device(V, t, LD * LD);
            show_error(what + " skew u", skew(u, m, econ ? k : m), t, 64);
            show_error(what + " skew v", skew(v, n, econ ? k : n), t, 64);
            show_error(
                what + " product",
                distance(product(product(u, diagonal(values, k), m, k, k), turned(v), m, n, k),
                         host, m, n),
                t, 256);
        }
    }
}

/* --- eigenvalues --- */

static void pairs_show(const std::string &what, const numbers &host, const numbers &vectors,
                       const numbers &values, int n, cudaDataType t)
{
    show_error(what + " skew", skew(vectors, n, n), t, 64);
    show_error(what + " product",
               distance(product(host, vectors, n, n, n),
                        product(vectors, diagonal(values, n), n, n, n), n, n),
               t, 256);
}

template <typename T, typename R> static void eigen(cudaDataType t)
{
    syevjInfo_t p;

    cusolverDnCreateSyevjInfo(&p);
    for (int i = 0; i < 8; i++) {
        int jacobi = i / 4, vectors = i / 2 % 2, upper = i % 2;
        std::string what = std::string(jacobi ? "syevj " : "syevd ") + name_of(t) + " " +
                           halves[upper] + (vectors ? " vectors" : "");
        numbers host = square(t, 'h'), half = host;
        R *w = (R *)device(LD * 8);

        for (int r = 0; r < LD; r++) { /* what is not referenced */
            for (int c = 0; c < LD; c++) {
                half[(size_t)(r + c * LD)] =
                    (upper ? r > c : r < c) ? number(77) : half[(size_t)(r + c * LD)];
            }
        }
        T *a = (T *)to_device(half, t);
        if (!ASK(what,
                 jacobi ? syevj(vectors, upper, 9, a, w, p) : syevd(vectors, upper, 9, a, w))) {
            continue;
        }
        info_show(what);
        numbers values = from_device(w, real_of(t), 9);
        show(what + " values", values, real_of(t), 256);
        if (vectors) {
            pairs_show(what, host, from_device(a, t, LD * LD), values, 9, t);
        }
    }
    for (int type = 1; type < 4; type++) {
        for (int upper = 0; upper < 2; upper++) {
            std::string what =
                "sygvd " + name_of(t) + " type " + std::to_string(type) + " " + halves[upper];
            T *a = (T *)to_device(square(t, 'h'), t), *b = (T *)to_device(square(t, 'p'), t);
            R *w = (R *)device(LD * 8);

            if (ASK(what, sygvd(type, 1, upper, 9, a, b, w))) {
                info_show(what);
                show(what + " values", from_device(w, real_of(t), 9), real_of(t),
                     type == 1 ? 64 : 4096);
            }
        }
    }
    numbers two = square(t, 'h'), second = square(t, 'h');
    two.resize(LD * 9);
    second.resize(LD * 9);
    two.insert(two.end(), second.begin(), second.end());
    T *a = (T *)to_device(two, t);
    R *w = (R *)device(LD * 16);
    int *infos = (int *)device(64);
    if (ASK("syevj batch " + name_of(t), syevj_batch(1, 0, 9, a, w, infos, p, 2))) {
        show("syevj batch info " + name_of(t), from_device(infos, 2));
        show("syevj batch values " + name_of(t), from_device(w, real_of(t), 18), real_of(t), 256);
    }
}

/* --- systems with refinement --- */

template <typename T> static void systems(cudaDataType t)
{
    numbers host = square(t, 'd');
    T *a = (T *)to_device(host, t), *b = (T *)to_device(random_numbers(LD * LD, t), t),
      *x = (T *)device(LD * LD * 16);
    int *p = (int *)device(64), iter = -77;
    std::string what = "gesv " + name_of(t);

    if (ASK(what, gesv(8, 1, a, p, b, x, &iter))) {
        info_show(what);
        show(what, from_device(x, t, 8), t, 256);
        show(what + " iterations", std::vector<int>{ iter });
    }
    /* In other types the buffer is larger than these questions have it. */
    for (int i = 0; i < 2 && t == CUDA_R_32F; i++) {
        what = "gels " + name_of(t) + (i ? " square" : " tall");
        iter = -77;
        a = (T *)to_device(host, t);
        if (ASK(what, gels(i ? 8 : 10, i ? 8 : 6, 1, a, b, x, &iter))) {
            info_show(what);
            show(what, from_device(x, t, i ? 8 : 6), t, 1024);
        }
    }
}

/* --- 64-bit forms --- */

static void wide(cudaDataType t)
{
    cusolverDnParams_t p;
    numbers host = square(t, 'p');
    void *a = to_device(host, t), *b = to_device(random_numbers(LD * LD, t), t),
         *tau = device(LD * 16), *w = device(LD * 8);
    void *U = device(LD * LD * 16), *V = device(LD * LD * 16), *room = malloc(WORK);
    int64_t *pivots = (int64_t *)device(128);
    size_t bytes = 0, bytes_h = 0;
    std::string what = "wide " + name_of(t);
    cudaDataType r = real_of(t);

    cusolverDnCreateParams(&p);
    ASK(what + " getrf size",
        cusolverDnXgetrf_bufferSize(h, p, 8, 8, t, a, LD, t, &bytes, &bytes_h));
    if (ASK(what + " getrf",
            cusolverDnXgetrf(h, p, 8, 8, t, a, LD, pivots, t, work, WORK, room, WORK, info_d))) {
        info_show(what + " getrf");
        show(what + " getrf", from_device(a, t, LD * LD), t, 1024);
        show(what + " getrf pivots", from_device((int *)pivots, 16));
        if (ASK(what + " getrs",
                cusolverDnXgetrs(h, p, CUBLAS_OP_N, 8, 2, t, a, LD, pivots, t, b, LD, info_d))) {
            show(what + " getrs", from_device(b, t, LD * 2), t, 256);
        }
    }
    a = to_device(host, t);
    ASK(what + " potrf size", cusolverDnXpotrf_bufferSize(h, p, CUBLAS_FILL_MODE_LOWER, 9, t, a, LD,
                                                          t, &bytes, &bytes_h));
    if (ASK(what + " potrf", cusolverDnXpotrf(h, p, CUBLAS_FILL_MODE_LOWER, 9, t, a, LD, t, work,
                                              WORK, room, WORK, info_d))) {
        info_show(what + " potrf");
        show(what + " potrf", from_device(a, t, LD * LD), t, 256);
        if (ASK(what + " potrs",
                cusolverDnXpotrs(h, p, CUBLAS_FILL_MODE_LOWER, 9, 2, t, a, LD, t, b, LD, info_d))) {
            show(what + " potrs", from_device(b, t, LD * 2), t, 64);
        }
    }
    a = to_device(host, t);
    ASK(what + " trtri size",
        cusolverDnXtrtri_bufferSize(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, 9, t, a, LD,
                                    &bytes, &bytes_h));
    if (ASK(what + " trtri", cusolverDnXtrtri(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, 9, t,
                                              a, LD, work, WORK, room, WORK, info_d))) {
        info_show(what + " trtri");
        show(what + " trtri", from_device(a, t, LD * LD), t, 64);
    }
    a = to_device(host, t);
    ASK(what + " geqrf size",
        cusolverDnXgeqrf_bufferSize(h, p, 9, 6, t, a, LD, t, tau, t, &bytes, &bytes_h));
    if (ASK(what + " geqrf",
            cusolverDnXgeqrf(h, p, 9, 6, t, a, LD, t, tau, t, work, WORK, room, WORK, info_d))) {
        info_show(what + " geqrf");
        show(what + " geqrf", from_device(a, t, LD * LD), t, 512);
    }
    a = to_device(host, t);
    ASK(what + " syevd size",
        cusolverDnXsyevd_bufferSize(h, p, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 9, t, a,
                                    LD, r, w, t, &bytes, &bytes_h));
    if (ASK(what + " syevd",
            cusolverDnXsyevd(h, p, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 9, t, a, LD, r,
                             w, t, work, WORK, room, WORK, info_d))) {
        info_show(what + " syevd");
        show(what + " syevd values", from_device(w, r, 9), r, 512);
    }
    a = to_device(host, t);
    ASK(what + " gesvd size", cusolverDnXgesvd_bufferSize(h, p, 'S', 'S', 9, 6, t, a, LD, r, w, t,
                                                          U, LD, t, V, LD, t, &bytes, &bytes_h));
    if (ASK(what + " gesvd", cusolverDnXgesvd(h, p, 'S', 'S', 9, 6, t, a, LD, r, w, t, U, LD, t, V,
                                              LD, t, work, WORK, room, WORK, info_d))) {
        info_show(what + " gesvd");
        show(what + " gesvd values", from_device(w, r, 6), r, 512);
    }
    ASK(what + " mixed",
        cusolverDnXgetrf_bufferSize(h, p, 8, 8, t, a, LD, CUDA_R_16F, &bytes, &bytes_h));
    ASK(what + " params",
        cusolverDnXgetrf_bufferSize(h, NULL, 8, 8, t, a, LD, t, &bytes, &bytes_h));
    cusolverDnDestroyParams(p);
}

static void wrong_arguments()
{
    float *a = (float *)to_device(square(CUDA_R_32F, 'p'), CUDA_R_32F), *x = (float *)device(4096),
          *w = (float *)work;
    int n = 0, *p = (int *)device(256), iter = 0;
    const cublasFillMode_t L = CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t N = CUBLAS_OP_N;
    size_t bytes = 0;
    syevjInfo_t sj = NULL;
    gesvdjInfo_t gj = NULL;
    double d = -7;

    CODE(cusolverDnCreate(NULL));
    CODE(cusolverDnDestroy(NULL));
    CODE(cusolverDnSetStream(NULL, 0));
    CODE(cusolverDnGetStream(h, NULL));
    CODE(cusolverGetProperty(MAJOR_VERSION, NULL));
    CODE(cusolverGetProperty((libraryPropertyType)9, &n));
    CODE(cusolverGetVersion(NULL));
    CODE(cusolverDnSgetrf_bufferSize(NULL, 8, 8, a, LD, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, -1, 8, a, LD, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, 8, -1, a, LD, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, 8, 8, a, 7, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, 8, 8, NULL, LD, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, 0, 0, a, LD, &n));
    CODE(cusolverDnSgetrf_bufferSize(h, 8, 8, a, LD, NULL));
    CODE(cusolverDnSgetrf(NULL, 8, 8, a, LD, w, p, info_d));
    CODE(cusolverDnSgetrf(h, -1, 8, a, LD, w, p, info_d));
    CODE(cusolverDnSgetrf(h, 8, 8, a, 7, w, p, info_d));
    CODE(cusolverDnSgetrf(h, 8, 8, NULL, LD, w, p, info_d));
    CODE(cusolverDnSgetrf(h, 8, 8, a, LD, NULL, p, info_d));
    CODE(cusolverDnSgetrf(h, 8, 8, a, LD, w, p, NULL));
    CODE(cusolverDnSgetrf(h, 0, 0, a, LD, w, p, info_d));
    CODE(cusolverDnSgetrf(h, 0, 0, NULL, 1, NULL, NULL, NULL));
    CODE(cusolverDnSgetrs(NULL, N, 8, 1, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, (cublasOperation_t)9, 8, 1, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, -1, 1, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, -1, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, 1, a, 7, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, 1, a, LD, p, x, 7, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, 0, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 0, 1, a, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, 1, NULL, LD, p, x, LD, info_d));
    CODE(cusolverDnSgetrs(h, N, 8, 1, a, LD, p, x, LD, NULL));
    CODE(cusolverDnSpotrf_bufferSize(NULL, L, 8, a, LD, &n));
    CODE(cusolverDnSpotrf_bufferSize(h, (cublasFillMode_t)9, 8, a, LD, &n));
    CODE(cusolverDnSpotrf_bufferSize(h, CUBLAS_FILL_MODE_FULL, 8, a, LD, &n));
    CODE(cusolverDnSpotrf_bufferSize(h, L, -1, a, LD, &n));
    CODE(cusolverDnSpotrf_bufferSize(h, L, 8, a, 7, &n));
    CODE(cusolverDnSpotrf_bufferSize(h, L, 0, a, LD, &n));
    CODE(cusolverDnSpotrf(h, L, 8, a, 7, w, WORK, info_d));
    CODE(cusolverDnSpotrf(h, L, 8, a, LD, w, 0, info_d));
    CODE(cusolverDnSpotrf(h, L, 8, a, LD, w, -1, info_d));
    CODE(cusolverDnSpotrf(h, L, 0, a, LD, w, WORK, info_d));
    CODE(cusolverDnSpotrf(h, (cublasFillMode_t)9, 8, a, LD, w, WORK, info_d));
    CODE(cusolverDnSpotrs(h, L, 8, -1, a, LD, x, LD, info_d));
    CODE(cusolverDnSpotrs(h, L, 8, 1, a, LD, x, 7, info_d));
    CODE(cusolverDnSpotrs(h, L, 8, 0, a, LD, x, LD, info_d));
    CODE(cusolverDnSpotrfBatched(h, L, 8, NULL, LD, p, 1));
    CODE(cusolverDnSpotrfBatched(h, L, 8, NULL, LD, p, 0));
    CODE(cusolverDnSpotrfBatched(h, L, 8, NULL, LD, p, -1));
    CODE(cusolverDnSgeqrf_bufferSize(h, -1, 8, a, LD, &n));
    CODE(cusolverDnSgeqrf_bufferSize(h, 8, 8, a, 7, &n));
    CODE(cusolverDnSgeqrf_bufferSize(h, 0, 8, a, LD, &n));
    CODE(cusolverDnSgeqrf(h, 8, 8, a, LD, x, w, 0, info_d));
    CODE(cusolverDnSgeqrf(h, 8, 8, a, 7, x, w, WORK, info_d));
    CODE(cusolverDnSgeqrf(h, 8, 0, a, LD, x, w, WORK, info_d));
    CODE(cusolverDnSormqr_bufferSize(h, (cublasSideMode_t)9, N, 8, 8, 8, a, LD, x, a, LD, &n));
    CODE(cusolverDnSormqr_bufferSize(h, CUBLAS_SIDE_LEFT, (cublasOperation_t)9, 8, 8, 8, a, LD, x,
                                     a, LD, &n));
    CODE(cusolverDnSormqr_bufferSize(h, CUBLAS_SIDE_LEFT, N, 8, 8, 9, a, LD, x, a, LD, &n));
    CODE(cusolverDnSormqr_bufferSize(h, CUBLAS_SIDE_LEFT, N, 8, 8, -1, a, LD, x, a, LD, &n));
    CODE(cusolverDnSormqr_bufferSize(h, CUBLAS_SIDE_LEFT, N, 8, 8, 8, a, 7, x, a, LD, &n));
    CODE(cusolverDnSormqr_bufferSize(h, CUBLAS_SIDE_LEFT, N, 8, 8, 8, a, LD, x, a, 7, &n));
    CODE(cusolverDnSorgqr_bufferSize(h, 8, 9, 8, a, LD, x, &n));
    CODE(cusolverDnSorgqr_bufferSize(h, 8, 8, 9, a, LD, x, &n));
    CODE(cusolverDnSorgqr_bufferSize(h, 8, 6, 6, a, 7, x, &n));
    CODE(cusolverDnSgesvd_bufferSize(h, 6, 9, &n));
    CODE(cusolverDnSgesvd_bufferSize(h, -1, 9, &n));
    CODE(cusolverDnSgesvd_bufferSize(h, 0, 0, &n));
    CODE(cusolverDnSgesvd(h, 'X', 'A', 8, 8, a, LD, x, x, LD, x, LD, w, WORK, NULL, info_d));
    CODE(cusolverDnSgesvd(h, 'O', 'O', 8, 8, a, LD, x, x, LD, x, LD, w, WORK, NULL, info_d));
    CODE(cusolverDnSgesvd(h, 'A', 'A', 8, 8, a, 7, x, x, LD, x, LD, w, WORK, NULL, info_d));
    CODE(cusolverDnSgesvd(h, 'A', 'A', 8, 8, a, LD, x, x, 7, x, LD, w, WORK, NULL, info_d));
    CODE(cusolverDnSgesvd(h, 'A', 'A', 8, 8, a, LD, x, x, LD, x, LD, w, 1, NULL, info_d));
    CODE(cusolverDnSsyevd_bufferSize(h, (cusolverEigMode_t)9, L, 8, a, LD, x, &n));
    CODE(cusolverDnSsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, (cublasFillMode_t)9, 8, a, LD, x,
                                     &n));
    CODE(cusolverDnSsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, L, -1, a, LD, x, &n));
    CODE(cusolverDnSsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, L, 8, a, 7, x, &n));
    CODE(cusolverDnSsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, L, 0, a, LD, x, &n));
    CODE(cusolverDnSsyevd(h, CUSOLVER_EIG_MODE_VECTOR, L, 8, a, LD, x, w, 1, info_d));
    CODE(cusolverDnCreateSyevjInfo(NULL));
    CODE(cusolverDnCreateSyevjInfo(&sj));
    CODE(cusolverDnXsyevjSetTolerance(sj, -1));
    CODE(cusolverDnXsyevjSetTolerance(sj, 1e-7));
    CODE(cusolverDnXsyevjSetMaxSweeps(sj, -1));
    CODE(cusolverDnXsyevjSetMaxSweeps(sj, 0));
    CODE(cusolverDnXsyevjSetMaxSweeps(sj, 15));
    CODE(cusolverDnXsyevjSetSortEig(sj, 7));
    CODE(cusolverDnXsyevjGetSweeps(h, sj, &n));
    CODE(cusolverDnXsyevjGetResidual(h, sj, NULL));
    CODE(cusolverDnXsyevjGetResidual(h, NULL, &d));
    CODE(cusolverDnXsyevjSetTolerance(NULL, 1e-7));
    CODE(cusolverDnSsyevj_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, L, 8, a, LD, x, &n, NULL));
    CODE(cusolverDnSsyevj_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, L, 8, a, 7, x, &n, sj));
    CODE(cusolverDnSsyevj(h, CUSOLVER_EIG_MODE_VECTOR, L, 8, a, LD, x, w, 0, info_d, sj));
    CODE(cusolverDnDestroySyevjInfo(NULL));
    CODE(cusolverDnCreateGesvdjInfo(NULL));
    CODE(cusolverDnCreateGesvdjInfo(&gj));
    CODE(cusolverDnXgesvdjSetTolerance(gj, -1));
    CODE(cusolverDnXgesvdjSetMaxSweeps(gj, -1));
    CODE(cusolverDnXgesvdjSetSortEig(gj, 7));
    CODE(cusolverDnSgesvdj_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, 0, 8, 8, a, LD, x, x, 7, x, LD,
                                      &n, gj));
    CODE(cusolverDnSgesvdj_bufferSize(h, CUSOLVER_EIG_MODE_NOVECTOR, 0, 8, 8, a, LD, x, x, 7, x, LD,
                                      &n, gj));
    CODE(cusolverDnSgesvdj_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, 0, 8, 8, a, LD, x, x, LD, x, LD,
                                      &n, NULL));
    CODE(cusolverDnSSgels_bufferSize(h, 6, 9, 1, a, LD, x, LD, x, LD, NULL, &bytes));
    CODE(cusolverDnSSgels_bufferSize(h, 9, 6, 1, a, LD, x, LD, x, LD, NULL, &bytes));
    CODE(cusolverDnSSgels_bufferSize(h, 9, 6, 1, a, 7, x, LD, x, LD, NULL, &bytes));
    CODE(cusolverDnSSgesv_bufferSize(h, 8, 1, a, LD, p, x, LD, x, LD, NULL, &bytes));
    CODE(cusolverDnSSgesv(h, 8, 1, a, LD, p, x, LD, x, LD, work, 0, &iter, info_d));
    CODE(cusolverDnSSgesv(h, 8, 1, a, 7, p, x, LD, x, LD, work, WORK, &iter, info_d));
    CODE(cusolverDnCreateParams(NULL));
    CODE(cusolverDnDestroyParams(NULL));
}

int main(int argc, char **argv)
{
    arguments(argc, argv);
    work = device(WORK * 16);
    info_d = (int *)device(64);
    if (cusolverDnCreate(&h) != CUSOLVER_STATUS_SUCCESS) {
        return 2;
    }
    lu<float>(CUDA_R_32F);
    lu<double>(CUDA_R_64F);
    lu<cuComplex>(CUDA_C_32F);
    lu<cuDoubleComplex>(CUDA_C_64F);
    cholesky<float>(CUDA_R_32F);
    cholesky<double>(CUDA_R_64F);
    cholesky<cuComplex>(CUDA_C_32F);
    cholesky<cuDoubleComplex>(CUDA_C_64F);
    qr<float>(CUDA_R_32F);
    qr<double>(CUDA_R_64F);
    qr<cuComplex>(CUDA_C_32F);
    qr<cuDoubleComplex>(CUDA_C_64F);
    svd<float, float>(CUDA_R_32F);
    svd<double, double>(CUDA_R_64F);
    svd<cuComplex, float>(CUDA_C_32F);
    svd<cuDoubleComplex, double>(CUDA_C_64F);
    eigen<float, float>(CUDA_R_32F);
    eigen<double, double>(CUDA_R_64F);
    eigen<cuComplex, float>(CUDA_C_32F);
    eigen<cuDoubleComplex, double>(CUDA_C_64F);
    systems<float>(CUDA_R_32F);
    systems<double>(CUDA_R_64F);
    systems<cuComplex>(CUDA_C_32F);
    systems<cuDoubleComplex>(CUDA_C_64F);
    for (cudaDataType t : four) {
        wide(t);
    }
    wrong_arguments();
    ask("end", cudaDeviceSynchronize());
    return 0;
}

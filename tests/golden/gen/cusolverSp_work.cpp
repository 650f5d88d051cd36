/* SPDX-License-Identifier: MIT */
/* What cuSOLVER's sparse functions and cusolverRf answer to right, wrong and rare arguments: a row
 * a question (library_case.h). For a GPU with NVIDIA's library, and for ours: g++
 * cusolverSp_work.cpp -lcusolver -lcusparse -lcudart -o ask && ./ask [NUMBER...] >cusolverSp.txt */
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <algorithm>
#include <cmath>

#include "library_case.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { N = 9, M = 12 };
static cusolverSpHandle_t h;
static cusparseMatDescr_t zero, one, symmetric;
static char room[1 << 20]; /* of the host */
static void *work;

/* --- matrices --- */

struct sparse {
    int m, n, base;
    std::vector<int> begin, column;
    numbers value;
};

/* About a third of all places. 'd': with a strong diagonal, 'p': Hermitian and positive definite,
 * too; 'z': row and column 4 are zero but for a zero on the diagonal */
static sparse matrix(cudaDataType t, int m, int n, int base, char kind)
{
    std::vector<numbers> a((size_t)m, numbers((size_t)n));
    sparse s = { m, n, base, { base }, {}, {} };

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            number v = random_number(is_complex(t));
            bool there = (i * 7 + j * 5) % 3 == 0 || i == j;

            a[(size_t)i][(size_t)j] = there ? v : 0;
        }
    }
    for (int i = 0; i < std::min(m, n) && kind != 'r'; i++) {
        for (int j = 0; j < i && kind == 'p'; j++) {
            a[(size_t)i][(size_t)j] = std::conj(a[(size_t)j][(size_t)i]);
        }
        a[(size_t)i][(size_t)i] = 6.0 + i * 0.125;
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            bool cut = kind == 'z' && (i == 4 || j == 4);

            if ((cut ? 0 : a[(size_t)i][(size_t)j]) != 0.0 || i == j) {
                s.column.push_back(j + base);
                s.value.push_back(cut ? 0 : a[(size_t)i][(size_t)j]);
            }
        }
        s.begin.push_back((int)s.column.size() + base);
    }
    return s;
}

static cusparseMatDescr_t descr(const sparse &s)
{
    return s.base ? one : zero;
}

static numbers product(const sparse &s, const numbers &x)
{
    numbers y((size_t)s.m);

    for (int i = 0; i < s.m; i++) {
        for (int k = s.begin[(size_t)i] - s.base; k < s.begin[(size_t)i + 1] - s.base; k++) {
            y[(size_t)i] += s.value[(size_t)k] * x[(size_t)(s.column[(size_t)k] - s.base)];
        }
    }
    return y;
}

static std::vector<char> stored(const numbers &v, cudaDataType t)
{
    std::vector<char> out(v.size() * 16 + 16);

    for (size_t i = 0; i < v.size(); i++) {
        store(out.data(), t, i, v[i]);
    }
    return out;
}

static numbers loaded(const void *from, cudaDataType t, size_t n)
{
    numbers v(n);

    for (size_t i = 0; i < n; i++) {
        v[i] = load(from, t, i);
    }
    return v;
}

static bool is_choice(const std::vector<int> &p)
{
    std::vector<int> sorted = p;

    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < p.size(); i++) {
        if (sorted[i] != (int)i) {
            return false;
        }
    }
    return true;
}

/* --- one type's functions by one name --- */

#define PATTERN const sparse &s, const int *b, const int *c
#define MATRIX const sparse &s, const T *v, const int *b, const int *c
#define GIVEN s.n, (int)s.column.size(), descr(s), v, b, c
#define WIDE s.m, s.n, (int)s.column.size(), descr(s), v, b, c
template <class T> struct lib;
#define TYPED(t, T_, R_)                                                                           \
    template <> struct lib<T_> {                                                                   \
        typedef T_ T;                                                                              \
        typedef R_ R;                                                                              \
        static int lsv(int how, MATRIX, const T *y, double tol, int o, T *x, int *p)               \
        {                                                                                          \
            R r = (R)tol;                                                                          \
            return how == 0   ? cusolverSp##t##csrlsvluHost(h, GIVEN, y, r, o, x, p)               \
                   : how == 1 ? cusolverSp##t##csrlsvqrHost(h, GIVEN, y, r, o, x, p)               \
                   : how == 2 ? cusolverSp##t##csrlsvcholHost(h, GIVEN, y, r, o, x, p)             \
                   : how == 3 ? cusolverSp##t##csrlsvqr(h, GIVEN, y, r, o, x, p)                   \
                              : cusolverSp##t##csrlsvchol(h, GIVEN, y, r, o, x, p);                \
        }                                                                                          \
        static int lsq(MATRIX, const T *y, double tol, int *rank, T *x, int *p, R *norm)           \
        {                                                                                          \
            return cusolverSp##t##csrlsqvqrHost(h, WIDE, y, (R)tol, rank, x, p, norm);             \
        }                                                                                          \
        static int eig(bool host, MATRIX, T mu0, const T *x0, int steps, T *mu, T *x)              \
        {                                                                                          \
            return host ? cusolverSp##t##csreigvsiHost(h, GIVEN, mu0, x0, steps, (R)1e-6, mu, x)   \
                        : cusolverSp##t##csreigvsi(h, GIVEN, mu0, x0, steps, (R)1e-6, mu, x);      \
        }                                                                                          \
        static int zfd(MATRIX, int *p, int *found)                                                 \
        {                                                                                          \
            return cusolverSp##t##csrzfdHost(h, GIVEN, p, found);                                  \
        }                                                                                          \
        static int lu_size(MATRIX, csrluInfoHost_t i, size_t *in, size_t *out)                     \
        {                                                                                          \
            return cusolverSp##t##csrluBufferInfoHost(h, GIVEN, i, in, out);                       \
        }                                                                                          \
        static int lu(MATRIX, csrluInfoHost_t i, double threshold)                                 \
        {                                                                                          \
            return cusolverSp##t##csrluFactorHost(h, GIVEN, i, (R)threshold, room);                \
        }                                                                                          \
        static int lu_zero(csrluInfoHost_t i, double tol, int *p)                                  \
        {                                                                                          \
            return cusolverSp##t##csrluZeroPivotHost(h, i, (R)tol, p);                             \
        }                                                                                          \
        static int lu_solve(int n, const T *y, T *x, csrluInfoHost_t i)                            \
        {                                                                                          \
            return cusolverSp##t##csrluSolveHost(h, n, y, x, i, room);                             \
        }                                                                                          \
        static int lu_extract(int *p, int *q, T *lv, int *lb, int *lc, T *uv, int *ub, int *uc,    \
                              csrluInfoHost_t i)                                                   \
        {                                                                                          \
            return cusolverSp##t##csrluExtractHost(h, p, q, zero, lv, lb, lc, zero, uv, ub, uc, i, \
                                                   room);                                          \
        }                                                                                          \
        static int qr_size(MATRIX, csrqrInfoHost_t i, csrqrInfo_t d, size_t *in, size_t *out)      \
        {                                                                                          \
            return i ? cusolverSp##t##csrqrBufferInfoHost(h, WIDE, i, in, out)                     \
                     : cusolverSp##t##csrqrBufferInfo(h, WIDE, d, in, out);                        \
        }                                                                                          \
        static int qr_setup(MATRIX, T mu, csrqrInfoHost_t i, csrqrInfo_t d)                        \
        {                                                                                          \
            return i ? cusolverSp##t##csrqrSetupHost(h, WIDE, mu, i)                               \
                     : cusolverSp##t##csrqrSetup(h, WIDE, mu, d);                                  \
        }                                                                                          \
        static int qr(const sparse &s, T *y, T *x, csrqrInfoHost_t i, csrqrInfo_t d)               \
        {                                                                                          \
            int z = (int)s.column.size();                                                          \
            return i ? cusolverSp##t##csrqrFactorHost(h, s.m, s.n, z, y, x, i, room)               \
                     : cusolverSp##t##csrqrFactor(h, s.m, s.n, z, y, x, d, work);                  \
        }                                                                                          \
        static int qr_zero(csrqrInfoHost_t i, csrqrInfo_t d, double tol, int *p)                   \
        {                                                                                          \
            return i ? cusolverSp##t##csrqrZeroPivotHost(h, i, (R)tol, p)                          \
                     : cusolverSp##t##csrqrZeroPivot(h, d, (R)tol, p);                             \
        }                                                                                          \
        static int qr_solve(const sparse &s, T *y, T *x, csrqrInfoHost_t i, csrqrInfo_t d)         \
        {                                                                                          \
            return i ? cusolverSp##t##csrqrSolveHost(h, s.m, s.n, y, x, i, room)                   \
                     : cusolverSp##t##csrqrSolve(h, s.m, s.n, y, x, d, work);                      \
        }                                                                                          \
        static int qr_batch_size(MATRIX, int batches, csrqrInfo_t d, size_t *in, size_t *out)      \
        {                                                                                          \
            return cusolverSp##t##csrqrBufferInfoBatched(h, WIDE, batches, d, in, out);            \
        }                                                                                          \
        static int qr_batch(MATRIX, const T *y, T *x, int batches, csrqrInfo_t d)                  \
        {                                                                                          \
            return cusolverSp##t##csrqrsvBatched(h, WIDE, y, x, batches, d, work);                 \
        }                                                                                          \
        static int chol_size(MATRIX, csrcholInfoHost_t i, csrcholInfo_t d, size_t *in,             \
                             size_t *out)                                                          \
        {                                                                                          \
            return i ? cusolverSp##t##csrcholBufferInfoHost(h, GIVEN, i, in, out)                  \
                     : cusolverSp##t##csrcholBufferInfo(h, GIVEN, d, in, out);                     \
        }                                                                                          \
        static int chol(MATRIX, csrcholInfoHost_t i, csrcholInfo_t d)                              \
        {                                                                                          \
            return i ? cusolverSp##t##csrcholFactorHost(h, GIVEN, i, room)                         \
                     : cusolverSp##t##csrcholFactor(h, GIVEN, d, work);                            \
        }                                                                                          \
        static int chol_zero(csrcholInfoHost_t i, csrcholInfo_t d, double tol, int *p)             \
        {                                                                                          \
            return i ? cusolverSp##t##csrcholZeroPivotHost(h, i, (R)tol, p)                        \
                     : cusolverSp##t##csrcholZeroPivot(h, d, (R)tol, p);                           \
        }                                                                                          \
        static int chol_solve(int n, const T *y, T *x, csrcholInfoHost_t i, csrcholInfo_t d)       \
        {                                                                                          \
            return i ? cusolverSp##t##csrcholSolveHost(h, n, y, x, i, room)                        \
                     : cusolverSp##t##csrcholSolve(h, n, y, x, d, work);                           \
        }                                                                                          \
        static int chol_diagonal(csrcholInfo_t d, R *to)                                           \
        {                                                                                          \
            return cusolverSp##t##csrcholDiag(h, d, to);                                           \
        }                                                                                          \
    };

TYPED(S, float, float)
TYPED(D, double, double)
TYPED(C, cuComplex, float)
TYPED(Z, cuDoubleComplex, double)

/* A matrix and a right-hand side, on both sides */
template <class T> struct system_of {
    cudaDataType t;
    sparse s;
    std::vector<char> value, y;
    void *begin_d, *column_d, *value_d, *y_d, *x_d;
    char x[N * 16 + 64];

    system_of(cudaDataType type, const sparse &from) : t(type), s(from)
    {
        numbers right = random_numbers((size_t)s.m, t);

        value = stored(s.value, t);
        y = stored(right, t);
        begin_d = to_device(s.begin);
        column_d = to_device(s.column);
        value_d = to_device(s.value, t);
        y_d = to_device(right, t);
        x_d = device(N * 16);
    }
    const T *v(bool host) const
    {
        return host ? (const T *)value.data() : (const T *)value_d;
    }
    const int *b(bool host) const
    {
        return host ? s.begin.data() : (const int *)begin_d;
    }
    const int *c(bool host) const
    {
        return host ? s.column.data() : (const int *)column_d;
    }
    T *right(bool host)
    {
        return host ? (T *)y.data() : (T *)y_d;
    }
    T *left(bool host)
    {
        return host ? (T *)x : (T *)x_d;
    }
    void solution(const std::string &what, bool host, double units)
    {
        show(what + " x", host ? loaded(x, t, (size_t)s.n) : from_device(x_d, t, (size_t)s.n), t,
             units);
    }
};

static const char *const methods[] = { "lsvluHost", "lsvqrHost", "lsvcholHost", "lsvqr",
                                       "lsvchol" };

template <class T> static void one_call(cudaDataType t)
{
    typedef lib<T> L;

    for (int how = 0; how < 5; how++) {
        bool host = how < 3, positive = how == 2 || how == 4;

        for (int order = 0; order < 4; order++) {
            system_of<T> q(t, matrix(t, N, N, order & 1, positive ? 'p' : order == 3 ? 'r' : 'd'));
            std::string what = name_of(t) + " " + methods[how] + " order " + std::to_string(order);
            int singular = -7;

            if (ASK(what, L::lsv(how, q.s, q.v(host), q.b(host), q.c(host), q.right(host), 1e-5,
                                 order, q.left(host), &singular))) {
                show(what + " singular", { singular });
                q.solution(what, host, order == 3 && !positive ? 4096 : 64);
            }
        }
        for (char kind : { 'z', 'd' }) { /* 'd': not positive definite if it is not Hermitian */
            system_of<T> q(t, matrix(t, N, N, 1, kind));
            std::string what = name_of(t) + " " + methods[how] + " singular " + kind;
            double tol = kind == 'z' ? 1e-5 : 100;
            int singular = -7;

            if (ASK(what, L::lsv(how, q.s, q.v(host), q.b(host), q.c(host), q.right(host), tol, 0,
                                 q.left(host), &singular))) {
                /* Where Cholesky's is depends on the order of the columns; that it is counts. */
                show(what + " where", { positive ? singular >= 0 : singular });
            }
        }
    }
}

template <class T> static void least(cudaDataType t)
{
    typedef typename lib<T>::R R;
    const int tol_of[] = { 0, 1 };

    for (int deficient : tol_of) {
        sparse s = matrix(t, M, N - 2, 0, 'r');
        std::string what = name_of(t) + (deficient ? " lsqvqr deficient" : " lsqvqr");
        std::vector<int> p(N, -1);
        int rank = -7;
        R norm = -7;

        for (size_t k = 0; k < s.column.size() && deficient; k++) {
            s.value[k] = s.column[k] == 3 ? 0 : s.value[k];
        }
        system_of<T> q(t, s);
        if (ASK(what, lib<T>::lsq(q.s, q.v(true), q.b(true), q.c(true), q.right(true), 1e-5, &rank,
                                  q.left(true), p.data(), &norm))) {
            show(what + " rank", { rank });
            show(what + " p", { is_choice(std::vector<int>(p.begin(), p.begin() + N - 2)) });
            show(what + " norm", { number(norm) },
                 t == CUDA_C_32F || t == CUDA_R_32F ? CUDA_R_32F : CUDA_R_64F, 256);
            if (!deficient) {
                q.solution(what, true, 4096);
            }
        }
    }
}

template <class T> static void eigen(cudaDataType t)
{
    for (bool host : { true, false }) {
        system_of<T> q(t, matrix(t, N, N, 0, 'p'));
        std::string what = name_of(t) + (host ? " eigvsiHost" : " eigvsi");
        std::vector<char> x0 = stored(numbers(N, number(1)), t), shift = stored({ number(6.3) }, t);
        void *x0_d = to_device(numbers(N, number(1)), t), *mu_d = device(16);
        char mu[16];

        if (ASK(what,
                lib<T>::eig(host, q.s, q.v(host), q.b(host), q.c(host), *(const T *)shift.data(),
                            host ? (const T *)x0.data() : (const T *)x0_d, 200,
                            host ? (T *)mu : (T *)mu_d, q.left(host)))) {
            show(what + " mu", host ? loaded(mu, t, 1) : from_device(mu_d, t, 1), t,
                 eps_of(t) < 1e-12 ? 1e11 : 512);
        }
    }
}

template <class T> static void rows_for_diagonal(cudaDataType t)
{
    sparse s = matrix(t, N, N, 0, 'r');
    std::vector<int> p(N, -1);
    int found = -7;

    system_of<T> q(t, s);
    if (ASK(name_of(t) + " zfd",
            lib<T>::zfd(q.s, q.v(true), q.b(true), q.c(true), p.data(), &found))) {
        show(name_of(t) + " zfd found", { found, is_choice(p) });
    }
}

/* --- step by step --- */

/* |A(P, Q) - L U|, L without its diagonal */
static double rest(const sparse &s, const std::vector<int> &p, const std::vector<int> &q,
                   const sparse &l, const sparse &u)
{
    double most = 0;

    for (int j = 0; j < N; j++) {
        numbers e(N), a(N), lu;

        e[(size_t)j] = 1;
        a[(size_t)q[(size_t)j]] = 1;
        a = product(s, a);
        e = product(u, e);
        lu = product(l, e);
        for (int i = 0; i < N; i++) {
            most = std::max(most, std::abs(a[(size_t)p[(size_t)i]] - lu[(size_t)i] - e[(size_t)i]));
        }
    }
    return most;
}

template <class T> static void lu_steps(cudaDataType t)
{
    typedef lib<T> L;
    csrluInfoHost_t info;

    for (char kind : { 'd', 'z' }) {
        system_of<T> q(t, matrix(t, N, N, 0, kind));
        std::string what = name_of(t) + " csrlu " + kind;
        size_t in = 0, out = 0;
        int where = -7, nl = 0, nu = 0, z = (int)q.s.column.size();
        std::vector<int> p(N), o(N), lb(N + 1), ub(N + 1), lc(N * N), uc(N * N);
        char lv[N * N * 16], uv[N * N * 16];

        cusolverSpCreateCsrluInfoHost(&info);
        ASK(what + " solve early", L::lu_solve(N, q.right(true), q.left(true), info));
        ASK(what + " size early",
            L::lu_size(q.s, q.v(true), q.b(true), q.c(true), info, &in, &out));
        ASK(what + " analysis",
            cusolverSpXcsrluAnalysisHost(h, N, z, zero, q.b(true), q.c(true), info));
        ASK(what + " nnz early", cusolverSpXcsrluNnzHost(h, &nl, &nu, info));
        ASK(what + " size", L::lu_size(q.s, q.v(true), q.b(true), q.c(true), info, &in, &out));
        if (ASK(what + " factor", L::lu(q.s, q.v(true), q.b(true), q.c(true), info, 1))) {
            ASK(what + " zero", L::lu_zero(info, 1e-5, &where));
            show(what + " where", { where });
            if (kind == 'd' &&
                ASK(what + " solve", L::lu_solve(N, q.right(true), q.left(true), info))) {
                q.solution(what, true, 64);
                ASK(what + " nnz", cusolverSpXcsrluNnzHost(h, &nl, &nu, info));
                ASK(what + " extract",
                    L::lu_extract(p.data(), o.data(), (T *)lv, lb.data(), lc.data(), (T *)uv,
                                  ub.data(), uc.data(), info));
                sparse l = { N, N, 0, lb, lc, loaded(lv, t, (size_t)nl) };
                sparse u = { N, N, 0, ub, uc, loaded(uv, t, (size_t)nu) };

                show(what + " choices", { is_choice(p), is_choice(o) });
                show_error(what + " rest", rest(q.s, p, o, l, u), t, 64);
            }
        }
        cusolverSpDestroyCsrluInfoHost(info);
    }
}

template <class T> static void qr_steps(cudaDataType t, bool host)
{
    typedef lib<T> L;

    for (char kind : { 'd', 'z', 'w' }) { /* 'w': taller than wide */
        system_of<T> q(t, matrix(t, kind == 'w' ? M : N, N, 1, kind == 'w' ? 'd' : kind));
        std::string what = name_of(t) + (host ? " csrqrHost " : " csrqr ") + kind;
        std::vector<char> mu = stored({ number(0) }, t);
        csrqrInfoHost_t i = NULL;
        csrqrInfo_t d = NULL;
        size_t in = 0, out = 0;
        int where = -7, z = (int)q.s.column.size();

        if (host) {
            cusolverSpCreateCsrqrInfoHost(&i);
            ASK(what + " analysis",
                cusolverSpXcsrqrAnalysisHost(h, q.s.m, N, z, one, q.b(true), q.c(true), i));
        } else {
            cusolverSpCreateCsrqrInfo(&d);
            ASK(what + " analysis",
                cusolverSpXcsrqrAnalysis(h, q.s.m, N, z, one, q.b(false), q.c(false), d));
        }
        ASK(what + " size", L::qr_size(q.s, q.v(host), q.b(host), q.c(host), i, d, &in, &out));
        if (ASK(what + " setup",
                L::qr_setup(q.s, q.v(host), q.b(host), q.c(host), *(const T *)mu.data(), i, d)) &&
            ASK(what + " factor", L::qr(q.s, NULL, NULL, i, d))) {
            ASK(what + " zero", L::qr_zero(i, d, 1e-5, &where));
            show(what + " where", { where });
            if (kind != 'z' &&
                ASK(what + " solve", L::qr_solve(q.s, q.right(host), q.left(host), i, d))) {
                q.solution(what, host, 256);
            }
        }
        i ? cusolverSpDestroyCsrqrInfoHost(i) : cusolverSpDestroyCsrqrInfo(d);
    }
}

template <class T> static void cholesky_steps(cudaDataType t, bool host)
{
    typedef lib<T> L;
    cudaDataType real = t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t;

    for (char kind : { 'p', 'z' }) {
        system_of<T> q(t, matrix(t, N, N, 1, kind));
        std::string what = name_of(t) + (host ? " csrcholHost " : " csrchol ") + kind;
        csrcholInfoHost_t i = NULL;
        csrcholInfo_t d = NULL;
        size_t in = 0, out = 0;
        int where = -7, z = (int)q.s.column.size();
        char diagonal[N * 8];

        if (host) {
            cusolverSpCreateCsrcholInfoHost(&i);
            ASK(what + " analysis",
                cusolverSpXcsrcholAnalysisHost(h, N, z, one, q.b(true), q.c(true), i));
        } else {
            cusolverSpCreateCsrcholInfo(&d);
            ASK(what + " analysis",
                cusolverSpXcsrcholAnalysis(h, N, z, one, q.b(false), q.c(false), d));
        }
        ASK(what + " size", L::chol_size(q.s, q.v(host), q.b(host), q.c(host), i, d, &in, &out));
        if (ASK(what + " factor", L::chol(q.s, q.v(host), q.b(host), q.c(host), i, d))) {
            ASK(what + " zero", L::chol_zero(i, d, 1e-5, &where));
            show(what + " where", { kind == 'z' ? where >= 0 : where });
            if (kind == 'p' &&
                ASK(what + " solve", L::chol_solve(N, q.right(host), q.left(host), i, d))) {
                q.solution(what, host, 64);
            }
            if (kind == 'p' && d &&
                ASK(what + " diagonal", L::chol_diagonal(d, (typename L::R *)work))) {
                cudaMemcpy(diagonal, work, sizeof(diagonal), cudaMemcpyDeviceToHost);
                show(what + " diagonal length",
                     { (int)std::lround(std::abs(loaded(diagonal, real, 1)[0])) });
            }
        }
        i ? cusolverSpDestroyCsrcholInfoHost(i) : cusolverSpDestroyCsrcholInfo(d);
    }
}

template <class T> static void batch(cudaDataType t)
{
    sparse s = matrix(t, N, N, 0, 'd');
    numbers value = s.value, right = random_numbers(3 * N, t);
    std::string what = name_of(t) + " csrqrsvBatched";
    csrqrInfo_t d = NULL;
    size_t in = 0, out = 0;
    int z = (int)s.column.size();

    for (int k = 1; k < 3; k++) {
        for (int i = 0; i < z; i++) {
            value.push_back(s.value[(size_t)i] * (1.0 + k));
        }
    }
    system_of<T> q(t, s);
    T *v = (T *)to_device(value, t), *y = (T *)to_device(right, t), *x = (T *)device(3 * N * 16);

    cusolverSpCreateCsrqrInfo(&d);
    ASK(what + " analysis",
        cusolverSpXcsrqrAnalysisBatched(h, N, N, z, zero, q.b(false), q.c(false), d));
    ASK(what + " size", lib<T>::qr_batch_size(q.s, v, q.b(false), q.c(false), 3, d, &in, &out));
    if (ASK(what, lib<T>::qr_batch(q.s, v, q.b(false), q.c(false), y, x, 3, d))) {
        show(what + " x", from_device(x, t, 3 * N), t, 64);
    }
    cusolverSpDestroyCsrqrInfo(d);
}

template <class T> static void all_of(cudaDataType t)
{
    one_call<T>(t);
    least<T>(t);
    eigen<T>(t);
    rows_for_diagonal<T>(t);
    lu_steps<T>(t);
    for (bool host : { true, false }) {
        qr_steps<T>(t, host);
        cholesky_steps<T>(t, host);
    }
    batch<T>(t);
}

/* --- cusolverRf --- */

/* Factors of a matrix with a strong diagonal, by rows and without exchanges, where L and U may have
 * elements; L without its diagonal */
static void factors_of(const sparse &s, sparse &l, sparse &u)
{
    std::vector<numbers> a(N, numbers(N));

    for (int i = 0; i < N; i++) {
        for (int k = s.begin[(size_t)i]; k < s.begin[(size_t)i + 1]; k++) {
            a[(size_t)i][(size_t)s.column[(size_t)k]] = s.value[(size_t)k];
        }
    }
    for (size_t k = 0; k < N; k++) {
        for (size_t i = k + 1; i < N; i++) {
            a[i][k] /= a[k][k];
            for (size_t j = k + 1; j < N; j++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
    l = u = { N, N, 0, { 0 }, {}, {} };
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            sparse &to = j < i ? l : u;

            if (a[i][j] != 0.0 || i == j) {
                to.column.push_back((int)j);
                to.value.push_back(a[i][j]);
            }
        }
        l.begin.push_back((int)l.column.size());
        u.begin.push_back((int)u.column.size());
    }
}

/* A and its factors, the last M of it beside them */
struct refactor {
    sparse a, l, u;
    std::vector<char> av, lv, uv;
    std::vector<int> p, q;
    void *ab_d, *ac_d, *av_d, *p_d, *q_d, *x_d, *temp;

    refactor()
    {
        a = matrix(CUDA_R_64F, N, N, 0, 'd');
        factors_of(a, l, u);
        av = stored(a.value, CUDA_R_64F);
        lv = stored(l.value, CUDA_R_64F);
        uv = stored(u.value, CUDA_R_64F);
        for (int i = 0; i < N; i++) {
            p.push_back(i);
        }
        q = p;
        ab_d = to_device(a.begin);
        ac_d = to_device(a.column);
        av_d = to_device(a.value, CUDA_R_64F);
        p_d = to_device(p);
        q_d = to_device(q);
        x_d = device(3 * N * 8);
        temp = device(6 * N * 8);
    }
    cusolverStatus_t setup(cusolverRfHandle_t rf)
    {
        return cusolverRfSetupHost(N, (int)a.column.size(), a.begin.data(), a.column.data(),
                                   (double *)av.data(), (int)l.column.size(), l.begin.data(),
                                   l.column.data(), (double *)lv.data(), (int)u.column.size(),
                                   u.begin.data(), u.column.data(), (double *)uv.data(), p.data(),
                                   q.data(), rf);
    }
    cusolverStatus_t reset(cusolverRfHandle_t rf)
    {
        return cusolverRfResetValues(N, (int)a.column.size(), (int *)ab_d, (int *)ac_d,
                                     (double *)av_d, (int *)p_d, (int *)q_d, rf);
    }
    cusolverStatus_t solve(cusolverRfHandle_t rf)
    {
        return cusolverRfSolve(rf, (int *)p_d, (int *)q_d, 1, (double *)temp, N, (double *)x_d, N);
    }
    void right()
    {
        numbers b = random_numbers(N, CUDA_R_64F);

        cudaMemcpy(x_d, stored(b, CUDA_R_64F).data(), N * 8, cudaMemcpyHostToDevice);
    }
};

static void refactor_one()
{
    cusolverRfHandle_t rf = NULL;
    cusolverRfMatrixFormat_t format;
    cusolverRfUnitDiagonal_t unit;
    cusolverRfFactorization_t fact;
    cusolverRfTriangularSolve_t alg;
    cusolverRfResetValuesFastMode_t fast;
    cusolverRfNumericBoostReport_t report;
    double z = -1, b = -1;
    refactor r;
    std::string what = "rf";
    int *mp = NULL, *mi = NULL, count = -1;
    double *mx = NULL;

    cusolverRfCreate(&rf);
    ASK(what + " get format", cusolverRfGetMatrixFormat(rf, &format, &unit));
    show(what + " format", { (int)format, (int)unit });
    ASK(what + " get algs", cusolverRfGetAlgs(rf, &fact, &alg));
    show(what + " algs", { (int)fact, (int)alg });
    ASK(what + " get fast", cusolverRfGetResetValuesFastMode(rf, &fast));
    show(what + " fast", { (int)fast });
    ASK(what + " get numeric", cusolverRfGetNumericProperties(rf, &z, &b));
    show(what + " numeric", { number(z), number(b) }, CUDA_R_64F, 0);
    ASK(what + " analyze early", cusolverRfAnalyze(rf));
    ASK(what + " refactor early", cusolverRfRefactor(rf));
    ASK(what + " solve early", r.solve(rf));
    ASK(what + " reset early", r.reset(rf));
    ASK(what + " set format", cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                                        CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    ASK(what + " set fast",
        cusolverRfSetResetValuesFastMode(rf, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
    ASK(what + " set numeric", cusolverRfSetNumericProperties(rf, 0, 0));
    ASK(what + " set algs",
        cusolverRfSetAlgs(rf, CUSOLVERRF_FACTORIZATION_ALG0, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
    if (!ASK(what + " setup", r.setup(rf))) {
        return;
    }
    ASK(what + " refactor before analyze", cusolverRfRefactor(rf));
    ASK(what + " analyze", cusolverRfAnalyze(rf));
    ASK(what + " refactor", cusolverRfRefactor(rf));
    r.right();
    if (ASK(what + " solve", r.solve(rf))) {
        show(what + " x", from_device(r.x_d, CUDA_R_64F, N), CUDA_R_64F, 64);
    }
    for (number &v : r.a.value) {
        v *= 1.5;
    }
    r.av_d = to_device(r.a.value, CUDA_R_64F);
    r.right();
    if (ASK(what + " reset", r.reset(rf)) && ASK(what + " again", cusolverRfRefactor(rf)) &&
        ASK(what + " solve again", r.solve(rf))) {
        show(what + " x again", from_device(r.x_d, CUDA_R_64F, N), CUDA_R_64F, 64);
    }
    ASK(what + " report", cusolverRfGetNumericBoostReport(rf, &report));
    show(what + " boost", { (int)report });
    if (ASK(what + " bundle", cusolverRfExtractBundledFactorsHost(rf, &count, &mp, &mi, &mx))) {
        show(what + " bundle begin", std::vector<int>(mp, mp + N + 1));
        show(what + " bundle column", std::vector<int>(mi, mi + count));
        show(what + " bundle value", loaded(mx, CUDA_R_64F, (size_t)count), CUDA_R_64F, 64);
    }
    if (ASK(what + " access", cusolverRfAccessBundledFactorsDevice(rf, &count, &mp, &mi, &mx))) {
        show(what + " access column", from_device(mi, (size_t)count));
    }
    int nl = -1, nu = -1, *lp, *li, *up, *ui;
    double *lx, *ux;
    if (ASK(what + " split",
            cusolverRfExtractSplitFactorsHost(rf, &nl, &lp, &li, &lx, &nu, &up, &ui, &ux))) {
        show(what + " split count", { nl, nu });
        show(what + " split L", std::vector<int>(li, li + nl));
        show(what + " split U", std::vector<int>(ui, ui + nu));
    }
    ASK(what + " two columns", cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 2, (double *)r.temp,
                                               N, (double *)r.x_d, N));
    ASK(what + " no columns", cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 0, (double *)r.temp,
                                              N, (double *)r.x_d, N));
    ASK(what + " small ldt", cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 1, (double *)r.temp,
                                             N - 1, (double *)r.x_d, N));
    ASK(what + " small ldxf", cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 1, (double *)r.temp,
                                              N, (double *)r.x_d, N - 1));
    ASK(what + " NULL P",
        cusolverRfSolve(rf, NULL, (int *)r.q_d, 1, (double *)r.temp, N, (double *)r.x_d, N));
    ASK(what + " NULL Temp",
        cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 1, NULL, N, (double *)r.x_d, N));
    ASK(what + " NULL XF",
        cusolverRfSolve(rf, (int *)r.p_d, (int *)r.q_d, 1, (double *)r.temp, N, NULL, N));
    ASK(what + " other n",
        cusolverRfResetValues(N - 1, (int)r.a.column.size(), (int *)r.ab_d, (int *)r.ac_d,
                              (double *)r.av_d, (int *)r.p_d, (int *)r.q_d, rf));
    ASK(what + " NULL values",
        cusolverRfResetValues(N, (int)r.a.column.size(), (int *)r.ab_d, (int *)r.ac_d, NULL,
                              (int *)r.p_d, (int *)r.q_d, rf));
    ASK(what + " batch refactor of one", cusolverRfBatchRefactor(rf));
    ASK(what + " destroy", cusolverRfDestroy(rf));
}

static void refactor_batch()
{
    cusolverRfHandle_t rf = NULL;
    refactor r;
    double *host[3], *values[3], *xs[3];
    numbers b = random_numbers(3 * N, CUDA_R_64F);
    void *x_d = to_device(b, CUDA_R_64F), *values_d = device(64), *xs_d = device(64);
    int z = (int)r.a.column.size(), where[3] = { -7, -7, -7 };
    std::string what = "rf batch";

    for (int i = 0; i < 3; i++) {
        numbers v = r.a.value;

        for (number &k : v) {
            k *= 1.0 + 0.5 * i;
        }
        host[i] = (double *)malloc(r.av.size());
        memcpy(host[i], stored(v, CUDA_R_64F).data(), v.size() * 8);
        values[i] = (double *)to_device(v, CUDA_R_64F);
        xs[i] = (double *)x_d + i * N;
    }
    cudaMemcpy(values_d, values, sizeof(values), cudaMemcpyHostToDevice);
    cudaMemcpy(xs_d, xs, sizeof(xs), cudaMemcpyHostToDevice);
    cusolverRfCreate(&rf);
    cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
    if (ASK(what + " setup",
            cusolverRfBatchSetupHost(3, N, z, r.a.begin.data(), r.a.column.data(), host,
                                     (int)r.l.column.size(), r.l.begin.data(), r.l.column.data(),
                                     (double *)r.lv.data(), (int)r.u.column.size(),
                                     r.u.begin.data(), r.u.column.data(), (double *)r.uv.data(),
                                     r.p.data(), r.q.data(), rf)) &&
        ASK(what + " analyze", cusolverRfBatchAnalyze(rf)) &&
        ASK(what + " reset",
            cusolverRfBatchResetValues(3, N, z, (int *)r.ab_d, (int *)r.ac_d, (double **)values_d,
                                       (int *)r.p_d, (int *)r.q_d, rf)) &&
        ASK(what + " refactor", cusolverRfBatchRefactor(rf)) &&
        ASK(what + " solve", cusolverRfBatchSolve(rf, (int *)r.p_d, (int *)r.q_d, 1,
                                                  (double *)r.temp, N, (double **)xs_d, N))) {
        show(what + " x", from_device(x_d, CUDA_R_64F, 3 * N), CUDA_R_64F, 64);
    }
    if (ASK(what + " zero", cusolverRfBatchZeroPivot(rf, where))) {
        show(what + " where", { where[0], where[1], where[2] });
    }
    ASK(what + " refactor of many", cusolverRfRefactor(rf));
    cusolverRfDestroy(rf);
}

/* --- orders, which need no values --- */

static void orders()
{
    sparse s = matrix(CUDA_R_64F, N, N, 1, 'p'), u = matrix(CUDA_R_64F, N, N, 1, 'r');
    int z = (int)s.column.size(), uz = (int)u.column.size(), is = -7;
    std::vector<int> p(N, -1), rows = { 2, 0, 1, 4, 3, 8, 5, 7, 6 },
                               columns = { 8, 1, 0, 2, 3, 5, 4, 7, 6 };
    std::vector<int> b = u.begin, c = u.column, map;
    size_t bytes = 0;

    ASK(std::string("symrcm"),
        cusolverSpXcsrsymrcmHost(h, N, z, one, s.begin.data(), s.column.data(), p.data()));
    show("symrcm choice", { is_choice(p) });
    ASK(std::string("symmdq"),
        cusolverSpXcsrsymmdqHost(h, N, z, one, s.begin.data(), s.column.data(), p.data()));
    show("symmdq choice", { is_choice(p) });
    ASK(std::string("symamd"),
        cusolverSpXcsrsymamdHost(h, N, z, one, s.begin.data(), s.column.data(), p.data()));
    show("symamd choice", { is_choice(p) });
    ASK(std::string("metisnd"),
        cusolverSpXcsrmetisndHost(h, N, z, one, s.begin.data(), s.column.data(), NULL, p.data()));
    show("metisnd choice", { is_choice(p) });
    ASK(std::string("symrcm unsymmetric"),
        cusolverSpXcsrsymrcmHost(h, N, uz, one, u.begin.data(), u.column.data(), p.data()));
    show("symrcm unsymmetric choice", { is_choice(p) });
    ASK(std::string("issym"), cusolverSpXcsrissymHost(h, N, z, one, s.begin.data(),
                                                      s.begin.data() + 1, s.column.data(), &is));
    show("issym yes", { is });
    ASK(std::string("issym un"), cusolverSpXcsrissymHost(h, N, uz, one, u.begin.data(),
                                                         u.begin.data() + 1, u.column.data(), &is));
    show("issym no", { is });
    for (int i = 0; i < uz; i++) {
        map.push_back(i * 10);
    }
    ASK(std::string("perm size"),
        cusolverSpXcsrperm_bufferSizeHost(h, N, N, uz, one, b.data(), c.data(), rows.data(),
                                          columns.data(), &bytes));
    if (ASK(std::string("perm"),
            cusolverSpXcsrpermHost(h, N, N, uz, one, b.data(), c.data(), rows.data(),
                                   columns.data(), map.data(), room))) {
        show("perm begin", b);
        show("perm column", c);
        show("perm map", map);
    }
}

static void wrong_arguments()
{
    system_of<double> q(CUDA_R_64F, matrix(CUDA_R_64F, N, N, 0, 'p'));
    const double *v = q.v(true), *vd = q.v(false);
    const int *b = q.b(true), *c = q.c(true), *bd = q.b(false), *cd = q.c(false);
    double *y = q.right(true), *x = q.left(true), *yd = q.right(false), *xd = q.left(false), mu = 0,
           t = 1e-9;
    int z = (int)q.s.column.size(), s = -7, p[N], rank = 0;
    cusolverSpHandle_t gone = NULL;
    cusolverRfHandle_t rf = NULL;
    cudaStream_t stream;
    csrqrInfo_t dq = NULL;
    csrcholInfo_t dc = NULL;
    csrqrInfoHost_t hq = NULL;
    csrluInfoHost_t hl = NULL;
    csrcholInfoHost_t hc = NULL;
    size_t in = 0, out = 0;

    CODE(cusolverSpCreate(NULL));
    CODE(cusolverSpCreate(&gone));
    CODE(cusolverSpDestroy(gone));
    CODE(cusolverSpDestroy(NULL));
    CODE(cusolverSpSetStream(NULL, 0));
    CODE(cusolverSpGetStream(NULL, &stream));
    CODE(cusolverSpGetStream(h, &stream));
    CODE(cusolverSpDcsrlsvluHost(NULL, N, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, -1, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, -1, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, 0, 0, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, NULL, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, symmetric, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, NULL, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, NULL, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, NULL, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, NULL, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, y, t, 0, NULL, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, y, t, 0, x, NULL));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, y, -1, 0, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, y, t, -1, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z, zero, v, b, c, y, t, 9, x, &s));
    CODE(cusolverSpDcsrlsvluHost(h, N, z - 1, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvqrHost(NULL, N, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvqrHost(h, -1, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvqrHost(h, N, z, symmetric, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvqrHost(h, N, z, zero, v, b, c, y, t, 9, x, &s));
    CODE(cusolverSpDcsrlsvcholHost(NULL, N, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvcholHost(h, -1, z, zero, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvcholHost(h, N, z, symmetric, v, b, c, y, t, 0, x, &s));
    CODE(cusolverSpDcsrlsvqr(NULL, N, z, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, -1, z, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, -1, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, 0, 0, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, NULL, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, symmetric, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, zero, vd, bd, cd, yd, t, 9, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, zero, vd, bd, cd, yd, -1, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, zero, NULL, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, zero, vd, bd, cd, NULL, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvqr(h, N, z, zero, vd, bd, cd, yd, t, 0, xd, NULL));
    CODE(cusolverSpDcsrlsvchol(NULL, N, z, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvchol(h, -1, z, zero, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvchol(h, N, z, symmetric, vd, bd, cd, yd, t, 0, xd, &s));
    CODE(cusolverSpDcsrlsvchol(h, N, z, zero, vd, bd, cd, yd, t, 9, xd, &s));
    CODE(cusolverSpDcsrlsqvqrHost(NULL, N, N, z, zero, v, b, c, y, t, &rank, x, p, &mu));
    CODE(cusolverSpDcsrlsqvqrHost(h, -1, N, z, zero, v, b, c, y, t, &rank, x, p, &mu));
    CODE(cusolverSpDcsrlsqvqrHost(h, N, N, z, symmetric, v, b, c, y, t, &rank, x, p, &mu));
    CODE(cusolverSpDcsreigvsiHost(NULL, N, z, zero, v, b, c, 1, y, 9, t, &mu, x));
    CODE(cusolverSpDcsreigvsiHost(h, -1, z, zero, v, b, c, 1, y, 9, t, &mu, x));
    CODE(cusolverSpDcsreigvsiHost(h, N, z, symmetric, v, b, c, 1, y, 9, t, &mu, x));
    CODE(cusolverSpXcsrsymrcmHost(NULL, N, z, zero, b, c, p));
    CODE(cusolverSpXcsrsymrcmHost(h, -1, z, zero, b, c, p));
    CODE(cusolverSpXcsrsymrcmHost(h, 0, 0, zero, b, c, p));
    CODE(cusolverSpXcsrsymrcmHost(h, N, z, NULL, b, c, p));
    CODE(cusolverSpXcsrsymrcmHost(h, N, z, symmetric, b, c, p));
    CODE(cusolverSpXcsrsymamdHost(NULL, N, z, zero, b, c, p));
    CODE(cusolverSpXcsrsymamdHost(h, N, z, symmetric, b, c, p));
    CODE(cusolverSpXcsrmetisndHost(NULL, N, z, zero, b, c, NULL, p));
    CODE(cusolverSpXcsrissymHost(NULL, N, z, zero, b, b + 1, c, &s));
    CODE(cusolverSpXcsrissymHost(h, -1, z, zero, b, b + 1, c, &s));
    CODE(cusolverSpXcsrissymHost(h, N, z, symmetric, b, b + 1, c, &s));
    CODE(cusolverSpXcsrperm_bufferSizeHost(NULL, N, N, z, zero, b, c, p, p, &in));
    CODE(cusolverSpXcsrperm_bufferSizeHost(h, -1, N, z, zero, b, c, p, p, &in));
    CODE(cusolverSpXcsrperm_bufferSizeHost(h, N, N, z, symmetric, b, c, p, p, &in));
    CODE(cusolverSpDcsrzfdHost(NULL, N, z, zero, v, b, c, p, &s));
    CODE(cusolverSpDcsrzfdHost(h, -1, z, zero, v, b, c, p, &s));
    CODE(cusolverSpDcsrzfdHost(h, N, z, symmetric, v, b, c, p, &s));
    CODE(cusolverSpCreateCsrqrInfo(NULL));
    CODE(cusolverSpCreateCsrqrInfo(&dq));
    CODE(cusolverSpDestroyCsrqrInfo(NULL));
    CODE(cusolverSpXcsrqrAnalysis(NULL, N, N, z, zero, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysis(h, -1, N, z, zero, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysis(h, N, N, z, NULL, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysis(h, N, N, z, symmetric, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysis(h, N, N, z, zero, bd, cd, NULL));
    CODE(cusolverSpXcsrqrAnalysisBatched(NULL, N, N, z, zero, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysisBatched(h, N, -1, z, zero, bd, cd, dq));
    CODE(cusolverSpXcsrqrAnalysisBatched(h, N, N, z, zero, bd, cd, dq));
    CODE(cusolverSpDcsrqrBufferInfoBatched(h, N, N, z, zero, vd, bd, cd, 0, dq, &in, &out));
    CODE(cusolverSpDcsrqrBufferInfoBatched(h, N, N, z, zero, vd, bd, cd, -1, dq, &in, &out));
    CODE(cusolverSpDcsrqrsvBatched(NULL, N, N, z, zero, vd, bd, cd, yd, xd, 1, dq, work));
    CODE(cusolverSpDcsrqrsvBatched(h, N, N, z, zero, vd, bd, cd, yd, xd, -1, dq, work));
    CODE(cusolverSpCreateCsrcholInfo(NULL));
    CODE(cusolverSpCreateCsrcholInfo(&dc));
    CODE(cusolverSpDestroyCsrcholInfo(NULL));
    CODE(cusolverSpXcsrcholAnalysis(NULL, N, z, zero, bd, cd, dc));
    CODE(cusolverSpXcsrcholAnalysis(h, -1, z, zero, bd, cd, dc));
    CODE(cusolverSpXcsrcholAnalysis(h, N, z, symmetric, bd, cd, dc));
    CODE(cusolverSpDcsrcholZeroPivot(NULL, dc, t, &s));
    CODE(cusolverSpCreateCsrqrInfoHost(NULL));
    CODE(cusolverSpCreateCsrqrInfoHost(&hq));
    CODE(cusolverSpXcsrqrAnalysisHost(NULL, N, N, z, zero, b, c, hq));
    CODE(cusolverSpXcsrqrAnalysisHost(h, N, N, -1, zero, b, c, hq));
    CODE(cusolverSpXcsrqrAnalysisHost(h, N, N, z, symmetric, b, c, hq));
    CODE(cusolverSpDestroyCsrqrInfoHost(NULL));
    CODE(cusolverSpCreateCsrluInfoHost(NULL));
    CODE(cusolverSpCreateCsrluInfoHost(&hl));
    CODE(cusolverSpXcsrluAnalysisHost(NULL, N, z, zero, b, c, hl));
    CODE(cusolverSpXcsrluAnalysisHost(h, -1, z, zero, b, c, hl));
    CODE(cusolverSpXcsrluAnalysisHost(h, N, z, symmetric, b, c, hl));
    CODE(cusolverSpXcsrluAnalysisHost(h, N, z, zero, b, c, NULL));
    CODE(cusolverSpDestroyCsrluInfoHost(NULL));
    CODE(cusolverSpCreateCsrcholInfoHost(NULL));
    CODE(cusolverSpCreateCsrcholInfoHost(&hc));
    CODE(cusolverSpXcsrcholAnalysisHost(NULL, N, z, zero, b, c, hc));
    CODE(cusolverSpXcsrcholAnalysisHost(h, N, z, symmetric, b, c, hc));
    CODE(cusolverSpDestroyCsrcholInfoHost(NULL));
    CODE(cusolverRfCreate(NULL));
    CODE(cusolverRfCreate(&rf));
    CODE(cusolverRfDestroy(NULL));
    CODE(cusolverRfSetMatrixFormat(NULL, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                   CUSOLVERRF_UNIT_DIAGONAL_STORED_L));
    CODE(cusolverRfSetMatrixFormat(rf, (cusolverRfMatrixFormat_t)9,
                                   CUSOLVERRF_UNIT_DIAGONAL_STORED_L));
    CODE(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, (cusolverRfUnitDiagonal_t)9));
    CODE(cusolverRfGetMatrixFormat(rf, NULL, NULL));
    CODE(cusolverRfSetNumericProperties(NULL, 0, 0));
    CODE(cusolverRfSetNumericProperties(rf, -1, 0));
    CODE(cusolverRfGetNumericProperties(rf, NULL, NULL));
    CODE(cusolverRfSetAlgs(NULL, CUSOLVERRF_FACTORIZATION_ALG0, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
    CODE(cusolverRfSetAlgs(rf, (cusolverRfFactorization_t)9, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
    CODE(cusolverRfSetAlgs(rf, CUSOLVERRF_FACTORIZATION_ALG0, (cusolverRfTriangularSolve_t)0));
    CODE(cusolverRfSetAlgs(rf, CUSOLVERRF_FACTORIZATION_ALG0, (cusolverRfTriangularSolve_t)9));
    CODE(cusolverRfSetResetValuesFastMode(NULL, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
    CODE(cusolverRfSetResetValuesFastMode(rf, (cusolverRfResetValuesFastMode_t)9));
    CODE(cusolverRfAnalyze(NULL));
    CODE(cusolverRfRefactor(NULL));
    CODE(cusolverRfSolve(NULL, p, p, 1, xd, N, yd, N));
    CODE(cusolverRfBatchAnalyze(rf));
    CODE(cusolverRfBatchRefactor(rf));
}

int main(int argc, char **argv)
{
    arguments(argc, argv);
    work = device(1 << 20);
    if (cusolverSpCreate(&h) != CUSOLVER_STATUS_SUCCESS) {
        return 2;
    }
    cusparseCreateMatDescr(&zero);
    cusparseCreateMatDescr(&one);
    cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE);
    cusparseCreateMatDescr(&symmetric);
    cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC);
    all_of<float>(CUDA_R_32F);
    all_of<double>(CUDA_R_64F);
    all_of<cuComplex>(CUDA_C_32F);
    all_of<cuDoubleComplex>(CUDA_C_64F);
    orders();
    refactor_one();
    refactor_batch();
    wrong_arguments();
    ask("end", cudaDeviceSynchronize());
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* cuSOLVER, singular values and eigenvalues. */
#include "runtime/api/cusolver/dense.h"

static struct library_operand nothing_of(uint32_t type)
{
    return library_vector(NULL, 0, 1, type);
}

/* Bytes of an element are what lies between two side by side. */
static int64_t matrix_pitch(const struct library_operand *o, int64_t ld, int64_t columns)
{
    return ld ? o->pitch / ld * ld * columns : 0;
}

/* Job 'A' has all columns, 'S' the first, 'O' those in A, 'N' none. */
static struct library_operand factor_of(signed char job, void *own, int64_t ld, void *a,
                                        int64_t lda, int64_t rows, int64_t columns, uint32_t type)
{
    return job == 'N'   ? nothing_of(type)
           : job == 'O' ? library_matrix(a, rows, columns, lda, type)
                        : library_matrix(own, rows, columns, ld, type);
}

static bool job_known(signed char job)
{
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

/* A is destroyed: here it keeps its values, but it is written. */
cusolverStatus_t dense_gesvd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             signed char job_u, signed char job_v, int64_t m, int64_t n, void *a,
                             int64_t lda, void *s, void *u, int64_t ldu, void *vt, int64_t ldvt,
                             int *info)
{
    struct library_call c = library_call_of(LIBRARY_GESVD, type);
    bool own_u = job_u == 'A' || job_u == 'S', own_v = job_v == 'A' || job_v == 'S';

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(job_known(job_u) && job_known(job_v) && !(job_u == 'O' && job_v == 'O'));
    DENSE_REQUIRE(n >= 0 && m >= n && lda >= dense_least(m));
    DENSE_REQUIRE((!own_u || ldu >= dense_least(m)) && (!own_v || ldvt >= dense_least(n)));
    c.n[0] = m;
    c.n[1] = n;
    c.mode[1] = 1;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = library_vector(s, n, 1, dense_type_real(type));
    c.operand[2] = factor_of(job_u, u, ldu, a, lda, m, job_u == 'A' ? m : n, type);
    c.operand[3] = factor_of(job_v, vt, ldvt, a, lda, n, n, type);
    c.operand[4] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

cusolverStatus_t dense_gesvdj(cusolverDnHandle_t h, const char *name, uint32_t type,
                              cusolverEigMode_t job, int economy, int64_t m, int64_t n, void *a,
                              int64_t lda, void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                              int *info, int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_GESVD, type);
    int64_t k = m < n ? m : n, nu = economy ? k : m, nv = economy ? k : n;
    bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE((unsigned)job <= CUSOLVER_EIG_MODE_VECTOR && m >= 0 && n >= 0 && batches > 0);
    DENSE_REQUIRE(lda >= dense_least(m));
    DENSE_REQUIRE(!vectors || (ldu >= dense_least(m) && ldv >= dense_least(n)));
    c.n[0] = m;
    c.n[1] = n;
    c.batches = (uint64_t)batches;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = library_matrix(s, k, 1, k, dense_type_real(type));
    c.operand[2] = vectors ? library_matrix(u, m, nu, ldu, type) : nothing_of(type);
    c.operand[3] = vectors ? library_matrix(v, n, nv, ldv, type) : nothing_of(type);
    c.operand[4] = dense_info_of(info);
    c.operand[0].batch_pitch = matrix_pitch(&c.operand[0], lda, n);
    c.operand[1].batch_pitch = c.operand[1].pitch;
    c.operand[2].batch_pitch = vectors ? matrix_pitch(&c.operand[2], ldu, nu) : 0;
    c.operand[3].batch_pitch = vectors ? matrix_pitch(&c.operand[3], ldv, nv) : 0;
    c.operand[4].batch_pitch = sizeof(int);
    return dense_launch(h, name, &c);
}

static cusolverStatus_t eigen_check(cusolverDnHandle_t h, uint32_t type, cusolverEigMode_t job,
                                    cublasFillMode_t uplo, int64_t n, int64_t lda)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE((unsigned)job <= CUSOLVER_EIG_MODE_VECTOR && dense_uplo_known(uplo));
    DENSE_REQUIRE(n >= 0 && lda >= dense_least(n));
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t dense_syevd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cusolverEigMode_t job, cublasFillMode_t uplo, int64_t n, void *a,
                             int64_t lda, void *w, int *info, int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_SYEVD, type);
    bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;
    cusolverStatus_t s = eigen_check(h, type, job, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    DENSE_REQUIRE(batches > 0);
    c.n[0] = n;
    c.batches = (uint64_t)batches;
    c.operand[0] = dense_triangle_of(a, n, lda, type, uplo);
    c.operand[1] = vectors ? library_matrix(a, n, n, lda, type) : nothing_of(type);
    c.operand[2] = library_matrix(w, n, 1, n, dense_type_real(type));
    c.operand[3] = dense_info_of(info);
    c.operand[0].batch_pitch = matrix_pitch(&c.operand[0], lda, n);
    c.operand[1].batch_pitch = c.operand[0].batch_pitch;
    c.operand[2].batch_pitch = c.operand[2].pitch;
    c.operand[3].batch_pitch = sizeof(int);
    return dense_launch(h, name, &c);
}

cusolverStatus_t dense_sygvd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo,
                             int64_t n, void *a, int64_t lda, void *b, int64_t ldb, void *w,
                             int *info)
{
    struct library_call c = library_call_of(LIBRARY_SYGVD, type);
    bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;
    cusolverStatus_t s = eigen_check(h, type, job, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    DENSE_REQUIRE(kind >= CUSOLVER_EIG_TYPE_1 && kind <= CUSOLVER_EIG_TYPE_3 &&
                  ldb >= dense_least(n));
    c.n[0] = n;
    c.n[1] = kind;
    c.operand[0] = dense_triangle_of(a, n, lda, type, uplo);
    c.operand[1] = dense_triangle_of(b, n, ldb, type, uplo);
    c.operand[2] = vectors ? library_matrix(a, n, n, lda, type) : nothing_of(type);
    c.operand[3] = dense_triangle_of(b, n, ldb, type, uplo);
    c.operand[4] = library_vector(w, n, 1, dense_type_real(type));
    c.operand[5] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

/* SPDX-License-Identifier: MIT */
/* cuSOLVER, systems with sparse matrices in the device's memory: a launch each. A solve after a
 * factorization factors the copy of A again: its results are the same, its time is longer.
 */
#include <stdlib.h>

#include "runtime/api/cusolver/sp.h"

#define WORKSPACE 512 /* bytes: what programs allocate stays untouched */

static struct library_operand integers_of(const void *p, int n)
{
    return library_vector(p, n, 1, CUDA_R_32I);
}

/* A in operands 0 to 2 */
static struct library_call matrix_call(uint32_t op, const struct sp_matrix *a)
{
    struct library_call c = library_call_of(op, a->type);

    c.n[0] = a->m;
    c.n[1] = a->n;
    c.n[2] = a->count;
    c.n[7] = a->descr->base == CUSPARSE_INDEX_BASE_ONE;
    c.operand[0] = integers_of(a->begin, a->m + 1);
    c.operand[1] = integers_of(a->column, a->count);
    c.operand[2] = library_vector(a->value, a->count, 1, a->type);
    return c;
}

/* A system: what is NULL is left out */
static struct library_call system_call(enum direct_method method, const struct sp_matrix *a,
                                       const void *b, void *x)
{
    struct library_call c = matrix_call(LIBRARY_SPLSV, a);
    uint32_t real = sp_type_real(a->type);

    c.mode[2] = method;
    c.operand[3] = library_vector(b, b ? a->m : 0, 1, a->type);
    c.operand[4] = library_vector(x, x ? a->n : 0, 1, a->type);
    c.operand[5] = library_vector(NULL, 0, 1, real);
    c.operand[6] = integers_of(NULL, 0);
    return c;
}

cusolverStatus_t sp_solve_device(cusolverSpHandle_t h, const char *name, enum direct_method method,
                                 struct sp_matrix a, const void *b, double tolerance, int reorder,
                                 void *x, int *singularity)
{
    struct library_call c;
    CUresult e;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && singularity && reorder >= DIRECT_NATURAL && reorder <= DIRECT_METISND);
    if (!b || !x) {
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    }
    c = system_call(method, &a, b, x);
    c.n[3] = reorder;
    library_scalar_set(&c.scalar[0], &tolerance, CUDA_R_64F, false);
    c.operand[6] = integers_of((const void *)(uintptr_t)h->handle.scratch, 1);
    e = library_launch(&h->handle, name, &c);
    e = e ? e : library_fetch(&h->handle, singularity, 0, sizeof(*singularity));
    return sp_status(e);
}

cusolverStatus_t sp_eigen_device(cusolverSpHandle_t h, const char *name, struct sp_matrix a,
                                 const void *shift, const void *x0, int steps, double tolerance,
                                 void *mu, void *x)
{
    struct library_call c;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && x0 && mu && x && steps >= 0);
    c = matrix_call(LIBRARY_SPEIG, &a);
    c.n[3] = steps;
    library_scalar_set(&c.scalar[0], shift, a.type, false);
    library_scalar_set(&c.scalar[1], &tolerance, CUDA_R_64F, false);
    c.operand[3] = library_vector(x0, a.m, 1, a.type);
    c.operand[4] = library_vector(mu, 1, 1, a.type);
    c.operand[5] = library_vector(x, a.n, 1, a.type);
    return sp_status(library_launch(&h->handle, name, &c));
}

/* --- step by step --- */

/* The pattern is copied, so that a solve knows it; values come with the factorization. */
cusolverStatus_t sp_analyze_device(cusolverSpHandle_t h, struct sp_matrix a, struct sp_device *info)
{
    CUresult e;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info);
    sp_device_free(info);
    *info = (struct sp_device){ .stage = SP_ANALYZED,
                                .m = a.m,
                                .n = a.n,
                                .count = a.count,
                                .base = a.descr->base,
                                .context = h->handle.context };
    e = library_enter(&h->handle);
    if (e != CUDA_SUCCESS) {
        return sp_status(e);
    }
    e = library_driver.cuMemAlloc(&info->begin, ((size_t)a.m + 1) * 4);
    e = e ? e : library_driver.cuMemAlloc(&info->column, ((size_t)a.count + 1) * 4);
    e = e ? e : library_driver.cuMemAlloc(&info->value, ((size_t)a.count + 1) * 16);
    e = e ? e : library_driver.cuMemAlloc(&info->diagonal, ((size_t)a.n + 1) * 8);
    e = e ? e
          : library_driver.cuMemcpyDtoDAsync(info->begin, (uintptr_t)a.begin, ((size_t)a.m + 1) * 4,
                                             h->handle.stream);
    e = e || a.count == 0 ? e
                          : library_driver.cuMemcpyDtoDAsync(info->column, (uintptr_t)a.column,
                                                             (size_t)a.count * 4, h->handle.stream);
    e = e ? e : library_driver.cuStreamSynchronize(h->handle.stream);
    library_leave();
    return sp_status(e);
}

cusolverStatus_t sp_analyze_cholesky_device(cusolverSpHandle_t h, struct sp_matrix a,
                                            struct sp_device *info)
{
    cusolverStatus_t s = sp_analyze_device(h, a, info);

    return s == CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED ? CUSOLVER_STATUS_INVALID_VALUE : s;
}

static bool info_fits(const struct sp_device *info, int m, int n, int count)
{
    return info->stage >= SP_ANALYZED && info->m == m && info->n == n && info->count == count;
}

cusolverStatus_t sp_buffer_device(cusolverSpHandle_t h, struct sp_matrix a, struct sp_device *info,
                                  size_t *internal, size_t *workspace)
{
    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && internal && workspace && info_fits(info, a.m, a.n, a.count));
    *internal = WORKSPACE;
    *workspace = WORKSPACE;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t values_copy(cusolverSpHandle_t h, const struct sp_matrix *a,
                                    struct sp_device *info)
{
    CUresult e = library_enter(&h->handle);

    if (e != CUDA_SUCCESS) {
        return sp_status(e);
    }
    info->type = a->type;
    e = a->count == 0 ? CUDA_SUCCESS
                      : library_driver.cuMemcpyDtoDAsync(info->value, (uintptr_t)a->value,
                                                         (size_t)a->count * sp_type_bytes(a->type),
                                                         h->handle.stream);
    library_leave();
    return sp_status(e);
}

/* The copy of A, whose first index is the program's */
static struct sp_matrix info_matrix(const struct sp_device *info)
{
    static const struct cusparseMatDescr zero = { .base = CUSPARSE_INDEX_BASE_ZERO };
    static const struct cusparseMatDescr one = { .base = CUSPARSE_INDEX_BASE_ONE };

    return (struct sp_matrix){ .m = info->m,
                               .n = info->n,
                               .count = info->count,
                               .descr = info->base ? &one : &zero,
                               .begin = (const int *)(uintptr_t)info->begin,
                               .column = (const int *)(uintptr_t)info->column,
                               .value = (const void *)(uintptr_t)info->value,
                               .type = info->type };
}

static cusolverStatus_t factor_launch(cusolverSpHandle_t h, const char *name,
                                      struct sp_device *info, const void *b, void *x)
{
    struct sp_matrix a = info_matrix(info);
    struct library_call c = system_call(info->method, &a, b, x);

    c.operand[5] =
        library_vector((const void *)(uintptr_t)info->diagonal, a.n, 1, sp_type_real(a.type));
    info->stage = SP_FACTORED;
    return sp_status(library_launch(&h->handle, name, &c));
}

cusolverStatus_t sp_factor_device(cusolverSpHandle_t h, const char *name, enum direct_method method,
                                  struct sp_matrix a, double threshold, struct sp_device *info)
{
    (void)threshold; /* of LU, which the device has not */
    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && a.value && info_fits(info, a.m, a.n, a.count));
    SP_TRY(values_copy(h, &a, info));
    info->method = method;
    return factor_launch(h, name, info, NULL, NULL);
}

cusolverStatus_t sp_setup_device(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                                 struct sp_device *info)
{
    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && a.value && info_fits(info, a.m, a.n, a.count));
    if (!number_zero(sp_get(shift, a.type, 0))) {
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    }
    SP_TRY(values_copy(h, &a, info));
    info->method = DIRECT_QR;
    info->stage = SP_SET_UP;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_factor_qr_device(cusolverSpHandle_t h, const char *name, uint32_t type, int m,
                                     int n, int count, const void *b, void *x,
                                     struct sp_device *info)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && info->stage >= SP_SET_UP && info->type == type &&
               info_fits(info, m, n, count));
    return factor_launch(h, name, info, x ? b : NULL, b ? x : NULL);
}

/* The diagonal comes to the host, as double. Freed with free() */
static cusolverStatus_t diagonal_new(cusolverSpHandle_t h, struct sp_device *info, double **out)
{
    uint32_t real = sp_type_real(info->type);
    size_t n = (size_t)info->n;
    void *from = direct_new(n, 8);
    CUresult e = library_enter(&h->handle);

    *out = direct_new(n, sizeof(**out));
    if (e == CUDA_SUCCESS) {
        e = library_driver.cuMemcpyDtoHAsync(from, info->diagonal, n * sp_type_bytes(real),
                                             h->handle.stream);
        e = e ? e : library_driver.cuStreamSynchronize(h->handle.stream);
        library_leave();
    }
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = sp_get(from, real, i).re;
    }
    free(from);
    return sp_status(e);
}

cusolverStatus_t sp_zero_pivot_device(cusolverSpHandle_t h, struct sp_device *info,
                                      double tolerance, int *position)
{
    cusolverStatus_t s;
    double *diagonal;

    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && position && info->stage == SP_FACTORED);
    s = diagonal_new(h, info, &diagonal);
    *position = -1;
    for (int i = 0; i < info->n && *position < 0; i++) {
        *position = fabs(diagonal[i]) > tolerance ? -1 : i;
    }
    free(diagonal);
    return s;
}

cusolverStatus_t sp_diagonal(cusolverSpHandle_t h, uint32_t type, struct sp_device *info,
                             void *diagonal)
{
    CUresult e;

    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && diagonal && info->stage == SP_FACTORED && info->type == type);
    e = library_enter(&h->handle);
    if (e == CUDA_SUCCESS) {
        e = library_driver.cuMemcpyDtoDAsync((uintptr_t)diagonal, info->diagonal,
                                             (size_t)info->n * sp_type_bytes(sp_type_real(type)),
                                             h->handle.stream);
        library_leave();
    }
    return sp_status(e);
}

cusolverStatus_t sp_factored_device(cusolverSpHandle_t h, const char *name, uint32_t type, int m,
                                    int n, const void *b, void *x, struct sp_device *info)
{
    struct library_call c;
    struct sp_matrix a;

    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && b && x && info->stage == SP_FACTORED && info->type == type && info->m == m &&
               info->n == n);
    a = info_matrix(info);
    c = system_call(info->method, &a, b, x);
    return sp_status(library_launch(&h->handle, name, &c));
}

/* --- many systems of one pattern --- */

cusolverStatus_t sp_buffer_batch(cusolverSpHandle_t h, struct sp_matrix a, int batches,
                                 struct sp_device *info, size_t *internal, size_t *workspace)
{
    SP_REQUIRE(batches > 0);
    return sp_buffer_device(h, a, info, internal, workspace);
}

cusolverStatus_t sp_solve_batch(cusolverSpHandle_t h, const char *name, struct sp_matrix a,
                                const void *b, void *x, int batches, struct sp_device *info)
{
    int64_t size = (int64_t)sp_type_bytes(a.type);
    struct library_call c;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && a.value && b && x && info_fits(info, a.m, a.n, a.count));
    if (batches <= 0) {
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
    c = system_call(DIRECT_QR, &a, b, x);
    c.batches = (uint64_t)batches;
    c.operand[2].batch_pitch = a.count * size;
    c.operand[3].batch_pitch = a.m * size;
    c.operand[4].batch_pitch = a.n * size;
    return sp_status(library_launch(&h->handle, name, &c));
}

/* SPDX-License-Identifier: MIT */
/* The core of cuSOLVER's sparse part: one function an operation, for every type of element; rows of
 * cusolver.def give the types. Functions whose names end in Host compute on the host's memory at
 * once, with the code that the SMs run (model/library/direct); the others are launches.
 */
#ifndef RUNTIME_API_CUSOLVER_SP_H
#define RUNTIME_API_CUSOLVER_SP_H

/* What the headers declare is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cusolverSp.h"
#include "include/cusolverSp_LOWLEVEL_PREVIEW.h"
#pragma GCC visibility pop
#include "model/library/direct/direct.h"
#include "runtime/api/library/library.h"
#include "runtime/api/library/mat_descr.h"

struct cusolverSpContext {
    struct library_handle handle; /* first */
};

/**
 * struct sp_matrix - A as a program describes it: @m rows, @n columns, @count elements
 * @end: where rows end; NULL: where the next one begins
 * @value: NULL: only the pattern is asked for
 */
struct sp_matrix {
    int m, n, count;
    const struct cusparseMatDescr *descr;
    const int *begin, *end, *column;
    const void *value;
    uint32_t type;
};

#define SP_PATTERN(rows, columns)            \
    ((struct sp_matrix){ .m = (rows),        \
                         .n = (columns),     \
                         .count = nnz,       \
                         .descr = descrA,    \
                         .begin = csrRowPtr, \
                         .column = csrColInd })
#define SP_A(T, rows, columns)                \
    ((struct sp_matrix){ .m = (rows),         \
                         .n = (columns),      \
                         .count = nnz,        \
                         .descr = descrA,     \
                         .begin = csrRowPtr,  \
                         .column = csrColInd, \
                         .value = csrVal,     \
                         .type = (T) })

enum sp_stage { SP_EMPTY, SP_ANALYZED, SP_SET_UP, SP_FACTORED };

/**
 * struct sp_host - what the three info structures of the host hold
 * @a: of QR, between setup and factor
 */
struct sp_host {
    enum sp_stage stage;
    int m, n, count;
    struct direct_matrix a;
    struct direct_factors factors;
};

/**
 * struct sp_device - the two of the device: a copy of A there, @base the index of its first row
 * @diagonal: of the factor
 */
struct sp_device {
    enum sp_stage stage;
    enum direct_method method;
    int m, n, count, base;
    uint32_t type;
    CUcontext context;
    CUdeviceptr begin, column, value, diagonal;
};

struct csrluInfoHost {
    struct sp_host host;
};
struct csrqrInfoHost {
    struct sp_host host;
};
struct csrcholInfoHost {
    struct sp_host host;
};
struct csrqrInfo {
    struct sp_device device;
};
struct csrcholInfo {
    struct sp_device device;
};
#define SP_HOST(info) ((info) ? &(info)->host : NULL)
#define SP_DEVICE(info) ((info) ? &(info)->device : NULL)

/* One factor as its extraction asks for it. */
struct sp_factor {
    const struct cusparseMatDescr *descr;
    void *value;
    int *begin, *column;
};
#define SP_FACTOR(X) ((struct sp_factor){ descr##X, csrVal##X, csrRowPtr##X, csrColInd##X })

/* sp_handle.c */
bool sp_live(cusolverSpHandle_t h);
cusolverStatus_t sp_status(CUresult e);
/* What all functions ask of a matrix. */
cusolverStatus_t sp_matrix_check(cusolverSpHandle_t h, const struct sp_matrix *a);
struct number sp_get(const void *from, uint32_t type, size_t i);
void sp_put(void *to, uint32_t type, size_t i, struct number v);
size_t sp_type_bytes(uint32_t type);
uint32_t sp_type_real(uint32_t type);
void sp_device_free(struct sp_device *d);

/* sp_host.c */
/* A checked matrix. Return: SUCCESS: @m is to be freed */
cusolverStatus_t sp_matrix_read(const struct sp_matrix *a, struct direct_matrix *m);
cusolverStatus_t sp_solve_host(cusolverSpHandle_t h, enum direct_method method, struct sp_matrix a,
                               const void *b, double tolerance, int reorder, void *x,
                               int *singularity);
cusolverStatus_t sp_eigen_host(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                               const void *x0, int steps, double tolerance, void *mu, void *x);
cusolverStatus_t sp_analyze_host(cusolverSpHandle_t h, struct sp_matrix a, struct sp_host *info);
/* Cholesky's: a matrix of another type is a wrong value there, as NVIDIA's has it. */
cusolverStatus_t sp_analyze_cholesky_host(cusolverSpHandle_t h, struct sp_matrix a,
                                          struct sp_host *info);
cusolverStatus_t sp_analyze_cholesky_device(cusolverSpHandle_t h, struct sp_matrix a,
                                            struct sp_device *info);
cusolverStatus_t sp_buffer_host(cusolverSpHandle_t h, struct sp_matrix a, struct sp_host *info,
                                size_t *internal, size_t *workspace);
cusolverStatus_t sp_factor_host(cusolverSpHandle_t h, enum direct_method method, struct sp_matrix a,
                                double threshold, struct sp_host *info);
cusolverStatus_t sp_setup_host(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                               struct sp_host *info);
cusolverStatus_t sp_factor_qr_host(cusolverSpHandle_t h, uint32_t type, int m, int n, int count,
                                   const void *b, void *x, struct sp_host *info);
cusolverStatus_t sp_zero_pivot_host(cusolverSpHandle_t h, struct sp_host *info, double tolerance,
                                    int *position);
cusolverStatus_t sp_factored_host(cusolverSpHandle_t h, uint32_t type, int m, int n, const void *b,
                                  void *x, struct sp_host *info);
cusolverStatus_t sp_extract(cusolverSpHandle_t h, uint32_t type, int *p, int *q, struct sp_factor l,
                            struct sp_factor u, struct sp_host *info);

/* sp_order.c */
cusolverStatus_t sp_order(cusolverSpHandle_t h, enum direct_order kind, struct sp_matrix a, int *p);
cusolverStatus_t sp_diagonal_rows(cusolverSpHandle_t h, struct sp_matrix a, int *p, int *found);
cusolverStatus_t sp_least_squares(cusolverSpHandle_t h, struct sp_matrix a, const void *b,
                                  double tolerance, int *rank, void *x, int *p, void *norm);

/* sp_device.c */
cusolverStatus_t sp_solve_device(cusolverSpHandle_t h, const char *name, enum direct_method method,
                                 struct sp_matrix a, const void *b, double tolerance, int reorder,
                                 void *x, int *singularity);
cusolverStatus_t sp_eigen_device(cusolverSpHandle_t h, const char *name, struct sp_matrix a,
                                 const void *shift, const void *x0, int steps, double tolerance,
                                 void *mu, void *x);
cusolverStatus_t sp_analyze_device(cusolverSpHandle_t h, struct sp_matrix a,
                                   struct sp_device *info);
cusolverStatus_t sp_buffer_device(cusolverSpHandle_t h, struct sp_matrix a, struct sp_device *info,
                                  size_t *internal, size_t *workspace);
cusolverStatus_t sp_factor_device(cusolverSpHandle_t h, const char *name, enum direct_method method,
                                  struct sp_matrix a, double threshold, struct sp_device *info);
cusolverStatus_t sp_setup_device(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                                 struct sp_device *info);
cusolverStatus_t sp_factor_qr_device(cusolverSpHandle_t h, const char *name, uint32_t type, int m,
                                     int n, int count, const void *b, void *x,
                                     struct sp_device *info);
cusolverStatus_t sp_zero_pivot_device(cusolverSpHandle_t h, struct sp_device *info,
                                      double tolerance, int *position);
cusolverStatus_t sp_factored_device(cusolverSpHandle_t h, const char *name, uint32_t type, int m,
                                    int n, const void *b, void *x, struct sp_device *info);
cusolverStatus_t sp_diagonal(cusolverSpHandle_t h, uint32_t type, struct sp_device *info,
                             void *diagonal);
cusolverStatus_t sp_buffer_batch(cusolverSpHandle_t h, struct sp_matrix a, int batches,
                                 struct sp_device *info, size_t *internal, size_t *workspace);
cusolverStatus_t sp_solve_batch(cusolverSpHandle_t h, const char *name, struct sp_matrix a,
                                const void *b, void *x, int batches, struct sp_device *info);

#define SP_REQUIRE(good)                          \
    do {                                          \
        if (!(good)) {                            \
            return CUSOLVER_STATUS_INVALID_VALUE; \
        }                                         \
    } while (0)
#define SP_REQUIRE_HANDLE(h)                        \
    do {                                            \
        if (!sp_live(h)) {                          \
            return CUSOLVER_STATUS_NOT_INITIALIZED; \
        }                                           \
    } while (0)
#define SP_TRY(call)                            \
    do {                                        \
        cusolverStatus_t tried = (call);        \
                                                \
        if (tried != CUSOLVER_STATUS_SUCCESS) { \
            return tried;                       \
        }                                       \
    } while (0)

#endif

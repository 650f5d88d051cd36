/* SPDX-License-Identifier: MIT */
/* cuBLAS library, "cuBLAS Level-3 Function Reference" and the products of "BLAS-like Extension" */
#include "runtime/api/cublas/blas.h"

#define WORKSPACE_PARTS 1024 /* rows and columns of a result whose products are shared */

static bool gemm_sizes_ok(const struct blas_gemm *g)
{
    int64_t rows_a = g->ta == CUBLAS_OP_N ? g->m : g->k;
    int64_t rows_b = g->tb == CUBLAS_OP_N ? g->k : g->n;

    return blas_op_known(g->ta) && blas_op_known(g->tb) && g->m >= 0 && g->n >= 0 && g->k >= 0 &&
           g->batches >= 0 && g->lda >= blas_least(rows_a) && g->ldb >= blas_least(rows_b) &&
           g->ldc >= blas_least(g->m);
}

static void batch_set(struct library_operand *o, const struct blas_gemm *g, long long stride)
{
    o->batch_pitch = stride * (int64_t)blas_type_bytes(o->type);
    o->flags |= g->indirect ? LIBRARY_INDIRECT : 0;
}

/* Where a product is longer than its result is high and wide, NVIDIA's kernels share k and put the
 * parts into the program's workspace (inferred; the library's own is no concern of a program). */
static struct library_operand gemm_workspace(cublasHandle_t h, const struct blas_gemm *g)
{
    int64_t parts = g->k > g->m && g->k > g->n && g->m < WORKSPACE_PARTS && g->n < WORKSPACE_PARTS
                        ? g->m * g->n
                        : 0;
    int64_t room = h->workspace ? (int64_t)(h->workspace_bytes / sizeof(float)) : 0;

    return library_vector(h->workspace, parts < room ? parts : room, 1, CUDA_R_32F);
}

cublasStatus_t blas_gemm(cublasHandle_t h, const char *name, struct blas_gemm g)
{
    struct library_call c = library_call_of(LIBRARY_GEMM, g.compute);
    bool turned_a = g.ta != CUBLAS_OP_N, turned_b = g.tb != CUBLAS_OP_N;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    g.batches = g.batches == BLAS_ONE ? 1 : g.batches;
    if (!gemm_sizes_ok(&g)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (g.m == 0 || g.n == 0 || g.batches == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    if (!g.alpha || !g.beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    c.n[0] = g.m;
    c.n[1] = g.n;
    c.n[2] = g.k;
    c.batches = (uint64_t)g.batches;
    c.mode[1] = blas_mode(g.ta);
    c.mode[2] = blas_mode(g.tb);
    c.operand[0] = library_matrix(g.a, turned_a ? g.k : g.m, turned_a ? g.m : g.k, g.lda, g.type_a);
    c.operand[1] = library_matrix(g.b, turned_b ? g.n : g.k, turned_b ? g.k : g.n, g.ldb, g.type_b);
    c.operand[2] = library_matrix(g.c, g.m, g.n, g.ldc, g.type_c);
    c.operand[3] = gemm_workspace(h, &g);
    batch_set(&c.operand[0], &g, g.stride_a);
    batch_set(&c.operand[1], &g, g.stride_b);
    batch_set(&c.operand[2], &g, g.stride_c);
    blas_scalar(h, &c, 0, g.alpha, g.scale);
    blas_scalar(h, &c, 1, g.beta, g.scale);
    return blas_launch(h, name, &c);
}

/* cublasGemmEx(), its table: what is computed in which precision. */
static const struct {
    uint32_t compute, type_ab, type_c, scale, sums;
} gemm_types[] = {
    { CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUDA_R_32I },
    { CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F },
    { CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F },
    { CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F },
    { CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F },
};

/* The plain form of a type that allows less precision, or insists on it: ours is never less exact.
 */
static uint32_t compute_plain(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUBLAS_COMPUTE_16F;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        return CUBLAS_COMPUTE_32F;
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return CUBLAS_COMPUTE_64F;
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUBLAS_COMPUTE_32I;
    default:
        return (uint32_t)compute;
    }
}

cublasStatus_t blas_gemm_ex(cublasHandle_t h, const char *name, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo, struct blas_gemm g)
{
    (void)algo; /* a hint */
    for (size_t i = 0; i < sizeof(gemm_types) / sizeof(gemm_types[0]); i++) {
        if (gemm_types[i].compute == compute_plain(compute) && gemm_types[i].type_ab == g.type_a &&
            gemm_types[i].type_ab == g.type_b && gemm_types[i].type_c == g.type_c) {
            g.scale = gemm_types[i].scale;
            g.compute = gemm_types[i].sums;
            return blas_gemm(h, name, g);
        }
    }
    return blas_live(h) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t blas_symm(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
                         const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                         const void *beta, void *c, int64_t ldc)
{
    struct library_call call = library_call_of(LIBRARY_GEMM, type);
    bool left = side == CUBLAS_SIDE_LEFT;
    int64_t order = left ? m : n;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if ((unsigned)side > CUBLAS_SIDE_RIGHT || !blas_half_known(uplo) || m < 0 || n < 0 ||
        lda < blas_least(order) || ldb < blas_least(m) || ldc < blas_least(m) || !alpha || !beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    call.n[0] = m;
    call.n[1] = n;
    call.n[2] = order;
    call.mode[left ? 1 : 2] = hermitian ? LIBRARY_HERMITIAN : LIBRARY_SYMMETRIC;
    call.operand[left ? 0 : 1] = library_matrix(a, order, order, lda, type);
    call.operand[left ? 0 : 1].flags = blas_half(uplo);
    call.operand[left ? 1 : 0] = library_matrix(b, m, n, ldb, type);
    call.operand[2] = library_matrix(c, m, n, ldc, type);
    blas_scalar(h, &call, 0, alpha, type);
    blas_scalar(h, &call, 1, beta, type);
    return blas_launch(h, name, &call);
}

cublasStatus_t blas_syrk(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
                         const void *alpha, uint32_t scale, const void *a, int64_t lda,
                         const void *beta, void *c, int64_t ldc)
{
    struct library_call call = library_call_of(LIBRARY_GEMM, type);
    bool turned = trans != CUBLAS_OP_N;
    uint32_t mode = LIBRARY_TRANSPOSED | (hermitian ? LIBRARY_CONJUGATED : 0);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_op_known(trans) || !blas_half_known(uplo) || n < 0 || k < 0 ||
        lda < blas_least(turned ? k : n) || ldc < blas_least(n) || !alpha || !beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    call.n[0] = n;
    call.n[1] = n;
    call.n[2] = k;
    call.mode[turned ? 1 : 2] = mode;
    call.mode[3] = hermitian ? LIBRARY_HERMITIAN : 0;
    call.operand[0] = library_matrix(a, turned ? k : n, turned ? n : k, lda, type);
    call.operand[1] = call.operand[0];
    call.operand[2] = library_matrix(c, n, n, ldc, type);
    call.operand[2].flags = blas_half(uplo);
    blas_scalar(h, &call, 0, alpha, scale);
    blas_scalar(h, &call, 1, beta, scale);
    return blas_launch(h, name, &call);
}

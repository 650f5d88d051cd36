/* SPDX-License-Identifier: MIT */
/* cuBLASLt, products with an epilogue. Which algorithm computes them is the same. */
#include <pthread.h>
#include <string.h>

#include "runtime/api/cublaslt/lt.h"

/* A handle may be used by several threads: they share its kernels, and the stream of a launch. */
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * struct matmul - descriptors, copied: a program may change its own at any time
 */
struct matmul {
    struct lt_matmul op;
    struct lt_layout a, b, c, d;
};

/* A handle of cuBLAS is one of cuBLASLt, too ("cublasLtHandle_t"); its library has the list of
 * those. */
static bool handle_known(cublasLtHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUBLASLT) || (h && h->handle.kind == LIBRARY_KIND_CUBLAS);
}

static bool matmul_copy(struct matmul *m, const void *op, const void *a, const void *b,
                        const void *c, const void *d)
{
    if (!op || !a || !b || !c || !d) {
        return false;
    }
    memcpy(&m->op, op, sizeof(m->op));
    memcpy(&m->a, a, sizeof(m->a));
    memcpy(&m->b, b, sizeof(m->b));
    memcpy(&m->c, c, sizeof(m->c));
    memcpy(&m->d, d, sizeof(m->d));
    return true;
}

static bool layout_ok(const struct lt_layout *l)
{
    uint64_t least = l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows;

    return l->rows <= INT32_MAX && l->columns <= INT32_MAX && l->ld >= (int64_t)least &&
           l->batches >= 1;
}

static uint64_t op_rows(const struct lt_layout *l, int32_t op)
{
    return op == CUBLAS_OP_N ? l->rows : l->columns;
}

static uint64_t op_columns(const struct lt_layout *l, int32_t op)
{
    return op == CUBLAS_OP_N ? l->columns : l->rows;
}

static bool shapes_ok(const struct matmul *m)
{
    return layout_ok(&m->a) && layout_ok(&m->b) && layout_ok(&m->c) && layout_ok(&m->d) &&
           (uint32_t)m->op.op_a <= CUBLAS_OP_C && (uint32_t)m->op.op_b <= CUBLAS_OP_C &&
           op_rows(&m->a, m->op.op_a) == m->d.rows &&
           op_columns(&m->a, m->op.op_a) == op_rows(&m->b, m->op.op_b) &&
           op_columns(&m->b, m->op.op_b) == m->d.columns && m->c.rows == m->d.rows &&
           m->c.columns == m->d.columns && m->a.batches == m->d.batches &&
           m->b.batches == m->d.batches && m->c.batches == m->d.batches;
}

/* The type in which sums are added; -1: there is none */
static int sums_of(int32_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        return LIBRARY_R_32F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return LIBRARY_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return LIBRARY_R_32I;
    default:
        return -1;
    }
}

static bool types_of_integers(uint32_t a, uint32_t d, uint32_t scale)
{
    return a == CUDA_R_8I &&
           ((scale == CUDA_R_32I && d == CUDA_R_32I) || (scale == CUDA_R_32F && d == CUDA_R_8I));
}

/* "cublasLtMatmul()", tables of supported types, but for those of 8-bit floating point */
static bool types_ok(const struct matmul *m)
{
    uint32_t a = m->a.type, d = m->d.type, scale = (uint32_t)m->op.scale;

    if (a != m->b.type || m->c.type != d) {
        return false;
    }
    switch (sums_of(m->op.compute)) {
    case LIBRARY_R_32I:
        return types_of_integers(a, d, scale);
    case LIBRARY_R_64F:
        return a == d && scale == a && (a == CUDA_R_64F || a == CUDA_C_64F);
    case LIBRARY_R_32F:
        if (a == CUDA_C_32F) {
            return d == CUDA_C_32F && scale == CUDA_C_32F;
        }
        if (scale == CUDA_R_16F) {
            return a == CUDA_R_16F && d == CUDA_R_16F;
        }
        return scale == CUDA_R_32F &&
               (((a == CUDA_R_16F || a == CUDA_R_16BF) && d == a) ||
                ((a == CUDA_R_16F || a == CUDA_R_16BF || a == CUDA_R_32F || a == CUDA_R_8I) &&
                 d == CUDA_R_32F));
    default:
        return false;
    }
}

static bool orders_ok(const struct matmul *m)
{
    const struct lt_layout *all[] = { &m->a, &m->b, &m->c, &m->d };

    for (unsigned i = 0; i < 4; i++) {
        if ((uint32_t)all[i]->order > CUBLASLT_ORDER_ROW || all[i]->batch_mode || all[i]->plane) {
            return false;
        }
    }
    return true;
}

/* By epilogue: what n[3] of LIBRARY_MATMUL says, and which pointers are used */
static const struct epilogue {
    uint32_t number;
    int64_t function;
    bool bias, aux_in, aux_out, gradient;
} epilogues[] = {
    { CUBLASLT_EPILOGUE_DEFAULT, 0, false, false, false, false },
    { CUBLASLT_EPILOGUE_RELU, LIBRARY_RELU, false, false, false, false },
    { CUBLASLT_EPILOGUE_RELU_AUX, LIBRARY_RELU, false, false, true, false },
    { CUBLASLT_EPILOGUE_BIAS, 0, true, false, false, false },
    { CUBLASLT_EPILOGUE_RELU_BIAS, LIBRARY_RELU, true, false, false, false },
    { CUBLASLT_EPILOGUE_RELU_AUX_BIAS, LIBRARY_RELU, true, false, true, false },
    { CUBLASLT_EPILOGUE_DRELU, LIBRARY_RELU_BACKWARD, false, true, false, false },
    { CUBLASLT_EPILOGUE_DRELU_BGRAD, LIBRARY_RELU_BACKWARD, false, true, false, true },
    { CUBLASLT_EPILOGUE_GELU, LIBRARY_GELU, false, false, false, false },
    { CUBLASLT_EPILOGUE_GELU_AUX, LIBRARY_GELU, false, false, true, false },
    { CUBLASLT_EPILOGUE_GELU_BIAS, LIBRARY_GELU, true, false, false, false },
    { CUBLASLT_EPILOGUE_GELU_AUX_BIAS, LIBRARY_GELU, true, false, true, false },
    { CUBLASLT_EPILOGUE_DGELU, LIBRARY_GELU_BACKWARD, false, true, false, false },
    { CUBLASLT_EPILOGUE_DGELU_BGRAD, LIBRARY_GELU_BACKWARD, false, true, false, true },
    { CUBLASLT_EPILOGUE_BGRADA, LIBRARY_GRADIENT_A, false, false, false, true },
    { CUBLASLT_EPILOGUE_BGRADB, LIBRARY_GRADIENT_B, false, false, false, true },
};

static const struct epilogue *epilogue_find(uint32_t number)
{
    for (size_t i = 0; i < sizeof(epilogues) / sizeof(epilogues[0]); i++) {
        if (epilogues[i].number == number) {
            return &epilogues[i];
        }
    }
    return NULL;
}

static bool scales_none(const struct lt_matmul *o)
{
    return !o->scale_a && !o->scale_b && !o->scale_c && !o->scale_d && !o->amax && !o->aux_scale &&
           !o->aux_amax && !o->out_scale && !o->emulation;
}

static bool is_double(uint32_t type)
{
    return type == CUDA_R_64F || type == CUDA_C_64F;
}

/* What NVIDIA's has algorithms for (tests/golden/cublasLt_13.1.txt) */
static bool epilogue_ok(const struct matmul *m, const struct epilogue *e)
{
    if (e->number == CUBLASLT_EPILOGUE_DEFAULT) {
        return true;
    }
    if (m->d.type == CUDA_C_32F || m->d.type == CUDA_C_64F || m->d.type == CUDA_R_32I) {
        return false;
    }
    if (m->d.type == CUDA_R_8I && (m->op.op_a == CUBLAS_OP_N || m->op.op_b != CUBLAS_OP_N)) {
        return false;
    }
    switch (e->function) {
    case LIBRARY_GRADIENT_A:
        return m->a.type != CUDA_R_8I && m->op.op_a == CUBLAS_OP_N;
    case LIBRARY_GRADIENT_B:
        return m->a.type != CUDA_R_8I && m->op.op_b != CUBLAS_OP_N;
    default:
        return true;
    }
}

static cublasStatus_t matmul_check(const struct matmul *m)
{
    const struct epilogue *e = epilogue_find(m->op.epilogue);

    LT_REQUIRE(shapes_ok(m) && e && (!is_double((uint32_t)m->op.scale) || is_double(m->d.type)));
    if (!types_ok(m) || !epilogue_ok(m, e) || !orders_ok(m) || !scales_none(&m->op) ||
        m->op.op_c != CUBLAS_OP_N || m->op.fill != CUBLAS_FILL_MODE_FULL ||
        (uint32_t)m->op.pointers > CUBLASLT_POINTER_MODE_DEVICE) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* Of a heuristic the pointers are not asked. */
static bool pointers_ok(const struct matmul *m)
{
    const struct epilogue *e = epilogue_find(m->op.epilogue);

    return !m->op.bias == !(e->bias || e->gradient) && (!(e->aux_in || e->aux_out) || m->op.aux);
}

/* Is the factor, of the host, known to be zero? */
static bool factor_zero(const struct library_scalar *s)
{
    return !s->va && s->value[0] == 0 && s->value[1] == 0;
}

static struct library_operand layout_operand(const struct lt_layout *l, const void *data)
{
    bool by_rows = l->order == CUBLASLT_ORDER_ROW;
    struct library_operand o =
        library_matrix(data, (int64_t)(by_rows ? l->columns : l->rows),
                       (int64_t)(by_rows ? l->rows : l->columns), l->ld, l->type);

    o.batch_pitch = l->ld ? o.pitch / l->ld * l->stride : 0;
    return o;
}

static uint32_t layout_mode(const struct lt_layout *l, int32_t op)
{
    uint32_t mode = op == CUBLAS_OP_N ? 0 : LIBRARY_TRANSPOSED;

    mode ^= l->order == CUBLASLT_ORDER_ROW ? LIBRARY_TRANSPOSED : 0;
    return mode | (op == CUBLAS_OP_C ? LIBRARY_CONJUGATED : 0);
}

/* @aux_ld is in elements, of ReLU's mask in bits. */
static struct library_operand aux_operand(const struct matmul *m, bool bits)
{
    int64_t rows = (int64_t)m->d.rows, columns = (int64_t)m->d.columns;
    uint32_t type = bits ? LIBRARY_R_8U : m->op.aux_type < 0 ? m->d.type : (uint32_t)m->op.aux_type;
    struct library_operand o = library_matrix(m->op.aux, bits ? (rows + 7) / 8 : rows, columns,
                                              bits ? m->op.aux_ld / 8 : m->op.aux_ld, type);

    o.batch_pitch = m->op.aux_ld
                        ? (bits ? m->op.aux_stride / 8 : o.pitch / m->op.aux_ld * m->op.aux_stride)
                        : 0;
    return o;
}

/* The bias has the result's type, if that is no integer of 8 bits */
static struct library_operand bias_operand(const struct matmul *m, int64_t n)
{
    uint32_t type = m->op.bias_type >= 0        ? (uint32_t)m->op.bias_type
                    : m->d.type == LIBRARY_R_8I ? LIBRARY_R_32F
                                                : m->d.type;
    struct library_operand o = library_vector(m->op.bias, n, 1, type);

    o.batch_pitch = n ? o.pitch / n * m->op.bias_stride : 0;
    return o;
}

static struct library_call matmul_call(const struct matmul *m, const void *a, const void *b,
                                       const void *c, void *d)
{
    struct library_call call = library_call_of(LIBRARY_MATMUL, (uint32_t)sums_of(m->op.compute));
    const struct epilogue *e = epilogue_find(m->op.epilogue);
    bool bits = e->function & (LIBRARY_RELU | LIBRARY_RELU_BACKWARD);

    call.batches = (uint64_t)m->d.batches;
    call.n[0] = (int64_t)m->d.rows;
    call.n[1] = (int64_t)m->d.columns;
    call.n[2] = (int64_t)op_columns(&m->a, m->op.op_a);
    call.n[3] = e->function;
    call.n[4] = m->c.order == CUBLASLT_ORDER_ROW;
    call.mode[1] = layout_mode(&m->a, m->op.op_a);
    call.mode[2] = layout_mode(&m->b, m->op.op_b);
    call.mode[3] = m->d.order == CUBLASLT_ORDER_ROW;
    call.operand[0] = layout_operand(&m->a, a);
    call.operand[1] = layout_operand(&m->b, b);
    call.operand[2] = layout_operand(&m->c, c);
    call.operand[3] = layout_operand(&m->d, d);
    if (e->bias) {
        call.operand[4] = bias_operand(m, call.n[0]);
    }
    if (e->aux_in || e->aux_out) {
        call.operand[e->aux_in ? 5 : 6] = aux_operand(m, bits);
    }
    if (e->gradient) {
        call.operand[7] =
            bias_operand(m, e->function == LIBRARY_GRADIENT_B ? call.n[1] : call.n[0]);
    }
    return call;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc,
                              const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
                              const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
                              const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream)
{
    struct matmul m;
    struct library_call c;
    cublasStatus_t s;
    CUstream before;
    CUresult e;
    bool device;

    (void)algo;
    (void)workspace;
    (void)workspaceSizeInBytes;
    if (!handle_known(lightHandle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    LT_REQUIRE(matmul_copy(&m, computeDesc, Adesc, Bdesc, Cdesc, Ddesc) && alpha && beta);
    s = matmul_check(&m);
    if (s != CUBLAS_STATUS_SUCCESS || m.d.rows == 0 || m.d.columns == 0) {
        return s;
    }
    LT_REQUIRE(pointers_ok(&m));
    c = matmul_call(&m, A, B, C, D);
    device = m.op.pointers == CUBLASLT_POINTER_MODE_DEVICE;
    library_scalar_set(&c.scalar[0], alpha, (uint32_t)m.op.scale, device);
    library_scalar_set(&c.scalar[1], beta, (uint32_t)m.op.scale, device);
    LT_REQUIRE(A && B && D && (C || factor_zero(&c.scalar[1])));
    pthread_mutex_lock(&launch_lock);
    before = lightHandle->handle.stream;
    lightHandle->handle.stream = stream;
    e = library_launch(&lightHandle->handle, __func__, &c);
    lightHandle->handle.stream = before;
    pthread_mutex_unlock(&launch_lock);
    return e == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* One algorithm, which needs no workspace; none if the product is not supported */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc, cublasLtMatrixLayout_t Adesc,
    cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
    cublasLtMatmulPreference_t preference, int requestedAlgoCount,
    cublasLtMatmulHeuristicResult_t heuristicResultsArray[], int *returnAlgoCount)
{
    struct matmul m;
    cublasStatus_t s;

    if (!handle_known(lightHandle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    LT_REQUIRE(matmul_copy(&m, operationDesc, Adesc, Bdesc, Cdesc, Ddesc) && preference &&
               requestedAlgoCount > 0 && heuristicResultsArray && returnAlgoCount);
    *returnAlgoCount = 0;
    s = matmul_check(&m);
    if (s != CUBLAS_STATUS_SUCCESS) {
        return s;
    }
    heuristicResultsArray[0] =
        (cublasLtMatmulHeuristicResult_t){ .state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1 };
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

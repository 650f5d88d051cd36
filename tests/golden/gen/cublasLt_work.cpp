/* SPDX-License-Identifier: MIT */
/* What cuBLASLt answers to right, wrong and rare arguments: a row a question (library_case.h). For
 * a GPU with NVIDIA's library, and for ours: g++ cublasLt_work.cpp -lcublasLt -lcudart -o ask &&
 * ./ask [NUMBER...] >cublaslt.txt */
#include <cublasLt.h>

#include "library_case.h"

enum { M = 16, N = 8, K = 32 }; /* lines of 16 bytes, also of 8-bit integers */

static cublasLtHandle_t h;
static void *workspace;
static const size_t workspace_bytes = 4 << 20;
static const number alpha(0.5, -0.25), beta(-2, 0.75);

/* What a product is made of; numbers of cudaDataType, cublasOperation_t and so on */
struct question {
    std::string name;
    cudaDataType ab, d, scale;
    cublasComputeType_t compute;
    cublasOperation_t ta, tb;
    cublasLtEpilogue_t epilogue;
    cublasLtOrder_t order;
    int batches;
    double units;  /* of the result's last bit */
    bool bias_too; /* a bias that the epilogue does not take */
};

static question question_of(const std::string &name, cudaDataType ab, cudaDataType d,
                            cudaDataType scale, cublasComputeType_t compute)
{
    double sums = ab == CUDA_R_8I ? 256 : 1; /* of products of integers up to 16 */
    double units = d == CUDA_R_8I ? 0x1p23 : eps_of(d) < 1e-5 ? 4 * K * sums : 8;

    return { name,
             ab,
             d,
             scale,
             compute,
             CUBLAS_OP_N,
             CUBLAS_OP_N,
             CUBLASLT_EPILOGUE_DEFAULT,
             CUBLASLT_ORDER_COL,
             1,
             units,
             false };
}

template <typename T>
static void set(cublasLtMatmulDesc_t op, cublasLtMatmulDescAttributes_t a, T v)
{
    cublasLtMatmulDescSetAttribute(op, a, &v, sizeof(v));
}

static cublasLtMatrixLayout_t layout(cudaDataType t, int rows, int columns, const question &q,
                                     bool order)
{
    cublasLtMatrixLayout_t l = NULL;
    bool by_rows = order && q.order == CUBLASLT_ORDER_ROW;
    int32_t o = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, batches = q.batches;
    int64_t stride = (int64_t)rows * columns;

    cublasLtMatrixLayoutCreate(&l, t, rows, columns, by_rows ? columns : rows);
    cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &o, sizeof(o));
    cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches,
                                     sizeof(batches));
    cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                     sizeof(stride));
    return l;
}

static bool is_one_of(cublasLtEpilogue_t e, std::initializer_list<cublasLtEpilogue_t> all)
{
    for (cublasLtEpilogue_t i : all) {
        if (i == e) {
            return true;
        }
    }
    return false;
}

static bool has_mask(cublasLtEpilogue_t e)
{
    return is_one_of(e, { CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
                          CUBLASLT_EPILOGUE_DRELU, CUBLASLT_EPILOGUE_DRELU_BGRAD });
}

static bool has_aux(cublasLtEpilogue_t e)
{
    return is_one_of(e, { CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
                          CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD });
}

static bool writes_aux(cublasLtEpilogue_t e)
{
    return is_one_of(e, { CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
                          CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS });
}

static bool reads_bias(cublasLtEpilogue_t e)
{
    return is_one_of(e, { CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                          CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS,
                          CUBLASLT_EPILOGUE_GELU_AUX_BIAS });
}

static bool writes_bias(cublasLtEpilogue_t e)
{
    return is_one_of(e, { CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_DGELU_BGRAD,
                          CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB });
}

/* Asks; NVIDIA's library may have no algorithm for it: then nothing more is asked. */
static void ask_product(const question &q)
{
    bool ta = q.ta != CUBLAS_OP_N, tb = q.tb != CUBLAS_OP_N;
    cublasLtMatmulDesc_t op = NULL;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t result;
    cublasLtMatrixLayout_t la = layout(q.ab, ta ? K : M, ta ? M : K, q, true),
                           lb = layout(q.ab, tb ? N : K, tb ? K : N, q, true),
                           ld = layout(q.d, M, N, q, true);
    cudaDataType bias_type = q.d == CUDA_R_8I ? CUDA_R_32F : q.d;
    int aux_ld = has_mask(q.epilogue) ? 128 : M, found = 0;
    size_t n = (size_t)q.batches;
    void *a = to_device(random_numbers(n * M * K, q.ab), q.ab);
    void *b = to_device(random_numbers(n * K * N, q.ab), q.ab);
    void *c = to_device(random_numbers(n * M * N, q.d), q.d), *d = device(n * M * N * 16);
    void *bias = to_device(random_numbers(K, bias_type), bias_type);
    void *aux = to_device(random_numbers(n * 128 * N, q.d), q.d);

    cublasLtMatmulDescCreate(&op, q.compute, q.scale);
    set(op, CUBLASLT_MATMUL_DESC_TRANSA, q.ta);
    set(op, CUBLASLT_MATMUL_DESC_TRANSB, q.tb);
    set(op, CUBLASLT_MATMUL_DESC_EPILOGUE, q.epilogue);
    if (reads_bias(q.epilogue) || writes_bias(q.epilogue) || q.bias_too) {
        set(op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    }
    if (has_mask(q.epilogue) || has_aux(q.epilogue)) {
        set(op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
        set(op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)aux_ld);
    }
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace_bytes, sizeof(workspace_bytes));
    /* NVIDIA's 8-bit results with an operand beside them are off by one and more: not asked. */
    if (q.d == CUDA_R_8I && (has_mask(q.epilogue) || has_aux(q.epilogue))) {
        return;
    }
    if (!ASK(q.name + " heuristic", cublasLtMatmulAlgoGetHeuristic(
                                        h, op, la, lb, ld, ld, preference, 1, &result, &found))) {
        return;
    }
    if (!ASK(q.name,
             cublasLtMatmul(h, op, scalar(alpha, q.scale), a, la, b, lb, scalar(beta, q.scale), c,
                            ld, d, ld, &result.algo, workspace, workspace_bytes, 0))) {
        return;
    }
    show(q.name + " D", from_device(d, q.d, n * M * N), q.d, q.units);
    if (writes_bias(q.epilogue)) {
        show(q.name + " gradient",
             from_device(bias, bias_type, q.epilogue == CUBLASLT_EPILOGUE_BGRADB ? N : M),
             bias_type, q.units * 4);
    }
    if (writes_aux(q.epilogue) && has_mask(q.epilogue)) {
        std::vector<int> words = from_device((const int *)aux, 128 / 32 * N), used;

        for (int i = 0; i < N; i++) {
            used.push_back(words[(size_t)i * 4] & 0xffff); /* M bits a column */
        }
        show(q.name + " mask", used);
    } else if (writes_aux(q.epilogue)) {
        show(q.name + " kept", from_device(aux, q.d, n * M * N), q.d, q.units);
    }
}

static const struct {
    const char *name;
    cublasLtEpilogue_t number;
} epilogues[] = {
    { "relu", CUBLASLT_EPILOGUE_RELU },
    { "relu aux", CUBLASLT_EPILOGUE_RELU_AUX },
    { "bias", CUBLASLT_EPILOGUE_BIAS },
    { "relu bias", CUBLASLT_EPILOGUE_RELU_BIAS },
    { "relu aux bias", CUBLASLT_EPILOGUE_RELU_AUX_BIAS },
    { "drelu", CUBLASLT_EPILOGUE_DRELU },
    { "drelu bgrad", CUBLASLT_EPILOGUE_DRELU_BGRAD },
    { "gelu", CUBLASLT_EPILOGUE_GELU },
    { "gelu aux", CUBLASLT_EPILOGUE_GELU_AUX },
    { "gelu bias", CUBLASLT_EPILOGUE_GELU_BIAS },
    { "gelu aux bias", CUBLASLT_EPILOGUE_GELU_AUX_BIAS },
    { "dgelu", CUBLASLT_EPILOGUE_DGELU },
    { "dgelu bgrad", CUBLASLT_EPILOGUE_DGELU_BGRAD },
    { "bgrada", CUBLASLT_EPILOGUE_BGRADA },
    { "bgradb", CUBLASLT_EPILOGUE_BGRADB },
};

static void products()
{
    const question types[] = {
        question_of("S", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("D", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F),
        question_of("C", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F),
        question_of("Z", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F),
        question_of("H", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("B", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("H to S", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("B to S", CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("I8 to I32", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I),
        question_of("I8 to I8", CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32I),
        question_of("I8 to S", CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F),
        question_of("wrong S to D", CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F),
        question_of("wrong compute", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_32F),
        question_of("wrong scale", CUDA_R_32F, CUDA_R_32F, CUDA_R_64F, CUBLAS_COMPUTE_32F),
    };
    static const char *const letters[] = { "N", "T", "C" };

    for (question q : types) {
        std::string name = q.name;

        for (int ta = 0; ta < (is_complex(q.ab) ? 3 : 2); ta++) {
            for (int tb = 0; tb < (is_complex(q.ab) ? 3 : 2); tb++) {
                q.ta = (cublasOperation_t)ta;
                q.tb = (cublasOperation_t)tb;
                q.name = name + " " + letters[ta] + letters[tb];
                ask_product(q);
            }
        }
        q.ta =
            q.ab == CUDA_R_8I ? CUBLAS_OP_T : CUBLAS_OP_N; /* all that NVIDIA's has for integers */
        q.tb = CUBLAS_OP_N;
        q.name = name + " batches";
        q.batches = 3;
        ask_product(q);
        q.batches = 1;
        q.name = name + " rows";
        q.order = CUBLASLT_ORDER_ROW;
        ask_product(q);
        q.order = CUBLASLT_ORDER_COL;
        for (const auto &e : epilogues) {
            q.name = name + " " + e.name;
            q.epilogue = e.number;
            ask_product(q);
        }
        q.ta = q.tb = CUBLAS_OP_T;
        for (cublasLtEpilogue_t e : { CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB }) {
            q.epilogue = e;
            q.name = name + (e == CUBLASLT_EPILOGUE_BGRADA ? " bgrada TT" : " bgradb TT");
            ask_product(q);
        }
        q.ta = q.tb = CUBLAS_OP_N;
        q.bias_too = true;
        q.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
        q.name = name + " with a bias";
        ask_product(q);
        q.epilogue = CUBLASLT_EPILOGUE_GELU;
        q.name = name + " gelu with a bias";
        ask_product(q);
    }
}

/* --- wrong arguments --- */

static void descriptors()
{
    cublasLtMatmulDesc_t op = NULL;
    cublasLtMatrixLayout_t l = NULL;
    cublasLtMatmulPreference_t p = NULL;
    int32_t word = 1, back = 0;
    int64_t wide = 1;
    size_t written = 0;

    CODE(cublasLtMatmulDescCreate(&op, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CODE(cublasLtMatmulDescCreate(NULL, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CODE(cublasLtMatmulDescSetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &word, sizeof(word)));
    CODE(cublasLtMatmulDescSetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &word, 2));
    CODE(cublasLtMatmulDescSetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &wide, sizeof(wide)));
    CODE(cublasLtMatmulDescSetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, NULL, sizeof(word)));
    CODE(cublasLtMatmulDescSetAttribute(op, (cublasLtMatmulDescAttributes_t)999, &word,
                                        sizeof(word)));
    CODE(cublasLtMatmulDescSetAttribute(NULL, CUBLASLT_MATMUL_DESC_TRANSA, &word, sizeof(word)));
    CODE(cublasLtMatmulDescGetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &back, sizeof(back),
                                        &written));
    CODE(cublasLtMatmulDescGetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, NULL, 0, &written));
    CODE(
        cublasLtMatmulDescGetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &back, sizeof(back), NULL));
    CODE(cublasLtMatmulDescGetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &back, 2, &written));
    CODE(cublasLtMatmulDescGetAttribute(op, (cublasLtMatmulDescAttributes_t)999, &back,
                                        sizeof(back), &written));
    CODE(cublasLtMatmulDescDestroy(op));
    CODE(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 4, 4, 4));
    CODE(cublasLtMatrixLayoutCreate(NULL, CUDA_R_32F, 4, 4, 4));
    CODE(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 4, 4, 2));
    CODE(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 0, 4, 4));
    CODE(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 4, 4, -4));
    CODE(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &word,
                                          sizeof(word)));
    CODE(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &wide,
                                          sizeof(wide)));
    CODE(cublasLtMatrixLayoutSetAttribute(l, (cublasLtMatrixLayoutAttribute_t)999, &word,
                                          sizeof(word)));
    CODE(cublasLtMatrixLayoutGetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &back,
                                          sizeof(back), &written));
    CODE(cublasLtMatrixLayoutGetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &back, 1,
                                          &written));
    CODE(cublasLtMatrixLayoutDestroy(l));
    CODE(cublasLtMatmulPreferenceCreate(&p));
    CODE(cublasLtMatmulPreferenceCreate(NULL));
    CODE(cublasLtMatmulPreferenceSetAttribute(p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &wide,
                                              sizeof(wide)));
    CODE(cublasLtMatmulPreferenceSetAttribute(p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &word,
                                              sizeof(word)));
    CODE(cublasLtMatmulPreferenceDestroy(p));
}

static void wrong_products()
{
    question q = question_of("S", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    cublasLtMatmulDesc_t op = NULL;
    cublasLtMatmulPreference_t p = NULL;
    cublasLtMatmulHeuristicResult_t r;
    cublasLtMatrixLayout_t a = layout(CUDA_R_32F, M, K, q, false),
                           b = layout(CUDA_R_32F, K, N, q, false),
                           d = layout(CUDA_R_32F, M, N, q, false),
                           odd = layout(CUDA_R_32F, M, N + 1, q, false), thin = NULL;
    void *da = device(M * K * 4), *db = device(K * N * 4), *dd = device(M * N * 8);
    float one = 1, zero = 0;
    int found = 0;

    q.batches = 2;
    cublasLtMatrixLayout_t many = layout(CUDA_R_32F, M, N, q, false);
    cublasLtMatrixLayoutCreate(&thin, CUDA_R_32F, M, N, M - 1);
    cublasLtMatmulDescCreate(&op, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulPreferenceCreate(&p);
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(NULL, op, &one, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, NULL, &one, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, NULL, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, NULL, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, NULL, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, d, dd, NULL, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, odd, dd, odd, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, b, db, a, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, many, dd, many, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, thin, dd, thin, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, NULL, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, d, NULL, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, NULL, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &one, NULL, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmul(h, op, &zero, NULL, a, db, b, &one, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 1, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(NULL, op, a, b, d, d, p, 1, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, NULL, a, b, d, d, p, 1, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, NULL, 1, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 0, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 1, NULL, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 1, &r, NULL));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, odd, odd, p, 1, &r, &found));
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, thin, thin, p, 1, &r, &found));
    set(op, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS); /* and no bias */
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 1, &r, &found));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    set(op, CUBLASLT_MATMUL_DESC_EPILOGUE, (cublasLtEpilogue_t)7777);
    CODE(cublasLtMatmulAlgoGetHeuristic(h, op, a, b, d, d, p, 1, &r, &found));
    CODE(cublasLtMatmul(h, op, &one, da, a, db, b, &zero, dd, d, dd, d, NULL, NULL, 0, 0));
    CODE(cublasLtDestroy(NULL));
    CODE(cublasLtCreate(NULL));
}

int main(int argc, char **argv)
{
    arguments(argc, argv);
    CODE(cublasLtCreate(&h));
    workspace = device(workspace_bytes);
    descriptors();
    wrong_products();
    products();
    CODE(cublasLtDestroy(h));
    return 0;
}

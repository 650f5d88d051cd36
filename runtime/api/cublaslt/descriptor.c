/* SPDX-License-Identifier: MIT */
/* cuBLASLt, descriptors: create, initialise, and attributes by tables. Defaults and sizes are those
 * of "cuBLASLt Datatypes Reference".
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/cublaslt/lt.h"

struct attribute {
    int number;
    size_t offset, size;
};

#define FIELD(number, type, field) \
    { CUBLASLT_##number, offsetof(struct type, field), sizeof(((struct type *)0)->field) }

static const struct attribute layout_attributes[] = {
    FIELD(MATRIX_LAYOUT_TYPE, lt_layout, type),
    FIELD(MATRIX_LAYOUT_ORDER, lt_layout, order),
    FIELD(MATRIX_LAYOUT_ROWS, lt_layout, rows),
    FIELD(MATRIX_LAYOUT_COLS, lt_layout, columns),
    FIELD(MATRIX_LAYOUT_LD, lt_layout, ld),
    FIELD(MATRIX_LAYOUT_BATCH_COUNT, lt_layout, batches),
    FIELD(MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, lt_layout, stride),
    FIELD(MATRIX_LAYOUT_PLANE_OFFSET, lt_layout, plane),
    FIELD(MATRIX_LAYOUT_BATCH_MODE, lt_layout, batch_mode),
    { -1, 0, 0 },
};

static const struct attribute matmul_attributes[] = {
    FIELD(MATMUL_DESC_COMPUTE_TYPE, lt_matmul, compute),
    FIELD(MATMUL_DESC_SCALE_TYPE, lt_matmul, scale),
    FIELD(MATMUL_DESC_POINTER_MODE, lt_matmul, pointers),
    FIELD(MATMUL_DESC_TRANSA, lt_matmul, op_a),
    FIELD(MATMUL_DESC_TRANSB, lt_matmul, op_b),
    FIELD(MATMUL_DESC_TRANSC, lt_matmul, op_c),
    FIELD(MATMUL_DESC_FILL_MODE, lt_matmul, fill),
    FIELD(MATMUL_DESC_EPILOGUE, lt_matmul, epilogue),
    FIELD(MATMUL_DESC_BIAS_POINTER, lt_matmul, bias),
    FIELD(MATMUL_DESC_BIAS_BATCH_STRIDE, lt_matmul, bias_stride),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_POINTER, lt_matmul, aux),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_LD, lt_matmul, aux_ld),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, lt_matmul, aux_stride),
    FIELD(MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, lt_matmul, alpha_stride),
    FIELD(MATMUL_DESC_SM_COUNT_TARGET, lt_matmul, sm_count),
    FIELD(MATMUL_DESC_A_SCALE_POINTER, lt_matmul, scale_a),
    FIELD(MATMUL_DESC_B_SCALE_POINTER, lt_matmul, scale_b),
    FIELD(MATMUL_DESC_C_SCALE_POINTER, lt_matmul, scale_c),
    FIELD(MATMUL_DESC_D_SCALE_POINTER, lt_matmul, scale_d),
    FIELD(MATMUL_DESC_AMAX_D_POINTER, lt_matmul, amax),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, lt_matmul, aux_type),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, lt_matmul, aux_scale),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, lt_matmul, aux_amax),
    FIELD(MATMUL_DESC_FAST_ACCUM, lt_matmul, fast),
    FIELD(MATMUL_DESC_BIAS_DATA_TYPE, lt_matmul, bias_type),
    FIELD(MATMUL_DESC_A_SCALE_MODE, lt_matmul, scale_mode[0]),
    FIELD(MATMUL_DESC_B_SCALE_MODE, lt_matmul, scale_mode[1]),
    FIELD(MATMUL_DESC_C_SCALE_MODE, lt_matmul, scale_mode[2]),
    FIELD(MATMUL_DESC_D_SCALE_MODE, lt_matmul, scale_mode[3]),
    FIELD(MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, lt_matmul, scale_mode[4]),
    FIELD(MATMUL_DESC_D_OUT_SCALE_POINTER, lt_matmul, out_scale),
    FIELD(MATMUL_DESC_D_OUT_SCALE_MODE, lt_matmul, scale_mode[5]),
    FIELD(MATMUL_DESC_EMULATION_DESCRIPTOR, lt_matmul, emulation),
    { -1, 0, 0 },
};

static const struct attribute preference_attributes[] = {
    FIELD(MATMUL_PREF_SEARCH_MODE, lt_preference, search),
    FIELD(MATMUL_PREF_MAX_WORKSPACE_BYTES, lt_preference, workspace),
    FIELD(MATMUL_PREF_REDUCTION_SCHEME_MASK, lt_preference, reduction),
    FIELD(MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, lt_preference, alignment[0]),
    FIELD(MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, lt_preference, alignment[1]),
    FIELD(MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, lt_preference, alignment[2]),
    FIELD(MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, lt_preference, alignment[3]),
    FIELD(MATMUL_PREF_MAX_WAVES_COUNT, lt_preference, waves),
    FIELD(MATMUL_PREF_IMPL_MASK, lt_preference, implementations),
    { -1, 0, 0 },
};

static const struct attribute *attribute_find(const struct attribute *table, int number)
{
    while (table->number >= 0 && table->number != number) {
        table++;
    }
    return table->number >= 0 ? table : NULL;
}

static cublasStatus_t attribute_set(const struct attribute *table, void *descriptor, int number,
                                    const void *value, size_t size)
{
    const struct attribute *a = attribute_find(table, number);

    LT_REQUIRE(descriptor && a && value && size == a->size);
    memcpy((char *)descriptor + a->offset, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* A size of 0 asks how large the attribute is. */
static cublasStatus_t attribute_get(const struct attribute *table, const void *descriptor,
                                    int number, void *value, size_t size, size_t *written)
{
    const struct attribute *a = attribute_find(table, number);

    LT_REQUIRE(descriptor && a && (size || written));
    LT_REQUIRE(size == 0 || (value && size >= a->size));
    if (size) {
        memcpy(value, (const char *)descriptor + a->offset, a->size);
    }
    if (written) {
        *written = a->size;
    }
    return CUBLAS_STATUS_SUCCESS;
}

#define ATTRIBUTES(Name, type, name, table, kind)                                        \
    cublasStatus_t cublasLt##Name##SetAttribute(type name, kind attr, const void *buf,   \
                                                size_t sizeInBytes)                      \
    {                                                                                    \
        return attribute_set(table, name, (int)attr, buf, sizeInBytes);                  \
    }                                                                                    \
    cublasStatus_t cublasLt##Name##GetAttribute(type name, kind attr, void *buf,         \
                                                size_t sizeInBytes, size_t *sizeWritten) \
    {                                                                                    \
        return attribute_get(table, name, (int)attr, buf, sizeInBytes, sizeWritten);     \
    }                                                                                    \
    cublasStatus_t cublasLt##Name##Destroy(type name)                                    \
    {                                                                                    \
        free(name);                                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                    \
    }

ATTRIBUTES(MatrixLayout, cublasLtMatrixLayout_t, matLayout, layout_attributes,
           cublasLtMatrixLayoutAttribute_t)
ATTRIBUTES(MatmulDesc, cublasLtMatmulDesc_t, matmulDesc, matmul_attributes,
           cublasLtMatmulDescAttributes_t)
ATTRIBUTES(MatmulPreference, cublasLtMatmulPreference_t, pref, preference_attributes,
           cublasLtMatmulPreferenceAttributes_t)

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld)
{
    struct lt_layout l = { .type = type, .rows = rows, .columns = cols, .ld = ld, .batches = 1 };

    LT_REQUIRE(matLayout && size >= sizeof(*matLayout));
    memset(matLayout, 0, sizeof(*matLayout));
    memcpy(matLayout, &l, sizeof(l));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, size_t size,
                                               cublasComputeType_t computeType,
                                               cudaDataType_t scaleType)
{
    struct lt_matmul m = { .compute = computeType,
                           .scale = scaleType,
                           .fill = CUBLAS_FILL_MODE_FULL,
                           .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                           .aux_type = -1,
                           .bias_type = -1 };

    LT_REQUIRE(matmulDesc && size >= sizeof(*matmulDesc));
    memset(matmulDesc, 0, sizeof(*matmulDesc));
    memcpy(matmulDesc, &m, sizeof(m));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, size_t size)
{
    struct lt_preference p = { .reduction = CUBLASLT_REDUCTION_SCHEME_MASK,
                               .alignment = { 256, 256, 256, 256 },
                               .implementations = UINT64_MAX };

    LT_REQUIRE(pref && size >= sizeof(*pref));
    memset(pref, 0, sizeof(*pref));
    memcpy(pref, &p, sizeof(p));
    return CUBLAS_STATUS_SUCCESS;
}

#define CREATE(out, ...)                                          \
    do {                                                          \
        LT_REQUIRE(out);                                          \
        *(out) = malloc(sizeof(**(out)));                         \
        return *(out) ? __VA_ARGS__ : CUBLAS_STATUS_ALLOC_FAILED; \
    } while (0)

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    CREATE(matLayout, cublasLtMatrixLayoutInit(*matLayout, type, rows, cols, ld));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc,
                                        cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    CREATE(matmulDesc, cublasLtMatmulDescInit(*matmulDesc, computeType, scaleType));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    CREATE(pref, cublasLtMatmulPreferenceInit(*pref));
}

/* SPDX-License-Identifier: MIT */
/* cuSPARSE, tridiagonal systems: gtsv2. All are solved with row exchanges, also those without
 * pivoting. */
#include "runtime/api/cusparse/sparse.h"

cusparseStatus_t bands_size(cusparseHandle_t h, int64_t m, int64_t n, int64_t ld, size_t *bytes)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(bytes);
    (void)m; /* a solve looks at these */
    (void)n;
    (void)ld;
    *bytes = SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

static struct library_call bands_call(cudaDataType type, int m, int n, const void *dl,
                                      const void *d, const void *du)
{
    struct library_call c = library_call_of(LIBRARY_GTSV, type);

    c.n[0] = m;
    c.n[1] = n;
    c.operand[0] = sparse_array(dl, m, type);
    c.operand[1] = sparse_array(d, m, type);
    c.operand[2] = sparse_array(du, m, type);
    return c;
}

cusparseStatus_t bands_solve(cusparseHandle_t h, const char *name, cudaDataType type, int m, int n,
                             const void *dl, const void *d, const void *du, void *b, int ld)
{
    struct library_call c;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(m >= 3 && n >= 0 && ld >= m);
    if (n == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c = bands_call(type, m, n, dl, d, du);
    c.operand[3] = library_matrix(b, m, n, ld, type);
    return sparse_launch(h, name, &c);
}

cusparseStatus_t bands_batch(cusparseHandle_t h, const char *name, cudaDataType type, int m,
                             const void *dl, const void *d, const void *du, void *x, int batches,
                             int stride)
{
    struct library_call c;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(m >= 3 && batches >= 0 && stride >= m);
    if (batches == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c = bands_call(type, m, 1, dl, d, du);
    c.operand[3] = sparse_array(x, m, type);
    c.batches = (uint64_t)batches;
    for (unsigned i = 0; i < 4; i++) {
        c.operand[i].batch_pitch = c.operand[i].pitch / m * stride;
    }
    return sparse_launch(h, name, &c);
}

/* SPDX-License-Identifier: MIT */
/* gemm.c includes this once for each precision: T, NATIVE (its enum library_type), FMA, ROWS,
 * TILE_OF and NAME(name) are its own.
 */

/* An element of op(M); those that need no conversion without a call */
static inline T NAME(get)(const struct matrix *m, uint64_t row, uint64_t column, unsigned part)
{
    return m->type == NATIVE
               ? ((const T *)m->data)[m->turned ? column + row * m->ld : row + column * m->ld]
               : (T)matrix_get(m, row, column, part);
}

/* Columns k0 .. k0 + kk - 1 of op(A), ROWS rows side by side. A complex element becomes two
 * columns: @imaginary: (re, im), else (re, -im). */
static void NAME(pack_a)(const struct matrix *a, uint64_t m, uint64_t k0, uint64_t kk,
                         unsigned parts, bool imaginary, T *to)
{
    for (uint64_t i0 = 0; i0 < m; i0 += ROWS) {
        for (uint64_t p = 0; p < kk; p++) {
            for (unsigned part = 0; part < parts; part++) {
                for (uint64_t i = i0; i < i0 + ROWS; i++, to++) {
                    T v = i < m ? NAME(get)(a, i, k0 + p, part) : 0;

                    *to = part && !imaginary ? -v : v;
                }
            }
        }
    }
}

/* Rows of op(B), LIBRARY_TILE_COLUMNS columns side by side; @imaginary: (im, re), else (re, im). */
static void NAME(pack_b)(const struct matrix *b, uint64_t n, uint64_t k0, uint64_t kk,
                         unsigned parts, bool imaginary, T *to)
{
    for (uint64_t j0 = 0; j0 < n; j0 += LIBRARY_TILE_COLUMNS) {
        for (uint64_t p = 0; p < kk; p++) {
            for (unsigned part = 0; part < parts; part++) {
                for (uint64_t j = j0; j < j0 + LIBRARY_TILE_COLUMNS; j++, to++) {
                    *to = j < n ? NAME(get)(b, k0 + p, j, imaginary ? !part : part) : 0;
                }
            }
        }
    }
}

/* One plane of the product, real or imaginary: mp x np sums, both rounded up to whole tiles. */
static T *NAME(plane_new)(const struct library_call *c, const struct matrix *a,
                          const struct matrix *b, uint64_t mp, uint64_t np, bool imaginary)
{
    uint64_t m = (uint64_t)c->n[0], n = (uint64_t)c->n[1], k = (uint64_t)c->n[2];
    unsigned parts = library_type_complex(c->operand[2].type) ? 2 : 1;
    uint64_t depth = MIN(DEPTH, MAX(k, 1));
    T *pa = g_new(T, mp * depth * parts), *pb = g_new(T, np * depth * parts);
    T *sums = g_new0(T, mp * np);

    for (uint64_t k0 = 0; k0 < k; k0 += depth) {
        uint64_t kk = MIN(depth, k - k0);

        NAME(pack_a)(a, m, k0, kk, parts, imaginary, pa);
        NAME(pack_b)(b, n, k0, kk, parts, imaginary, pb);
        for (uint64_t j = 0; j < np; j += LIBRARY_TILE_COLUMNS) {
            for (uint64_t i = 0; i < mp; i += ROWS) {
                library_kernels_get()->TILE_OF(kk * parts, pa + i * kk * parts, pb + j * kk * parts,
                                               sums + i + j * mp, mp);
            }
        }
    }
    g_free(pa);
    g_free(pb);
    return sums;
}

/* alpha sum + beta C of a complex element */
static void NAME(put_complex)(const struct library_work *w, void *c, uint32_t type, uint64_t at,
                              T re, T im)
{
    T ar = (T)w->scalar[0][0], ai = (T)w->scalar[0][1];
    T br = (T)w->scalar[1][0], bi = (T)w->scalar[1][1];
    T vr = FMA(-ai, im, ar * re), vi = FMA(ai, re, ar * im);

    if (br != 0 || bi != 0) {
        T cr = (T)library_element_get(c, type, at, 0), ci = (T)library_element_get(c, type, at, 1);

        vr = FMA(-bi, ci, FMA(br, cr, vr));
        vi = FMA(bi, cr, FMA(br, ci, vi));
    }
    library_element_put(c, type, at, vr, vi);
}

static void NAME(put)(const struct library_work *w, uint64_t mp, const T *re, const T *im)
{
    uint32_t type = w->call->operand[2].type;
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    T alpha = (T)w->scalar[0][0], beta = (T)w->scalar[1][0];
    void *c = w->data[2];

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < m; i++) {
            uint64_t at = i + j * m;

            if (im) {
                bool real = w->call->mode[3] & LIBRARY_HERMITIAN && i == j;

                NAME(put_complex)(w, c, type, at, re[i + j * mp], im[i + j * mp]);
                if (real) {
                    library_element_put(c, type, at, library_element_get(c, type, at, 0), 0);
                }
            } else {
                T v = alpha * re[i + j * mp];

                if (type == NATIVE) {
                    T *to = (T *)c + at;

                    *to = beta == 0 ? v : FMA(beta, *to, v);
                    v = *to;
                } else if (beta != 0) {
                    v = FMA(beta, (T)library_element_get(c, type, at, 0), v);
                }
                if (type != NATIVE || v != v) { /* one form of a NaN */
                    library_element_put(c, type, at, v, 0);
                }
            }
        }
    }
}

static void NAME(gemm)(struct library_work *w)
{
    const struct library_call *c = w->call;
    uint64_t m = (uint64_t)c->n[0], n = (uint64_t)c->n[1], k = (uint64_t)c->n[2];
    uint64_t mp = (m + ROWS - 1) / ROWS * ROWS;
    uint64_t np = (n + LIBRARY_TILE_COLUMNS - 1) / LIBRARY_TILE_COLUMNS * LIBRARY_TILE_COLUMNS;
    bool none = w->scalar[0][0] == 0 && w->scalar[0][1] == 0; /* A and B were not read */
    bool is_complex = library_type_complex(c->operand[2].type);
    struct matrix a, b;
    T *re, *im;

    if (!none) {
        a = matrix_of(w, 0, m, k);
        b = matrix_of(w, 1, k, n);
    }
    re = none ? g_new0(T, mp * np) : NAME(plane_new)(c, &a, &b, mp, np, false);
    im = !is_complex ? NULL : none ? g_new0(T, mp * np) : NAME(plane_new)(c, &a, &b, mp, np, true);
    NAME(put)(w, mp, re, im);
    g_free(re);
    g_free(im);
}

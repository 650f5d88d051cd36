/* SPDX-License-Identifier: MIT */
/* Products of matrices. Each element is one chain of fused multiply-adds, k ascending from 0, as a
 * kernel's plain loop has it; a complex one is two chains of twice the length. Then alpha and beta.
 */
#include <glib.h>
#include <math.h>

#include "model/library/element.h"
#include "model/library/kernel.h"
#include "model/library/work.h"

#define DEPTH 256u /* of a packed panel */

/**
 * struct matrix - an operand as packing sees it
 * @sign: of imaginary parts
 */
struct matrix {
    const void *data;
    uint32_t type;
    uint64_t ld;
    bool turned;
    double sign;
};

static bool product_fits(int64_t a, int64_t b, const struct library_operand *o)
{
    uint64_t want;

    return a >= 0 && b >= 0 && !__builtin_mul_overflow((uint64_t)a, (uint64_t)b, &want) &&
           want == library_operand_count(o);
}

const char *library_gemm_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool is_complex = library_type_complex(o[2].type);
    const uint32_t square = LIBRARY_SYMMETRIC | LIBRARY_HERMITIAN | LIBRARY_TRIANGLE;

    if (!product_fits(c->n[0], c->n[2], &o[0]) || !product_fits(c->n[2], c->n[1], &o[1]) ||
        !product_fits(c->n[0], c->n[1], &o[2])) {
        return "library call: a matrix of another size";
    }
    for (unsigned i = 0; i < 3; i++) {
        if (o[i].type == LIBRARY_R_64I || o[i].type == LIBRARY_R_64U ||
            library_type_complex(o[i].type) != is_complex) {
            return "library call: a product of these types";
        }
        if (c->mode[1 + i] & square && o[i].rows != o[i].columns) {
            return "library call: half a matrix that is not square";
        }
    }
    return NULL;
}

/* The half that was not read. @o is square. */
static void half_fill(void *data, const struct library_operand *o, uint32_t mode)
{
    bool upper = o->flags & LIBRARY_UPPER;
    double sign = mode & LIBRARY_HERMITIAN ? -1 : 1;

    for (uint64_t j = 0; j < o->rows; j++) {
        for (uint64_t i = 0; mode & (LIBRARY_SYMMETRIC | LIBRARY_HERMITIAN) && i < j; i++) {
            uint64_t from = upper ? i + j * o->columns : j + i * o->columns;
            uint64_t to = upper ? j + i * o->columns : i + j * o->columns;

            library_element_put(data, o->type, to, library_element_get(data, o->type, from, 0),
                                sign * library_element_get(data, o->type, from, 1));
        }
        if (o->flags & LIBRARY_UNIT) {
            library_element_put(data, o->type, j * (o->columns + 1), 1, 0);
        } else if (mode & LIBRARY_HERMITIAN) {
            library_element_put(data, o->type, j * (o->columns + 1),
                                library_element_get(data, o->type, j * (o->columns + 1), 0), 0);
        }
    }
}

static struct matrix matrix_of(const struct library_work *w, unsigned i, uint64_t rows,
                               uint64_t columns)
{
    const struct library_operand *o = &w->call->operand[i];
    uint32_t mode = w->call->mode[1 + i];
    bool turned = mode & LIBRARY_TRANSPOSED;

    if (o->flags & (LIBRARY_UPPER | LIBRARY_LOWER)) {
        half_fill(w->data[i], o, mode);
    }
    return (struct matrix){ w->data[i], o->type, turned ? columns : rows, turned,
                            mode & LIBRARY_CONJUGATED ? -1 : 1 };
}

static double matrix_get(const struct matrix *m, uint64_t row, uint64_t column, unsigned part)
{
    double v = library_element_get(m->data, m->type,
                                   m->turned ? column + row * m->ld : row + column * m->ld, part);

    return part ? m->sign * v : v;
}

#define T float
#define NATIVE LIBRARY_R_32F
#define FMA fmaf
#define ROWS LIBRARY_TILE_32
#define TILE_OF tile32
#define NAME(name) name##_32
#include "model/library/gemm_body.h"
#undef T
#undef NATIVE
#undef FMA
#undef ROWS
#undef TILE_OF
#undef NAME

#define T double
#define NATIVE LIBRARY_R_64F
#define FMA fma
#define ROWS LIBRARY_TILE_64
#define TILE_OF tile64
#define NAME(name) name##_64
#include "model/library/gemm_body.h"

static void cost_add(struct library_work *w, bool twice)
{
    uint64_t fmas = (uint64_t)w->call->n[0] * (uint64_t)w->call->n[1] *
                    (uint64_t)MAX(w->call->n[2], 1) *
                    (library_type_complex(w->call->operand[2].type) ? 4 : 1);
    uint32_t type = w->call->operand[0].type;

    *(twice                          ? &w->cost.twice
      : library_type_bytes(type) < 4 ? &w->cost.half
                                     : &w->cost.single) += fmas;
}

void library_gemm_run(struct library_work *w)
{
    bool twice = library_type_double(w->call->mode[0]);

    if (w->call->n[0] == 0 || w->call->n[1] == 0) {
        return; /* however long the chains of no element are */
    }
    if (twice) {
        gemm_64(w);
    } else {
        gemm_32(w);
    }
    cost_add(w, twice && w->call->mode[0] != LIBRARY_R_32I);
}

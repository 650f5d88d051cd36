/* SPDX-License-Identifier: MIT */
/* How the chips sum products of floating point other than f64: see mma_float.h. */
#ifndef MODEL_IGPU_MATRIX_MMA_RULE_H
#define MODEL_IGPU_MATRIX_MMA_RULE_H

#include "model/igpu/matrix/sm_matrix.h"

/**
 * struct mma_rule
 * @block: products that are added at once; @frac: bits that are kept below the highest
 */
struct mma_rule {
    u32 block, frac;
};

static inline struct mma_rule mma_rule_of(u32 sm, enum ptx_elem e)
{
    u32 narrow = e == PTX_ELEM_TF32 ? 2 : 1;

    if (sm < 75) {
        return (struct mma_rule){ 4, 23 };
    }
    if (sm < 80) {
        return (struct mma_rule){ 4, 24 };
    }
    return sm < 90 ? (struct mma_rule){ 8 / narrow, 24 } : (struct mma_rule){ 16 / narrow, 25 };
}

#endif

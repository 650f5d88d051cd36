/* SPDX-License-Identifier: MIT */
#ifndef MODEL_REGS_REG_H
#define MODEL_REGS_REG_H

#include <stdint.h>

/* A field F has F_LSB and F_WIDTH; both come from the lists in this folder. */
#define FIELD_MASK(f) ((uint32_t)(((UINT64_C(1) << f##_WIDTH) - 1) << f##_LSB))
#define FIELD_GET(f, v) (((uint32_t)(v) & FIELD_MASK(f)) >> f##_LSB)
#define FIELD_PUT(f, v) (((uint32_t)(v) << f##_LSB) & FIELD_MASK(f))

#endif

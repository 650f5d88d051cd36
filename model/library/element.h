/* SPDX-License-Identifier: MIT */
/* Elements of any type as numbers. Every type but 64-bit integers fits a double. */
#ifndef MODEL_LIBRARY_ELEMENT_H
#define MODEL_LIBRARY_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/library/call.h"

/* Bytes of an element; 0: there is no such type here. */
static inline unsigned library_type_bytes(uint32_t type)
{
    switch (type) {
    case LIBRARY_R_8I:
    case LIBRARY_R_8U:
        return 1;
    case LIBRARY_R_16F:
    case LIBRARY_R_16BF:
        return 2;
    case LIBRARY_R_32F:
    case LIBRARY_R_32I:
    case LIBRARY_R_32U:
        return 4;
    case LIBRARY_R_64F:
    case LIBRARY_C_32F:
    case LIBRARY_R_64I:
    case LIBRARY_R_64U:
        return 8;
    case LIBRARY_C_64F:
        return 16;
    default:
        return 0;
    }
}

static inline bool library_type_complex(uint32_t type)
{
    return type == LIBRARY_C_32F || type == LIBRARY_C_64F;
}

static inline bool library_type_float(uint32_t type)
{
    return type == LIBRARY_R_32F || type == LIBRARY_R_64F || type == LIBRARY_R_16F ||
           type == LIBRARY_R_16BF || library_type_complex(type);
}

/* Is double precision needed to add these? */
static inline bool library_type_double(uint32_t type)
{
    return type == LIBRARY_R_64F || type == LIBRARY_C_64F || type == LIBRARY_R_32I;
}

float library_half_to_float(uint16_t h);
uint16_t library_half_from_float(float f); /* to the nearest, ties to even */
float library_bfloat_to_float(uint16_t b);
uint16_t library_bfloat_from_float(float f);

/* @part: 0 real, 1 imaginary */
double library_element_get(const void *data, uint32_t type, uint64_t i, unsigned part);
/* A NaN is stored as the device's (model/igpu/intrinsic.h), so that no host shows. */
void library_element_put(void *data, uint32_t type, uint64_t i, double re, double im);

#endif

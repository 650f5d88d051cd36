/* SPDX-License-Identifier: MIT */
/* The loops over elements that take most of the time, with AVX2 where the machine has it.
 *
 * Each has a plain version, which is the rule, and fast ones that give the same numbers: integers
 * of up to 50 bits are exact in a double, and so are their products with powers of two, so that
 * adding one half and cutting off rounds half away from zero just as dla_shr() does.
 */
#ifndef MODEL_DLA_VEC_H
#define MODEL_DLA_VEC_H

#include "model/dla/dla.h"

/* Elements that come from memory, or go there. */
void dla_vec_widen8(const uint8_t *b, size_t n, int32_t *out);
void dla_vec_widen8_16(const uint8_t *b, size_t n, int16_t *out);
void dla_vec_narrow8(const int32_t *v, size_t n, uint8_t *out); /* the low byte of each */

/* out[i] = the larger (or smaller) of out[i] and v[i] */
void dla_vec_max(int32_t *out, const int32_t *v, size_t n);
void dla_vec_min(int32_t *out, const int32_t *v, size_t n);

/**
 * dla_vec_x - stage X1 or X2 of the integer SDP over channels of a pixel
 * @v: in and out, @n of them
 * @alu, @mul: operands from memory, n of each; where the stage takes none from there not looked at
 */
typedef void dla_vec_x(const struct dla_stage *s, int32_t *v, size_t n, const int32_t *alu,
                       const int32_t *mul);
/**
 * dla_vec_c - (v - offset) * scale >> truncate, saturated to @bits
 *
 * Return: how many were saturated.
 */
typedef uint32_t dla_vec_c(const struct dla_cvt *cvt, unsigned bits, int32_t *v, size_t n);

/* The versions for this machine, the fastest first, NULL past the last. */
dla_vec_x *dla_vec_x_at(unsigned i);
dla_vec_c *dla_vec_c_at(unsigned i);

#endif

/* SPDX-License-Identifier: MIT */
/* The two-level look-up table that SDP (Y) and CDP share. Source: lut-programming.rst. */
#ifndef MODEL_DLA_LUT_H
#define MODEL_DLA_LUT_H

#include "model/dla/dla.h"

/**
 * dla_lut_int - table output for an integer
 * @frac_bits: of the position between two entries: 35 in the SDP, 16 in the CDP
 * @bits: of the output: 32 in the SDP, 16 in the CDP
 */
int32_t dla_lut_int(const struct dla_lut *lut, int64_t x, unsigned frac_bits, unsigned bits,
                    struct dla_stats *stats);
/* The fp16 pipelines: fp32 in, fp17 out. CDP interpolates y0 + (y1 - y0) * f, SDP y0 * (1 - f) +
 * y1 * f. */
uint32_t dla_lut_fp(const struct dla_lut *lut, uint32_t x, bool cdp, struct dla_stats *stats);

#endif

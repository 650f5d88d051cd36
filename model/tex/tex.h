/* SPDX-License-Identifier: MIT */
/* The texture unit: between the SMs and the L2, with a cache of its own.
 *
 * The cache is not coherent: stores of the kernel that fetches do not reach it, and a line stays
 * until it is evicted (PTX ISA 9.7.10: texture memory is cached, and within one kernel the cache is
 * not coherent with writes to the texture's memory). Each grid begins with an empty cache.
 * Surface loads and stores go through the L2 alone.
 *
 * Numbers, measured on an H200 (tests/golden/tex_fetch_h200_580.159.04.txt), documented in the CUDA
 * Programming Guide, Texture Fetching: fractions have 8 bits, rounded to the nearest. Weights of
 * two dimensions are 8-bit products (filter.c); fractions of integers are kept as 16-bit fractions.
 */
#ifndef MODEL_TEX_TEX_H
#define MODEL_TEX_TEX_H

#include "model/bus.h"

extern const struct bus_tex_ops tex_ops;

#endif

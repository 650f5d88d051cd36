/* SPDX-License-Identifier: MIT */
/* fp16 as its bits, from and to double. */
#ifndef DLABUILD_HALF_H
#define DLABUILD_HALF_H

#include <stdint.h>

double half_to_double(int32_t bits);
/* Nearest, ties to even; what is too large becomes the largest number, as the DLA has it. */
int32_t half_from_double(double v);

#endif

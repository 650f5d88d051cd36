/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_runtime.h; include that. First half of the kernel language under clang: what must
 * stand before the C++ library's <cmath>, so that sin(), min() and their like exist on both sides.
 */
#ifndef VTEGRA_DEVICE_BEGIN_H
#define VTEGRA_DEVICE_BEGIN_H

#include "../host_defines.h"

#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang's headers choose their functions by these. */
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif

#endif

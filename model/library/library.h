/* SPDX-License-Identifier: MIT */
/* Calls of NVIDIA's libraries, which come as machine code, as operations of the SMs.
 *
 * Operands come through the port of the SM that runs the call, at most LIBRARY_STEP bytes a step,
 * are computed in a fixed order, and go back the same way: between two steps others may come, as
 * they may between two instructions of the real kernels. Results depend on the operands alone: not
 * on the host, its vectors, the compiler or the order of steps.
 */
#ifndef MODEL_LIBRARY_LIBRARY_H
#define MODEL_LIBRARY_LIBRARY_H

#include "model/bus.h"

extern const struct bus_library_ops library_ops;

/* Which of the host's vectors are used: "base", "avx2", "avx512"; for tests. Return: false: not
 * here. */
bool library_select_named(const char *name);

#endif

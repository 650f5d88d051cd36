/* SPDX-License-Identifier: MIT */
/* What the threads of a block can do to shared memory between two of its barriers, from the code:
 * loads that no store can be beside need no check. Pure.
 */
#ifndef MODEL_IGPU_RACE_REGION_H
#define MODEL_IGPU_RACE_REGION_H

#include <stdint.h>

#include "ptx/ptx.h"

/* Accesses that may be to shared memory, bits */
#define REGION_LOAD 1u
#define REGION_STORE 2u
#define REGION_ATOMIC_32 4u /* atomic operations of 4 bytes, of 8, of other sizes */
#define REGION_ATOMIC_64 8u
#define REGION_ATOMIC 16u

/**
 * region_find - what is reached from an instruction on before a barrier, REGION_
 * @f: its barriers are of whole blocks, and it calls none
 * Return: by instruction, and one more of the end; NULL: branches to where is not known. Freed by
 * g_free()
 */
uint8_t *region_find(const struct ptx_func *f);

#endif

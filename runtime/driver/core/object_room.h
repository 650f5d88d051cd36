/* SPDX-License-Identifier: MIT */
/* How many objects a program may have at a time. */
#ifndef RUNTIME_DRIVER_CORE_OBJECT_ROOM_H
#define RUNTIME_DRIVER_CORE_OBJECT_ROOM_H

#include "include/cuda.h"

/**
 * object_room - may a call make @n more objects with handles?
 * @what: of the finding: "event"
 *
 * Asked before anything is made. Source: the limit is ours; a board's is its memory, so that the
 * code is the one for memory.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_OUT_OF_MEMORY after a finding.
 */
CUresult object_room(const char *api, unsigned n, const char *what);

#endif

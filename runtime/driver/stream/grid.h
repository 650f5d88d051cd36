/* SPDX-License-Identifier: MIT */
/* Numbers of grids: in records, and in what the report says of a kernel. */
#ifndef RUNTIME_DRIVER_STREAM_GRID_H
#define RUNTIME_DRIVER_STREAM_GRID_H

#include <stdint.h>

uint32_t grid_last(void); /* of the newest kernel; 0: there was none */
void grid_next(void);     /* a kernel is about to be submitted */

#endif

/* SPDX-License-Identifier: MIT */
/* Faults of the GPU, work that cannot end, and the board's loss. */
#ifndef RUNTIME_DRIVER_MODULE_FAULT_H
#define RUNTIME_DRIVER_MODULE_FAULT_H

#include "include/cuda.h"

struct channel;
struct context;

void fault_init(void);
void fault_service(void);
void fault_context(struct context *context, CUresult code);
void fault_interrupted(struct channel *channel, const char *signal);

#endif

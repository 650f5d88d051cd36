/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_CONTEXT_H
#define RUNTIME_DRIVER_CONTEXT_H

#include "runtime/driver/core.h"

CUresult context_new(unsigned flags, struct context **out);
void context_destroy(struct context *context); /* waits for its work unless it has failed */

#endif

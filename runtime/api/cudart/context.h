/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_CUDART_CONTEXT_H
#define RUNTIME_CUDART_CONTEXT_H

#include "runtime/api/cudart/rt.h"

/* Makes the device's primary context current and the device the thread's choice. */
cudaError_t rt_device_set(int device);

/* The thread's choice for when it needs a context; nothing is initialised. */
void rt_device_prefer(int device);

/* Destroys the device's primary context; every thread that used it gets a new one at its next call.
 */
cudaError_t rt_device_reset(int device);

#endif

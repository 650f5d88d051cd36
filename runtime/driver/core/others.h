/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_CORE_OTHERS_H
#define RUNTIME_DRIVER_CORE_OTHERS_H

#include "runtime/driver/core/fence.h"

/* The calling thread is about to wait for @fence: under the lazy policy other threads of the
 * program go first, for some time of the host. The core's lock is held, and free meanwhile. */
void others_first(struct fence fence);

#endif

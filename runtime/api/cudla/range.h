/* SPDX-License-Identifier: MIT */
/* API ranges of cuDLA: on with CUDLA_NVTX_LEVEL=1 (note 5.3; the edition of cuDLA 1.0.0 prints
 * CUDA_NVTX_LEVEL). Tasks and layers are in every trace as the DLA's own records. */
#ifndef RUNTIME_CUDLA_RANGE_H
#define RUNTIME_CUDLA_RANGE_H

#include <stdlib.h>

#include "include/cudla.h"
#include "runtime/driver/core/rt_range.h"
#include "runtime/driver/device/rt_init.h"

static inline int range_level(void)
{
    const char *level = getenv("CUDLA_NVTX_LEVEL");

    level = level ? level : getenv("CUDA_NVTX_LEVEL");
    return level ? atoi(level) : 0;
}

static inline void range_begin(const char *api)
{
    if (range_level() > 0 && !rt_init(0)) { /* the first call of all has its range as well */
        rt_range(RT_RANGE_PUSH, "cudla", api, 0);
    }
}

static inline cudlaStatus range_end(cudlaStatus status)
{
    if (range_level() > 0) {
        rt_range(RT_RANGE_POP, "cudla", NULL, 0);
    }
    return status;
}

/* return TRACED(rt_dla_...): the call of ours inside the range of the function it stands in. */
#define TRACED(call) (range_begin(__func__), range_end(call))

#endif

/* SPDX-License-Identifier: MIT */
/* Memory between a stream and an engine that does not see the iGPU's L2. */
#ifndef RUNTIME_DRIVER_ENGINES_INTEROP_H
#define RUNTIME_DRIVER_ENGINES_INTEROP_H

#include "runtime/driver/core/work.h"

enum { ENGINE_INDEPENDENT = 1, ENGINE_ISOLATED = 2 };
/* CUDA_EXTERNAL_ENGINE_EXECUTION_MODE; 0 where the edition or the SoC has none. */
unsigned engine_mode(void);

extern const struct work_kind work_give; /* the stream's memory to the other engine */
extern const struct work_kind work_take; /* and back, at work.fence */

#endif

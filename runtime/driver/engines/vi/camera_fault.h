/* SPDX-License-Identifier: MIT */
/* The VI's registers, and its captures that fail: apart from what waits for it, since a wait calls
 * this. */
#ifndef RUNTIME_DRIVER_ENGINES_VI_CAMERA_FAULT_H
#define RUNTIME_DRIVER_ENGINES_VI_CAMERA_FAULT_H

#include <stdint.h>

#include "model/regs/regs.h"
#include "runtime/driver/core/core.h"

static inline uint32_t camera_read(uint32_t reg)
{
    return hal_read32(core_hal(), UNIT_VI, reg);
}

static inline void camera_write(uint32_t reg, uint32_t value)
{
    hal_write32(core_hal(), UNIT_VI, reg, value);
}

/* camera_fault_service - report a capture that has failed since; called by each wait */
void camera_fault_service(void);

/* camera_fault_init - report failures from now on, and name queued buffers where a run is stuck */
void camera_fault_init(void);

#endif

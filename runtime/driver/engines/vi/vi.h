/* SPDX-License-Identifier: MIT */
/* Inside the driver core: the VI. */
#ifndef RUNTIME_DRIVER_ENGINES_VI_VI_H
#define RUNTIME_DRIVER_ENGINES_VI_VI_H

#include <glib.h>

#include "model/rules/port.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/engines/vi/rt_camera.h"
#include "runtime/hal.h"

/**
 * struct rt_camera_buffer
 * @shared: NULL: pages of the program's, [@at, @at + @bytes)
 * @mem: what is mapped; @registered: it was registered for this buffer; @adopted: pages of that
 * which can be closed to the CPU; @device: they are a GPU's
 * @iova: of the first byte of the buffer; @mapped_iova, @mapped: what was mapped
 */
struct rt_camera_buffer {
    struct rt_shared *shared;
    uint8_t *at;
    size_t bytes;
    struct hal_mem mem, adopted;
    bool registered, device;
    uint64_t iova, mapped_iova, mapped;
};

#endif

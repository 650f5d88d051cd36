/* SPDX-License-Identifier: MIT */
/* For the files of this room alone. */
#ifndef RUNTIME_DRIVER_DEVICE_CONTEXT_INTERNAL_H
#define RUNTIME_DRIVER_DEVICE_CONTEXT_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/device/context.h"

struct context {
    struct object base;
    struct device *device;
    uint64_t id;
    bool primary;
    unsigned flags;
    uint32_t index;
    CUresult error;
    void *part[CONTEXT_PARTS];
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
};

#endif

/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"

struct device *device_current(void)
{
    CUcontext top = core_context_top();
    const struct context *c = top ? handle_find(HANDLE_CONTEXT, top) : NULL;

    return c ? context_device(c) : device_nth(0);
}

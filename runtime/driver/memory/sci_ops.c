/* SPDX-License-Identifier: MIT */
/* What the NvSci libraries have provided. */
#include "runtime/driver/memory/external_internal.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/device/rt_device.h"

struct rt_sci_ops sci_ops;

/* From their constructors: the driver may not be up. */
void rt_sci_provide(const struct rt_sci_ops *ops)
{
    core_lock();
    sci_ops.buf = ops->buf ? ops->buf : sci_ops.buf;
    sci_ops.sync = ops->sync ? ops->sync : sci_ops.sync;
    sci_ops.fence_set = ops->fence_set ? ops->fence_set : sci_ops.fence_set;
    sci_ops.fence_get = ops->fence_get ? ops->fence_get : sci_ops.fence_get;
    sci_ops.sync_list = ops->sync_list ? ops->sync_list : sci_ops.sync_list;
    sci_ops.buf_list = ops->buf_list ? ops->buf_list : sci_ops.buf_list;
    core_unlock();
}

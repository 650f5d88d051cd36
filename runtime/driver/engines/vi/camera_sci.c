/* SPDX-License-Identifier: MIT */
/* Objects of NvSci for the camera: what they must be. */
#include <errno.h>

#include "include/nvscibuf.h"
#include "include/nvscisync.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/engines/vi/vi.h"
#include "runtime/driver/memory/external.h"

int rt_camera_sci_lists(void *buf_list, void *sync_list)
{
    static const uint32_t primitive = NvSciSyncAttrValPrimitiveType_Syncpoint;
    int error = 0;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    if (buf_list) {
        error = sci_ops.buf_list ? sci_ops.buf_list(buf_list, NvSciBufHwEngName_Vi) : -EBADF;
    }
    if (!error && sync_list) {
        error = sci_ops.sync_list ? sci_ops.sync_list(sync_list, true, false, &primitive, 1, NULL)
                                  : -EBADF;
    }
    core_leave(CUDA_SUCCESS);
    return error;
}

int rt_camera_sci_buffer(const void *object, struct rt_sci_buf *desc, struct rt_camera_buffer **out)
{
    bool fits;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    fits = sci_ops.buf && sci_ops.buf(object, NULL, desc) && desc->planes && desc->writable &&
           desc->pitch_linear && desc->progressive;
    core_leave(CUDA_SUCCESS);
    return fits ? rt_camera_buffer_shared(desc->memory, out) : -EINVAL;
}

int rt_camera_sci_sync(const void *object, struct rt_sync **out)
{
    struct rt_sci_sync sync;
    bool fits;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    fits = sci_ops.sync && sci_ops.sync(object, &sync) && sync.may_signal &&
           sync_kind(sync.sync) == RT_SYNC_SYNCPT;
    if (fits) {
        sync_ref(sync.sync);
        *out = sync.sync;
    }
    core_leave(CUDA_SUCCESS);
    return fits ? 0 : -EINVAL;
}

/* SPDX-License-Identifier: MIT */
/* How a call of cuDLA begins and ends. */
#include "runtime/driver/engines/dla/dla.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"

cudlaStatus dla_enter(cudlaDevHandle handle, struct dla_device **device, const char *api)
{
    CUresult error = core_enter();

    if (error == CUDA_ERROR_NOT_INITIALIZED) {
        return cudlaErrorInvalidDevice; /* then there can be no handle */
    }
    if (error) {
        return cudlaErrorCuda;
    }
    *device = handle_find(HANDLE_DLA, handle);
    if (!*device) {
        return dla_leave(dla_error(cudlaErrorInvalidDevice, api, "cuDLA API",
                                   "the handle is none of cudlaCreateDevice(), or was destroyed: "
                                   "use the one it gave, until cudlaDestroyDevice()"));
    }
    return cudlaSuccess;
}

cudlaStatus dla_leave(cudlaStatus status)
{
    return core_leave(CUDA_SUCCESS) == CUDA_SUCCESS ? status
                                                    : cudlaErrorCuda; /* the board is lost */
}

cudlaStatus dla_leave_device(struct dla_device *d, cudlaStatus status, const char *api)
{
    if (d && status && status != cudlaErrorMemoryRegistered) { /* the one exception of note 5.4 */
        d->failed = status;
        d->failed_api = api;
    }
    return dla_leave(status);
}

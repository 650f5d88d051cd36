/* SPDX-License-Identifier: MIT */
/* Primary context. */
#include "runtime/cuda/api.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    return rt_primary_retain(pctx, dev);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return rt_primary_release(dev);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    return rt_primary_set_flags(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    return rt_primary_state(dev, flags, active);
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    return rt_primary_reset(dev);
}

/* SPDX-License-Identifier: MIT */
/* Memory: fills. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return rt_fill(dstDevice, 0, uc, 1, N, 1, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return rt_fill(dstDevice, 0, us, 2, N, 1, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return rt_fill(dstDevice, 0, ui, 4, N, 1, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                      size_t Height)
{
    return rt_fill(dstDevice, dstPitch, uc, 1, Width, Height, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                       size_t Height)
{
    return rt_fill(dstDevice, dstPitch, us, 2, Width, Height, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                       size_t Height)
{
    return rt_fill(dstDevice, dstPitch, ui, 4, Width, Height, API_STREAM_0, RT_SYNC);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return rt_fill(dstDevice, 0, uc, 1, N, 1, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return rt_fill(dstDevice, 0, us, 2, N, 1, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return rt_fill(dstDevice, 0, ui, 4, N, 1, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream)
{
    return rt_fill(dstDevice, dstPitch, uc, 1, Width, Height, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream)
{
    return rt_fill(dstDevice, dstPitch, us, 2, Width, Height, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream)
{
    return rt_fill(dstDevice, dstPitch, ui, 4, Width, Height, api_stream(hStream), RT_ASYNC);
}

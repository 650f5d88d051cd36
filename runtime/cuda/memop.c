/* SPDX-License-Identifier: MIT */
/* Stream memory operations. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                             unsigned int flags)
{
    return rt_stream_wait_value(api_stream(stream), addr, value, 32, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                             unsigned int flags)
{
    return rt_stream_wait_value(api_stream(stream), addr, value, 64, flags);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags)
{
    return rt_stream_write_value(api_stream(stream), addr, value, 32, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags)
{
    return rt_stream_write_value(api_stream(stream), addr, value, 64, flags);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return count ? rt_stream_batch_mem_op(api_stream(stream), count, paramArray, flags)
                 : api_fail(CUDA_SUCCESS);
}

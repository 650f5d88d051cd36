/* SPDX-License-Identifier: MIT */
/* Stream memory operations. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return count ? rt_stream_batch_mem_op(api_stream(stream), count, paramArray, flags)
                 : api_fail(CUDA_SUCCESS);
}

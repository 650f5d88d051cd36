/* SPDX-License-Identifier: MIT */
#include "runtime/api/cuda/stub.h"

#include "runtime/api/cuda/api.h"

int cuda_stub(const char *api)
{
    return (int)rt_unsupported(api);
}

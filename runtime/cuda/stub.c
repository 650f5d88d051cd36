/* SPDX-License-Identifier: MIT */
#include "runtime/cuda/stub.h"

#include "runtime/cuda/api.h"

int cuda_stub(const char *api)
{
    return (int)rt_unsupported(api);
}

/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Texture Object Management: the one function that needs no device. */
#include "runtime/cudart/rt.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

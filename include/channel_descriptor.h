/* SPDX-License-Identifier: MIT */
/* cudaCreateChannelDesc<T>(): bits of each part of T, and how a texture reads them. */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <channel_descriptor.h>
#else
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define VTEGRA_CHANNEL(type, part, parts, kind)                                            \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>(void)             \
    {                                                                                      \
        constexpr int bits = (int)sizeof(part) * 8;                                        \
        return cudaCreateChannelDesc(bits, (parts) > 1 ? bits : 0, (parts) > 2 ? bits : 0, \
                                     (parts) > 3 ? bits : 0, kind);                        \
    }
/* A texture has no three-part format. */
#define VTEGRA_CHANNELS(name, part, kind)  \
    VTEGRA_CHANNEL(part, part, 1, kind)    \
    VTEGRA_CHANNEL(name##1, part, 1, kind) \
    VTEGRA_CHANNEL(name##2, part, 2, kind) \
    VTEGRA_CHANNEL(name##4, part, 4, kind)

VTEGRA_CHANNELS(char, signed char, cudaChannelFormatKindSigned)
VTEGRA_CHANNELS(uchar, unsigned char, cudaChannelFormatKindUnsigned)
VTEGRA_CHANNELS(short, short, cudaChannelFormatKindSigned)
VTEGRA_CHANNELS(ushort, unsigned short, cudaChannelFormatKindUnsigned)
VTEGRA_CHANNELS(int, int, cudaChannelFormatKindSigned)
VTEGRA_CHANNELS(uint, unsigned int, cudaChannelFormatKindUnsigned)
VTEGRA_CHANNELS(float, float, cudaChannelFormatKindFloat)
VTEGRA_CHANNEL(char, char, 1, cudaChannelFormatKindSigned)

#endif /* __cplusplus */

#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * NvMedia 2D on NvSciBuf and NvSciSync. libnvmedia2d.so.1 implements it.
 *
 * Names, values and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). docs/nvmedia.md:
 * what each function does here.
 */
#ifndef NVMEDIA_2D_SCI_H
#define NVMEDIA_2D_SCI_H

#include "nvmedia_2d.h"
#include "nvmedia_core.h"
#include "nvscibuf.h"
#include "nvscisync.h"

#ifdef __cplusplus
extern "C" {
#endif

NVMEDIA_API NvMediaStatus NvMedia2DFillNvSciBufAttrList(NvMedia2D const *const handle,
                                                        NvSciBufAttrList const attrList);
NVMEDIA_API NvMediaStatus
NvMedia2DFillNvSciSyncAttrList(NvMedia2D const *const handle, NvSciSyncAttrList const attrList,
                               NvMediaNvSciSyncClientType const clientType);
NVMEDIA_API NvMediaStatus NvMedia2DRegisterNvSciBufObj(NvMedia2D const *const handle,
                                                       NvSciBufObj const bufObj);
NVMEDIA_API NvMediaStatus NvMedia2DRegisterNvSciSyncObj(NvMedia2D const *const handle,
                                                        NvMediaNvSciSyncObjType const syncObjType,
                                                        NvSciSyncObj const syncObj);
NVMEDIA_API NvMediaStatus NvMedia2DUnregisterNvSciBufObj(NvMedia2D const *const handle,
                                                         NvSciBufObj const bufObj);
NVMEDIA_API NvMediaStatus NvMedia2DUnregisterNvSciSyncObj(NvMedia2D const *const handle,
                                                          NvSciSyncObj const syncObj);
NVMEDIA_API NvMediaStatus NvMedia2DSetNvSciSyncObjforEOF(NvMedia2D const *const handle,
                                                         NvMedia2DComposeParameters const params,
                                                         NvSciSyncObj const syncObj);
NVMEDIA_API NvMediaStatus NvMedia2DInsertPreNvSciSyncFence(NvMedia2D const *const handle,
                                                           NvMedia2DComposeParameters const params,
                                                           NvSciSyncFence const *const syncFence);
NVMEDIA_API NvMediaStatus NvMedia2DGetEOFNvSciSyncFence(NvMedia2D const *const handle,
                                                        NvMedia2DComposeResult const *const result,
                                                        NvSciSyncFence *const syncFence);
NVMEDIA_API NvMediaStatus NvMedia2DSetSrcNvSciBufObj(NvMedia2D const *const handle,
                                                     NvMedia2DComposeParameters const params,
                                                     uint32_t const index,
                                                     NvSciBufObj const srcSurface);
NVMEDIA_API NvMediaStatus NvMedia2DSetDstNvSciBufObj(NvMedia2D const *const handle,
                                                     NvMedia2DComposeParameters const params,
                                                     NvSciBufObj const dstSurface);

#ifdef __cplusplus
}
#endif

#endif

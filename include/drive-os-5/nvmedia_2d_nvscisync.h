/* SPDX-License-Identifier: MIT */
/*
 * NvMedia 2D of DRIVE OS 5 with fences of NvSciSync. Names are those of NVIDIA's DRIVE OS 5.2.
 */
#ifndef NVMEDIA_2D_NVSCISYNC_H
#define NVMEDIA_2D_NVSCISYNC_H

#include "nvmedia_2d.h"
#include "nvmedia_core.h"
#include "nvscisync.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_2D_NVSCISYNC_VERSION_MAJOR 1
#define NVMEDIA_2D_NVSCISYNC_VERSION_MINOR 0
#define NVMEDIA_2D_MAX_PRENVSCISYNCFENCES (3)

NVMEDIA_API NvMediaStatus NvMedia2DNvSciSyncGetVersion(NvMediaVersion *version);
NVMEDIA_API NvMediaStatus NvMedia2DFillNvSciSyncAttrList(const NvMedia2D *i2d,
                                                         NvSciSyncAttrList attrlist,
                                                         NvMediaNvSciSyncClientType clienttype);
NVMEDIA_API NvMediaStatus NvMedia2DRegisterNvSciSyncObj(const NvMedia2D *i2d,
                                                        NvMediaNvSciSyncObjType syncobjtype,
                                                        NvSciSyncObj nvscisync);
NVMEDIA_API NvMediaStatus NvMedia2DUnregisterNvSciSyncObj(const NvMedia2D *i2d,
                                                          NvSciSyncObj nvscisync);
/* For this and all later blits. */
NVMEDIA_API NvMediaStatus NvMedia2DSetNvSciSyncObjforEOF(const NvMedia2D *i2d,
                                                         NvSciSyncObj nvscisyncEOF);
/* For the next blit alone. */
NVMEDIA_API NvMediaStatus NvMedia2DInsertPreNvSciSyncFence(const NvMedia2D *i2d,
                                                           const NvSciSyncFence *prenvscisyncfence);
/* Of the last blit. */
NVMEDIA_API NvMediaStatus NvMedia2DGetEOFNvSciSyncFence(const NvMedia2D *i2d,
                                                        NvSciSyncObj eofnvscisyncobj,
                                                        NvSciSyncFence *eofnvscisyncfence);

#ifdef __cplusplus
}
#endif

#endif

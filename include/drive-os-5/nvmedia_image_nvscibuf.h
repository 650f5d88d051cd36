/* SPDX-License-Identifier: MIT */
/*
 * NvMedia of DRIVE OS 5: images of NvSciBuf. Names are those of NVIDIA's DRIVE OS 5.2.
 */
#ifndef NVMEDIA_IMAGE_NVSCIBUF_H
#define NVMEDIA_IMAGE_NVSCIBUF_H

#include "nvmedia_core.h"
#include "nvmedia_image.h"
#include "nvmedia_surface.h"
#include "nvscibuf.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_IMAGENVSCIBUF_VERSION_MAJOR (1u)
#define NVMEDIA_IMAGENVSCIBUF_VERSION_MINOR (0u)

NVMEDIA_API NvMediaStatus NvMediaImageNvSciBufInit(void);
NVMEDIA_API void NvMediaImageNvSciBufDeinit(void);
/* All but RequiredPerm and GpuId. @flags: 0 */
NVMEDIA_API NvMediaStatus NvMediaImageFillNvSciBufAttrs(const NvMediaDevice *device,
                                                        NvMediaSurfaceType type,
                                                        const NvMediaSurfAllocAttr *attrs,
                                                        uint32_t numAttrs, uint64_t flags,
                                                        NvSciBufAttrList attr_h);
NVMEDIA_API NvMediaStatus NvMediaImageCreateFromNvSciBuf(NvMediaDevice *device,
                                                         NvSciBufObj nvscibufObject,
                                                         NvMediaImage **nvmImage);
NVMEDIA_API NvMediaStatus NvMediaImageNvSciBufGetVersion(NvMediaVersion *version);

#ifdef __cplusplus
}
#endif

#endif

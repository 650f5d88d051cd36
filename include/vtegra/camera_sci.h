/* SPDX-License-Identifier: MIT */
/* The camera of `vtegra run --camera` with NvSciBuf and NvSciSync: it writes into buffers of the
 * program's, and signals a sync object at the end of each frame, as capture on DRIVE OS does. An
 * interface of vtegra's own. Link -lvtegra-camera. docs/frames.md.
 *
 *   vtegraCameraSciOpen(&camera, 1920, 1080);
 *   vtegraCameraSciBufAttrs(camera, bufList);     // an NV12 image; the consumer's list joins it
 *   vtegraCameraSciSyncAttrs(camera, syncList);   // signaller
 *   vtegraCameraSciRegister(camera, bufs, 3, sync);
 *   vtegraCameraSciQueue(camera, 0, &fence);      // the consumer waits for the fence
 */
#ifndef VTEGRA_CAMERA_SCI_H
#define VTEGRA_CAMERA_SCI_H

#include <cuda.h>
#include <nvscibuf.h>
#include <nvscisync.h>

#include "camera.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vtegraCameraSci_st *vtegraCameraSci;

/* Sizes are even; the ISP scales. CUDA_ERROR_NO_DEVICE: there is no camera, or another process has
 * it; CUDA_ERROR_INVALID_VALUE. */
CUresult vtegraCameraSciOpen(vtegraCameraSci *camera, unsigned int width, unsigned int height);
/* All keys of an image but RequiredPerm, CPU access and GpuId. CUDA_ERROR_INVALID_VALUE: no list,
 * or one that has these keys. */
CUresult vtegraCameraSciBufAttrs(vtegraCameraSci camera, NvSciBufAttrList list);
CUresult vtegraCameraSciSyncAttrs(vtegraCameraSci camera, NvSciSyncAttrList list);
/* Once; 1 to 16 buffers. The sensor streams from now on. */
CUresult vtegraCameraSciRegister(vtegraCameraSci camera, const NvSciBufObj *bufs,
                                 unsigned int count, NvSciSyncObj sync);
/* The next frame goes into buffer @index. Whoever used the buffer has finished: the VI waits for no
 * fence. CUDA_ERROR_NOT_READY: it is queued, and its frame has not come. */
CUresult vtegraCameraSciQueue(vtegraCameraSci camera, unsigned int index, NvSciSyncFence *fence);
/* Of a buffer whose fence was reached. CUDA_ERROR_NOT_READY; CUDA_ERROR_UNKNOWN: the capture
 * failed, and a finding says why. */
CUresult vtegraCameraSciFrameGet(vtegraCameraSci camera, unsigned int index,
                                 vtegraCameraFrame *frame);
CUresult vtegraCameraSciClose(vtegraCameraSci camera);

#ifdef __cplusplus
}
#endif

#endif

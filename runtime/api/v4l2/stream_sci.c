/* SPDX-License-Identifier: MIT */
/* libvtegra-camera.so: the camera with NvSciBuf and NvSciSync (include/vtegra/camera_sci.h). */
#include <errno.h>
#include <glib.h>

#include "include/vtegra/camera_sci.h"
#include "runtime/driver/engines/vi/rt_camera.h"

#define EXPORT __attribute__((visibility("default")))
#define BUFFERS 16u
#define SIZE_MAX_SIDE 8192u

struct sci_buffer {
    struct rt_camera_buffer *memory;
    struct rt_sci_buf desc;
    uint64_t ticket; /* 0: not queued yet */
};

struct vtegraCameraSci_st {
    unsigned width, height, count;
    struct rt_sync *sync;
    NvSciSyncObj object;
    struct sci_buffer buffer[BUFFERS];
};

static struct vtegraCameraSci_st *opened; /* one camera */

static bool sci_is(vtegraCameraSci camera)
{
    return camera && camera == opened;
}

EXPORT CUresult vtegraCameraSciOpen(vtegraCameraSci *camera, unsigned width, unsigned height)
{
    struct rt_camera_info info;

    if (!camera || opened || !width || !height || (width | height) % 2 || width > SIZE_MAX_SIDE ||
        height > SIZE_MAX_SIDE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (rt_camera_open(&info)) {
        return CUDA_ERROR_NO_DEVICE;
    }
    opened = g_new0(struct vtegraCameraSci_st, 1);
    opened->width = width;
    opened->height = height;
    *camera = opened;
    return CUDA_SUCCESS;
}

/* NV12: the name of a format lists high bits first, so that of U first in memory is V8U8. */
EXPORT CUresult vtegraCameraSciBufAttrs(vtegraCameraSci camera, NvSciBufAttrList list)
{
    static const NvSciBufAttrValColorFmt color[] = { NvSciColor_Y8, NvSciColor_V8U8 };
    static const NvSciBufAttrValColorStd standard[] = { NvSciColorStd_REC601_SR,
                                                        NvSciColorStd_REC601_SR };
    static const NvSciBufType type = NvSciBufType_Image;
    static const NvSciBufAttrValImageLayoutType layout = NvSciBufImage_PitchLinearType;
    static const NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
    static const uint32_t planes = 2;
    uint32_t width[2], height[2];
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
        { NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) },
        { NvSciBufImageAttrKey_PlaneCount, &planes, sizeof(planes) },
        { NvSciBufImageAttrKey_PlaneColorFormat, color, sizeof(color) },
        { NvSciBufImageAttrKey_PlaneColorStd, standard, sizeof(standard) },
        { NvSciBufImageAttrKey_PlaneWidth, width, sizeof(width) },
        { NvSciBufImageAttrKey_PlaneHeight, height, sizeof(height) },
    };

    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    width[0] = camera->width;
    width[1] = camera->width / 2;
    height[0] = camera->height;
    height[1] = camera->height / 2;
    return NvSciBufAttrListSetAttrs(list, pairs, G_N_ELEMENTS(pairs)) == NvSciError_Success &&
                   !rt_camera_sci_lists(list, NULL)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult vtegraCameraSciSyncAttrs(vtegraCameraSci camera, NvSciSyncAttrList list)
{
    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    return list && !rt_camera_sci_lists(NULL, list) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void sci_forget(struct vtegraCameraSci_st *c)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        rt_camera_buffer_free(c->buffer[i].memory);
        c->buffer[i] = (struct sci_buffer){ 0 };
    }
    rt_sync_unref(c->sync);
    c->sync = NULL;
    c->count = 0;
}

static bool sci_buffer_take(const struct vtegraCameraSci_st *c, struct sci_buffer *b,
                            NvSciBufObj object)
{
    return rt_camera_sci_buffer(object, &b->desc, &b->memory) == 0 && b->desc.planes == 2 &&
           b->desc.plane[0].format == NvSciColor_Y8 && b->desc.plane[1].format == NvSciColor_V8U8 &&
           b->desc.plane[0].width == c->width && b->desc.plane[0].height == c->height &&
           b->desc.plane[1].width == c->width / 2 && b->desc.plane[1].height == c->height / 2;
}

EXPORT CUresult vtegraCameraSciRegister(vtegraCameraSci camera, const NvSciBufObj *bufs,
                                        unsigned count, NvSciSyncObj sync)
{
    bool fits;

    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!bufs || !count || count > BUFFERS || camera->count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    fits = rt_camera_sci_sync(sync, &camera->sync) == 0;
    for (unsigned i = 0; fits && i < count; i++) {
        fits = sci_buffer_take(camera, &camera->buffer[i], bufs[i]);
    }
    if (!fits) {
        sci_forget(camera);
        return CUDA_ERROR_INVALID_VALUE;
    }
    camera->object = sync;
    camera->count = count;
    rt_camera_stream(true);
    return CUDA_SUCCESS;
}

EXPORT CUresult vtegraCameraSciQueue(vtegraCameraSci camera, unsigned index, NvSciSyncFence *fence)
{
    struct sci_buffer *b;
    struct rt_camera_shot shot = { .format = VI_T_Y8__V8U8_N420 };

    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (index >= camera->count || !fence) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    b = &camera->buffer[index];
    if (b->ticket && rt_camera_wait(b->ticket, 0) == -ETIMEDOUT) {
        return CUDA_ERROR_NOT_READY;
    }
    shot.buffer = b->memory;
    shot.sync = camera->sync;
    shot.width = camera->width;
    shot.height = camera->height;
    for (unsigned i = 0; i < 2; i++) {
        shot.stride[i] = b->desc.plane[i].pitch;
        shot.offset[i] = b->desc.plane[i].offset;
    }
    switch (rt_camera_sci_queue(&shot, camera->object, fence, "vtegraCameraSciQueue", &b->ticket)) {
    case 0:
        return CUDA_SUCCESS;
    case -EBUSY:
        return CUDA_ERROR_NOT_READY;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

EXPORT CUresult vtegraCameraSciFrameGet(vtegraCameraSci camera, unsigned index,
                                        vtegraCameraFrame *frame)
{
    struct vi_capture_status status;

    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (index >= camera->count || !frame || !camera->buffer[index].ticket) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (rt_camera_wait(camera->buffer[index].ticket, 0)) {
        return CUDA_ERROR_NOT_READY;
    }
    rt_camera_take(camera->buffer[index].ticket, NULL, &status);
    *frame = (vtegraCameraFrame){ status.frame, status.sof_ns, status.eof_ns,
                                  rt_camera_time_ns() - status.eof_ns };
    return status.status == VI_STATUS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

EXPORT CUresult vtegraCameraSciClose(vtegraCameraSci camera)
{
    if (!sci_is(camera)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    rt_camera_stream(false);
    for (unsigned i = 0; i < camera->count; i++) {
        if (camera->buffer[i].ticket) {
            rt_camera_wait(camera->buffer[i].ticket, -1); /* the reset has ended it */
        }
    }
    sci_forget(camera);
    g_free(camera);
    opened = NULL;
    return CUDA_SUCCESS;
}

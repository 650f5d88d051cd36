/* SPDX-License-Identifier: MIT */
/* Ends of an EGLStream. They stand on CUDA's ends, which pass frames between processes, too; an
 * image of this process is found again by its planes. A frame of another producer is copied into an
 * image of the consumer's (on a board NvMedia maps it). */
#include <string.h>
#include <unistd.h>

#include "include/cudaEGL.h"
#include "include/drive-os-5/nvmedia_eglstream.h"
#include "runtime/api/nvmedia5/objects.h"

#define FRAMES 4u /* that a consumer may hold */

struct producer {
    NvMediaEGLStreamProducer base;
    CUeglStreamConnection connection;
};

/* @image: what the program has; @copy: the consumer's own, of that frame */
struct held {
    CUgraphicsResource resource;
    NvMediaImage *image, *copy;
};

struct consumer {
    NvMediaEGLStreamConsumer base;
    CUeglStreamConnection connection;
    NvMediaDevice *device;
    struct held held[FRAMES];
};

/* --- frames ----------------------------------------------------------------------------------- */

static CUeglFrame frame_of(const NvMediaImage *image)
{
    const struct NvMediaImagePriv_ *p = image->imgPriv;
    CUeglFrame f = { .width = image->width,
                     .height = image->height,
                     .pitch = p->format.blocks ? 0 : p->plane[0].pitch,
                     .planeCount = p->format.planes,
                     .numChannels = p->format.rgba ? 4 : 1,
                     .frameType =
                         p->format.blocks ? CU_EGL_FRAME_TYPE_ARRAY : CU_EGL_FRAME_TYPE_PITCH,
                     .eglColorFormat = (CUeglColorFormat)p->format.egl,
                     .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 };

    for (unsigned i = 0; i < p->format.planes; i++) {
        if (p->format.blocks) {
            f.frame.pArray[i] = p->cuda->array[i];
        } else {
            f.frame.pPitch[i] = (uint8_t *)(uintptr_t)p->cuda->at + p->plane[i].offset;
        }
    }
    return f;
}

static bool frame_is(const void *object, const void *what)
{
    const NvMediaImage *image = object;
    const CUeglFrame *f = what;
    CUeglFrame own;

    if (!image->imgPriv->cuda) {
        return false;
    }
    own = frame_of(image);
    return own.frameType == f->frameType && own.frame.pPitch[0] == f->frame.pPitch[0];
}

static NvMediaStatus status_of(CUresult error)
{
    return error == CUDA_SUCCESS                ? NVMEDIA_STATUS_OK
           : error == CUDA_ERROR_LAUNCH_TIMEOUT ? NVMEDIA_STATUS_TIMED_OUT
           : error == CUDA_ERROR_NOT_SUPPORTED  ? NVMEDIA_STATUS_NOT_SUPPORTED
                                                : NVMEDIA_STATUS_ERROR;
}

/* --- the producer ----------------------------------------------------------------------------- */

NvMediaEGLStreamProducer *
NvMediaEglStreamProducerCreate(NvMediaDevice *device, EGLDisplay eglDisplay, EGLStreamKHR eglStream,
                               NvMediaSurfaceType type, EGLint width, EGLint height)
{
    struct format f;
    struct producer *p;
    CUresult error;

    (void)eglDisplay;
    if (!objects_has(device, OBJECT_DEVICE) || !format_of(type, &f) || width <= 0 || height <= 0) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
               "device is none, vtegra has no image of this type, or the size is not positive");
        return NULL;
    }
    p = g_new0(struct producer, 1);
    p->base = (NvMediaEGLStreamProducer){ type, width, height };
    error = stream_enter() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
    if (!error) {
        error = cuEGLStreamProducerConnect(&p->connection, eglStream, width, height);
        error ? stream_leave() : stream_end_made();
    }
    if (error) {
        g_free(p);
        return NULL;
    }
    objects_add(p, OBJECT_PRODUCER);
    return &p->base;
}

static struct producer *producer_of(NvMediaEGLStreamProducer *producer, bool rest, const char *api)
{
    if (objects_has(producer, OBJECT_PRODUCER) && rest) {
        return (struct producer *)producer;
    }
    refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
           rest ? "producer is none, or was destroyed" : "image is none, or was destroyed");
    return NULL;
}

void NvMediaEglStreamProducerDestroy(NvMediaEGLStreamProducer *producer)
{
    struct producer *p = producer_of(producer, true, __func__);

    if (p && objects_remove(p, OBJECT_PRODUCER)) {
        cuEGLStreamProducerDisconnect(&p->connection);
        stream_end_gone();
        g_free(p);
    }
}

/* Planar images in rows: the frame has one pitch, the chroma's is half of it. */
static bool frame_fits(const NvMediaImage *image)
{
    const struct NvMediaImagePriv_ *p = image->imgPriv;

    return p->format.blocks || p->format.planes < 3 || p->plane[1].pitch * 2 == p->plane[0].pitch;
}

NvMediaStatus NvMediaEglStreamProducerPostImage(NvMediaEGLStreamProducer *producer,
                                                NvMediaImage *image, NvMediaTime *timeStamp)
{
    struct producer *p = producer_of(producer, objects_has(image, OBJECT_IMAGE), __func__);
    CUstream stream = NULL;
    NvMediaStatus status;
    CUeglFrame f;

    (void)timeStamp; /* frames are shown at once */
    if (!p) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (image->type != p->base.type || !frame_fits(image)) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                      "the image's type is not the producer's, or its chroma's pitch is not half "
                      "of the luma's");
    }
    status = image_wait(image, -1, __func__);
    if (!status && !stream_enter()) {
        status = NVMEDIA_STATUS_ERROR;
    }
    if (status) {
        return status;
    }
    if (image_cuda_make(image, __func__)) {
        f = frame_of(image);
        status = status_of(cuEGLStreamProducerPresentFrame(&p->connection, f, &stream));
    } else {
        status = NVMEDIA_STATUS_ERROR;
    }
    stream_leave();
    return status;
}

NvMediaStatus NvMediaEglStreamProducerGetImage(NvMediaEGLStreamProducer *producer,
                                               NvMediaImage **image, uint32_t millisecondTimeout)
{
    struct producer *p = producer_of(producer, image, __func__);
    CUstream stream = NULL;
    CUresult error;
    CUeglFrame f;

    if (!p) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    *image = NULL;
    if (!stream_enter()) {
        return NVMEDIA_STATUS_ERROR;
    }
    for (uint32_t ms = 0;; ms++) { /* each call waits for 1 ms */
        error = cuEGLStreamProducerReturnFrame(&p->connection, &f, &stream);
        if (error != CUDA_ERROR_LAUNCH_TIMEOUT ||
            (millisecondTimeout != NVMEDIA_EGL_STREAM_TIMEOUT_INFINITE &&
             ms >= millisecondTimeout)) {
            break;
        }
    }
    if (!error) {
        cuStreamSynchronize(stream);
        *image = objects_find(OBJECT_IMAGE, frame_is, &f);
    }
    stream_leave();
    return !error && !*image ? NVMEDIA_STATUS_ERROR : status_of(error);
}

/* --- the consumer ----------------------------------------------------------------------------- */

NvMediaEGLStreamConsumer *NvMediaEglStreamConsumerCreate(NvMediaDevice *device, EGLDisplay dpy,
                                                         EGLStreamKHR stream,
                                                         NvMediaSurfaceType type)
{
    struct format f;
    struct consumer *c;
    CUresult error;

    (void)dpy;
    if (!objects_has(device, OBJECT_DEVICE) || !format_of(type, &f)) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
               "device is none, or vtegra has no image of this type");
        return NULL;
    }
    c = g_new0(struct consumer, 1);
    c->base.type = type;
    c->device = device;
    error = stream_enter() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
    if (!error) {
        error = cuEGLStreamConsumerConnect(&c->connection, stream);
        error ? stream_leave() : stream_end_made();
    }
    if (error) {
        g_free(c);
        return NULL;
    }
    objects_add(c, OBJECT_CONSUMER);
    return &c->base;
}

static struct consumer *consumer_of(NvMediaEGLStreamConsumer *consumer, bool rest, const char *api)
{
    if (objects_has(consumer, OBJECT_CONSUMER) && rest) {
        return (struct consumer *)consumer;
    }
    refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
           rest ? "consumer is none, or was destroyed" : "image is NULL");
    return NULL;
}

void NvMediaEglStreamConsumerDestroy(NvMediaEGLStreamConsumer *consumer)
{
    struct consumer *c = consumer_of(consumer, true, __func__);

    if (!c || !objects_remove(c, OBJECT_CONSUMER)) {
        return;
    }
    cuEGLStreamConsumerDisconnect(&c->connection);
    stream_end_gone();
    for (unsigned i = 0; i < FRAMES; i++) {
        if (c->held[i].copy) {
            NvMediaImageDestroy(c->held[i].copy);
        }
    }
    g_free(c);
}

/* By the CPU's mapping: no engine but the GPU sees what its L2 holds. */
static CUresult plane_copy(const CUeglFrame *f, unsigned i, const struct NvMediaImagePriv_ *p)
{
    const struct image_plane *to = &p->plane[i];
    CUDA_MEMCPY2D copy = { .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = p->cpu + to->offset,
                           .dstPitch = to->pitch,
                           .Height = to->height };

    copy.WidthInBytes = (size_t)to->width * (p->format.rgba ? 4 : i && p->format.pairs ? 2 : 1);
    if (f->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = f->frame.pArray[i];
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = (uintptr_t)f->frame.pPitch[i];
        copy.srcPitch = i && f->planeCount == 3 ? f->pitch / 2 : f->pitch;
    }
    return cuMemcpy2D(&copy);
}

/* The consumer's own image, in rows. */
static NvMediaImage *copy_new(const struct consumer *c, const CUeglFrame *f)
{
    NvMediaSurfAllocAttr alloc[] = { { NVM_SURF_ATTR_WIDTH, f->width },
                                     { NVM_SURF_ATTR_HEIGHT, f->height },
                                     { NVM_SURF_ATTR_CPU_ACCESS,
                                       NVM_SURF_ATTR_CPU_ACCESS_CACHED } };
    NVM_SURF_FMT_DEFINE_ATTR(attr)

    NvMediaSurfaceFormatGetAttrs(c->base.type, attr, NVM_SURF_FMT_ATTR_MAX);
    attr[NVM_SURF_ATTR_LAYOUT].value = NVM_SURF_ATTR_LAYOUT_PL;
    return NvMediaImageCreateNew(
        c->device, NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX), alloc, 3, 0);
}

static CUresult frame_copy(struct consumer *c, struct held *h, const CUeglFrame *f, const char *api)
{
    const struct NvMediaImagePriv_ *p;
    CUresult error = CUDA_SUCCESS;

    if (h->copy && (h->copy->width != f->width || h->copy->height != f->height)) {
        NvMediaImageDestroy(h->copy);
        h->copy = NULL;
    }
    h->copy = h->copy ? h->copy : copy_new(c, f);
    if (!h->copy || h->copy->imgPriv->format.egl != (unsigned)f->eglColorFormat) {
        refuse(NVMEDIA_STATUS_ERROR, api, "the frame's format is not the consumer's type");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    p = h->copy->imgPriv;
    for (unsigned i = 0; !error && i < p->format.planes; i++) {
        error = plane_copy(f, i, p);
    }
    NvSciBufObjFlushCpuCacheRange(p->buf, 0, p->bytes);
    h->image = h->copy;
    return error;
}

/* A frame that CUDA's consumer has acquired. */
static CUresult frame_take(struct consumer *c, struct held *h, const char *api)
{
    CUeglFrame f;
    CUresult error = cuGraphicsResourceGetMappedEglFrame(&f, h->resource, 0, 0);

    if (!error) {
        h->image = objects_find(OBJECT_IMAGE, frame_is, &f);
        error = h->image ? CUDA_SUCCESS : frame_copy(c, h, &f, api);
    }
    return error ? error : cuStreamSynchronize(NULL);
}

NvMediaStatus NvMediaEglStreamConsumerAcquireImage(NvMediaEGLStreamConsumer *consumer,
                                                   NvMediaImage **image,
                                                   uint32_t millisecondTimeout,
                                                   NvMediaTime *timeStamp)
{
    struct consumer *c = consumer_of(consumer, image, __func__);
    unsigned limit_us =
        millisecondTimeout > UINT32_MAX / 1000 ? UINT32_MAX : millisecondTimeout * 1000;
    CUstream stream = NULL;
    struct held *h = NULL;
    CUresult error;

    if (!c) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    *image = NULL;
    for (unsigned i = 0; i < FRAMES && !h; i++) {
        h = c->held[i].image ? NULL : &c->held[i];
    }
    if (!h || !stream_enter()) {
        return h ? NVMEDIA_STATUS_ERROR
                 : refuse(NVMEDIA_STATUS_ERROR, __func__, "4 frames are held: release one");
    }
    error = cuEGLStreamConsumerAcquireFrame(&c->connection, &h->resource, &stream, limit_us);
    if (!error) {
        error = frame_take(c, h, __func__);
        if (error) {
            h->image = NULL;
            cuEGLStreamConsumerReleaseFrame(&c->connection, h->resource, &stream);
        }
    }
    stream_leave();
    if (!error && timeStamp) {
        memset(timeStamp, 0, sizeof(*timeStamp));
    }
    *image = error ? NULL : h->image;
    return status_of(error);
}

NvMediaStatus NvMediaEglStreamConsumerReleaseImage(NvMediaEGLStreamConsumer *consumer,
                                                   NvMediaImage *image)
{
    struct consumer *c = consumer_of(consumer, image, __func__);
    CUstream stream = NULL;
    struct held *h = NULL;
    NvMediaStatus status;

    for (unsigned i = 0; c && i < FRAMES && !h; i++) {
        h = c->held[i].image == image ? &c->held[i] : NULL;
    }
    if (!h) {
        return c ? refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                          "the image was not acquired here, or is released")
                 : NVMEDIA_STATUS_BAD_PARAMETER;
    }
    status = objects_has(image, OBJECT_IMAGE) ? image_wait(image, -1, __func__) : NVMEDIA_STATUS_OK;
    if (!status && !stream_enter()) {
        status = NVMEDIA_STATUS_ERROR;
    }
    if (status) {
        return status;
    }
    status = status_of(cuEGLStreamConsumerReleaseFrame(&c->connection, h->resource, &stream));
    stream_leave();
    h->image = NULL;
    return status;
}

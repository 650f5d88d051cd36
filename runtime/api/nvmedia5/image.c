/* SPDX-License-Identifier: MIT */
/* Images: each is an image of NvSciBuf, the library's own or the program's. */
#include <string.h>

#include "include/drive-os-5/nvmedia_image_nvscibuf.h"
#include "runtime/api/nvmedia5/objects.h"

#define PLANAR_PITCH 512u /* of luma, so that the chroma's is half of it (256, the VIC's) */

struct alloc {
    uint32_t value[NVM_SURF_ALLOC_ATTR_MAX];
};

/* --- attributes ------------------------------------------------------------------------------- */

static const char *alloc_read(const NvMediaSurfAllocAttr *attrs, uint32_t n, const struct format *f,
                              struct alloc *out)
{
    uint32_t *v = out->value;

    *out = (struct alloc){ { 0 } };
    for (uint32_t i = 0; i < n; i++) {
        if ((unsigned)attrs[i].type >= NVM_SURF_ALLOC_ATTR_MAX) {
            return "an allocation attribute is unknown";
        }
        v[attrs[i].type] = attrs[i].value;
    }
    if (v[NVM_SURF_ATTR_WIDTH] < NVM_SURF_ATTR_MIN_WIDTH ||
        v[NVM_SURF_ATTR_WIDTH] > NVM_SURF_ATTR_MAX_WIDTH ||
        v[NVM_SURF_ATTR_HEIGHT] < NVM_SURF_ATTR_MIN_HEIGHT ||
        v[NVM_SURF_ATTR_HEIGHT] > NVM_SURF_ATTR_MAX_HEIGHT) {
        return "width and height are 16 to 16384";
    }
    if (v[NVM_SURF_ATTR_EMB_LINES_TOP] || v[NVM_SURF_ATTR_EMB_LINES_BOTTOM] ||
        v[NVM_SURF_ATTR_ALLOC_TYPE] == NVM_SURF_ATTR_ALLOC_SECURED ||
        v[NVM_SURF_ATTR_SCAN_TYPE] == NVM_SURF_ATTR_SCAN_INTERLACED) {
        return "vtegra has no embedded lines, secured memory or interlaced images";
    }
    if (v[NVM_SURF_ATTR_CPU_ACCESS] > NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED ||
        v[NVM_SURF_ATTR_COLOR_STD_TYPE] > NVM_SURF_ATTR_COLOR_STD_REC2020PQ_ER) {
        return "an allocation attribute is out of range";
    }
    if (!v[NVM_SURF_ATTR_COLOR_STD_TYPE]) { /* the defaults are NVIDIA's */
        v[NVM_SURF_ATTR_COLOR_STD_TYPE] =
            f->rgba ? NVM_SURF_ATTR_COLOR_STD_SRGB : NVM_SURF_ATTR_COLOR_STD_REC601_ER;
    }
    return NULL;
}

/* Both lists of standards are in one order. */
G_STATIC_ASSERT(NvSciColorStd_REC709_ER - NvSciColorStd_SRGB ==
                NVM_SURF_ATTR_COLOR_STD_REC709_ER - NVM_SURF_ATTR_COLOR_STD_SRGB);
G_STATIC_ASSERT(NvSciColorStd_REC2020_ER - NvSciColorStd_SRGB ==
                NVM_SURF_ATTR_COLOR_STD_REC2020_ER - NVM_SURF_ATTR_COLOR_STD_SRGB);

static NvSciError list_fill(NvSciBufAttrList list, const struct format *f, const struct alloc *a)
{
    uint32_t w = a->value[NVM_SURF_ATTR_WIDTH], h = a->value[NVM_SURF_ATTR_HEIGHT];
    uint32_t planes = f->planes, cw = (w + 1) / 2, ch = (h + 1) / 2;
    uint32_t width[] = { w, cw, cw }, height[] = { h, ch, ch };
    uint64_t none[FORMAT_PLANES] = { 0 }, right[FORMAT_PLANES] = { 0 };
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufAttrValImageLayoutType layout =
        f->blocks ? NvSciBufImage_BlockLinearType : NvSciBufImage_PitchLinearType;
    NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
    NvSciBufAttrValColorStd standard[FORMAT_PLANES];
    NvSciBufPeerHwEngine vic = { .engName = NvSciBufHwEngName_Vic };
    bool yes = true, no = false;
    bool cached = a->value[NVM_SURF_ATTR_CPU_ACCESS] == NVM_SURF_ATTR_CPU_ACCESS_CACHED;
    size_t n32 = planes * sizeof(uint32_t), n64 = planes * sizeof(uint64_t);

    for (unsigned i = 0; i < planes; i++) {
        standard[i] = (NvSciBufAttrValColorStd)(NvSciColorStd_SRGB +
                                                (int)a->value[NVM_SURF_ATTR_COLOR_STD_TYPE] - 1);
    }
    if (planes == 3) {
        right[0] = (w + PLANAR_PITCH - 1) / PLANAR_PITCH * PLANAR_PITCH - w;
    }
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_EnableCpuCache, cached ? &yes : &no, sizeof(yes) },
        { NvSciBufGeneralAttrKey_PeerHwEngineArray, &vic, sizeof(vic) },
        { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
        { NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) },
        { NvSciBufImageAttrKey_VprFlag, &no, sizeof(no) },
        { NvSciBufImageAttrKey_PlaneCount, &planes, sizeof(planes) },
        { NvSciBufImageAttrKey_PlaneColorFormat, f->color, n32 },
        { NvSciBufImageAttrKey_PlaneColorStd, standard, n32 },
        { NvSciBufImageAttrKey_PlaneWidth, width, n32 },
        { NvSciBufImageAttrKey_PlaneHeight, height, n32 },
        { NvSciBufImageAttrKey_TopPadding, none, n64 },
        { NvSciBufImageAttrKey_BottomPadding, none, n64 },
        { NvSciBufImageAttrKey_LeftPadding, none, n64 },
        { NvSciBufImageAttrKey_RightPadding, right, n64 },
    };
    return NvSciBufAttrListSetAttrs(list, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

NvMediaStatus NvMediaImageNvSciBufInit(void)
{
    return NVMEDIA_STATUS_OK;
}

void NvMediaImageNvSciBufDeinit(void)
{
}

NvMediaStatus NvMediaImageFillNvSciBufAttrs(const NvMediaDevice *device, NvMediaSurfaceType type,
                                            const NvMediaSurfAllocAttr *attrs, uint32_t numAttrs,
                                            uint64_t flags, NvSciBufAttrList attr_h)
{
    struct format f;
    struct alloc a;
    const char *why = !objects_has(device, OBJECT_DEVICE) ? "device is none"
                      : !attrs || flags                   ? "attrs is NULL, or flags is not 0"
                                                          : NULL;

    if (!why && !format_of(type, &f)) {
        why = "vtegra has no image of this type (docs/nvmedia.md)";
    }
    why = why ? why : alloc_read(attrs, numAttrs, &f, &a);
    if (why) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, why);
    }
    return list_fill(attr_h, &f, &a) == NvSciError_Success ? NVMEDIA_STATUS_OK
                                                           : NVMEDIA_STATUS_BAD_PARAMETER;
}

/* --- creation --------------------------------------------------------------------------------- */

enum {
    SHAPE_LAYOUT,
    SHAPE_PLANES,
    SHAPE_FORMAT,
    SHAPE_STANDARD,
    SHAPE_WIDTH,
    SHAPE_HEIGHT,
    SHAPE_PITCH,
    SHAPE_OFFSET,
    SHAPE_SIZE,
    SHAPE_CACHED,
    SHAPES
};

static bool shape_read(NvSciBufObj buf, NvSciBufAttrKeyValuePair *pair)
{
    static const uint32_t key[SHAPES] = {
        NvSciBufImageAttrKey_Layout,
        NvSciBufImageAttrKey_PlaneCount,
        NvSciBufImageAttrKey_PlaneColorFormat,
        NvSciBufImageAttrKey_PlaneColorStd,
        NvSciBufImageAttrKey_PlaneWidth,
        NvSciBufImageAttrKey_PlaneHeight,
        NvSciBufImageAttrKey_PlanePitch,
        NvSciBufImageAttrKey_PlaneOffset,
        NvSciBufImageAttrKey_Size,
        NvSciBufGeneralAttrKey_EnableCpuCache,
    };
    NvSciBufAttrList list;

    for (unsigned i = 0; i < SHAPES; i++) {
        pair[i] = (NvSciBufAttrKeyValuePair){ .key = key[i] };
    }
    return NvSciBufObjGetAttrList(buf, &list) == NvSciError_Success &&
           NvSciBufAttrListGetAttrs(list, pair, SHAPES) == NvSciError_Success &&
           pair[SHAPE_PLANES].len && pair[SHAPE_LAYOUT].len;
}

static uint32_t shape_u32(const NvSciBufAttrKeyValuePair *pair, unsigned i)
{
    return pair->len > i * sizeof(uint32_t) ? ((const uint32_t *)pair->value)[i] : 0;
}

/* The type that an image of this shape has: by trying them all. */
static NvMediaSurfaceType shape_type(const NvSciBufAttrKeyValuePair *pair, struct format *f)
{
    static const unsigned rgba[] = { NVM_SURF_ATTR_COMPONENT_ORDER_RGBA,
                                     NVM_SURF_ATTR_COMPONENT_ORDER_BGRA,
                                     NVM_SURF_ATTR_COMPONENT_ORDER_ARGB },
                          yuv[] = { NVM_SURF_ATTR_COMPONENT_ORDER_YUV,
                                    NVM_SURF_ATTR_COMPONENT_ORDER_YVU };
    bool blocks = *(const NvSciBufAttrValImageLayoutType *)pair[SHAPE_LAYOUT].value ==
                  NvSciBufImage_BlockLinearType;
    unsigned planes = shape_u32(&pair[SHAPE_PLANES], 0);
    NVM_SURF_FMT_DEFINE_ATTR(attr)

    for (unsigned i = 0; i < 6; i++) {
        bool same;
        NvMediaSurfaceType type;

        NVM_SURF_FMT_SET_ATTR_YUV(attr, LUMA, NONE, PACKED, UINT, 8, PL)
        attr[NVM_SURF_ATTR_LAYOUT].value =
            blocks ? NVM_SURF_ATTR_LAYOUT_BL : NVM_SURF_ATTR_LAYOUT_PL;
        if (i < 3 && planes == 1) {
            attr[NVM_SURF_ATTR_SURF_TYPE].value = NVM_SURF_ATTR_SURF_TYPE_RGBA;
            attr[NVM_SURF_ATTR_COMPONENT_ORDER].value = rgba[i];
        } else if (planes > 1) {
            attr[NVM_SURF_ATTR_MEMORY].value =
                planes == 2 ? NVM_SURF_ATTR_MEMORY_SEMI_PLANAR : NVM_SURF_ATTR_MEMORY_PLANAR;
            attr[NVM_SURF_ATTR_SUB_SAMPLING_TYPE].value = NVM_SURF_ATTR_SUB_SAMPLING_TYPE_420;
            attr[NVM_SURF_ATTR_COMPONENT_ORDER].value = yuv[i % 2];
        }
        type = NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX);
        same = format_of(type, f) && f->planes == planes;
        for (unsigned k = 0; same && k < planes; k++) {
            same = f->color[k] == shape_u32(&pair[SHAPE_FORMAT], k);
        }
        if (same) {
            return type;
        }
    }
    return NvMediaSurfaceType_Unsupported;
}

static NvMediaImage *image_of(NvSciBufObj buf, const NvSciBufAttrKeyValuePair *pair)
{
    NvMediaImage *image = g_new0(NvMediaImage, 1);
    struct NvMediaImagePriv_ *p = g_new0(struct NvMediaImagePriv_, 1);

    image->type = shape_type(pair, &p->format);
    image->width = shape_u32(&pair[SHAPE_WIDTH], 0);
    image->height = shape_u32(&pair[SHAPE_HEIGHT], 0);
    image->colorStd = shape_u32(&pair[SHAPE_STANDARD], 0) - (uint32_t)NvSciColorStd_SRGB + 1;
    image->imageCount = 1;
    image->imgPriv = p;
    p->buf = buf;
    p->bytes = *(const uint64_t *)pair[SHAPE_SIZE].value;
    for (unsigned i = 0; i < p->format.planes; i++) {
        p->plane[i] = (struct image_plane){ ((const uint64_t *)pair[SHAPE_OFFSET].value)[i],
                                            shape_u32(&pair[SHAPE_PITCH], i),
                                            shape_u32(&pair[SHAPE_WIDTH], i),
                                            shape_u32(&pair[SHAPE_HEIGHT], i) };
    }
    p->engines = g_ptr_array_new();
    objects_add(image, OBJECT_IMAGE);
    return image;
}

NvMediaStatus NvMediaImageCreateFromNvSciBuf(NvMediaDevice *device, NvSciBufObj nvscibufObject,
                                             NvMediaImage **nvmImage)
{
    NvSciBufAttrKeyValuePair pair[SHAPES];
    struct format f;
    void *cpu;

    if (!objects_has(device, OBJECT_DEVICE) || !nvmImage) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                      nvmImage ? "device is none" : "nvmImage is NULL");
    }
    if (!shape_read(nvscibufObject, pair) ||
        shape_type(pair, &f) == NvMediaSurfaceType_Unsupported ||
        NvSciBufObjGetCpuPtr(nvscibufObject, &cpu) != NvSciError_Success) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                      "the buffer is no image with the attributes of "
                      "NvMediaImageFillNvSciBufAttrs()");
    }
    *nvmImage = image_of(nvscibufObject, pair);
    (*nvmImage)->imgPriv->cpu = cpu;
    (*nvmImage)->imgPriv->mapped = true;
    return NVMEDIA_STATUS_OK;
}

/* A buffer of the library's own; each board has a GPU that may want it (EGLStream). */
static NvSciBufObj buf_new(const struct format *f, const struct alloc *a)
{
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    NvSciBufAttrKeyValuePair pair[2] = { { NvSciBufGeneralAttrKey_RequiredPerm, &perm,
                                           sizeof(perm) } };
    NvSciBufAttrList list = NULL, conflict = NULL;
    static NvSciBufModule module; /* as long as the program runs: its last one reports leaks */
    NvSciBufObj buf = NULL;
    CUuuid gpu;
    unsigned pairs = 1;

    if (!module && NvSciBufModuleOpen(&module) != NvSciError_Success) {
        return NULL;
    }
    if (cuInit(0) == CUDA_SUCCESS && cuDeviceGetUuid(&gpu, stream_gpu()) == CUDA_SUCCESS) {
        pair[pairs++] =
            (NvSciBufAttrKeyValuePair){ NvSciBufGeneralAttrKey_GpuId, &gpu, sizeof(gpu) };
    }
    if (NvSciBufAttrListCreate(module, &list) == NvSciError_Success &&
        list_fill(list, f, a) == NvSciError_Success &&
        NvSciBufAttrListSetAttrs(list, pair, pairs) == NvSciError_Success &&
        NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &buf, &conflict) != NvSciError_Success) {
        buf = NULL;
    }
    if (list) {
        NvSciBufAttrListFree(list);
    }
    if (conflict) {
        NvSciBufAttrListFree(conflict);
    }
    return buf;
}

NvMediaImage *NvMediaImageCreateNew(NvMediaDevice *device, NvMediaSurfaceType type,
                                    const NvMediaSurfAllocAttr *attrs, uint32_t numAttrs,
                                    uint32_t flags)
{
    NvSciBufAttrKeyValuePair pair[SHAPES];
    struct format f;
    struct alloc a;
    NvMediaImage *image;
    NvSciBufObj buf;
    void *cpu;
    const char *why = !objects_has(device, OBJECT_DEVICE) ? "device is none"
                      : !attrs || flags                   ? "attrs is NULL, or flags is not 0"
                                                          : NULL;

    if (!why && !format_of(type, &f)) {
        why = "vtegra has no image of this type (docs/nvmedia.md)";
    }
    why = why ? why : alloc_read(attrs, numAttrs, &f, &a);
    if (why) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, why);
        return NULL;
    }
    buf = buf_new(&f, &a);
    if (!buf || !shape_read(buf, pair) || NvSciBufObjGetCpuPtr(buf, &cpu) != NvSciError_Success) {
        return NULL; /* the report has the line of the NvSciBuf function */
    }
    image = image_of(buf, pair);
    image->imgPriv->owned = true;
    image->imgPriv->cpu = cpu;
    image->imgPriv->mapped = a.value[NVM_SURF_ATTR_CPU_ACCESS] != NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED;
    return image;
}

void NvMediaImageDestroy(const NvMediaImage *image)
{
    struct NvMediaImagePriv_ *p;

    if (!objects_remove(image, OBJECT_IMAGE)) {
        if (image) {
            refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "image is none, or was destroyed");
        }
        return;
    }
    p = image->imgPriv;
    for (guint i = 0; i < p->engines->len; i++) {
        engine_buf_unregister(p->engines->pdata[i], p->buf);
    }
    g_ptr_array_unref(p->engines);
    image_cuda_free(p->cuda);
    if (p->owned) {
        NvSciBufObjFree(p->buf);
    }
    g_free(p);
    g_free((NvMediaImage *)image);
}

/* --- use by engines --------------------------------------------------------------------------- */

NvMediaStatus image_use(NvMediaImage *image, struct engine *e)
{
    struct NvMediaImagePriv_ *p = image->imgPriv;
    int status = NVMEDIA_STATUS_OK;

    if (!g_ptr_array_find(p->engines, e, NULL)) {
        status = engine_buf_register(e, p->buf);
        if (!status) {
            g_ptr_array_add(p->engines, e);
        }
    }
    return (NvMediaStatus)status;
}

NvMediaStatus image_wait(const NvMediaImage *image, int64_t timeout_us, const char *api)
{
    struct NvMediaImagePriv_ *p = image->imgPriv;
    int status = NVMEDIA_STATUS_OK;

    for (guint i = 0; !status && i < p->engines->len; i++) {
        status = engine_buf_wait(p->engines->pdata[i], p->buf, timeout_us, api);
    }
    return (NvMediaStatus)status;
}

static bool image_has(const void *object, const void *what)
{
    return g_ptr_array_find(((const NvMediaImage *)object)->imgPriv->engines, what, NULL);
}

void image_engine_gone(struct engine *e)
{
    const NvMediaImage *image;

    while ((image = objects_find(OBJECT_IMAGE, image_has, e)) != NULL) {
        engine_buf_unregister(e, image->imgPriv->buf);
        g_ptr_array_remove(image->imgPriv->engines, e);
    }
}

/* --- the rest --------------------------------------------------------------------------------- */

static NvMediaStatus image_check(const NvMediaImage *image, bool rest, const char *api)
{
    return objects_has(image, OBJECT_IMAGE) && rest
               ? NVMEDIA_STATUS_OK
               : refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
                        rest ? "image is none, or was destroyed" : "a pointer is NULL");
}

NvMediaStatus NvMediaImageGetStatus(const NvMediaImage *image, uint32_t millisecondWait,
                                    NvMediaTaskStatus *taskStatus)
{
    NvMediaStatus status = image_check(image, taskStatus, __func__);
    int64_t limit =
        millisecondWait == NVMEDIA_IMAGE_TIMEOUT_INFINITE ? -1 : (int64_t)millisecondWait * 1000;

    status = status ? status : image_wait(image, limit, __func__);
    if (!status) {
        *taskStatus = (NvMediaTaskStatus){ NVMEDIA_STATUS_OK, 0 };
    }
    return status;
}

NvMediaStatus NvMediaImageSetTag(NvMediaImage *image, void *tag)
{
    NvMediaStatus status = image_check(image, true, __func__);

    if (!status) {
        image->tag = tag;
    }
    return status;
}

NvMediaStatus NvMediaImageGetTag(const NvMediaImage *image, void **tag)
{
    NvMediaStatus status = image_check(image, tag, __func__);

    if (!status) {
        *tag = image->tag;
    }
    return status;
}

NvMediaStatus NvMediaImageGetTimeStamp(const NvMediaImage *image, NvMediaTime *timeStamp)
{
    NvMediaStatus status = image_check(image, timeStamp, __func__);

    if (!status) {
        *timeStamp = image->captureTimeStamp;
    }
    return status;
}

NvMediaStatus NvMediaImageGetGlobalTimeStamp(const NvMediaImage *image,
                                             NvMediaGlobalTime *globalTimeStamp)
{
    NvMediaStatus status = image_check(image, globalTimeStamp, __func__);

    if (!status) {
        *globalTimeStamp = image->captureGlobalTimeStamp;
    }
    return status;
}

/* SPDX-License-Identifier: MIT */
/* NvMedia 2D: one blit is one job of the VIC. */
#include "include/drive-os-5/nvmedia_2d_nvscisync.h"
#include "runtime/api/nvmedia5/objects.h"

#define REGISTERED_MAX 32u /* images, of each access mode */

G_STATIC_ASSERT(sizeof(NvMediaRect) == sizeof(struct engine_rect));

/**
 * struct NvMedia2D - @eof: of all blits; NULL: none
 * @signalled: the last blit had it
 * @fences: inserted for the next blit
 * @images: registered, by access mode
 */
struct NvMedia2D {
    struct engine *engine;
    NvSciSyncObj eof, signalled;
    unsigned fences;
    GPtrArray *images[2];
};

/* Members change behind handles that are const in NVIDIA's declarations. */
static NvMedia2D *blit_blitter(const NvMedia2D *i2d, const char *api)
{
    if (!objects_has(i2d, OBJECT_2D)) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, api, "i2d is none, or was destroyed");
        return NULL;
    }
    return (NvMedia2D *)i2d;
}

NvMedia2D *NvMedia2DCreate(NvMediaDevice *device)
{
    NvMedia2D *b;
    struct engine *engine;

    if (!objects_has(device, OBJECT_DEVICE)) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "device is none, or was destroyed");
        return NULL;
    }
    engine = engine_new();
    if (!engine) {
        return NULL;
    }
    b = g_new0(NvMedia2D, 1);
    b->engine = engine;
    b->images[0] = g_ptr_array_new();
    b->images[1] = g_ptr_array_new();
    objects_add(b, OBJECT_2D);
    return b;
}

void NvMedia2DDestroy(NvMedia2D *i2d)
{
    if (!objects_remove(i2d, OBJECT_2D)) {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "i2d is none, or was destroyed");
        return;
    }
    image_engine_gone(i2d->engine);
    engine_free(i2d->engine);
    g_ptr_array_unref(i2d->images[0]);
    g_ptr_array_unref(i2d->images[1]);
    g_free(i2d);
}

/* --- registration ----------------------------------------------------------------------------- */

NvMediaStatus NvMedia2DImageRegister(const NvMedia2D *i2d, NvMediaImage *image,
                                     NvMediaAccessMode accessMode)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);
    GPtrArray *list;
    NvMediaStatus status;

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (!objects_has(image, OBJECT_IMAGE) || (unsigned)accessMode > 1) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                      "image is none, or accessMode is unknown");
    }
    list = b->images[accessMode];
    if (g_ptr_array_find(b->images[0], image, NULL) ||
        g_ptr_array_find(b->images[1], image, NULL) || list->len == REGISTERED_MAX) {
        return refuse(NVMEDIA_STATUS_ERROR, __func__,
                      "the image is registered already, or 32 images are");
    }
    status = image_use(image, b->engine);
    if (!status) {
        g_ptr_array_add(list, image);
    }
    return status;
}

NvMediaStatus NvMedia2DImageUnRegister(const NvMedia2D *i2d, NvMediaImage *image)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    return g_ptr_array_remove(b->images[0], image) || g_ptr_array_remove(b->images[1], image)
               ? NVMEDIA_STATUS_OK
               : refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "the image is not registered");
}

NvMediaStatus NvMedia2DFillNvSciSyncAttrList(const NvMedia2D *i2d, NvSciSyncAttrList attrlist,
                                             NvMediaNvSciSyncClientType clienttype)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    return b ? (NvMediaStatus)engine_sync_list(b->engine, attrlist, clienttype)
             : NVMEDIA_STATUS_BAD_PARAMETER;
}

NvMediaStatus NvMedia2DRegisterNvSciSyncObj(const NvMedia2D *i2d,
                                            NvMediaNvSciSyncObjType syncobjtype,
                                            NvSciSyncObj nvscisync)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    return b ? (NvMediaStatus)engine_sync_register(b->engine, syncobjtype, nvscisync)
             : NVMEDIA_STATUS_BAD_PARAMETER;
}

NvMediaStatus NvMedia2DUnregisterNvSciSyncObj(const NvMedia2D *i2d, NvSciSyncObj nvscisync)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    b->eof = b->eof == nvscisync ? NULL : b->eof;
    return (NvMediaStatus)engine_sync_unregister(b->engine, nvscisync);
}

/* --- blits ------------------------------------------------------------------------------------ */

NvMediaStatus NvMedia2DSetNvSciSyncObjforEOF(const NvMedia2D *i2d, NvSciSyncObj nvscisyncEOF)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (!nvscisyncEOF) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "nvscisyncEOF is NULL");
    }
    b->eof = nvscisyncEOF; /* the blit checks that it is registered */
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus NvMedia2DInsertPreNvSciSyncFence(const NvMedia2D *i2d,
                                               const NvSciSyncFence *prenvscisyncfence)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);
    NvMediaStatus status;

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (b->fences == NVMEDIA_2D_MAX_PRENVSCISYNCFENCES) {
        return refuse(NVMEDIA_STATUS_NOT_SUPPORTED, __func__, "a blit waits for 3 fences at most");
    }
    status = (NvMediaStatus)engine_pre_fence(b->engine, prenvscisyncfence);
    b->fences += !status;
    return status;
}

NvMediaStatus NvMedia2DGetEOFNvSciSyncFence(const NvMedia2D *i2d, NvSciSyncObj eofnvscisyncobj,
                                            NvSciSyncFence *eofnvscisyncfence)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);

    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (!b->signalled || b->signalled != eofnvscisyncobj) {
        return refuse(b->signalled ? NVMEDIA_STATUS_BAD_PARAMETER : NVMEDIA_STATUS_ERROR, __func__,
                      "the last blit did not signal this object");
    }
    return (NvMediaStatus)engine_eof_fence(b->engine, eofnvscisyncfence);
}

/* NVIDIA's enumeration of standards against an image's; the image has the last word here. */
static bool standard_fits(const NvMedia2DBlitParameters *p, const NvMediaImage *src,
                          const NvMediaImage *dst)
{
    static const uint32_t of[] = {
        [NVMEDIA_COLOR_STANDARD_ITUR_BT_601] = NVM_SURF_ATTR_COLOR_STD_REC601_SR,
        [NVMEDIA_COLOR_STANDARD_ITUR_BT_709] = NVM_SURF_ATTR_COLOR_STD_REC709_SR,
        [NVMEDIA_COLOR_STANDARD_SMPTE_240M] = 0,
        [NVMEDIA_COLOR_STANDARD_ITUR_BT_601_ER] = NVM_SURF_ATTR_COLOR_STD_REC601_ER,
        [NVMEDIA_COLOR_STANDARD_ITUR_BT_709_ER] = NVM_SURF_ATTR_COLOR_STD_REC709_ER,
    };
    bool converts = src->imgPriv->format.rgba != dst->imgPriv->format.rgba;
    const NvMediaImage *yuv = src->imgPriv->format.rgba ? dst : src;

    return !p || !(p->validFields & NVMEDIA_2D_BLIT_PARAMS_COLOR_STD) || !converts ||
           ((unsigned)p->colorStandard < G_N_ELEMENTS(of) && of[p->colorStandard] == yuv->colorStd);
}

NvMediaStatus NvMedia2DBlitEx(const NvMedia2D *i2d, NvMediaImage *dstSurface,
                              const NvMediaRect *dstRect, NvMediaImage *srcSurface,
                              const NvMediaRect *srcRect, const NvMedia2DBlitParameters *params,
                              NvMedia2DBlitParametersOut *paramsOut)
{
    NvMedia2D *b = blit_blitter(i2d, __func__);
    unsigned fields = params ? params->validFields : 0;
    struct engine_blit blit = { .src_rect = (const struct engine_rect *)srcRect,
                                .dst_rect = (const struct engine_rect *)dstRect,
                                .filter = NVMEDIA_2D_STRETCH_FILTER_LOW };
    NvMediaStatus status;

    (void)paramsOut;
    if (!b) {
        return NVMEDIA_STATUS_BAD_PARAMETER;
    }
    if (!objects_has(dstSurface, OBJECT_IMAGE) || !objects_has(srcSurface, OBJECT_IMAGE)) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "an image is none, or was destroyed");
    }
    if (!standard_fits(params, srcSurface, dstSurface)) {
        return refuse(NVMEDIA_STATUS_NOT_SUPPORTED, __func__,
                      "colorStandard is another than that of the YUV image");
    }
    blit.src = srcSurface->imgPriv->buf;
    blit.dst = dstSurface->imgPriv->buf;
    blit.eof = b->eof;
    blit.filter = fields & NVMEDIA_2D_BLIT_PARAMS_FILTER ? params->filter : blit.filter;
    blit.transform = fields & NVMEDIA_2D_BLIT_PARAMS_DST_TRANSFORM ? params->dstTransform : 0;
    status = image_use(srcSurface, b->engine);
    status = status ? status : image_use(dstSurface, b->engine);
    status = status ? status : (NvMediaStatus)engine_blit(b->engine, &blit);
    if (!status) {
        b->signalled = b->eof;
        b->fences = 0;
    }
    return status;
}

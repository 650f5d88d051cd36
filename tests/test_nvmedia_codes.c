/* SPDX-License-Identifier: MIT */
/* What each call of NvMedia 2D answers to arguments that are none, and that it then has no effect.
 * Codes: DRIVE OS API reference 6.0.10, NvMedia 2D, "Returns" of each function. */
#include "include/cuda.h"
#include "tests/nvmedia_rig.h"
#include "tests/suite.h"

enum { W = 32, H = 16 };

/* What is right, and what is stale, foreign, or of another kind. */
static struct {
    NvMedia2D *stale, *other;
    NvMedia2DComposeParameters params, taken, others_params;
    NvSciBufObj src, dst, unknown, freed, raw;
    NvSciSyncObj eof, pre, sync_unknown, sync_freed;
    NvSciSyncFence cpu_fence, eof_fence, unknown_fence, junk;
    NvMedia2DComposeResult result;
} o;

static NvSciBufObj raw_new(void)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    uint64_t size = 4096;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
    };
    NvSciBufAttrList list, conflict = NULL;
    NvSciBufObj object;

    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, 3));
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
    NvSciBufAttrListFree(list);
    return object;
}

static void setup(void)
{
    const NvMedia2DAttributes attr = { 4, 3, 4, 0, 0 };

    board_up("orin", "lazy", &attr);
    OK(NvMedia2DCreate(&o.stale, NULL));
    OK(NvMedia2DDestroy(o.stale));
    OK(NvMedia2DCreate(&o.other, NULL));
    OK(NvMedia2DGetComposeParameters(o.other, &o.others_params));
    o.src = image_registered(rgba(W, H));
    o.dst = image_registered(rgba(W, H));
    o.unknown = image_new(rgba(W, H));
    o.freed = image_new(rgba(W, H));
    NvSciBufObjFree(o.freed);
    o.raw = raw_new();
    o.eof = eof_new();
    o.pre = pre_new();
    o.sync_unknown = sync_of(cpu_list(true), vic_list(NVMEDIA_WAITER));
    o.sync_freed = sync_of(cpu_list(true), vic_list(NVMEDIA_WAITER));
    NvSciSyncObjFree(o.sync_freed);
    OK(NvSciSyncObjGenerateFence(o.pre, &o.cpu_fence));
    OK(NvSciSyncObjGenerateFence(o.sync_unknown, &o.unknown_fence));
    memset(&o.junk, 0x5a, sizeof(o.junk));
    o.taken = blit(o.src, o.dst);
    OK(NvMedia2DSetNvSciSyncObjforEOF(dev, o.taken, o.eof));
    OK(NvMedia2DCompose(dev, o.taken, &o.result));
    OK(NvMedia2DGetEOFNvSciSyncFence(dev, &o.result, &o.eof_fence));
    OK(NvSciSyncFenceWait(&o.eof_fence, context, -1));
    OK(NvMedia2DGetComposeParameters(dev, &o.params));
}

static void teardown(void)
{
    NvSciSyncFenceClear(&o.cpu_fence);
    NvSciSyncFenceClear(&o.unknown_fence);
    NvSciSyncFenceClear(&o.eof_fence);
    image_drop(o.src);
    image_drop(o.dst);
    sync_drop(o.eof);
    sync_drop(o.pre);
    NvSciBufObjFree(o.unknown);
    NvSciBufObjFree(o.raw);
    NvSciSyncObjFree(o.sync_unknown);
    OK(NvMedia2DDestroy(o.other));
    board_down();
}

/* --- handles ---------------------------------------------------------------------------------- */

#define BAD(call) GIVES(BAD_PARAMETER, call)

/* NULL, stale, of CUDA, of NvSci, and no handle at all. */
static const NvMedia2D *wrong_handle(int i)
{
    CUcontext cuda;

    switch (i) {
    case 0:
        return NULL;
    case 1:
        return o.stale;
    case 2:
        OK(cuInit(0));
        OK(cuDevicePrimaryCtxRetain(&cuda, 0));
        return (const NvMedia2D *)cuda;
    case 3:
        return (const NvMedia2D *)o.src;
    default:
        return (const NvMedia2D *)&o;
    }
}

START_TEST(a_wrong_context_is_a_bad_parameter)
{
    const NvMedia2D *h = wrong_handle(_i);
    NvMedia2DComposeParameters params = 42;
    NvMedia2DFilterBuffer buffer = 42;
    NvMedia2DComposeResult result = { 42 };
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(syncs, &list));
    BAD(NvMedia2DDestroy(h));
    BAD(NvMedia2DGetComposeParameters(h, &params));
    BAD(NvMedia2DCompose(h, o.params, &result));
    BAD(NvMedia2DSetSrcGeometry(h, o.params, 0, NULL, NULL, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DSetSrcFilter(h, o.params, 0, NVMEDIA_2D_FILTER_OFF));
    BAD(NvMedia2DSetSrcBlendMode(h, o.params, 0, NVMEDIA_2D_BLEND_MODE_DISABLED, 1));
    BAD(NvMedia2DCreateFilterBuffer(h, &buffer));
    BAD(NvMedia2DDestroyFilterBuffer(h, 1));
    BAD(NvMedia2DSetFilterBuffer(h, o.params, 1));
    BAD(NvMedia2DComputeFilterCoefficients5Tap(h, 1, 0, NULL, NULL, NULL, NULL));
    BAD(NvMedia2DComputeFilterCoefficients10Tap(h, 1, 0, NULL, NULL, NULL, NULL));
    BAD(NvMedia2DFillNvSciSyncAttrList(h, list, NVMEDIA_WAITER));
    BAD(NvMedia2DRegisterNvSciBufObj(h, o.unknown));
    BAD(NvMedia2DRegisterNvSciSyncObj(h, NVMEDIA_PRESYNCOBJ, o.sync_unknown));
    BAD(NvMedia2DUnregisterNvSciBufObj(h, o.src));
    BAD(NvMedia2DUnregisterNvSciSyncObj(h, o.pre));
    BAD(NvMedia2DSetNvSciSyncObjforEOF(h, o.params, o.eof));
    BAD(NvMedia2DInsertPreNvSciSyncFence(h, o.params, &o.cpu_fence));
    BAD(NvMedia2DGetEOFNvSciSyncFence(h, &o.result, &fence));
    BAD(NvMedia2DSetSrcNvSciBufObj(h, o.params, 0, o.src));
    BAD(NvMedia2DSetDstNvSciBufObj(h, o.params, o.dst));
    ck_assert_uint_eq(params, 42);
    ck_assert_uint_eq(buffer, 42);
    ck_assert_uint_eq(result.operationId, 42);
    ck_assert_mem_eq(&fence, &NvSciSyncFenceInitializer, sizeof(fence));
    OK(NvMedia2DFillNvSciSyncAttrList(dev, list, NVMEDIA_WAITER)); /* it was not filled */
    NvSciSyncAttrListFree(list);
}
END_TEST

/* 0, those that an operation has taken, another context's, and none. */
START_TEST(wrong_parameters_are_a_bad_parameter)
{
    const NvMedia2DComposeParameters wrong[] = { 0, o.taken, o.others_params, 0xffffffff };
    NvMedia2DComposeParameters p = wrong[_i];
    NvMedia2DComposeResult result = { 42 };

    BAD(NvMedia2DCompose(dev, p, &result));
    BAD(NvMedia2DSetSrcGeometry(dev, p, 0, NULL, NULL, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DSetSrcFilter(dev, p, 0, NVMEDIA_2D_FILTER_OFF));
    BAD(NvMedia2DSetSrcBlendMode(dev, p, 0, NVMEDIA_2D_BLEND_MODE_DISABLED, 1));
    BAD(NvMedia2DSetFilterBuffer(dev, p, 1));
    BAD(NvMedia2DSetNvSciSyncObjforEOF(dev, p, o.eof));
    BAD(NvMedia2DInsertPreNvSciSyncFence(dev, p, &o.cpu_fence));
    BAD(NvMedia2DSetSrcNvSciBufObj(dev, p, 0, o.src));
    BAD(NvMedia2DSetDstNvSciBufObj(dev, p, o.dst));
    ck_assert_uint_eq(result.operationId, 42);
}
END_TEST

/* --- pointers and values ---------------------------------------------------------------------- */

START_TEST(creation_checks_its_attributes)
{
    static const NvMedia2DAttributes wrong[] = {
        { 0, 1, 1, 0, 0 }, { 17, 1, 1, 0, 0 },  { 1, 0, 1, 0, 0 },  { 1, 1025, 1, 0, 0 },
        { 1, 1, 0, 0, 0 }, { 1, 1, 257, 0, 0 }, { 1, 1, 1, 17, 0 },
    };
    static const NvMedia2DAttributes greatest = { 16, 1024, 256, 16, 0 };
    NvMedia2D *h = (NvMedia2D *)&o;

    BAD(NvMedia2DCreate(NULL, NULL));
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        BAD(NvMedia2DCreate(&h, &wrong[i]));
        ck_assert_ptr_eq(h, (NvMedia2D *)&o);
    }
    OK(NvMedia2DCreate(&h, &greatest));
    OK(NvMedia2DDestroy(h));
    BAD(NvMedia2DGetVersion(NULL));
}
END_TEST

START_TEST(null_pointers_and_unknown_values_are_bad_parameters)
{
    static const NvMediaRect empty = { 4, 4, 4, 8 }, turned = { 4, 8, 8, 4 };
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvMedia2DComposeResult none = { 0 }, later = { o.result.operationId + 1 };
    NvSciSyncAttrList list;

    BAD(NvMedia2DGetComposeParameters(dev, NULL));
    BAD(NvMedia2DSetSrcGeometry(dev, o.params, 16, NULL, NULL, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DSetSrcGeometry(dev, o.params, 0, &empty, NULL, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DSetSrcGeometry(dev, o.params, 0, NULL, &turned, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DSetSrcGeometry(dev, o.params, 0, NULL, NULL, (NvMedia2DTransform)8));
    GIVES(NOT_SUPPORTED,
          NvMedia2DSetSrcGeometry(dev, o.params, 0, NULL, NULL, NVMEDIA_2D_TRANSFORM_ROTATE_90));
    BAD(NvMedia2DSetSrcFilter(dev, o.params, 16, NVMEDIA_2D_FILTER_OFF));
    BAD(NvMedia2DSetSrcFilter(dev, o.params, 0, (NvMedia2DFilter)0));
    BAD(NvMedia2DSetSrcFilter(dev, o.params, 0, (NvMedia2DFilter)5));
    BAD(NvMedia2DSetSrcBlendMode(dev, o.params, 16, NVMEDIA_2D_BLEND_MODE_DISABLED, 0));
    BAD(NvMedia2DSetSrcBlendMode(dev, o.params, 0, (NvMedia2DBlendMode)4, 0));
    BAD(NvMedia2DSetSrcBlendMode(dev, o.params, 0, NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA, 1.01f));
    BAD(NvMedia2DSetSrcBlendMode(dev, o.params, 0, NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA, -0.01f));
    BAD(NvMedia2DSetSrcBlendMode(dev, o.params, 0, NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA,
                                 0.0f / (float)(o.params - o.params)));
    BAD(NvMedia2DCreateFilterBuffer(dev, NULL));
    BAD(NvMedia2DFillNvSciBufAttrList(dev, NULL));
    BAD(NvMedia2DFillNvSciSyncAttrList(dev, NULL, NVMEDIA_WAITER));
    OK(NvSciSyncAttrListCreate(syncs, &list));
    BAD(NvMedia2DFillNvSciSyncAttrList(dev, list, (NvMediaNvSciSyncClientType)3));
    OK(NvMedia2DFillNvSciSyncAttrList(dev, list, NVMEDIA_WAITER));
    BAD(NvMedia2DFillNvSciSyncAttrList(dev, list, NVMEDIA_WAITER)); /* "already been filled" */
    NvSciSyncAttrListFree(list);
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, NULL, &fence));
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, &none, &fence));
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, &later, &fence));
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, &o.result, NULL));
    BAD(NvMedia2DInsertPreNvSciSyncFence(dev, o.params, NULL));
    BAD(NvMedia2DInsertPreNvSciSyncFence(dev, o.params, &o.junk));
}
END_TEST

START_TEST(limits_are_kept)
{
    NvMedia2DComposeParameters p[4];
    NvMedia2DFilterBuffer buffer;
    NvSciBufObj more[2] = { image_registered(rgba(W, H)), image_new(rgba(W, H)) };

    GIVES(INSUFFICIENT_BUFFERING, NvMedia2DRegisterNvSciBufObj(dev, more[1])); /* three */
    for (unsigned i = 0; i < 3; i++) {                                         /* one is out */
        OK(NvMedia2DGetComposeParameters(dev, &p[i]));
    }
    GIVES(INSUFFICIENT_BUFFERING, NvMedia2DGetComposeParameters(dev, &p[3]));
    for (unsigned i = 0; i < 16; i++) {
        OK(NvMedia2DInsertPreNvSciSyncFence(dev, o.params, &o.cpu_fence));
    }
    GIVES(INSUFFICIENT_BUFFERING, NvMedia2DInsertPreNvSciSyncFence(dev, o.params, &o.cpu_fence));
    GIVES(INSUFFICIENT_BUFFERING, NvMedia2DCreateFilterBuffer(dev, &buffer));
    GIVES(PENDING, NvMedia2DDestroy(dev));
    image_drop(more[0]);
    NvSciBufObjFree(more[1]);
}
END_TEST

/* --- objects ---------------------------------------------------------------------------------- */

START_TEST(objects_that_are_not_registered_are_bad_parameters)
{
    const NvSciBufObj wrong_bufs[] = { NULL, o.unknown, o.freed, (NvSciBufObj)o.eof };
    const NvSciSyncObj wrong_syncs[] = { NULL, o.sync_unknown, o.sync_freed, (NvSciSyncObj)o.src };

    for (unsigned i = 0; i < 4; i++) {
        BAD(NvMedia2DSetSrcNvSciBufObj(dev, o.params, 0, wrong_bufs[i]));
        BAD(NvMedia2DSetDstNvSciBufObj(dev, o.params, wrong_bufs[i]));
        BAD(NvMedia2DUnregisterNvSciBufObj(dev, wrong_bufs[i]));
        BAD(NvMedia2DSetNvSciSyncObjforEOF(dev, o.params, wrong_syncs[i]));
        BAD(NvMedia2DUnregisterNvSciSyncObj(dev, wrong_syncs[i]));
    }
    BAD(NvMedia2DSetSrcNvSciBufObj(dev, o.params, 16, o.src));
    BAD(NvMedia2DSetNvSciSyncObjforEOF(dev, o.params, o.pre)); /* not as an EOF object */
    BAD(NvMedia2DInsertPreNvSciSyncFence(dev, o.params, &o.unknown_fence));
    BAD(NvMedia2DInsertPreNvSciSyncFence(dev, o.params, &o.eof_fence)); /* not as a PRE object */
    BAD(NvMedia2DCompose(dev, o.params, NULL)); /* nothing of all this was set */
}
END_TEST

START_TEST(what_cannot_be_registered_is_a_bad_parameter)
{
    NvSciBufObj dup;
    NvSciSyncObj semaphore, dup_sync;
    NvSciSyncAttrList semaphores[2] = { cpu_list(true), cpu_list(false) };

    BAD(NvMedia2DRegisterNvSciBufObj(dev, NULL));
    BAD(NvMedia2DRegisterNvSciBufObj(dev, o.freed));
    BAD(NvMedia2DRegisterNvSciBufObj(dev, o.raw));
    BAD(NvMedia2DRegisterNvSciBufObj(dev, o.src)); /* "bufObj or its duplicate ... already" */
    OK(NvSciBufObjDupWithReducePerm(o.src, NvSciBufAccessPerm_Readonly, &dup));
    BAD(NvMedia2DRegisterNvSciBufObj(dev, dup));
    NvSciBufObjFree(dup);
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_PRESYNCOBJ, NULL));
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_PRESYNCOBJ, o.sync_freed));
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_SOFSYNCOBJ, o.sync_unknown));
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, (NvMediaNvSciSyncObjType)5, o.sync_unknown));
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_PRESYNCOBJ, o.pre));
    OK(NvSciSyncObjDup(o.pre, &dup_sync));
    BAD(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_PRESYNCOBJ, dup_sync));
    NvSciSyncObjFree(dup_sync);
    semaphore = sync_of(semaphores[0], semaphores[1]); /* of the CPU alone: no syncpoint is asked */
    (void)semaphore;
    NvSciSyncObjFree(semaphore);
}
END_TEST

/* A duplicate is the same buffer, once the original is registered. */
START_TEST(a_duplicate_of_what_is_registered_is_known)
{
    NvSciBufObj dup;

    OK(NvSciBufObjDup(o.src, &dup));
    OK(NvMedia2DSetSrcNvSciBufObj(dev, o.params, 0, dup));
    NvSciBufObjFree(dup);
}
END_TEST

/* --- NvMedia2DCompose: restrictions ----------------------------------------------------------- */

static struct image changed(int i)
{
    struct image image = i < 4 ? rgba(W, H) : yuv(W, H, NvSciColorStd_REC709_SR);

    switch (i) {
    case 0:
        image.width = 15;
        break;
    case 1:
        image.height = 15;
        break;
    case 2:
        image.color[0] = NvSciColor_A16B16G16R16;
        break;
    case 3:
        image.color[0] = NvSciColor_Y16;
        break;
    case 4:
        image.width = 33;
        break;
    case 5:
        image.height = 17;
        break;
    case 6:
        image.sample = NvSciSurfSampleType_444;
        break;
    default:
        image.standard = NvSciColorStd_YcCbcCrc_ER;
        break;
    }
    return image;
}

START_TEST(surfaces_that_the_vic_cannot_write_are_refused)
{
    static const NvMediaStatus code[] = {
        NVMEDIA_STATUS_BAD_PARAMETER, NVMEDIA_STATUS_BAD_PARAMETER, NVMEDIA_STATUS_NOT_SUPPORTED,
        NVMEDIA_STATUS_NOT_SUPPORTED, NVMEDIA_STATUS_BAD_PARAMETER, NVMEDIA_STATUS_BAD_PARAMETER,
        NVMEDIA_STATUS_NOT_SUPPORTED, NVMEDIA_STATUS_NOT_SUPPORTED,
    };
    NvSciBufObj image = image_registered(changed(_i));
    NvMedia2DComposeResult result = { 42 };
    NvMedia2DComposeParameters params = blit(o.src, image);

    ck_assert_uint_eq(NvMedia2DCompose(dev, params, &result), code[_i]);
    ck_assert_uint_eq(result.operationId, 42);
    OK(NvMedia2DSetDstNvSciBufObj(dev, params, o.dst)); /* the caller still has them */
    run(params, o.eof);
    image_drop(image);
}
END_TEST

START_TEST(rectangles_stay_on_their_surfaces)
{
    static const NvMediaRect wide = { 0, 0, W + 1, H }, high = { 0, 0, W, H + 1 };
    static const NvMediaRect odd = { 1, 0, 9, 8 }, even = { 2, 0, 10, 8 };
    NvSciBufObj image = image_registered(yuv(W, H, NvSciColorStd_REC709_SR));
    NvMedia2DComposeParameters p = blit(o.src, image);

    OK(NvMedia2DSetSrcGeometry(dev, p, 0, &wide, NULL, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DCompose(dev, p, NULL));
    OK(NvMedia2DSetSrcGeometry(dev, p, 0, NULL, &high, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DCompose(dev, p, NULL));
    OK(NvMedia2DSetSrcGeometry(dev, p, 0, NULL, &odd, NVMEDIA_2D_TRANSFORM_NONE));
    BAD(NvMedia2DCompose(dev, p, NULL)); /* "all corners must be aligned to a multiple of 2" */
    OK(NvMedia2DSetSrcGeometry(dev, p, 0, &odd, &even, NVMEDIA_2D_TRANSFORM_NONE));
    run(p, o.eof);
    image_drop(image);
}
END_TEST

START_TEST(what_vtegras_vic_lacks_is_not_supported)
{
    NvMedia2DComposeParameters p = blit(o.src, o.dst);

    OK(NvMedia2DSetSrcNvSciBufObj(dev, p, 3, o.src));
    GIVES(NOT_SUPPORTED, NvMedia2DCompose(dev, p, NULL)); /* two layers */
    p = blit(o.src, o.dst);
    OK(NvMedia2DSetSrcFilter(dev, p, 0, NVMEDIA_2D_FILTER_MEDIUM));
    GIVES(NOT_SUPPORTED, NvMedia2DCompose(dev, p, NULL));
    OK(NvMedia2DSetSrcFilter(dev, p, 0, NVMEDIA_2D_FILTER_OFF));
    OK(NvMedia2DSetSrcBlendMode(dev, p, 0, NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA, 0.5f));
    GIVES(NOT_SUPPORTED, NvMedia2DCompose(dev, p, NULL));
    OK(NvMedia2DSetSrcBlendMode(dev, p, 0, NVMEDIA_2D_BLEND_MODE_DISABLED, 0.5f));
    run(p, o.eof);
}
END_TEST

/* Between two calls an object may go: NvMedia2DCompose() finds that out. */
START_TEST(parameters_do_not_keep_what_they_name)
{
    NvMedia2DComposeParameters p = blit(o.src, o.dst);
    NvSciSyncObj eof = eof_new(), pre = pre_new();
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    OK(NvSciSyncObjGenerateFence(pre, &fence));
    OK(NvMedia2DInsertPreNvSciSyncFence(dev, p, &fence));
    NvSciSyncFenceClear(&fence);
    sync_drop(pre);
    BAD(NvMedia2DCompose(dev, p, NULL));
    p = blit(o.src, o.dst);
    OK(NvMedia2DSetNvSciSyncObjforEOF(dev, p, eof));
    sync_drop(eof);
    BAD(NvMedia2DCompose(dev, p, NULL));
    p = blit(o.src, o.dst);
    OK(NvMedia2DUnregisterNvSciBufObj(dev, o.src));
    BAD(NvMedia2DCompose(dev, p, NULL));
    OK(NvMedia2DRegisterNvSciBufObj(dev, o.src));
    run(p, o.eof);
}
END_TEST

/* "queried ... only until the next operation using the same NvSciSyncObj for the EOF event" */
START_TEST(an_eof_fence_is_of_the_newest_operation)
{
    NvMedia2DComposeParameters p = blit(o.src, o.dst);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvMedia2DComposeResult newer, without;

    OK(NvMedia2DSetNvSciSyncObjforEOF(dev, p, o.eof));
    OK(NvMedia2DCompose(dev, p, &newer));
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, &o.result, &fence));
    OK(NvMedia2DCompose(dev, blit(o.src, o.dst), &without));
    BAD(NvMedia2DGetEOFNvSciSyncFence(dev, &without, &fence));
    OK(NvMedia2DGetEOFNvSciSyncFence(dev, &newer, &fence));
    OK(NvSciSyncFenceWait(&fence, context, -1));
    NvSciSyncFenceClear(&fence);
    run(blit(o.src, o.dst), o.eof); /* behind the one without */
}
END_TEST

/* --- boards without ----------------------------------------------------------------------------
 */

START_TEST(a_board_without_a_vic_says_so)
{
    NvMedia2D *h = NULL;

    setenv("VTEGRA_SOC", "nano", 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    GIVES(NOT_SUPPORTED, NvMedia2DCreate(&h, NULL));
    ck_assert_ptr_null(h);
}
END_TEST

/* --safety-phase: "API group: Init: Yes, Runtime: No". */
START_TEST(the_runtime_phase_forbids_what_belongs_to_init)
{
    NvSciBufObj src, dst;
    NvSciSyncObj eof;
    NvMedia2D *h;
    NvSciBufAttrList list;

    setenv("VTEGRA_SAFETY_PHASE", "1", 1);
    board_up("orin", "lazy", NULL);
    src = image_registered(rgba(W, H));
    dst = image_registered(rgba(W, H));
    eof = eof_new();
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvMedia2DCompose(dev, blit(src, dst), NULL));
    GIVES(INVALID_STATE, NvMedia2DCreate(&h, NULL));
    GIVES(INVALID_STATE, NvMedia2DFillNvSciBufAttrList(NULL, list));
    GIVES(INVALID_STATE, NvMedia2DRegisterNvSciBufObj(dev, src));
    GIVES(INVALID_STATE, NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_EOFSYNCOBJ, eof));
    run(blit(src, dst), eof);
    NvSciBufAttrListFree(list);
    image_drop(src);
    image_drop(dst);
    sync_drop(eof);
    board_down();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvmedia_codes");
    TCase *t = tcase_create("codes"), *boards = tcase_create("boards of their own");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_wrong_context_is_a_bad_parameter, 0, 5);
    tcase_add_loop_test(t, wrong_parameters_are_a_bad_parameter, 0, 4);
    tcase_add_test(t, creation_checks_its_attributes);
    tcase_add_test(t, null_pointers_and_unknown_values_are_bad_parameters);
    tcase_add_test(t, limits_are_kept);
    tcase_add_test(t, objects_that_are_not_registered_are_bad_parameters);
    tcase_add_test(t, what_cannot_be_registered_is_a_bad_parameter);
    tcase_add_test(t, a_duplicate_of_what_is_registered_is_known);
    tcase_add_loop_test(t, surfaces_that_the_vic_cannot_write_are_refused, 0, 8);
    tcase_add_test(t, rectangles_stay_on_their_surfaces);
    tcase_add_test(t, what_vtegras_vic_lacks_is_not_supported);
    tcase_add_test(t, parameters_do_not_keep_what_they_name);
    tcase_add_test(t, an_eof_fence_is_of_the_newest_operation);
    tcase_add_test(boards, a_board_without_a_vic_says_so);
    tcase_add_test(boards, the_runtime_phase_forbids_what_belongs_to_init);
    suite_add_tcase(s, t);
    suite_add_tcase(s, boards);
    return suite_main(s);
}

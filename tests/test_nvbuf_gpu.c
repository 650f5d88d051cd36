/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform on the GPU: the VIC's bytes (whose own tests have the arithmetic), on each
 * board, in memory of CUDA, too, and in the order of the session's stream; and the blend that the
 * GPU alone has, by its formula (nvbufsurftransform.h). */
#include "include/cuda.h"
#include "tests/nvbuf_rig.h"
#include "tests/suite.h"

enum { W = 32, H = 24 };
#define GIVES(code, call) ck_assert_int_eq(call, NvBufSurfTransformError_##code)

static void session(NvBufSurfTransform_Compute mode, CUstream stream)
{
    NvBufSurfTransformConfigParams c = { .compute_mode = mode,
                                         .cuda_stream = (cudaStream_t)stream };

    OK(NvBufSurfTransformSetSessionParams(&c));
}

static void fill(NvBufSurface *s, unsigned index, unsigned seed)
{
    static uint8_t bytes[W * H * 8];
    const NvBufSurfacePlaneParams *p = &s->surfaceList[index].planeParams;

    for (unsigned plane = 0; plane < p->num_planes; plane++) {
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(i * 7 + i / W * 13 + seed + plane * 50);
        }
        put(s, index, plane, bytes);
    }
}

static void same(NvBufSurface *a, NvBufSurface *b)
{
    const NvBufSurfacePlaneParams *p = &a->surfaceList[0].planeParams;

    for (unsigned i = 0; i < p->num_planes; i++) {
        size_t n = (size_t)p->width[i] * p->height[i] * p->bytesPerPix[i];
        uint8_t *bytes = malloc(n);

        OK(NvBufSurface2Raw(a, 0, i, p->width[i], p->height[i], bytes));
        are(b, 0, i, bytes);
        free(bytes);
    }
}

/* --- the VIC's bytes -------------------------------------------------------------------------- */

static const struct {
    NvBufSurfaceColorFormat from, to;
} formats[] = {
    { NVBUF_COLOR_FORMAT_NV12, NVBUF_COLOR_FORMAT_NV12 },
    { NVBUF_COLOR_FORMAT_NV12, NVBUF_COLOR_FORMAT_RGBA },
    { NVBUF_COLOR_FORMAT_RGBA, NVBUF_COLOR_FORMAT_YUV420 },
    { NVBUF_COLOR_FORMAT_BGRx, NVBUF_COLOR_FORMAT_YVU420 },
    { NVBUF_COLOR_FORMAT_UYVY, NVBUF_COLOR_FORMAT_NV16 },
    { NVBUF_COLOR_FORMAT_NV24, NVBUF_COLOR_FORMAT_YUYV },
    { NVBUF_COLOR_FORMAT_YUV444, NVBUF_COLOR_FORMAT_NV12_10LE },
    { NVBUF_COLOR_FORMAT_NV12_10LE, NVBUF_COLOR_FORMAT_ARGB },
    { NVBUF_COLOR_FORMAT_NV21, NVBUF_COLOR_FORMAT_GRAY8 },
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

/* Each flip with another size, crops on both sides and both filters. */
START_TEST(the_gpu_makes_the_vics_bytes)
{
    NvBufSurface *src, *by_vic, *by_gpu;

    board(_i / FORMATS ? "xavier" : "orin", "lazy");
    src = surface(formats[_i % FORMATS].from, W, H);
    fill(src, 0, 3);
    for (unsigned flip = 0; flip <= NvBufSurfTransform_InvTranspose; flip++) {
        for (unsigned i = 0; i < 4; i++) {
            NvBufSurfTransformRect from = { 2, 4, 22, 18 }, to = { 2, 4, 20, 16 };
            NvBufSurfTransformParams p = {
                .transform_flag = NVBUFSURF_TRANSFORM_FLIP | NVBUFSURF_TRANSFORM_FILTER |
                                  (i & 1 ? NVBUFSURF_TRANSFORM_CROP_SRC : 0) |
                                  (i & 2 ? NVBUFSURF_TRANSFORM_CROP_DST : 0),
                .transform_flip = (NvBufSurfTransform_Flip)flip,
                .transform_filter =
                    i & 1 ? NvBufSurfTransformInter_Bilinear : NvBufSurfTransformInter_Nearest,
                .src_rect = &from,
                .dst_rect = &to,
            };

            by_vic = surface(formats[_i % FORMATS].to, 40, 36);
            by_gpu = surface(formats[_i % FORMATS].to, 40, 36);
            fill(by_vic, 0, 90);
            fill(by_gpu, 0, 90);
            session(NvBufSurfTransformCompute_VIC, NULL);
            OK(NvBufSurfTransform(src, by_vic, &p));
            session(NvBufSurfTransformCompute_GPU, NULL);
            OK(NvBufSurfTransform(src, by_gpu, &p));
            same(by_vic, by_gpu);
            OK(NvBufSurfaceDestroy(by_vic));
            OK(NvBufSurfaceDestroy(by_gpu));
        }
    }
    OK(NvBufSurfaceDestroy(src));
}
END_TEST

/* --- memory and boards ------------------------------------------------------------------------ */

/* Boards without a VIC, and memory that the VIC does not take. */
START_TEST(a_copy_on_each_board_in_each_memory)
{
    static const char *const socs[] = { "nano", "tx2", "xavier", "orin", "thor" };
    static const NvBufSurfaceMemType types[] = { NVBUF_MEM_SURFACE_ARRAY, NVBUF_MEM_CUDA_PINNED,
                                                 NVBUF_MEM_CUDA_DEVICE, NVBUF_MEM_CUDA_UNIFIED };
    NvBufSurfaceCreateParams p = {
        .width = W, .height = H, .colorFormat = NVBUF_COLOR_FORMAT_NV12, .memType = types[_i % 4]
    };
    NvBufSurface *src, *dst = NULL;

    board(socs[_i / 4], "lazy");
    src = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    OK(NvBufSurfaceCreate(&dst, 1, &p));
    fill(src, 0, 5);
    session(NvBufSurfTransformCompute_GPU, NULL);
    OK(NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    ck_assert_uint_eq(dst->numFilled, 1);
    same(src, dst);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* As transform_unit_sample of the Multimedia API needs it: surfaces of CUDA found by descriptor,
 * and pinned ones mapped. Synchronisation is for the other kinds (nvbufsurface.h). */
START_TEST(surfaces_of_cuda_have_descriptors)
{
    static const NvBufSurfaceMemType types[] = { NVBUF_MEM_CUDA_PINNED, NVBUF_MEM_CUDA_UNIFIED,
                                                 NVBUF_MEM_CUDA_DEVICE };
    NvBufSurfaceCreateParams p = {
        .width = W, .height = H, .colorFormat = NVBUF_COLOR_FORMAT_NV12, .memType = types[_i]
    };
    bool maps = types[_i] != NVBUF_MEM_CUDA_DEVICE;
    NvBufSurface *s = NULL, *other = NULL;
    NvBufSurfaceMapParams params;
    uint8_t bytes[W * H] = { 0 };
    void *same = NULL;
    int fd;

    board("orin", "lazy");
    OK(NvBufSurfaceCreate(&s, 1, &p));
    fd = (int)s->surfaceList[0].bufferDesc;
    OK(NvBufSurfaceFromFd(fd, &same));
    ck_assert_ptr_eq(same, s);
    ck_assert_int_eq(NvBufSurfaceMap(s, 0, -1, NVBUF_MAP_READ_WRITE), maps ? 0 : -1);
    if (maps) {
        memset(s->surfaceList[0].mappedAddr.addr[0], 7, W);
        bytes[0] = 1;
        OK(NvBufSurface2Raw(s, 0, 0, W, 1, bytes));
        ck_assert_uint_eq(bytes[0], 7);
        ck_assert_ptr_eq(s->surfaceList[0].mappedAddr.addr[1],
                         (uint8_t *)s->surfaceList[0].dataPtr +
                             s->surfaceList[0].planeParams.offset[1]);
    }
    ck_assert_int_eq(NvBufSurfaceSyncForCpu(s, 0, -1), -1);
    ck_assert_int_eq(NvBufSurfaceSyncForDevice(s, 0, -1), -1);
    ck_assert_int_eq(NvBufSurfaceUnMap(s, 0, -1), maps ? 0 : -1);
    ck_assert_int_eq(NvBufSurfaceGetMapParams(s, 0, &params), -1);
    memset(&params, 0, sizeof(params));
    params.fd = (uint64_t)fd;
    ck_assert_int_eq(NvBufSurfaceImport(&other, &params), -1);
    OK(NvBufSurfaceDestroy(s));
    ck_assert_int_eq(NvBufSurfaceFromFd(fd, &same), -1);
}
END_TEST

/* NvBufSurfaceCopy() into device memory has ended when it returns: a stream that does not wait for
 * the default stream has the bytes. */
START_TEST(a_copy_into_device_memory_has_ended)
{
    NvBufSurfaceCreateParams p = { .width = W,
                                   .height = H,
                                   .colorFormat = NVBUF_COLOR_FORMAT_GRAY8,
                                   .memType = NVBUF_MEM_CUDA_DEVICE };
    NvBufSurface *src, *device = NULL, *dst;
    CUcontext context;
    CUstream stream;

    board("orin", "lazy");
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    src = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    OK(NvBufSurfaceCreate(&device, 1, &p));
    fill(src, 0, 9);
    session(NvBufSurfTransformCompute_GPU, stream);
    OK(NvBufSurfaceCopy(src, device));
    OK(NvBufSurfTransform(device, dst, &(NvBufSurfTransformParams){ 0 }));
    same(src, dst);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(device));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

START_TEST(a_batch_goes_buffer_by_buffer_and_a_composite_into_one)
{
    NvBufSurfTransformRect from[] = { { 0, 0, W, H }, { 0, 0, W, H } };
    NvBufSurfTransformRect to[] = { { 0, 0, W, H }, { 0, W, W, H } };
    NvBufSurfTransformCompositeParams c = { .composite_flag = NVBUFSURF_TRANSFORM_COMPOSITE,
                                            .input_buf_count = 2,
                                            .src_comp_rect = from,
                                            .dst_comp_rect = to };
    NvBufSurface *src, *dst, *wide;
    uint8_t one[W * H], other[W * H], both[2 * W * H];

    board("thor", "lazy");
    src = surfaces(2, NVBUF_COLOR_FORMAT_GRAY8, W, H);
    dst = surfaces(2, NVBUF_COLOR_FORMAT_GRAY8, W, H);
    wide = surface(NVBUF_COLOR_FORMAT_GRAY8, 2 * W, H);
    fill(src, 0, 1);
    fill(src, 1, 77);
    OK(NvBufSurface2Raw(src, 0, 0, W, H, one));
    OK(NvBufSurface2Raw(src, 1, 0, W, H, other));
    session(NvBufSurfTransformCompute_GPU, NULL);
    OK(NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    are(dst, 0, 0, one);
    are(dst, 1, 0, other);
    OK(NvBufSurfTransformComposite(src, wide, &c));
    for (unsigned y = 0; y < H; y++) {
        memcpy(both + 2 * y * W, one + y * W, W);
        memcpy(both + 2 * y * W + W, other + y * W, W);
    }
    are(wide, 0, 0, both);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
    OK(NvBufSurfaceDestroy(wide));
}
END_TEST

/* --- the stream ------------------------------------------------------------------------------- */

/* Under lazy nothing runs before a wait; the stream is the program's. */
START_TEST(the_work_is_in_the_order_of_the_stream)
{
    NvBufSurfTransformParams p = { 0 };
    NvBufSurfTransformSyncObj_t sync = NULL;
    uint8_t old[W * H], new[W * H];
    NvBufSurface *src, *dst;
    CUcontext context;
    CUstream stream;

    board("orin", "lazy");
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    src = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    fill(src, 0, 9);
    fill(dst, 0, 44);
    OK(NvBufSurface2Raw(dst, 0, 0, W, H, old));
    OK(NvBufSurface2Raw(src, 0, 0, W, H, new));
    session(NvBufSurfTransformCompute_GPU, stream);
    OK(NvBufSurfTransformAsync(src, dst, &p, &sync));
    ck_assert_ptr_nonnull(sync);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    OK(NvBufSurfTransformSyncObjWait(sync, 0)); /* the limit is the VIC's */
    OK(cuStreamQuery(stream));
    are(dst, 0, 0, new);
    OK(NvBufSurfTransformSyncObjDestroy(&sync));
    ck_assert_ptr_null(sync);
    GIVES(Invalid_Params, NvBufSurfTransformSyncObjDestroy(&sync));
    OK(cuStreamDestroy(stream));
    GIVES(Invalid_Params, NvBufSurfTransform(src, dst, &p)); /* the session still names it */
    OK(NvBufSurfTransformSetDefaultSession());
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
    ck_assert(memcmp(old, new, sizeof(old)) != 0);
}
END_TEST

/* CUDA's objects of the library are gone then, and come again. */
START_TEST(a_reset_of_the_device_is_survived)
{
    NvBufSurfTransformParams p = { 0 };
    NvBufSurface *src, *dst;

    board("orin", "eager");
    src = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    session(NvBufSurfTransformCompute_GPU, NULL);
    for (unsigned i = 0; i < 3; i++) {
        fill(src, 0, i);
        OK(NvBufSurfTransform(src, dst, &p));
        same(src, dst);
        OK(cuDevicePrimaryCtxReset(0));
    }
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

START_TEST(what_the_gpu_cannot_has_its_code)
{
    NvBufSurfTransformConfigParams c = { .compute_mode = NvBufSurfTransformCompute_GPU,
                                         .gpu_id = _i ? -1 : 9 };
    NvBufSurfaceCreateParams params = {
        .width = W, .height = H, .colorFormat = NVBUF_COLOR_FORMAT_NV12, .memType = NVBUF_MEM_SYSTEM
    };
    NvBufSurfTransformParams p = { 0 };
    NvBufSurface *src, *host = NULL;

    board("orin", "lazy");
    src = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    OK(NvBufSurfaceCreate(&host, 1, &params));
    OK(NvBufSurfTransformSetSessionParams(&c));
    GIVES(Invalid_Params, NvBufSurfTransform(src, src, &p));
    c.gpu_id = 0;
    c.cuda_stream = (cudaStream_t)(uintptr_t)0x1234560;
    OK(NvBufSurfTransformSetSessionParams(&c));
    GIVES(Invalid_Params, NvBufSurfTransform(src, src, &p));
    c.cuda_stream = NULL;
    OK(NvBufSurfTransformSetSessionParams(&c));
    GIVES(Invalid_Params, NvBufSurfTransform(host, src, &p));
    GIVES(Invalid_Params, NvBufSurfTransform(src, host, &p));
    p.transform_flag = NVBUFSURF_TRANSFORM_NORMALIZE;
    GIVES(Unsupported, NvBufSurfTransform(src, src, &p));
    GIVES(Unsupported,
          NvBufSurfTransformMultiInputBufCompositeBlend(
              &src, src,
              &(NvBufSurfTransformCompositeBlendParamsEx){ .params = { .input_buf_count = 1 } }));
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(host));
}
END_TEST

/* --- blends ----------------------------------------------------------------------------------- */

/* To the nearest. */
static uint8_t mixed(unsigned a, unsigned b, unsigned weight)
{
    double v = (a * (double)weight + b * (255.0 - weight)) / 255.0;

    return (uint8_t)(v + 0.5);
}

/* The bytes of a plane of @s. */
static void get(NvBufSurface *s, unsigned plane, uint8_t *out)
{
    const NvBufSurfacePlaneParams *p = &s->surfaceList[0].planeParams;

    OK(NvBufSurface2Raw(s, 0, plane, p->width[plane], p->height[plane], out));
}

/* A weight a pixel: of chroma that of the first of the pixels that share it. */
START_TEST(a_blend_is_the_formula)
{
    static const NvBufSurfaceColorFormat rows[] = { NVBUF_COLOR_FORMAT_GRAY8,
                                                    NVBUF_COLOR_FORMAT_RGBA,
                                                    NVBUF_COLOR_FORMAT_NV12,
                                                    NVBUF_COLOR_FORMAT_YUV420 };
    static uint8_t a[W * H * 4], b[W * H * 4], weight[W * H * 4], want[W * H * 4];
    NvBufSurface *src0, *src1, *alpha, *dst;

    board("xavier", "lazy");
    src0 = surface(rows[_i], W, H);
    src1 = surface(rows[_i], W, H);
    alpha = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    dst = surface(rows[_i], W, H);
    fill(src0, 0, 1);
    fill(src1, 0, 140);
    fill(alpha, 0, 33);
    OK(NvBufSurfTransformCompositeBlend(src0, src1, alpha, dst,
                                        &(NvBufSurfTransformCompositeBlendParams){ 0 }));
    get(alpha, 0, weight);
    for (unsigned plane = 0; plane < dst->surfaceList[0].planeParams.num_planes; plane++) {
        const NvBufSurfacePlaneParams *p = &dst->surfaceList[0].planeParams;
        unsigned across = W / p->width[plane], bytes = p->bytesPerPix[plane];

        get(src0, plane, a);
        get(src1, plane, b);
        for (unsigned i = 0; i < p->width[plane] * p->height[plane] * bytes; i++) {
            unsigned x = i / bytes % p->width[plane], y = i / bytes / p->width[plane];

            want[i] = mixed(a[i], b[i], weight[y * across * W + x * across]);
        }
        are(dst, 0, plane, want);
    }
    for (unsigned i = 0; i < 4; i++) {
        OK(NvBufSurfaceDestroy((NvBufSurface *[]){ src0, src1, alpha, dst }[i]));
    }
}
END_TEST

/* A colour instead of the second picture; a buffer that is not blended; weights of each byte. */
START_TEST(a_blend_with_a_colour_or_without_weights)
{
    NvBufSurfTransform_ColorParams colour = { 1, 0, 0.2, 0.4 }; /* 255, 0, 51, 102 */
    static const uint8_t bgra[] = { 51, 0, 255, 102 };
    static uint8_t a[W * H * 4], weight[W * H * 4], want[W * H * 4];
    uint32_t which = 1;
    NvBufSurfTransformCompositeBlendParams p = { .color_bg = &colour, .perform_blending = &which };
    NvBufSurface *src0, *alpha, *dst;

    board("nano", "lazy");
    src0 = surface(NVBUF_COLOR_FORMAT_BGRA, W, H);
    alpha = surface(NVBUF_COLOR_FORMAT_BGRA, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_BGRA, W, H);
    fill(src0, 0, 1);
    fill(alpha, 0, 60);
    get(src0, 0, a);
    get(alpha, 0, weight);
    OK(NvBufSurfTransformCompositeBlend(src0, NULL, alpha, dst, &p));
    for (unsigned i = 0; i < sizeof(want); i++) {
        want[i] = mixed(a[i], bgra[i % 4], weight[i]);
    }
    are(dst, 0, 0, want);
    which = 0;
    OK(NvBufSurfTransformCompositeBlend(src0, NULL, alpha, dst, &p));
    are(dst, 0, 0, a);
    for (unsigned i = 0; i < 3; i++) {
        OK(NvBufSurfaceDestroy((NvBufSurface *[]){ src0, alpha, dst }[i]));
    }
}
END_TEST

START_TEST(blends_that_cannot_be)
{
    NvBufSurfTransformCompositeBlendParams p = { 0 };
    NvBufSurface *yuv, *grey, *small, *none = NULL;

    board("orin", "lazy");
    yuv = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    grey = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    small = surface(NVBUF_COLOR_FORMAT_GRAY8, W / 2, H);
    GIVES(Invalid_Params, NvBufSurfTransformCompositeBlend(none, grey, grey, grey, &p));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeBlend(grey, grey, none, grey, &p));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeBlend(grey, grey, grey, none, &p));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeBlend(grey, none, grey, grey, &p));
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(grey, yuv, grey, grey, &p));
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(grey, grey, small, grey, &p));
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(yuv, yuv, yuv, yuv, &p));
    p.color_bg = &(NvBufSurfTransform_ColorParams){ 0 };
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(yuv, NULL, grey, yuv, &p));
    session(NvBufSurfTransformCompute_VIC, NULL);
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(grey, grey, grey, grey, &p));
    OK(NvBufSurfaceDestroy(yuv));
    OK(NvBufSurfaceDestroy(grey));
    OK(NvBufSurfaceDestroy(small));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nvbuf_gpu");
    TCase *t = tcase_create("nvbuf_gpu");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, the_gpu_makes_the_vics_bytes, 0, 2 * FORMATS);
    tcase_add_loop_test(t, a_copy_on_each_board_in_each_memory, 0, 20);
    tcase_add_loop_test(t, surfaces_of_cuda_have_descriptors, 0, 3);
    tcase_add_test(t, a_copy_into_device_memory_has_ended);
    tcase_add_test(t, a_batch_goes_buffer_by_buffer_and_a_composite_into_one);
    tcase_add_test(t, the_work_is_in_the_order_of_the_stream);
    tcase_add_test(t, a_reset_of_the_device_is_survived);
    tcase_add_loop_test(t, what_the_gpu_cannot_has_its_code, 0, 2);
    tcase_add_loop_test(t, a_blend_is_the_formula, 0, 4);
    tcase_add_test(t, a_blend_with_a_colour_or_without_weights);
    tcase_add_test(t, blends_that_cannot_be);
    suite_add_tcase(suite, t);
    return suite_main(suite);
}

/* SPDX-License-Identifier: MIT */
/* NvBufSurface and NvBufSurfTransform on a board: shapes, caches, pixels, CUDA. Pixels are those of
 * plain arithmetic here; colours: ITU-R BT.601-7. */
#include "include/cuda.h"
#define VTEGRA_NO_EGL_HEADERS
#include "include/cudaEGL.h"
#include "tests/nvbuf_rig.h"
#include "tests/suite.h"

enum { W = 32, H = 16 };

static void setup(void)
{
    board("orin", "lazy");
}

static void pattern(uint8_t *out, unsigned n, unsigned seed)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = (uint8_t)(i * 7 + i / 32 * 13 + seed);
    }
}

/* --- shapes ----------------------------------------------------------------------------------- */

START_TEST(planes_lie_as_the_format_says)
{
    static const struct {
        NvBufSurfaceColorFormat format;
        unsigned planes, width, height, bytes;
    } rows[] = {
        { NVBUF_COLOR_FORMAT_NV12, 2, 960, 540, 2 },
        { NVBUF_COLOR_FORMAT_YUV420, 3, 960, 540, 1 },
        { NVBUF_COLOR_FORMAT_NV16, 2, 960, 1080, 2 },
        { NVBUF_COLOR_FORMAT_YUV444, 3, 1920, 1080, 1 },
        { NVBUF_COLOR_FORMAT_NV12_10LE, 2, 960, 540, 4 },
    };
    NvBufSurface *s = surface(rows[_i].format, 1920, 1080);
    const NvBufSurfacePlaneParams *p = &s->surfaceList[0].planeParams;

    ck_assert_uint_eq(p->num_planes, rows[_i].planes);
    ck_assert_uint_eq(p->width[0], 1920);
    ck_assert_uint_eq(p->height[0], 1080);
    ck_assert_uint_eq(p->width[1], rows[_i].width);
    ck_assert_uint_eq(p->height[1], rows[_i].height);
    ck_assert_uint_eq(p->bytesPerPix[1], rows[_i].bytes);
    for (unsigned i = 0; i < p->num_planes; i++) {
        ck_assert_uint_ge(p->pitch[i], p->width[i] * p->bytesPerPix[i]);
        ck_assert_uint_eq(p->pitch[i] % 256, 0);
        ck_assert_uint_ge(p->psize[i], p->pitch[i] * p->height[i]);
        ck_assert_uint_ge(i + 1 < p->num_planes ? p->offset[i + 1] : s->surfaceList[0].dataSize,
                          p->offset[i] + p->psize[i]);
    }
    OK(NvBufSurfaceDestroy(s));
}
END_TEST

/* People print these of a 1080p NV12 buffer on boards. */
START_TEST(nv12_of_1080p_lies_as_on_a_board)
{
    NvBufSurface *s = surface(NVBUF_COLOR_FORMAT_NV12, 1920, 1080);
    const NvBufSurfaceParams *p = &s->surfaceList[0];

    ck_assert_uint_eq(p->pitch, 2048);
    ck_assert_uint_eq(p->planeParams.pitch[1], 2048);
    ck_assert_uint_eq(p->planeParams.offset[1], 2228224);
    ck_assert_uint_eq(p->dataSize, 2228224 + 1179648);
    OK(NvBufSurfaceDestroy(s));
}
END_TEST

/* --- the CPU's caches ------------------------------------------------------------------------- */

/* What the VIC reads of what the CPU has written. TX2 and Xavier: not without the call. */
START_TEST(a_store_reaches_the_vic_only_when_it_is_synchronised)
{
    static const struct {
        const char *soc;
        bool snoops;
    } rows[] = { { "tx2", false }, { "xavier", false }, { "orin", true } };
    bool sync = _i % 2;
    uint8_t want[W * H * 4], none[W * H * 4] = { 0 };
    NvBufSurface *src, *dst;

    board(rows[_i / 2].soc, "lazy");
    src = surface(NVBUF_COLOR_FORMAT_RGBA, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_RGBA, W, H);
    OK(NvBufSurfaceMap(src, 0, 0, NVBUF_MAP_WRITE));
    pattern(want, sizeof(want), 1);
    for (unsigned y = 0; y < H; y++) {
        memcpy((uint8_t *)src->surfaceList[0].mappedAddr.addr[0] + y * src->surfaceList[0].pitch,
               want + y * W * 4, W * 4);
    }
    if (sync) {
        OK(NvBufSurfaceSyncForDevice(src, 0, 0));
    }
    OK(NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    are(dst, 0, 0, sync || rows[_i / 2].snoops ? want : none);
    OK(NvBufSurfaceUnMap(src, 0, 0));
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* What the CPU reads of what the VIC has written. */
START_TEST(the_vics_bytes_reach_the_cpu_only_when_it_is_synchronised)
{
    static const struct {
        const char *soc;
        bool snoops;
    } rows[] = { { "tx2", false }, { "xavier", false }, { "orin", true } };
    bool sync = _i % 2;
    uint8_t bytes[W * H];
    NvBufSurface *src, *dst;
    const uint8_t *cpu;

    board(rows[_i / 2].soc, "lazy");
    src = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    memset(bytes, 77, sizeof(bytes));
    put(src, 0, 0, bytes);
    OK(NvBufSurfaceMap(dst, 0, -1, NVBUF_MAP_READ));
    cpu = dst->surfaceList[0].mappedAddr.addr[0];
    OK(NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    if (sync) {
        OK(NvBufSurfaceSyncForCpu(dst, 0, -1));
    }
    ck_assert_uint_eq(cpu[0], sync || rows[_i / 2].snoops ? 77 : 0);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* The chroma is another plane. */
START_TEST(a_synchronisation_is_of_its_plane)
{
    uint8_t luma[W * H], chroma[W * H / 2];
    NvBufSurface *src, *dst;
    const NvBufSurfaceParams *p;

    board("xavier", "lazy");
    src = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    dst = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    p = &dst->surfaceList[0];
    memset(luma, 100, sizeof(luma));
    memset(chroma, 130, sizeof(chroma));
    put(src, 0, 0, luma);
    put(src, 0, 1, chroma);
    OK(NvBufSurfaceMap(dst, 0, -1, NVBUF_MAP_READ_WRITE));
    OK(NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    OK(NvBufSurfaceSyncForCpu(dst, 0, 0));
    ck_assert_uint_eq(*(uint8_t *)p->mappedAddr.addr[0], 100);
    ck_assert_uint_eq(*(uint8_t *)p->mappedAddr.addr[1], 0);
    OK(NvBufSurfaceSyncForCpu(dst, 0, 1));
    ck_assert_uint_eq(*(uint8_t *)p->mappedAddr.addr[1], 130);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* --- transforms ------------------------------------------------------------------------------- */

/* Where a pixel of the source goes, by hand. */
START_TEST(flips_and_rotations_move_pixels)
{
    enum { A = 32, B = 16 };
    bool turns = _i == NvBufSurfTransform_Rotate90 || _i == NvBufSurfTransform_Rotate270 ||
                 _i == NvBufSurfTransform_Transpose || _i == NvBufSurfTransform_InvTranspose;
    unsigned w = turns ? B : A, h = turns ? A : B;
    NvBufSurface *src = surface(NVBUF_COLOR_FORMAT_GRAY8, A, B);
    NvBufSurface *dst = surface(NVBUF_COLOR_FORMAT_GRAY8, w, h);
    NvBufSurfTransformParams p = { .transform_flag = NVBUFSURF_TRANSFORM_FLIP,
                                   .transform_flip = (NvBufSurfTransform_Flip)_i };
    uint8_t in[A * B], want[A * B];

    pattern(in, sizeof(in), 3);
    for (unsigned y = 0; y < B; y++) {
        for (unsigned x = 0; x < A; x++) {
            const unsigned to[8][2] = {
                { x, y },                 /* none */
                { B - 1 - y, x },         /* clockwise */
                { A - 1 - x, B - 1 - y }, /* half a turn */
                { y, A - 1 - x },         /* counter-clockwise */
                { A - 1 - x, y },         /* left and right */
                { x, B - 1 - y },         /* top and bottom */
                { y, x },
                { B - 1 - y, A - 1 - x },
            };

            want[to[_i][1] * w + to[_i][0]] = in[y * A + x];
        }
    }
    put(src, 0, 0, in);
    OK(NvBufSurfTransform(src, dst, &p));
    are(dst, 0, 0, want);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* The VIC's coefficients have 20 bits: a value may be one off. */
static void nearly(NvBufSurface *s, unsigned plane, const uint8_t *want, unsigned n)
{
    const NvBufSurfacePlaneParams *p = &s->surfaceList[0].planeParams;
    uint8_t *have = malloc(n);

    OK(NvBufSurface2Raw(s, 0, plane, p->width[plane], p->height[plane], have));
    for (unsigned i = 0; i < n; i++) {
        ck_assert_int_le(abs(have[i] - want[i]), 1);
    }
    free(have);
}

/* Grey has no chroma: luma is 16 + 219 / 255 of it, BT.601 of limited range. */
START_TEST(rgba_becomes_nv12)
{
    NvBufSurface *rgb = surface(NVBUF_COLOR_FORMAT_RGBA, W, H);
    NvBufSurface *yuv = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    uint8_t in[W * H * 4], luma[W * H], chroma[W * H / 2];

    for (unsigned i = 0; i < W * H; i++) {
        uint8_t grey = (uint8_t)(i % 256);

        memset(in + i * 4, grey, 3);
        in[i * 4 + 3] = 255;
        luma[i] = (uint8_t)(16 + grey * 219 / 255.0 + 0.5);
    }
    memset(chroma, 128, sizeof(chroma));
    put(rgb, 0, 0, in);
    OK(NvBufSurfTransform(rgb, yuv, &(NvBufSurfTransformParams){ 0 }));
    nearly(yuv, 0, luma, sizeof(luma));
    nearly(yuv, 1, chroma, sizeof(chroma));
    OK(NvBufSurfaceDestroy(rgb));
    OK(NvBufSurfaceDestroy(yuv));
}
END_TEST

/* Full range of limited range: (y - 16) * 255 / 219. */
START_TEST(ranges_of_yuv_are_converted)
{
    NvBufSurface *limited = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    NvBufSurface *full = surface(NVBUF_COLOR_FORMAT_NV12_ER, W, H);
    uint8_t luma[W * H], chroma[W * H / 2], want[W * H];

    for (unsigned i = 0; i < W * H; i++) {
        luma[i] = (uint8_t)(16 + i % 220);
        want[i] = (uint8_t)((luma[i] - 16) * 255 / 219.0 + 0.5);
    }
    memset(chroma, 128, sizeof(chroma));
    put(limited, 0, 0, luma);
    put(limited, 0, 1, chroma);
    OK(NvBufSurfTransform(limited, full, &(NvBufSurfTransformParams){ 0 }));
    nearly(full, 0, want, sizeof(want));
    nearly(full, 1, chroma, sizeof(chroma));
    OK(NvBufSurfaceDestroy(limited));
    OK(NvBufSurfaceDestroy(full));
}
END_TEST

START_TEST(a_crop_leaves_the_rest_of_the_destination)
{
    NvBufSurface *src = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    NvBufSurface *dst = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    NvBufSurfTransformRect from = { .top = 2, .left = 4, .width = 8, .height = 4 };
    NvBufSurfTransformRect to = { .top = 6, .left = 20, .width = 8, .height = 4 };
    NvBufSurfTransformParams p = { .transform_flag =
                                       NVBUFSURF_TRANSFORM_CROP_SRC | NVBUFSURF_TRANSFORM_CROP_DST,
                                   .src_rect = &from,
                                   .dst_rect = &to };
    uint8_t in[W * H], want[W * H];

    pattern(in, sizeof(in), 9);
    memset(want, 5, sizeof(want));
    for (unsigned y = 0; y < 4; y++) {
        memcpy(want + (6 + y) * W + 20, in + (2 + y) * W + 4, 8);
    }
    put(src, 0, 0, in);
    OK(NvBufSurfaceMemSet(dst, 0, 0, 5));
    OK(NvBufSurfTransform(src, dst, &p));
    are(dst, 0, 0, want);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* Nothing runs before somebody waits. */
START_TEST(asynchronous_work_is_done_when_it_is_waited_for)
{
    NvBufSurface *src = surfaces(3, NVBUF_COLOR_FORMAT_GRAY8, W, H);
    NvBufSurface *dst = surfaces(3, NVBUF_COLOR_FORMAT_GRAY8, W, H);
    NvBufSurfTransformSyncObj_t done = NULL, stale;
    uint8_t in[3][W * H];

    for (unsigned i = 0; i < 3; i++) {
        pattern(in[i], sizeof(in[i]), i * 50);
        put(src, i, 0, in[i]);
    }
    OK(NvBufSurfTransformAsync(src, dst, &(NvBufSurfTransformParams){ 0 }, &done));
    ck_assert_ptr_nonnull(done);
    OK(NvBufSurfTransformSyncObjWait(done, 1000));
    for (unsigned i = 0; i < 3; i++) {
        are(dst, i, 0, in[i]);
    }
    stale = done;
    OK(NvBufSurfTransformSyncObjDestroy(&done));
    ck_assert_ptr_null(done);
    ck_assert_int_eq(NvBufSurfTransformSyncObjWait(stale, 0),
                     NvBufSurfTransformError_Invalid_Params);
    ck_assert_int_eq(NvBufSurfTransformSyncObjDestroy(&stale),
                     NvBufSurfTransformError_Invalid_Params);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

START_TEST(a_composition_puts_buffers_side_by_side)
{
    NvBufSurface *src = surfaces(2, NVBUF_COLOR_FORMAT_GRAY8, 16, 16);
    NvBufSurface *dst = surface(NVBUF_COLOR_FORMAT_GRAY8, 32, 16);
    NvBufSurfTransformRect from[2] = { { 0, 0, 16, 16 }, { 0, 0, 16, 16 } };
    NvBufSurfTransformRect to[2] = { { 0, 0, 16, 16 }, { 0, 16, 16, 16 } };
    NvBufSurfTransformCompositeParams p = { .composite_flag = NVBUFSURF_TRANSFORM_COMPOSITE,
                                            .input_buf_count = 2,
                                            .src_comp_rect = from,
                                            .dst_comp_rect = to };
    uint8_t want[32 * 16];

    for (unsigned i = 0; i < sizeof(want); i++) {
        want[i] = i % 32 < 16 ? 10 : 20;
    }
    OK(NvBufSurfaceMemSet(src, 0, 0, 10));
    OK(NvBufSurfaceMemSet(src, 1, 0, 20));
    OK(NvBufSurfTransformComposite(src, dst, &p));
    are(dst, 0, 0, want);
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* A quarter of 200 and three quarters of a background of 100. */
START_TEST(a_layer_blends_with_what_lies_below)
{
    NvBufSurface *src = surface(NVBUF_COLOR_FORMAT_RGBA, 16, 16);
    NvBufSurface *dst = surface(NVBUF_COLOR_FORMAT_RGBA, 16, 16), *list[] = { src };
    NvBufSurfTransform_ColorParams color = { 100 / 255.0, 100 / 255.0, 100 / 255.0, 1 };
    float alpha = 0.25f;
    NvBufSurfTransformCompositeBlendParamsEx p = {
        .params = { .composite_blend_flag = NVBUFSURF_TRANSFORM_BLEND,
                    .input_buf_count = 1,
                    .color_bg = _i ? NULL : &color },
        .alpha = &alpha,
    };
    uint8_t in[16 * 16 * 4], out[16 * 16 * 4];

    for (unsigned i = 0; i < sizeof(in); i++) {
        in[i] = i % 4 == 3 ? 255 : 200;
        out[i] = i % 4 == 3 ? 255 : 100;
    }
    put(src, 0, 0, in);
    put(dst, 0, 0, out);
    OK(NvBufSurfTransformMultiInputBufCompositeBlend(list, dst, &p));
    OK(NvBufSurface2Raw(dst, 0, 0, 16, 16, out));
    for (unsigned i = 0; i < sizeof(out); i++) {
        unsigned want = i % 4 == 3 ? 255 : 125;

        ck_assert_uint_ge(out[i] + 1u, want);
        ck_assert_uint_le(out[i], want + 1u);
    }
    OK(NvBufSurfaceDestroy(src));
    OK(NvBufSurfaceDestroy(dst));
}
END_TEST

/* --- CUDA ------------------------------------------------------------------------------------- */

static CUcontext cuda_up(void)
{
    CUcontext context;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

START_TEST(cudas_frame_is_the_surface_itself)
{
    static const char *const socs[] = { "nano", "tx2", "xavier", "orin", "thor" };
    CUgraphicsResource resource;
    NvBufSurface *s;
    CUeglFrame frame;
    uint8_t want[W * H], chroma[W * H / 2];

    board(socs[_i], "lazy");
    cuda_up();
    s = surface(NVBUF_COLOR_FORMAT_NV12, W, H);
    OK(NvBufSurfaceMapEglImage(s, 0));
    OK(cuGraphicsEGLRegisterImage(&resource, s->surfaceList[0].mappedAddr.eglImage, 0));
    OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    ck_assert_uint_eq(frame.frameType, CU_EGL_FRAME_TYPE_PITCH);
    ck_assert_uint_eq(frame.planeCount, 2);
    ck_assert_uint_eq(frame.width, W);
    ck_assert_uint_eq(frame.height, H);
    ck_assert_uint_eq(frame.pitch, s->surfaceList[0].pitch);
    ck_assert_uint_eq(frame.eglColorFormat, CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR);
    for (unsigned i = 0; i < 2; i++) {
        OK(cuMemsetD2D8((CUdeviceptr)(uintptr_t)frame.frame.pPitch[i], frame.pitch, i ? 9 : 8, W,
                        i ? H / 2 : H));
    }
    OK(cuCtxSynchronize());
    memset(want, 8, sizeof(want));
    memset(chroma, 9, sizeof(chroma));
    are(s, 0, 0, want);
    are(s, 0, 1, chroma);
    OK(cuGraphicsUnregisterResource(resource));
    OK(NvBufSurfaceUnMapEglImage(s, 0));
    OK(NvBufSurfaceDestroy(s));
}
END_TEST

/* On TX2 CUDA and the CPU do not see each other's bytes without the calls; on Xavier they do. */
START_TEST(cuda_and_the_cpu_need_the_calls_where_the_port_does_not_snoop)
{
    bool tx2 = _i == 0;
    CUgraphicsResource resource;
    NvBufSurface *s;
    CUeglFrame frame;
    uint8_t *cpu, got = 0;

    board(tx2 ? "tx2" : "xavier", "lazy");
    cuda_up();
    s = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    OK(NvBufSurfaceMap(s, 0, 0, NVBUF_MAP_READ_WRITE));
    OK(NvBufSurfaceMapEglImage(s, 0));
    OK(cuGraphicsEGLRegisterImage(&resource, s->surfaceList[0].mappedAddr.eglImage, 0));
    OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    cpu = s->surfaceList[0].mappedAddr.addr[0];
    cpu[0] = 55;
    OK(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], 1));
    ck_assert_uint_eq(got, tx2 ? 0 : 55);
    OK(NvBufSurfaceSyncForDevice(s, 0, 0));
    OK(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], 1));
    ck_assert_uint_eq(got, 55);
    OK(cuMemsetD8((CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], 66, W));
    OK(cuCtxSynchronize());
    ck_assert_uint_eq(cpu[1], tx2 ? 0 : 66);
    OK(NvBufSurfaceSyncForCpu(s, 0, 0));
    ck_assert_uint_eq(cpu[1], 66);
    OK(cuGraphicsUnregisterResource(resource));
    OK(NvBufSurfaceDestroy(s));
}
END_TEST

START_TEST(a_block_linear_surface_is_arrays)
{
    NvBufSurfaceCreateParams p = { .width = W,
                                   .height = H,
                                   .colorFormat = NVBUF_COLOR_FORMAT_NV12,
                                   .layout = NVBUF_LAYOUT_BLOCK_LINEAR };
    CUgraphicsResource resource;
    CUDA_ARRAY_DESCRIPTOR desc;
    NvBufSurface *s, *rgb;
    CUeglFrame frame;
    uint8_t want[W * H], bytes[W * H * 4];

    cuda_up();
    OK(NvBufSurfaceCreate(&s, 1, &p));
    rgb = surface(NVBUF_COLOR_FORMAT_RGBA, W, H);
    OK(NvBufSurfaceMemSet(rgb, 0, 0, 255));
    OK(NvBufSurfTransform(rgb, s, &(NvBufSurfTransformParams){ 0 }));
    OK(NvBufSurfaceMapEglImage(s, -1));
    OK(cuGraphicsEGLRegisterImage(&resource, s->surfaceList[0].mappedAddr.eglImage, 0));
    OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    ck_assert_uint_eq(frame.frameType, CU_EGL_FRAME_TYPE_ARRAY);
    OK(cuArrayGetDescriptor(&desc, frame.frame.pArray[1]));
    ck_assert_uint_eq(desc.Width, W / 2);
    ck_assert_uint_eq(desc.NumChannels, 2);
    OK(cuMemcpyAtoH(bytes, frame.frame.pArray[0], 0, W));
    memset(want, 235, sizeof(want)); /* white, of limited range */
    ck_assert_mem_eq(bytes, want, W);
    are(s, 0, 0, want);
    OK(cuGraphicsUnregisterResource(resource));
    OK(NvBufSurfaceDestroy(s));
    OK(NvBufSurfaceDestroy(rgb));
}
END_TEST

START_TEST(memory_of_cuda_and_the_system_is_copied)
{
    static const NvBufSurfaceMemType types[] = { NVBUF_MEM_CUDA_PINNED, NVBUF_MEM_CUDA_DEVICE,
                                                 NVBUF_MEM_CUDA_UNIFIED, NVBUF_MEM_SYSTEM };
    NvBufSurfaceCreateParams p = {
        .width = W, .height = H, .colorFormat = NVBUF_COLOR_FORMAT_GRAY8, .memType = types[_i]
    };
    NvBufSurface *a = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H), *b, *c;
    uint8_t in[W * H];

    OK(NvBufSurfaceCreate(&b, 1, &p));
    c = surface(NVBUF_COLOR_FORMAT_GRAY8, W, H);
    ck_assert_ptr_nonnull(b->surfaceList[0].dataPtr);
    pattern(in, sizeof(in), 4);
    put(a, 0, 0, in);
    OK(NvBufSurfaceCopy(a, b));
    OK(NvBufSurfaceCopy(b, c));
    are(c, 0, 0, in);
    OK(NvBufSurfaceDestroy(a));
    OK(NvBufSurfaceDestroy(b));
    OK(NvBufSurfaceDestroy(c));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvbuf");
    TCase *t = tcase_create("nvbuf");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, planes_lie_as_the_format_says, 0, 5);
    tcase_add_test(t, nv12_of_1080p_lies_as_on_a_board);
    tcase_add_loop_test(t, a_store_reaches_the_vic_only_when_it_is_synchronised, 0, 6);
    tcase_add_loop_test(t, the_vics_bytes_reach_the_cpu_only_when_it_is_synchronised, 0, 6);
    tcase_add_test(t, a_synchronisation_is_of_its_plane);
    tcase_add_loop_test(t, flips_and_rotations_move_pixels, 0, 8);
    tcase_add_test(t, rgba_becomes_nv12);
    tcase_add_test(t, ranges_of_yuv_are_converted);
    tcase_add_test(t, a_crop_leaves_the_rest_of_the_destination);
    tcase_add_test(t, asynchronous_work_is_done_when_it_is_waited_for);
    tcase_add_test(t, a_composition_puts_buffers_side_by_side);
    tcase_add_loop_test(t, a_layer_blends_with_what_lies_below, 0, 2);
    tcase_add_loop_test(t, cudas_frame_is_the_surface_itself, 0, 5);
    tcase_add_loop_test(t, cuda_and_the_cpu_need_the_calls_where_the_port_does_not_snoop, 0, 2);
    tcase_add_test(t, a_block_linear_surface_is_arrays);
    tcase_add_loop_test(t, memory_of_cuda_and_the_system_is_copied, 0, 4);
    suite_add_tcase(s, t);
    return suite_main(s);
}

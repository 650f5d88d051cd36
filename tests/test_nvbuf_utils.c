/* SPDX-License-Identifier: MIT */
/* nvbuf_utils of R32 by file descriptor, on Xavier, whose VIC does not look into the CPU's caches.
 */
#define VTEGRA_NO_EGL_HEADERS
#include "include/nvbuf_utils.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nvbuf_rig.h"
#include "tests/suite.h"

#define BAD(call) ck_assert_int_eq(call, -1)

enum { W = 32, H = 16 };

static int a, b;

static int buffer(NvBufferColorFormat format, int width, int height)
{
    NvBufferCreateParams p = { .width = width, .height = height, .colorFormat = format };
    int fd = -1;

    OK(NvBufferCreateEx(&fd, &p));
    return fd;
}

static void setup(void)
{
    board("xavier", "lazy");
    a = buffer(NvBufferColorFormat_GRAY8, W, H);
    b = buffer(NvBufferColorFormat_GRAY8, W, H);
}

static void teardown(void)
{
    OK(NvBufferDestroy(a));
    OK(NvBufferDestroy(b));
}

/* For 64 bits, counted by hand. */
START_TEST(structs_have_nvidias_sizes)
{
    ck_assert_uint_eq(NvBufferColorFormat_NV12, 5);
    ck_assert_uint_eq(NvBufferColorFormat_ABGR32, 17);
    ck_assert_uint_eq(NvBufferColorFormat_Invalid, 56);
    ck_assert_uint_eq(sizeof(NvBufferCreateParams), 28);
    ck_assert_uint_eq(sizeof(NvBufferParams), 136);
    ck_assert_uint_eq(offsetof(NvBufferParams, width), 36);
    ck_assert_uint_eq(sizeof(NvBufferSyncObj), 56);
    ck_assert_uint_eq(sizeof(NvBufferParamsEx), 320);
    ck_assert_uint_eq(sizeof(NvBufferTransformParams), 56);
    ck_assert_uint_eq(sizeof(NvBufferCompositeParams), 672);
}
END_TEST

START_TEST(a_buffer_is_synchronised_by_its_address)
{
    void *in = NULL, *out = NULL;
    bool sync = _i;

    OK(NvBufferMemMap(a, 0, NvBufferMem_Write, &in));
    OK(NvBufferMemMap(b, 0, NvBufferMem_Read, &out));
    memset(in, 9, W);
    OK(NvBufferMemSyncForDevice(a, 0, &in));
    OK(NvBufferTransform(a, b, &(NvBufferTransformParams){ 0 }));
    if (sync) {
        OK(NvBufferMemSyncForCpu(b, 0, &out));
    }
    ck_assert_uint_eq(*(uint8_t *)out, sync ? 9 : 0);
    OK(NvBufferMemUnMap(a, 0, &in));
    ck_assert_ptr_null(in);
    BAD(NvBufferMemUnMap(a, 0, &in));
}
END_TEST

/* Counter-clockwise: the right column becomes the top row. */
START_TEST(rotations_go_the_other_way_round)
{
    int turned = buffer(NvBufferColorFormat_GRAY8, H, W);
    NvBufferTransformParams p = { .transform_flag = NVBUFFER_TRANSFORM_FLIP,
                                  .transform_flip = NvBufferTransform_Rotate90 };
    NvBufferSyncObj sync = { .use_outsyncobj = 1 };
    uint8_t in[W * H], out[W * H];

    for (unsigned i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 3);
    }
    OK(Raw2NvBuffer(in, 0, W, H, a));
    OK(NvBufferTransformAsync(a, turned, &p, &sync));
    OK(NvBufferSyncObjWait(&sync.outsyncobj, NVBUFFER_SYNCPOINT_WAIT_INFINITE));
    BAD(NvBufferSyncObjWait(&sync.outsyncobj, 0)); /* it has ended */
    OK(NvBuffer2Raw(turned, 0, H, W, out));
    for (unsigned i = 0; i < H; i++) {
        ck_assert_uint_eq(out[i], in[i * W + W - 1]);
    }
    OK(NvBufferDestroy(turned));
}
END_TEST

START_TEST(buffers_are_composed_over_a_colour)
{
    int src[2] = { buffer(NvBufferColorFormat_ABGR32, 16, 16),
                   buffer(NvBufferColorFormat_ABGR32, 16, 16) };
    int dst = buffer(NvBufferColorFormat_ABGR32, W, H);
    NvBufferCompositeParams p = { .composite_flag = NVBUFFER_COMPOSITE, .input_buf_count = 1 };
    uint8_t in[16 * 16 * 4], out[W * H * 4];

    memset(in, 200, sizeof(in));
    OK(Raw2NvBuffer(in, 0, 16, 16, src[0]));
    p.src_comp_rect[0] = p.dst_comp_rect[0] = (NvBufferRect){ 0, 0, 16, 16 };
    p.dst_comp_rect_alpha[0] = 1;
    p.composite_bgcolor.r = 1;
    OK(NvBufferComposite(src, dst, &p));
    OK(NvBuffer2Raw(dst, 0, W, H, out));
    ck_assert_mem_eq(out, ((const uint8_t[]){ 200, 200, 200, 200 }), 4);
    ck_assert_mem_eq(out + 20 * 4, ((const uint8_t[]){ 255, 0, 0, 255 }), 4);
    OK(NvBufferDestroy(src[0]));
    OK(NvBufferDestroy(src[1]));
    OK(NvBufferDestroy(dst));
}
END_TEST

START_TEST(a_buffer_says_what_it_is)
{
    int nv12 = buffer(NvBufferColorFormat_NV12, W, H), fd = -1;
    NvBufferParamsEx p;
    EGLImageKHR image;

    OK(NvBufferGetParamsEx(nv12, &p));
    ck_assert_uint_eq(p.params.pixel_format, NvBufferColorFormat_NV12);
    ck_assert_uint_eq(p.params.num_planes, 2);
    ck_assert_uint_eq(p.params.height[1], H / 2);
    OK(ExtractFdFromNvBuffer(p.params.nv_buffer, &fd));
    ck_assert_int_eq(fd, nv12);
    image = NvEGLImageFromFd(NULL, nv12);
    ck_assert_ptr_nonnull(image);
    OK(NvDestroyEGLImage(NULL, image));
    BAD(NvDestroyEGLImage(NULL, image));
    OK(NvBufferDestroy(nv12));
    BAD(NvBufferDestroy(nv12));
    BAD(NvBufferGetParamsEx(nv12, &p));
}
END_TEST

START_TEST(arguments_that_are_none)
{
    NvBufferCreateParams p = { .width = -1, .height = 16 };
    NvBufferTransformParams t = { 0 };
    NvBufferSyncObj sync = { .num_insyncobj = 6 };
    NvBufferCompositeParams c = { .input_buf_count = 17 };
    void *address = &p;
    int fd = -1;

    BAD(NvBufferCreateEx(NULL, &p));
    BAD(NvBufferCreateEx(&fd, NULL));
    BAD(NvBufferCreateEx(&fd, &p));
    BAD(NvBufferCreate(&fd, 16, 16, NvBufferLayout_Pitch, NvBufferColorFormat_Invalid));
    BAD(NvBufferCreateInterlace(&fd, &p));
    BAD(NvBufferCreateWithChromaLoc(&fd, &p, NULL));
    BAD(NvBufferGetParams(a, NULL));
    BAD(NvBufferGetParams(-1, &(NvBufferParams){ 0 }));
    BAD(NvBufferMemMap(a, 0, NvBufferMem_Read, NULL));
    BAD(NvBufferMemMap(a, 7, NvBufferMem_Read, &address));
    BAD(NvBufferMemSyncForCpu(a, 0, &address));
    BAD(NvBufferMemSyncForDeviceEx(a, NULL, 0, &address));
    BAD(NvBufferTransform(a, -1, &t));
    BAD(NvBufferTransform(-1, b, &t));
    BAD(NvBufferTransform(a, b, NULL));
    BAD(NvBufferTransformEx(a, NULL, b, NULL, &t));
    BAD(NvBufferTransformAsync(a, b, &t, NULL));
    BAD(NvBufferTransformAsync(a, b, &t, &sync));
    BAD(NvBufferComposite(NULL, b, &c));
    BAD(NvBufferComposite(&a, b, &c));
    BAD(NvBufferSyncObjWait(NULL, 0));
    BAD(ExtractFdFromNvBuffer(&p, &fd));
    BAD(NvReleaseFd(-1));
    ck_assert_ptr_null(NvEGLImageFromFd(NULL, -1));
    ck_assert_int_eq(fd, -1);
}
END_TEST

/* --- descriptors that are none, function by function ------------------------------------------ */

/* As long as one of ours, with its first word, and sealed: forged by another process. */
static int forged(bool sealed)
{
    uint8_t bytes[4096] = { 0 };
    struct stat st;
    int fd = memfd_create("forged", MFD_ALLOW_SEALING);

    OK(fstat(a, &st));
    ck_assert_uint_le(st.st_size, sizeof(bytes));
    ck_assert_int_eq(pread(a, bytes, (size_t)st.st_size, 0), st.st_size);
    memset(bytes + 8, 0xa5, (size_t)st.st_size - 8);
    ck_assert_int_eq(write(fd, bytes, (size_t)st.st_size), st.st_size);
    if (sealed) {
        OK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
    }
    return fd;
}

static int closed_by_the_program(void)
{
    int fd = buffer(NvBufferColorFormat_GRAY8, W, H);

    close(fd);
    return fd;
}

static int destroyed(void)
{
    int fd = buffer(NvBufferColorFormat_GRAY8, W, H);

    OK(NvBufferDestroy(fd));
    return fd;
}

/* The number of a buffer that is gone is now another file's. */
static int taken_by_another_file(void)
{
    int gone = destroyed(), null = open("/dev/null", O_RDWR);

    return null == gone ? null : dup2(null, gone);
}

static int none(int i)
{
    int pair[2];

    switch (i) {
    case 0:
        return -1;
    case 1:
        return INT32_MAX;
    case 2:
        return open("/dev/null", O_RDWR);
    case 3:
        return open("/", O_RDONLY | O_DIRECTORY);
    case 4:
        OK(pipe(pair));
        return pair[0];
    case 5:
        return closed_by_the_program();
    case 6:
        return destroyed();
    case 7:
        return taken_by_another_file();
    default:
        return forged(i == 9);
    }
}
enum { NONES = 10 };

/* Each answers -1; what it would fill in, and the buffer beside it, stay as they are. */
START_TEST(a_descriptor_that_is_none)
{
    int x = none(_i), two[] = { b, x }, one[] = { x }, out = 123456;
    uint8_t was[W * H], bytes[W * H];
    void *address = was;
    NvBufferParams params = { .width = { 77 } };
    NvBufferParamsEx more = { .startofvaliddata = 77 };
    NvBufferTransformParams t = { 0 };
    NvBufferSyncObj sync = { .use_outsyncobj = 1 };
    NvBufferRect all = { 0, 0, W, H };
    NvBufferCompositeParams c = { .input_buf_count = 2,
                                  .src_comp_rect = { all, all },
                                  .dst_comp_rect = { all, all } };

    for (unsigned i = 0; i < sizeof(was); i++) {
        was[i] = (uint8_t)(i * 3);
    }
    OK(Raw2NvBuffer(was, 0, W, H, b));
    BAD(NvBufferDestroy(x));
    BAD(NvBufferGetParams(x, &params));
    BAD(NvBufferGetParamsEx(x, &more));
    ck_assert_uint_eq(params.width[0], 77);
    ck_assert_uint_eq(more.startofvaliddata, 77);
    ck_assert_ptr_null(NvEGLImageFromFd(NULL, x));
    BAD(NvBufferMemMap(x, 0, NvBufferMem_Read_Write, &address));
    BAD(NvBufferMemMapEx(x, &more, 0, NvBufferMem_Read_Write, &address));
    ck_assert_ptr_eq(address, was);
    BAD(NvBufferMemUnMap(x, 0, &address));
    BAD(NvBufferMemUnMapEx(x, &more, 0, &address));
    BAD(NvBufferMemSyncForCpu(x, 0, &address));
    BAD(NvBufferMemSyncForCpuEx(x, &more, 0, &address));
    BAD(NvBufferMemSyncForDevice(x, 0, &address));
    BAD(NvBufferMemSyncForDeviceEx(x, &more, 0, &address));
    BAD(NvBuffer2Raw(x, 0, W, H, bytes));
    BAD(Raw2NvBuffer(was, 0, W, H, x));
    BAD(NvBufferTransform(x, b, &t));
    BAD(NvBufferTransform(b, x, &t));
    BAD(NvBufferTransformEx(x, &more, b, &more, &t));
    BAD(NvBufferTransformAsync(x, b, &t, &sync));
    BAD(NvBufferTransformAsync(b, x, &t, &sync));
    BAD(NvBufferComposite(one, b, &c));
    BAD(NvBufferComposite(two, b, &c));
    BAD(NvBufferComposite(two, x, &c));
    ck_assert_uint_eq(sync.outsyncobj.syncpointID, 0);
    ck_assert_int_eq(out, 123456);
    OK(NvBuffer2Raw(b, 0, W, H, bytes));
    ck_assert_mem_eq(bytes, was, sizeof(was));
    if (x >= 0 && x < 1024) {
        close(x);
    }
}
END_TEST

/* Planes, sizes and flags that a buffer of one plane does not have. */
START_TEST(planes_and_sizes_that_are_none)
{
    uint8_t bytes[4 * W * H] = { 0 };
    void *address = NULL;

    for (unsigned plane = 1; plane < 6; plane++) {
        unsigned p = plane == 5 ? UINT32_MAX : plane;

        BAD(NvBufferMemMap(a, p, NvBufferMem_Read, &address));
        BAD(NvBufferMemUnMap(a, p, &address));
        BAD(NvBufferMemSyncForCpu(a, p, &address));
        BAD(NvBufferMemSyncForDevice(a, p, &address));
        BAD(NvBuffer2Raw(a, p, W, H, bytes));
        BAD(Raw2NvBuffer(bytes, p, W, H, a));
    }
    BAD(NvBuffer2Raw(a, 0, W + 1, H, bytes));
    BAD(NvBuffer2Raw(a, 0, W, H + 1, bytes));
    BAD(NvBuffer2Raw(a, 0, 0, H, bytes));
    BAD(NvBuffer2Raw(a, 0, W, H, NULL));
    BAD(Raw2NvBuffer(NULL, 0, W, H, a));
    BAD(Raw2NvBuffer(bytes, 0, W, UINT32_MAX, a));
    BAD(NvBufferMemMap(a, 0, (NvBufferMemFlags)99, &address));
    ck_assert_ptr_null(address);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvbuf_utils");
    TCase *t = tcase_create("nvbuf_utils");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, structs_have_nvidias_sizes);
    tcase_add_loop_test(t, a_buffer_is_synchronised_by_its_address, 0, 2);
    tcase_add_test(t, rotations_go_the_other_way_round);
    tcase_add_test(t, buffers_are_composed_over_a_colour);
    tcase_add_test(t, a_buffer_says_what_it_is);
    tcase_add_test(t, arguments_that_are_none);
    tcase_add_loop_test(t, a_descriptor_that_is_none, 0, NONES);
    tcase_add_test(t, planes_and_sizes_that_are_none);
    suite_add_tcase(s, t);
    return suite_main(s);
}

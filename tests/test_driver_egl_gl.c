/* SPDX-License-Identifier: MIT */
/* OpenGL at both ends of EGLStreams, before CUDA is initialised, and frames as RGBA. States:
 * EGL_KHR_stream 3.10.4.3; codes: EGL_KHR_stream_consumer_gltexture, EGL_NV_stream_sync. */
#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "runtime/driver/interop/egl/egl_pixels.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_gl.h"
#include "suite.h"

#define W 4u
#define H 2u
#define BYTES (W * H * 4)

static void *egl;
static struct rt_egl_gl_end *texture, *surface;

static int32_t state(void)
{
    int32_t value;

    ck_assert_int_eq(rt_egl_stream_query(NULL, egl, EGL_STREAM_STATE, &value), EGL_STREAM_DONE);
    return value;
}

static void up(const int64_t *attributes)
{
    ck_assert_int_eq(rt_egl_stream_create(NULL, attributes, &egl), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_gl_consumer_connect(NULL, egl, &texture), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_gl_producer_connect(NULL, egl, W, H, &surface), EGL_STREAM_DONE);
}

static enum egl_stream_result present(uint8_t value)
{
    uint8_t pixels[BYTES];

    memset(pixels, value, sizeof(pixels));
    return rt_egl_gl_present(surface, pixels);
}

/* The value of the frame that is acquired. */
static int acquire(void)
{
    struct rt_egl_picture p = { 0 };
    int value;

    ck_assert_int_eq(rt_egl_gl_acquire(texture, &p), EGL_STREAM_DONE);
    ck_assert_uint_eq(p.width, W);
    ck_assert_uint_eq(p.height, H);
    value = p.rgba[0];
    ck_assert_uint_eq(p.rgba[BYTES - 1], value);
    free(p.rgba);
    return value;
}

static void down(void)
{
    rt_egl_gl_leave(texture);
    rt_egl_gl_leave(surface);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
}

START_TEST(connecting_follows_the_state_machine)
{
    struct rt_egl_gl_end *other;

    ck_assert_int_eq(rt_egl_stream_create(NULL, NULL, &egl), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_gl_producer_connect(NULL, egl, W, H, &other), EGL_STREAM_BAD_STATE);
    ck_assert_int_eq(rt_egl_gl_consumer_connect(NULL, egl, &texture), EGL_STREAM_DONE);
    ck_assert_int_eq(state(), 0x3216);
    ck_assert_int_eq(rt_egl_gl_consumer_connect(NULL, egl, &other), EGL_STREAM_BAD_STATE);
    ck_assert_int_eq(rt_egl_gl_release(texture), EGL_STREAM_BAD_STATE);
    ck_assert_int_eq(rt_egl_gl_producer_connect(NULL, egl, W, H, &surface), EGL_STREAM_DONE);
    ck_assert_int_eq(state(), 0x3217);
    ck_assert_int_eq(rt_egl_gl_producer_connect(NULL, egl, W, H, &other), EGL_STREAM_BAD_STATE);
    ck_assert_int_eq(rt_egl_gl_consumer_connect(NULL, (void *)8, &other), EGL_STREAM_BAD_FRAME);
    rt_egl_gl_leave(surface);
    ck_assert_int_eq(state(), 0x321A);
    rt_egl_gl_leave(texture);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
}
END_TEST

START_TEST(a_mailbox_has_the_newest_frame)
{
    struct rt_egl_picture p;

    up(NULL);
    ck_assert_int_eq(rt_egl_gl_acquire(texture, &p), EGL_STREAM_BAD_STATE); /* EMPTY */
    ck_assert_int_eq(rt_egl_gl_release(texture), EGL_STREAM_DONE);          /* none is held */
    ck_assert_int_eq(present(1), EGL_STREAM_DONE);
    ck_assert_int_eq(present(2), EGL_STREAM_DONE);
    ck_assert_int_eq(state(), 0x3218);
    ck_assert_int_eq(acquire(), 2);
    ck_assert_int_eq(state(), 0x3219);
    ck_assert_int_eq(acquire(), 2); /* releases, and gets the old one again */
    ck_assert_int_eq(present(3), EGL_STREAM_DONE);
    ck_assert_int_eq(acquire(), 3);
    ck_assert_int_eq(rt_egl_gl_release(texture), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_gl_release(texture), EGL_STREAM_DONE);
    down();
}
END_TEST

START_TEST(without_reuse_a_frame_comes_once)
{
    static const int64_t no_reuse[] = { EGL_STREAM_REUSE, 0, 0x3038 };
    struct rt_egl_picture p;

    up(no_reuse);
    ck_assert_int_eq(present(1), EGL_STREAM_DONE);
    ck_assert_int_eq(acquire(), 1);
    ck_assert_int_eq(state(), 0x3217);
    ck_assert_int_eq(rt_egl_gl_release(texture), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_gl_acquire(texture, &p), EGL_STREAM_BAD_STATE);
    down();
}
END_TEST

START_TEST(a_fifo_has_each_frame)
{
    static const int64_t fifo[] = { EGL_STREAM_FIFO_LENGTH, 3, 0x3038 };

    up(fifo);
    for (uint8_t i = 1; i <= 3; i++) {
        ck_assert_int_eq(present(i), EGL_STREAM_DONE);
    }
    ck_assert_int_eq(present(4), EGL_STREAM_WAIT); /* no thread is there that takes one out */
    for (uint8_t i = 1; i <= 200; i++) {           /* far more than 64 */
        ck_assert_int_eq(acquire(), i);
        ck_assert_int_eq(present((uint8_t)(i + 3)), EGL_STREAM_DONE);
    }
    down();
}
END_TEST

START_TEST(a_disconnected_stream_takes_and_gives_nothing)
{
    struct rt_egl_picture p;

    up(NULL);
    ck_assert_int_eq(present(1), EGL_STREAM_DONE);
    ck_assert_int_eq(acquire(), 1);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
    ck_assert_int_eq(present(2), EGL_STREAM_BAD_FRAME); /* 3.9.4: it is no longer valid */
    ck_assert_int_eq(rt_egl_gl_acquire(texture, &p), EGL_STREAM_BAD_STATE);
    rt_egl_gl_leave(surface);
    rt_egl_gl_leave(texture);
    up(NULL);
    rt_egl_gl_leave(texture);
    ck_assert_int_eq(present(1), EGL_STREAM_BAD_STATE);
    rt_egl_gl_leave(surface);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
}
END_TEST

static void *present_later(void *unused)
{
    g_usleep(50000);
    ck_assert_int_eq(present(2), EGL_STREAM_DONE);
    return unused;
}

/* eglStreamConsumerAcquireKHR blocks while the state is EMPTY or OLD_FRAME_AVAILABLE. */
START_TEST(the_time_limit_is_for_a_new_frame)
{
    static const int64_t waits[] = { EGL_STREAM_ACQUIRE_TIMEOUT, -1, 0x3038 };
    pthread_t thread;

    up(waits);
    ck_assert_int_eq(present(1), EGL_STREAM_DONE);
    ck_assert_int_eq(acquire(), 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, present_later, NULL), 0);
    ck_assert_int_eq(acquire(), 2);
    pthread_join(thread, NULL);
    ck_assert_int_eq(acquire(), 2); /* no thread is left that could present one */
    down();
}
END_TEST

START_TEST(a_sync_is_signalled_by_each_new_frame)
{
    struct rt_egl_stream_sync *sync, *other;

    ck_assert_int_eq(rt_egl_stream_create(NULL, NULL, &egl), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_stream_sync_create(NULL, egl, &sync), EGL_STREAM_BAD_ACCESS);
    ck_assert_int_eq(rt_egl_gl_consumer_connect(NULL, egl, &texture), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_stream_sync_create(NULL, egl, &sync), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_stream_sync_create(NULL, egl, &other), EGL_STREAM_BAD_ACCESS);
    ck_assert_int_eq(rt_egl_gl_producer_connect(NULL, egl, W, H, &surface), EGL_STREAM_DONE);
    ck_assert(!rt_egl_stream_sync_wait(sync, 0));
    ck_assert(!rt_egl_stream_sync_wait(sync, UINT32_MAX)); /* no other thread is there */
    ck_assert_int_eq(present(1), EGL_STREAM_DONE);
    ck_assert(rt_egl_stream_sync_wait(sync, 0));
    ck_assert_int_eq(acquire(), 1);
    ck_assert(rt_egl_stream_sync_wait(sync, UINT32_MAX)); /* it is reset by hand only */
    rt_egl_stream_sync_set(sync, false);
    ck_assert(!rt_egl_stream_sync_wait(sync, 0));
    ck_assert_int_eq(present(2), EGL_STREAM_DONE);
    ck_assert(rt_egl_stream_sync_wait(sync, 0));
    rt_egl_stream_sync_free(sync);
    ck_assert_int_eq(rt_egl_stream_sync_create(NULL, egl, &sync), EGL_STREAM_DONE);
    down(); /* the sync outlives its stream */
    ck_assert(!rt_egl_stream_sync_wait(sync, 0));
    rt_egl_stream_sync_free(sync);
}
END_TEST

START_TEST(many_connections_leave_nothing_behind)
{
    for (unsigned i = 0; i < 1000; i++) {
        up(NULL);
        ck_assert_int_eq(present(1), EGL_STREAM_DONE);
        if (i % 2) {
            ck_assert_int_eq(acquire(), 1);
        }
        ck_assert_int_eq(present(2), EGL_STREAM_DONE);
        down();
    }
}
END_TEST

/* --- pixels --- */

static const CUeglFrame one_pixel = {
    .width = 1, .height = 1, .pitch = 1, .planeCount = 1, .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8
};

/* cudaEGL.h: the byte order of each format. */
START_TEST(channels_are_in_the_headers_order)
{
    static const struct {
        CUeglColorFormat format;
        size_t bytes;
        uint8_t rgba[4];
    } formats[] = {
        { CU_EGL_COLOR_FORMAT_ARGB, 4, { 3, 2, 1, 4 } },  /* BGRA */
        { CU_EGL_COLOR_FORMAT_RGBA, 4, { 4, 3, 2, 1 } },  /* ABGR */
        { CU_EGL_COLOR_FORMAT_ABGR, 4, { 1, 2, 3, 4 } },  /* RGBA */
        { CU_EGL_COLOR_FORMAT_BGRA, 4, { 2, 3, 4, 1 } },  /* ARGB */
        { CU_EGL_COLOR_FORMAT_RGB, 3, { 3, 2, 1, 255 } }, /* BGR */
        { CU_EGL_COLOR_FORMAT_BGR, 3, { 1, 2, 3, 255 } }, /* RGB */
        { CU_EGL_COLOR_FORMAT_R, 1, { 1, 0, 0, 255 } },
        { CU_EGL_COLOR_FORMAT_RG, 2, { 1, 2, 0, 255 } },
        { CU_EGL_COLOR_FORMAT_L, 1, { 1, 1, 1, 255 } },
    };
    CUeglFrame f = one_pixel;
    struct egl_plane planes[MAX_PLANES];
    uint8_t bytes[4] = { 1, 2, 3, 4 }, rgba[4];

    f.eglColorFormat = formats[_i].format;
    ck_assert(egl_pixels_planes(&f, planes));
    ck_assert_uint_eq(planes[0].width, formats[_i].bytes);
    ck_assert_uint_eq(planes[1].rows, 0);
    planes[0].bytes = bytes;
    egl_pixels_rgba(&f, planes, rgba);
    ck_assert_mem_eq(rgba, formats[_i].rgba, 4);
}
END_TEST

/* ITU-R BT.601: Kr = 0.299, Kb = 0.114. */
static int channel(double luma, double by)
{
    double v = (luma + by) * 255;

    return v < 0 ? 0 : v > 255 ? 255 : (int)(v + 0.5);
}

START_TEST(yuv_is_bt601)
{
    static const uint8_t levels[] = { 0, 16, 81, 128, 145, 235, 240, 255 };
    const bool full = _i;
    CUeglFrame f = one_pixel;
    struct egl_plane planes[MAX_PLANES];
    uint8_t y, u, v, rgba[4];

    f.planeCount = 3;
    f.eglColorFormat =
        full ? CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER : CU_EGL_COLOR_FORMAT_YUV420_PLANAR;
    ck_assert(egl_pixels_planes(&f, planes));
    planes[0].bytes = &y;
    planes[1].bytes = &u;
    planes[2].bytes = &v;
    for (unsigned n = 0; n < 8 * 8 * 8; n++) {
        double luma, pb, pr;

        y = levels[n % 8];
        u = levels[n / 8 % 8];
        v = levels[n / 64];
        luma = full ? y / 255.0 : (y - 16) / 219.0;
        pb = (u - 128) / (full ? 255.0 : 224.0);
        pr = (v - 128) / (full ? 255.0 : 224.0);
        egl_pixels_rgba(&f, planes, rgba);
        ck_assert_int_le(abs(rgba[0] - channel(luma, 1.402 * pr)), 1);
        ck_assert_int_le(
            abs(rgba[1] - channel(luma, -0.114 * 1.772 / 0.587 * pb - 0.299 * 1.402 / 0.587 * pr)),
            1);
        ck_assert_int_le(abs(rgba[2] - channel(luma, 1.772 * pb)), 1);
        ck_assert_uint_eq(rgba[3], 255);
    }
}
END_TEST

/* 3 x 3 pixels: planes of 2 x 2 samples, each for up to four pixels. */
START_TEST(chroma_is_shared_by_four_pixels)
{
    static uint8_t luma[9] = { 128, 128, 128, 128, 128, 128, 128, 128, 128 };
    static uint8_t chroma[8] = { 128, 128, 128, 255, 255, 128, 128, 128 }; /* U V U V, U V U V */
    CUeglFrame f = one_pixel;
    struct egl_plane planes[MAX_PLANES];
    uint8_t rgba[9 * 4];

    f.width = f.height = 3;
    f.pitch = 64;
    f.planeCount = 2;
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER;
    ck_assert(egl_pixels_planes(&f, planes));
    ck_assert_uint_eq(planes[1].width, 4);
    ck_assert_uint_eq(planes[1].rows, 2);
    ck_assert_uint_eq(planes[1].pitch, 64);
    planes[0].bytes = luma;
    planes[1].bytes = chroma;
    egl_pixels_rgba(&f, planes, rgba);
    for (unsigned i = 0; i < 9; i++) {
        bool red = i == 2 || i == 5, blue = i == 6 || i == 7;

        ck_assert_uint_eq(rgba[i * 4], red ? 255 : 128);
        ck_assert_uint_eq(rgba[i * 4 + 2], blue ? 255 : 128);
    }
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER;
    egl_pixels_rgba(&f, planes, rgba);
    ck_assert_uint_eq(rgba[2 * 4 + 2], 255);
    ck_assert_uint_eq(rgba[6 * 4], 255);
}
END_TEST

START_TEST(other_frames_are_refused)
{
    CUeglFrame f = one_pixel;
    struct egl_plane planes[MAX_PLANES];

    f.eglColorFormat = CU_EGL_COLOR_FORMAT_BAYER_RGGB;
    ck_assert(!egl_pixels_planes(&f, planes));
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_ABGR;
    f.cuFormat = CU_AD_FORMAT_FLOAT;
    ck_assert(!egl_pixels_planes(&f, planes));
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    f.planeCount = 2;
    ck_assert(!egl_pixels_planes(&f, planes));
    f.planeCount = 1;
    f.width = 0;
    ck_assert(!egl_pixels_planes(&f, planes));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("driver_egl_gl");
    TCase *t = tcase_create("gl");

    g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL);
    tcase_add_test(t, connecting_follows_the_state_machine);
    tcase_add_test(t, a_mailbox_has_the_newest_frame);
    tcase_add_test(t, without_reuse_a_frame_comes_once);
    tcase_add_test(t, a_fifo_has_each_frame);
    tcase_add_test(t, a_disconnected_stream_takes_and_gives_nothing);
    tcase_add_test(t, the_time_limit_is_for_a_new_frame);
    tcase_add_test(t, a_sync_is_signalled_by_each_new_frame);
    tcase_add_test(t, many_connections_leave_nothing_behind);
    tcase_add_loop_test(t, channels_are_in_the_headers_order, 0, 9);
    tcase_add_loop_test(t, yuv_is_bt601, 0, 2);
    tcase_add_test(t, chroma_is_shared_by_four_pixels);
    tcase_add_test(t, other_frames_are_refused);
    suite_add_tcase(s, t);
    return suite_main(s);
}

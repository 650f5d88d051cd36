/* SPDX-License-Identifier: MIT */
/* The ISP behind the VI: pixels. Expected values are computed by hand from the formulas of
 * docs/frames.md. */
#include "tests/suite.h"
#include "tests/vi_rig.h"

static void capture(void)
{
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(status_get().status, 1);
}

static void bytes_are(uint64_t pa, const uint8_t *want, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ck_assert_msg(*drig_at(&rig, pa + i) == want[i], "byte %u: %u, not %u", i,
                      *drig_at(&rig, pa + i), want[i]);
    }
}

/* Two lines U Y V Y U Y V Y. */
static void yuv_open(void)
{
    static const uint8_t lines[] = { 10, 1, 20, 2, 30, 3, 40, 4, 12, 5, 22, 6, 32, 7, 42, 8 };

    memcpy(frame_bytes, lines, sizeof(lines));
    open_camera(YUV422, 4, 2, ORDER_OLDEST);
}

START_TEST(yuv_is_stored_as_it_comes)
{
    static const uint8_t uyvy[] = { 10, 1, 20, 2, 30, 3, 40, 4 },
                         yuyv[] = { 1, 10, 2, 20, 3, 30, 4, 40 };
    static const uint8_t second[] = { 12, 5, 22, 6 }, luma[] = { 5, 6, 7, 8 };
    static const uint8_t chroma[] = { 11, 21, 31, 41 }; /* means of two lines */

    yuv_open();
    surface(UYVY, 4, 2, 64);
    capture();
    bytes_are(OUTPUT, uyvy, 8);
    bytes_are(OUTPUT + 64, second, 4);
    drig_close(&rig);
    yuv_open();
    surface(YUYV, 4, 2, 64);
    capture();
    bytes_are(OUTPUT, yuyv, 8);
    drig_close(&rig);
    yuv_open();
    surface(NV12, 4, 2, 64);
    capture();
    bytes_are(OUTPUT + 64, luma, 4);
    bytes_are(CHROMA, chroma, 4);
    drig_close(&rig);
    yuv_open();
    surface(L8, 4, 2, 64);
    capture();
    bytes_are(OUTPUT + 64, luma, 4);
}
END_TEST

/* What is scaled goes another way: the same bytes where each pixel stands for two. */
START_TEST(yuv_is_the_same_on_both_ways)
{
    uint8_t direct[64], scaled[64];

    for (unsigned i = 0; i < 64; i++) {
        frame_bytes[i] = (uint8_t)(i * 7 + 3);
    }
    for (unsigned format = UYVY; format <= NV12; format++) {
        open_camera(YUV422, 8, 4, ORDER_OLDEST);
        surface(format, 8, 4, 64);
        capture();
        memcpy(direct, drig_at(&rig, OUTPUT + 64), 16);
        memcpy(direct + 16, drig_at(&rig, CHROMA), 8);
        surface(format, 8, 8, 64);
        reg(CROP_SIZE, 4 << 16 | 8);
        capture(); /* of the next frame: each byte is one more */
        memcpy(scaled, drig_at(&rig, OUTPUT + 2 * 64), 16);
        for (unsigned i = 0; i < (format == NV12 ? 8 : 16); i++) {
            ck_assert_uint_eq((uint8_t)(direct[i] + 1), scaled[i]);
        }
        drig_close(&rig);
    }
    open_camera(YUV422, 8, 4, ORDER_OLDEST);
    surface(NV12, 4, 2, 64);
    reg(CROP_POS, 2 << 16 | 4);
    reg(CROP_SIZE, 2 << 16 | 4);
    capture();
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT), (uint8_t)((2 * 16 + 9) * 7 + 3));
    ck_assert_uint_eq(*drig_at(&rig, CHROMA),
                      ((uint8_t)((2 * 16 + 8) * 7 + 3) + (uint8_t)((3 * 16 + 8) * 7 + 3) + 1) / 2);
}
END_TEST

/* Rec. 601: white 235 128 128, black 16 128 128, red 82 90 240, blue 41 240 110 (published tables
 * of colour bars). */
START_TEST(rgb_becomes_yuv)
{
    static const uint8_t bars[] = { 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255 };
    static const uint8_t luma[] = { 235, 16, 82, 41 };
    static const uint8_t uyvy[] = { 128, 235, 128, 16, 165, 82, 175, 41 };

    memcpy(frame_bytes, bars, 12);
    memcpy(frame_bytes + 12, bars, 12);
    open_camera(RGB888, 4, 2, ORDER_OLDEST);
    surface(L8, 4, 2, 64);
    capture();
    bytes_are(OUTPUT, luma, 4);
    drig_close(&rig);
    open_camera(RGB888, 4, 2, ORDER_OLDEST);
    surface(UYVY, 4, 2, 64);
    capture();
    bytes_are(OUTPUT, uyvy, 8);
}
END_TEST

START_TEST(rgb_is_stored_in_either_order)
{
    static const uint8_t line[] = { 1, 2, 3, 4, 5, 6 };
    static const uint8_t rgbx[] = { 1, 2, 3, 255, 4, 5, 6, 255 },
                         bgrx[] = { 3, 2, 1, 255, 6, 5, 4, 255 };

    memcpy(frame_bytes, line, 6);
    memcpy(frame_bytes + 6, line, 6);
    open_camera(RGB888, 2, 2, ORDER_OLDEST);
    surface(RGBX, 2, 2, 64);
    capture();
    bytes_are(OUTPUT, rgbx, 8);
    drig_close(&rig);
    open_camera(RGB888, 2, 2, ORDER_OLDEST);
    surface(BGRX, 2, 2, 64);
    capture();
    bytes_are(OUTPUT + 64, bgrx, 8);
}
END_TEST

/* Y 235 is white, Y 16 black; 81 90 240 is red within one step. */
START_TEST(yuv_becomes_rgb)
{
    static const uint8_t line[] = { 128, 235, 128, 16, 90, 81, 240, 81 };
    static const uint8_t rgb[] = {
        255, 255, 255, 255, 0, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255
    };

    memcpy(frame_bytes, line, 8);
    memcpy(frame_bytes + 8, line, 8);
    open_camera(YUV422, 4, 2, ORDER_OLDEST);
    surface(RGBX, 4, 2, 64);
    capture();
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_int_le(abs(*drig_at(&rig, OUTPUT + i) - rgb[i]), 1);
    }
}
END_TEST

/* R G / G B: a frame of one colour gives that colour; a single bright R spreads to its neighbours.
 */
START_TEST(bayer_is_interpolated)
{
    static const uint8_t spot[] = {
        0, 0, 0, 0, /**/ 0, 0, 0, 0, /**/ 0, 0, 100, 0, /**/ 0, 0, 0, 0
    };
    static const uint8_t red[] = {
        0, 25, 50, 25, /**/ 0, 50, 100, 100
    }; /* lines 1 and 2; column 3 mirrors column 2 */

    for (unsigned i = 0; i < 16; i++) {
        frame_bytes[i] = (i / 4) % 2 ? (i % 2 ? 30 : 20) : (i % 2 ? 20 : 10);
    }
    open_camera(RAW8, 4, 4, ORDER_OLDEST);
    surface(RGBX, 4, 4, 64);
    capture();
    for (unsigned i = 0; i < 16; i++) {
        static const uint8_t colour[] = { 10, 20, 30, 255 };

        bytes_are(OUTPUT + i / 4 * 64 + i % 4 * 4, colour, 4);
    }
    drig_close(&rig);
    memcpy(frame_bytes, spot, 16);
    open_camera(RAW8, 4, 4, ORDER_OLDEST);
    surface(RGBX, 4, 4, 64);
    capture();
    for (unsigned x = 0; x < 3; x++) {
        ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 64 + x * 4), red[x]);
        ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 128 + x * 4), red[4 + x]);
    }
}
END_TEST

/* Means of four are rounded half up: G and B of the R at (2, 2) are 2 / 4. */
START_TEST(bayer_is_rounded)
{
    static const uint8_t dim[] = { 0, 0, 0, 0, /**/ 0, 1, 0, 1, /**/ 0, 1, 9, 1, /**/ 0, 0, 0, 0 };
    static const uint8_t colour[] = { 9, 1, 1, 255 };

    memcpy(frame_bytes, dim, 16);
    open_camera(RAW8, 4, 4, ORDER_OLDEST);
    surface(RGBX, 4, 4, 64);
    capture();
    bytes_are(OUTPUT + 2 * 64 + 2 * 4, colour, 4);
}
END_TEST

START_TEST(wide_bayer_keeps_its_high_bits_or_all)
{
    static const unsigned sample[] = { 0x3ff, 0x200, 0x155, 0x004 };

    for (unsigned i = 0; i < 4; i++) {
        frame_bytes[i * 2] = (uint8_t)sample[i];
        frame_bytes[i * 2 + 1] = (uint8_t)(sample[i] >> 8);
    }
    open_camera(RAW10, 2, 2, ORDER_OLDEST);
    surface(R16, 2, 2, 64);
    capture();
    bytes_are(OUTPUT, (const uint8_t[]){ 0xff, 0x03, 0x00, 0x02 }, 4);
    bytes_are(OUTPUT + 64, (const uint8_t[]){ 0x55, 0x01, 0x04, 0x00 }, 4);
    drig_close(&rig);
    open_camera(RAW10, 2, 2, ORDER_OLDEST);
    surface(RGBX, 2, 2, 64);
    capture();
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT), 0xff);           /* R, 0x3ff >> 2 */
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 64 + 4 + 2), 1); /* B, 4 >> 2 */
}
END_TEST

/* Pixel x of n is that below the middle of x: 8 to 4 takes 1 3 5 7; 4 to 8 takes each twice. */
START_TEST(crop_and_scale_take_the_nearest_pixel)
{
    for (unsigned i = 0; i < 64; i++) {
        frame_bytes[i * 3] = frame_bytes[i * 3 + 1] = frame_bytes[i * 3 + 2] = (uint8_t)i;
    }
    open_camera(RGB888, 8, 8, ORDER_OLDEST);
    surface(RGBX, 4, 4, 64);
    capture();
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(*drig_at(&rig, OUTPUT + i / 4 * 64 + i % 4 * 4),
                          (i / 4 * 2 + 1) * 8 + i % 4 * 2 + 1);
    }
    drig_close(&rig);
    open_camera(RGB888, 8, 8, ORDER_OLDEST);
    surface(RGBX, 8, 8, 64);
    reg(CROP_POS, 2 << 16 | 4);
    reg(CROP_SIZE, 4 << 16 | 4);
    capture();
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_uint_eq(*drig_at(&rig, OUTPUT + i / 8 * 64 + i % 8 * 4),
                          (2 + i / 8 / 2) * 8 + 4 + i % 8 / 2);
    }
}
END_TEST

static void teardown(void)
{
    drig_close(&rig);
}

int main(void)
{
    Suite *s = suite_create("vi_isp");
    TCase *t = tcase_create("vi_isp");

    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, yuv_is_stored_as_it_comes);
    tcase_add_test(t, yuv_is_the_same_on_both_ways);
    tcase_add_test(t, rgb_becomes_yuv);
    tcase_add_test(t, rgb_is_stored_in_either_order);
    tcase_add_test(t, yuv_becomes_rgb);
    tcase_add_test(t, bayer_is_interpolated);
    tcase_add_test(t, bayer_is_rounded);
    tcase_add_test(t, wide_bayer_keeps_its_high_bits_or_all);
    tcase_add_test(t, crop_and_scale_take_the_nearest_pixel);
    suite_add_tcase(s, t);
    return suite_main(s);
}

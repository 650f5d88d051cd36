/* SPDX-License-Identifier: MIT */
/* Cameras from files and formulas: runtime/camera. Expected values follow from docs/frames.md and
 * the formats' documents. */
#include "tests/suite.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "runtime/camera/camera.h"

static struct camera *camera;
static uint8_t line[8192 * 4];

static void refused(const char *source, const char *text)
{
    char *why = NULL;

    ck_assert_ptr_null(camera_open(source, &why));
    ck_assert_msg(strstr(why, text) != NULL, "%s: %s", source, why);
    g_free(why);
}

static const struct sensor *opened(const char *source)
{
    char *why = NULL;

    camera = camera_open(source, &why);
    ck_assert_msg(camera != NULL, "%s: %s", source, why);
    return camera_sensor(camera);
}

static const uint8_t *get(uint64_t frame, uint32_t y)
{
    const struct sensor *s = camera_sensor(camera);

    return s->line(s->opaque, frame, y, line) ? line : NULL;
}

static void written(const char *name, const void *bytes, size_t n)
{
    ck_assert(g_file_set_contents(name, bytes, (gssize)n, NULL));
}

static void teardown(void)
{
    camera_close(camera);
    camera = NULL;
}

START_TEST(a_pattern_has_its_number)
{
    const struct sensor *s = opened("pattern:320x64@25");

    ck_assert_uint_eq(s->type, 0x1e);
    ck_assert_uint_eq(s->period_ns, 40000000);
    ck_assert_uint_eq(camera_frames(camera), 0);
    for (unsigned bit = 0; bit < 32; bit++) { /* fields of 10 pixels */
        ck_assert_uint_eq(get(0x80000005, 15)[bit * 20 + 1],
                          bit == 0 || bit == 29 || bit == 31 ? 235 : 16);
    }
    ck_assert_uint_eq(get(3, 20)[2 * 7 + 1], 16 + (7 + 20 + 12) % 220);
    ck_assert_uint_eq(line[12], 96 + 3); /* U of the pair at 6 */
    ck_assert_uint_eq(line[14], 96 + 20);
}
END_TEST

START_TEST(a_raw_pattern_is_the_mosaic_of_the_rgb_one)
{
    uint8_t rgb[64 * 3];

    opened("pattern:64x64@30:rgb");
    memcpy(rgb, get(2, 33), sizeof(rgb));
    ck_assert_uint_eq(rgb[5 * 3], 5 + 8);
    ck_assert_uint_eq(rgb[5 * 3 + 1], 33);
    ck_assert_uint_eq(rgb[5 * 3 + 2], 5 ^ 33);
    camera_close(camera);
    opened("pattern:64x64@30:raw10");
    get(2, 33); /* an odd line: G B */
    ck_assert_uint_eq(line[4 * 2] | line[4 * 2 + 1] << 8, rgb[4 * 3 + 1] * 4);
    ck_assert_uint_eq(line[5 * 2] | line[5 * 2 + 1] << 8, rgb[5 * 3 + 2] * 4);
}
END_TEST

/* 4 x 2: luma 1..8, then two samples of U and of V. */
START_TEST(y4m_is_sent_as_422)
{
    static const char file[] =
        "YUV4MPEG2 W4 H2 F25:1 Ip C420jpeg\nFRAME\n\1\2\3\4\5\6\7\10\144\145\310\311FRAME X\n"
        "\11\2\3\4\5\6\7\10\144\145\310\311";
    static const uint8_t first[] = { 100, 1, 200, 2, 101, 3, 201, 4 },
                         second[] = { 100, 5, 200, 6, 101, 7, 201, 8 };

    written("a.y4m", file, sizeof(file) - 1);
    ck_assert_uint_eq(opened("a.y4m")->period_ns, 40000000);
    ck_assert_uint_eq(camera_frames(camera), 2);
    ck_assert_mem_eq(get(0, 0), first, 8);
    ck_assert_mem_eq(get(2, 1), second, 8); /* again from the beginning */
    ck_assert_uint_eq(get(1, 0)[1], 9);
}
END_TEST

START_TEST(a_frame_that_is_cut_off_ends_early)
{
    static const char file[] =
        "YUV4MPEG2 W4 H2 F25:1 Cmono\nFRAME\n\1\2\3\4\5\6\7\10FRAME\n\1\2\3\4\5";

    written("cut.y4m", file, sizeof(file) - 1);
    opened("cut.y4m");
    ck_assert_uint_eq(camera_frames(camera), 2);
    ck_assert_uint_eq(get(1, 0)[0], 128);
    ck_assert_ptr_null(get(1, 1));
    ck_assert_ptr_nonnull(get(0, 1));
}
END_TEST

START_TEST(ppm_files_and_folders)
{
    static const char file[] = "P6 # a comment\n2 2\n255\nabcdefghijkl";
    char two[128];

    written("a.ppm", file, sizeof(file) - 1);
    ck_assert_uint_eq(opened("a.ppm")->type, 0x24);
    ck_assert_mem_eq(get(0, 1), "ghijkl", 6);
    camera_close(camera);
    memcpy(two, file, sizeof(file) - 1);
    memcpy(two + sizeof(file) - 1, "P6\n2 2\n255\nABCDEFGHIJKL", 23);
    written("two.ppm", two, sizeof(file) - 1 + 23);
    opened("two.ppm");
    ck_assert_uint_eq(camera_frames(camera), 2);
    ck_assert_mem_eq(get(1, 0), "ABCDEF", 6);
    camera_close(camera);
    g_mkdir("camera_folder", 0700);
    written("camera_folder/2.ppm", "P6\n2 2\n255\nABCDEFGHIJKL", 23);
    written("camera_folder/1.ppm", file, sizeof(file) - 1);
    written("camera_folder/3.txt", "x", 1);
    opened("camera_folder");
    ck_assert_uint_eq(camera_frames(camera), 2);
    ck_assert_mem_eq(get(0, 0), "abcdef", 6);
    ck_assert_mem_eq(get(1, 0), "ABCDEF", 6);
}
END_TEST

START_TEST(raw_files_have_no_heads)
{
    static const uint8_t bytes[] = { 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0 };

    written("a.raw", bytes, sizeof(bytes));
    ck_assert_uint_eq(opened("raw10:2x2@50:a.raw")->type, 0x2b);
    ck_assert_uint_eq(camera_frames(camera), 2);
    ck_assert_mem_eq(get(0, 1), bytes + 4, 4);
    ck_assert_ptr_nonnull(get(1, 0));
    ck_assert_ptr_null(get(1, 1));
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
    refused("pattern:", "WxH@FPS");
    refused("pattern:64x64@0", "WxH@FPS");
    refused("pattern:63x64@30", "even numbers from 2 to 8192");
    refused("pattern:64x99998@30", "even numbers");
    refused("pattern:64x64@30:blue", "raw12");
    refused("none.y4m",
            "No such file or directory: a camera is a Y4M or PPM file, a folder of PPM");
    refused("raw9:2x2@30:a", "8, 10 or 12 bits");
    refused("raw8:2x2@30", "the name of a file");
    written("empty", "", 0);
    refused("empty", "empty");
    refused("raw8:2x2@30:empty", "no frame");
    written("other", "RIFFxxxxAVI", 11);
    refused("other", "neither YUV4MPEG2");
    written("odd.y4m", "YUV4MPEG2 W3 H2 C420\nFRAME\n", 27);
    refused("odd.y4m", "3x2: width and height");
    written("deep.y4m", "YUV4MPEG2 W4 H2 C420p10\nFRAME\n", 30);
    refused("deep.y4m", "colours 420p10");
    written("laced.y4m", "YUV4MPEG2 W4 H2 It\nFRAME\n", 25);
    refused("laced.y4m", "interlaced");
    written("rate.y4m", "YUV4MPEG2 W4 H2 F0:0\nFRAME\n", 27);
    refused("rate.y4m", "frame rate");
    written("head.y4m", "YUV4MPEG2 W4 H2", 15);
    refused("head.y4m", "no end");
    written("junk.y4m", "YUV4MPEG2 W4 H2\nFRAMX\n", 22);
    refused("junk.y4m", "no FRAME begins");
    written("none.y4m.txt", "YUV4MPEG2 W4 H2\nFRAME\n", 22);
    refused("none.y4m.txt", "no frame");
    written("deep.ppm", "P6 2 2 65535\nxxxx", 17);
    refused("deep.ppm", "65535 levels");
    written("cut.ppm", "P6 2", 4);
    refused("cut.ppm", "cut off");
    written("sizes.ppm", "P6 2 2 255\nabcdefghijklP6 4 2 255\nabcdefghijklabcdefghijkl", 59);
    refused("sizes.ppm", "4x2 follows one of 2x2");
    g_mkdir("no_pictures", 0700);
    refused("no_pictures", "no *.ppm");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("camera");
    TCase *t = tcase_create("camera");

    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, a_pattern_has_its_number);
    tcase_add_test(t, a_raw_pattern_is_the_mosaic_of_the_rgb_one);
    tcase_add_test(t, y4m_is_sent_as_422);
    tcase_add_test(t, a_frame_that_is_cut_off_ends_early);
    tcase_add_test(t, ppm_files_and_folders);
    tcase_add_test(t, raw_files_have_no_heads);
    tcase_add_test(t, what_is_wrong_is_said);
    suite_add_tcase(s, t);
    return suite_main(s);
}

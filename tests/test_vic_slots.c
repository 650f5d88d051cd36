/* SPDX-License-Identifier: MIT */
/* Several slots of one job of the VIC, blending, and the transposed output. */
#include "tests/suite.h"
#include "tests/vic_rig.h"

enum { STEP = 176, BLEND = 304 - SLOT, INPUT_2 = 0x1260 };

/* Another slot with an image of L8 or RGBA at INPUT_U, whose first pixel lies at (@x, @y). */
static void over(unsigned format, unsigned width, unsigned height, unsigned x, unsigned y)
{
    const unsigned slot = SLOT + STEP, surface = SLOT_SURFACE + STEP;

    set(slot, 0, 1, 1);
    set(slot, 138, 10, 1023);
    set(slot, 288, 30, (width - 1) << 16);
    set(slot, 352, 30, (height - 1) << 16);
    set(slot, 384, 14, x);
    set(slot, 400, 14, x + width - 1);
    set(slot, 416, 14, y);
    set(slot, 432, 14, y + height - 1);
    set(surface, 0, 7, format);
    set(surface, 32, 14, width - 1);
    set(surface, 46, 14, height - 1);
    set(surface, 64, 14, width - 1);
    method(INPUT_2, (uint32_t)(INPUT_U >> 8));
}

/* Factors of vic.h in libdrm: K1 and "one less K1 times the source's alpha". */
static void blend(unsigned k1, unsigned src_c, unsigned dst_c)
{
    set(SLOT + STEP + BLEND, 0, 10, k1);
    set(SLOT + STEP + BLEND, 32, 3, src_c);
    set(SLOT + STEP + BLEND, 36, 3, dst_c);
    set(SLOT + STEP + BLEND, 40, 3, 0);
    set(SLOT + STEP + BLEND, 44, 3, 1);
}

START_TEST(a_later_slot_lies_over_an_earlier_one)
{
    output(L8, 4, 2, 4);
    input(L8, 4, 2, 4);
    over(L8, 1, 1, 2, 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 8);
    put(INPUT_U, (const uint8_t[]){ 99 }, 1);
    job_ok();
    bytes_are(OUTPUT, ((const uint8_t[]){ 1, 2, 3, 4, 5, 6, 99, 8 }), 8);
}
END_TEST

/* Half of 100 and half of 200. */
START_TEST(a_constant_blends_two_slots)
{
    output(L8, 1, 1, 4);
    input(L8, 1, 1, 4);
    over(L8, 1, 1, 0, 0);
    blend(512, 0, 4);
    put(INPUT, (const uint8_t[]){ 200 }, 1);
    put(INPUT_U, (const uint8_t[]){ 100 }, 1);
    job_ok();
    bytes_are(OUTPUT, ((const uint8_t[]){ 150 }), 1);
}
END_TEST

/* K1 times the source's alpha, over one less that: 0 leaves what lies below, 255 replaces it. */
START_TEST(an_alpha_of_the_image_blends)
{
    static const uint8_t below[12] = { 10, 20, 30, 255, 10, 20, 30, 255, 200, 100, 50, 255 };
    static const uint8_t above[12] = { 90, 80, 70, 0, 90, 80, 70, 255, 100, 200, 150, 128 };
    static const uint8_t want[12] = { 10, 20, 30, 255, 90, 80, 70, 255, 150, 150, 100, 255 };

    output(RGBA, 3, 1, 4);
    input(RGBA, 3, 1, 4);
    over(RGBA, 3, 1, 0, 0);
    blend(1023, 3, 4);
    put(INPUT, below, 12);
    put(INPUT_U, above, 12);
    job_ok();
    bytes_are(OUTPUT, want, 12);
}
END_TEST

/* Rows of the image become columns; a flip before that makes a rotation. */
START_TEST(a_transposed_output_has_rows_as_columns)
{
    static const uint8_t want[4][6] = { { 1, 4, 2, 5, 3, 6 },
                                        { 3, 6, 2, 5, 1, 4 }, /* counter-clockwise */
                                        { 4, 1, 5, 2, 6, 3 }, /* clockwise */
                                        { 6, 3, 5, 2, 4, 1 } };

    output(L8, 2, 3, 2);
    input(L8, 3, 2, 3);
    set(OUT_RECT, 80, 14, 2);
    set(OUT_RECT, 112, 14, 1);
    set(OUT_RECT, 48, 1, _i & 1);
    set(OUT_RECT, 49, 1, _i >> 1);
    set(OUT_RECT, 50, 1, 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4, 5, 6 }, 6);
    job_ok();
    bytes_are(OUTPUT, want[_i], 6);
}
END_TEST

START_TEST(chroma_is_transposed_with_its_pixels)
{
    output(NV12, 2, 4, 2);
    input(NV12, 4, 2, 4);
    set(OUT_RECT, 80, 14, 3);
    set(OUT_RECT, 112, 14, 1);
    set(OUT_RECT, 50, 1, 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 8);
    put(INPUT_U, (const uint8_t[]){ 50, 60, 70, 80 }, 4);
    job_ok();
    bytes_are(OUTPUT, ((const uint8_t[]){ 1, 5, 2, 6, 3, 7, 4, 8 }), 8);
    bytes_are(OUTPUT_U, ((const uint8_t[]){ 50, 60, 70, 80 }), 4);
}
END_TEST

/* More rows than are made at a time, and a rest. */
START_TEST(a_larger_image_is_transposed)
{
    enum { W = 7, H = 11 };
    uint8_t in[W * H], want[W * H];

    for (unsigned i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 3 + 1);
        want[i % W * H + i / W] = in[i];
    }
    output(L8, H, W, H);
    input(L8, W, H, W);
    set(OUT_RECT, 80, 14, W - 1);
    set(OUT_RECT, 112, 14, H - 1);
    set(OUT_RECT, 50, 1, 1);
    put(INPUT, in, sizeof(in));
    job_ok();
    bytes_are(OUTPUT, want, sizeof(want));
}
END_TEST

START_TEST(a_slot_that_it_does_not_have_fails)
{
    static const struct {
        unsigned byte, lsb, width, value, where;
    } rows[] = {
        { SLOT_SURFACE + STEP, 0, 7, 0, SLOT_SURFACE + STEP },  /* a format */
        { SLOT + STEP, 400, 14, 9, SLOT + STEP },               /* its place outside */
        { SLOT + STEP + BLEND, 32, 3, 5, SLOT + STEP + BLEND }, /* a factor */
        { SLOT + STEP + BLEND, 36, 3, 7, SLOT + STEP + BLEND },
        { SLOT + STEP + BLEND, 40, 3, 4, SLOT + STEP + BLEND },
        { SLOT + STEP + BLEND, 44, 3, 4, SLOT + STEP + BLEND },
    };
    static const uint8_t none[4];

    output(L8, 2, 2, 2);
    input(L8, 2, 2, 2);
    over(L8, 1, 1, 0, 0);
    put(INPUT, "four", 4);
    set(rows[_i].byte, rows[_i].lsb, rows[_i].width, rows[_i].value);
    job_fails(ERR_CONFIG, rows[_i].where);
    bytes_are(OUTPUT, none, 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vic_slots");
    TCase *t = tcase_create("vic_slots");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_later_slot_lies_over_an_earlier_one);
    tcase_add_test(t, a_constant_blends_two_slots);
    tcase_add_test(t, an_alpha_of_the_image_blends);
    tcase_add_loop_test(t, a_transposed_output_has_rows_as_columns, 0, 4);
    tcase_add_test(t, chroma_is_transposed_with_its_pixels);
    tcase_add_test(t, a_larger_image_is_transposed);
    tcase_add_loop_test(t, a_slot_that_it_does_not_have_fails, 0, 6);
    suite_add_tcase(s, t);
    return suite_main(s);
}

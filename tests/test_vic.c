/* SPDX-License-Identifier: MIT */
/* The VIC's images, its window and its port. Colours are those of ITU-R BT.601; tests/vic_rig.h
 * names the documents of the rest. */
#include "tests/suite.h"
#include "tests/vic_rig.h"

/* --- the row --------------------------------------------------------------------------------- */

/* Upstream tegra194.dtsi, tegra234.dtsi, dt-bindings/memory/tegra194-mc.h, tegra234-mc.h. */
START_TEST(it_stands_where_the_device_trees_say)
{
    enum unit_id smmu;
    uint32_t stream;
    uint64_t size;

    ck_assert_uint_eq(soc_unit_base(rig.soc, UNIT_VIC, &size), BASE);
    ck_assert_uint_eq(size, 0x40000);
    ck_assert_int_eq(soc_unit_smmu(rig.soc, UNIT_VIC, &smmu, &stream), 0);
    ck_assert_int_eq(smmu, UNIT_SMMU0);
    ck_assert_uint_eq(stream, 3);
    drig_close(&rig);
    drig_open(&rig, "t234", ORDER_OLDEST);
    ck_assert_int_eq(soc_unit_smmu(rig.soc, UNIT_VIC, &smmu, &stream), 0);
    ck_assert_int_eq(smmu, UNIT_SMMU1);
    ck_assert_uint_eq(stream, 0x34);
}
END_TEST

/* --- coherency: CUDA for Tegra 2.1 ----------------------------------------------------------- */

START_TEST(its_port_sees_dirty_cpu_lines_only_where_it_is_coherent)
{
    static const uint32_t written = 0x04030201;
    const bool coherent = _i;
    uint32_t seen;

    drig_close(&rig);
    drig_open_with(&rig, "t194", ORDER_OLDEST, coherent, 1);
    output(RGBA, 1, 1, 2);
    input(RGBA, 1, 1, 2);
    soc_cpu_write(rig.soc, INPUT, &written, 4); /* dirty, not cleaned */
    soc_cpu_read(rig.soc, OUTPUT, &seen, 4);    /* a line that becomes stale */
    job_ok();
    ck_assert_uint_eq(*(uint32_t *)(void *)drig_at(&rig, OUTPUT), coherent ? written : 0);
    soc_cpu_clean(rig.soc, INPUT, 4);
    reg(IRQSCLR, DONE);
    job_ok();
    soc_cpu_read(rig.soc, OUTPUT, &seen, 4);
    ck_assert_uint_eq(seen, coherent ? written : 0);
    soc_cpu_invalidate(rig.soc, OUTPUT, 4);
    soc_cpu_read(rig.soc, OUTPUT, &seen, 4);
    ck_assert_uint_eq(seen, written);
}
END_TEST

/* --- pixels ---------------------------------------------------------------------------------- */

START_TEST(components_change_places_by_format)
{
    static const struct {
        unsigned format;
        uint8_t pixel[4];
    } rows[] = { { RGBA, { 10, 20, 30, 40 } },
                 { BGRA, { 30, 20, 10, 40 } },
                 { ARGB_BYTES, { 40, 10, 20, 30 } },
                 { ABGR_BYTES, { 40, 30, 20, 10 } } };

    output(rows[_i / 4].format, 1, 1, 2);
    input(rows[_i % 4].format, 1, 1, 2);
    put(INPUT, rows[_i % 4].pixel, 4);
    job_ok();
    bytes_are(OUTPUT, rows[_i / 4].pixel, 4);
}
END_TEST

START_TEST(strides_and_rectangles_leave_other_bytes_alone)
{
    static const uint8_t want[12] = { 9, 9, 9, 9, 9, 5, 6, 9, 9, 7, 8, 9 };

    output(L8, 4, 3, 4);
    set(OUT_RECT, 64, 14, 1); /* left */
    set(OUT_RECT, 80, 14, 2); /* right */
    set(OUT_RECT, 96, 14, 1); /* top */
    input(L8, 2, 2, 3);
    set(SLOT, 384, 14, 1);
    set(SLOT, 400, 14, 2);
    set(SLOT, 416, 14, 1);
    set(SLOT, 432, 14, 2);
    put(OUTPUT, (const uint8_t[]){ 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 }, 12);
    put(INPUT, (const uint8_t[]){ 5, 6, 0, 7, 8, 0 }, 6);
    job_ok();
    bytes_are(OUTPUT, want, 12);
}
END_TEST

START_TEST(what_no_slot_covers_is_background)
{
    static const uint8_t want[16] = { 255, 127, 0, 255, 255, 127, 0, 255,
                                      1,   2,   3, 255, 255, 127, 0, 255 };

    output(RGBA, 2, 2, 2);
    set(OUT_RECT, 8, 8, 255);
    set(OUT_RECT, 16, 10, 1023);
    set(OUT_RECT, 26, 10, 511);
    input(RGBX, 1, 1, 2);
    set(SLOT, 416, 14, 1); /* at 0, 1 */
    set(SLOT, 432, 14, 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 77 }, 4);
    job_ok();
    bytes_are(OUTPUT, want, 16);
}
END_TEST

START_TEST(flips_mirror_the_output)
{
    static const uint8_t want[4][4] = {
        { 1, 2, 3, 4 }, { 2, 1, 4, 3 }, { 3, 4, 1, 2 }, { 4, 3, 2, 1 }
    };

    output(L8, 2, 2, 2);
    input(L8, 2, 2, 2);
    set(OUT_RECT, 48, 1, _i & 1);
    set(OUT_RECT, 49, 1, _i >> 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4 }, 4);
    job_ok();
    bytes_are(OUTPUT, want[_i], 4);
}
END_TEST

/* By hand: centres of output pixels of a doubled image lie at -1/4, 1/4, 3/4, 5/4 of the source. */
START_TEST(scaling_is_nearest_or_bilinear)
{
    static const uint8_t nearest[4] = { 40, 40, 80, 80 }, bilinear[4] = { 40, 50, 70, 80 };

    output(L8, 4, 1, 4);
    input(L8, 2, 1, 2);
    dest(4, 1);
    set(SLOT, 22, 2, (unsigned)_i);
    put(INPUT, (const uint8_t[]){ 40, 80 }, 2);
    job_ok();
    bytes_are(OUTPUT, _i ? bilinear : nearest, 4);
}
END_TEST

START_TEST(rows_are_scaled_too)
{
    output(L8, 2, 4, 2);
    input(L8, 2, 2, 2);
    dest(2, 4);
    set(SLOT, 20, 2, 1); /* FilterLengthY: two taps */
    put(INPUT, (const uint8_t[]){ 40, 0, 80, 0 }, 4);
    job_ok();
    bytes_are(OUTPUT, (const uint8_t[]){ 40, 0, 50, 0, 70, 0, 80, 0 }, 8);
}
END_TEST

START_TEST(half_the_size_takes_every_second_pixel)
{
    output(L8, 2, 1, 2);
    input(L8, 4, 1, 4);
    dest(2, 1);
    put(INPUT, (const uint8_t[]){ 10, 20, 30, 40 }, 4);
    job_ok();
    bytes_are(OUTPUT, (const uint8_t[]){ 20, 40 }, 2);
}
END_TEST

/* --- RGB to YUV ------------------------------------------------------------------------------ */

/* ITU-R BT.601: Y = 16 + 219 (0.299 R + 0.587 G + 0.114 B), U and V from -112 to 112 around 128. */
static void bt601(unsigned byte)
{
    static const double m[3][4] = {
        { 0.299 * 219 / 255, 0.587 * 219 / 255, 0.114 * 219 / 255, 16 },
        { -0.168736 * 224 / 255, -0.331264 * 224 / 255, 0.5 * 224 / 255, 128 },
        { 0.5 * 224 / 255, -0.418688 * 224 / 255, -0.081312 * 224 / 255, 128 }
    };
    static const unsigned column[4] = { 0, 64, 128, 192 };
    const unsigned shift = 8;

    for (unsigned row = 0; row < 3; row++) {
        for (unsigned i = 0; i < 4; i++) {
            /* the offset of 8 bits is one of 10, and the output drops two bits: half of their value
             * rounds */
            double value = i < 3 ? m[row][i] * (1 << (8 + shift)) : (m[row][i] * 4 + 2) * 256;

            set(byte, column[i] + row * 20, 20,
                (uint32_t)(int32_t)(value < 0 ? value - 0.5 : value + 0.5));
        }
    }
    set(byte, 60, 4, shift);
    set(byte, 127, 1, 1);
}

static const struct {
    uint8_t rgb[3], yuv[3];
} colours[] = { { { 0, 0, 0 }, { 16, 128, 128 } },     { { 255, 255, 255 }, { 235, 128, 128 } },
                { { 255, 0, 0 }, { 81, 90, 240 } },    { { 0, 255, 0 }, { 145, 54, 34 } },
                { { 0, 0, 255 }, { 41, 240, 110 } },   { { 255, 255, 0 }, { 210, 16, 146 } },
                { { 0, 255, 255 }, { 170, 166, 16 } }, { { 255, 0, 255 }, { 106, 202, 222 } } };

static void near(uint8_t is, uint8_t want)
{
    ck_assert_int_ge(is, want - 1);
    ck_assert_int_le(is, want + 1);
}

START_TEST(rgba_becomes_yuv_420)
{
    static const unsigned formats[] = { NV12, NV21, I420 };
    unsigned colour = (unsigned)_i / 3, format = formats[_i % 3];

    output(format, 2, 2, 2);
    input(RGBA, 2, 2, 2);
    bt601(_i % 2 ? OUT_MATRIX : SLOT_MATRIX);
    for (unsigned i = 0; i < 4; i++) {
        put(INPUT + i * 4, colours[colour].rgb, 3);
    }
    job_ok();
    for (unsigned i = 0; i < 4; i++) {
        near(*drig_at(&rig, OUTPUT + i), colours[colour].yuv[0]);
    }
    near(*drig_at(&rig, OUTPUT_U + (format == NV21)), colours[colour].yuv[1]);
    near(*drig_at(&rig, format == I420 ? OUTPUT_V : OUTPUT_U + (format == NV12)),
         colours[colour].yuv[2]);
}
END_TEST

/* Location 0: the even pixel's; 1: the mean of both; 2: the odd one's. */
START_TEST(chroma_lies_where_the_surface_says)
{
    static const uint8_t want[3] = { 10, 20, 30 };

    output(NV12, 2, 2, 2);
    set(OUT, 7, 2, (unsigned)_i);
    input(NV12, 2, 2, 2);
    input(RGBA, 2, 2, 2);
    for (unsigned i = 0; i < 4; i++) {
        put(INPUT + i * 4, (const uint8_t[]){ 0, i % 2 ? 30 : 10, 0, 0 }, 4);
    }
    job_ok();
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT_U), want[_i]);
}
END_TEST

START_TEST(chroma_lies_between_rows_as_well)
{
    static const uint8_t want[3] = { 10, 20, 30 };

    output(I420, 2, 2, 2);
    set(OUT, 9, 2, (unsigned)_i);
    input(RGBA, 2, 2, 2);
    for (unsigned i = 0; i < 4; i++) {
        put(INPUT + i * 4, (const uint8_t[]){ 0, i / 2 ? 30 : 10, 0, 0 }, 4);
    }
    job_ok();
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT_U), want[_i]);
}
END_TEST

/* The last column and row have no neighbour: their chroma is their own. */
START_TEST(odd_sizes_keep_their_last_chroma)
{
    output(NV12, 3, 3, 4);
    input(RGBA, 3, 3, 3);
    for (unsigned i = 0; i < 9; i++) {
        put(INPUT + i * 4, (const uint8_t[]){ 7, (uint8_t)(i == 8 ? 99 : 0), 0, 0 }, 4);
    }
    job_ok();
    bytes_are(OUTPUT + 8, "\7\7\7", 3);
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT_U + 4 + 2), 99);
}
END_TEST

START_TEST(a_constant_alpha_replaces_the_images)
{
    output(RGBA, 1, 1, 2);
    input(RGBA, 1, 1, 2);
    set(SLOT, 162, 8, 129);
    set(SLOT, 170, 1, 1);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4 }, 4);
    job_ok();
    bytes_are(OUTPUT, (const uint8_t[]){ 1, 2, 3, 129 }, 4);
}
END_TEST

START_TEST(other_orders_of_chroma_come_in)
{
    output(RGBA, 2, 1, 2);
    input(_i ? I420 : NV21, 2, 1, 2);
    put(INPUT, (const uint8_t[]){ 1, 2 }, 2);
    put(INPUT_U, (const uint8_t[]){ 50, 60 }, 2);
    put(INPUT_V, (const uint8_t[]){ 70 }, 1);
    job_ok();
    bytes_are(OUTPUT,
              _i ? (const uint8_t[]){ 1, 50, 70, 255 } : (const uint8_t[]){ 1, 60, 50, 255 }, 4);
}
END_TEST

START_TEST(yuv_420_comes_in_as_well)
{
    output(RGBA, 4, 2, 4);
    input(NV12, 4, 2, 4);
    put(INPUT, (const uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 8);
    put(INPUT_U, (const uint8_t[]){ 50, 60, 70, 80 }, 4);
    job_ok();
    bytes_are(OUTPUT, (const uint8_t[]){ 1, 50, 60, 255, 2, 50, 60, 255, 3, 70, 80, 255 }, 12);
    bytes_are(OUTPUT + 16, (const uint8_t[]){ 5, 50, 60, 255 }, 4);
}
END_TEST

/* --- bad input ------------------------------------------------------------------------------- */

START_TEST(what_it_does_not_have_fails_and_writes_nothing)
{
    static const struct {
        unsigned byte, lsb, width, value, where;
    } rows[] = {
        { OUT, 11, 4, 2, OUT },  /* block linear */
        { OUT, 0, 7, 61, OUT },  /* a format */
        { OUT, 64, 14, 0, OUT }, /* a stride below the width */
        { OUT, 7, 2, 3, OUT },   /* a chroma location */
        { OUT, 9, 2, 3, OUT },
        { OUT_RECT, 80, 14, 2, OUT_RECT }, /* a rectangle outside */
        { OUT_RECT, 64, 14, 2, OUT_RECT }, /* left of right */
        { SLOT_SURFACE, 11, 4, 2, SLOT_SURFACE },
        { SLOT_SURFACE, 0, 7, 0, SLOT_SURFACE },
        { SLOT, 288, 30, 2 << 16, SLOT }, /* a source rectangle outside */
        { SLOT, 400, 14, 2, SLOT },       /* its place outside */
        { SLOT, 22, 2, 2, SLOT },         /* five taps */
        { SLOT, 1, 1, 1, SLOT },          /* noise reduction */
        { 272, 127, 1, 1, 272 },          /* the gamut matrix */
    };
    static const uint8_t none[16];

    output(RGBA, 2, 2, 2);
    input(RGBA, 2, 2, 2);
    put(INPUT, "seven bytes more", 16);
    set(rows[_i].byte, rows[_i].lsb, rows[_i].width, rows[_i].value);
    job_fails(ERR_CONFIG, rows[_i].where);
    bytes_are(OUTPUT, none, 16);
}
END_TEST

START_TEST(a_page_that_is_not_mapped_is_a_fault_of_its_stream)
{
    rig.stream = 3;
    drig_map(&rig, 0, CONFIG, CONFIG, DRIG_RW);
    drig_bank(&rig, 1, 0, 2);
    drig_stream(&rig, 1, 1);
    output(RGBA, 2, 2, 2);
    job_fails(ERR_MEMORY, (uint32_t)(OUTPUT >> 8));
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SMMU_FAULT], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SMMU_FAULT].arg[0], 3);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SMMU_FAULT].arg[1], OUTPUT);
}
END_TEST

START_TEST(unknown_methods_and_registers_do_nothing)
{
    method(0x17fc, 1);
    reg(METHOD0, UINT32_MAX);
    reg(METHOD1, 1);
    reg(0x3fffc, 1);
    ck_assert_uint_eq(drig_read(&rig, BASE + 0x3fffc), 0);
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vic");
    TCase *t = tcase_create("vic");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, it_stands_where_the_device_trees_say);
    tcase_add_loop_test(t, its_port_sees_dirty_cpu_lines_only_where_it_is_coherent, 0, 2);
    tcase_add_loop_test(t, components_change_places_by_format, 0, 16);
    tcase_add_test(t, strides_and_rectangles_leave_other_bytes_alone);
    tcase_add_test(t, what_no_slot_covers_is_background);
    tcase_add_loop_test(t, flips_mirror_the_output, 0, 4);
    tcase_add_loop_test(t, scaling_is_nearest_or_bilinear, 0, 2);
    tcase_add_test(t, rows_are_scaled_too);
    tcase_add_test(t, half_the_size_takes_every_second_pixel);
    tcase_add_loop_test(t, rgba_becomes_yuv_420, 0, 24);
    tcase_add_loop_test(t, chroma_lies_where_the_surface_says, 0, 3);
    tcase_add_loop_test(t, chroma_lies_between_rows_as_well, 0, 3);
    tcase_add_test(t, odd_sizes_keep_their_last_chroma);
    tcase_add_test(t, a_constant_alpha_replaces_the_images);
    tcase_add_loop_test(t, other_orders_of_chroma_come_in, 0, 2);
    tcase_add_test(t, yuv_420_comes_in_as_well);
    tcase_add_loop_test(t, what_it_does_not_have_fails_and_writes_nothing, 0, 14);
    tcase_add_test(t, a_page_that_is_not_mapped_is_a_fault_of_its_stream);
    tcase_add_test(t, unknown_methods_and_registers_do_nothing);
    suite_add_tcase(s, t);
    return suite_main(s);
}

/* SPDX-License-Identifier: MIT */
/* Sizes of NvSciBuf's types for values drawn from all of their range: what a computation without
 * limits (128 bits here) gives, or NvSciError_Overflow where that does not fit. Layouts: DRIVE OS
 * API reference 6.0.10, the "Output" attributes of each type. Scales are powers of two, whose
 * products with 32 bits are exact in any arithmetic. */
#include <stdio.h>
#include <string.h>

#include "tests/sci_lists.h"
#include "tests/suite.h"

typedef unsigned __int128 wide;

enum { RUNS = 4000 };

static uint64_t state;

static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 32 | state << 32;
}

/* Of 1 to @bits bits, or close to the largest: each length as often as the others. */
static uint64_t draw_bits(unsigned bits)
{
    unsigned n = (unsigned)(draw() % bits) + 1;
    uint64_t value = draw() >> (64 - n), top = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    return draw() % 4 == 0 ? top - value % 128 : MAX(value, 1u);
}

static wide up(wide value, wide align)
{
    return (value + align - 1) / align * align;
}

/* @want: UINT64_MAX + 1 or more: an overflow. */
static void assert_size(struct sci_list *list, uint32_t key, wide want)
{
    struct sci_list *out = NULL, *conflicts = NULL;
    char *why = NULL;
    NvSciError error = sci_buf_two(list, NULL, &out, &conflicts, &why);

    if (want > UINT64_MAX) {
        ck_assert_msg(error == NvSciError_Overflow, "error %#x, want an overflow", error);
        sci_list_free(conflicts);
    } else {
        ck_assert_msg(error == NvSciError_Success, "error %#x: %s", error, why);
        ck_assert_uint_eq(sci_list_u64(out, key, 0, 77), (uint64_t)want);
        sci_list_free(out);
    }
    g_free(why);
    sci_list_free(list);
}

#define OVERFLOWS ((wide)1 << 64)

/* An image of one or two planes of 8 and 16 bits, and how it lies. */
struct image {
    uint32_t planes, width[2], height[2], align;
    uint64_t left, top;
    bool blocks, interlaced;
};

static struct image image_draw(void)
{
    struct image i = { .planes = (uint32_t)(draw() % 2) + 1,
                       .align = 1u << draw() % 20,
                       .left = draw() % 3 ? 0 : draw_bits(64),
                       .top = draw() % 3 ? 0 : draw_bits(64),
                       .blocks = draw() % 2,
                       .interlaced = draw() % 2 };

    for (int p = 0; p < 2; p++) {
        i.width[p] = (uint32_t)draw_bits(32);
        i.height[p] = (uint32_t)draw_bits(32);
    }
    if (draw() % 8 == 0) {
        i.top = UINT64_MAX - i.height[0]; /* the last sum that fits */
    }
    return i;
}

static struct sci_list *image_list(const struct image *i, bool pyramid)
{
    struct sci_list *list = sci_list_new(&sci_buf_schema);
    const uint32_t color[] = { NvSciColor_Y8, NvSciColor_U8V8 };
    const uint32_t align[] = { i->align, i->align };
    const uint64_t left[] = { i->left, 0 }, top[] = { i->top, 0 };
    const uint32_t n = i->planes;

    if (pyramid) {
        MUST_SET(list, TYPES(NvSciBufType_Image, NvSciBufType_Pyramid));
    } else {
        MUST_SET(list, TYPES(NvSciBufType_Image));
    }
    MUST_SET(list,
             PAIR(NvSciBufImageAttrKey_Layout, uint32_t,
                  i->blocks ? NvSciBufImage_BlockLinearType : NvSciBufImage_PitchLinearType),
             PAIR(NvSciBufImageAttrKey_ScanType, uint32_t,
                  i->interlaced ? NvSciBufScan_InterlaceType : NvSciBufScan_ProgressiveType),
             PAIR(NvSciBufImageAttrKey_PlaneCount, uint32_t, n),
             { NvSciBufImageAttrKey_PlaneColorFormat, color, n * sizeof(*color) },
             { NvSciBufImageAttrKey_PlaneBaseAddrAlign, align, n * sizeof(*align) },
             { NvSciBufImageAttrKey_LeftPadding, left, n * sizeof(*left) },
             { NvSciBufImageAttrKey_TopPadding, top, n * sizeof(*top) },
             { NvSciBufImageAttrKey_PlaneWidth, i->width, n * sizeof(*i->width) },
             { NvSciBufImageAttrKey_PlaneHeight, i->height, n * sizeof(*i->height) });
    return list;
}

/* Of the image, 2^-@level of its width and height. A pitch and a number of lines have 32 bits. */
static wide image_bytes(const struct image *i, unsigned level)
{
    wide size = 0;

    for (uint32_t p = 0; p < i->planes; p++) {
        wide width = MAX(i->width[p] >> level, 1u), height = MAX(i->height[p] >> level, 1u);
        wide row = width * (p + 1) + (p ? 0 : i->left), lines = height + (p ? 0 : i->top);
        wide pitch = up(row, i->blocks ? 64 : 1);

        lines = up(i->interlaced ? (lines + 1) / 2 : lines, i->blocks ? 8 : 1);
        if (pitch > UINT32_MAX || lines > UINT32_MAX) {
            return OVERFLOWS;
        }
        size = up(size, i->align) + pitch * lines * (i->interlaced ? 2 : 1);
    }
    return MIN(size, OVERFLOWS);
}

START_TEST(images)
{
    state = 1;
    for (int run = 0; run < RUNS; run++) {
        struct image i = image_draw();

        assert_size(image_list(&i, false), NvSciBufImageAttrKey_Size, image_bytes(&i, 0));
    }
}
END_TEST

START_TEST(pyramids)
{
    state = 2;
    for (int run = 0; run < RUNS; run++) {
        struct image i = image_draw();
        struct sci_list *list = image_list(&i, true);
        unsigned step = (unsigned)(draw() % 4);
        uint32_t levels = (uint32_t)(draw() % 10) + 1;
        wide size = 0;

        MUST_SET(list, PAIR(NvSciBufPyramidAttrKey_NumLevels, uint32_t, levels),
                 PAIR(NvSciBufPyramidAttrKey_Scale, float, 1.0f / (float)(1u << step)));
        for (uint32_t level = 0; level < levels && size < OVERFLOWS; level++) {
            size = up(size, i.align) + image_bytes(&i, MIN(level * step, 31u));
        }
        assert_size(list, NvSciBufImageAttrKey_Size, size);
    }
}
END_TEST

/* Half of it, rounded up, has as many bits: surfaces of two planes, 4:2:0 of 8 bits. */
START_TEST(surfaces)
{
    state = 3;
    for (int run = 0; run < RUNS; run++) {
        uint32_t width = (uint32_t)draw_bits(32), height = (uint32_t)draw_bits(32);
        wide half = ((wide)width + 1) / 2 * 2, lines = ((wide)height + 1) / 2;
        struct sci_list *list = sci_list_new(&sci_buf_schema);

        MUST_SET(
            list, TYPES(NvSciBufType_Image),
            PAIR(NvSciBufImageAttrKey_Layout, uint32_t, NvSciBufImage_PitchLinearType),
            PAIR(NvSciBufImageAttrKey_SurfType, uint32_t, NvSciSurfType_YUV),
            PAIR(NvSciBufImageAttrKey_SurfMemLayout, uint32_t, NvSciSurfMemLayout_SemiPlanar),
            PAIR(NvSciBufImageAttrKey_SurfSampleType, uint32_t, NvSciSurfSampleType_420),
            PAIR(NvSciBufImageAttrKey_SurfBPC, uint32_t, NvSciSurfBPC_8),
            PAIR(NvSciBufImageAttrKey_SurfComponentOrder, uint32_t, NvSciSurfComponentOrder_YUV),
            PAIR(NvSciBufImageAttrKey_SurfWidthBase, uint32_t, width),
            PAIR(NvSciBufImageAttrKey_SurfHeightBase, uint32_t, height));
        assert_size(list, NvSciBufImageAttrKey_Size,
                    half > UINT32_MAX ? OVERFLOWS : (wide)width * height + half * lines);
    }
}
END_TEST

START_TEST(tensors)
{
    state = 4;
    for (int run = 0; run < RUNS; run++) {
        struct sci_list *list = sci_list_new(&sci_buf_schema);
        uint32_t dims = (uint32_t)(draw() % 8) + 1, align[8];
        uint64_t sizes[8];
        wide size = 2;

        for (uint32_t i = 0; i < 8; i++) {
            sizes[i] = draw_bits(draw() % 2 ? 8 : 64);
            align[i] = 1u << draw() % 32;
        }
        for (uint32_t i = dims; i > 0 && size < OVERFLOWS; i--) {
            size = up(size, align[i - 1]);
            size = size < OVERFLOWS ? size * sizes[i - 1] : size;
        }
        MUST_SET(list, TYPES(NvSciBufType_Tensor),
                 PAIR(NvSciBufTensorAttrKey_DataType, uint32_t, NvSciDataType_Float16),
                 PAIR(NvSciBufTensorAttrKey_NumDims, uint32_t, dims),
                 { NvSciBufTensorAttrKey_SizePerDim, sizes, dims * sizeof(*sizes) },
                 { NvSciBufTensorAttrKey_AlignmentPerDim, align, dims * sizeof(*align) });
        assert_size(list, NvSciBufTensorAttrKey_Size, size);
    }
}
END_TEST

START_TEST(arrays)
{
    state = 5;
    for (int run = 0; run < RUNS; run++) {
        struct sci_list *list = sci_list_new(&sci_buf_schema);
        uint64_t stride = draw_bits(64), capacity = draw_bits(64);

        MUST_SET(list, TYPES(NvSciBufType_Array),
                 PAIR(NvSciBufArrayAttrKey_DataType, uint32_t, NvSciDataType_Uint8),
                 PAIR(NvSciBufArrayAttrKey_Stride, uint64_t, stride),
                 PAIR(NvSciBufArrayAttrKey_Capacity, uint64_t, capacity));
        assert_size(list, NvSciBufArrayAttrKey_Size, (wide)stride * capacity);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sizes of buffers");
    TCase *t = tcase_create("sizes");

    tcase_set_timeout(t, 120);
    tcase_add_test(t, images);
    tcase_add_test(t, pyramids);
    tcase_add_test(t, surfaces);
    tcase_add_test(t, tensors);
    tcase_add_test(t, arrays);
    suite_add_tcase(s, t);
    return suite_main(s);
}

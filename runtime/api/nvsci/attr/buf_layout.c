/* SPDX-License-Identifier: MIT */
/* Images, pyramids, tensors and arrays. Source: DRIVE OS API reference 6.0.10, the "Output"
 * attributes of each type. */
#include "runtime/api/nvsci/attr/buf_layout.h"

#include <string.h>

struct color {
    uint8_t bits, channels;
    NvSciBufAttrValDataType type;
};

#define COLOR(name, bits, channels, type) \
    [NvSciColor_##name] = { bits, channels, NvSciDataType_##type },
static const struct color colors[] = {
#include "runtime/api/nvsci/attr/colors.def"
};

bool layout_round(uint64_t value, uint64_t align, uint64_t *out)
{
    uint64_t up;

    align = align ? align : 1;
    if (__builtin_add_overflow(value, align - 1, &up)) {
        return false;
    }
    *out = up / align * align;
    return true;
}

unsigned layout_element(NvSciBufAttrValDataType type)
{
    static const uint8_t size[] = {
        [NvSciDataType_Int4] = 1,    [NvSciDataType_Uint4] = 1,    [NvSciDataType_Int8] = 1,
        [NvSciDataType_Uint8] = 1,   [NvSciDataType_Int16] = 2,    [NvSciDataType_Uint16] = 2,
        [NvSciDataType_Int32] = 4,   [NvSciDataType_Uint32] = 4,   [NvSciDataType_Float16] = 2,
        [NvSciDataType_Float32] = 4, [NvSciDataType_FloatISP] = 4, [NvSciDataType_Bool] = 1,
    };

    return (size_t)type < G_N_ELEMENTS(size) ? size[type] : 0;
}

/* One plane of an image. */
struct plane {
    uint32_t width, height, bits, align;
    uint64_t pitch, lines, size, offset, second;
};

static uint64_t buf_layout_input(const struct merge *m, uint32_t key, uint32_t i)
{
    return sci_list_u64(m->out, key, i, 0);
}

static bool plane_layout(const struct merge *m, const struct engine_needs *needs, uint32_t i,
                         struct plane *p)
{
    bool interlaced =
        buf_layout_input(m, NvSciBufImageAttrKey_ScanType, 0) == NvSciBufScan_InterlaceType;
    bool blocks =
        buf_layout_input(m, NvSciBufImageAttrKey_Layout, 0) == NvSciBufImage_BlockLinearType;
    uint64_t row = ((uint64_t)p->width * p->bits + 7) / 8, lines = p->height, field;

    /* Padding: bytes beside, lines above and below. A block of a block-linear image is 64 bytes by
     * 8 lines (Tegra X1 technical reference manual, "Surface layout": a GOB). */
    if (__builtin_add_overflow(row, buf_layout_input(m, NvSciBufImageAttrKey_LeftPadding, i),
                               &row) ||
        __builtin_add_overflow(row, buf_layout_input(m, NvSciBufImageAttrKey_RightPadding, i),
                               &row) ||
        __builtin_add_overflow(lines, buf_layout_input(m, NvSciBufImageAttrKey_TopPadding, i),
                               &lines) ||
        __builtin_add_overflow(lines, buf_layout_input(m, NvSciBufImageAttrKey_BottomPadding, i),
                               &lines) ||
        !layout_round(row, MAX(needs->pitch, blocks ? 64u : 1u), &p->pitch) ||
        !layout_round(interlaced ? lines / 2 + lines % 2 : lines,
                      MAX(needs->height, blocks ? 8u : 1u), &p->lines) ||
        p->pitch > UINT32_MAX || p->lines > UINT32_MAX ||
        __builtin_mul_overflow(p->pitch, p->lines, &field) ||
        __builtin_mul_overflow(field, interlaced ? 2u : 1u, &p->size)) {
        return false;
    }
    p->second = interlaced ? field : 0;
    return true;
}

/* Planes from a description of the whole surface. Component order: the name of a format lists high
 * bits first, so that of U first in memory is V8U8. */
static bool surface_planes(struct merge *m)
{
    static const uint32_t luma
        [] = { 0, 0, NvSciColor_Y8, NvSciColor_Y10, NvSciColor_Y12, 0, NvSciColor_Y16 },
    u[] = { 0, 0, NvSciColor_U8, NvSciColor_U10, NvSciColor_U12, 0, NvSciColor_U16 },
    v[] = { 0, 0, NvSciColor_V8, NvSciColor_V10, NvSciColor_V12, 0, NvSciColor_V16 },
    uv[] = { 0, 0, NvSciColor_U8V8, NvSciColor_U10V10, NvSciColor_U12V12, 0, NvSciColor_U16V16 },
    vu[] = { 0, 0, NvSciColor_V8U8, NvSciColor_V10U10, NvSciColor_V12U12, 0, NvSciColor_V16U16 };
    uint64_t sample = buf_layout_input(m, NvSciBufImageAttrKey_SurfSampleType, 0);
    uint64_t bpc = buf_layout_input(m, NvSciBufImageAttrKey_SurfBPC, 0);
    bool order = buf_layout_input(m, NvSciBufImageAttrKey_SurfComponentOrder, 0) ==
                 NvSciSurfComponentOrder_YUV;
    bool planar =
        buf_layout_input(m, NvSciBufImageAttrKey_SurfMemLayout, 0) == NvSciSurfMemLayout_Planar;
    uint32_t w = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_SurfWidthBase, 0);
    uint32_t h = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_SurfHeightBase, 0);
    uint32_t cw =
        sample == NvSciSurfSampleType_420 || sample == NvSciSurfSampleType_422 ? w / 2 + w % 2 : w;
    uint32_t ch =
        sample == NvSciSurfSampleType_420 || sample == NvSciSurfSampleType_422R ? h / 2 + h % 2 : h;
    uint32_t color[3], planes = planar ? 3 : 2;

    if (buf_layout_input(m, NvSciBufImageAttrKey_SurfType, 0) != NvSciSurfType_YUV || !w || !h ||
        buf_layout_input(m, NvSciBufImageAttrKey_SurfMemLayout, 0) == NvSciSurfMemLayout_Packed ||
        bpc >= G_N_ELEMENTS(luma) || !luma[bpc]) {
        return false;
    }
    planes = sample == NvSciSurfSampleType_400 ? 1 : planes;
    color[0] = luma[bpc];
    color[1] = planar ? (order ? u : v)[bpc] : (order ? vu : uv)[bpc];
    color[2] = (order ? v : u)[bpc];
    merge_put_u32(m, NvSciBufImageAttrKey_PlaneCount, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneColorFormat, color, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneWidth, (uint32_t[]){ w, cw, cw }, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneHeight, (uint32_t[]){ h, ch, ch }, planes);
    return true;
}

static bool image_complete(struct merge *m)
{
    static const uint32_t per_plane[] = { NvSciBufImageAttrKey_PlaneColorFormat,
                                          NvSciBufImageAttrKey_PlaneWidth,
                                          NvSciBufImageAttrKey_PlaneHeight };
    bool missing = merge_missing(m, NvSciBufImageAttrKey_Layout);

    if (sci_list_get(m->out, NvSciBufImageAttrKey_SurfType) &&
        !sci_list_get(m->out, NvSciBufImageAttrKey_PlaneCount) && !surface_planes(m)) {
        merge_fail(m, NvSciBufImageAttrKey_SurfType, NvSciError_NotSupported,
                   "only YUV surfaces of 2 or 3 planes of 8, 10, 12 or 16 bits are supported");
        return false;
    }
    missing |= merge_missing(m, NvSciBufImageAttrKey_PlaneCount);
    for (unsigned i = 0; i < G_N_ELEMENTS(per_plane); i++) {
        missing |= merge_missing(m, per_plane[i]);
    }
    if (missing) {
        return false;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(per_plane); i++) {
        if (sci_list_get(m->out, per_plane[i])->count !=
            sci_list_u64(m->out, NvSciBufImageAttrKey_PlaneCount, 0, 0)) {
            merge_fail(m, per_plane[i], NvSciError_BadParameter,
                       "has not one value for each plane");
            return false;
        }
    }
    return true;
}

static void image_put(struct merge *m, const struct plane *plane, uint32_t planes, uint64_t size)
{
    uint32_t bits[3], pitch[3], lines[3], type[3], align[3];
    uint64_t offset[3], second[3], bytes[3];
    uint8_t channels[3];

    for (uint32_t i = 0; i < planes; i++) {
        const struct color *c =
            &colors[buf_layout_input(m, NvSciBufImageAttrKey_PlaneColorFormat, i)];

        bits[i] = plane[i].bits;
        pitch[i] = (uint32_t)plane[i].pitch;
        lines[i] = (uint32_t)plane[i].lines;
        type[i] = c->type;
        channels[i] = c->channels;
        align[i] = plane[i].align;
        offset[i] = plane[i].offset;
        second[i] = plane[i].second;
        bytes[i] = plane[i].size;
    }
    merge_put(m, NvSciBufImageAttrKey_PlaneBaseAddrAlign, align, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneBitsPerPixel, bits, planes);
    merge_put(m, NvSciBufImageAttrKey_PlanePitch, pitch, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneAlignedHeight, lines, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneDatatype, type, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneChannelCount, channels, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneOffset, offset, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneSecondFieldOffset, second, planes);
    merge_put(m, NvSciBufImageAttrKey_PlaneAlignedSize, bytes, planes);
    merge_put_u64(m, NvSciBufImageAttrKey_Size, size);
    merge_put_u64(m, NvSciBufImageAttrKey_Alignment, align[0]);
    merge_put_u64(m, NvSciBufImageAttrKey_ImageCount, 1);
}

void layout_image(struct merge *m, const struct engine_needs *needs)
{
    struct plane plane[3] = { 0 };
    uint64_t size = 0;
    uint32_t planes;

    if (!image_complete(m)) {
        return;
    }
    planes = (uint32_t)sci_list_u64(m->out, NvSciBufImageAttrKey_PlaneCount, 0, 1);
    for (uint32_t i = 0; i < planes; i++) {
        struct plane *p = &plane[i];

        p->width = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneWidth, i);
        p->height = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneHeight, i);
        p->bits = colors[buf_layout_input(m, NvSciBufImageAttrKey_PlaneColorFormat, i)].bits;
        p->align = MAX((uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneBaseAddrAlign, i),
                       needs->base);
        if (!plane_layout(m, needs, i, p) || !layout_round(size, p->align, &p->offset) ||
            __builtin_add_overflow(p->offset, p->size, &size)) {
            merge_fail(m, NvSciBufImageAttrKey_PlaneWidth, NvSciError_Overflow,
                       "the image is larger than 2^64 bytes, or its pitch or height than 32 bits");
            return;
        }
    }
    image_put(m, plane, planes, size);
}

/* A side of a level. A double has all 32 bits of the side of level 0; @scale is not above 1, so no
 * level is larger than that. No level is empty. */
static uint32_t level_side(uint64_t side, double scale)
{
    return MAX(1u, (uint32_t)((double)side * scale));
}

/* The planes of a level lie as those of the image do, so level 0 is the image. */
static bool level_layout(const struct merge *m, const struct engine_needs *needs, double scale,
                         uint64_t *bytes)
{
    uint32_t planes = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneCount, 0);

    *bytes = 0;
    for (uint32_t i = 0; i < planes; i++) {
        struct plane p = {
            .width = level_side(buf_layout_input(m, NvSciBufImageAttrKey_PlaneWidth, i), scale),
            .height = level_side(buf_layout_input(m, NvSciBufImageAttrKey_PlaneHeight, i), scale),
            .bits = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneBitsPerPixel, i),
            .align = (uint32_t)buf_layout_input(m, NvSciBufImageAttrKey_PlaneBaseAddrAlign, i),
        };

        if (!plane_layout(m, needs, i, &p) || !layout_round(*bytes, p.align, &p.offset) ||
            __builtin_add_overflow(p.offset, p.size, bytes)) {
            return false;
        }
    }
    return true;
}

void layout_pyramid(struct merge *m, const struct engine_needs *needs)
{
    uint64_t offset[10] = { 0 }, bytes[10] = { 0 }, size = 0;
    const struct sci_value *scale = sci_list_get(m->out, NvSciBufPyramidAttrKey_Scale);
    uint32_t levels = (uint32_t)sci_list_u64(m->out, NvSciBufPyramidAttrKey_NumLevels, 0, 0);
    double now = 1.0;
    float factor;

    if (merge_missing(m, NvSciBufPyramidAttrKey_NumLevels) ||
        merge_missing(m, NvSciBufPyramidAttrKey_Scale) ||
        !sci_list_get(m->out, NvSciBufImageAttrKey_Size)) {
        return;
    }
    memcpy(&factor, scale->data, sizeof(factor));
    for (uint32_t level = 0; level < levels; level++, now *= (double)factor) {
        if (!layout_round(size, buf_layout_input(m, NvSciBufImageAttrKey_Alignment, 0),
                          &offset[level]) ||
            !level_layout(m, needs, now, &bytes[level]) ||
            __builtin_add_overflow(offset[level], bytes[level], &size)) {
            merge_fail(m, NvSciBufPyramidAttrKey_NumLevels, NvSciError_Overflow,
                       "the pyramid is larger than 2^64 bytes");
            return;
        }
    }
    merge_put(m, NvSciBufPyramidAttrKey_LevelOffset, offset, levels);
    merge_put(m, NvSciBufPyramidAttrKey_LevelSize, bytes, levels);
    merge_put_u64(m, NvSciBufPyramidAttrKey_Alignment,
                  buf_layout_input(m, NvSciBufImageAttrKey_Alignment, 0));
    merge_put_u64(m, NvSciBufImageAttrKey_Size, size);
}

/* Dimension 0 is the outermost: strides decrease. AlignmentPerDim rounds the stride of its
 * dimension (inferred). */
void layout_tensor(struct merge *m)
{
    static const uint32_t needed[] = { NvSciBufTensorAttrKey_DataType,
                                       NvSciBufTensorAttrKey_NumDims,
                                       NvSciBufTensorAttrKey_SizePerDim };
    uint64_t stride[8] = { 0 }, size;
    uint32_t dims;

    for (unsigned i = 0; i < G_N_ELEMENTS(needed); i++) {
        if (merge_missing(m, needed[i])) {
            return;
        }
    }
    dims = (uint32_t)sci_list_u64(m->out, NvSciBufTensorAttrKey_NumDims, 0, 1);
    if (sci_list_get(m->out, NvSciBufTensorAttrKey_SizePerDim)->count != dims) {
        merge_fail(m, NvSciBufTensorAttrKey_SizePerDim, NvSciError_BadParameter,
                   "has not one value for each dimension");
        return;
    }
    size = layout_element(
        (NvSciBufAttrValDataType)buf_layout_input(m, NvSciBufTensorAttrKey_DataType, 0));
    for (uint32_t i = dims; i > 0; i--) {
        if (!layout_round(size, buf_layout_input(m, NvSciBufTensorAttrKey_AlignmentPerDim, i - 1),
                          &stride[i - 1]) ||
            __builtin_mul_overflow(stride[i - 1],
                                   buf_layout_input(m, NvSciBufTensorAttrKey_SizePerDim, i - 1),
                                   &size)) {
            merge_fail(m, NvSciBufTensorAttrKey_SizePerDim, NvSciError_Overflow,
                       "the tensor is larger than 2^64 bytes");
            return;
        }
    }
    merge_put(m, NvSciBufTensorAttrKey_StridesPerDim, stride, dims);
    merge_put_u64(m, NvSciBufTensorAttrKey_Size, size);
}

void layout_array(struct merge *m, const struct engine_needs *needs)
{
    static const uint32_t needed[] = { NvSciBufArrayAttrKey_DataType, NvSciBufArrayAttrKey_Stride,
                                       NvSciBufArrayAttrKey_Capacity };
    uint64_t size;

    for (unsigned i = 0; i < G_N_ELEMENTS(needed); i++) {
        if (merge_missing(m, needed[i])) {
            return;
        }
    }
    if (__builtin_mul_overflow(buf_layout_input(m, NvSciBufArrayAttrKey_Stride, 0),
                               buf_layout_input(m, NvSciBufArrayAttrKey_Capacity, 0), &size) ||
        !layout_round(size, needs->base, &size)) {
        merge_fail(m, NvSciBufArrayAttrKey_Capacity, NvSciError_Overflow,
                   "the array is larger than 2^64 bytes");
        return;
    }
    merge_put_u64(m, NvSciBufArrayAttrKey_Size, size);
    merge_put_u64(m, NvSciBufArrayAttrKey_Alignment, needs->base);
}

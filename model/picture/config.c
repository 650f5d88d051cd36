/* SPDX-License-Identifier: MIT */
/* Pictures: the configuration of a job of the VIC, as it lies in memory. */
#include "model/picture/picture.h"

#include <stddef.h>

enum {
#define MATRIX(name, byte) MATRIX_##name = (byte),
#include "model/regs/vic_config.def"
};

static uint32_t config_bits(const uint8_t *raw, unsigned byte, unsigned lsb, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++) {
        unsigned bit = byte * 8 + lsb + i;

        value |= (uint64_t)(raw[bit / 8] >> bit % 8 & 1) << i;
    }
    return (uint32_t)value;
}

enum {
#define CONFIG(name, byte, lsb, width) name##_AT = (byte),
#include "model/regs/vic_config.def"
};

struct raw {
#define CONFIG(name, byte, lsb, width) uint32_t name;
#include "model/regs/vic_config.def"
};

static struct raw raw_read(const uint8_t *raw)
{
    return (struct raw){
#define CONFIG(name, byte, lsb, width) .name = config_bits(raw, byte, lsb, width),
#include "model/regs/vic_config.def"
    };
}

static struct picture_matrix matrix_read(const uint8_t *raw, unsigned byte)
{
    static const unsigned column_lsb[4] = { 0, 64, 128, 192 };
    struct picture_matrix m = { .enable = config_bits(raw, byte, 127, 1),
                                .shift = config_bits(raw, byte, 60, 4) };

    for (unsigned row = 0; row < 3; row++) {
        for (unsigned column = 0; column < 4; column++) {
            uint32_t value = config_bits(raw, byte, column_lsb[column] + row * 20, 20);

            m.c[row][column] = (int32_t)(value << 12) >> 12;
        }
    }
    return m;
}

static bool surface_known(const struct picture_surface *s)
{
    struct vic_layout l = vic_layout_of(s->format);

    return l.planes && s->stride >= s->width &&
           (l.planes == 1 || s->chroma_stride >= (s->width + l.sub_x - 1) / l.sub_x);
}

static bool rect_inside(const struct picture_rect *r, uint32_t right_end, uint32_t bottom_end)
{
    return r->left <= r->right && r->top <= r->bottom && r->right < right_end &&
           r->bottom < bottom_end;
}

/* The target lies in the output as it is made: of a transposed one width and height change places.
 */
static bool output_known(const struct raw *r, const struct picture_config *c)
{
    unsigned width = c->transpose ? c->out.height : c->out.width;
    unsigned height = c->transpose ? c->out.width : c->out.height;
    struct vic_layout l = vic_layout_of(c->out.format);

    return !r->RegammaMode && rect_inside(&c->target, width, height) &&
           c->target.left % (c->transpose ? l.sub_y : l.sub_x) == 0 &&
           c->target.top % (c->transpose ? l.sub_x : l.sub_y) == 0;
}

static bool slot_known(const struct raw *r, const struct picture_slot *s,
                       const struct picture_config *c)
{
    unsigned width = c->transpose ? c->out.height : c->out.width;
    unsigned height = c->transpose ? c->out.width : c->out.height;

    return !r->DeNoise && !r->FrameFormat && r->FilterLengthX <= VIC_FILTER_2TAP &&
           r->FilterLengthY <= VIC_FILTER_2TAP && !r->ClearRectMask && !r->DegammaMode &&
           !r->DecompressEnable && rect_inside(&s->source, s->in.width << 16, s->in.height << 16) &&
           rect_inside(&s->dest, width, height);
}

static bool blend_known(const struct picture_blend *b)
{
    return b->src_c <= VIC_SRC_C_ZERO && b->dst_c <= VIC_DST_C_ONE && b->src_a <= VIC_SRC_A_ZERO &&
           b->dst_a <= VIC_DST_A_ONE;
}

/* Of alphas of 8 bits, which stand in fields of 8. */
static int32_t alpha_widen(uint32_t alpha)
{
    return (int32_t)(alpha << 2 | alpha >> 6);
}

static void output_fill(const struct raw *r, struct picture_config *c)
{
    *c = (struct picture_config){
        .out = { r->OutPixelFormat, r->OutSurfaceWidth + 1, r->OutSurfaceHeight + 1,
                 r->OutLumaWidth + 1, r->OutChromaWidth + 1 },
        .target = { r->TargetRectLeft, r->TargetRectRight, r->TargetRectTop, r->TargetRectBottom },
        .background = { { (int32_t)r->BackgroundR, (int32_t)r->BackgroundG,
                          (int32_t)r->BackgroundB },
                        alpha_widen(r->BackgroundAlpha) },
        .chroma_x = r->OutChromaLocHoriz,
        .chroma_y = r->OutChromaLocVert,
        .flip_x = r->OutputFlipX,
        .flip_y = r->OutputFlipY,
        .transpose = r->OutputTranspose,
    };
}

/* A blending structure of zeros is that of a job that does not blend (as libdrm's tests leave it;
 * inferred). */
static struct picture_blend blend_read(const struct raw *r)
{
    return (struct picture_blend){
        .on = r->AlphaK1 || r->AlphaK2 || r->SrcFactCMatchSelect || r->DstFactCMatchSelect ||
              r->SrcFactAMatchSelect || r->DstFactAMatchSelect,
        .k1 = (int32_t)r->AlphaK1,
        .k2 = (int32_t)r->AlphaK2,
        .src_c = r->SrcFactCMatchSelect,
        .dst_c = r->DstFactCMatchSelect,
        .src_a = r->SrcFactAMatchSelect,
        .dst_a = r->DstFactAMatchSelect,
    };
}

static void slot_fill(const struct raw *r, struct picture_slot *s)
{
    *s = (struct picture_slot){
        .enabled = r->SlotEnable,
        .in = { r->SlotPixelFormat, r->SlotSurfaceWidth + 1, r->SlotSurfaceHeight + 1,
                r->SlotLumaWidth + 1, r->SlotChromaWidth + 1 },
        .source = { r->SourceRectLeft, r->SourceRectRight, r->SourceRectTop, r->SourceRectBottom },
        .dest = { r->DestRectLeft, r->DestRectRight, r->DestRectTop, r->DestRectBottom },
        .blend = blend_read(r),
        .clamp_low = (int32_t)r->SoftClampLow,
        .clamp_high = (int32_t)r->SoftClampHigh,
        .constant_alpha = r->ConstantAlpha ? alpha_widen(r->PlanarAlpha) : -1,
        .bilinear_x = r->FilterLengthX == VIC_FILTER_2TAP,
        .bilinear_y = r->FilterLengthY == VIC_FILTER_2TAP,
    };
}

/* @raw: as if the slot were the first. @wrong: of that. */
static bool slot_read(const uint8_t *raw, const struct picture_config *c, struct picture_slot *s,
                      uint32_t *wrong)
{
    struct raw r = raw_read(raw);

    slot_fill(&r, s);
    s->matrix = matrix_read(raw, MATRIX_SLOT);
    if (!s->enabled) {
        return true;
    }
    *wrong = SlotPixelFormat_AT;
    if (r.SlotBlkKind || !surface_known(&s->in)) {
        return false;
    }
    *wrong = GamutMatrixEnable_AT;
    if (r.GamutMatrixEnable) {
        return false;
    }
    *wrong = AlphaK1_AT;
    if (!blend_known(&s->blend)) {
        return false;
    }
    *wrong = SlotEnable_AT;
    return slot_known(&r, s, c);
}

bool picture_config_read(const uint8_t *raw, struct picture_config *out, uint32_t *wrong)
{
    struct raw r = raw_read(raw);

    output_fill(&r, out);
    out->out_matrix = matrix_read(raw, MATRIX_OUT);
    *wrong = OutPixelFormat_AT;
    if (r.OutBlkKind || r.OutChromaLocHoriz > 2 || r.OutChromaLocVert > 2 ||
        !surface_known(&out->out)) {
        return false;
    }
    *wrong = TargetRectLeft_AT;
    if (!output_known(&r, out)) {
        return false;
    }
    for (unsigned i = 0; i < VIC_SLOTS; i++) {
        if (!slot_read(raw + (size_t)i * VIC_SLOT_STEP, out, &out->slot[i], wrong)) {
            *wrong += i * VIC_SLOT_STEP;
            return false;
        }
    }
    return true;
}

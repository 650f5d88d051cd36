/* SPDX-License-Identifier: MIT */
/* Surface types: a number that holds the attributes of a format. NVIDIA's numbers are not public:
 * programs get them from NvMediaSurfaceFormatGetType() alone. */
#include <string.h>

#include "include/cudaEGL.h"
#include "runtime/api/nvmedia5/objects.h"

#define MARK 0x5a000000u /* no number that a program would make up */

/* Bits of the number, by attribute, and the largest value. */
static const struct {
    unsigned shift, mask, least, most;
} field[NVM_SURF_FMT_ATTR_MAX] = {
    [NVM_SURF_ATTR_SURF_TYPE] = { 0, 3, 1, NVM_SURF_ATTR_SURF_TYPE_RAW },
    [NVM_SURF_ATTR_LAYOUT] = { 2, 3, 1, NVM_SURF_ATTR_LAYOUT_PL },
    [NVM_SURF_ATTR_DATA_TYPE] = { 4, 7, 1, NVM_SURF_ATTR_DATA_TYPE_FLOATISP },
    [NVM_SURF_ATTR_MEMORY] = { 7, 3, 1, NVM_SURF_ATTR_MEMORY_PACKED },
    [NVM_SURF_ATTR_SUB_SAMPLING_TYPE] = { 9, 7, 0, NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422R },
    [NVM_SURF_ATTR_BITS_PER_COMPONENT] = { 12, 15, 1, NVM_SURF_ATTR_BITS_PER_COMPONENT_20 },
    [NVM_SURF_ATTR_COMPONENT_ORDER] = { 16, 63, 1, NVM_SURF_ATTR_COMPONENT_ORDER_CCCC },
};

static unsigned attr_of(NvMediaSurfaceType type, NvMediaSurfFormatAttrType attr)
{
    return type >> field[attr].shift & field[attr].mask;
}

NvMediaSurfaceType NvMediaSurfaceFormatGetType(const NvMediaSurfFormatAttr *attrs,
                                               uint32_t numAttrs)
{
    NvMediaSurfaceType type = MARK;
    unsigned seen = 0;

    for (uint32_t i = 0; attrs && i < numAttrs; i++) {
        unsigned t = attrs[i].type;

        if (t >= NVM_SURF_FMT_ATTR_MAX || seen >> t & 1 || attrs[i].value < field[t].least ||
            attrs[i].value > field[t].most) {
            return NvMediaSurfaceType_Unsupported;
        }
        seen |= 1u << t;
        type |= attrs[i].value << field[t].shift;
    }
    return seen == (1u << NVM_SURF_FMT_ATTR_MAX) - 1 ? type : NvMediaSurfaceType_Unsupported;
}

NvMediaStatus NvMediaSurfaceFormatGetAttrs(NvMediaSurfaceType type, NvMediaSurfFormatAttr *attrs,
                                           uint32_t numAttrs)
{
    if (!attrs || (type & 0xff000000) != MARK) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__,
                      attrs ? "type is none of NvMediaSurfaceFormatGetType()" : "attrs is NULL");
    }
    for (uint32_t i = 0; i < numAttrs && i < NVM_SURF_FMT_ATTR_MAX; i++) {
        attrs[i].type = (NvMediaSurfFormatAttrType)i;
        attrs[i].value = attr_of(type, attrs[i].type);
    }
    return NVMEDIA_STATUS_OK;
}

/* --- what of them the VIC has ----------------------------------------------------------------- */

/* Names of NvSci begin with the highest byte. @memory, @sub: of the attributes */
static const struct {
    unsigned order, memory, sub;
    struct format format;
} formats[] = {
#define RGBA(name, color, egl)                                              \
    {                                                                       \
        NVM_SURF_ATTR_COMPONENT_ORDER_##name, NVM_SURF_ATTR_MEMORY_PACKED,  \
            NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE,                           \
        {                                                                   \
            1, 4, { NvSciColor_##color }, false, false, false, true, false, \
                CU_EGL_COLOR_FORMAT_##egl                                   \
        }                                                                   \
    }
#define YUV(name, memory, pairs, v_first, second, third, egl)                                     \
    {                                                                                             \
        NVM_SURF_ATTR_COMPONENT_ORDER_##name, NVM_SURF_ATTR_MEMORY_##memory,                      \
            NVM_SURF_ATTR_SUB_SAMPLING_TYPE_420,                                                  \
        {                                                                                         \
            (pairs) ? 2 : 3, 1, { NvSciColor_Y8, NvSciColor_##second, NvSciColor_##third }, true, \
                pairs, v_first, false, false, CU_EGL_COLOR_FORMAT_##egl                           \
        }                                                                                         \
    }
    RGBA(RGBA, A8B8G8R8, ABGR),
    RGBA(BGRA, A8R8G8B8, ARGB),
    RGBA(ARGB, B8G8R8A8, BGRA),
    { NVM_SURF_ATTR_COMPONENT_ORDER_LUMA,
      NVM_SURF_ATTR_MEMORY_PACKED,
      NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE,
      { 1, 1, { NvSciColor_Y8 }, false, false, false, false, false, CU_EGL_COLOR_FORMAT_L } },
    YUV(YUV, SEMI_PLANAR, true, false, V8U8, V8U8, YUV420_SEMIPLANAR),
    YUV(YVU, SEMI_PLANAR, true, true, U8V8, U8V8, YVU420_SEMIPLANAR),
    YUV(YUV, PLANAR, false, false, U8, V8, YUV420_PLANAR),
    YUV(YVU, PLANAR, false, true, V8, U8, YVU420_PLANAR),
};

bool format_of(NvMediaSurfaceType type, struct format *out)
{
    bool rgba = attr_of(type, NVM_SURF_ATTR_SURF_TYPE) == NVM_SURF_ATTR_SURF_TYPE_RGBA;

    if ((type & 0xff000000) != MARK ||
        attr_of(type, NVM_SURF_ATTR_SURF_TYPE) == NVM_SURF_ATTR_SURF_TYPE_RAW ||
        attr_of(type, NVM_SURF_ATTR_DATA_TYPE) != NVM_SURF_ATTR_DATA_TYPE_UINT ||
        attr_of(type, NVM_SURF_ATTR_BITS_PER_COMPONENT) != NVM_SURF_ATTR_BITS_PER_COMPONENT_8) {
        return false;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (formats[i].order == attr_of(type, NVM_SURF_ATTR_COMPONENT_ORDER) &&
            formats[i].memory == attr_of(type, NVM_SURF_ATTR_MEMORY) &&
            formats[i].sub == attr_of(type, NVM_SURF_ATTR_SUB_SAMPLING_TYPE) &&
            formats[i].format.rgba == rgba) {
            *out = formats[i].format;
            out->blocks = attr_of(type, NVM_SURF_ATTR_LAYOUT) == NVM_SURF_ATTR_LAYOUT_BL;
            return true;
        }
    }
    return false;
}

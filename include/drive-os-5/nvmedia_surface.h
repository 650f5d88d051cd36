/* SPDX-License-Identifier: MIT */
/*
 * NvMedia of DRIVE OS 5: what a surface is. Names and values are those of NVIDIA's DRIVE OS 5.2
 * (NvMedia surface 1.14). docs/nvmedia.md: which of them can be had here.
 */
#ifndef NVMEDIA_SURFACE_H
#define NVMEDIA_SURFACE_H

#include "nvmedia_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_SURFACE_VERSION_MAJOR (1u)
#define NVMEDIA_SURFACE_VERSION_MINOR (14u)

/* Attributes of a format. */
typedef enum {
    NVM_SURF_ATTR_SURF_TYPE = 0u,
    NVM_SURF_ATTR_LAYOUT,
    NVM_SURF_ATTR_DATA_TYPE,
    NVM_SURF_ATTR_MEMORY,
    NVM_SURF_ATTR_SUB_SAMPLING_TYPE,
    NVM_SURF_ATTR_BITS_PER_COMPONENT,
    NVM_SURF_ATTR_COMPONENT_ORDER,
    NVM_SURF_FMT_ATTR_MAX,
} NvMediaSurfFormatAttrType;

/* Values of NVM_SURF_ATTR_SURF_TYPE. */
#define NVM_SURF_ATTR_SURF_TYPE_YUV (0x1u)
#define NVM_SURF_ATTR_SURF_TYPE_RGBA (0x2u)
#define NVM_SURF_ATTR_SURF_TYPE_RAW (0x3u)

/* Values of NVM_SURF_ATTR_LAYOUT. */
#define NVM_SURF_ATTR_LAYOUT_BL (0x1u)
#define NVM_SURF_ATTR_LAYOUT_PL (0x2u)

/* Values of NVM_SURF_ATTR_DATA_TYPE. */
#define NVM_SURF_ATTR_DATA_TYPE_UINT (0x1u)
#define NVM_SURF_ATTR_DATA_TYPE_INT (0x2u)
#define NVM_SURF_ATTR_DATA_TYPE_FLOAT (0x3u)
#define NVM_SURF_ATTR_DATA_TYPE_FLOATISP (0x4u)

/* Values of NVM_SURF_ATTR_MEMORY. */
#define NVM_SURF_ATTR_MEMORY_PLANAR (0x1u)
#define NVM_SURF_ATTR_MEMORY_SEMI_PLANAR (0x2u)
#define NVM_SURF_ATTR_MEMORY_PACKED (0x3u)

/* Values of NVM_SURF_ATTR_SUB_SAMPLING_TYPE. */
#define NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE (0x0u)
#define NVM_SURF_ATTR_SUB_SAMPLING_TYPE_420 (0x1u)
#define NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422 (0x2u)
#define NVM_SURF_ATTR_SUB_SAMPLING_TYPE_444 (0x3u)
#define NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422R (0x4u)

/* Values of NVM_SURF_ATTR_BITS_PER_COMPONENT. */
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_8 (0x1u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_10 (0x2u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_12 (0x3u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_14 (0x4u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_16 (0x5u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_32 (0x6u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_LAYOUT_16_8_8 (0x7u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_LAYOUT_10_8_8 (0x8u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_LAYOUT_2_10_10_10 (0x9u)
#define NVM_SURF_ATTR_BITS_PER_COMPONENT_20 (0xau)

/* Values of NVM_SURF_ATTR_COMPONENT_ORDER. */
#define NVM_SURF_ATTR_COMPONENT_ORDER_LUMA (0x1u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_YUV (0x2u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_YVU (0x3u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_YUYV (0x4u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_YVYU (0x5u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_VYUY (0x6u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_UYVY (0x7u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_XUYV (0x8u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_XYUV (0x9u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_VUYX (0xau)
#define NVM_SURF_ATTR_COMPONENT_ORDER_ALPHA (0x11u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_RGBA (0x12u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_ARGB (0x13u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_BGRA (0x14u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_RG (0x15u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_RGGB (0x21u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_BGGR (0x22u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_GRBG (0x23u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_GBRG (0x24u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_RCCB (0x25u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_BCCR (0x26u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CRBC (0x27u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CBRC (0x28u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_RCCC (0x29u)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CCCR (0x2au)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CRCC (0x2bu)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CCRC (0x2cu)
#define NVM_SURF_ATTR_COMPONENT_ORDER_CCCC (0x2du)

typedef struct {
    NvMediaSurfFormatAttrType type;
    uint32_t value;
} NvMediaSurfFormatAttr;

/* An array of all attributes of a format, each 0. */
#define NVM_SURF_FMT_DEFINE_ATTR(x)                                                        \
    NvMediaSurfFormatAttr x[] = {                                                          \
        { NVM_SURF_ATTR_SURF_TYPE, 0u },         { NVM_SURF_ATTR_LAYOUT, 0u },             \
        { NVM_SURF_ATTR_DATA_TYPE, 0u },         { NVM_SURF_ATTR_MEMORY, 0u },             \
        { NVM_SURF_ATTR_SUB_SAMPLING_TYPE, 0u }, { NVM_SURF_ATTR_BITS_PER_COMPONENT, 0u }, \
        { NVM_SURF_ATTR_COMPONENT_ORDER, 0u },                                             \
    };

/* Arguments are the ends of the values' names. */
#define NVM_SURF_FMT_SET_ATTR_YUV(attr, order, samplingtype, memory, datatype, bpc, layout) \
    {                                                                                       \
        attr[0].type = NVM_SURF_ATTR_SURF_TYPE;                                             \
        attr[0].value = NVM_SURF_ATTR_SURF_TYPE_YUV;                                        \
        attr[1].type = NVM_SURF_ATTR_LAYOUT;                                                \
        attr[1].value = NVM_SURF_ATTR_LAYOUT_##layout;                                      \
        attr[2].type = NVM_SURF_ATTR_DATA_TYPE;                                             \
        attr[2].value = NVM_SURF_ATTR_DATA_TYPE_##datatype;                                 \
        attr[3].type = NVM_SURF_ATTR_MEMORY;                                                \
        attr[3].value = NVM_SURF_ATTR_MEMORY_##memory;                                      \
        attr[4].type = NVM_SURF_ATTR_SUB_SAMPLING_TYPE;                                     \
        attr[4].value = NVM_SURF_ATTR_SUB_SAMPLING_TYPE_##samplingtype;                     \
        attr[5].type = NVM_SURF_ATTR_BITS_PER_COMPONENT;                                    \
        attr[5].value = NVM_SURF_ATTR_BITS_PER_COMPONENT_##bpc;                             \
        attr[6].type = NVM_SURF_ATTR_COMPONENT_ORDER;                                       \
        attr[6].value = NVM_SURF_ATTR_COMPONENT_ORDER_##order;                              \
    }

/* The same for RGBA. */
#define NVM_SURF_FMT_SET_ATTR_RGBA(attr, order, datatype, bpc, layout) \
    {                                                                  \
        attr[0].type = NVM_SURF_ATTR_SURF_TYPE;                        \
        attr[0].value = NVM_SURF_ATTR_SURF_TYPE_RGBA;                  \
        attr[1].type = NVM_SURF_ATTR_LAYOUT;                           \
        attr[1].value = NVM_SURF_ATTR_LAYOUT_##layout;                 \
        attr[2].type = NVM_SURF_ATTR_DATA_TYPE;                        \
        attr[2].value = NVM_SURF_ATTR_DATA_TYPE_##datatype;            \
        attr[3].type = NVM_SURF_ATTR_MEMORY;                           \
        attr[3].value = NVM_SURF_ATTR_MEMORY_PACKED;                   \
        attr[4].type = NVM_SURF_ATTR_SUB_SAMPLING_TYPE;                \
        attr[4].value = NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE;          \
        attr[5].type = NVM_SURF_ATTR_BITS_PER_COMPONENT;               \
        attr[5].value = NVM_SURF_ATTR_BITS_PER_COMPONENT_##bpc;        \
        attr[6].type = NVM_SURF_ATTR_COMPONENT_ORDER;                  \
        attr[6].value = NVM_SURF_ATTR_COMPONENT_ORDER_##order;         \
    }

/* The same for a Bayer mosaic. */
#define NVM_SURF_FMT_SET_ATTR_RAW(attr, order, datatype, bpc, layout) \
    {                                                                 \
        attr[0].type = NVM_SURF_ATTR_SURF_TYPE;                       \
        attr[0].value = NVM_SURF_ATTR_SURF_TYPE_RAW;                  \
        attr[1].type = NVM_SURF_ATTR_LAYOUT;                          \
        attr[1].value = NVM_SURF_ATTR_LAYOUT_##layout;                \
        attr[2].type = NVM_SURF_ATTR_DATA_TYPE;                       \
        attr[2].value = NVM_SURF_ATTR_DATA_TYPE_##datatype;           \
        attr[3].type = NVM_SURF_ATTR_MEMORY;                          \
        attr[3].value = NVM_SURF_ATTR_MEMORY_PACKED;                  \
        attr[4].type = NVM_SURF_ATTR_SUB_SAMPLING_TYPE;               \
        attr[4].value = NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE;         \
        attr[5].type = NVM_SURF_ATTR_BITS_PER_COMPONENT;              \
        attr[5].value = NVM_SURF_ATTR_BITS_PER_COMPONENT_##bpc;       \
        attr[6].type = NVM_SURF_ATTR_COMPONENT_ORDER;                 \
        attr[6].value = NVM_SURF_ATTR_COMPONENT_ORDER_##order;        \
    }

/* Attributes of an allocation. */
typedef enum {
    NVM_SURF_ATTR_WIDTH = 0u,
    NVM_SURF_ATTR_HEIGHT,
    NVM_SURF_ATTR_EMB_LINES_TOP,
    NVM_SURF_ATTR_EMB_LINES_BOTTOM,
    NVM_SURF_ATTR_CPU_ACCESS,
    NVM_SURF_ATTR_ALLOC_TYPE,
    NVM_SURF_ATTR_PEER_VM_ID,
    NVM_SURF_ATTR_SCAN_TYPE,
    NVM_SURF_ATTR_COLOR_STD_TYPE,
    NVM_SURF_ALLOC_ATTR_MAX,
} NvMediaSurfAllocAttrType;

#define NVM_SURF_ATTR_MIN_WIDTH (16U)
#define NVM_SURF_ATTR_MAX_WIDTH (16384U)
#define NVM_SURF_ATTR_MIN_HEIGHT (16U)
#define NVM_SURF_ATTR_MAX_HEIGHT (16384U)
#define NVM_SURF_ATTR_MIN_EMB_LINES_TOP (0U)
#define NVM_SURF_ATTR_MAX_EMB_LINES_TOP (128U)
#define NVM_SURF_ATTR_MIN_EMB_LINES_BOTTOM (0U)
#define NVM_SURF_ATTR_MAX_EMB_LINES_BOTTOM (128U)

/* Values of NVM_SURF_ATTR_CPU_ACCESS. */
#define NVM_SURF_ATTR_CPU_ACCESS_UNCACHED (0x1u)
#define NVM_SURF_ATTR_CPU_ACCESS_CACHED (0x2u)
#define NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED (0x3u)

/* Values of NVM_SURF_ATTR_ALLOC_TYPE. */
#define NVM_SURF_ATTR_ALLOC_DEFAULT (0x0u)
#define NVM_SURF_ATTR_ALLOC_ISOCHRONOUS (0x1u)
#define NVM_SURF_ATTR_ALLOC_SECURED (0x2u)

/* Values of NVM_SURF_ATTR_SCAN_TYPE. */
#define NVM_SURF_ATTR_SCAN_PROGRESSIVE (0x1u)
#define NVM_SURF_ATTR_SCAN_INTERLACED (0x2u)

/* Values of NVM_SURF_ATTR_COLOR_STD_TYPE; SR: studio range, ER: extended range. */
#define NVM_SURF_ATTR_COLOR_STD_SRGB (0x1u)
#define NVM_SURF_ATTR_COLOR_STD_REC601_SR (0x2u)
#define NVM_SURF_ATTR_COLOR_STD_REC601_ER (0x3u)
#define NVM_SURF_ATTR_COLOR_STD_REC709_SR (0x4u)
#define NVM_SURF_ATTR_COLOR_STD_REC709_ER (0x5u)
#define NVM_SURF_ATTR_COLOR_STD_REC2020_RGB (0x6u)
#define NVM_SURF_ATTR_COLOR_STD_REC2020_SR (0x7u)
#define NVM_SURF_ATTR_COLOR_STD_REC2020_ER (0x8u)
#define NVM_SURF_ATTR_COLOR_STD_YcCbcCrc_SR (0x9u)
#define NVM_SURF_ATTR_COLOR_STD_YcCbcCrc_ER (0xau)
#define NVM_SURF_ATTR_COLOR_STD_SENSOR_RGBA (0xbu)
#define NVM_SURF_ATTR_COLOR_STD_REC2020PQ_ER (0xcu)

typedef struct {
    NvMediaSurfAllocAttrType type;
    uint32_t value;
} NvMediaSurfAllocAttr;

/* Of NvMediaSurfaceFormatGetType(); a macro, as NVIDIA has it. */
#define NvMediaSurfaceType uint32_t
#define NvMediaSurfaceType_Unsupported (99999u)

/* NvMediaSurfaceType_Unsupported: an attribute is missing or has no such value. */
NVMEDIA_API NvMediaSurfaceType NvMediaSurfaceFormatGetType(const NvMediaSurfFormatAttr *attrs,
                                                           uint32_t numAttrs);
NVMEDIA_API NvMediaStatus NvMediaSurfaceFormatGetAttrs(NvMediaSurfaceType type,
                                                       NvMediaSurfFormatAttr *attrs,
                                                       uint32_t numAttrs);
NVMEDIA_API NvMediaStatus NvMediaSurfaceGetVersion(NvMediaVersion *version);

#ifdef __cplusplus
}
#endif

#endif

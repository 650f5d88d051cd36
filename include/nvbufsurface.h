/* SPDX-License-Identifier: MIT */
/* NvBufSurface of Jetson Linux R36.2: buffers of pictures for the CPU, the VIC, CUDA and others.
 *
 * Names, values and layouts are those of NVIDIA's nvbufsurface.h; the text is our own
 * (docs/frames.md says what vtegra does with each). All functions return 0, or -1. */
#ifndef NVBUFSURFACE_H_
#define NVBUFSURFACE_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRUCTURE_PADDING 4 /* pointers that a struct keeps for later */
#define NVBUF_MAX_PLANES 4

#define NVBUFSURFACE_CHROMA_SUBSAMPLING_HORIZ_DEFAULT 0
#define NVBUFSURFACE_CHROMA_SUBSAMPLING_VERT_DEFAULT 1
#define NVBUFSURFACE_CHROMA_SUBSAMPLING_PARAMS_DEFAULT \
    { NVBUFSURFACE_CHROMA_SUBSAMPLING_HORIZ_DEFAULT, NVBUFSURFACE_CHROMA_SUBSAMPLING_VERT_DEFAULT }

/* What the CPU will do with a mapping. */
typedef enum {
    NVBUF_MAP_READ,
    NVBUF_MAP_WRITE,
    NVBUF_MAP_READ_WRITE,
} NvBufSurfaceMemMapFlags;

/* Who asks for memory, for statistics of a board. */
typedef enum {
    NvBufSurfaceTag_NONE = 0x0,
    NvBufSurfaceTag_CAMERA = 0x200,
    NvBufSurfaceTag_JPEG = 0x1500,
    NvBufSurfaceTag_PROTECTED = 0x1504,
    NvBufSurfaceTag_VIDEO_ENC = 0x1200,
    NvBufSurfaceTag_VIDEO_DEC = 0x1400,
    NvBufSurfaceTag_VIDEO_CONVERT = 0xf01,
} NvBufSurfaceTag;

/* Letters of RGB formats in the order of bytes in memory. YUV is BT.601 unless the name says
 * otherwise; _ER: of full range. */
typedef enum {
    NVBUF_COLOR_FORMAT_INVALID = 0,
    NVBUF_COLOR_FORMAT_GRAY8 = 1,
    NVBUF_COLOR_FORMAT_YUV420 = 2,
    NVBUF_COLOR_FORMAT_YVU420 = 3,
    NVBUF_COLOR_FORMAT_YUV420_ER = 4,
    NVBUF_COLOR_FORMAT_YVU420_ER = 5,
    NVBUF_COLOR_FORMAT_NV12 = 6,
    NVBUF_COLOR_FORMAT_NV12_ER = 7,
    NVBUF_COLOR_FORMAT_NV21 = 8,
    NVBUF_COLOR_FORMAT_NV21_ER = 9,
    NVBUF_COLOR_FORMAT_UYVY = 10,
    NVBUF_COLOR_FORMAT_UYVY_ER = 11,
    NVBUF_COLOR_FORMAT_VYUY = 12,
    NVBUF_COLOR_FORMAT_VYUY_ER = 13,
    NVBUF_COLOR_FORMAT_YUYV = 14,
    NVBUF_COLOR_FORMAT_YUYV_ER = 15,
    NVBUF_COLOR_FORMAT_YVYU = 16,
    NVBUF_COLOR_FORMAT_YVYU_ER = 17,
    NVBUF_COLOR_FORMAT_YUV444 = 18,
    NVBUF_COLOR_FORMAT_RGBA = 19,
    NVBUF_COLOR_FORMAT_BGRA = 20,
    NVBUF_COLOR_FORMAT_ARGB = 21,
    NVBUF_COLOR_FORMAT_ABGR = 22,
    NVBUF_COLOR_FORMAT_RGBx = 23,
    NVBUF_COLOR_FORMAT_BGRx = 24,
    NVBUF_COLOR_FORMAT_xRGB = 25,
    NVBUF_COLOR_FORMAT_xBGR = 26,
    NVBUF_COLOR_FORMAT_RGB = 27,
    NVBUF_COLOR_FORMAT_BGR = 28,
    NVBUF_COLOR_FORMAT_NV12_10LE = 29,
    NVBUF_COLOR_FORMAT_NV12_12LE = 30,
    NVBUF_COLOR_FORMAT_YUV420_709 = 31,
    NVBUF_COLOR_FORMAT_YUV420_709_ER = 32,
    NVBUF_COLOR_FORMAT_NV12_709 = 33,
    NVBUF_COLOR_FORMAT_NV12_709_ER = 34,
    NVBUF_COLOR_FORMAT_YUV420_2020 = 35,
    NVBUF_COLOR_FORMAT_NV12_2020 = 36,
    NVBUF_COLOR_FORMAT_NV12_10LE_ER = 37,
    NVBUF_COLOR_FORMAT_NV12_10LE_709 = 38,
    NVBUF_COLOR_FORMAT_NV12_10LE_709_ER = 39,
    NVBUF_COLOR_FORMAT_NV12_10LE_2020 = 40,
    NVBUF_COLOR_FORMAT_SIGNED_R16G16 = 41,
    NVBUF_COLOR_FORMAT_R8_G8_B8 = 42,
    NVBUF_COLOR_FORMAT_B8_G8_R8 = 43,
    NVBUF_COLOR_FORMAT_R32F_G32F_B32F = 44,
    NVBUF_COLOR_FORMAT_B32F_G32F_R32F = 45,
    NVBUF_COLOR_FORMAT_YUV422 = 46,
    NVBUF_COLOR_FORMAT_NV21_10LE = 47,
    NVBUF_COLOR_FORMAT_NV21_12LE = 48,
    NVBUF_COLOR_FORMAT_NV12_12LE_2020 = 49,
    NVBUF_COLOR_FORMAT_NV16 = 50,
    NVBUF_COLOR_FORMAT_NV16_10LE = 51,
    NVBUF_COLOR_FORMAT_NV24 = 52,
    NVBUF_COLOR_FORMAT_NV24_10LE = 53,
    NVBUF_COLOR_FORMAT_NV16_ER = 54,
    NVBUF_COLOR_FORMAT_NV24_ER = 55,
    NVBUF_COLOR_FORMAT_NV16_709 = 56,
    NVBUF_COLOR_FORMAT_NV24_709 = 57,
    NVBUF_COLOR_FORMAT_NV16_709_ER = 58,
    NVBUF_COLOR_FORMAT_NV24_709_ER = 59,
    NVBUF_COLOR_FORMAT_NV24_10LE_709 = 60,
    NVBUF_COLOR_FORMAT_NV24_10LE_709_ER = 61,
    NVBUF_COLOR_FORMAT_NV24_10LE_2020 = 62,
    NVBUF_COLOR_FORMAT_NV24_12LE_2020 = 63,
    NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_709 = 64,
    NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_2020 = 65,
    NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_709 = 66,
    NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_2020 = 67,
    NVBUF_COLOR_FORMAT_A32 = 68,
    NVBUF_COLOR_FORMAT_UYVP = 69,
    NVBUF_COLOR_FORMAT_UYVP_ER = 70,
    NVBUF_COLOR_FORMAT_YUV444_ER = 71,
    NVBUF_COLOR_FORMAT_YUV444_709 = 72,
    NVBUF_COLOR_FORMAT_YUV444_709_ER = 73,
    NVBUF_COLOR_FORMAT_YUV444_2020 = 74,
    NVBUF_COLOR_FORMAT_YUV444_10LE = 75,
    NVBUF_COLOR_FORMAT_YUV444_10LE_ER = 76,
    NVBUF_COLOR_FORMAT_YUV444_10LE_709 = 77,
    NVBUF_COLOR_FORMAT_YUV444_10LE_709_ER = 78,
    NVBUF_COLOR_FORMAT_YUV444_10LE_2020 = 79,
    NVBUF_COLOR_FORMAT_YUV444_12LE = 80,
    NVBUF_COLOR_FORMAT_YUV444_12LE_ER = 81,
    NVBUF_COLOR_FORMAT_YUV444_12LE_709 = 82,
    NVBUF_COLOR_FORMAT_YUV444_12LE_709_ER = 83,
    NVBUF_COLOR_FORMAT_YUV444_12LE_2020 = 84,
    NVBUF_COLOR_FORMAT_NV12_12LE_ER = 85,
    NVBUF_COLOR_FORMAT_NV12_12LE_709 = 86,
    NVBUF_COLOR_FORMAT_NV12_12LE_709_ER = 87,
    NVBUF_COLOR_FORMAT_GRAY8_ER = 88,
    NVBUF_COLOR_FORMAT_LAST
} NvBufSurfaceColorFormat;

typedef enum {
    NVBUF_LAYOUT_PITCH,
    NVBUF_LAYOUT_BLOCK_LINEAR,
} NvBufSurfaceLayout;

/* DEFAULT is SURFACE_ARRAY on Jetson. */
typedef enum {
    NVBUF_MEM_DEFAULT,
    NVBUF_MEM_CUDA_PINNED,
    NVBUF_MEM_CUDA_DEVICE,
    NVBUF_MEM_CUDA_UNIFIED,
    NVBUF_MEM_SURFACE_ARRAY,
    NVBUF_MEM_HANDLE,
    NVBUF_MEM_SYSTEM,
} NvBufSurfaceMemType;

typedef enum {
    NVBUF_DISPLAYSCANFORMAT_PROGRESSIVE,
    NVBUF_DISPLAYSCANFORMAT_INTERLACED,
} NvBufSurfaceDisplayScanFormat;

typedef struct NvBufSurfacePlaneParamsEx {
    NvBufSurfaceDisplayScanFormat scanformat[NVBUF_MAX_PLANES];
    uint32_t secondfieldoffset[NVBUF_MAX_PLANES]; /* bytes, of interlaced pictures */
    uint32_t blockheightlog2[NVBUF_MAX_PLANES];   /* of block linear planes */
    uint32_t physicaladdress[NVBUF_MAX_PLANES];
    uint64_t flags[NVBUF_MAX_PLANES];
    void *_reserved[STRUCTURE_PADDING * NVBUF_MAX_PLANES];
} NvBufSurfacePlaneParamsEx;

/* Sizes in pixels of the plane; pitch, offset and psize in bytes. */
typedef struct NvBufSurfacePlaneParams {
    uint32_t num_planes;
    uint32_t width[NVBUF_MAX_PLANES];
    uint32_t height[NVBUF_MAX_PLANES];
    uint32_t pitch[NVBUF_MAX_PLANES];
    uint32_t offset[NVBUF_MAX_PLANES];
    uint32_t psize[NVBUF_MAX_PLANES];
    uint32_t bytesPerPix[NVBUF_MAX_PLANES];
    void *_reserved[STRUCTURE_PADDING * NVBUF_MAX_PLANES];
} NvBufSurfacePlaneParams;

typedef struct NvBufSurfaceChromaSubsamplingParams {
    uint8_t chromaLocHoriz;
    uint8_t chromaLocVert;
} NvBufSurfaceChromaSubsamplingParams;

/* @size: not 0: so many bytes, and width, height and colour format do not count.
 * @isContiguous: one allocation for the batch, of CUDA's memory types. */
typedef struct NvBufSurfaceCreateParams {
    uint32_t gpuId;
    uint32_t width;
    uint32_t height;
    uint32_t size;
    bool isContiguous;
    NvBufSurfaceColorFormat colorFormat;
    NvBufSurfaceLayout layout;
    NvBufSurfaceMemType memType;
} NvBufSurfaceCreateParams;

/* @disablePitchPadding: of CUDA's and system memory: the pitch is the row, of even width. */
typedef struct NvBufSurfaceAllocateParams {
    NvBufSurfaceCreateParams params;
    NvBufSurfaceDisplayScanFormat displayscanformat;
    NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
    NvBufSurfaceTag memtag;
    bool disablePitchPadding;
    uint32_t _reservedParam;
    void *_reserved[STRUCTURE_PADDING - 1];
} NvBufSurfaceAllocateParams;

typedef struct NvBufSurfaceMappedAddr {
    void *addr[NVBUF_MAX_PLANES]; /* of planes, for the CPU; NULL: not mapped */
    void *eglImage;               /* EGLImageKHR */
    void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceMappedAddr;

typedef struct NvBufSurfaceParamsEx {
    int32_t startofvaliddata; /* of NVBUF_MEM_HANDLE */
    int32_t sizeofvaliddatainbytes;
    NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
    bool is_protected;
    NvBufSurfacePlaneParamsEx planeParamsex;
    void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceParamsEx;

/* One buffer. @bufferDesc: its file descriptor, of SURFACE_ARRAY and HANDLE; @dataPtr: of the other
 * memory types. */
typedef struct NvBufSurfaceParams {
    uint32_t width;
    uint32_t height;
    uint32_t pitch;
    NvBufSurfaceColorFormat colorFormat;
    NvBufSurfaceLayout layout;
    uint64_t bufferDesc;
    uint32_t dataSize;
    void *dataPtr;
    NvBufSurfacePlaneParams planeParams;
    NvBufSurfaceMappedAddr mappedAddr;
    NvBufSurfaceParamsEx *paramex;
    void *_reserved[STRUCTURE_PADDING - 1];
} NvBufSurfaceParams;

/* A batch. @numFilled: how many hold pictures: the program counts. */
typedef struct NvBufSurface {
    uint32_t gpuId;
    uint32_t batchSize;
    uint32_t numFilled;
    bool isContiguous;
    NvBufSurfaceMemType memType;
    NvBufSurfaceParams *surfaceList;
    void *_reserved[STRUCTURE_PADDING];
} NvBufSurface;

typedef struct NvBufSurfaceMapPlaneParams {
    uint32_t width;
    uint32_t height;
    uint32_t pitch;
    uint32_t offset;
    uint32_t psize;
    uint32_t secondfieldoffset;
    uint32_t blockheightlog2;
    uint64_t flags;
    uint8_t reserved[64];
} NvBufSurfaceMapPlaneParams;

/* What another process needs to know of a buffer; the descriptor goes by SCM_RIGHTS. */
typedef struct NvBufSurfaceMapParams {
    uint32_t num_planes;
    uint32_t gpuId;
    uint64_t fd;
    uint32_t totalSize;
    NvBufSurfaceMemType memType;
    NvBufSurfaceLayout layout;
    NvBufSurfaceDisplayScanFormat scanformat;
    NvBufSurfaceColorFormat colorFormat;
    NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
    NvBufSurfaceMapPlaneParams planes[NVBUF_MAX_PLANES];
    uint8_t reserved[64];
} NvBufSurfaceMapParams;

/* A batch of @batchSize equal buffers; NvBufSurfaceDestroy() ends it. */
int NvBufSurfaceCreate(NvBufSurface **surf, uint32_t batchSize, NvBufSurfaceCreateParams *params);
int NvBufSurfaceAllocate(NvBufSurface **surf, uint32_t batchSize,
                         NvBufSurfaceAllocateParams *paramsext);
int NvBufSurfaceDestroy(NvBufSurface *surf);

/* From here on @index -1 means all buffers of the batch, @plane -1 all planes. */

/* Pointers for the CPU, in mappedAddr.addr. Call SyncForCpu before the CPU touches what a device
 * wrote, and SyncForDevice behind the CPU's stores and before a device uses them. */
int NvBufSurfaceMap(NvBufSurface *surf, int index, int plane, NvBufSurfaceMemMapFlags type);
int NvBufSurfaceUnMap(NvBufSurface *surf, int index, int plane);
int NvBufSurfaceSyncForCpu(NvBufSurface *surf, int index, int plane);
int NvBufSurfaceSyncForDevice(NvBufSurface *surf, int index, int plane);

int NvBufSurfaceCopy(NvBufSurface *srcSurf, NvBufSurface *dstSurf);
/* Rows of a plane to and from @ptr, without gaps. */
int NvBufSurface2Raw(NvBufSurface *Surf, unsigned int index, unsigned int plane,
                     unsigned int out_width, unsigned int out_height, unsigned char *ptr);
int Raw2NvBufSurface(unsigned char *ptr, unsigned int index, unsigned int plane,
                     unsigned int in_width, unsigned int in_height, NvBufSurface *Surf);
int NvBufSurfaceMemSet(NvBufSurface *surf, int index, int plane, uint8_t value);

/* The buffer of a descriptor; *@buffer: an NvBufSurface of one buffer. */
int NvBufSurfaceFromFd(int dmabuf_fd, void **buffer);

/* An EGLImage of the buffer, for cuGraphicsEGLRegisterImage(), in mappedAddr.eglImage. */
int NvBufSurfaceMapEglImage(NvBufSurface *surf, int index);
int NvBufSurfaceUnMapEglImage(NvBufSurface *surf, int index);

/* To and from another process. */
int NvBufSurfaceImport(NvBufSurface **out_nvbuf_surf, const NvBufSurfaceMapParams *in_params);
int NvBufSurfaceGetMapParams(const NvBufSurface *surf, int index, NvBufSurfaceMapParams *params);

#ifdef __cplusplus
}
#endif

#endif

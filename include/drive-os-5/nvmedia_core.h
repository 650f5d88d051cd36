/* SPDX-License-Identifier: MIT */
/*
 * NvMedia of DRIVE OS 5: what its parts share. Names, values and layouts are those of NVIDIA's
 * DRIVE OS 5.2 (NvMedia core 1.14). A program picks these headers with -I .../include/drive-os-5;
 * those of DRIVE OS 6 stand one folder above. libnvmedia.so implements them: docs/nvmedia.md.
 */
#ifndef NVMEDIA_CORE_H
#define NVMEDIA_CORE_H

#include <math.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_RELEASE_VERSION_MAJOR 2
#define NVMEDIA_RELEASE_VERSION_MINOR 0
#define NVMEDIA_CORE_VERSION_MAJOR 1
#define NVMEDIA_CORE_VERSION_MINOR 14

#ifndef NVMEDIA_API
#define NVMEDIA_API __attribute__((visibility("default")))
#endif

#define NVMEDIA_TRUE (0 == 0)
#define NVMEDIA_FALSE (0 == 1)

typedef uint32_t NvMediaBool;
typedef struct timespec NvMediaTime;
typedef uint64_t NvMediaGlobalTime; /* us */

typedef enum {
    NVMEDIA_TIME_BASE_CLOCK_PTP = 0,
    NVMEDIA_TIME_BASE_CLOCK_MONOTONIC,
    NVMEDIA_TIME_BASE_CLOCK_USER_DEFINED,
} NvMediaTimeBase;

typedef enum {
    NVMEDIA_COLOR_STANDARD_ITUR_BT_601,
    NVMEDIA_COLOR_STANDARD_ITUR_BT_709,
    NVMEDIA_COLOR_STANDARD_SMPTE_240M,
    NVMEDIA_COLOR_STANDARD_ITUR_BT_601_ER,
    NVMEDIA_COLOR_STANDARD_ITUR_BT_709_ER,
} NvMediaColorStandard;

/* From (x0, y0) up to, and without, (x1, y1); the origin is the top left corner. */
typedef struct {
    uint16_t x0;
    uint16_t y0;
    uint16_t x1;
    uint16_t y1;
} NvMediaRect;

typedef struct {
    int32_t x;
    int32_t y;
} NvMediaPoint;

typedef struct {
    float_t x;
    float_t y;
} NvMediaPointFloat;

typedef struct {
    double_t x;
    double_t y;
} NvMediaPointDouble;

typedef enum {
    NVMEDIA_STATUS_OK = 0,
    NVMEDIA_STATUS_BAD_PARAMETER = 1,
    NVMEDIA_STATUS_PENDING = 2,
    NVMEDIA_STATUS_TIMED_OUT = 3,
    NVMEDIA_STATUS_OUT_OF_MEMORY = 4,
    NVMEDIA_STATUS_NOT_INITIALIZED = 5,
    NVMEDIA_STATUS_NOT_SUPPORTED = 6,
    NVMEDIA_STATUS_ERROR = 7,
    NVMEDIA_STATUS_NONE_PENDING = 8,
    NVMEDIA_STATUS_INSUFFICIENT_BUFFERING = 9,
    NVMEDIA_STATUS_INVALID_SIZE = 10,
    NVMEDIA_STATUS_INCOMPATIBLE_VERSION = 11,
    NVMEDIA_STATUS_UNDEFINED_STATE = 13,
    NVMEDIA_STATUS_PFSD_ERROR = 14,
} NvMediaStatus;

typedef struct {
    NvMediaStatus status;
    uint64_t endTimestamp; /* us */
} NvMediaTaskStatus;

typedef struct {
    uint8_t major;
    uint8_t minor;
} NvMediaVersion;

/* What a component does with an NvSciSyncObj. */
typedef enum {
    NVMEDIA_SIGNALER,
    NVMEDIA_WAITER,
    NVMEDIA_SIGNALER_WAITER,
} NvMediaNvSciSyncClientType;

/* Whose fences an NvSciSyncObj is for: PRE: an operation waits for them before it begins; EOF, SOF:
 * its end or its start signals them. */
typedef enum {
    NVMEDIA_PRESYNCOBJ,
    NVMEDIA_EOFSYNCOBJ,
    NVMEDIA_SOFSYNCOBJ,
    NVMEDIA_EOF_PRESYNCOBJ,
    NVMEDIA_SOF_PRESYNCOBJ,
} NvMediaNvSciSyncObjType;

typedef enum {
    NVMEDIA_ACCESS_MODE_READ,
    NVMEDIA_ACCESS_MODE_READ_WRITE,
} NvMediaAccessMode;

typedef struct NvMediaDevice NvMediaDevice;

NVMEDIA_API NvMediaStatus NvMediaReleaseGetVersion(NvMediaVersion *version);
NVMEDIA_API NvMediaStatus NvMediaCoreGetVersion(NvMediaVersion *version);
NVMEDIA_API NvMediaDevice *NvMediaDeviceCreate(void);
NVMEDIA_API void NvMediaDeviceDestroy(NvMediaDevice *device);

#ifdef __cplusplus
}
#endif

#endif

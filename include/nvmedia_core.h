/* SPDX-License-Identifier: MIT */
/*
 * NvMedia: what its parts share. Names, values and layouts are those of NVIDIA's DRIVE OS API
 * reference (6.0.10).
 */
#ifndef NVMEDIA_CORE_H
#define NVMEDIA_CORE_H

#include <math.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NVMEDIA_API
#define NVMEDIA_API __attribute__((visibility("default")))
#endif

#define NVMEDIA_TRUE (0 == 0)
#define NVMEDIA_FALSE (0 == 1)

typedef uint32_t NvMediaBool;
typedef struct timespec NvMediaTime;
typedef void NvMediaDevice;

/* From (x0, y0) up to, and without, (x1, y1); the origin is the top left corner. */
typedef struct {
    uint16_t x0;
    uint16_t y0;
    uint16_t x1;
    uint16_t y1;
} NvMediaRect;

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
    NVMEDIA_STATUS_INVALID_STATE = 15,
} NvMediaStatus;

typedef struct {
    NvMediaStatus status;
    uint64_t endTimestamp;
} NvMediaTaskStatus;

typedef struct {
    uint8_t major;
    uint8_t minor;
    uint8_t patch;
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

#ifdef __cplusplus
}
#endif

#endif

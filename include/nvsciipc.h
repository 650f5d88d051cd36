/* SPDX-License-Identifier: MIT */
/*
 * NvSciIpc: channels of frames of one size between two endpoints, named in a configuration file.
 * libnvsciipc.so.1 implements it.
 *
 * Names, values and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). docs/nvsci.md:
 * the file, and what each function does here.
 */
#ifndef INCLUDED_NVSCIIPC_H
#define INCLUDED_NVSCIIPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscierror.h"
#include "nvscievent.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inferred: no reference states them. */
static const uint32_t NvSciIpcMajorVersion = 1U;
static const uint32_t NvSciIpcMinorVersion = 3U;

#define NVSCIIPC_MAX_ENDPOINT_NAME 64U
#define NVSCIIPC_MAX_ENDPOINT 500U

/* NvSciIpcGetEvent(): CONN_EST and CONN_RESET are given once, the others as long as they hold. */
#define NV_SCI_IPC_EVENT_READ 0x01U
#define NV_SCI_IPC_EVENT_WRITE 0x02U
#define NV_SCI_IPC_EVENT_CONN_EST 0x04U
#define NV_SCI_IPC_EVENT_CONN_RESET 0x08U
#define NV_SCI_IPC_EVENT_WRITE_EMPTY 0x10U
#define NV_SCI_IPC_EVENT_ASYNC_ERROR 0x20U

typedef uint64_t NvSciIpcEndpoint;

typedef struct NvSciIpcEndpointInfo {
    uint32_t nframes;    /* in each direction */
    uint32_t frame_size; /* bytes */
} NvSciIpcEndpointInfo;

NVSCI_API NvSciError NvSciIpcInit(void);
NVSCI_API void NvSciIpcDeinit(void);
NVSCI_API NvSciError NvSciIpcOpenEndpoint(const char *endpoint, NvSciIpcEndpoint *handle);
NVSCI_API NvSciError NvSciIpcOpenEndpointWithEventService(const char *endpoint,
                                                          NvSciIpcEndpoint *handle,
                                                          NvSciEventService *eventService);
NVSCI_API NvSciError NvSciIpcGetEventNotifier(NvSciIpcEndpoint handle,
                                              NvSciEventNotifier **eventNotifier);
NVSCI_API void NvSciIpcCloseEndpoint(NvSciIpcEndpoint handle);
NVSCI_API NvSciError NvSciIpcCloseEndpointSafe(NvSciIpcEndpoint handle, bool clear);
NVSCI_API void NvSciIpcResetEndpoint(NvSciIpcEndpoint handle);
NVSCI_API NvSciError NvSciIpcResetEndpointSafe(NvSciIpcEndpoint handle);
NVSCI_API NvSciError NvSciIpcRead(NvSciIpcEndpoint handle, void *buf, size_t size, int32_t *bytes);
NVSCI_API NvSciError NvSciIpcReadSafe(NvSciIpcEndpoint handle, void *buf, uint32_t size,
                                      uint32_t *bytes);
NVSCI_API NvSciError NvSciIpcReadGetNextFrame(NvSciIpcEndpoint handle, const volatile void **buf);
NVSCI_API NvSciError NvSciIpcReadAdvance(NvSciIpcEndpoint handle);
NVSCI_API NvSciError NvSciIpcWrite(NvSciIpcEndpoint handle, const void *buf, size_t size,
                                   int32_t *bytes);
NVSCI_API NvSciError NvSciIpcWriteSafe(NvSciIpcEndpoint handle, const void *buf, uint32_t size,
                                       uint32_t *bytes);
NVSCI_API NvSciError NvSciIpcWriteGetNextFrame(NvSciIpcEndpoint handle, volatile void **buf);
NVSCI_API NvSciError NvSciIpcWriteAdvance(NvSciIpcEndpoint handle);
NVSCI_API NvSciError NvSciIpcGetEndpointInfo(NvSciIpcEndpoint handle, NvSciIpcEndpointInfo *info);
NVSCI_API NvSciError NvSciIpcGetLinuxEventFd(NvSciIpcEndpoint handle, int32_t *fd);
NVSCI_API NvSciError NvSciIpcGetEvent(NvSciIpcEndpoint handle, uint32_t *events);
NVSCI_API NvSciError NvSciIpcGetEventSafe(NvSciIpcEndpoint handle, uint32_t *events);
NVSCI_API NvSciError NvSciIpcGetAsyncErrors(NvSciIpcEndpoint handle, uint32_t *errors);
NVSCI_API NvSciError NvSciIpcEnableNotification(NvSciIpcEndpoint handle, bool flag);
NVSCI_API NvSciError NvSciIpcCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                                       bool *isCompatible);

#ifdef __cplusplus
}
#endif

#endif

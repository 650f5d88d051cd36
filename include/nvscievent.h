/* SPDX-License-Identifier: MIT */
/*
 * NvSciEvent: one wait for events of many sources, as those of NvSciIpc endpoints.
 * libnvscievent.so.1 implements it.
 *
 * Names and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). A service is a table of
 * functions; what is not there here is NULL or answers NvSciError_NotSupported (docs/nvsci.md).
 */
#ifndef INCLUDED_NVSCIEVENT_H
#define INCLUDED_NVSCIEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscierror.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciEventMajorVersion = 1U;
static const uint32_t NvSciEventMinorVersion = 4U;

#define NV_SCI_EVENT_INFINITE_WAIT -1
#define NV_SCI_EVENT_PRIORITIES 4

typedef struct NvSciEventService NvSciEventService;
typedef struct NvSciEventNotifier NvSciEventNotifier;
typedef struct NvSciEventLoopService NvSciEventLoopService;
typedef struct NvSciNativeEvent NvSciNativeEvent;
typedef struct NvSciLocalEvent NvSciLocalEvent;
typedef struct NvSciTimerEvent NvSciTimerEvent;
typedef struct NvSciEventLoop NvSciEventLoop;

/* An event that a thread of this process signals. */
struct NvSciLocalEvent {
    NvSciEventNotifier *eventNotifier;
    NvSciError (*Signal)(NvSciLocalEvent *thisLocalEvent);
    void (*Delete)(NvSciLocalEvent *thisLocalEvent);
};

struct NvSciEventService {
    NvSciError (*CreateNativeEventNotifier)(NvSciEventService *thisEventService,
                                            NvSciNativeEvent *nativeEvent,
                                            NvSciEventNotifier **newEventNotifier);
    NvSciError (*CreateLocalEvent)(NvSciEventService *thisEventService,
                                   NvSciLocalEvent **newLocalEvent);
    NvSciError (*CreateTimerEvent)(NvSciEventService *thisEventService,
                                   NvSciTimerEvent **newTimerEvent);
    void (*Delete)(NvSciEventService *thisEventService);
};

struct NvSciEventNotifier {
    /* @callback NULL: no handler. It runs in the thread that waits. */
    NvSciError (*SetHandler)(NvSciEventNotifier *thisEventNotifier, void (*callback)(void *cookie),
                             void *cookie, uint32_t priority);
    void (*Delete)(NvSciEventNotifier *thisEventNotifier);
};

struct NvSciEventLoopService {
    NvSciEventService EventService;
    NvSciError (*CreateEventLoop)(NvSciEventLoopService *eventLoopService,
                                  NvSciEventLoop **eventLoop);
    NvSciError (*WaitForEvent)(NvSciEventNotifier *eventNotifier, int64_t microseconds);
    NvSciError (*WaitForMultipleEvents)(NvSciEventNotifier *const *eventNotifierArray,
                                        size_t eventNotifierCount, int64_t microseconds,
                                        bool *newEventArray);
    NvSciError (*WaitForMultipleEventsExt)(NvSciEventService *eventService,
                                           NvSciEventNotifier *const *eventNotifierArray,
                                           size_t eventNotifierCount, int64_t microseconds,
                                           bool *newEventArray);
};

NVSCI_API NvSciError NvSciEventLoopServiceCreate(size_t maxEventLoops,
                                                 NvSciEventLoopService **newEventLoopService);
NVSCI_API NvSciError NvSciEventLoopServiceCreateSafe(size_t maxEventLoops, void *config,
                                                     NvSciEventLoopService **newEventLoopService);
NVSCI_API NvSciError NvSciEventLoopServiceCreateSafeX(size_t maxEventLoops, void *config,
                                                      NvSciEventLoopService **newEventLoopService);
NVSCI_API NvSciError NvSciEventMoveNotifier(NvSciEventService *oldEventService,
                                            NvSciEventService *newEventService,
                                            NvSciEventNotifier *eventNotifier);
NVSCI_API NvSciError NvSciEventCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                                         bool *isCompatible);

#ifdef __cplusplus
}
#endif

#endif

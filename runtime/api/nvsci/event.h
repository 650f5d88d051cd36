/* SPDX-License-Identifier: MIT */
/* What an endpoint gives an event service: libnvscievent.so.1 and libnvsciipc.so.1 agree on it,
 * programs never see it. */
#ifndef RUNTIME_API_NVSCI_EVENT_H
#define RUNTIME_API_NVSCI_EVENT_H

#include "include/nvscievent.h"

/* @fd: readable while there is an event; the notifier does not own it */
struct NvSciNativeEvent {
    int fd;
};

#endif

/* SPDX-License-Identifier: MIT */
/* Layout of a channel's kernel memory. */
#ifndef RUNTIME_DRIVER_CHANNEL_H
#define RUNTIME_DRIVER_CHANNEL_H

#include "runtime/driver/core.h"

enum {
    CHANNEL_ERROR_AT = 0x800, /* behind USERD in its page */
    CHANNEL_GPFIFO_AT = HAL_PAGE,
    CHANNEL_ENTRIES = 512,
    CHANNEL_PUSH_AT = 2 * HAL_PAGE,
    CHANNEL_PUSH_BYTES = 64 * 1024,
    CHANNEL_DATA_AT = CHANNEL_PUSH_AT + CHANNEL_PUSH_BYTES,
    CHANNEL_DATA_BYTES = 128 * 1024,
    CHANNEL_BYTES = CHANNEL_DATA_AT + CHANNEL_DATA_BYTES,
};

#endif

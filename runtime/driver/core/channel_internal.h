/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: the slots of a channel. */
#ifndef RUNTIME_DRIVER_CORE_CHANNEL_INTERNAL_H
#define RUNTIME_DRIVER_CORE_CHANNEL_INTERNAL_H

#include "runtime/driver/core/channel.h"

/* What becomes free when the syncpoint has come to @threshold. */
struct channel_slot {
    uint32_t threshold, push_end, data_end;
};

#endif

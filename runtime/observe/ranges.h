/* SPDX-License-Identifier: MIT */
/* The writer of the table of registered ranges that compiler hooks look addresses up in
 * (runtime/track/ranges.h). One thread at a time may call these. */
#ifndef RUNTIME_OBSERVE_RANGES_H
#define RUNTIME_OBSERVE_RANGES_H

#include "runtime/track/ranges.h"

/* The range is not empty and overlaps none of the others: the HAL refuses such registrations. */
void ranges_add(struct vtegra_track_ranges *r, uint64_t base, uint64_t size);

/* The range that begins at @base; nothing happens if there is none. */
void ranges_remove(struct vtegra_track_ranges *r, uint64_t base);

#endif

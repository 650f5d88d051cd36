/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_DLA_INSPECT_H
#define TOOLS_DLA_INSPECT_H

#include "tools/dla/dla_net.h"

/* Prints the loadable as JSON; @nets: of the tasks for the DLA, as far as they were understood. */
void inspect_json(const struct dla_net_file *f, const struct dla_net *nets, unsigned count);

/* Names of the numbers in a loadable's lists. */
#define INSPECT_INTERFACES "none|DLA1|EMU1"
#define INSPECT_CATEGORIES "image|weight|feature|planar|bias"
#define INSPECT_TYPES "unknown|float|half|int16|int8|uint8"
#define INSPECT_FORMATS "unknown|NCHW|NHWC"

/* "3 (word)" as "word", or the number where there is no word for it. */
void inspect_word(const char *words, int64_t value, char *buf, size_t size);
/* "ALLOC SET INPUT" */
void inspect_flags(unsigned flags, char *buf, size_t size);

#endif

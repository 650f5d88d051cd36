/* SPDX-License-Identifier: MIT */
/* A compact trace file: the text in Zstandard frames of 256 KiB each, and behind them an index as
 * the Zstandard seekable format has it (contrib/seekable_format: a skippable frame), so that any
 * part is found without the rest. `zstd -dc` prints the text, as `vtegra report --text` does. A
 * file that was cut ends with the last whole block of a frame. */
#ifndef TRACE_PACKED_H
#define TRACE_PACKED_H

#include <stddef.h>
#include <stdio.h>

/* Names that end so are written compact. */
#define PACKED_SUFFIX ".zst"

struct packed;

/* Return: 0 or errno of the write. */
typedef int packed_write(void *opaque, const void *data, size_t len);

struct packed *packed_new(packed_write *write, void *opaque);
void packed_free(struct packed *p);

/* Each returns 0 or errno. packed_frame_end: what is buffered is written. packed_end: and the
 * index; nothing follows. */
int packed_add(struct packed *p, const void *data, size_t len);
int packed_frame_end(struct packed *p);
int packed_end(struct packed *p);

/* Of the magic number (RFC 8878, 3.1.1). */
#define PACKED_FIRST_BYTE 0x28

/**
 * packed_text - a stream of the text of a compact file
 * @f: at its beginning; closed with the stream
 * Return: the stream; reading it fails with EBADMSG where the file is damaged, and ends early where
 * it was cut. NULL: errno.
 */
FILE *packed_text(FILE *f);

#endif

/* SPDX-License-Identifier: MIT */
/* Protocol buffers, encoded: fields of a message, in the wire format (protobuf.dev, Encoding). */
#ifndef TRACE_PROTO_H
#define TRACE_PROTO_H

#include <glib.h>
#include <stdint.h>

/* @m: the message's bytes. Wire types: 0 varint, 1 fixed64, 2 length and bytes. */
void proto_varint(GByteArray *m, unsigned field, uint64_t value);
void proto_fixed64(GByteArray *m, unsigned field, uint64_t value);
void proto_bytes(GByteArray *m, unsigned field, const void *data, size_t len);
/* Any bytes: what is no UTF-8 becomes U+FFFD, as a string field must be UTF-8. */
void proto_text(GByteArray *m, unsigned field, const char *text);
/* @inner becomes a field of @m, and is empty after it. */
void proto_message(GByteArray *m, unsigned field, GByteArray *inner);

#endif

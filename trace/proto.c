/* SPDX-License-Identifier: MIT */
#include "trace/proto.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void proto_number(GByteArray *m, uint64_t value)
{
    uint8_t bytes[10];
    guint n = 0;

    do {
        bytes[n++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    g_byte_array_append(m, bytes, n);
}

static void proto_key(GByteArray *m, unsigned field, enum wire wire)
{
    proto_number(m, (uint64_t)field << 3 | wire);
}

void proto_varint(GByteArray *m, unsigned field, uint64_t value)
{
    proto_key(m, field, WIRE_VARINT);
    proto_number(m, value);
}

void proto_fixed64(GByteArray *m, unsigned field, uint64_t value)
{
    uint64_t little = GUINT64_TO_LE(value);

    proto_key(m, field, WIRE_FIXED64);
    g_byte_array_append(m, (const guint8 *)&little, sizeof(little));
}

void proto_bytes(GByteArray *m, unsigned field, const void *data, size_t len)
{
    proto_key(m, field, WIRE_BYTES);
    proto_number(m, len);
    g_byte_array_append(m, data, (guint)len);
}

void proto_text(GByteArray *m, unsigned field, const char *text)
{
    if (g_utf8_validate(text, -1, NULL)) {
        proto_bytes(m, field, text, strlen(text));
    } else {
        g_autofree char *valid = g_utf8_make_valid(text, -1);

        proto_bytes(m, field, valid, strlen(valid));
    }
}

void proto_message(GByteArray *m, unsigned field, GByteArray *inner)
{
    proto_bytes(m, field, inner->data, inner->len);
    g_byte_array_set_size(inner, 0);
}

/* SPDX-License-Identifier: MIT */
#include "loadable/desc.h"

#include <string.h>

#define S true
#define U false
#define FIELD(descriptor, name, offset, bytes, sign, words) \
    { #name, words, (uint16_t)(offset), bytes, sign },
#define DESC(descriptor, bytes) { NULL, NULL, DESC_##descriptor, 0, U },
/* All descriptors in one list; a row without a name opens the next one. */
static const struct desc_field all[] = {
#include "loadable/desc.def"
    { NULL, NULL, DESC_KINDS, 0, U }
};

const struct desc_field *desc_fields(enum desc_kind kind, size_t *count)
{
    const struct desc_field *first = all, *end;

    while (first->name || first->offset != kind) {
        first++;
    }
    for (end = ++first; end->name; end++) {
    }
    *count = (size_t)(end - first);
    return first;
}

const char *desc_surface_name(enum desc_op op, unsigned i)
{
    static const char *const conv[] = { "weights", "wmb", "wgs", "src", "dst" };
    static const char *const sdp[] = { "src", "x1", "x2", "y", "dst" };
    static const char *const other[] = { "src", "dst" };

    switch (op) {
    case DESC_OP_BDMA:
    case DESC_OPS:
        return NULL;
    case DESC_OP_CONV:
        return i < 5 ? conv[i] : NULL;
    case DESC_OP_SDP:
        return i < 5 ? sdp[i] : NULL;
    default:
        return i < 2 ? other[i] : NULL;
    }
}

enum desc_kind desc_op_kind(enum desc_op op)
{
    static const enum desc_kind kind[] = { DESC_BDMA, DESC_CONV, DESC_SDP,
                                           DESC_PDP,  DESC_CDP,  DESC_RUBIK };

    return kind[op];
}

int64_t desc_get(const uint8_t *at, unsigned bytes, bool is_signed)
{
    uint64_t v = 0, sign = UINT64_C(1) << (8 * bytes - 1);

    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)at[i] << (8 * i);
    }
    return is_signed && v & sign ? (int64_t)(v - sign) + (int64_t)(~(sign - 1)) : (int64_t)v;
}

void desc_put(uint8_t *at, unsigned bytes, int64_t value)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
}

bool desc_word(const char *words, int64_t value, char *buf, size_t size)
{
    size_t len;

    while (words && value > 0) {
        words = strchr(words, '|');
        words = words ? words + 1 : NULL;
        value--;
    }
    if (!words || value < 0 || size == 0) {
        return false;
    }
    len = strcspn(words, "|");
    len = len < size ? len : size - 1;
    memcpy(buf, words, len);
    buf[len] = '\0';
    return true;
}

int desc_word_find(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (int i = 0; words; i++) {
        if (strcspn(words, "|") == len && strncmp(words, word, len) == 0) {
            return i;
        }
        words = strchr(words, '|');
        words = words ? words + 1 : NULL;
    }
    return -1;
}

/* The offset of version 0.12 shifts what follows the address. */
static uint8_t *cube_rest(uint8_t *cube, unsigned cube_bytes)
{
    return cube + (cube_bytes - DESC_BYTES_CUBE);
}

void desc_cube_get(const uint8_t *surface, unsigned i, unsigned cube_bytes, struct desc_cube *c)
{
    const uint8_t *b = surface + (size_t)i * cube_bytes, *rest = b + (cube_bytes - DESC_BYTES_CUBE);

    *c = (struct desc_cube){
        .type = (int)DESC_GETU(b, CUBE, type),
        .address = (int)DESC_GET(b, CUBE, address),
        .offset = cube_bytes > DESC_BYTES_CUBE ? (uint32_t)desc_get(b + 4, 4, false) : 0,
        .size = (uint32_t)DESC_GETU(rest, CUBE, size),
        .width = (uint32_t)DESC_GETU(rest, CUBE, width),
        .height = (uint32_t)DESC_GETU(rest, CUBE, height),
        .channels = (uint32_t)DESC_GETU(rest, CUBE, channel),
        .line_stride = (uint32_t)DESC_GETU(rest, CUBE, line_stride),
        .surf_stride = (uint32_t)DESC_GETU(rest, CUBE, surf_stride),
        .plane_stride = (uint32_t)DESC_GETU(rest, CUBE, plane_stride),
    };
}

void desc_cube_put(uint8_t *surface, unsigned i, unsigned cube_bytes, const struct desc_cube *c)
{
    uint8_t *b = surface + (size_t)i * cube_bytes, *rest = cube_rest(b, cube_bytes);

    DESC_PUT(b, CUBE, type, c->type);
    DESC_PUT(b, CUBE, address, c->address);
    if (cube_bytes > DESC_BYTES_CUBE) {
        desc_put(b + 4, 4, c->offset);
    }
    DESC_PUT(rest, CUBE, size, c->size);
    DESC_PUT(rest, CUBE, width, c->width);
    DESC_PUT(rest, CUBE, height, c->height);
    DESC_PUT(rest, CUBE, channel, c->channels);
    DESC_PUT(rest, CUBE, line_stride, c->line_stride);
    DESC_PUT(rest, CUBE, surf_stride, c->surf_stride);
    DESC_PUT(rest, CUBE, plane_stride, c->plane_stride);
}

unsigned desc_cube_bytes(unsigned major, unsigned minor)
{
    return major != 0 ? 0 : minor == 12 ? 32 : minor == 10 || minor == 11 ? 28 : 0;
}

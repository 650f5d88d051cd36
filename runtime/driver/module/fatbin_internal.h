/* SPDX-License-Identifier: MIT */
/* Shared by fatbin.c (reading headers) and fatbin_select.c (unpacking and choosing). */
#ifndef RUNTIME_DRIVER_MODULE_FATBIN_INTERNAL_H
#define RUNTIME_DRIVER_MODULE_FATBIN_INTERNAL_H

#include <glib.h>

#include "runtime/driver/module/fatbin.h"

struct piece {
    struct fatbin_entry entry;
    const uint8_t *payload;
    uint64_t payload_bytes; /* packed bytes if packed, else those of the payload */
    bool known;             /* readable for sure: the caller gave the size */
    char *text;             /* PTX once unpacked */
    size_t text_bytes;
};

struct fatbin {
    enum fatbin_form form;
    unsigned units;
    bool linked; /* unit 0 is what nvcc linked, the others are its parts */
    GArray *pieces;
    GStringChunk *strings;
};

/* Little endian, from any address. */
static inline uint32_t read16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t read32(const uint8_t *p)
{
    return read16(p) | read16(p + 2) << 16;
}

static inline uint64_t read64(const uint8_t *p)
{
    return read32(p) | (uint64_t)read32(p + 4) << 32;
}

/* Writes the sentence unless @error is NULL. Return: @code. */
int fatbin_fail(char **error, int code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* @to has room for entry.size bytes. Return: bytes written, -1 on damage. */
int64_t fatbin_unpack(const struct piece *piece, uint8_t *to);

/* Machine code that a board of @cc loads. */
bool fatbin_is_loadable(const struct fatbin_entry *entry, unsigned cc);

/* May [p, p + len) be read? */
bool fatbin_readable(const uint8_t *p, uint64_t len);

#endif

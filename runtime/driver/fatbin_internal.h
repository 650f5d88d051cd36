/* SPDX-License-Identifier: MIT */
/* Shared by fatbin.c (reading headers) and fatbin_select.c (unpacking and choosing). */
#ifndef RUNTIME_DRIVER_FATBIN_INTERNAL_H
#define RUNTIME_DRIVER_FATBIN_INTERNAL_H

#include <glib.h>

#include "runtime/driver/fatbin.h"

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

/* Writes the sentence unless @error is NULL. Return: @code. */
int fatbin_fail(char **error, int code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* May [p, p + len) be read? */
bool fatbin_readable(const uint8_t *p, uint64_t len);

#endif

/* SPDX-License-Identifier: MIT */
/* What vtegra's runtime library tells vtegra's driver beside the public API: calls that the runtime
 * itself refused, for the report. No part of cuda.h.
 *
 * cuGetExportTable() of our libcuda.so.1 gives this table for VTEGRA_NOTE_TABLE_ID. Any other
 * libcuda.so.1 does not know the ID, and then nothing is told. */
#ifndef VTEGRA_NOTE_TABLE_H
#define VTEGRA_NOTE_TABLE_H

#include <stddef.h>

/* Sixteen bytes of a CUuuid: ours alone. */
#define VTEGRA_NOTE_TABLE_ID                                                               \
    {                                                                                      \
        {                                                                                  \
            'v', 't', 'e', 'g', 'r', 'a', '-', 'n', 'o', 't', 'e', 's', '-', '0', '0', '1' \
        }                                                                                  \
    }

/**
 * struct vtegra_note_table
 * @size: of this structure: what lies behind it is not there
 * @refused: the call that the program made returns @error; @name: the runtime's name of it; @why:
 * more, or NULL. Does nothing if the driver has told the same of this call
 * @missing: the call is not supported at all; @name: a literal
 * @own_code: the runtime is linked into the program, its code lies at @start up to @stop: what is
 * called from there is called by the program's line outside
 */
struct vtegra_note_table {
    size_t size;
    void (*refused)(int error, const char *name, const char *why);
    void (*missing)(const char *name);
    void (*own_code)(const void *start, const void *stop);
};

#endif

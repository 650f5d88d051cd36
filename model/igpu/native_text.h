/* SPDX-License-Identifier: MIT */
/* A function's micro-ops as C, for a compiler that the runtime may start. Pure: text in, text out.
 *
 * The compiled form is the interpreter with the micro-ops known: the same handlers' source
 * (model/igpu/native_body.h), inlined with constant operands, registers in vectors instead of the
 * frame. It runs only while all 32 lanes of a warp are together; at anything else it writes its
 * registers back and returns the micro-op at which the interpreter resumes.
 */
#ifndef MODEL_IGPU_NATIVE_TEXT_H
#define MODEL_IGPU_NATIVE_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "ptx/decode.h"

/* Longer functions stay interpreted: a compiler's time grows faster than their length. */
#define NATIVE_UOPS_MAX 1500u

/* Where compiled code may begin: at micro-ops whose bit is set in @entry, a bit a micro-op. */
struct native_text {
    uint8_t *entry;
    uint32_t n_entries;
};

/**
 * native_text_append - the C of one function
 * @index: of the function in the program; its C name is native_<index>
 * @out: appended to
 * @t: filled; g_free() its entry
 * Return: false: nothing of it is worth compiling, or it is too long; @out is as it was.
 */
bool native_text_append(const struct ptx_code *code, uint32_t index, GString *out,
                        struct native_text *t);

#endif

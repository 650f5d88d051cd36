/* SPDX-License-Identifier: MIT */
/* What the API knows and the board's records do not, as one line of the trace file:
 *     @region id=3 kind=managed size=4194304 api=cudaMallocManaged where="app.cu:41 in main"
 * The live checker and the reader of a trace file both hand such notes to run_note(), so the two
 * reports cannot differ.
 */
#ifndef TRACE_NOTE_H
#define TRACE_NOTE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NOTE_KEYS 32

/**
 * struct note - a name and its key=value pairs, in order
 * @key: @value: owned
 */
struct note {
    char *name;
    unsigned count;
    char *key[NOTE_KEYS], *value[NOTE_KEYS];
};

void note_init(struct note *n, const char *name);
void note_clear(struct note *n);

/* Add a pair; a NULL value adds nothing. More than NOTE_KEYS is our fault. */
void note_str(struct note *n, const char *key, const char *value);
void note_u64(struct note *n, const char *key, uint64_t value);
/* "x,y,z" */
void note_dims(struct note *n, const char *key, const uint32_t dims[3]);
void note_hex(struct note *n, const char *key, uint64_t value);

/* The value of a key: NULL or 0 if it is not there (or is no number). */
const char *note_get(const struct note *n, const char *key);
uint64_t note_num(const struct note *n, const char *key);

/* The line, without newline; g_free(). */
char *note_format(const struct note *n);

/* Read a line back. Return: false if it is none; @n is then cleared. */
bool note_parse(const char *line, struct note *n);

#endif

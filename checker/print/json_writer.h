/* SPDX-License-Identifier: MIT */
/* JSON as text, laid out as json-glib does: two blanks a level, "key" : value, one value a line. */
#ifndef CHECKER_JSON_WRITER_H
#define CHECKER_JSON_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct json_writer - a document under construction
 * @depth: open brackets; @empty: nothing follows the last of them yet; @keyed: a key was written,
 * its value comes; @compact: set it after json_writer_open() to leave out blanks and newlines
 */
struct json_writer {
    GString *out;
    unsigned depth;
    bool empty, keyed, compact;
};

void json_writer_open(struct json_writer *w);
/* The text, without a newline at its end; g_free(). Every bracket is closed. */
char *json_writer_close(struct json_writer *w);

/* The member of an object whose value comes next. */
void json_writer_key(struct json_writer *w, const char *key);

/* '{' or '['; then its end. */
void json_writer_begin(struct json_writer *w, char bracket);
void json_writer_end(struct json_writer *w, char bracket);

void json_writer_int(struct json_writer *w, int64_t value);
void json_writer_bool(struct json_writer *w, bool value);
/* Any bytes: what is no UTF-8 becomes U+FFFD (RFC 8259, 8.1). NULL: null. */
void json_writer_text(struct json_writer *w, const char *value);

#endif

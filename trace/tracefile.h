/* SPDX-License-Identifier: MIT */
/* A trace file being written. A disk that runs full is said once, with the file's name; the run
 * goes on, and what was written stays a readable trace. */
#ifndef TRACE_TRACEFILE_H
#define TRACE_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TRACE_FIRST_WORDS "# vtegra trace "
#define TRACE_FIRST_LINE TRACE_FIRST_WORDS "1"

/* Bytes of the longest line, with its newline: longer ones are not written. */
#define TRACE_LINE_MAX 65536

struct tracefile;

/* A name that ends with ".zst" makes a compact file (packed.h). Return: NULL after a line on stderr
 * if the file cannot be created. */
struct tracefile *tracefile_open(const char *path);

/* One line, the newline is added. Buffered. */
void tracefile_line(struct tracefile *t, const char *line);

/* The same for bytes that are no line. */
void tracefile_bytes(struct tracefile *t, const void *data, size_t len);

/* Write out what is buffered. Return: false if something could not be written. */
bool tracefile_flush(struct tracefile *t);
/* The last of it: also the index of a compact file (packed.h); lines after it are left out. */
bool tracefile_end(struct tracefile *t);
void tracefile_close(struct tracefile *t);

/**
 * outfile_write - write a whole text: to @path, to stdout if it is "-", to stderr if it is NULL
 * @what: for the message: "report", "JSON report"
 *
 * A file is written beside its place and renamed, so that a full disk leaves the old one.
 * Return: false after a line on stderr; errno says why.
 */
bool outfile_write(const char *path, const char *what, const char *text);
/* The same without a word, for a file. What is no regular file (a link, a pipe) is written through.
 * Return: 0 or errno. */
int outfile_save(const char *path, const void *data, size_t len);

/* write(2), as a system call of its own: locks are held here, and write() of a program under the
 * policy seeded is a switch point, also when a sanitizer's wrapper calls it for us. */
ssize_t tracefile_write(int fd, const void *data, size_t len);

#endif

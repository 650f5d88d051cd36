/* SPDX-License-Identifier: MIT */
/* Results as JUnit XML, which CI systems show: one suite, a case a result. */
#ifndef TOOLS_JUNIT_H
#define TOOLS_JUNIT_H

#include <glib.h>

struct junit;

struct junit *junit_new(const char *suite);
/* @why: NULL: it passed; else one line, and @text beside it (may be NULL). Any bytes. */
void junit_case(struct junit *j, const char *group, const char *name, const char *why,
                const char *text);
/**
 * junit_end - write it to @path; "-" is stdout; NULL: nowhere
 * @cmd: for the message. Return: FALSE after a line on stderr. @j is freed.
 */
gboolean junit_end(struct junit *j, const char *cmd, const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/* Results as JUnit XML, which CI systems show: one suite, a case a result. */
#ifndef TOOLS_JUNIT_H
#define TOOLS_JUNIT_H

#include <glib.h>

struct junit;

struct junit *junit_new(const char *suite);
/**
 * struct junit_result - of a case. Texts may have any bytes, and be NULL but for the first two
 * @why: one line; NULL: it passed
 * @where: "FILE:LINE ...", the first place of what was found
 * @cure: what to do; @command: what shows it again; @text: what else there is to read
 * @seconds: of this machine
 */
struct junit_result {
    const char *group, *name, *why, *where, *cure, *command, *text;
    double seconds;
};

void junit_case(struct junit *j, const struct junit_result *r);
/**
 * junit_end - write it to @path; "-" is stdout; NULL: nowhere
 * @cmd: for the message. Return: FALSE after a line on stderr. @j is freed.
 */
gboolean junit_end(struct junit *j, const char *cmd, const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/* Where a report goes, and reports from trace files. */
#ifndef RUNTIME_CHECK_REPORT_H
#define RUNTIME_CHECK_REPORT_H

#include "runtime/check/run.h"

enum report_text { REPORT_NO_TEXT, REPORT_TEXT };

#define TRACE_FIRST_LINE "# vtegra trace 1"

/* Write what is wanted. A report that cannot be written to its file goes to stderr. Return: false if
 * one could not be written to where it was wanted. */
bool report_write(const struct run *r, enum report_text text, const char *report_path,
                  const char *json_path);

#endif

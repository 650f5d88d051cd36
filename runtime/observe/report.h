/* SPDX-License-Identifier: MIT */
/* Where a report goes. */
#ifndef RUNTIME_OBSERVE_REPORT_H
#define RUNTIME_OBSERVE_REPORT_H

#include "checker/run/run.h"

enum report_text { REPORT_NO_TEXT, REPORT_TEXT };

/* Write what is wanted. A report that cannot be written to its file goes to stderr. Return: false if
 * one could not be written to where it was wanted. */
bool report_write(const struct run *r, enum report_text text, const char *report_path,
                  const char *json_path);

/* The report in the forms that have a path (checker/print/formats.h). A form that cannot be written
 * is one line on stderr. */
void report_forms_write(const struct run *r, const char *const path[]);

#endif

/* SPDX-License-Identifier: MIT */
/* The same report for programs; its schema is docs/report-json.md. */
#ifndef CHECKER_JSON_H
#define CHECKER_JSON_H

#include "checker/report.h"

#define REPORT_VERSION 1 /* "version" of the object */

char *json_report(const struct report *report); /* g_free() */

#endif

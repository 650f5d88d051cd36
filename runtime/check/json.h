/* SPDX-License-Identifier: MIT */
/* The same report for programs; its schema is docs/report-json.md. */
#ifndef RUNTIME_CHECK_JSON_H
#define RUNTIME_CHECK_JSON_H

#include "runtime/check/run.h"

char *json_report(const struct run *r, const GPtrArray *advice); /* g_free() */

#endif

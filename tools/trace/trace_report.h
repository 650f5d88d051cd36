/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_TRACE_REPORT_H
#define TOOLS_TRACE_REPORT_H

#include "checker/print/formats.h"

/**
 * struct trace_report_out - what is written of a trace file; NULL: not
 * @report_path: NULL or "-": stdout
 * @form_path: checker/print/formats.h
 * @perfetto_path: the timeline (checker/timeline/timeline.h); arrows need a trace with the classes
 * ACCESS and CACHE
 */
struct trace_report_out {
    const char *report_path, *json_path, *perfetto_path, *form_path[REPORT_FORMATS];
};

/**
 * trace_report - write the report of a trace file, as the live run would have written it
 *
 * Return: 0, or -errno after a line on stderr.
 */
int trace_report(const char *trace_path, const struct trace_report_out *out);

#endif

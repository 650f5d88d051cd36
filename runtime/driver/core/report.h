/* SPDX-License-Identifier: MIT */
/* What the driver core reports to the checker. */
#ifndef RUNTIME_DRIVER_CORE_REPORT_H
#define RUNTIME_DRIVER_CORE_REPORT_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/observe/check.h"

struct region;
struct stream;

void report_forget(void);             /* a call begins: nothing is reported of it yet */
CUresult report_known(CUresult code); /* the checker knows that the call returns this */
CUresult report_last(void);           /* CUDA_SUCCESS: it knows of nothing */
CUresult report_error(CUresult code, const char *api, const char *section, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* @rule: a row of checker/rules/rules.def, or of a table of the driver's own; @todo: NULL: the
 * row's. */
void report_finding(const struct check_rule *rule, uint32_t region, uint32_t grid, uint64_t address,
                    const char *todo, const char *format, ...) G_GNUC_PRINTF(6, 7);
/* Return: where the application called, for who needs it once more. */
struct check_caller report_note(enum check_note_kind kind, const char *api,
                                const struct region *region, const struct region *source,
                                uint64_t bytes, const struct stream *stream);
/* Where the application asked for the work that is under way; report_as(): what has been kept with
 * a work, for works that the program asked for earlier. NULL: the call that it is in. */
struct check_caller report_caller(void);
void report_as(const struct check_caller *caller);
void report_region(const struct region *region, const char *api);
void report_event(struct fence fence, const struct stream *stream);
void report_nonblocking(const struct stream *stream); /* the application has made it so */
void report_sci_sync(const struct stream *stream, bool signals, bool skips); /* NvSci */
void report_event_wait(struct fence fence); /* of the stream that the next submission is in */

#endif

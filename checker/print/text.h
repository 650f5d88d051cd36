/* SPDX-License-Identifier: MIT */
/* The report for a terminal. */
#ifndef CHECKER_TEXT_H
#define CHECKER_TEXT_H

#include "checker/report.h"

/* @colour: bold headings. g_free(). */
char *text_report(const struct report *report, bool colour);

/* One finding as it happens. g_free(). */
char *text_finding_live(const struct run *r, const struct run_finding *f);

/* The newest finding in one line, where a report will follow. g_free(). */
char *text_finding_short(const struct run *r, const struct run_finding *f);

/* What Table 1 of the note says, for this SoC: "cached", "uncached", "no access". The CPU's as the
 * board mapped it. */
const char *text_cpu_column(const struct run *r, const struct run_region *region);
const char *text_igpu_column(const struct run *r, const struct run_region *region);
/* Of the discrete GPU on a board with two. */
const char *text_dgpu_column(const struct run *r, const struct run_region *region);
/* "iGPU cached"; on a board with two GPUs of those that reach it. g_free(). */
char *text_gpu_columns(const struct run *r, const struct run_region *region);

#endif

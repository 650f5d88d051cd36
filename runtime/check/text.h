/* SPDX-License-Identifier: MIT */
/* The report for a terminal. */
#ifndef RUNTIME_CHECK_TEXT_H
#define RUNTIME_CHECK_TEXT_H

#include "runtime/check/run.h"

/* @advice: as advice_make() made it; @colour: bold headings. g_free(). */
char *text_report(const struct run *r, const GPtrArray *advice, bool colour);

/* One finding as it happens. g_free(). */
char *text_finding_live(const struct run *r, const struct run_finding *f);

/* What Table 1 of the note says, for this SoC: "cached", "uncached", "no access". */
const char *text_cpu_column(const struct run_region *region);
const char *text_igpu_column(const struct run_region *region);

#endif

/* SPDX-License-Identifier: MIT */
/* Findings as SARIF 2.1.0 (OASIS): what code hosts and editors show beside the source. */
#ifndef CHECKER_SARIF_H
#define CHECKER_SARIF_H

#include "checker/report.h"

/* The log file as text; g_free(). Rules have stable ids; fingerprints hold no line numbers, so that
 * an alert survives edits elsewhere in its file. A finding of two accesses has a code flow with a
 * thread flow for each agent. */
char *sarif_report(const struct report *report);

#endif

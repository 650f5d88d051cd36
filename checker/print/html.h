/* SPDX-License-Identifier: MIT */
/* The report as one HTML page, without scripts and without a word from the network. */
#ifndef CHECKER_HTML_H
#define CHECKER_HTML_H

#include "checker/report.h"

/* The page; g_free(). All that comes from the program is escaped. */
char *html_report(const struct report *report);

#endif

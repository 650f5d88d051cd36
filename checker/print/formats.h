/* SPDX-License-Identifier: MIT */
/* The report in forms that other tools read, besides text.h and json.h: one row each. */
#ifndef CHECKER_FORMATS_H
#define CHECKER_FORMATS_H

#include "checker/report.h"

enum report_format { REPORT_SARIF, REPORT_HTML, REPORT_FORMATS };

/**
 * struct report_form - a form
 * @option: of `vtegra run` and `vtegra report`; @variable: of the environment; @what: for messages
 * @help: one line for --help
 * @make: the whole text; g_free()
 */
struct report_form {
    const char *option, *variable, *what, *help;
    char *(*make)(const struct report *report);
};

extern const struct report_form report_forms[REPORT_FORMATS];

#endif

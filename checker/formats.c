/* SPDX-License-Identifier: MIT */
#include "checker/formats.h"

#include "checker/html.h"
#include "checker/sarif.h"

const struct report_form report_forms[REPORT_FORMATS] = {
    [REPORT_SARIF] = { "sarif", "VTEGRA_SARIF", "SARIF report",
                       "findings as SARIF 2.1.0, for code hosts and editors", sarif_report },
    [REPORT_HTML] = { "html", "VTEGRA_HTML", "HTML report", "the report as one HTML page",
                      html_report },
};

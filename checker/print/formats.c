/* SPDX-License-Identifier: MIT */
#include "checker/print/formats.h"

#include "checker/print/html.h"
#include "checker/print/sarif.h"

const struct report_form report_forms[REPORT_FORMATS] = {
    [REPORT_SARIF] = { "sarif", "VTEGRA_SARIF", "SARIF report",
                       "findings as SARIF 2.1.0, for code hosts and editors", sarif_report },
    [REPORT_HTML] = { "html", "VTEGRA_HTML", "HTML report", "the report as one HTML page",
                      html_report },
};

/* SPDX-License-Identifier: MIT */
#include "tools/help/version.h"

#include <stdio.h>
#include <string.h>

#include "checker/print/json.h"
#include "tools/commit.h" /* made by cmake/version.cmake */
#include "tools/explore/schedule.h"
#include "trace/tracefile.h"

void version_print(void)
{
    printf("vtegra " VTEGRA_VERSION "\n"
           "commit   " VTEGRA_COMMIT "\n"
           "formats  report %d, trace %s, schedule %s\n",
           REPORT_VERSION, TRACE_FIRST_LINE + strlen(TRACE_FIRST_WORDS),
           SCHEDULE_FIRST_LINE + strlen(SCHEDULE_FIRST_WORDS));
}

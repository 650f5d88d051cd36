/* SPDX-License-Identifier: MIT */
/* vtegra report: the report of a trace file, as `vtegra run` would have written it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/trace/trace_report.h"
#include "trace/reader.h"

#define CMD "report"

static const char description[] =
    "TRACE is a file that `vtegra run --trace` wrote. Where the trace holds single accesses that "
    "were\n"
    "not checked for races yet (a trace from elsewhere), they are checked now.\n"
    "\n"
    "The arrows of --perfetto, from a store to its stale read, need a trace of all accesses:\n"
    "VTEGRA_TRACE_CLASSES=all vtegra run --trace FILE, or vtegra run --perfetto FILE.\n"
    "\n"
    "Examples:\n"
    "  vtegra run --trace t.txt -- ./app      # t.zst: compact, a tenth of it\n"
    "  vtegra report --text t.zst\n"
    "  vtegra report t.txt\n"
    "  vtegra report --json t.json --report t.report t.txt";

/* "-" is stdout. */
static gboolean output_check(const char *option, const char *path)
{
    return !path || strcmp(path, "-") == 0 ||
           cmd_output_check(CMD, option, path, "the trace was not read");
}

static int text_print(const char *path)
{
    FILE *f = trace_open(path);
    char buffer[65536];
    int error;
    size_t n;

    if (!f) {
        cmd_error(CMD, "trace file %s: %s", path, g_strerror(errno));
        return CMD_FOUND;
    }
    while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0) {
        fwrite(buffer, 1, n, stdout);
    }
    error = ferror(f) ? errno : 0;
    fclose(f);
    if (error) {
        cmd_error(CMD, "%s: %s", path,
                  error == EBADMSG ? "a compact trace, damaged; this is what was before"
                                   : g_strerror(error));
    }
    return error ? CMD_FOUND : CMD_OK;
}

int cmd_report(int argc, char **argv)
{
    char *report = NULL, *json = NULL, *perfetto = NULL, *form[REPORT_FORMATS] = { NULL };
    struct trace_report_out out;
    gboolean text = FALSE;
    const GOptionEntry entries[] = {
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &report, "the report as text (stdout)", "FILE" },
        { "text", 0, 0, G_OPTION_ARG_NONE, &text,
          "print the trace itself as text, and no report (a compact trace, FILE.zst)", NULL },
        { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "the report as JSON", "FILE" },
        { report_forms[REPORT_SARIF].option, 0, 0, G_OPTION_ARG_FILENAME, &form[REPORT_SARIF],
          report_forms[REPORT_SARIF].help, "FILE" },
        { report_forms[REPORT_HTML].option, 0, 0, G_OPTION_ARG_FILENAME, &form[REPORT_HTML],
          report_forms[REPORT_HTML].help, "FILE" },
        { "perfetto", 0, 0, G_OPTION_ARG_FILENAME, &perfetto,
          "the timeline, for ui.perfetto.dev (protobuf)", "FILE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    int status = CMD_USAGE;

    if (!cmd_options(CMD, "TRACE - the report of a trace file", description, entries, FALSE, &argc,
                     &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2) {
        cmd_error(CMD, "one trace file, please; see vtegra report --help");
    } else if (text) {
        status = text_print(argv[1]);
    } else if (!output_check("report", report) || !output_check("json", json) ||
               !output_check("perfetto", perfetto) ||
               !output_check(report_forms[REPORT_SARIF].option, form[REPORT_SARIF]) ||
               !output_check(report_forms[REPORT_HTML].option, form[REPORT_HTML])) {
        status = CMD_FAILED;
    } else {
        out = (struct trace_report_out){
            report, json, perfetto, { form[REPORT_SARIF], form[REPORT_HTML] }
        };
        status = trace_report(argv[1], &out) < 0 ? CMD_FOUND : CMD_OK;
    }
    g_free(report);
    g_free(json);
    g_free(perfetto);
    g_free(form[REPORT_SARIF]);
    g_free(form[REPORT_HTML]);
    return status;
}

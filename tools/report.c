/* SPDX-License-Identifier: MIT */
/* vtegra report: the report of a trace file, as `vtegra run` would have written it. The checker
 * lives in the runtime's library, which a program that needs no board loads by hand. */
#include <dlfcn.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/paths.h"

#define CMD "report"

static const char description[] =
    "TRACE is a file that `vtegra run --trace` wrote. Where the trace holds single accesses and "
    "nobody\n"
    "has looked for races in them yet (a trace from elsewhere), that is done now.\n"
    "\n"
    "Examples:\n"
    "  vtegra run --trace t.txt -- ./app\n"
    "  vtegra report t.txt\n"
    "  vtegra report --json t.json --report t.report t.txt";

/* check_from_trace() of runtime/check/check.h */
typedef int from_trace(const char *trace_path, const char *report_path, const char *json_path);

static from_trace *library_open(void)
{
    char *path = paths_get("lib/libvtegra.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
    from_trace *function = NULL;

    symbol = library ? dlsym(library, "check_from_trace") : NULL;
    if (!symbol) {
        cmd_error(CMD, "%s: this vtegra is not completely installed", dlerror());
    }
    memcpy(&function, &symbol, sizeof(function));
    g_free(path);
    return function;
}

/* "-" is stdout. */
static gboolean output_check(const char *option, const char *path)
{
    return !path || strcmp(path, "-") == 0 ||
           cmd_output_check(CMD, option, path, "the trace was not read");
}

int cmd_report(int argc, char **argv)
{
    char *report = NULL, *json = NULL;
    const GOptionEntry entries[] = {
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &report, "the report as text (stdout)", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "the report as JSON", "FILE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    from_trace *function;
    int status = CMD_USAGE;

    if (!cmd_options(CMD, "TRACE - the report of a trace file", description, entries, FALSE, &argc,
                     &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2) {
        cmd_error(CMD, "one trace file, please; see vtegra report --help");
    } else if (!output_check("report", report) || !output_check("json", json)) {
        status = CMD_FAILED;
    } else {
        function = library_open();
        status = !function ? CMD_FAILED : function(argv[1], report, json) < 0 ? CMD_FOUND : CMD_OK;
    }
    g_free(report);
    g_free(json);
    return status;
}

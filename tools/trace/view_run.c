/* SPDX-License-Identifier: MIT */
#include "tools/trace/view_run.h"

#include <sys/wait.h>

#include <glib/gstdio.h>

#include "tools/cmd.h"

/* An empty file of this user's alone. NULL after a line on stderr. */
static char *trace_make(void)
{
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    int fd = g_file_open_tmp("vtegra-view-XXXXXX.trace", &path, &error);

    if (fd < 0) {
        cmd_error("view", "no file for the trace: %s", error->message);
        return NULL;
    }
    g_close(fd, NULL);
    return path;
}

/* Return: the exit status of vtegra run. */
static int program_run(const char *soc, const char *trace, char **program)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "VTEGRA_TRACE_CLASSES", "all", TRUE);
    g_autoptr(GError) error = NULL;
    int status = 0;

    for (const char *const *word = (const char *const[]){ self, "run", "--quiet", "--trace", trace,
                                                          soc ? "--soc" : NULL, soc, NULL };
         *word; word++) {
        g_ptr_array_add(argv, (char *)*word);
    }
    g_ptr_array_add(argv, (char *)"--");
    for (; *program; program++) {
        g_ptr_array_add(argv, *program);
    }
    g_ptr_array_add(argv, NULL);
    if (!g_spawn_sync(NULL, (char **)argv->pdata, env, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                      NULL, NULL, &status, &error)) {
        cmd_error("view", "cannot start vtegra run: %s", error->message);
        return CMD_FAILED;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void view_run_forget(char *trace)
{
    if (trace) {
        g_unlink(trace);
        g_free(trace);
    }
}

char *view_run_record(const char *soc, char **program)
{
    char *trace = trace_make();
    int status = trace ? program_run(soc, trace, program) : CMD_FAILED;

    /* vtegra run has said why. */
    if (trace && (status == CMD_FAILED || status == CMD_NOT_RUN || status == CMD_NOT_FOUND)) {
        view_run_forget(g_steal_pointer(&trace));
    }
    return trace;
}

/* SPDX-License-Identifier: MIT */
/* vtegra view -- PROGRAM: a run with every access recorded. */
#ifndef TOOLS_VIEW_RUN_H
#define TOOLS_VIEW_RUN_H

#include <glib.h>

/**
 * view_run_record - run a program once with every access in its trace
 * @soc: NULL: the default of vtegra run
 * @program: name and arguments, NULL at the end
 *
 * The program's own exit status does not matter: a run that fails has the findings to show.
 *
 * Return: the trace's path, to be removed with view_run_forget(); NULL after a line on stderr
 */
char *view_run_record(const char *soc, char **program);

/** view_run_forget - remove the trace and free its path; NULL does nothing */
void view_run_forget(char *trace);

#endif

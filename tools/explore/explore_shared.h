/* SPDX-License-Identifier: MIT */
/* A run of several processes on one board: `vtegra explore --shared`. */
#ifndef TOOLS_EXPLORE_SHARED_H
#define TOOLS_EXPLORE_SHARED_H

#include "tools/explore/explore.h"

/**
 * struct explore_shared_run - one seed
 * @output: the file to which all processes print; @folder: where each writes its report
 */
struct explore_shared_run {
    const struct explore *explore;
    guint64 seed;
    const char *output, *folder;
};

/* A new folder for reports, to g_free(). NULL after a line on stderr. */
char *explore_shared_folder(void);
void explore_shared_clear(const char *folder);
/* Paths of the reports in it, in any order. */
GPtrArray *explore_shared_reports(const char *folder);

/**
 * explore_shared_begin - begin a run
 * @to: where a struct forkserver_result is written when all its processes have ended
 * Return: the process that waits for them, which is to be waited for; -1 after a line on stderr.
 */
pid_t explore_shared_begin(const struct explore_shared_run *run, int to);

#endif

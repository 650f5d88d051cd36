/* SPDX-License-Identifier: MIT */
/* The verbs of vtegra dla, one file each. argv[0] is the verb; the exit status is returned. */
#ifndef TOOLS_DLA_H
#define TOOLS_DLA_H

int dla_inspect(int argc, char **argv);
int dla_build(int argc, char **argv);
int dla_run(int argc, char **argv);
int dla_diff(int argc, char **argv);

#endif

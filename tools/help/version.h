/* SPDX-License-Identifier: MIT */
/* What vtegra --version prints: docs/stability.md. */
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

/* To stdout: version, commit, and the versions of the files that programs read. */
void version_print(void);

#endif

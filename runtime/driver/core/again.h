/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_CORE_AGAIN_H
#define RUNTIME_DRIVER_CORE_AGAIN_H

/* The command that makes this run again, for findings; g_free() it. NULL where there is none: the
 * program was not started by the loader. */
char *again_text(void);
/* The command that tries many orders of the program's threads; the same. */
char *again_explore_text(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Does a thread of this process sleep? As proc_pid_stat(5) and its neighbours have it. */
#ifndef SCHED_ASLEEP_H
#define SCHED_ASLEEP_H

#include <stddef.h>
#include <sys/types.h>

#include "sched/sched.h" /* asleep_state() and its neighbours */

/* A file of the thread in /proc. Return: its length, 0: none. */
size_t asleep_file(pid_t tid, const char *name, char *text, size_t size);

#endif

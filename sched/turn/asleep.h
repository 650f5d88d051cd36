/* SPDX-License-Identifier: MIT */
/* Does a thread of this process sleep? As proc_pid_stat(5) and its neighbours have it. */
#ifndef SCHED_ASLEEP_H
#define SCHED_ASLEEP_H

#include <stddef.h>
#include <sys/types.h>

#include "sched/sched.h" /* asleep_state() and its neighbours */

/* A file of the thread in /proc. Return: its length, 0: none. */
size_t asleep_file(pid_t tid, const char *name, char *text, size_t size);

/* As asleep_state(), of a thread of another process; or it waits for a child of vfork(). */
uint64_t asleep_process(pid_t pid, pid_t tid);

/* The signals that do not end process @pid: its first thread blocks them, or the process ignores or
 * handles them; bit n is signal n + 1. Return: false: there is no such process. */
bool asleep_signals(pid_t pid, uint64_t *kept);

#endif

/* SPDX-License-Identifier: MIT */
/* Does a thread of this process sleep? As proc_pid_stat(5) and its neighbours have it. */
#ifndef RUNTIME_SCHED_ASLEEP_H
#define RUNTIME_SCHED_ASLEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file of the thread in /proc. Return: its length, 0: none. */
size_t asleep_file(pid_t tid, const char *name, char *text, size_t size);

/* It has ended, and is still listed. */
bool asleep_for_good(pid_t tid);

/* A number that changes whenever the thread has run; 0: it does not sleep now. */
uint64_t asleep_state(pid_t tid);

/* It sleeps for a time and nothing else, and goes on by itself. */
bool asleep_for_a_time(pid_t tid);

#endif

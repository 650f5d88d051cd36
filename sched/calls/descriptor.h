/* SPDX-License-Identifier: MIT */
/* Waits for descriptors: shared by read_write.c, poll.c, signal.c. */
#ifndef SCHED_DESCRIPTOR_H
#define SCHED_DESCRIPTOR_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Until one of @fds is ready. @mask: of ppoll(2) and its kind, or NULL; @interrupts: a signal
 * handler ends it. Return: false when the time is over. */
bool descriptors_wait(struct thread *self, struct pollfd *fds, nfds_t n, uint64_t until_ns,
                      uintptr_t pc, bool interrupts, const sigset_t *mask);
/* Until @fd is ready, where threads take turns and the call at @pc is the program's. */
void descriptor_wait(int fd, short events, uintptr_t pc);
/* A call on such a descriptor never blocks; a program that repeats it must let other threads run,
 * which happens here. */
bool descriptor_is_nonblocking(int fd);

/* Signals that are delivered while @mask is the thread's, and are not ignored, into @set. */
void descriptor_signals_let_in(const sigset_t *mask, sigset_t *set);

#endif

/* SPDX-License-Identifier: MIT */
/* What threads hand each other through the kernel: who has read what another wrote comes after it.
 *
 * A pipe is an object of its own. All that cannot be distinguished by fstat(2) (the two ends of a
 * socket, eventfds) is one object, and so is what poll(2) and its kind say of any descriptor: an
 * order too many hides a race, one too few accuses a program that is right. Regular files, block
 * and character devices order nothing, and neither does what a signal handler of the program reads
 * and writes: POSIX lets it (2.4.3), but an order takes locks and memory to keep.
 */
#ifndef SCHED_HANDOVER_H
#define SCHED_HANDOVER_H

#include <stdint.h>

/* Before a write to @fd, or its close, at @pc; and after a read. */
void handover_give(int fd, uintptr_t pc);
void handover_take(int fd, uintptr_t pc);
/* poll(2) or its like has said that @n descriptors are ready. */
void handover_seen(int n, uintptr_t pc);
/* Before @sig is sent to the process or one of its threads, and after sigwait(3) or its like has
 * taken it. Each number is an object of its own; a read of a signalfd(2) comes after all that were
 * sent. What a handler does comes after nothing. */
void handover_signal_give(int sig, uintptr_t pc);
void handover_signal_take(int sig, uintptr_t pc);

#endif

/* SPDX-License-Identifier: MIT */
/* Memory that is closed to the CPU because work on its way may touch it: each access faults, is
 * reported to the checker as a hook's would be, and is carried out where the model has the same
 * pages mapped, so that they stay closed for other threads. What cannot be carried out there is
 * stepped, with the pages open for that one instruction.
 *
 * For programs without compiler hooks, on x86-64, under `vtegra run`. */
#ifndef RUNTIME_OBSERVE_CLOSED_H
#define RUNTIME_OBSERVE_CLOSED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/hal.h"

struct check;
struct closed;

enum closed_how { CLOSED_OPEN, CLOSED_READABLE, CLOSED_SHUT };
/* With closed_curious(). SURE: an access to the page is most likely a mistake. LINES: which lines
 * of it the CPU's caches get is of interest. PLAIN: also where memory is not cached, each access
 * is, not the atomic ones alone. */
#define CLOSED_PLAIN 16u
#define CLOSED_SURE 8u
#define CLOSED_LINES 4u

/* Can pages be closed, and is it of use? @c: NULL: no. */
bool closed_wanted(const struct check *c);

/* Is there memory that may be closed? */
bool closed_any(void);

/* All of @mem, an allocation or the pages of one that can be closed, is open. @alias:
 * hal_mem_alias() of it. NULL: there is no memory. */
struct closed *closed_new(const struct hal_mem *mem, void *alias);
/* What each page is open for from now on: enum closed_how, one byte a page. */
void closed_set(struct closed *closed, const uint8_t *want);
/* The same of memory with no work on its way, where it is of interest which instructions access it:
 * all is open again after some accesses by such as are known. @how: one byte a page. Pages that are
 * CLOSED_SURE are opened apart, after accesses to them; of CLOSED_LINES each one alone, when a
 * known instruction accesses it: a load counts as one of the whole page then. */
void closed_curious(struct closed *closed, const uint8_t *how);
/* Has an access found the page closed, and was it another than the access before? (A load of one
 * place again and again waits for a flag.) Forget: none has. */
bool closed_touched(const struct closed *closed, size_t page);
void closed_touched_forget(struct closed *closed);
/* Has a store found some of it closed? Forget: none has. */
bool closed_stored(const struct closed *closed);
void closed_stored_forget(struct closed *closed);
/* It is open, and about to be freed. */
void closed_free(struct closed *closed);
/* What lies there is a flag: machine code does not show that the CPU's accesses to it are atomic.
 */
void closed_flag(uintptr_t at);

/* The pages of [@at, @at + @len) are about to be replaced by others with the same bytes, or have
 * been (@len 0): stores of other threads there wait meanwhile. */
void closed_moving(const void *at, size_t len);

/* When the board is up. Return: SIGTRAP is to come to closed_stepped(). */
bool closed_install(struct check *c);
/* In the handler of SIGSEGV. Return: true for such a page: the handler returns to the program. */
bool closed_fault(struct check *c, void *address, bool write, ucontext_t *context);
/* In that of SIGTRAP. Return: it was a step of ours. */
bool closed_stepped(ucontext_t *context);
/* The signal in @context is the program's: a step that it ended is over. */
void closed_step_cancel(ucontext_t *context);

/* Where a call of the C library may read and write [@at, @at + @len), now and later. */
void *closed_for_call(void *at, size_t len);
/* A call that is given memory by other ways begins or ends: all is open meanwhile. */
void closed_open(bool on);
/* The kernel is about to access memory in ways that no call names: all is open from now on. */
void closed_unseen(const char *by);
/* The program has given memory a protection of its own, which goes on while pages are closed, and
 * behind that. Is an access to @at what that forbids? */
void closed_own(const void *at, size_t len, int protection);
bool closed_own_forbids(const void *at, bool write);
/* Such a call, made at @pc, has written, or is about to read: reported, if some of it is closed. */
void closed_by_call(const void *at, size_t len, bool write, uintptr_t pc);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by closed.c, which closes pages, and closed_access.c, which does what was kept out. */
#ifndef RUNTIME_OBSERVE_CLOSED_INTERNAL_H
#define RUNTIME_OBSERVE_CLOSED_INTERNAL_H

#include "runtime/observe/closed.h"

struct check_caller;

#define PAGE ((uintptr_t)HAL_PAGE)

enum touched { TOUCHED_NOT, TOUCHED_ONCE, TOUCHED_POLLED };

/**
 * struct closed - pages of one allocation
 * @alias: the model's own mapping of what the CPU sees
 * @want, @is: enum closed_how of each page; @is is what mprotect() was given last, where @own, the
 * program's, is not more; @has_own: it was for some
 * @steps: threads that step over an access to it, so that it is open
 * @curious: as @want, but of closed_curious(); @flags: CLOSED_SURE, CLOSED_LINES of it
 * @touched: enum touched of each page; @touch_pc, @touch_at: the last access that found one closed
 * @known, @looked: accesses there since: in a row by instructions that are known, and all; [1]:
 * where it is CLOSED_SURE. @stored: a store has found some of it closed
 */
struct closed {
    struct hal_mem mem;
    char *alias;
    size_t pages;
    uint8_t *want, *is, *steps, *curious, *flags, *touched, *own;
    uintptr_t touch_pc, touch_at;
    unsigned known[2], looked[2];
    bool stored, has_own;
};

/* Of all of them; with all signals blocked, for code that touches no memory of the program but by
 * closed_alias(). */
void closed_busy_take(void);
void closed_busy_leave(void);

/* Busy: */
struct closed *closed_find(uintptr_t at); /* NULL: none */
void closed_protect(struct closed *w, size_t page, size_t n, uint8_t how);
uint8_t closed_want(const struct closed *w, size_t page);
/* In a child of fork(): @w is its own from now on, or shared with the parent as the program left
 * it.
 * @where: of the access, NULL: of a call that is under way */
void closed_child_opens(struct closed *w, uintptr_t at, bool write,
                        const struct check_caller *where);
/* closed_near.c. Without the lock: may there be some at @at? */
void closed_near_add(uintptr_t at, size_t len);
bool closed_near(uintptr_t at);
/* Without the lock: */
bool closed_is_moving(uintptr_t at);
bool closed_has_moved(uintptr_t at); /* perhaps: a fault there may be from then */
/* Busy: of closed_flag() */
bool closed_is_flag(uintptr_t at, size_t len);
/* Busy: the instruction at @pc has found @at closed. */
void closed_touch(struct closed *w, uintptr_t at, uintptr_t pc);
/* Busy: the instruction at @pc has accessed @at, on a page that work on its way does not close.
 * Return: it is open now, of CLOSED_LINES. */
bool closed_curious_seen(struct closed *w, uintptr_t at, uintptr_t pc);

static inline size_t closed_page(const struct closed *w, uintptr_t at)
{
    return (at - (uintptr_t)w->mem.cpu) / PAGE;
}

static inline void *closed_alias(const struct closed *w, uintptr_t at)
{
    return w->alias + (at - (uintptr_t)w->mem.cpu);
}

static inline bool closed_has(const struct closed *w, uintptr_t at, size_t len)
{
    uintptr_t offset = at - (uintptr_t)w->mem.cpu;

    return offset < w->mem.size && len <= w->mem.size - offset;
}

static inline bool closed_is_shut(const struct closed *w, uintptr_t at, size_t len, bool write)
{
    size_t end = closed_page(w, at + len - 1);

    for (size_t p = closed_page(w, at); p <= end; p++) {
        if (w->is[p] > (write ? CLOSED_OPEN : CLOSED_READABLE)) {
            return true;
        }
    }
    return false;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "runtime/observe/unhooked.h"

#include <link.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/last_call.h"
#include "runtime/observe/machine.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/user_frame.h"

/* A library that came with the system: memcpy() and its kind. */
static bool is_system(uintptr_t pc)
{
    static const char *const folders[] = { "/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/" };
    struct dl_find_object found;
    const char *name;

    if (_dl_find_object((void *)pc, &found) != 0 || !found.dlfo_link_map) {
        return false;
    }
    name = found.dlfo_link_map->l_name;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (strncmp(name, folders[i], strlen(folders[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_program(struct check *c, uintptr_t pc)
{
    return !is_system(pc) && !user_frame_foreign(c, pc);
}

/**
 * struct walk - up the stack to the program
 * @from: the return address at which it begins, or the instruction that faulted, which is passed
 * @found: a return address; 0: no frame is the program's
 */
struct walk {
    struct check *check;
    uintptr_t from;
    bool faulted, begun, ours;
    unsigned frames;
    uintptr_t found;
};

#define FRAMES 4096u /* qsort() calls itself, and so may what it calls */

/* Return: it is the last one that is looked at. */
static bool walk_ends(struct walk *w, uintptr_t pc)
{
    if (last_call_from(pc)) {
        w->found = last_call_place(w->check, pc, is_program);
        return true;
    }
    w->ours = caller_pc_is_ours(pc);
    if (!w->ours && is_program(w->check, pc)) {
        w->found = pc;
    }
    return w->ours || w->found;
}

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *opaque)
{
    struct walk *w = opaque;
    uintptr_t pc = _Unwind_GetIP(context);
    bool first = !w->begun && pc == w->from;

    w->begun = w->begun || first;
    if (!w->begun || (first && w->faulted)) {
        return _URC_NO_REASON;
    }
    return pc == 0 || w->frames++ == FRAMES || walk_ends(w, pc) ? _URC_END_OF_STACK
                                                                : _URC_NO_REASON;
}

/* Return: 0: the access is ours. */
static uintptr_t unhooked_walk(struct check *c, uintptr_t pc, bool faulted)
{
    struct walk w = { .check = c, .from = pc, .faulted = faulted };

    _Unwind_Backtrace(walk_frame, &w);
    return w.ours ? 0 : w.found ? w.found : pc + faulted;
}

#ifdef __x86_64__
/* The walk up from a function of the C library, again and again for one call of it: as long as the
 * stack is as it was there. */
static _Thread_local struct {
    uintptr_t pc, sp, word, found;
} last __attribute__((tls_model("initial-exec")));

/* As a hook's return address, which lookups subtract one from. Return: 0: the access is ours. */
static uintptr_t place_of(struct check *c, const ucontext_t *context)
{
    uintptr_t pc = machine_pc(context), sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], word;

    if (caller_pc_is_ours(pc + 1)) {
        return 0;
    }
    if (is_program(c, pc + 1)) {
        return pc + 1;
    }
    memcpy(&word, (const void *)sp, sizeof(word));
    if (last.pc != pc || last.sp != sp || last.word != word) {
        last.found = unhooked_walk(c, pc, true);
        last.pc = pc;
        last.sp = sp;
        last.word = word;
    }
    return last.found;
}
#else
static uintptr_t place_of(struct check *c, const ucontext_t *context)
{
    return is_program(c, machine_pc(context) + 1) ? machine_pc(context) + 1
                                                  : unhooked_walk(c, machine_pc(context), true);
}
#endif

/* As of a hook (hook.c): the thread may be in the board, the checker, malloc() or the scheduler. A
 * child of fork() has no checker. */
static bool unhooked_is_ignored(const struct check *c)
{
    const struct vtegra_sched *sched = check_sched();

    return check_hooked() || (sched && sched->busy()) || c->pid != getpid();
}

static void unhooked_report(struct check *c, const void *at, size_t len, enum access_kind kind,
                            uintptr_t pc)
{
    uintptr_t outer = hook_pc;

    check_enter();
    hook_pc = pc;
    hal_cpu_access(c->hal, at, len, kind);
    hook_pc = outer;
    check_leave();
}

/* As of a hook: a switch point, and loads of one place again and again are a loop that waits. */
static void unhooked_point(const void *at, enum access_kind kind, uintptr_t pc)
{
    const struct vtegra_sched *sched = check_sched();

    if (sched) {
        sched->point((kind & ~ACCESS_SYNC) == ACCESS_LOAD ? SCHED_LOAD : SCHED_STORE, at, pc);
    }
}

void unhooked_access(struct check *c, const void *at, size_t len, enum access_kind kind,
                     const ucontext_t *context, bool in_use)
{
    uintptr_t pc;

    if (!c || unhooked_is_ignored(c)) {
        return;
    }
    check_enter();
    pc = place_of(c, context);
    check_leave();
    if (pc && in_use) {
        unhooked_point(at, kind, pc);
    }
    if (pc) {
        unhooked_report(c, at, len, kind, pc);
    }
}

/* A library that came with the system has made the call: std::ostream::write(). Or the program has,
 * as the last thing of a function. */
static uintptr_t call_place(struct check *c, uintptr_t pc)
{
    uintptr_t place = pc;

    if (caller_pc_is_ours(pc) ? last_call_from(pc) : !is_program(c, pc)) {
        check_enter();
        place = unhooked_walk(c, pc, false);
        check_leave();
    }
    return place;
}

void unhooked_call(struct check *c, const void *at, size_t len, enum access_kind kind, uintptr_t pc)
{
    uintptr_t place = c && !unhooked_is_ignored(c) ? call_place(c, pc) : 0;

    if (place && !caller_pc_is_ours(place)) {
        unhooked_report(c, at, len, kind, place);
    }
}

/* SPDX-License-Identifier: MIT */
#include "runtime/observe/unhooked.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/check_internal.h"
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

static uintptr_t unhooked_walk(struct check *c, uintptr_t pc)
{
    struct check_caller caller = caller_from_signal(pc);

    for (unsigned i = 1; i < CHECK_CALLER_DEPTH && caller.pc[i]; i++) {
        if (caller_pc_is_ours(caller.pc[i])) {
            return 0;
        }
        if (is_program(c, caller.pc[i])) {
            return caller.pc[i];
        }
    }
    return pc + 1;
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
        last.found = unhooked_walk(c, pc);
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
                                                  : unhooked_walk(c, machine_pc(context));
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

/* A library that came with the system has made the call: std::ostream::write(). */
static uintptr_t call_place(struct check *c, uintptr_t pc)
{
    struct check_caller caller;

    if (is_program(c, pc)) {
        return pc;
    }
    check_enter();
    caller = check_caller_get();
    check_leave();
    for (unsigned i = 0; i < CHECK_CALLER_DEPTH && caller.pc[i]; i++) {
        if (is_program(c, caller.pc[i])) {
            return caller.pc[i];
        }
    }
    return pc;
}

void unhooked_call(struct check *c, const void *at, size_t len, enum access_kind kind, uintptr_t pc)
{
    if (c && !unhooked_is_ignored(c) && !caller_pc_is_ours(pc)) {
        unhooked_report(c, at, len, kind, call_place(c, pc));
    }
}

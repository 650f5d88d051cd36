/* SPDX-License-Identifier: MIT */
/* Where the application called us from: return addresses outside our own libraries.
 *
 * _dl_find_object() (glibc 2.35) names the library of an address without a lock and without
 * touching symbol tables, and libgcc's unwinder uses it too: about 0.2 us a frame.
 */
#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <unwind.h>

#include "runtime/observe/caller.h"

/* Our libraries, and those that a call of ours comes through. */
bool caller_name_is_ours(const char *path)
{
    static const char *const ours[] = { "libvtegra", "libcuda.so", "libcudart.so",  "libcudla.so",
                                        "libnvsci",  "libnvmedia", "libEGL_vtegra", "libcublas",
                                        "libcufft",  "libcurand",  "libcusparse",   "libcusolver",
                                        "libnvbuf" };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (strncmp(name, ours[i], strlen(ours[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Of the program and of libraries of its own, each with a runtime linked into it. */
#define LINKED 16u
static struct {
    atomic_uintptr_t start, stop;
} linked[LINKED];
static atomic_uint n_linked;

void check_own_code(const void *start, const void *stop)
{
    unsigned i = atomic_fetch_add(&n_linked, 1);

    if (i < LINKED) {
        atomic_store(&linked[i].start, (uintptr_t)start);
        atomic_store(&linked[i].stop, (uintptr_t)stop);
    }
}

static bool is_linked(uintptr_t pc)
{
    unsigned n = atomic_load_explicit(&n_linked, memory_order_relaxed);

    for (unsigned i = 0; i < n && i < LINKED; i++) {
        if (pc > atomic_load_explicit(&linked[i].start, memory_order_relaxed) &&
            pc <= atomic_load_explicit(&linked[i].stop, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/* @ours: known to be, as long as one of its functions is on the stack: it stays loaded. */
struct object {
    uintptr_t start, end;
};

static bool pc_is_ours(uintptr_t pc, struct object *ours)
{
    struct dl_find_object found;

    if (is_linked(pc) || (pc >= ours->start && pc < ours->end)) {
        return true;
    }
    if (_dl_find_object((void *)pc, &found) != 0 || !found.dlfo_link_map ||
        !caller_name_is_ours(found.dlfo_link_map->l_name)) {
        return false;
    }
    *ours = (struct object){ (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end };
    return true;
}

bool caller_pc_is_ours(uintptr_t pc)
{
    return pc_is_ours(pc, &(struct object){ 0 });
}

/**
 * struct memo - a walk of this thread
 * @frame: how deep the stack was, @limit: and of how many places
 * @slot: where return addresses stood; @n of them, 0: not known
 */
#define SLOTS 32u
#define MEMOS 8u
struct memo {
    uintptr_t frame;
    unsigned limit, n;
    struct {
        const uintptr_t *at;
        uintptr_t is;
    } slot[SLOTS];
    struct check_caller caller;
};

struct walk {
    struct check_caller *caller;
    unsigned count, limit, skip;
    struct object ours;
    struct memo memo;
};

/* Of each thread. Not thread local: for those who load us late there is little room for that. */
static GPrivate memos = G_PRIVATE_INIT(g_free);

static struct memo *memo_of(uintptr_t frame, uintptr_t back)
{
    struct memo *mine = g_private_get(&memos);

    if (!mine) {
        mine = g_new0(struct memo, MEMOS);
        g_private_set(&memos, mine);
    }
    return &mine[(frame / 16 ^ back ^ back >> 5) % MEMOS];
}

/* Taken instead of a walk, which takes some microseconds, if the stack is as deep as at one before
 * and all its return addresses stand where that one found them: a loop that calls us (test_caller).
 */
static bool memo_holds(const struct memo *m, uintptr_t frame, unsigned limit)
{
    bool holds = m->n > 0 && m->frame == frame && m->limit == limit;

    for (unsigned i = 0; holds && i < m->n; i++) {
        holds = *m->slot[i].at == m->slot[i].is;
    }
    return holds;
}

/* @sp: of the function that @pc returns to. Only on x86-64 that says where @pc was read. */
static void memo_add(struct memo *m, uintptr_t pc, uintptr_t sp)
{
#ifdef __x86_64__
    const uintptr_t *at = (const uintptr_t *)sp - 1;
    bool known_place = m->n < SLOTS && *at == pc;
#else
    const uintptr_t *at = NULL;
    bool known_place = false;

    (void)sp;
#endif
    if (known_place) {
        m->slot[m->n].at = at;
        m->slot[m->n++].is = pc;
    } else {
        m->n = SLOTS + 1;
    }
}

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *opaque)
{
    struct walk *w = opaque;
    uintptr_t pc = _Unwind_GetIP(context);

    if (w->skip < 2 && pc != 0) { /* the first one is of walk() itself, which will have returned */
        memo_add(&w->memo, pc, _Unwind_GetCFA(context));
    }
    if (w->skip > 0) {
        w->skip--;
        return _URC_NO_REASON;
    }
    if (pc == 0) {
        return _URC_END_OF_STACK;
    }
    if (w->count == 0 && pc_is_ours(pc, &w->ours)) {
        w->caller->entry = pc;
        return _URC_NO_REASON;
    }
    w->caller->pc[w->count++] = pc;
    return w->count < w->limit ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Frames 0 and 1 are this function and its caller here: not interesting even where this code is
 * part of the program (tests). */
static __attribute__((noinline)) void walk(struct check_caller *caller, unsigned limit)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct memo *m = memo_of(frame, (uintptr_t)__builtin_return_address(0));
    struct walk w = {
        .caller = caller, .limit = limit, .skip = 2, .memo = { .frame = frame, .limit = limit }
    };

    if (memo_holds(m, frame, limit)) {
        *caller = m->caller;
        return;
    }
    _Unwind_Backtrace(walk_frame, &w);
    if (w.memo.n <= SLOTS) {
        *m = w.memo;
        m->caller = *caller;
    }
}

__attribute__((noinline)) struct check_caller check_caller_get(void)
{
    struct check_caller caller = { 0 };

    walk(&caller, CHECK_CALLER_DEPTH);
    return caller;
}

__attribute__((noinline)) uintptr_t check_caller_pc(void)
{
    struct check_caller caller = { 0 };

    walk(&caller, 1);
    return caller.pc[0];
}

struct after_signal {
    struct check_caller *caller;
    uintptr_t pc;
    unsigned count;
};

static _Unwind_Reason_Code after_signal_frame(struct _Unwind_Context *context, void *opaque)
{
    struct after_signal *w = opaque;
    uintptr_t pc = _Unwind_GetIP(context);

    if (w->count == 0 && pc != w->pc) {
        return _URC_NO_REASON; /* the handler's own frames and the signal trampoline */
    }
    if (pc == 0) {
        return _URC_END_OF_STACK;
    }
    /* The faulting instruction itself, not the one behind it: lookups subtract one. */
    w->caller->pc[w->count] = w->count == 0 ? pc + 1 : pc;
    w->count++;
    return w->count < CHECK_CALLER_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

struct check_caller caller_from_signal(uintptr_t pc)
{
    struct check_caller caller = { 0 };
    struct after_signal w = { .caller = &caller, .pc = pc };

    _Unwind_Backtrace(after_signal_frame, &w);
    if (caller.pc[0] == 0) {
        caller.pc[0] = pc + 1;
    }
    return caller;
}

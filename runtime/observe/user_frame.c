/* SPDX-License-Identifier: MIT */
/* Templates of the C++ library are compiled with hooks as the program is, and at -O0 each is a
 * function of its own: an access in it is at a line of the library's header, which many lines of
 * the program share. Its place is the line that called, so the stack is looked at while it is
 * there: at each such access, because by the time of a finding the other side's is gone.
 *
 * Whether an address is the program's is asked once. The others pay for nothing else, and a loop
 * inside of a template for one walk: as long as the return addresses stand where the walk found
 * them, and we as deep as then, they are what another one would find.
 */
#include "runtime/observe/user_frame.h"

#include <glib.h>
#include <stdatomic.h>
#include <unwind.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/source.h"

#define KNOWN 8192u
#define PROBES 32u
#define DEPTH 64u /* frames beyond the access */

/* Addresses, times two, plus 1 for those of system headers. */
static atomic_uintptr_t known[KNOWN];

bool user_frame_foreign(struct check *c, uintptr_t pc)
{
    unsigned at = (unsigned)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40), i;
    bool foreign;

    for (i = 0; i < PROBES; i++) {
        uintptr_t seen = atomic_load_explicit(&known[(at + i) % KNOWN], memory_order_relaxed);

        if (seen >> 1 == pc) {
            return seen & 1;
        }
        if (!seen) {
            break;
        }
    }
    check_lock(c);
    foreign = source_place(&(struct check_caller){ .pc = { pc } })->foreign;
    check_unlock(c);
    if (i < PROBES) { /* another thread's answer may go: it is asked again */
        atomic_store_explicit(&known[(at + i) % KNOWN], pc << 1 | foreign, memory_order_relaxed);
    }
    return foreign;
}

/**
 * struct memo - a walk
 * @frame: how deep the stack was
 * @slot: where return addresses stood, from @pc to @found; @n of them, 0: not known
 */
#define SLOTS 12u
#define MEMOS 8u
struct memo {
    uintptr_t pc, frame, found;
    unsigned n;
    struct {
        const uintptr_t *at;
        uintptr_t is;
    } slot[SLOTS];
};

/* Of each thread. Not thread local: for those who load us late there is little room for that. */
static GPrivate memos = G_PRIVATE_INIT(g_free);

static struct memo *memo_of(uintptr_t pc)
{
    struct memo *mine = g_private_get(&memos);

    if (!mine) {
        mine = g_new0(struct memo, MEMOS);
        g_private_set(&memos, mine);
    }
    return &mine[(pc ^ pc >> 5) % MEMOS];
}

static bool memo_holds(const struct memo *m, uintptr_t pc, uintptr_t frame)
{
    bool holds = m->n > 0 && m->pc == pc && m->frame == frame;

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

struct search {
    struct check *check;
    struct memo memo;
    bool inside; /* the access was passed */
    unsigned frames;
};

static _Unwind_Reason_Code user_frame_look(struct _Unwind_Context *context, void *opaque)
{
    struct search *s = opaque;
    uintptr_t pc = _Unwind_GetIP(context);

    if (pc == 0 || s->frames == DEPTH) {
        return _URC_END_OF_STACK;
    }
    if (s->inside) {
        s->frames++;
        s->memo.found = user_frame_foreign(s->check, pc) ? 0 : pc;
    }
    s->inside = s->inside || pc == s->memo.pc;
    if (s->inside) {
        memo_add(&s->memo, pc, _Unwind_GetCFA(context));
    }
    return s->memo.found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* A function of its own, for the depth of the stack is part of what it finds again. */
static __attribute__((noinline)) uintptr_t user_frame_walk(struct check *c, uintptr_t pc)
{
    struct search s = { .check = c,
                        .memo = { .pc = pc, .frame = (uintptr_t)__builtin_frame_address(0) } };
    struct memo *m = memo_of(pc);

    if (memo_holds(m, pc, s.memo.frame)) {
        return m->found;
    }
    _Unwind_Backtrace(user_frame_look, &s);
    if (s.memo.found && s.memo.n <= SLOTS) {
        *m = s.memo;
    }
    return s.memo.found ? s.memo.found : pc;
}

uintptr_t user_frame_pc(struct check *c, uintptr_t pc, bool *many)
{
    *many = c && user_frame_foreign(c, pc);
    return *many ? user_frame_walk(c, pc) : pc;
}

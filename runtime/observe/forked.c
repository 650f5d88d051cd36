/* SPDX-License-Identifier: MIT */
#include "runtime/observe/forked.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/source.h"

#define TOUCHES 32u /* regions of one run */

/* Shared by the parent and its children, with the same code at the same addresses. @region: written
 * last; 0: not yet */
struct touches {
    atomic_uint n;
    struct touch {
        atomic_uint region;
        struct check_caller where, made;
    } all[TOUCHES];
};

static struct touches *touches;
static struct check_caller made; /* the latest fork() */
static bool child;

void forked_open(void)
{
    void *at;

    if (touches) {
        return;
    }
    at = mmap(NULL, sizeof(*touches), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    touches = at == MAP_FAILED ? NULL : at;
}

void forked_before(void)
{
    if (!child) {
        made = check_caller_get();
    }
}

void forked_child(void)
{
    child = true;
}

bool forked_is_child(void)
{
    return child;
}

void forked_touched(uint32_t region, const struct check_caller *where)
{
    unsigned n = touches ? atomic_load(&touches->n) : TOUCHES, mine;

    for (unsigned i = 0; i < n && i < TOUCHES; i++) {
        if (atomic_load(&touches->all[i].region) == region) {
            return;
        }
    }
    if (n >= TOUCHES) {
        return;
    }
    mine = atomic_fetch_add(&touches->n, 1);
    if (mine < TOUCHES) {
        touches->all[mine].where = *where;
        touches->all[mine].made = made;
        atomic_store(&touches->all[mine].region, region);
    }
}

/* The program's call of fork(), without the C library's frames below it. */
static const char *made_text(const struct check_caller *all)
{
    for (unsigned i = 0; i < CHECK_CALLER_DEPTH && all->pc[i]; i++) {
        struct check_caller one = { .pc = { all->pc[i] } };

        if (!caller_pc_is_ours(all->pc[i]) && !source_place(&one)->foreign) {
            return source_place(&one)->text;
        }
    }
    return source_place(all)->text;
}

void forked_notes(struct check *c)
{
    unsigned n = touches ? atomic_load(&touches->n) : 0;

    for (unsigned i = 0; i < n && i < TOUCHES; i++) {
        const struct touch *t = &touches->all[i];
        struct note note;

        if (atomic_load(&t->region)) {
            note_init(&note, "forked");
            note_u64(&note, "id", atomic_load(&t->region));
            note_str(&note, "where", source_place(&t->where)->text);
            note_str(&note, "made", made_text(&t->made));
            checker_note(c->checker, &note);
        }
    }
}

/* SPDX-License-Identifier: MIT */
#include "runtime/observe/range.h"

#include "runtime/observe/check_internal.h"

#define NAME_MAX_BYTES 200 /* of one line of the trace */

void check_range(struct check *c, const struct check_range *range)
{
    g_autofree char *name = NULL;
    struct note n;

    if (!c) {
        return;
    }
    name = range->name ? g_strndup(range->name, NAME_MAX_BYTES) : NULL;
    check_lock(c);
    if (!c->closed) {
        note_init(&n, "range");
        note_str(&n, "phase", range->phase);
        note_str(&n, "domain", range->domain);
        note_str(&n, "name", name);
        note_u64(&n, "thread", range->thread);
        if (range->id) {
            note_u64(&n, "id", range->id);
        }
        checker_note(c->checker, &n);
    }
    check_unlock(c);
}

void check_task(struct check *c, const char *api, uint32_t stream,
                const struct check_caller *caller)
{
    struct note n;

    if (!c) {
        return;
    }
    check_lock(c);
    if (!c->closed) {
        note_init(&n, "task");
        note_str(&n, "api", api);
        note_u64(&n, "stream", stream);
        api_notes_where(&n, caller);
        checker_note(c->checker, &n);
    }
    check_unlock(c);
}

void check_foreign(struct check *c)
{
    struct note n;

    if (!c) {
        return;
    }
    check_lock(c);
    if (!c->closed && !c->foreign) {
        c->foreign = true;
        note_init(&n, "foreign");
        checker_note(c->checker, &n);
    }
    check_unlock(c);
}

static void note_of(struct check *c, const char *name, const char *key, uint32_t number)
{
    struct note n;

    if (!c) {
        return;
    }
    check_lock(c);
    if (!c->closed) {
        note_init(&n, name);
        note_u64(&n, key, number);
        checker_note(c->checker, &n);
    }
    check_unlock(c);
}

void check_process(struct check *c, uint32_t number)
{
    note_of(c, "process", "number", number);
}

void check_others(struct check *c)
{
    if (c) {
        check_lock(c);
        c->run->others = true;
        check_unlock(c);
    }
}

void check_shared(struct check *c, uint32_t region)
{
    note_of(c, "shared", "id", region);
}

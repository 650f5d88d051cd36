/* SPDX-License-Identifier: MIT */
/* Notes of what was checked and what was not. */
#include <string.h>

#include "checker/run/run_internal.h"

static bool note_left_out(struct run *r, const struct note *n)
{
    r->left_out += note_num(n, "records") + note_num(n, "others");
    return true;
}

const char *const run_forgot_name[RUN_FORGOTS] = { "accesses", "waits", "work", "frames" };

static bool note_forgot(struct run *r, const struct note *n)
{
    const char *what = note_get(n, "what");

    for (unsigned i = 0; what && i < RUN_FORGOTS; i++) {
        r->forgot[i] += strcmp(what, run_forgot_name[i]) == 0 ? note_num(n, "times") : 0;
    }
    return true;
}

bool run_forgot_any(const struct run *r)
{
    for (unsigned i = 0; i < RUN_FORGOTS; i++) {
        if (r->forgot[i]) {
            return true;
        }
    }
    return false;
}

static bool note_watched(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "id"));

    if (region) {
        region->watched = true;
    }
    return true;
}

static bool note_unseen(struct run *r, const struct note *n)
{
    g_free(r->unseen);
    r->unseen = g_strdup(note_get(n, "by"));
    return true;
}

bool run_unchecked_note(struct run *r, const struct note *n)
{
    static const struct {
        const char *name;
        bool (*take)(struct run *r, const struct note *n);
    } takers[] = {
        { "left_out", note_left_out },
        { "forgot", note_forgot },
        { "watched", note_watched },
        { "unseen", note_unseen },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(takers); i++) {
        if (strcmp(n->name, takers[i].name) == 0) {
            return takers[i].take(r, n);
        }
    }
    return false;
}

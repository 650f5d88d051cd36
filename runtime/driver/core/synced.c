/* SPDX-License-Identifier: MIT */
/* What the application may rely on when it has waited for a fence, and who acts at that. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/notifier.h"

/* What a fence implies, though the stream that it is of was given it before that was known: the
 * body of a conditional node. */
struct implied {
    struct fence when;
    GArray *known;
};

static GArray *implied; /* struct implied, until the application knows @when */

void clock_imply(struct fence when, struct fence then, const GArray *known)
{
    struct implied i = { .when = when };

    if (!implied) {
        implied = g_array_new(FALSE, FALSE, sizeof(struct implied));
    }
    clock_merge(&i.known, known);
    clock_add(&i.known, then);
    g_array_append_val(implied, i);
}

static void implied_synced(void)
{
    for (guint n = implied ? implied->len : 0; n > 0; n--) {
        struct implied i = g_array_index(implied, struct implied, n - 1);

        if (fence_waited(i.when)) {
            g_array_remove_index(implied, n - 1);
            clock_synced(i.known);
            if (i.known) {
                g_array_unref(i.known);
            }
            n = implied->len + 1; /* it may imply more */
        }
    }
}

/* A call that waits returns, so the application may rely on it. */
void clock_synced(const GArray *known)
{
    clock_waited(known);
    for (guint i = 0; known && i < known->len; i++) {
        const struct fence *f = &g_array_index(known, struct fence, i);

        hal_note(core_hal(), HAL_NOTE_WAITED, f->id, f->threshold);
    }
    implied_synced();
    notify_synced();
}

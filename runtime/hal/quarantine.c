/* SPDX-License-Identifier: MIT */
#include "runtime/hal/quarantine.h"

void quarantine_init(struct quarantine *q, struct extents *from)
{
    q->from = from;
    q->held = g_array_new(FALSE, FALSE, sizeof(struct extent));
    q->bytes = 0;
}

void quarantine_clear(struct quarantine *q)
{
    if (q->held) {
        g_array_free(q->held, TRUE);
        q->held = NULL;
    }
}

static void release_oldest(struct quarantine *q)
{
    struct extent oldest = g_array_index(q->held, struct extent, 0);

    g_array_remove_index(q->held, 0);
    q->bytes -= oldest.len;
    extents_free(q->from, oldest.start, oldest.len);
}

void quarantine_add(struct quarantine *q, uint64_t at, uint64_t len)
{
    struct extent x = { at, len };

    g_array_append_val(q->held, x);
    q->bytes += len;
    while (q->held->len > QUARANTINE_RANGES || (q->bytes > QUARANTINE_BYTES && q->held->len > 1)) {
        release_oldest(q);
    }
}

bool quarantine_release(struct quarantine *q)
{
    bool any = q->held->len > 0;

    while (q->held->len) {
        release_oldest(q);
    }
    return any;
}

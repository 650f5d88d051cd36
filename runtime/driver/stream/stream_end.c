/* SPDX-License-Identifier: MIT */
/* Streams that end: destroyed, or with the thread that they belong to. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream_internal.h"

void stream_free(struct stream *s)
{
    capture_stream_gone(s);
    g_ptr_array_remove(streams_of(s->context)->all, s);
    managed_stream_gone(s->channel);
    channel_close(s->channel);
    handle_free(s->handle);
    if (s->known) {
        g_array_free(s->known, TRUE);
    }
    core_bury(s);
}

static void thread_gone(unsigned thread)
{
    for (unsigned i = 0; i < context_count(); i++) {
        GHashTable *of_thread = streams_of(context_nth(i))->of_thread;
        struct stream *s = g_hash_table_lookup(of_thread, GUINT_TO_POINTER(thread));

        if (s) {
            g_hash_table_remove(of_thread, GUINT_TO_POINTER(thread));
            stream_free(s);
        }
    }
}

void stream_end_init(void)
{
    notify_thread_gone_add(thread_gone);
}

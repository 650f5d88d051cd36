/* SPDX-License-Identifier: MIT */
/* Streams that end: destroyed, or with the thread that they belong to. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream_internal.h"

static void stream_gone(void *object)
{
    struct stream *s = object;

    capture_stream_gone(s);
    managed_stream_gone(s->channel);
    channel_close(s->channel);
    if (s->known) {
        g_array_free(s->known, TRUE);
    }
}

const struct object_kind stream_kind = {
    .name = "stream", .type = HANDLE_STREAM, .end = stream_gone, .free = core_bury
};

void stream_free(struct stream *s)
{
    object_unref(&s->base);
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

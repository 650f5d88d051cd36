/* SPDX-License-Identifier: MIT */
/* What other rooms ask of a stream. Needs no other file of the driver but those of contexts and
 * fences. */
#include "runtime/driver/stream/stream_internal.h"

CUstream stream_handle(const struct stream *s)
{
    return s->base.handle;
}

struct context *stream_context(const struct stream *s)
{
    return s->base.context;
}

struct channel *stream_channel(const struct stream *s)
{
    return s->channel;
}

uint32_t stream_ordinal(const struct stream *s)
{
    return s->ordinal;
}

const GArray *stream_known(const struct stream *s)
{
    return s->known;
}

bool stream_captured(const struct stream *s)
{
    return s->capture != NULL;
}

bool stream_blocks(const struct stream *s)
{
    return !(s->flags & CU_STREAM_NON_BLOCKING);
}

uint32_t stream_engine_at(const struct stream *s)
{
    return s->engine_at;
}

void stream_engine_set(struct stream *s, uint32_t at)
{
    s->engine_at = at;
}

void stream_engine_pending_set(struct stream *s, bool pending)
{
    s->engine_pending = pending;
}

struct stream *stream_legacy(const struct context *c)
{
    return streams_of(c)->legacy;
}

struct stream *stream_service(const struct context *c)
{
    return streams_of(c)->service;
}

bool stream_per_thread(const struct context *c)
{
    return g_hash_table_size(streams_of(c)->of_thread) != 0;
}

/* SPDX-License-Identifier: MIT */
/* Memory between a stream and an engine that does not see the iGPU's L2: the stream's side. */
#include "runtime/driver/engines/interop.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

static bool interop_independent(const struct stream *s)
{
    return !stream_blocks(s) && (engine_mode() & ENGINE_INDEPENDENT);
}

/* What the stream has computed goes to memory, for whoever waits for stream_fence(). */
static CUresult give_work(struct stream *s, const struct work *work)
{
    const struct channel *ch = stream_channel(s);
    struct push *p;
    CUresult error;

    (void)work;
    if (interop_independent(s) &&
        (channel_unused(ch) || channel_fence(ch).threshold == stream_engine_at(s))) {
        return CUDA_SUCCESS; /* no GPU work and no event since the last task */
    }
    error = stream_begin(s, &p);
    if (!error) {
        push_mem_op(p, MEM_OP_L2_FLUSH_DIRTY);
        stream_end(s, p);
    }
    return error;
}

const struct work_kind work_give = { WORK_NO_NODE, give_work };

/* The other engine is done at the fence: after it nothing in the L2 is older than what it wrote. */
static CUresult take_work(struct stream *s, const struct work *work)
{
    bool alone = interop_independent(s);
    g_autoptr(GArray) known = NULL;
    struct push *p;
    CUresult error;

    if (alone) {
        stream_engine_pending_set(s, false);
    }
    error = stream_begin(s, &p);
    if (!error) {
        push_wait(p, work->fence);
        clock_add(&known, work->fence);
        stream_known_merge(s, known);
        if (!alone) {
            coherency_push(p);
        }
        stream_end(s, p);
        stream_engine_pending_set(s, alone);
        stream_engine_set(s, channel_fence(stream_channel(s)).threshold);
    }
    return error;
}

const struct work_kind work_take = { WORK_NO_NODE, take_work };

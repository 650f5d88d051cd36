/* SPDX-License-Identifier: MIT */
/* Memory that a graph allocates. It has its addresses from the moment its node is added, and they
 * stay the same from launch to launch; it is visible only between the launch of the allocation and
 * the free. Each allocation has addresses of its own, as in pool.c. */
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/graph.h"
#include "runtime/driver/stream/stream_internal.h"

static uint64_t used, used_high, reserved, reserved_high;
static struct object_list memories; /* struct graph_memory */

static struct region *region_of(const struct graph_memory *m)
{
    struct region *r = region_at_absent(m->address);

    return r && region_serial(r) == m->serial ? r : NULL;
}

static void graph_memory_end(void *object)
{
    const struct graph_memory *m = object;
    struct region *r = region_of(m);

    if (m->backed) {
        reserved -= m->bytes;
    }
    if (r) {
        region_graph_set(r, NULL, NULL);
        region_absent_set(r, false);
        region_free(r);
    }
}

static const struct object_kind memory_kind = { .name = "memory of a graph",
                                                .end = graph_memory_end };

void graph_memory_unref(struct graph_memory *m)
{
    object_unref(&m->base);
}

struct graph_memory *graph_memory_at(CUdeviceptr ptr)
{
    for (struct graph_memory *m = object_first(&memories); m; m = object_after(&m->base)) {
        if (m->address == ptr) {
            return m;
        }
    }
    return NULL;
}

/* The allocation has been launched. */
static void graph_memory_present(struct region *r)
{
    struct graph_memory *m = region_graph(r);
    struct check_caller caller;

    if (m->reported) { /* the checker knows what it was in the launch before */
        caller = report_caller();
        check_region_remove(core_check(), region_id(r), &caller);
    }
    m->reported = true;
    if (!m->live) {
        m->live = true;
        object_ref(&m->base);
    }
    region_absent_set(r, false);
    used += m->bytes;
    used_high = MAX(used_high, used);
    if (!m->backed) {
        m->backed = true;
        reserved += m->bytes;
        reserved_high = MAX(reserved_high, reserved);
    }
}

static void graph_memory_absent(struct region *r)
{
    struct graph_memory *m = region_graph(r);

    region_absent_set(r, true);
    used -= m->bytes;
    if (m->live) {
        m->live = false;
        object_unref(&m->base);
    }
}

static const struct region_owner owner = { graph_memory_present, graph_memory_absent };

static CUresult memory_new(struct context *c, size_t bytes, struct graph_memory **out)
{
    CUresult error;
    struct region *r = region_alloc(c, HAL_MEM_DEVICE, bytes, &error);
    struct graph_memory *m;

    if (!r) {
        return error;
    }
    m = object_new(&memory_kind, sizeof(*m), NULL);
    m->address = region_address(r);
    m->serial = region_serial(r);
    m->bytes = region_mem(r)->size;
    region_graph_set(r, m, &owner);
    region_absent_set(r, true);
    object_list_add(&memories, &m->base);
    *out = m;
    return CUDA_SUCCESS;
}

CUresult graph_node_set_alloc(struct graph_node *n, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    const CUmemPoolProps *props = &p->poolProps;
    struct context *c;
    CUresult error;

    if (!p->bytesize || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_of(props->location.id) ||
        (p->accessDescCount && !p->accessDescs)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    c = core_context(NULL, &error);
    error = error ? error : memory_new(c, p->bytesize, &n->memory);
    if (error) {
        return error;
    }
    p->dptr = n->memory->address;
    n->alloc = *p;
    n->alloc.accessDescs = g_memdup2(p->accessDescs, p->accessDescCount * sizeof(*p->accessDescs));
    n->work = (struct work){ .kind = &work_alloc, .address = p->dptr };
    return CUDA_SUCCESS;
}

static bool freed_in(const struct graph *g, CUdeviceptr ptr)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        if (n->type == CU_GRAPH_NODE_TYPE_MEM_FREE && n->freed == ptr) {
            return true;
        }
    }
    return false;
}

/* Measured: only what a graph allocates, and once in each. */
CUresult graph_node_set_free(struct graph_node *n, CUdeviceptr ptr)
{
    if (!ptr || !graph_memory_at(ptr) || freed_in(n->graph, ptr)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    n->freed = ptr;
    n->work = (struct work){ .kind = &work_free, .address = ptr };
    return CUDA_SUCCESS;
}

/* What an earlier launch has allocated and is not freed forbids another one, but with
 * AUTO_FREE_ON_LAUNCH. */
CUresult graph_memory_begin(const struct graph *g, struct stream *s, unsigned long long flags)
{
    CUresult error = CUDA_SUCCESS;

    for (guint i = 0; !error && i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        if (!n->memory || n->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || !n->memory->live) {
            continue;
        }
        if (!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)) {
            return report_error(CUDA_ERROR_INVALID_VALUE, "cuGraphLaunch",
                                "CUDA Programming Guide, graph memory nodes",
                                "the launch before has allocated memory that is not freed yet");
        }
        error =
            stream_submit(s, &(struct work){ .kind = &work_free, .address = n->memory->address });
    }
    return error;
}

/* --- the application's calls -------------------------------------------------------------------
 */

static CUresult graph_memory_enter(CUdevice device)
{
    CUresult error = core_enter();

    return !error && !device_of(device) ? core_leave(CUDA_ERROR_INVALID_DEVICE) : error;
}

CUresult rt_graph_memory_trim(CUdevice device)
{
    CUresult error = graph_memory_enter(device);

    if (error) {
        return error;
    }
    for (struct graph_memory *m = object_first(&memories); m; m = object_after(&m->base)) {
        if (m->backed && !m->live) {
            m->backed = false;
            reserved -= m->bytes;
        }
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_memory_attribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    const uint64_t values[] = {
        [CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT] = used,
        [CU_GRAPH_MEM_ATTR_USED_MEM_HIGH] = used_high,
        [CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT] = reserved,
        [CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH] = reserved_high,
    };
    CUresult error = graph_memory_enter(device);

    if (error) {
        return error;
    }
    if (!value || (unsigned)attribute >= G_N_ELEMENTS(values)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    memcpy(value, &values[attribute], sizeof(values[attribute]));
    return core_leave(CUDA_SUCCESS);
}

/* The high marks alone, and only back to what is used now. */
CUresult rt_graph_memory_set_attribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    uint64_t given;
    CUresult error = graph_memory_enter(device);

    if (error) {
        return error;
    }
    if (!value || (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
                   attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    memcpy(&given, value, sizeof(given));
    if (given) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) {
        used_high = used;
    } else {
        reserved_high = reserved;
    }
    return core_leave(CUDA_SUCCESS);
}

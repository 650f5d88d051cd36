/* SPDX-License-Identifier: MIT */
/* cuGraphDebugDotPrint: a graph as text for Graphviz. NVIDIA's text is not documented: this one has
 * a line a node, a line an edge, children and bodies as clusters. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "ptx/ptx.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/stream/graph.h"
#include "runtime/driver/stream/stream_internal.h"

static const char *const names[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
    [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "EXT_SEMAS_SIGNAL",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "EXT_SEMAS_WAIT",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
};

static bool graph_dot_says(unsigned flags, unsigned which)
{
    return flags & (which | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static void graph_dot_kernel(FILE *f, const struct graph_node *n)
{
    const struct work_kernel *k = &n->work.kernel;
    const struct ptx_func *func = launch_function(&n->work);
    g_autofree char *name = func ? check_demangle(func->name) : NULL;

    fprintf(f, "\\n%s\\ngrid %" PRIu32 ",%" PRIu32 ",%" PRIu32, name ? name : "(gone)", k->grid[0],
            k->grid[1], k->grid[2]);
    fprintf(f, " block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " shared %u", k->block[0], k->block[1],
            k->block[2], k->dynamic);
}

static void graph_dot_details(FILE *f, const struct graph_node *n, unsigned flags)
{
    const struct box *b = &n->work.copy.box;

    if (n->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        graph_dot_kernel(f, n);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
               graph_dot_says(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
        fprintf(f, "\\n0x%" PRIx64 " -> 0x%" PRIx64 " %zux%zux%zu", b->src, b->dst, b->width,
                b->height, b->depth);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEMSET &&
               graph_dot_says(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) {
        fprintf(f, "\\n0x%llx value %u element %u %zux%zu", n->fill.dst, n->fill.value,
                n->fill.elementSize, n->fill.width, n->fill.height);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
               graph_dot_says(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
        fprintf(f, "\\n0x%llx %zu bytes", n->alloc.dptr, n->alloc.bytesize);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
               graph_dot_says(flags, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)) {
        fprintf(f, "\\n0x%llx", n->freed);
    }
    if (graph_dot_says(flags, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)) {
        fprintf(f, "\\nhandle 0x%" PRIx64, (uint64_t)(uintptr_t)n->base.handle);
    }
}

/* @prefix: the nodes above, "2_1_": a node's number is its graph's own. */
static void graph_dot_body(FILE *f, const struct graph *g, const char *prefix, unsigned flags)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        fprintf(f, "\"%s%u\" [shape=box label=\"%s%u %s", prefix, n->id, prefix, n->id,
                names[n->type]);
        graph_dot_details(f, n, flags);
        fprintf(f, "\"];\n");
        if (n->child) {
            g_autofree char *inner = g_strdup_printf("%s%u_", prefix, n->id);

            fprintf(f, "subgraph \"cluster_%s\" {\nlabel=\"of %s%u\";\n", inner, prefix, n->id);
            graph_dot_body(f, n->child, inner, flags);
            fprintf(f, "}\n");
        }
    }
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        for (guint e = 0; e < n->out->len; e++) {
            fprintf(f, "\"%s%u\" -> \"%s%u\";\n", prefix, n->id, prefix,
                    g_array_index(n->out, struct graph_edge, e).node->id);
        }
    }
}

CUresult rt_graph_dot(CUgraph graph, const char *path, unsigned flags)
{
    const struct graph *g;
    FILE *f;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!g || !path) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    f = fopen(path, "we");
    if (!f) {
        return core_leave(CUDA_ERROR_OPERATING_SYSTEM);
    }
    fprintf(f, "digraph graph_1 {\n");
    graph_dot_body(f, g, "", flags);
    fprintf(f, "}\n");
    return core_leave(fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS);
}

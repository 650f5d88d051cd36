/* SPDX-License-Identifier: MIT */
/* Conditional nodes: if, while, switch (CUDA Programming Guide, conditional graph nodes).
 *
 * A handle is the GPU's address of a 32-bit word, which cudaGraphSetConditional() writes. Where a
 * launch comes to the node, its lane gets a wait for a syncpoint of the node's own. A stream of the
 * node's (control) comes after all that is before the node; there the driver reads the word,
 * submits the body into that stream, and behind it the increment that lets the lane go on. So
 * bodies have the order that the graph's edges give, and no other.
 */
#include "runtime/driver/stream/graph_condition.h"

#include <string.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/graph_exec.h"
#include "runtime/driver/stream/stream_internal.h"

/* The word of a handle: the graph holds it, and each of its instances. */
struct graph_word {
    struct object base;
    CUcontext owner;
    struct hal_mem mem;
};

/* A node that a launch has come to. @passed: of its lane, behind the wait. */
struct decision {
    struct graph_exec *exec;
    struct graph_node *node;
    struct fence passed;
    uint32_t threshold; /* of the node's syncpoint */
};

static void word_end(void *object)
{
    struct graph_word *w = object;
    struct context *c = handle_find(HANDLE_CONTEXT, w->owner);

    if (c) { /* else its page tables went before */
        kernel_free(c, &w->mem);
    }
}

static const struct object_kind word_kind = { .name = "word of a condition", .end = word_end };

/* --- in streams
 * ----------------------------------------------------------------------------------- */

static CUresult wait_run(struct stream *s, const struct work *w)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (!error) {
        push_wait(p, w->fence);
        stream_end(s, p);
    }
    return error;
}

static CUresult open_run(struct stream *s, const struct work *w)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (!error) {
        push_method(p, 0, HOST_WFI, 0);
        push_inc(p, 0, HOST_SYNCPOINTA, (uint32_t[]){ 0, SYNCPT_INCR(w->fence.id) }, 2);
        stream_end(s, p);
    }
    return error;
}

static void graph_condition_decide(struct context *context, void *data, CUresult status);

static CUresult decide_run(struct stream *s, const struct work *w)
{
    return hostop_push_internal(s, graph_condition_decide, w->host.user);
}

static CUresult assign_run(struct stream *s, const struct work *w)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (!error) {
        push_method(p, 0, HOST_WFI, 0);
        push_semaphore(p, w->fill.dst, w->fill.value, SEM_OP_RELEASE);
        stream_end(s, p);
    }
    return error;
}

static const struct work_kind work_wait = { WORK_NO_NODE, wait_run };
static const struct work_kind work_open = { WORK_NO_NODE, open_run };
static const struct work_kind work_decide = { WORK_NO_NODE, decide_run };
static const struct work_kind work_assign = { WORK_NO_NODE, assign_run };

CUresult graph_conditions_assign(const struct graph *g, struct stream *s)
{
    CUresult error = CUDA_SUCCESS;

    for (guint i = 0; !error && i < g->conditions->len; i++) {
        const struct graph_condition *c = g_ptr_array_index(g->conditions, i);

        if (c->flags & CU_GRAPH_COND_ASSIGN_DEFAULT) {
            error = stream_submit(
                s, &(struct work){ .kind = &work_assign,
                                   .fill = { .dst = c->handle, .value = c->initial } });
        }
    }
    return error;
}

static struct stream *control_of(const struct graph_condition *c)
{
    return handle_find(HANDLE_STREAM, c->control);
}

static CUresult control_open(struct graph_condition *c, struct context *context)
{
    struct stream *s;
    CUresult error;

    if (control_of(c)) {
        return CUDA_SUCCESS;
    }
    error = stream_new(context, CU_STREAM_NON_BLOCKING, 0, &s);
    if (error) {
        return error;
    }
    s->is_default = true; /* it must not be destroyed */
    c->control = s->base.handle;
    c->gate = c->gate ? c->gate : syncpt_take();
    c->opened = c->gate ? syncpt_value(c->gate) : 0;
    return c->gate ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Nothing of it is under way. */
static void condition_drop(struct graph_condition *c)
{
    for (unsigned i = 0; i < c->size && c->execs; i++) {
        if (c->execs[i]) {
            graph_exec_unmake(c->execs[i]);
        }
    }
    g_clear_pointer(&c->execs, g_free);
    if (control_of(c)) {
        stream_free(control_of(c));
    }
    if (c->gate) {
        syncpt_give(c->gate);
    }
    c->gate = 0;
    c->control = NULL;
}

static CUgraph graph_condition_chosen(const struct graph_condition *c, unsigned value,
                                      unsigned *which)
{
    *which = c->type == CU_GRAPH_COND_TYPE_SWITCH ? value
             : c->type == CU_GRAPH_COND_TYPE_IF   ? !value
                                                  : 0;
    if (c->type == CU_GRAPH_COND_TYPE_WHILE && !value) {
        return NULL;
    }
    return *which < c->size ? c->bodies[*which] : NULL;
}

/* Return: a body runs. */
static bool body_run(struct decision *d, struct stream *control, CUresult *error)
{
    struct graph_condition *c = d->node->condition;
    unsigned value, which;
    CUgraph body;

    memcpy(&value, c->word->mem.cpu, sizeof(value));
    body = graph_condition_chosen(c, value, &which);
    if (!body) {
        return false;
    }
    if (!c->execs) {
        c->execs = g_new0(struct graph_exec *, c->size);
    }
    if (!c->execs[which]) {
        c->execs[which] = graph_exec_of_body(graph_find(body), d->exec);
    }
    *error = graph_exec_run(c->execs[which], control);
    return true;
}

static void graph_condition_decide(struct context *context, void *data, CUresult status)
{
    struct decision *d = data;
    struct graph_condition *c = d->node->condition;
    struct stream *control = control_of(c);
    bool again = false;
    CUresult error = status;

    (void)context;
    if (!error && control) {
        again = body_run(d, control, &error) && c->type == CU_GRAPH_COND_TYPE_WHILE && !error;
    }
    if (again) {
        error = stream_submit(control, &(struct work){ .kind = &work_decide, .host.user = d });
    }
    if (again && !error) {
        return;
    }
    if (!status && control) {
        stream_submit(control, &(struct work){ .kind = &work_open, .fence = { c->gate, 0 } });
        clock_imply(d->passed, stream_fence(control), control->known);
    }
    graph_exec_release(d->exec);
    g_free(d);
}

CUresult graph_condition_begin(struct graph_exec *exec, struct graph_node *n, struct stream *lane)
{
    struct graph_condition *c = n->condition;
    struct work_after before = { stream_fence(lane), NULL };
    struct decision *d;
    struct stream *control;
    CUresult error = control_open(c, lane->base.context);

    if (error) {
        return error;
    }
    control = control_of(c);
    stream_number(control, lane->ordinal);
    before.known = lane->known ? g_array_copy(lane->known) : NULL;
    error = stream_submit(control,
                          &(struct work){ .kind = &work_empty, .after = &before, .n_after = 1 });
    if (before.known) {
        g_array_unref(before.known);
    }
    if (error) {
        return error;
    }
    d = g_new0(struct decision, 1);
    d->exec = graph_exec_hold(exec);
    d->node = n;
    d->threshold = ++c->opened;
    error = stream_submit(lane,
                          &(struct work){ .kind = &work_wait, .fence = { c->gate, d->threshold } });
    d->passed = stream_fence(lane);
    return error ? error
                 : stream_submit(control, &(struct work){ .kind = &work_decide, .host.user = d });
}

/* --- nodes
 * ---------------------------------------------------------------------------------------- */

void graph_condition_free(struct graph_condition *c)
{
    condition_drop(c);
    for (unsigned i = 0; c->bodies && i < c->size; i++) {
        graph_free(graph_find(c->bodies[i]));
    }
    g_clear_pointer(&c->bodies, g_free);
    c->used = false;
}

static struct graph_condition *condition_of(const struct graph *g, CUgraphConditionalHandle handle)
{
    for (guint i = 0; i < g->conditions->len; i++) {
        struct graph_condition *c = g_ptr_array_index(g->conditions, i);

        if (c->handle == handle) {
            return c;
        }
    }
    return NULL;
}

static bool size_fits(const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    switch (p->type) {
    case CU_GRAPH_COND_TYPE_IF:
        return p->size == 1 || p->size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
        return p->size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
        return p->size > 0 && p->size <= 4096;
    default:
        return false;
    }
}

CUresult graph_node_set_condition(struct graph_node *n, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    struct graph_condition *c = condition_of(n->graph, p->handle);

    if (!c || c->used || !size_fits(p)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    c->used = true;
    c->type = p->type;
    c->size = p->size;
    c->bodies = g_new0(CUgraph, c->size);
    for (unsigned i = 0; i < c->size; i++) {
        struct graph *body = graph_new();

        body->owner = n;
        c->bodies[i] = body->base.handle;
    }
    n->condition = c;
    p->phGraph_out = c->bodies;
    return CUDA_SUCCESS;
}

/* Of a copy of a graph: its own bodies, the same words. */
void graph_conditions_copy(struct graph *g, const struct graph *from)
{
    for (guint i = 0; i < from->conditions->len; i++) {
        struct graph_condition *c = g_new(struct graph_condition, 1);

        *c = *(const struct graph_condition *)g_ptr_array_index(from->conditions, i);
        object_ref(&c->word->base);
        c->bodies = NULL;
        c->execs = NULL;
        c->control = NULL;
        c->gate = 0;
        g_ptr_array_add(g->conditions, c);
    }
}

void graph_condition_copy(struct graph_node *n, const struct graph_node *from)
{
    const struct graph_condition *old = from->condition;
    struct graph_condition *c = condition_of(n->graph, old->handle);

    n->condition = c;
    c->bodies = g_new0(CUgraph, c->size);
    for (unsigned i = 0; i < c->size; i++) {
        c->bodies[i] = graph_clone(graph_find(old->bodies[i]), n)->base.handle;
    }
}

void graph_conditions_free(struct graph *g)
{
    for (guint i = 0; i < g->conditions->len; i++) {
        struct graph_condition *c = g_ptr_array_index(g->conditions, i);

        object_unref(&c->word->base);
        g_free(c);
    }
    g_ptr_array_free(g->conditions, TRUE);
}

CUresult rt_graph_condition_create(CUgraphConditionalHandle *handle, CUgraph graph,
                                   CUcontext context, unsigned initial, unsigned flags)
{
    struct graph_condition *c;
    struct context *ctx;
    struct graph *g;
    struct hal_mem mem;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!handle || !g || (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    ctx = core_context(context, &error);
    if (error) {
        return core_leave(error);
    }
    error = kernel_alloc(ctx, HAL_PAGE, &mem);
    if (error) {
        return core_leave(error);
    }
    c = g_new0(struct graph_condition, 1);
    c->word = object_new(&word_kind, sizeof(*c->word), NULL);
    c->word->mem = mem;
    c->word->owner = context_handle(ctx);
    c->handle = as_va(&c->word->mem);
    c->initial = initial;
    c->flags = flags;
    memcpy(c->word->mem.cpu, &initial, sizeof(initial));
    g_ptr_array_add(g->conditions, c);
    *handle = c->handle;
    return core_leave(CUDA_SUCCESS);
}

/* What a body may have (driver reference, CUgraphConditionalNodeType). */
static bool body_fits(const struct graph *body)
{
    for (guint i = 0; i < body->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(body->nodes, i);

        if (n->type == CU_GRAPH_NODE_TYPE_HOST || n->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
            n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD || n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
            n->type == CU_GRAPH_NODE_TYPE_MEM_FREE || n->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) {
            return false;
        }
    }
    return true;
}

CUresult graph_conditions_check(const struct graph *g, CUgraphInstantiateResult *result)
{
    CUgraphInstantiateResult inner;

    for (guint i = 0; i < g->conditions->len; i++) {
        const struct graph_condition *c = g_ptr_array_index(g->conditions, i);

        if (!c->used) {
            *result = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (unsigned b = 0; b < c->size; b++) {
            const struct graph *body = graph_find(c->bodies[b]);

            if (!body_fits(body)) {
                *result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
                return CUDA_ERROR_INVALID_VALUE;
            }
            if (graph_conditions_check(body, &inner)) {
                *result = inner;
                return CUDA_ERROR_INVALID_VALUE;
            }
        }
    }
    return CUDA_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Which node goes into which lane, and what it waits for.
 *
 * Two nodes share a lane only if the graph orders them: then a lane's own order is none that the
 * graph lacks, and a missing edge is found as any missing order between streams. What a node has
 * behind it is a count of steps for each lane: the lane's first so many. */
#include <string.h>

#include "runtime/driver/stream/graph_exec.h"
#include "runtime/driver/stream/stream_internal.h"

/* What is known: of each lane, so many of its steps are done. */
struct seen {
    unsigned steps[GRAPH_LANES_MAX];
};

struct planner {
    struct graph_exec *exec;
    GArray *done;                    /* struct seen: by the place that graph_node.step has */
    struct seen in[GRAPH_LANES_MAX]; /* by lane: what its next step comes after anyway */
    unsigned length[GRAPH_LANES_MAX];
    unsigned lanes;
    GArray *at[GRAPH_LANES_MAX]; /* unsigned: the lane's steps */
};

static void seen_merge(struct seen *s, const struct seen *other)
{
    for (unsigned i = 0; i < GRAPH_LANES_MAX; i++) {
        s->steps[i] = MAX(s->steps[i], other->steps[i]);
    }
}

/* A lane whose last step the node comes after anyway; else a new one; else, when there are too
 * many, any. */
static unsigned lane_choose(struct planner *p, const struct seen *before)
{
    for (unsigned i = 0; i < p->lanes; i++) {
        if (before->steps[i] == p->length[i]) {
            return i;
        }
    }
    if (p->lanes < GRAPH_LANES_MAX) {
        p->at[p->lanes] = g_array_new(FALSE, FALSE, sizeof(unsigned));
        return p->lanes++;
    }
    return p->exec->steps->len % GRAPH_LANES_MAX;
}

static void step_add(struct planner *p, struct graph_node *n, struct seen *done)
{
    unsigned lane = lane_choose(p, done), index = p->exec->steps->len;
    struct graph_step step = { .node = n, .lane = lane };
    struct seen *in = &p->in[lane];

    step.waits = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (unsigned i = 0; i < p->lanes; i++) {
        if (i != lane && done->steps[i] > in->steps[i]) {
            g_array_append_val(step.waits, g_array_index(p->at[i], unsigned, done->steps[i] - 1));
        }
    }
    g_array_append_val(p->exec->steps, step);
    g_array_append_val(p->at[lane], index);
    p->length[lane]++;
    done->steps[lane] = p->length[lane];
    seen_merge(in, done);
    seen_merge(done, in);
}

static bool does_something(const struct graph_node *n)
{
    return (n->work.kind || n->condition) && !n->disabled;
}

/* @entry: what the graph's roots come after. Return: what is done when the graph is. */
static struct seen plan_nodes(struct planner *p, const struct graph *g, struct seen entry)
{
    GPtrArray *order = graph_order(g);
    struct seen end = entry;

    for (guint i = 0; order && i < order->len; i++) {
        struct graph_node *n = g_ptr_array_index(order, i);
        struct seen done = entry;

        for (guint e = 0; e < n->in->len; e++) {
            const struct graph_node *from = g_array_index(n->in, struct graph_edge, e).node;

            seen_merge(&done, &g_array_index(p->done, struct seen, from->step));
        }
        if (n->child) {
            done = plan_nodes(p, n->child, done);
        } else if (does_something(n)) {
            step_add(p, n, &done);
        }
        n->step = p->done->len;
        g_array_append_val(p->done, done);
        seen_merge(&end, &done);
    }
    if (order) {
        g_ptr_array_free(order, TRUE);
    }
    return end;
}

/* A graph that needs more than one lane leaves the launching stream to what is before and after it:
 * among lanes the board may then take any first. */
static void lanes_shift(struct planner *p)
{
    bool used[GRAPH_LANES_MAX + 1] = { false };

    for (guint i = 0; i < p->exec->steps->len; i++) {
        struct graph_step *step = &g_array_index(p->exec->steps, struct graph_step, i);

        step->lane++;
        step->first = !used[step->lane];
        used[step->lane] = true;
    }
    p->exec->n_lanes++;
}

void graph_plan_drop(struct graph_exec *exec)
{
    for (guint i = 0; i < exec->steps->len; i++) {
        g_array_free(g_array_index(exec->steps, struct graph_step, i).waits, TRUE);
    }
    g_array_set_size(exec->steps, 0);
    exec->planned = false;
}

void graph_plan(struct graph_exec *exec)
{
    struct planner *p = g_new0(struct planner, 1);

    graph_plan_drop(exec);
    p->exec = exec;
    p->done = g_array_new(FALSE, FALSE, sizeof(struct seen));
    plan_nodes(p, exec->graph, (struct seen){ 0 });
    exec->n_lanes = p->lanes;
    if (p->lanes > 1) {
        lanes_shift(p);
    }
    exec->planned = true;
    for (unsigned i = 0; i < p->lanes; i++) {
        g_array_free(p->at[i], TRUE);
    }
    g_array_free(p->done, TRUE);
    g_free(p);
}

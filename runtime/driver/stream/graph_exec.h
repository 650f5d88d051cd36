/* SPDX-License-Identifier: MIT */
/* An instance of a graph: a copy of its nodes, and the plan by which they enter streams. */
#ifndef RUNTIME_DRIVER_STREAM_GRAPH_EXEC_H
#define RUNTIME_DRIVER_STREAM_GRAPH_EXEC_H

#include "runtime/driver/core/fence.h"
#include "runtime/driver/stream/graph.h"

/**
 * struct graph_step - a node that gives a stream something to do
 * @lane: 0: the stream that the graph is launched into, of a graph that needs but one; else of the
 *        context's graph lanes
 * @first: of a lane other than 0
 * @waits: steps of other lanes (unsigned): all that the node comes after and the lane has not
 * waited for yet
 * @fence: of the launch that is under way
 */
struct graph_step {
    struct graph_node *node;
    unsigned lane;
    bool first;
    GArray *waits;
    struct fence fence;
};

/**
 * struct graph_exec - held by its handle, and by launches under way
 * @graph: its own; nodes know those of the application's graph by @origin
 * @source: the application's graph
 * @root: of a body: the instance that the program knows
 * @planned: @steps, @n_lanes are those of @graph as it is
 * @lane_first: place of lane 1 among the context's
 * @last, @last_known: the newest launch: the next one waits for it
 */
struct graph_exec {
    struct object base;
    unsigned long long flags;
    struct graph *graph;
    CUgraph source;
    struct graph_exec *root;
    bool planned;
    unsigned n_lanes, lane_first;
    GArray *steps; /* struct graph_step */
    struct fence last;
    GArray *last_known;
};

/* graph_exec.c */
struct graph_exec *graph_exec_of_body(struct graph *body, struct graph_exec *root);
void graph_exec_unmake(struct graph_exec *exec); /* its graph stays */
CUresult graph_exec_run(struct graph_exec *exec, struct stream *stream);
/* The instance that the program knows lives while it is held. */
struct graph_exec *graph_exec_hold(struct graph_exec *exec);
void graph_exec_release(struct graph_exec *exec);

/* graph_plan.c */
void graph_plan(struct graph_exec *exec);
void graph_plan_drop(struct graph_exec *exec);

#endif

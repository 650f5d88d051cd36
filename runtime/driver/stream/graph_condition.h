/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_STREAM_GRAPH_CONDITION_H
#define RUNTIME_DRIVER_STREAM_GRAPH_CONDITION_H

#include "runtime/driver/stream/graph.h"

struct graph_exec;

/**
 * struct graph_condition - a conditional handle, and the node that has it
 * @word: what the handle is the address of
 * @used: there is a node; then @type, @size and @bodies
 *
 * In an instance:
 * @execs: plans of the bodies, as they are first needed
 * @control: the stream in which the word is read and bodies run
 * @gate, @opened: the syncpoint that the node's lane waits for, and its newest wait
 */
struct graph_condition {
    CUgraphConditionalHandle handle;
    struct graph_word *word;
    unsigned initial, flags;
    bool used;
    CUgraphConditionalNodeType type;
    unsigned size;
    CUgraph *bodies;
    struct graph_exec **execs;
    CUstream control;
    uint32_t gate, opened;
};

/* A launch of @exec has come to @node, in @lane. */
CUresult graph_condition_begin(struct graph_exec *exec, struct graph_node *node,
                               struct stream *lane);
/* A launch begins: what CU_GRAPH_COND_ASSIGN_DEFAULT asks for. */
CUresult graph_conditions_assign(const struct graph *graph, struct stream *stream);

#endif

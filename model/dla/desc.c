/* SPDX-License-Identifier: MIT */
/* The dependency graph, executed. Source: nvdla/sw kmd/firmware/scheduler.c for the events. */
#include "model/dla/desc.h"

#include "model/dla/desc_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENT_COMPLETED = 1, EVENT_PROGRAMMED, EVENT_ENABLED, EVENT_WEIGHTS, EVENT_DATA };
enum { WAITING, PROGRAMMED, ENABLED, COMPLETED };

/* @programmed: operations of a kind that hold one of its two register groups */
struct dla_task_run {
    struct dla_parse parse;
    struct dla_stats *stats;
    struct dla_node *node;
    uint8_t *state;
    int16_t next[DLA_OP_TYPES];
    unsigned programmed[DLA_OP_TYPES], completed;
};

unsigned dla_cube_bytes(unsigned major, unsigned minor)
{
    return major == 0 && minor == 12 ? 32 : major == 0 && (minor == 10 || minor == 11) ? 28 : 0;
}

static enum dla_status dla_graph_fail(struct dla_task_run *g, unsigned op, const char *field,
                                      int64_t value, const char *rule)
{
    g->parse.blob = "dependency_graph";
    g->parse.index = (int)op;
    return dla_parse_fail(&g->parse, DLA_INVALID, field, value, rule);
}

static enum dla_status dla_report(struct dla_task_run *g, unsigned from,
                                  const struct dla_consumer *c, uint8_t event)
{
    if (c->index < 0 || c->event != event) {
        return DLA_OK;
    }
    if (g->node[c->index].dependencies == 0) {
        return dla_graph_fail(g, from, "consumers", c->index,
                              "an operation counts each event it waits for");
    }
    g->node[c->index].dependencies--;
    return DLA_OK;
}

static enum dla_status dla_event(struct dla_task_run *g, unsigned op, uint8_t event)
{
    const struct dla_node *n = &g->node[op];
    enum dla_status status = DLA_OK;

    for (unsigned i = 0; status == DLA_OK && i < DLA_OP_TYPES; i++) {
        status = dla_report(g, op, &n->consumer[i], event);
    }
    return status == DLA_OK ? dla_report(g, op, &n->parent, event) : status;
}

/* Give free register groups to the next operations of each kind. */
static enum dla_status dla_program(struct dla_task_run *g, bool *progress)
{
    for (unsigned t = 0; t < DLA_OP_TYPES; t++) {
        while (g->next[t] >= 0 && g->programmed[t] < 2) {
            unsigned op = (unsigned)g->next[t];
            enum dla_status status;

            if (g->node[op].type != t) {
                return dla_graph_fail(g, op, "op_type", g->node[op].type,
                                      "a chain links operations of one kind");
            }
            if (g->state[op] != WAITING) {
                return dla_graph_fail(g, op, "consumers", op, "a chain has no loop");
            }
            g->state[op] = PROGRAMMED;
            g->programmed[t]++;
            g->next[t] = g->node[op].consumer[t].index;
            *progress = true;
            status = dla_event(g, op, EVENT_PROGRAMMED);
            if (status != DLA_OK) {
                return status;
            }
        }
    }
    return DLA_OK;
}

static enum dla_status dla_enable(struct dla_task_run *g, bool *progress)
{
    for (unsigned op = 0; op < g->parse.net.count; op++) {
        enum dla_status status;

        if (g->state[op] != PROGRAMMED || g->node[op].dependencies) {
            continue;
        }
        g->state[op] = ENABLED;
        *progress = true;
        status = dla_event(g, op, EVENT_ENABLED);
        if (status != DLA_OK) {
            return status;
        }
    }
    return DLA_OK;
}

static enum dla_status dla_complete(struct dla_task_run *g, unsigned op)
{
    enum dla_status status = DLA_OK;

    g->state[op] = COMPLETED;
    g->programmed[g->node[op].type]--;
    g->completed++;
    if (g->node[op].type == DLA_OP_CONV) {
        status = dla_event(g, op, EVENT_WEIGHTS);
        status = status == DLA_OK ? dla_event(g, op, EVENT_DATA) : status;
    }
    return status == DLA_OK ? dla_event(g, op, EVENT_COMPLETED) : status;
}

/* The enabled operation of a kind that names @child as fused, or that @child names. -1: none yet.
 */
static int dla_partner(const struct dla_task_run *g, unsigned child, enum dla_op_type type,
                       bool parent)
{
    if (parent) {
        int16_t i = g->node[child].parent.index;

        return i >= 0 && g->node[i].type == type && g->state[i] == ENABLED ? i : -1;
    }
    for (unsigned op = 0; op < g->parse.net.count; op++) {
        if (g->node[op].type == type && g->state[op] == ENABLED &&
            g->node[op].parent.index == (int)child) {
            return (int)op;
        }
    }
    return -1;
}

static void dla_announce(const struct dla_task_run *g, unsigned op)
{
    const struct dla_task *t = g->parse.task;

    if (t->layer) {
        t->layer(t->opaque, op, (enum dla_op_type)g->node[op].type);
    }
}

static enum dla_status dla_caused(struct dla_task_run *g, unsigned op, enum dla_status status)
{
    if (status != DLA_OK) {
        g->parse.blob = "operation_list";
        g->parse.index = (int)op;
        dla_parse_fail(&g->parse, status, "operation", g->node[op].type, "see the cause");
        g->parse.error->cause = g->parse.port->error;
    }
    return status;
}

/* SDP with its neighbours on the fly. *ran stays false while one of them is not enabled. */
static enum dla_status dla_run_point(struct dla_task_run *g, unsigned op, struct dla_operation *sdp,
                                     bool *ran)
{
    struct dla_operation conv, pdp;
    int before = op, after = op;
    enum dla_status status = DLA_OK;

    if (sdp->sdp.flying) {
        before = dla_partner(g, op, DLA_OP_CONV, true);
    }
    if (sdp->sdp.to_pdp) {
        after = dla_partner(g, op, DLA_OP_PDP, false);
    }
    if (before < 0 || after < 0) {
        return DLA_OK;
    }
    *ran = true;
    if (sdp->sdp.flying) {
        status = dla_parse_operation(&g->parse, (unsigned)before, DLA_OP_CONV, &conv);
        dla_announce(g, (unsigned)before);
    }
    if (status == DLA_OK && sdp->sdp.to_pdp) {
        status = dla_parse_operation(&g->parse, (unsigned)after, DLA_OP_PDP, &pdp);
    }
    if (status != DLA_OK) {
        return status;
    }
    dla_announce(g, op);
    status = dla_caused(
        g, op, dla_run_sdp(g->parse.cfg, g->parse.port, &sdp->sdp, &conv.conv, &pdp.pdp, g->stats));
    if (status == DLA_OK && sdp->sdp.flying) {
        status = dla_complete(g, (unsigned)before);
    }
    if (status == DLA_OK) {
        status = dla_complete(g, op);
    }
    if (status == DLA_OK && sdp->sdp.to_pdp) {
        dla_announce(g, (unsigned)after);
        status = dla_complete(g, (unsigned)after);
    }
    return status;
}

static enum dla_status dla_run_alone(struct dla_task_run *g, unsigned op, struct dla_operation *o)
{
    const struct dla_config *cfg = g->parse.cfg;
    struct dla_port *port = g->parse.port;
    enum dla_status status = DLA_OK;

    dla_announce(g, op);
    switch (o->type) {
    case DLA_OP_BDMA:
        for (unsigned i = 0; status == DLA_OK && i < o->bdma.count; i++) {
            status = dla_run_bdma(cfg, port, &o->bdma.transfer[i]);
        }
        break;
    case DLA_OP_PDP:
        status = dla_run_pdp(cfg, port, &o->pdp, g->stats);
        break;
    case DLA_OP_CDP:
        status = dla_run_cdp(cfg, port, &o->cdp, g->stats);
        break;
    default:
        status = dla_run_rubik(cfg, port, &o->rubik);
        break;
    }
    status = dla_caused(g, op, status);
    return status == DLA_OK ? dla_complete(g, op) : status;
}

static enum dla_status dla_run_one(struct dla_task_run *g, unsigned op, bool *ran)
{
    struct dla_operation o;
    enum dla_status status;

    /* A convolution runs with the SDP that takes its output. */
    if (g->state[op] != ENABLED || g->node[op].type == DLA_OP_CONV) {
        return DLA_OK;
    }
    status = dla_parse_operation(&g->parse, op, (enum dla_op_type)g->node[op].type, &o);
    if (status != DLA_OK) {
        return status;
    }
    if (o.type == DLA_OP_SDP) {
        return dla_run_point(g, op, &o, ran);
    }
    if (o.type == DLA_OP_PDP && o.pdp.flying) {
        return DLA_OK;
    }
    *ran = true;
    return dla_run_alone(g, op, &o);
}

static enum dla_status dla_stuck(struct dla_task_run *g)
{
    for (unsigned op = 0; op < g->parse.net.count; op++) {
        if (g->state[op] != COMPLETED) {
            return dla_graph_fail(g, op, "dependency_count", g->node[op].dependencies,
                                  g->state[op] == WAITING
                                      ? "the operation is never reached from op_head"
                                      : "nothing is left that could run before it");
        }
    }
    return DLA_OK;
}

enum dla_status dla_task_step(struct dla_task_run *g, bool *done)
{
    enum dla_status status = DLA_OK;
    bool progress = true, ran = false;

    *done = false;
    while (status == DLA_OK && progress && !ran) {
        progress = false;
        status = dla_program(g, &progress);
        if (status == DLA_OK) {
            status = dla_enable(g, &progress);
        }
        /* Lowest index first; look at the graph again after each. */
        for (unsigned op = 0; status == DLA_OK && !ran && op < g->parse.net.count; op++) {
            status = dla_run_one(g, op, &ran);
        }
    }
    if (status == DLA_OK && !ran) {
        *done = true;
        return dla_stuck(g);
    }
    return status;
}

static enum dla_status dla_graph_read(struct dla_task_run *g)
{
    enum dla_status status = dla_parse_network(&g->parse);

    if (status != DLA_OK) {
        return status;
    }
    g->node = calloc(g->parse.net.count + 1u, sizeof(*g->node));
    g->state = calloc(g->parse.net.count + 1u, sizeof(*g->state));
    if (!g->node || !g->state) {
        abort(); /* the host has no memory: as g_malloc(); sizes of tasks are checked */
    }
    for (unsigned t = 0; t < DLA_OP_TYPES; t++) {
        g->next[t] = g->parse.net.head[t];
    }
    for (unsigned op = 0; status == DLA_OK && op < g->parse.net.count; op++) {
        status = dla_parse_node(&g->parse, op, &g->node[op]);
    }
    return status;
}

struct dla_task_run *dla_task_begin(const struct dla_config *cfg, struct dla_port *port,
                                    const struct dla_task *task, struct dla_stats *stats,
                                    struct dla_task_error *error, enum dla_status *status)
{
    struct dla_task_run *g = calloc(1, sizeof(*g));

    if (!g) {
        abort(); /* the host has no memory: as g_malloc(); sizes of tasks are checked */
    }
    *g = (struct dla_task_run){ .parse = { cfg, port, task, error, .blob = "network_desc" },
                                .stats = stats };
    *error = (struct dla_task_error){ 0 };
    if (task->cube_bytes != 28 && task->cube_bytes != 32) {
        *status = dla_parse_fail(&g->parse, DLA_UNSUPPORTED, "version", task->cube_bytes,
                                 "descriptors of blob version 0.10, 0.11 or 0.12 (DLA 1)");
    } else {
        *status = dla_graph_read(g);
    }
    if (*status != DLA_OK) {
        dla_task_end(g);
        return NULL;
    }
    return g;
}

void dla_task_end(struct dla_task_run *g)
{
    if (g) {
        free(g->node);
        free(g->state);
        free(g);
    }
}

enum dla_status dla_task_run(const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_task *task, struct dla_stats *stats,
                             struct dla_task_error *error)
{
    enum dla_status status;
    struct dla_task_run *run = dla_task_begin(cfg, port, task, stats, error, &status);
    bool done = false;

    while (run && status == DLA_OK && !done) {
        status = dla_task_step(run, &done);
    }
    dla_task_end(run);
    return status;
}

int dla_task_error_format(const struct dla_task_error *e, char *buf, size_t size)
{
    const struct dla_error *c = &e->cause;

    if (!c->unit) {
        return snprintf(buf, size, "%s[%d].%s = %" PRId64 ": %s", e->blob ? e->blob : "task",
                        e->index, e->field ? e->field : "?", e->value, e->rule ? e->rule : "?");
    }
    if (c->status == DLA_FAULT) {
        return snprintf(buf, size,
                        "%s[%d]: the DLA cannot %s 0x%" PRIx64
                        ", %zu bytes: no such access is mapped",
                        e->blob, e->index, c->write ? "write" : "read", c->iova, c->len);
    }
    return snprintf(buf, size, "%s[%d]: %s.%s = %" PRId64 ": %s", e->blob, e->index, c->unit,
                    c->field, c->value, c->rule);
}

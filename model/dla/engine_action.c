/* SPDX-License-Identifier: MIT */
/* Actions: what a task waits for, and what it leaves behind. Layouts: model/regs/dla_task.h. */
#include <inttypes.h>
#include <string.h>

#include "model/dla/engine_internal.h"

/* Bytes of the operands behind the opcode; 0: not an action that is allowed there. */
static unsigned operand_bytes(uint8_t opcode, bool before)
{
    switch (opcode) {
    case DLA_ACTION_SEM_EQ:
    case DLA_ACTION_SEM_GE:
        return before ? sizeof(struct dla_action_sem) : 0;
    case DLA_ACTION_TASK_STATUS_EQ:
        return before ? sizeof(struct dla_action_status) : 0;
    case DLA_ACTION_WRITE_SEM:
    case DLA_ACTION_INCREMENT_SEM:
    case DLA_ACTION_TS_SEM:
        return before ? 0 : sizeof(struct dla_action_sem);
    case DLA_ACTION_TIMESTAMP:
        return before ? 0 : sizeof(struct dla_action_time);
    case DLA_ACTION_TASK_STATUS:
        return before ? 0 : sizeof(struct dla_action_status);
    default:
        return 0;
    }
}

static const char *opcode_name(uint8_t opcode)
{
    switch (opcode) {
    case DLA_ACTION_GOS_EQ:
    case DLA_ACTION_GOS_GE:
    case DLA_ACTION_WRITE_GOS:
        return "grids of semaphores are not in this model";
    default:
        return "not an action that may stand there";
    }
}

/* A place in the lists of a descriptor that has been checked. */
struct cursor {
    const struct dla_queued *t;
    bool before;
    unsigned list, at, end;
};

static unsigned list_count(const struct cursor *c)
{
    return c->before ? c->t->desc.num_preactions : c->t->desc.num_postactions;
}

static struct dla_action_list list_at(const struct cursor *c, unsigned i)
{
    struct dla_action_list l;
    unsigned lists = c->before ? c->t->desc.preactions : c->t->desc.postactions;

    memcpy(&l, c->t->bytes + lists + i * sizeof(l), sizeof(l));
    return l;
}

static struct cursor cursor_begin(const struct dla_queued *t, bool before)
{
    return (struct cursor){ .t = t, .before = before };
}

/* The next action's opcode and operands; false behind the last. */
static bool cursor_next(struct cursor *c, uint8_t *opcode, const uint8_t **operands)
{
    while (c->at >= c->end || c->t->bytes[c->at] == DLA_ACTION_TERMINATE) {
        struct dla_action_list l;

        if (c->list == list_count(c)) {
            return false;
        }
        l = list_at(c, c->list++);
        c->at = l.offset;
        c->end = (unsigned)l.offset + l.size;
    }
    *opcode = c->t->bytes[c->at];
    *operands = c->t->bytes + c->at + 1;
    c->at += 1 + operand_bytes(*opcode, c->before);
    return true;
}

/* --- checks ---------------------------------------------------------------------------------- */

static bool list_check(const struct dla_queued *t, bool before, unsigned i,
                       struct dla_action_list l, struct dla_failure *f)
{
    const char *name = before ? "preactions" : "postactions";
    enum dla_err error = before ? DLA_ERR_INVALID_PREACTION : DLA_ERR_INVALID_POSTACTION;
    unsigned end = (unsigned)l.offset + l.size;

    if (end > t->desc.size) {
        return dla_failure_set(f, error, "%s[%u].size = %u: the list lies inside the descriptor",
                               name, i, l.size);
    }
    for (unsigned at = l.offset; at < end && t->bytes[at] != DLA_ACTION_TERMINATE;) {
        unsigned n = operand_bytes(t->bytes[at], before);

        if (n == 0) {
            return dla_failure_set(f, error, "%s[%u].opcode = 0x%02x: %s", name, i, t->bytes[at],
                                   opcode_name(t->bytes[at]));
        }
        if (n > end - at - 1) {
            return dla_failure_set(f, error, "%s[%u].size = %u: an action ends behind its list",
                                   name, i, l.size);
        }
        at += 1 + n;
    }
    return true;
}

static bool lists_check(const struct dla_queued *t, bool before, struct dla_failure *f)
{
    struct cursor c = cursor_begin(t, before);
    unsigned lists = before ? t->desc.preactions : t->desc.postactions;

    if (list_count(&c) * sizeof(struct dla_action_list) + lists > t->desc.size) {
        return dla_failure_set(f, before ? DLA_ERR_INVALID_PREACTION : DLA_ERR_INVALID_POSTACTION,
                               "task_desc.%s = %u: %u lists lie inside the descriptor",
                               before ? "preactions" : "postactions", lists, list_count(&c));
    }
    for (unsigned i = 0; i < list_count(&c); i++) {
        if (!list_check(t, before, i, list_at(&c, i), f)) {
            return false;
        }
    }
    return true;
}

bool dla_actions_check(const struct dla_queued *t, struct dla_failure *f)
{
    return lists_check(t, true, f) && lists_check(t, false, f);
}

/* --- before the task ------------------------------------------------------------------------- */

/* A wait that is over: in the words of host1x where the semaphore is a syncpoint. */
static void engine_action_acquired(struct dla_engine *e, const struct dla_queued *t,
                                   const struct dla_action_sem *a, uint32_t value)
{
    uint32_t id;

    if (e->board.syncpt_at && e->board.syncpt_at(e->board.opaque, a->address, &id)) {
        trace_emit(e->board.trace, TRACE_EVENT_SYNCPT_WAIT, e->board.agent, 0,
                   DLA_CHANNEL(e, t->desc.queue_id) - 1, id, a->value, value);
    } else {
        trace_emit(e->board.trace, TRACE_EVENT_SEM_ACQUIRE, e->board.agent, 0,
                   DLA_CHANNEL(e, t->desc.queue_id) - 1, a->address, a->value, value);
    }
}

static int wait_sem(struct dla_engine *e, const struct dla_queued *t, uint8_t opcode,
                    const uint8_t *operands, struct dla_failure *f)
{
    struct dla_action_sem a;
    uint32_t value;

    memcpy(&a, operands, sizeof(a));
    if (!dla_engine_get(e, a.address, &value, sizeof(value), "semaphore", f)) {
        return -1;
    }
    if (opcode == DLA_ACTION_SEM_EQ ? value != a.value : (int32_t)(value - a.value) < 0) {
        return 0;
    }
    engine_action_acquired(e, t, &a, value);
    return 1;
}

static int compare_status(struct dla_engine *e, const uint8_t *operands, struct dla_failure *f)
{
    struct dla_action_status a;
    struct dla_task_status s;

    memcpy(&a, operands, sizeof(a));
    if (!dla_engine_get(e, a.address, &s, sizeof(s), "task status", f)) {
        return -1;
    }
    if (s.status_task != a.status) {
        dla_failure_set(f, DLA_ERR_TASK_STATUS_MISMATCH,
                        "task status at 0x%" PRIx64 " is %u: the task wants %u", a.address,
                        s.status_task, a.status);
        return -1;
    }
    return 1;
}

int dla_actions_before(struct dla_engine *e, struct dla_queued *t, struct dla_failure *f)
{
    struct cursor c = cursor_begin(t, true);
    const uint8_t *operands;
    uint8_t opcode;

    for (unsigned n = 0; cursor_next(&c, &opcode, &operands); n++) {
        int r;

        if (n < t->done) {
            continue;
        }
        r = opcode == DLA_ACTION_TASK_STATUS_EQ ? compare_status(e, operands, f)
                                                : wait_sem(e, t, opcode, operands, f);
        if (r <= 0) {
            return r;
        }
        t->done++;
    }
    return 1;
}

/* --- after the task -------------------------------------------------------------------------- */

static bool write_sem(struct dla_engine *e, const struct dla_queued *t, uint8_t opcode,
                      const uint8_t *operands, struct dla_failure *f)
{
    uint64_t now = e->board.trace->now_ns;
    struct dla_action_sem a;
    uint32_t value;

    memcpy(&a, operands, sizeof(a));
    value = a.value;
    if (opcode == DLA_ACTION_INCREMENT_SEM) {
        if (!dla_engine_get(e, a.address, &value, sizeof(value), "semaphore", f)) {
            return false;
        }
        value += a.value;
    }
    if (opcode == DLA_ACTION_TS_SEM &&
        !dla_engine_put(e, a.address + 8, &now, sizeof(now), "semaphore's time", f)) {
        return false;
    }
    if (!e->board.syncpt_at || !e->board.syncpt_at(e->board.opaque, a.address, &(uint32_t){ 0 })) {
        trace_emit(e->board.trace, TRACE_EVENT_SEM_RELEASE, e->board.agent, 0,
                   DLA_CHANNEL(e, t->desc.queue_id) - 1, a.address, value, 0);
    } /* a syncpoint has a record of its own */
    return dla_engine_put(e, a.address, &value, sizeof(value), "semaphore", f);
}

static bool write_status(struct dla_engine *e, const uint8_t *operands, enum dla_err error,
                         struct dla_failure *f)
{
    struct dla_action_status a;
    struct dla_task_status s = { .timestamp = e->board.trace->now_ns, .status_engine = error };

    memcpy(&a, operands, sizeof(a));
    s.status_task = error ? DLA_TASK_STATUS_ERROR : a.status;
    return dla_engine_put(e, a.address, &s, sizeof(s), "task status", f);
}

static bool write_time(struct dla_engine *e, const uint8_t *operands, struct dla_failure *f)
{
    uint64_t now = e->board.trace->now_ns;
    struct dla_action_time a;

    memcpy(&a, operands, sizeof(a));
    return dla_engine_put(e, a.address, &now, sizeof(now), "timestamp", f);
}

bool dla_actions_after(struct dla_engine *e, const struct dla_queued *t, enum dla_err error,
                       struct dla_failure *f)
{
    struct cursor c = cursor_begin(t, false);
    struct dla_failure later;
    const uint8_t *operands;
    bool all = true;
    uint8_t opcode;

    while (cursor_next(&c, &opcode, &operands)) {
        struct dla_failure *why = all ? f : &later;
        bool ok = opcode == DLA_ACTION_TASK_STATUS ? write_status(e, operands, error, why)
                  : opcode == DLA_ACTION_TIMESTAMP ? write_time(e, operands, why)
                                                   : write_sem(e, t, opcode, operands, why);

        all = all && ok;
    }
    return all;
}

/* SPDX-License-Identifier: MIT */
/* cuRAND: a state is bytes in memory; numbers are made from it a slice at a time. */
#include "model/library/element.h"
#include "model/library/random/random.h"
#include "model/library/work.h"

#define FMA_A_NUMBER 8u /* inferred: about that many instructions of a real kernel */
#define FMA_A_NORMAL 40u

static const char *state_check(const struct library_operand *o, int64_t type)
{
    size_t bytes = random_state_bytes((enum random_type)type);

    if (bytes == 0 || o->type != LIBRARY_R_8U || library_operand_count(o) != bytes) {
        return "library call: no such generator of random numbers";
    }
    return NULL;
}

const char *library_random_seed_check(const struct library_call *c)
{
    if (c->n[6] < 1 || c->n[6] > (int64_t)RANDOM_DIMENSIONS || c->n[1] < 0 ||
        c->n[1] > RANDOM_ORDER_LEGACY) {
        return "library call: no such setting of random numbers";
    }
    return state_check(&c->operand[0], c->n[0]);
}

void library_random_seed_run(struct library_work *w)
{
    const int64_t *n = w->call->n;
    struct random_setup setup = {
        .type = (enum random_type)n[0],
        .order = (enum random_order)n[1],
        .seed = (uint32_t)n[2] | (uint64_t)(uint32_t)n[3] << 32,
        .offset = (uint32_t)n[4] | (uint64_t)(uint32_t)n[5] << 32,
        .dimensions = (uint32_t)n[6],
    };

    random_state_init(w->data[0], &setup);
    w->cost.single += random_state_bytes(setup.type);
}

const char *library_random_check(const struct library_call *c)
{
    const struct library_operand *to = &c->operand[1];
    int64_t n = c->n[0], type = c->n[1], form = c->n[2];
    const char *why = state_check(&c->operand[0], type);
    unsigned step;

    if (why) {
        return why;
    }
    if (form < 0 || form >= RANDOM_FORMS) {
        return "library call: no such form of random numbers";
    }
    step = random_form_step((enum random_type)type, (enum random_form)form);
    if (step == 0 || n < 0 || n % step || library_operand_count(to) != (uint64_t)n ||
        library_type_bytes(to->type) != random_form_bytes((enum random_form)form)) {
        return "library call: no such vector of random numbers";
    }
    return NULL;
}

/* The state comes from memory, so it may be anything. */
void library_random_run(struct library_work *w)
{
    struct random_request r = {
        .form = (enum random_form)w->call->n[2],
        .mean = w->scalar[0][0],
        .deviation = w->scalar[1][0],
        .n = (uint64_t)w->call->n[0],
        .from = w->first,
        .count = w->count,
        .math = &random_math,
    };
    size_t bytes = library_operand_count(&w->call->operand[0]);

    if (!random_state_check(w->data[0], bytes, (enum random_type)w->call->n[1]) ||
        r.n % random_state_dimensions(w->data[0])) {
        w->why = "library call: the memory of a generator of random numbers was overwritten";
        return;
    }
    random_fill(w->data[0], &r, w->data[1]);
    w->cost.single += w->count * (random_form_is_normal(r.form) ? FMA_A_NORMAL : FMA_A_NUMBER);
}

/* SPDX-License-Identifier: MIT */
/* Which generator, and what its numbers are: random.h. */
#include "model/library/random/random_internal.h"

static const struct random_ops *random_ops_of(uint32_t type)
{
    static const struct random_ops *const all[] = { &xorwow_ops, &mrg_ops,     &philox_ops,
                                                    &mtgp_ops,   &sobol32_ops, &sobol64_ops };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if ((uint32_t)all[i]->type == type) {
            return all[i];
        }
    }
    return NULL;
}

size_t random_state_bytes(enum random_type type)
{
    const struct random_ops *ops = random_ops_of(type);

    return ops ? ops->bytes : 0;
}

size_t random_form_bytes(enum random_form form)
{
    return form == RANDOM_LONGS || form == RANDOM_UNIFORM_DOUBLE || form == RANDOM_NORMAL_DOUBLE ||
                   form == RANDOM_LOG_NORMAL_DOUBLE
               ? 8
               : 4;
}

bool random_form_is_normal(enum random_form form)
{
    return form == RANDOM_NORMAL || form == RANDOM_NORMAL_DOUBLE || form == RANDOM_LOG_NORMAL ||
           form == RANDOM_LOG_NORMAL_DOUBLE;
}

unsigned random_form_step(enum random_type type, enum random_form form)
{
    bool pairs = type == RANDOM_XORWOW || type == RANDOM_MRG32K3A;

    if (form == RANDOM_POISSON || (form == RANDOM_LONGS && type != RANDOM_SOBOL64) ||
        (form == RANDOM_WORDS && type == RANDOM_SOBOL64)) {
        return 0;
    }
    return pairs && random_form_is_normal(form) ? 2 : 1;
}

void random_state_init(void *state, const struct random_setup *setup)
{
    struct random_head *head = state;
    bool quasi = setup->type >= RANDOM_SOBOL32;

    *head = (struct random_head){ .type = (uint32_t)setup->type,
                                  .dimensions = quasi ? setup->dimensions
                                                : setup->order == RANDOM_ORDER_LEGACY ? 2
                                                                                      : 1,
                                  .next = setup->offset };
    random_ops_of(head->type)->init(state, setup);
}

uint32_t random_state_dimensions(const void *state)
{
    const struct random_head *head = state;

    return head->type >= RANDOM_SOBOL32 ? head->dimensions : 1;
}

bool random_state_check(const void *state, size_t bytes, enum random_type type)
{
    const struct random_head *head = state;

    return bytes >= sizeof(*head) && head->type == (uint32_t)type &&
           bytes >= random_state_bytes(type) && head->dimensions >= 1 &&
           head->dimensions <= RANDOM_DIMENSIONS;
}

void random_fill(void *state, const struct random_request *request, void *out)
{
    const struct random_head *head = state;

    random_ops_of(head->type)->fill(state, request, out);
}

void random_streams_fill(const struct random_streams *kind, void *state,
                         const struct random_request *r, void *out)
{
    uint32_t words[4 * RANDOM_BATCH];
    struct random_head *head = state;
    unsigned n_words = kind->words(r->form), per_item = random_form_is_normal(r->form) ? 2 : 1;
    uint64_t items = r->count / per_item;
    uint8_t *to = out;

    while (items) {
        uint32_t first = (uint32_t)(head->next % kind->n_streams);
        uint64_t count = kind->n_streams - first;

        count = count < items ? count : items;
        count = count < RANDOM_BATCH ? count : RANDOM_BATCH;
        for (unsigned k = 0; k < n_words; k++) {
            kind->draw(state, first, (size_t)count, words + k * RANDOM_BATCH);
        }
        kind->put(r, words, (size_t)count, to);
        to += count * per_item * random_form_bytes(r->form);
        head->next += count;
        items -= count;
    }
}

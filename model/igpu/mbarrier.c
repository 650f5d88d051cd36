/* SPDX-License-Identifier: MIT */
/* The arithmetic of mbarrier objects; see mbarrier.h. */
#include "model/igpu/mbarrier.h"
#include "model/regs/regs.h"
#include <stddef.h>

#define EXPECTED_SHIFT 20
#define TX_SHIFT 40
#define TX_MASK ((UINT64_C(1) << 21) - 1)
#define MARK_SHIFT 61
#define MARK_MASK UINT64_C(3)
#define MARK UINT64_C(1)
#define PARITY_SHIFT 63

struct object {
    uint32_t pending, expected, parity;
    int32_t tx;
};

static bool word_is_object(uint64_t word)
{
    return (word >> MARK_SHIFT & MARK_MASK) == MARK;
}

static struct object object_get(uint64_t word)
{
    uint64_t tx = word >> TX_SHIFT & TX_MASK;

    return (struct object){
        .pending = (uint32_t)word & MBARRIER_COUNT_MAX,
        .expected = (uint32_t)(word >> EXPECTED_SHIFT) & MBARRIER_COUNT_MAX,
        .parity = (uint32_t)(word >> PARITY_SHIFT),
        .tx = tx > MBARRIER_COUNT_MAX ? (int32_t)tx - (1 << 21) : (int32_t)tx,
    };
}

static uint64_t object_word(const struct object *o)
{
    return o->pending | (uint64_t)o->expected << EXPECTED_SHIFT |
           ((uint64_t)(int64_t)o->tx & TX_MASK) << TX_SHIFT | MARK << MARK_SHIFT |
           (uint64_t)o->parity << PARITY_SHIFT;
}

static const char *mbarrier_rule(enum chan_error_reason reason)
{
    static const char *const text[] = { [CHAN_REASON_NONE] = NULL,
#define X(name, said) [CHAN_REASON_##name] = (said),
                                        CHAN_REASONS(X)
#undef X
    };

    return text[reason];
}

/* The current phase is over as soon as nothing is pending. */
static void object_put(uint64_t *word, struct object o)
{
    if (!o.pending && !o.tx) {
        o.parity ^= 1;
        o.pending = o.expected;
    }
    *word = object_word(&o);
}

static bool bytes_add(struct object *o, int64_t bytes)
{
    int64_t tx = o->tx + bytes;

    if (tx < -(int64_t)MBARRIER_COUNT_MAX || tx > (int64_t)MBARRIER_COUNT_MAX) {
        return false;
    }
    o->tx = (int32_t)tx;
    return true;
}

const char *mbarrier_init(uint64_t *word, uint32_t count)
{
    struct object o = { .pending = count, .expected = count };

    if (count - 1 >= MBARRIER_COUNT_MAX) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_COUNT);
    }
    *word = object_word(&o);
    return NULL;
}

const char *mbarrier_inval(uint64_t *word)
{
    if (!word_is_object(*word)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ABSENT);
    }
    *word = 0;
    return NULL;
}

const char *mbarrier_arrive(uint64_t *word, const struct mbarrier_arrival *a, uint64_t *state)
{
    struct object o = object_get(*word);

    if (!word_is_object(*word)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ABSENT);
    }
    if (a->count - 1 >= MBARRIER_COUNT_MAX || (a->inc && o.pending == MBARRIER_COUNT_MAX)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_COUNT);
    }
    if (!bytes_add(&o, a->bytes)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_BYTES);
    }
    *state = object_word(&o);
    o.pending += a->inc;
    if (a->count > o.pending || (a->drop && a->count > o.expected)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ARRIVALS);
    }
    o.pending -= a->count;
    o.expected -= a->drop ? a->count : 0;
    if (a->no_complete && !o.pending && !o.tx) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_COMPLETES);
    }
    object_put(word, o);
    return NULL;
}

static const char *bytes_change(uint64_t *word, int64_t bytes)
{
    struct object o = object_get(*word);

    if (!word_is_object(*word)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ABSENT);
    }
    if (!bytes_add(&o, bytes)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_BYTES);
    }
    object_put(word, o);
    return NULL;
}

const char *mbarrier_expect(uint64_t *word, uint32_t bytes)
{
    return bytes_change(word, bytes);
}

const char *mbarrier_complete(uint64_t *word, uint32_t bytes)
{
    return bytes_change(word, -(int64_t)bytes);
}

const char *mbarrier_test(uint64_t word, uint64_t state, bool *done)
{
    if (!word_is_object(word)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ABSENT);
    }
    if (!word_is_object(state)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_STATE);
    }
    *done = (word ^ state) >> PARITY_SHIFT;
    return NULL;
}

const char *mbarrier_test_parity(uint64_t word, uint32_t parity, bool *done)
{
    if (!word_is_object(word)) {
        return mbarrier_rule(CHAN_REASON_MBARRIER_ABSENT);
    }
    *done = (word >> PARITY_SHIFT) != (parity & 1);
    return NULL;
}

uint32_t mbarrier_pending(uint64_t state)
{
    return object_get(state).pending;
}

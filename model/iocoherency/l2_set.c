/* SPDX-License-Identifier: MIT */
#include "model/iocoherency/l2_set.h"

#include <glib.h>

#define ORDER_START UINT64_C(0xfedcba9876543210)
#define HOST_LINE 64u

static unsigned used_words(const struct l2_sets *s)
{
    return (s->sets + 63) / 64;
}

/* All memory is zero, and the host gives it page by page when it is used: a big cache costs a
 * program nothing that hardly uses it. */
void l2_sets_init(struct l2_sets *s, uint64_t bytes, unsigned ways)
{
    g_assert(ways <= L2_WAYS_MAX);
    s->ways = MAX(ways, 1);
    s->sets = (unsigned)MAX(bytes / BUS_LINE / s->ways, 1);
    s->shift = s->sets & (s->sets - 1) ? 0 : (unsigned)__builtin_ctz(s->sets);
    s->tag_memory = g_malloc0((size_t)s->sets * sizeof(*s->tag) + HOST_LINE);
    s->tag = (void *)(((uintptr_t)s->tag_memory + HOST_LINE - 1) & ~(uintptr_t)(HOST_LINE - 1));
    s->set = g_new0(struct l2_set, s->sets);
    s->known = g_new0(uint8_t, s->sets);
    s->used = g_new0(uint64_t, used_words(s));
    s->epoch = 1;
}

void l2_sets_free(struct l2_sets *s)
{
    g_free(s->tag_memory);
    g_free(s->set);
    g_free(s->known);
    g_free(s->used);
}

void l2_sets_clear(struct l2_sets *s)
{
    if (++s->epoch == 0) { /* all numbers have been used */
        memset(s->set, 0, s->sets * sizeof(*s->set));
        s->epoch = 1;
    }
}

void l2_set_renew(struct l2_sets *s, unsigned set)
{
    memset(s->tag[set], 0, sizeof(s->tag[set]));
    s->set[set] = (struct l2_set){ ORDER_START, s->epoch, 0 };
}

void l2_set_drop(struct l2_sets *s, uint32_t line)
{
    unsigned way, set = l2_line_set(s, line, &way);

    s->tag[set][way] = L2_TAG_NONE;
    s->set[set].lines--;
}

/* The first set from @from on that may have a line, s->sets if there is none. */
static unsigned used_next(const struct l2_sets *s, unsigned from)
{
    uint64_t left;

    for (unsigned word = from / 64; word < used_words(s); word++) {
        left = word == from / 64 ? s->used[word] >> from % 64 << from % 64 : s->used[word];
        if (left) {
            return word * 64 + (unsigned)__builtin_ctzll(left);
        }
    }
    return s->sets;
}

/* One set's turn. A set without a line is not looked at again until it gets one. */
static bool set_choose(struct l2_sets *s, unsigned set, uint64_t way, uint32_t *line)
{
    const uint32_t *tag = l2_set_tags(s, set);

    way %= s->known[set];
    if (tag[way] == L2_TAG_NONE) {
        if (l2_tags_equal(tag, L2_TAG_NONE) == (1u << L2_WAYS_MAX) - 1) {
            s->used[set / 64] &= ~(UINT64_C(1) << set % 64);
        }
        return false;
    }
    *line = l2_line_number(s, set, (unsigned)way);
    return true;
}

bool l2_sets_choose(struct l2_sets *s, unsigned first, uint64_t way, uint32_t *line)
{
    for (unsigned lap = 0; lap < 2; lap++) {
        unsigned end = lap ? first : s->sets;

        for (unsigned i = used_next(s, lap ? 0 : first); i < end; i = used_next(s, i + 1)) {
            if (set_choose(s, i, way, line)) {
                return true;
            }
        }
    }
    return false;
}

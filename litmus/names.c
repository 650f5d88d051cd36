/* SPDX-License-Identifier: MIT */
/* Results in words: verdicts, items, outcomes. */
#include "litmus/litmus.h"

static const char *const verdict_names[] = { "allowed", "forbidden", "unseen", "holds", "fails" };

const char *litmus_verdict_name(enum litmus_verdict v)
{
    return verdict_names[v];
}

bool litmus_verdict_meets(enum litmus_verdict found, enum litmus_verdict expected)
{
    return found == (expected == LITMUS_FORBIDDEN ? LITMUS_UNSEEN : expected);
}

char *litmus_item_text(const struct litmus_test *test, unsigned n)
{
    const struct litmus_item *item = &test->item[n];
    const struct litmus_thread *t = &test->thread[item->thread];
    const char *loc = item->index < LITMUS_LOCS ? test->loc[item->index].name : NULL;

    switch (item->kind) {
    case LITMUS_ITEM_REG:
        return g_strdup_printf("%s:%s%u", t->name, t->agent == LITMUS_CPU ? "W" : "r",
                               t->reg_number[item->index]);
    case LITMUS_ITEM_EXPR:
        return g_strdup_printf("%s:X%u", t->name, item->number);
    case LITMUS_ITEM_MEM:
        return g_strdup(loc);
    case LITMUS_ITEM_CPU:
        return g_strdup_printf("cpu.%s", loc);
    case LITMUS_ITEM_IGPU:
        return g_strdup_printf("igpu.%s", loc);
    case LITMUS_ITEM_DGPU:
        return g_strdup_printf("dgpu.%s", loc);
    case LITMUS_ITEM_DRAM:
        return g_strdup_printf("dram.%s", loc);
    case LITMUS_ITEM_FAULT:
    case LITMUS_ITEM_BLOCKED:
        break;
    }
    return g_strdup_printf("%s(%s)", item->kind == LITMUS_ITEM_FAULT ? "fault" : "blocked",
                           t->name);
}

char *litmus_outcome_text(const struct litmus_test *test, const struct litmus_outcome *o)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < test->items; i++) {
        char *name;

        if (test->item[i].kind >= LITMUS_ITEM_FAULT) {
            continue; /* said below */
        }
        name = litmus_item_text(test, i);
        g_string_append_printf(text, "%s%s=", text->len ? " " : "", name);
        if (o->known >> i & 1) {
            g_string_append_printf(text, "%" G_GUINT64_FORMAT, o->value[i]);
        } else {
            g_string_append_c(text, '-');
        }
        g_free(name);
    }
    for (unsigned t = 0; t < test->threads; t++) {
        if (o->fault >> t & 1) {
            g_string_append_printf(text, "%s%s faults", text->len ? " " : "", test->thread[t].name);
        }
        if (o->blocked >> t & 1) {
            g_string_append_printf(text, "%s%s never ends", text->len ? " " : "",
                                   test->thread[t].name);
        }
    }
    return g_string_free(text, FALSE);
}

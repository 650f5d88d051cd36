/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <glib.h>

/* "5d41402a of 2026-11-22 09:12" */
static char *contract_text(const struct contract *c)
{
    g_autoptr(GDateTime) time = c->time ? g_date_time_new_from_unix_utc(c->time) : NULL;
    g_autofree char *date = time ? g_date_time_format(time, " of %F %R") : g_strdup("");

    return c->hash ? g_strdup_printf("%08x%s", (unsigned)(c->hash >> 32), date)
                   : g_strdup("without a number");
}

/* Below 0: @a is older; 0: unknown. */
static int contract_order(const struct contract *a, const struct contract *b)
{
    if (!a->hash || !b->hash) {
        return (a->hash != 0) - (b->hash != 0);
    }
    return a->time && b->time ? (a->time > b->time) - (a->time < b->time) : 0;
}

char *contract_refusal(const struct contract *a, const struct contract_side *a_is,
                       const struct contract *b, const struct contract_side *b_is)
{
    g_autofree char *a_text = contract_text(a), *b_text = contract_text(b);
    int order = contract_order(a, b);
    const struct contract_side *older = order < 0 ? a_is : b_is;

    if (a->hash && a->hash == b->hash) {
        return NULL;
    }
    if (order == 0) {
        return g_strdup_printf("%s (%s) and %s (%s) are of different sources, which is older is "
                               "not known: %s, %s",
                               a_is->name, a_text, b_is->name, b_text, a_is->mend, b_is->mend);
    }
    return g_strdup_printf("%s (%s) and %s (%s) are of different sources: %s is older; %s",
                           a_is->name, a_text, b_is->name, b_text, older->name, older->mend);
}

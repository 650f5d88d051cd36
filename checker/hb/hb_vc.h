/* SPDX-License-Identifier: MIT */
/* Operations on one vector clock. */
#ifndef CHECKER_HB_VC_H
#define CHECKER_HB_VC_H

#include <string.h>

#include "checker/hb/hb_clock.h"

static inline uint32_t vc_get(const struct hb_vc *v, unsigned i)
{
    return i < v->len ? v->at[i] : 0;
}

static inline void vc_room(struct hb_vc *v, unsigned len)
{
    if (len > v->len) {
        v->at = g_renew(uint32_t, v->at, len);
        memset(v->at + v->len, 0, (len - v->len) * sizeof(*v->at));
        v->len = len;
    }
}

/* Return: true if @to has learnt something. */
static inline bool vc_join(struct hb_vc *to, const struct hb_vc *from)
{
    bool changed = false;

    vc_room(to, from->len);
    for (unsigned i = 0; i < from->len; i++) {
        if (from->at[i] > to->at[i]) {
            to->at[i] = from->at[i];
            changed = true;
        }
    }
    return changed;
}

/* @to: an empty one, or a former clock of the same agent: those only grow. */
static inline void vc_copy(struct hb_vc *to, const struct hb_vc *from)
{
    vc_room(to, from->len);
    memcpy(to->at, from->at, from->len * sizeof(*to->at));
}

static inline void vc_clear(struct hb_vc *v)
{
    g_free(v->at);
    *v = (struct hb_vc){ 0 };
}

#endif

/* SPDX-License-Identifier: MIT */
/* Operations between the lanes of a warp: PTX ISA 9.7.9.6 (shfl), 9.7.13. */
#include "model/igpu/race/race.h"
#include "model/igpu/sm_lanes.h"

/* The membermask of a lane always has the lane itself; PTX leaves anything else undefined. Lanes
 * that wait for each other at different instructions: meet.c. */
static u32 member_mask(const struct ptx_uop *u, uint8_t *rf, u32 masks, u32 m, u32 lane)
{
    return u->flags & PTX_SYNC_ACTIVE ? m : SLOT(u32, masks)[lane] | 1u << lane;
}

/* Lanes whose partners are all here: those of their membermask that have not exited. The others
 * wait at this instruction. Return: who goes on; 0 when nobody does and the loop is to be left. */
static u32 sync_ready(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m, u32 masks)
{
    u32 ready = 0;

    if (m == w->live || (u->flags & PTX_SYNC_ACTIVE)) {
        return m;
    }
    LANES_OF(m)
    {
        u32 wanted = member_mask(u, rf, masks, m, l) & w->live;

        ready |= (wanted & ~m) == 0 ? 1u << l : 0;
    }
    return ready;
}

/* Park the lanes that must wait, and let the lanes that are through go on by themselves. */
static const struct ptx_uop *sync_leave(struct warp *w, const struct ptx_uop *u, u32 m, u32 ready)
{
    u32 pc, through = w->active & ~(m & ~ready);

    if (ready == m) { /* @u may be no part of the code: meet.c */
        return u + 1;
    }
    pc = (u32)(u - w->code);
    warp_count(w, u->inst + (ready != 0));
    fragment_wait(w, w->frame, pc, m & ~ready, WAIT_WARP, 0);
    if (through) {
        fragment_add(w, w->frame, pc + 1, through);
    }
    return warp_leave(w, u + 1, EVENT_PICK);
}

HANDLER(BAR_WARP_SYNC)
{
    u32 ready = sync_ready(w, u, rf, m, u->d);

    if (w->grid->race) {
        race_warp_sync(w, SLOT(const u32, u->d), ready);
    }
    return sync_leave(w, u, m, ready);
}

/* Each group of equal membermasks decides for itself. @mine: the lanes of a lane's group. */
#define GROUP(masks) (member_mask(u, rf, masks, m, l) & ready)

#define VOTE(name, expr)                                                  \
    HANDLER(name)                                                         \
    {                                                                     \
        u32 ready = sync_ready(w, u, rf, m, u->b), p = PRED(u->a), r = 0; \
        LANES_OF(ready)                                                   \
        {                                                                 \
            u32 group = GROUP(u->b);                                      \
            r |= (expr) ? 1u << l : 0;                                    \
        }                                                                 \
        pred_write(rf, u->d, ready, r);                                   \
        return sync_leave(w, u, m, ready);                                \
    }

VOTE(VOTE_ALL, (p & group) == group)
VOTE(VOTE_ANY, (p & group) != 0)
VOTE(VOTE_UNI, (p & group) == group || (p & group) == 0)

HANDLER(VOTE_BALLOT)
{
    u32 ready = sync_ready(w, u, rf, m, u->b), p = PRED(u->a);

    LANES_OF(ready)
    {
        SLOT(u32, u->d)[l] = p & GROUP(u->b);
    }
    return sync_leave(w, u, m, ready);
}

HANDLER(ACTIVEMASK)
{
    LANES_OF(m)
    {
        SLOT(u32, u->d)[l] = m;
    }
    return u + 1;
}

/* elect.sync: the lowest lane of the membermask leads */
HANDLER(ELECT)
{
    u32 ready = sync_ready(w, u, rf, m, u->a), r = 0;

    LANES_OF(ready)
    {
        u32 leader = lane_first(GROUP(u->a));

        SLOT(u32, u->d)[l] = leader;
        r |= leader == l ? 1u << l : 0;
    }
    pred_write(rf, u->b, ready, r);
    return sync_leave(w, u, m, ready);
}

/* shfl, 9.7.9.6: c holds the segment mask in bits 8..12 and the clamp in bits 0..4. A source lane
 * out of range gives the lane's own value; one that is not here gives an undefined value in PTX,
 * and its register as it is here. */
enum shfl { UP, DOWN, BFLY, IDX };

static u32 shfl_source(enum shfl how, u32 lane, u32 b, u32 c, bool *in_range)
{
    u32 clamp = c & 31, segment = c >> 8 & 31, max = (lane & segment) | (clamp & ~segment);
    u32 min = lane & segment;
    int j;

    b &= 31;
    switch (how) {
    case UP:
        j = (int)lane - (int)b;
        *in_range = j >= (int)max;
        break;
    case DOWN:
        j = (int)(lane + b);
        *in_range = j <= (int)max;
        break;
    case BFLY:
        j = (int)(lane ^ b);
        *in_range = j <= (int)max;
        break;
    default:
        j = (int)(min | (b & ~segment));
        *in_range = j <= (int)max;
        break;
    }
    return *in_range ? (u32)j & 31 : lane;
}

static const struct ptx_uop *exec_shfl(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                       enum shfl how)
{
    u32 ready = sync_ready(w, u, rf, m, u->e), p = 0;
    u32 in[32], *d = SLOT(u32, u->d);

    memcpy(in, SLOT(u32, u->a), sizeof(in));
    LANES_OF(ready)
    {
        bool in_range;
        u32 from = shfl_source(how, l, SLOT(u32, u->b)[l], SLOT(u32, u->c)[l], &in_range);

        p |= in_range ? 1u << l : 0;
        d[l] = in[from];
    }
    if (u->flags & PTX_SHFL_PRED) {
        pred_write(rf, u->target, ready, p);
    }
    return sync_leave(w, u, m, ready);
}

HANDLER(SHFL_UP)
{
    return exec_shfl(w, u, rf, m, UP);
}

HANDLER(SHFL_DOWN)
{
    return exec_shfl(w, u, rf, m, DOWN);
}

HANDLER(SHFL_BFLY)
{
    return exec_shfl(w, u, rf, m, BFLY);
}

HANDLER(SHFL_IDX)
{
    return exec_shfl(w, u, rf, m, IDX);
}

/* match, 9.7.13.9 */
#define MATCH_ANY(name, type)                                                         \
    HANDLER(name)                                                                     \
    {                                                                                 \
        u32 ready = sync_ready(w, u, rf, m, u->b), out[32];                           \
        LANES_OF(ready)                                                               \
        {                                                                             \
            u32 group = GROUP(u->b);                                                  \
            out[l] = 0;                                                               \
            for (u32 k = 0; k < 32; k++) {                                            \
                if ((group >> k & 1) && SLOT(type, u->a)[k] == SLOT(type, u->a)[l]) { \
                    out[l] |= 1u << k;                                                \
                }                                                                     \
            }                                                                         \
        }                                                                             \
        LANES_OF(ready)                                                               \
        {                                                                             \
            SLOT(u32, u->d)[l] = out[l];                                              \
        }                                                                             \
        return sync_leave(w, u, m, ready);                                            \
    }

#define MATCH_ALL(name, type)                                                    \
    HANDLER(name)                                                                \
    {                                                                            \
        u32 ready = sync_ready(w, u, rf, m, u->b), out[32], p = 0;               \
        LANES_OF(ready)                                                          \
        {                                                                        \
            u32 group = GROUP(u->b);                                             \
            bool equal = true;                                                   \
            for (u32 k = 0; k < 32; k++) {                                       \
                if (group >> k & 1) {                                            \
                    equal = equal && SLOT(type, u->a)[k] == SLOT(type, u->a)[l]; \
                }                                                                \
            }                                                                    \
            out[l] = equal ? group : 0;                                          \
            p |= equal ? 1u << l : 0;                                            \
        }                                                                        \
        LANES_OF(ready)                                                          \
        {                                                                        \
            SLOT(u32, u->d)[l] = out[l];                                         \
        }                                                                        \
        pred_write(rf, u->c, ready, p);                                          \
        return sync_leave(w, u, m, ready);                                       \
    }

MATCH_ANY(MATCH_ANY_B32, u32)
MATCH_ANY(MATCH_ANY_B64, u64)
MATCH_ALL(MATCH_ALL_B32, u32)
MATCH_ALL(MATCH_ALL_B64, u64)

/* redux.sync, 9.7.13.10 */
#define REDUX(name, type, expr)                                 \
    HANDLER(name)                                               \
    {                                                           \
        u32 ready = sync_ready(w, u, rf, m, u->b), in[32];      \
        memcpy(in, SLOT(u32, u->a), sizeof(in));                \
        LANES_OF(ready)                                         \
        {                                                       \
            u32 group = GROUP(u->b), first = lane_first(group); \
            type acc = (type)in[first];                         \
            for (u32 k = first + 1; k < 32; k++) {              \
                if (group >> k & 1) {                           \
                    type v = (type)in[k];                       \
                    acc = (expr);                               \
                }                                               \
            }                                                   \
            SLOT(u32, u->d)[l] = (u32)acc;                      \
        }                                                       \
        return sync_leave(w, u, m, ready);                      \
    }

REDUX(REDUX_ADD, u32, acc + v)
REDUX(REDUX_MIN_S32, s32, acc < v ? acc : v)
REDUX(REDUX_MIN_U32, u32, acc < v ? acc : v)
REDUX(REDUX_MAX_S32, s32, acc > v ? acc : v)
REDUX(REDUX_MAX_U32, u32, acc > v ? acc : v)
REDUX(REDUX_AND, u32, acc &v)
REDUX(REDUX_OR, u32, acc | v)
REDUX(REDUX_XOR, u32, acc ^ v)

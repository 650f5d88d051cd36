/* SPDX-License-Identifier: MIT */
#include "model/igpu/race/know.h"

#include <glib.h>
#include <string.h>

/* Lists of so few entries are added one by one. */
#define SEARCH_STEPS 8u /* of a walk, that a search costs */
#define FEW 4u

struct know *know_ref(struct know *k)
{
    if (k) {
        k->refs++;
    }
    return k;
}

void know_drop(struct know *k)
{
    if (k && --k->refs == 0) {
        g_free(k);
    }
}

/* The first entry whose key is not below @key */
static uint32_t know_place(const struct know *k, uint64_t key)
{
    uint32_t low = 0, high = k->n;

    if (high && k->e[high - 1].key < key) { /* blocks and threads come in order, mostly */
        return high;
    }
    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (k->e[mid].key < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

uint64_t know_find(const struct know *k, uint64_t key)
{
    uint32_t i = k ? know_place(k, key) : 0;

    return k && i < k->n && k->e[i].key == key ? k->e[i].stamp : 0;
}

bool know_covers(const struct know *k, uint64_t thread, uint64_t stamp)
{
    return k &&
           (know_find(k, know_thread(thread)) >= stamp ||
            know_find(k, know_warp(thread)) >= stamp || know_find(k, know_block(thread)) >= stamp);
}

static struct know *know_new(uint32_t room)
{
    struct know *k = g_malloc(sizeof(*k) + room * sizeof(k->e[0]));

    k->refs = 1;
    k->n = 0;
    k->room = room;
    return k;
}

/* The result has no other holder, and room for one more entry. */
static struct know *know_own(struct know *k, uint64_t *work)
{
    uint32_t n = k ? k->n : 0;
    struct know *own;

    if (k && k->refs == 1) {
        if (n < k->room) {
            return k;
        }
        k->room = 2 * n;
        *work += n;
        return g_realloc(k, sizeof(*k) + k->room * sizeof(k->e[0]));
    }
    own = know_new(MAX(FEW, n + n / 4 + 1));
    if (k) {
        memcpy(own->e, k->e, n * sizeof(k->e[0]));
        own->n = n;
        *work += n;
        know_drop(k);
    }
    return own;
}

struct know *know_add(struct know *a, uint64_t key, uint64_t stamp, uint64_t *work)
{
    uint32_t i;

    (*work)++;
    if (stamp == 0 || know_find(a, key) >= stamp) {
        return a;
    }
    a = know_own(a, work);
    i = know_place(a, key);
    if (i == a->n || a->e[i].key != key) {
        memmove(&a->e[i + 1], &a->e[i], (a->n - i) * sizeof(a->e[0]));
        *work += a->n - i;
        a->n++;
        a->e[i].key = key;
    }
    a->e[i].stamp = stamp;
    return a;
}

/* Both side by side: a search for each entry costs as much as many steps, as soon as lists are
 * long.
 */
static bool know_walk(const struct know *a, const struct know *b)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        while (k < a->n && a->e[k].key < b->e[i].key) {
            k++;
        }
        if (k == a->n || a->e[k].key != b->e[i].key || a->e[k].stamp < b->e[i].stamp) {
            return false;
        }
    }
    return true;
}

static bool know_has(const struct know *a, const struct know *b, uint64_t *work)
{
    if (a->n / SEARCH_STEPS <= b->n) {
        *work += b->n;
        return know_walk(a, b);
    }
    *work += (uint64_t)b->n * SEARCH_STEPS;
    for (uint32_t i = 0; i < b->n; i++) {
        if (know_find(a, b->e[i].key) < b->e[i].stamp) {
            return false;
        }
    }
    return true;
}

static struct know *know_merge(const struct know *a, const struct know *b)
{
    struct know *r = know_new(a->n + b->n + FEW);
    uint32_t i = 0, j = 0;

    while (i < a->n || j < b->n) {
        if (j == b->n || (i < a->n && a->e[i].key < b->e[j].key)) {
            r->e[r->n++] = a->e[i++];
        } else if (i == a->n || b->e[j].key < a->e[i].key) {
            r->e[r->n++] = b->e[j++];
        } else {
            r->e[r->n++] = a->e[i].stamp >= b->e[j].stamp ? a->e[i] : b->e[j];
            i++;
            j++;
        }
    }
    return r;
}

struct know *know_join(struct know *a, struct know *b, uint64_t *work)
{
    struct know *r;

    if (!b || a == b) {
        return a;
    }
    if (!a) {
        return know_ref(b);
    }
    if (b->n <= FEW) {
        *work += b->n;
        for (uint32_t i = 0; i < b->n; i++) {
            a = know_add(a, b->e[i].key, b->e[i].stamp, work);
        }
        return a;
    }
    if (know_has(a, b, work)) {
        return a;
    }
    *work += a->n;
    r = know_merge(a, b);
    know_drop(a);
    return r;
}

bool know_of_block(const struct know *k, uint64_t block)
{
    static const unsigned shift[] = { KNOW_THREAD_BITS, KNOW_THREAD_BITS - KNOW_WARP_BITS, 0,
                                      KNOW_THREAD_BITS };

    for (uint32_t i = 0; k && i < k->n; i++) {
        if (k->e[i].key >> 2 >> shift[k->e[i].key & 3] == block) {
            return true;
        }
    }
    return false;
}

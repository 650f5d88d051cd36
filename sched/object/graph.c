/* SPDX-License-Identifier: MIT */
#include "sched/object/graph.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NODES (1u << 17)
#define EDGES (1u << 16)
#define BUCKETS (1u << 16)
#define EVENTS (1u << 16) /* the newest; what came before them is in doubt */
#define KNOWN_MAX 256u
#define QUEUE (1u << 12)
#define INSTANCES 8u                         /* of one pair and thread: the newest */
#define STEPS_MAX (UINT64_C(1) << 28)        /* of all searches: about a second */
#define STEPS_MAX_OF_ONE (UINT64_C(1) << 16) /* of the rings through one edge */

struct edge {
    struct graph_edge e;
    struct node *to;
    uint32_t to_life;
    struct edge *next; /* out of the same node, or free */
};

struct node {
    const void *address; /* NULL: free */
    struct node *next;   /* in the bucket, or free */
    struct edge *out;
    uint32_t life, stamp;
    bool excluded;
};

struct event {
    uint64_t from, to;
};

static struct {
    struct node *nodes, *free_nodes, **bucket;
    struct edge *edges, *free_edges;
    struct event *event;
    unsigned n_nodes, n_edges, in_use; /* ever used; in use: nodes */
    uint64_t events, steps, steps_of_one;
    uint32_t stamp;
    bool gave_up;
    unsigned n_rings;
} g;

static struct graph_ring rings[GRAPH_RINGS];
static _Atomic uint8_t watched[1u << 16]; /* by page */

/* --- memory ----------------------------------------------------------------------------------- */

static void *graph_room(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* Untouched pages cost nothing. */
static bool graph_rooms(void)
{
    if (g.nodes) {
        return true;
    }
    g.bucket = graph_room(BUCKETS * sizeof(struct node *));
    g.edges = graph_room(EDGES * sizeof(struct edge));
    g.event = graph_room(EVENTS * sizeof(struct event));
    g.nodes = graph_room(NODES * sizeof(struct node));
    g.gave_up = !g.bucket || !g.edges || !g.event || !g.nodes;
    return !g.gave_up;
}

void graph_reset(void)
{
    if (g.nodes) {
        munmap(g.bucket, BUCKETS * sizeof(struct node *));
        munmap(g.edges, EDGES * sizeof(struct edge));
        munmap(g.event, EVENTS * sizeof(struct event));
        munmap(g.nodes, NODES * sizeof(struct node));
    }
    memset(&g, 0, sizeof(g));
    memset(watched, 0, sizeof(watched));
}

static uint64_t graph_mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static struct node **bucket_of(const void *address)
{
    return &g.bucket[graph_mix((uint64_t)(uintptr_t)address) % BUCKETS];
}

static struct node *node_find(const void *address)
{
    struct node *n = *bucket_of(address);

    while (n && n->address != address) {
        n = n->next;
    }
    return n;
}

static _Atomic uint8_t *watch_of(uintptr_t page)
{
    return &watched[page % (sizeof(watched) / sizeof(watched[0]))];
}

static struct node *node_at(const void *address)
{
    struct node *n = node_find(address), **bucket = bucket_of(address);

    if (n) {
        return n;
    }
    n = g.free_nodes;
    if (n) {
        g.free_nodes = n->next;
    } else if (g.n_nodes < NODES) {
        n = &g.nodes[g.n_nodes++];
    } else {
        g.gave_up = true;
        return NULL;
    }
    *n = (struct node){ .address = address, .next = *bucket, .life = n->life };
    *bucket = n;
    g.in_use++;
    atomic_store_explicit(watch_of((uintptr_t)address >> 12), 1, memory_order_relaxed);
    return n;
}

static void edge_free(struct edge *e)
{
    e->next = g.free_edges;
    g.free_edges = e;
}

static void node_free(struct node *n)
{
    struct node **at = bucket_of(n->address);

    while (*at != n) {
        at = &(*at)->next;
    }
    *at = n->next;
    while (n->out) {
        struct edge *e = n->out;

        n->out = e->next;
        edge_free(e);
    }
    n->address = NULL;
    n->life++; /* edges to it are void */
    n->next = g.free_nodes;
    g.free_nodes = n;
    g.in_use--;
}

bool graph_watches(const void *start, size_t size)
{
    uintptr_t first = (uintptr_t)start >> 12, last = ((uintptr_t)start + size - 1) >> 12;

    if (!size || last - first >= sizeof(watched) / sizeof(watched[0])) {
        return size != 0;
    }
    for (uintptr_t page = first; page <= last; page++) {
        if (atomic_load_explicit(watch_of(page), memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

#define LOCK_ALIGN 4u /* pthread_spinlock_t */

bool graph_forget(const void *start, size_t size)
{
    uintptr_t first = ((uintptr_t)start + LOCK_ALIGN - 1) & ~(uintptr_t)(LOCK_ALIGN - 1);
    uintptr_t end = (uintptr_t)start + size;
    unsigned before = g.in_use;

    if (!g.in_use) {
        return false;
    }
    if (size / LOCK_ALIGN < g.n_nodes) {
        for (uintptr_t a = first; a < end; a += LOCK_ALIGN) {
            struct node *n = node_find((const void *)a);

            if (n) {
                node_free(n);
            }
        }
        return g.in_use < before;
    }
    for (unsigned i = 0; i < g.n_nodes; i++) {
        uintptr_t a = (uintptr_t)g.nodes[i].address;

        if (a && a >= first && a < end) {
            node_free(&g.nodes[i]);
        }
    }
    return g.in_use < before;
}

void graph_exclude(const void *lock)
{
    struct node *n = graph_rooms() && !g.gave_up ? node_at(lock) : NULL;

    if (n) {
        n->excluded = true;
    }
}

/* --- time ------------------------------------------------------------------------------------- */

void graph_event(uint64_t from, uint64_t to)
{
    if (!g.gave_up && graph_rooms()) {
        g.event[g.events++ % EVENTS] = (struct event){ from, to };
    }
}

static bool known_has(const uint64_t *known, unsigned n, uint64_t who)
{
    for (unsigned i = 0; i < n; i++) {
        if (known[i] == who) {
            return true;
        }
    }
    return false;
}

/* Does @a come before @b in every schedule? True where it is not known. */
static bool comes_before(const struct graph_edge *a, const struct graph_edge *b)
{
    uint64_t known[KNOWN_MAX] = { a->thread };
    unsigned n = 1;

    if (g.events - a->when > EVENTS) {
        return true;
    }
    for (uint64_t i = a->when; i < b->when; i++) {
        const struct event *e = &g.event[i % EVENTS];

        g.steps++;
        if (known_has(known, n, e->from) && !known_has(known, n, e->to)) {
            if (n == KNOWN_MAX) {
                return true;
            }
            known[n++] = e->to;
        }
    }
    return known_has(known, n, b->thread);
}

static bool are_ordered(const struct graph_edge *a, const struct graph_edge *b)
{
    return a->when <= b->when ? comes_before(a, b) : comes_before(b, a);
}

/* --- rings ------------------------------------------------------------------------------------ */

static bool have_gate(const struct graph_edge *a, const struct graph_edge *b)
{
    for (unsigned i = 0; i < a->n_held; i++) {
        for (unsigned j = 0; j < b->n_held; j++) {
            if (a->held[i].address == b->held[j].address && !(a->held[i].read && b->held[j].read)) {
                return true;
            }
        }
    }
    return false;
}

/* One thread's are always ordered. */
static bool can_meet(const struct graph_edge *a, const struct graph_edge *b)
{
    return !have_gate(a, b) && !are_ordered(a, b);
}

/* The one that wants the lock waits for the one that holds it. */
static bool waits_for(const struct graph_edge *wants, const struct graph_edge *holds)
{
    return !(wants->to.read && holds->from.read);
}

static bool is_void(const struct edge *e)
{
    return e->to_life != e->to->life;
}

static bool steps_are_left(void)
{
    g.steps++;
    if (++g.steps_of_one > STEPS_MAX_OF_ONE || g.steps > STEPS_MAX) {
        g.gave_up = true;
    }
    return !g.gave_up;
}

/* Is there any way from @from to @to, in so few steps that a ring may come of it? */
static bool leads_to(struct node *from, const struct node *to, uint32_t not_of_thread)
{
    static struct node *queue[QUEUE];
    unsigned head = 0, tail = 0;

    g.stamp++;
    queue[tail++] = from;
    from->stamp = g.stamp;
    for (unsigned depth = 1; depth < GRAPH_RING && head < tail; depth++) {
        for (unsigned level = tail; head < level; head++) {
            for (struct edge *e = queue[head]->out; e && steps_are_left(); e = e->next) {
                if (is_void(e) || e->e.thread == not_of_thread || e->to->stamp == g.stamp) {
                    continue;
                }
                if (e->to == to || tail == QUEUE) {
                    return true;
                }
                e->to->stamp = g.stamp;
                queue[tail++] = e->to;
            }
        }
    }
    return false;
}

static uint64_t places_of(const struct graph_edge *e)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < SCHED_FRAMES; i++) {
        h = graph_mix(graph_mix(h + e->from_at.pc[i]) + e->to_at.pc[i]);
    }
    return graph_mix(h);
}

/* The same threads in each run, where several do the same. */
static bool is_lower(const struct graph_ring *a, const struct graph_ring *b)
{
    for (unsigned i = 0; i < a->n && i < b->n; i++) {
        if (a->edge[i].thread != b->edge[i].thread) {
            return a->edge[i].thread < b->edge[i].thread;
        }
    }
    return false;
}

static void ring_keep(const struct graph_edge *const *edge, unsigned n)
{
    static struct graph_ring ring;
    unsigned first = 0, i;

    ring.n = n;
    ring.places = 0;
    for (i = 0; i < n; i++) {
        first = edge[i]->thread < edge[first]->thread ? i : first;
        ring.places += places_of(edge[i]);
    }
    for (i = 0; i < n; i++) {
        ring.edge[i] = *edge[(first + i) % n];
    }
    for (i = 0; i < g.n_rings && rings[i].places != ring.places; i++) {
    }
    if (i < g.n_rings ? is_lower(&ring, &rings[i]) : i < GRAPH_RINGS) {
        rings[i] = ring;
        g.n_rings = i < g.n_rings ? g.n_rings : g.n_rings + 1;
    }
}

/* @edge, @n: the ring so far, which ends at @at. Return: it could be closed. */
static bool ring_close(const struct graph_edge **edge, unsigned n, const struct node *at,
                       const struct node *start)
{
    for (struct edge *e = at->out; e && steps_are_left(); e = e->next) {
        bool meets = !is_void(e) && !e->to->excluded && waits_for(edge[n - 1], &e->e);

        for (unsigned i = 0; meets && i < n; i++) {
            meets = can_meet(edge[i], &e->e);
        }
        if (!meets) {
            continue;
        }
        edge[n] = &e->e;
        if (e->to == start ? waits_for(&e->e, edge[0])
                           : n + 1 < GRAPH_RING && ring_close(edge, n + 1, e->to, start)) {
            if (e->to == start) {
                ring_keep(edge, n + 1);
            }
            return true;
        }
    }
    return false;
}

/* --- edges ------------------------------------------------------------------------------------ */

static bool is_same(const struct graph_edge *a, const struct graph_edge *b)
{
    if (a->segment != b->segment || a->n_held != b->n_held || a->from.read != b->from.read ||
        a->to.read != b->to.read || a->from_at.pc[0] != b->from_at.pc[0] ||
        a->to_at.pc[0] != b->to_at.pc[0]) {
        return false;
    }
    for (unsigned i = 0; i < a->n_held; i++) {
        if (a->held[i].address != b->held[i].address || a->held[i].read != b->held[i].read) {
            return false;
        }
    }
    return true;
}

/* Room for an edge from @from to @to. NULL: there is one, or no room. Void ones are cleared away.
 */
static struct edge *edge_new(struct node *from, struct node *to, const struct graph_edge *edge)
{
    struct edge *oldest = NULL, *e;
    unsigned instances = 0;

    for (struct edge **at = &from->out; (e = *at) != NULL;) {
        g.steps++;
        if (is_void(e)) {
            *at = e->next;
            edge_free(e);
            continue;
        }
        if (e->to == to && e->e.thread == edge->thread) {
            if (is_same(&e->e, edge)) {
                return NULL;
            }
            instances++;
            oldest = !oldest || e->e.when < oldest->e.when ? e : oldest;
        }
        at = &e->next;
    }
    if (instances >= INSTANCES) {
        return oldest;
    }
    e = g.free_edges;
    if (e) {
        g.free_edges = e->next;
    } else if (g.n_edges < EDGES) {
        e = &g.edges[g.n_edges++];
    } else {
        g.gave_up = true;
        return NULL;
    }
    e->next = from->out;
    from->out = e;
    return e;
}

void graph_add(const struct graph_edge *edge)
{
    const struct graph_edge *ring[GRAPH_RING];
    struct node *from, *to;
    struct edge *e;

    if (g.gave_up || !graph_rooms() || edge->from.address == edge->to.address) {
        return;
    }
    from = node_at(edge->from.address);
    to = node_at(edge->to.address);
    if (!from || !to || from->excluded || to->excluded || (e = edge_new(from, to, edge)) == NULL) {
        return;
    }
    e->e = *edge;
    e->e.when = g.events;
    e->to = to;
    e->to_life = to->life;
    ring[0] = &e->e;
    g.steps_of_one = 0;
    if (leads_to(to, from, edge->thread)) {
        ring_close(ring, 1, to, from);
    }
}

unsigned graph_rings(const struct graph_ring **out)
{
    *out = rings;
    return g.n_rings;
}

bool graph_gave_up(void)
{
    return g.gave_up;
}

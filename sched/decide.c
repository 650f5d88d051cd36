/* SPDX-License-Identifier: MIT */
#include "sched/decide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRIORITY_DRAWN (UINT64_C(1) << 63) /* above every priority that an agent falls to */
#define LENGTH_LOG_MIN 3u
#define LENGTH_LOG_MAX 20u

struct priority {
    uint32_t agent;
    uint64_t value;
};

/* Steps at which it could go on, and did not. */
struct waiting {
    uint32_t agent;
    uint64_t since, last;
};

struct entry {
    uint64_t at, value;
};
struct entries {
    struct entry *entry; /* ascending @at */
    size_t n, next;
};

/**
 * struct decide
 * @random: of the agents; @random_evict, @random_order: streams of their own, so that an eviction
 * or a launch more or less does not change who runs
 * @change: steps at which the one that runs falls, PCT
 * @waiting: of all agents; @patience: see fair()
 * @low: the next priority that a demoted agent falls to; sinks, and is below those of change points
 */
struct decide {
    struct decide_config config;
    uint64_t random, random_evict, random_order;
    struct priority *priority;
    size_t n_priorities, cap_priorities;
    struct waiting *waiting;
    size_t n_waiting, cap_waiting;
    uint64_t patience;
    uint64_t change[DECIDE_DEPTH_MAX];
    uint64_t low;
    bool fell; /* the one that ran has just been demoted */
    struct decide_counts *counts, own;
    uint64_t asked[DECIDE_CACHES], launches;
    int out;
    struct entries switches, evictions[DECIDE_CACHES], orders;
};

/* splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators"). */
static uint64_t decide_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t draw_below(struct decide *d, uint64_t n)
{
    return decide_draw(&d->random) % n; /* n is small: the bias is below 2^-40 */
}

/* --- no agent starves ----------------------------------------------------------------------------
 *
 * PCT takes a program to end, and so does "whoever runs goes on": threads that never end would
 * keep the turn for ever from one that would end the program. So whoever could go on and has not
 * for longer than any run takes goes on, as soon as those before it have fallen. A run that ends
 * within its length is none the wiser.
 */
#define PATIENCE_MIN 4096u
#define PATIENCE_MEASURING 1024u /* a run by which the length is found out */
#define PATIENCE_UNKNOWN (UINT64_C(1) << LENGTH_LOG_MAX)
#define PAUSE 16u /* steps at which others only were asked: who is woken, say */

static uint64_t decide_patience(const struct decide_config *config, bool measuring)
{
    uint64_t twice = 2 * config->length;

    if (!config->length) {
        return measuring ? PATIENCE_MEASURING : PATIENCE_UNKNOWN;
    }
    return twice > PATIENCE_MIN ? twice : PATIENCE_MIN;
}

static struct waiting *waiting_of(struct decide *d, uint32_t agent)
{
    for (size_t i = 0; i < d->n_waiting; i++) {
        if (d->waiting[i].agent == agent) {
            return &d->waiting[i];
        }
    }
    if (d->n_waiting == d->cap_waiting) {
        d->cap_waiting = d->cap_waiting ? d->cap_waiting * 2 : 64;
        d->waiting = realloc(d->waiting, d->cap_waiting * sizeof(*d->waiting));
        if (!d->waiting) {
            abort();
        }
    }
    d->waiting[d->n_waiting] = (struct waiting){ .agent = agent };
    return &d->waiting[d->n_waiting++];
}

/* Is one of them out of patience? */
static bool decide_starves(struct decide *d, const uint32_t *agent, unsigned n)
{
    uint64_t now = d->counts->steps;
    bool any = false;

    for (unsigned i = 0; n > 1 && i < n; i++) {
        struct waiting *w = waiting_of(d, agent[i]);

        if (!w->last || now - w->last > PAUSE) {
            w->since = now;
        }
        w->last = now;
        any |= now - w->since > d->patience;
    }
    return any;
}

static void goes_on(struct decide *d, uint32_t agent)
{
    waiting_of(d, agent)->since = d->counts->steps;
}

struct decide *decide_new(const struct decide_config *config)
{
    struct decide *d = calloc(1, sizeof(*d));
    unsigned points;

    if (!d) {
        abort();
    }
    d->config = *config;
    if (d->config.depth < 1) {
        d->config.depth = 1;
    }
    if (d->config.depth > DECIDE_DEPTH_MAX) {
        d->config.depth = DECIDE_DEPTH_MAX;
    }
    d->random = config->seed * UINT64_C(0xd1342543de82ef95) + 1;
    d->random_evict = config->seed ^ UINT64_C(0x65766963745f6c6e);
    d->random_order = config->seed ^ UINT64_C(0x6f726465725f6f66);
    d->low = PRIORITY_DRAWN / 2;
    d->patience = decide_patience(config, config->strategy == DECIDE_NONE);
    d->out = -1;
    d->counts = &d->own;
    points = d->config.strategy == DECIDE_PCT ? d->config.depth - 1 : 0;
    for (unsigned i = 0; i < points; i++) {
        uint64_t length = config->length;

        if (!length) {
            uint64_t log = LENGTH_LOG_MIN + draw_below(d, LENGTH_LOG_MAX - LENGTH_LOG_MIN + 1);

            length = UINT64_C(1) << log;
        }
        d->change[i] = 1 + draw_below(d, length);
    }
    return d;
}

static void entries_free(struct entries *e)
{
    free(e->entry);
}

void decide_free(struct decide *d)
{
    if (d) {
        entries_free(&d->switches);
        for (unsigned i = 0; i < DECIDE_CACHES; i++) {
            entries_free(&d->evictions[i]);
        }
        entries_free(&d->orders);
        free(d->priority);
        free(d->waiting);
        free(d);
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint32_t base, end;
} kinds[] = {
    { "cpu", 0, DECIDE_CHANNEL },
    { "channel", DECIDE_CHANNEL, DECIDE_QUEUE },
    { "queue", DECIDE_QUEUE, UINT32_MAX },
};

char *decide_agent_name(uint32_t agent, char *out, size_t size)
{
    unsigned kind = agent >= DECIDE_QUEUE ? 2 : agent >= DECIDE_CHANNEL ? 1 : 0;

    snprintf(out, size, "%s%" PRIu32, kinds[kind].name, agent - kinds[kind].base);
    return out;
}

bool decide_agent_parse(const char *text, uint32_t *agent)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t len = strlen(kinds[i].name);

        if (strncmp(text, kinds[i].name, len) == 0 && text[len] >= '0' && text[len] <= '9') {
            char *end;
            uint64_t n = strtoull(text + len, &end, 10);

            if (*end || n >= kinds[i].end - kinds[i].base) {
                return false;
            }
            *agent = kinds[i].base + (uint32_t)n;
            return true;
        }
    }
    return false;
}

/* --- the record ------------------------------------------------------------------------------- */

void decide_record(struct decide *d, int out)
{
    d->out = out;
}

static void decide_answer_record(struct decide *d, const char *text, int len)
{
    if (d->out >= 0 && len > 0 && write(d->out, text, (size_t)len) != len) {
        d->out = -1; /* a full disk: no half schedule is taken for a whole one, "end" is missing */
    }
}

static void record_switch(struct decide *d, uint32_t agent)
{
    char name[24], line[80];

    if (d->out >= 0) {
        decide_answer_record(d, line,
                             snprintf(line, sizeof(line), "switch %" PRIu64 " %s\n",
                                      d->counts->steps,
                                      decide_agent_name(agent, name, sizeof(name))));
    }
}

static const char *const cache_names[DECIDE_CACHES] = { "cpu", "l2" };

static void record_evict(struct decide *d, enum decide_cache cache, uint64_t number)
{
    char line[80];

    if (d->out >= 0) {
        decide_answer_record(d, line,
                             snprintf(line, sizeof(line), "evict %" PRIu64 " %s %" PRIu64 "\n",
                                      d->asked[cache], cache_names[cache], number));
    }
}

static void record_order(struct decide *d, uint32_t number)
{
    char line[80];

    if (d->out >= 0) {
        decide_answer_record(
            d, line,
            snprintf(line, sizeof(line), "order %" PRIu64 " %" PRIu32 "\n", d->launches, number));
    }
}

/* --- replay ----------------------------------------------------------------------------------- */

static void entries_add(struct entries *e, uint64_t at, uint64_t value)
{
    if ((e->n & (e->n - 1)) == 0) { /* a power of two, or none: full */
        e->entry = realloc(e->entry, (e->n ? e->n * 2 : 1) * sizeof(*e->entry));
        if (!e->entry) {
            abort();
        }
    }
    e->entry[e->n++] = (struct entry){ at, value };
}

static bool is_entry(const char *text)
{
    return strncmp(text, "switch", 6) == 0 || strncmp(text, "evict", 5) == 0 ||
           strncmp(text, "order", 5) == 0;
}

static bool parse_line(struct decide *d, const char *text)
{
    char word[32], rest;
    uint64_t at, number;
    uint32_t agent;
    struct entries *e;

    if (sscanf(text, "switch %" SCNu64 " %31s %c", &at, word, &rest) == 2) {
        e = &d->switches;
        if (!decide_agent_parse(word, &agent) || (e->n && e->entry[e->n - 1].at >= at)) {
            return false;
        }
        entries_add(e, at, agent);
        return true;
    }
    if (sscanf(text, "evict %" SCNu64 " %31s %" SCNu64 " %c", &at, word, &number, &rest) == 3) {
        for (unsigned i = 0; i < DECIDE_CACHES; i++) {
            e = &d->evictions[i];
            if (strcmp(word, cache_names[i]) == 0 && number &&
                !(e->n && e->entry[e->n - 1].at >= at)) {
                entries_add(e, at, number);
                return true;
            }
        }
        return false;
    }
    if (sscanf(text, "order %" SCNu64 " %" SCNu64 " %c", &at, &number, &rest) == 2) {
        e = &d->orders;
        if (!number || number > UINT32_MAX || (e->n && e->entry[e->n - 1].at >= at)) {
            return false;
        }
        entries_add(e, at, number);
        return true;
    }
    return !is_entry(text);
}

bool decide_replay(struct decide *d, const char *text, unsigned *line)
{
    char buffer[128];

    d->config.strategy = DECIDE_NONE;
    d->config.evict = false;
    d->patience = decide_patience(&d->config, false);
    for (*line = 1; *text; (*line)++) {
        size_t len = strcspn(text, "\n");
        bool entry = is_entry(text);

        if (entry && len >= sizeof(buffer)) {
            return false;
        }
        if (entry) {
            memcpy(buffer, text, len);
            buffer[len] = '\0';
            if (!parse_line(d, buffer)) {
                return false;
            }
        }
        text += len + (text[len] == '\n');
    }
    return true;
}

uint64_t decide_strayed(const struct decide *d)
{
    return d->counts->strayed;
}

/* The entry of @at, if there is one. Questions come in ascending order. */
static const struct entry *entries_at(struct entries *e, uint64_t at)
{
    while (e->next < e->n && e->entry[e->next].at < at) {
        e->next++;
    }
    return e->next < e->n && e->entry[e->next].at == at ? &e->entry[e->next] : NULL;
}

/* --- who -------------------------------------------------------------------------------------- */

static struct priority *priority_of(struct decide *d, uint32_t agent)
{
    for (size_t i = 0; i < d->n_priorities; i++) {
        if (d->priority[i].agent == agent) {
            return &d->priority[i];
        }
    }
    if (d->n_priorities == d->cap_priorities) {
        d->cap_priorities = d->cap_priorities ? d->cap_priorities * 2 : 64;
        d->priority = realloc(d->priority, d->cap_priorities * sizeof(*d->priority));
        if (!d->priority) {
            abort();
        }
    }
    d->priority[d->n_priorities] =
        (struct priority){ agent, decide_draw(&d->random) | PRIORITY_DRAWN };
    return &d->priority[d->n_priorities++];
}

void decide_demote(struct decide *d, uint32_t agent)
{
    d->fell = true;
    if (d->config.strategy == DECIDE_PCT) {
        priority_of(d, agent)->value = --d->low;
    }
}

static unsigned pick_pct(struct decide *d, const uint32_t *agent, unsigned n, uint32_t current)
{
    unsigned best = 0;
    uint64_t best_value = 0;

    for (unsigned i = 0; i + 1 < d->config.depth; i++) {
        if (d->change[i] == d->counts->steps) { /* below all drawn, above the demoted: d - i */
            priority_of(d, current)->value = PRIORITY_DRAWN - 1 - i;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = priority_of(d, agent[i])->value;

        if (value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

static unsigned index_of(const uint32_t *agent, unsigned n, uint32_t wanted, unsigned otherwise)
{
    for (unsigned i = 0; i < n; i++) {
        if (agent[i] == wanted) {
            return i;
        }
    }
    return otherwise;
}

static unsigned pick_default(struct decide *d, const uint32_t *agent, unsigned n, unsigned usual)
{
    const struct entry *e = entries_at(&d->switches, d->counts->steps);
    unsigned chosen = e ? index_of(agent, n, (uint32_t)e->value, n) : usual;

    if (chosen == n) {
        d->counts->strayed++;
        chosen = usual;
    }
    return chosen;
}

/* One after the other, where each shows that it only waits. */
static unsigned next_of(const uint32_t *agent, unsigned n, uint32_t current)
{
    unsigned i = 0;

    while (i < n && agent[i] <= current) {
        i++;
    }
    return i == n ? 0 : i;
}

unsigned decide_pick(struct decide *d, const uint32_t *agent, unsigned n, uint32_t current)
{
    unsigned going, usual, chosen;

    d->counts->steps++;
    if (decide_starves(d, agent, n)) {
        decide_demote(d, current);
    }
    going = d->fell ? n : index_of(agent, n, current, n);
    usual = d->fell ? next_of(agent, n, current) : going == n ? 0 : going;
    d->fell = false;
    switch (d->config.strategy) {
    case DECIDE_PCT:
        chosen = pick_pct(d, agent, n, current);
        break;
    case DECIDE_RANDOM:
        chosen = n > 1 ? (unsigned)draw_below(d, n) : 0;
        break;
    default:
        chosen = pick_default(d, agent, n, usual);
    }
    if (chosen != usual) {
        record_switch(d, agent[chosen]);
    }
    d->counts->switches += going != n && chosen != going;
    if (n > 1) {
        goes_on(d, agent[chosen]);
    }
    return chosen;
}

/* --- lines ------------------------------------------------------------------------------------ */

#define EVICT_ONE_IN 4u

uint64_t decide_evict(struct decide *d, enum decide_cache cache)
{
    uint64_t number = 0;

    d->asked[cache]++;
    d->counts->questions++;
    if (d->config.strategy == DECIDE_NONE) {
        const struct entry *e = entries_at(&d->evictions[cache], d->asked[cache]);

        number = e ? e->value : 0;
    } else if (d->config.evict && decide_draw(&d->random_evict) % EVICT_ONE_IN == 0) {
        number = decide_draw(&d->random_evict) | 1;
    }
    if (number) {
        d->counts->evictions++;
        record_evict(d, cache, number);
    }
    return number;
}

/* --- blocks ----------------------------------------------------------------------------------- */

uint32_t decide_order(struct decide *d)
{
    uint32_t number = 0;

    d->launches++;
    if (d->config.strategy == DECIDE_NONE) {
        const struct entry *e = entries_at(&d->orders, d->launches);

        number = e ? (uint32_t)e->value : 0;
    } else {
        uint64_t drawn = decide_draw(&d->random_order);

        number = drawn & 1 ? (uint32_t)(drawn >> 32) | 1 : 0; /* every second launch */
    }
    if (number) {
        record_order(d, number);
    }
    return number;
}

struct decide_counts decide_counts(const struct decide *d)
{
    return *d->counts;
}

void decide_count_in(struct decide *d, struct decide_counts *counts)
{
    *counts = *d->counts;
    d->counts = counts;
}

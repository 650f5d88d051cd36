/* SPDX-License-Identifier: MIT */
/* Records: sending them, and their text form, which is made from record.def. */
#include "trace/record.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/values.h"

const unsigned trace_event_class[TRACE_EVENT_COUNT] = {
#define EVENT(name, class, args) [TRACE_EVENT_##name] = TRACE_##class,
#include "trace/record.def"
#undef EVENT
};

/* Not its kernels' names, its locks and its caches: they are its own. */
bool trace_orders_programs(enum trace_event event)
{
    switch (event) {
    case TRACE_EVENT_DOORBELL:
    case TRACE_EVENT_SEGMENT:
    case TRACE_EVENT_DLA_TASK_SUBMIT:
    case TRACE_EVENT_DLA_TASK_BEGIN:
    case TRACE_EVENT_SYNCPT_INCR:
    case TRACE_EVENT_SYNCPT_WAIT:
    case TRACE_EVENT_SEM_ACQUIRE:
    case TRACE_EVENT_CPU_WAITED:
        return true;
    default:
        return false;
    }
}

static const struct {
    const char *name, *args;
} events[TRACE_EVENT_COUNT] = {
#define EVENT(name, class, args) [TRACE_EVENT_##name] = { #name, args },
#include "trace/record.def"
#undef EVENT
};

static const char *const agents[BUS_AGENT_COUNT] = {
#define AGENT(NAME, name, words) [BUS_AGENT_##NAME] = name,
#define ENGINE(NAME, name, ...) [BUS_AGENT_##NAME] = #name,
#include "model/engines.h"
    [BUS_AGENT_DRIVER] = "driver",
};

const char *trace_event_name(enum trace_event e)
{
    return e < TRACE_EVENT_COUNT ? events[e].name : "UNKNOWN";
}

const char *trace_agent_name(uint32_t agent)
{
    return agent < BUS_AGENT_COUNT ? agents[agent] : "unknown";
}

void trace_emit_more(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                     const uint64_t arg[TRACE_ARGS])
{
    if (t->sink && (t->mask & trace_event_class[event])) {
        struct trace_record r = {
            .event = event,
            .agent = agent,
            .region = region,
            .channel = t->channel,
            .thread = agent == BUS_AGENT_CPU ? t->thread : 0,
            .time_ns = t->now_ns,
        };

        memcpy(r.arg, arg, sizeof(r.arg));
        if (t->spare) {
            trace_spare_sent(t, &r);
        }
        t->sink(t->opaque, &r);
    }
}

void trace_emit(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    if (t->sink && (t->mask & trace_event_class[event])) {
        trace_emit_more(t, event, agent, region, (const uint64_t[TRACE_ARGS]){ a, b, c, d });
    }
}

/* The i-th name of an event's argument list, "pa:x" -> "pa", hex. Return: its length, 0 at the end.
 */
static size_t arg_name(const char *args, unsigned i, const char **name, bool *hex)
{
    size_t len;

    for (; i > 0; i--) {
        args += strcspn(args, " ");
        args += strspn(args, " ");
    }
    len = strcspn(args, " ");
    *hex = len > 2 && args[len - 1] == 'x' && args[len - 2] == ':';
    *name = args;
    return *hex ? len - 2 : len;
}

int trace_format(const struct trace_record *r, char *buf, size_t size)
{
    const char *name;
    size_t len;
    bool hex;
    int n = snprintf(buf, size, "%" PRIu64 " %s %s", r->time_ns, trace_agent_name(r->agent),
                     trace_event_name(r->event));

#define APPEND(...) \
    n += snprintf(n < (int)size ? buf + n : NULL, n < (int)size ? size - (size_t)n : 0, __VA_ARGS__)
    if (r->region) {
        APPEND(" region=%u", r->region);
    }
    if (r->channel) {
        APPEND(" by=%u", r->channel);
    }
    if (r->thread) {
        APPEND(" thread=%u", r->thread);
    }
    for (unsigned i = 0;
         r->event < TRACE_EVENT_COUNT && (len = arg_name(events[r->event].args, i, &name, &hex));
         i++) {
        APPEND(hex ? " %.*s=0x%" PRIx64 : " %.*s=%" PRIu64, (int)len, name, r->arg[i]);
    }
#undef APPEND
    return n;
}

/* "name=value " at *p. Return: false if it is not that. */
static bool record_take(const char **p, const char *name, size_t len, uint64_t *value)
{
    const char *s = *p;
    char *end;

    if (*s != ' ' || strncmp(s + 1, name, len) != 0 || s[1 + len] != '=') {
        return false;
    }
    *value = g_ascii_strtoull(s + len + 2, &end, 0);
    if (end == s + len + 2) {
        return false;
    }
    *p = end;
    return true;
}

static bool take_word(const char **p, char *word, size_t size)
{
    size_t len;

    *p += strspn(*p, " ");
    len = strcspn(*p, " \n");
    if (len == 0 || len >= size) {
        return false;
    }
    memcpy(word, *p, len);
    word[len] = '\0';
    *p += len;
    return true;
}

static bool is_word(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

bool trace_parse(const char *line, struct trace_record *r)
{
    char agent[16], event[32], *end;
    const char *p, *name;
    uint64_t value;
    size_t len;
    bool hex;

    *r = (struct trace_record){ .event = TRACE_EVENT_COUNT, .agent = BUS_AGENT_COUNT };
    r->time_ns = g_ascii_strtoull(line, &end, 10);
    p = end;
    if (end == line || !take_word(&p, agent, sizeof(agent)) ||
        !take_word(&p, event, sizeof(event))) {
        return false;
    }
    for (unsigned i = 0; i < BUS_AGENT_COUNT && r->agent == BUS_AGENT_COUNT; i++) {
        r->agent = is_word(agent, agents[i]) ? i : BUS_AGENT_COUNT;
    }
    for (unsigned i = 0; i < TRACE_EVENT_COUNT && r->event == TRACE_EVENT_COUNT; i++) {
        r->event = is_word(event, events[i].name) ? (enum trace_event)i : TRACE_EVENT_COUNT;
    }
    if (r->agent == BUS_AGENT_COUNT || r->event == TRACE_EVENT_COUNT) {
        return false;
    }
    r->region = record_take(&p, "region", 6, &value) ? (uint32_t)value : 0;
    r->channel = record_take(&p, "by", 2, &value) ? (uint32_t)value : 0;
    r->thread = record_take(&p, "thread", 6, &value) ? (uint32_t)value : 0;
    for (unsigned i = 0; (len = arg_name(events[r->event].args, i, &name, &hex)); i++) {
        if (!record_take(&p, name, len, &r->arg[i])) {
            return false;
        }
    }
    return *p == '\0' || *p == '\n';
}

/* SPDX-License-Identifier: MIT */
/* Records: the one way anything that happened in the model is told to the outside.
 *
 * Report, checker and trace files are all made from these and from nothing else. A record holds no
 * host address and no host time.
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_class {
    TRACE_ACCESS = 1 << 0,
    TRACE_CACHE = 1 << 1,
    TRACE_MAINT = 1 << 2,
    TRACE_WORK = 1 << 3,
    TRACE_SUM = 1 << 4,
    TRACE_FAULT = 1 << 5,
    TRACE_MEMORY = 1 << 6,
    TRACE_SYNC = 1 << 7,
    TRACE_ALL = (1 << 8) - 1,
};

enum trace_event {
#define EVENT(name, class, args) TRACE_EVENT_##name,
#include "model/trace.def"
#undef EVENT
    TRACE_EVENT_COUNT
};

#define TRACE_ARGS 6
#define TRACE_CHANNEL_DLA 0x10000u /* queues are counted from here, as if they were channels */

/**
 * struct trace_record - one thing that happened
 * @time_ns: virtual time
 * @agent: enum bus_agent
 * @region: id given to soc_memory_add(), 0 if it concerns no memory region
 * @channel: number of the iGPU channel whose command caused it, plus one; of a DLA's task
 *           TRACE_CHANNEL_DLA + 16 * instance + queue, plus one; 0 = none (the CPU did)
 * @thread: number of the CPU thread that did it, 0 = the first or unknown; of engines' records it means
 *          nothing
 * @arg: in the order of the event's line in trace.def. The last one of CPU_LOAD, CPU_STORE and CPU_ATOMIC
 *       has no name and is in no text: the address behind the instruction in the program, if whoever
 *       passes the record on knows it (QEMU), else 0
 */
struct trace_record {
    enum trace_event event;
    uint32_t agent, region, channel;
    uint64_t time_ns;
    uint64_t arg[TRACE_ARGS];
    uint32_t thread;
};

typedef void trace_sink(void *opaque, const struct trace_record *record);

/**
 * struct trace - where the units of one SoC send their records
 * @mask: classes somebody wants; a unit tests it before it builds a record
 * @now_ns: virtual time, kept by the SoC
 * @channel: what records carry as their channel, kept by the iGPU and the DLAs
 * @thread: the CPU thread that acts now, kept by the SoC
 */
struct trace {
    unsigned mask;
    uint64_t now_ns;
    uint32_t channel, thread;
    trace_sink *sink;
    void *opaque;
};

extern const unsigned trace_event_class[TRACE_EVENT_COUNT];

/* trace_emit - send a record if its class is wanted; unused arguments are 0 */
void trace_emit(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* trace_emit_more - the same for events of more arguments, or with all of them in an array */
void trace_emit_more(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                     const uint64_t arg[TRACE_ARGS]);

static inline bool trace_wants(const struct trace *t, unsigned class_mask)
{
    return t->mask & class_mask;
}

/**
 * trace_format - the text line of a record: "time agent EVENT [region=N] [by=N] [thread=N] name=value ...",
 * no newline; by = the channel plus one
 * Return: as snprintf.
 */
int trace_format(const struct trace_record *r, char *buf, size_t size);

/* trace_parse - read such a line back. Return: false if it is not one. */
bool trace_parse(const char *line, struct trace_record *r);

const char *trace_event_name(enum trace_event e);
const char *trace_agent_name(uint32_t agent);

#endif

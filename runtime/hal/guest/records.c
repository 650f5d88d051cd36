/* SPDX-License-Identifier: MIT */
/* The model's records, from QEMU to the checker in this process: fetched at the end of each call
 * that lets the board do something, so they come later than in process, in the same order. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "model/values.h"
#include "qemu-plugin/record.h"
#include "runtime/hal/guest/guest.h"

#define BUFFER_BYTES 0x10000u
#define AT_ONCE (BUFFER_BYTES / (uint32_t)sizeof(struct record))

static bool buffer_open(struct guest_records *r, struct hal *hal)
{
    void *at = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (at == MAP_FAILED || !extents_alloc(&hal->bus, BUFFER_BYTES, HAL_PAGE, &r->bus) ||
        device_map(at, BUFFER_BYTES, r->bus) != 0) {
        return false;
    }
    r->buffer = at;
    return true;
}

void hal_spare(struct hal *hal, const struct trace_spare *spare)
{
    (void)hal;
    (void)spare;
}

void hal_observe(struct hal *hal, unsigned mask, trace_sink *sink, void *opaque)
{
    struct guest_records *r = &hal->records;

    if (device_read(CONTROL_EVENTS) != TRACE_EVENT_COUNT) {
        fputs("vtegra: the board in QEMU is of another vtegra: its records cannot be read, and the "
              "report knows calls only\n",
              stderr);
        return;
    }
    if (mask && !r->buffer && !buffer_open(r, hal)) {
        fputs("vtegra: no memory for the board's records: the report knows calls only\n", stderr);
        return;
    }
    r->sink = sink;
    r->opaque = opaque;
    r->mask = mask & TRACE_ALL;
    device_write(CONTROL_RECORDS_MASK, r->mask);
}

/* Maintenance of the CPU's caches by address is one instruction a line, and one record: pieces of
 * one call are reported as the call. Those of lines (CLASS CACHE) lie between them and pass. */
static bool is_maintenance(enum trace_event event)
{
    return event == TRACE_EVENT_CPU_CLEAN || event == TRACE_EVENT_CPU_CLEAN_INVALIDATE ||
           event == TRACE_EVENT_CPU_INVALIDATE;
}

static void pending_report(struct guest_records *r)
{
    if (r->pending.arg[1]) {
        r->sink(r->opaque, &r->pending);
    }
    r->pending = (struct trace_record){ 0 };
}

/* @next goes on where the pending one ends: address, length, lines, lost lines. */
static bool pending_join(struct trace_record *pending, const struct trace_record *next)
{
    if (!pending->arg[1] || pending->event != next->event || pending->region != next->region ||
        pending->arg[0] + pending->arg[1] != next->arg[0]) {
        return false;
    }
    for (unsigned i = 1; i < 4; i++) {
        pending->arg[i] += next->arg[i];
    }
    pending->time_ns = next->time_ns;
    return true;
}

static void records_report(struct guest_records *r, const struct trace_record *record)
{
    if (is_maintenance(record->event)) {
        if (!pending_join(&r->pending, record)) {
            pending_report(r);
            r->pending = *record;
        }
        return;
    }
    if (!(trace_event_class[record->event] & TRACE_CACHE)) {
        pending_report(r);
    }
    r->sink(r->opaque, record);
}

static void records_one(struct guest_records *r, const struct record *from)
{
    struct trace_record to = {
        .event = (enum trace_event)from->event,
        .agent = from->agent,
        .region = from->region,
        .channel = from->channel,
        .time_ns = from->time_ns,
        .thread = from->thread,
    };

    if (from->event < TRACE_EVENT_COUNT && from->agent < BUS_AGENT_COUNT) {
        memcpy(to.arg, from->arg, sizeof(to.arg));
        records_report(r, &to);
    }
}

void records_fetch(struct hal *hal)
{
    struct guest_records *r = &hal->records;
    uint32_t got;

    if (!r->mask || device_read(CONTROL_RECORDS_WAIT) == 0) {
        return;
    }
    device_write(CONTROL_RECORDS_LO, (uint32_t)r->bus);
    device_write(CONTROL_RECORDS_HI, (uint32_t)(r->bus >> 32));
    do {
        device_write(CONTROL_RECORDS_GET, AT_ONCE);
        got = device_read(CONTROL_RECORDS_GET);
        for (uint32_t i = 0; i < got && i < AT_ONCE; i++) {
            records_one(r, &r->buffer[i]);
        }
    } while (got == AT_ONCE);
    pending_report(r);
    if (device_read(CONTROL_RECORDS_LOST) != r->lost) {
        r->lost = device_read(CONTROL_RECORDS_LOST);
        fprintf(
            stderr,
            "vtegra: %u records of the board were lost: numbers in the report are low, and what "
            "--check on says of races and stale bytes may be wrong\n",
            r->lost);
    }
}

/* What orders the application after an engine. The CPU's threads are one: an access in
 * QEMU is of a CPU. */
void records_note(struct hal *hal, enum trace_event event, uint64_t a, uint64_t b)
{
    const struct guest_records *r = &hal->records;
    struct trace_record record = { .event = event, .agent = BUS_AGENT_CPU, .arg = { a, b } };

    if (r->mask & TRACE_SYNC) {
        records_fetch(hal); /* what came before it */
        record.time_ns = hal_time_ns(hal);
        r->sink(r->opaque, &record);
    }
}

/* Regions come and go where the driver says so, not where the model sees pages. */
void records_region(struct hal *hal, const struct guest_mem *m, bool added)
{
    const struct guest_records *r = &hal->records;
    struct trace_record record = {
        .event = added ? TRACE_EVENT_REGION_ADD : TRACE_EVENT_REGION_REMOVE,
        .agent = BUS_AGENT_DRIVER,
        .region = m->mem.id,
        .arg = { m->mem.bus, m->mem.size, m->mem.cpu_cached },
    };

    device_name(m->mem.bus, m->mem.size, added ? m->mem.id : 0);
    if (r->mask & TRACE_MEMORY) {
        record.time_ns = hal_time_ns(hal);
        r->sink(r->opaque, &record);
    }
}

void records_end(struct hal *hal)
{
    if (hal->records.mask) {
        device_write(CONTROL_RECORDS_MASK, hal->records.mask);
        records_fetch(hal);
    }
}

void records_close(struct hal *hal)
{
    struct guest_records *r = &hal->records;

    if (r->buffer) {
        device_unmap(BUFFER_BYTES, r->bus);
        munmap(r->buffer, BUFFER_BYTES);
    }
    *r = (struct guest_records){ 0 };
}

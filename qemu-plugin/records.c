/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model's records for software in the guest: its checker then reports what it would report
 * without QEMU. What has no name, the guest does not know: such records go without region and
 * address.
 */
#include "qemu-plugin/records.h"

#include <string.h>

#include "model/values.h"
#include "qemu-plugin/board.h"
#include "qemu-plugin/record.h"
#include "trace/record.h"

#define WAITING_MAX (1u << 20) /* 80 MiB; who does not fetch them loses the newest */
#define RUNS 16u

/* Accesses of one instruction to one byte after the other, which are reported as one. */
struct run {
    uint64_t pc, start, end;
    guint at; /* its record's place */
};

static struct {
    unsigned mask;
    uint32_t first, got, lost; /* @first of @waiting: fetched so far */
    GArray *waiting;           /* struct record */
    GHashTable *names;         /* the model's region -> what the guest calls it */
    struct run run[RUNS];      /* since the last record of another kind */
    unsigned runs;
    GHashTable *flags; /* regions where engines make accesses that order something */
} records;

/* Where an event has the address of a byte in memory, "pa" in record.def; -1: it has none. */
static int address_arg(enum trace_event event)
{
    static const char *const args[] = {
#define EVENT(name, class, text) text,
#include "trace/record.def"
#undef EVENT
    };
    int n = 0;

    for (const char *at = args[event]; at; at = strchr(at, ' '), n++) {
        at += *at == ' ';
        if (strncmp(at, "pa:", 3) == 0) {
            return n;
        }
    }
    return -1;
}

static void address_translate(struct record *r)
{
    int n = address_arg((enum trace_event)r->event);
    const struct page *page = n >= 0 ? page_at(r->arg[n]) : NULL;

    if (n >= 0) {
        r->arg[n] = page && page->name ? page->bus + r->arg[n] % PAGE : 0;
    }
}

/* --- accesses of the CPU
 *
 * The order among them changes nothing for whoever compares them with what engines and caches did:
 * that is in records between them. So a loop over an array is one record a line that comes in, not
 * one an element. Where accesses may be flags each is reported. --- */

static bool is_cpu_access(uint32_t event)
{
    return event == TRACE_EVENT_CPU_LOAD || event == TRACE_EVENT_CPU_STORE ||
           event == TRACE_EVENT_CPU_ATOMIC;
}

/* Return: true if the record is part of one that waits. */
static bool run_join(const struct record *r)
{
    uint64_t start = r->arg[3], end = start + r->arg[1];

    for (unsigned i = 0; i < records.runs; i++) {
        struct run *run = &records.run[i];
        struct record *first = &g_array_index(records.waiting, struct record, run->at);

        if (run->pc != r->arg[5] || first->event != r->event || first->region != r->region) {
            continue;
        }
        if (start >= run->start && end <= run->end) {
            return true;
        }
        if (start == run->end && start % PAGE != 0) {
            run->end = end;
            first->arg[1] = end - run->start;
            return true;
        }
        run->start = start; /* it goes on elsewhere */
        run->end = end;
        run->at = records.waiting->len;
        return false;
    }
    records.run[records.runs < RUNS ? records.runs++ : 0] =
        (struct run){ r->arg[5], start, end, records.waiting->len };
    return false;
}

/* The instruction behind, as a return address would say it; nothing of the kernel's. */
static uint64_t access_pc(void)
{
    return report_pc && !(report_pc >> 63) ? report_pc + 4 : 0;
}

static bool records_orders(const struct trace_record *r)
{
    switch (r->event) {
    case TRACE_EVENT_GPU_ATOMIC:
        return true;
    case TRACE_EVENT_GPU_LOAD:
    case TRACE_EVENT_GPU_STORE:
        return r->agent == BUS_AGENT_HOST || r->arg[3] >= BUS_SCOPE_GPU;
    default:
        return false;
    }
}

/* Return: true if there is nothing more to report. */
static bool access_take(struct record *r)
{
    if (r->region == 0) {
        return true; /* memory that the guest knows nothing of */
    }
    r->arg[5] = access_pc();
    return r->event != TRACE_EVENT_CPU_ATOMIC &&
           !g_hash_table_contains(records.flags, GUINT_TO_POINTER(r->region)) && run_join(r);
}

void records_take(const struct trace_record *from)
{
    struct record r = { from->event, from->agent,  0, from->channel, from->time_ns,
                        { 0 },       from->thread, 0 };

    if (!(trace_event_class[from->event] & records.mask) || from->event == TRACE_EVENT_REGION_ADD ||
        from->event == TRACE_EVENT_REGION_REMOVE) {
        return;
    }
    if (records.waiting->len - records.first >= WAITING_MAX) {
        records.lost++;
        return;
    }
    memcpy(r.arg, from->arg, sizeof(r.arg));
    r.region = GPOINTER_TO_UINT(g_hash_table_lookup(records.names, GUINT_TO_POINTER(from->region)));
    address_translate(&r);
    if (!is_cpu_access(r.event)) {
        records.runs = 0;
        if (records_orders(from)) {
            g_hash_table_add(records.flags, GUINT_TO_POINTER(r.region));
        }
    } else if (access_take(&r)) {
        return;
    }
    g_array_append_val(records.waiting, r);
}

void records_reset(void)
{
    if (!records.waiting) {
        records.waiting = g_array_new(FALSE, FALSE, sizeof(struct record));
        records.names = g_hash_table_new(NULL, NULL);
        records.flags = g_hash_table_new(NULL, NULL);
    }
    g_array_set_size(records.waiting, 0);
    g_hash_table_remove_all(records.names);
    g_hash_table_remove_all(records.flags);
    records.mask = records.first = records.got = records.lost = records.runs = 0;
}

unsigned records_mask(void)
{
    return records.mask;
}

void records_want(unsigned mask)
{
    records.mask = mask & TRACE_ALL;
}

uint32_t records_waiting(void)
{
    return records.waiting->len - records.first;
}

uint32_t records_lost(void)
{
    return records.lost;
}

uint32_t records_got(void)
{
    return records.got;
}

/* Bytes to guest memory, page by page. Return: false: the device may not write there. */
static bool memory_write(uint64_t bus, const void *from, size_t len)
{
    const uint8_t *at = from;

    while (len) {
        size_t here = MIN(len, (size_t)(PAGE - bus % PAGE));
        const char *why;
        uint64_t pa;

        if (!dma_find(FUNCTION_MAIN, bus - bus % PAGE, true, &pa, &why) || page_at(pa)->range) {
            return false;
        }
        memcpy(board.ram + (pa - board.ram_pa) + bus % PAGE, at, here);
        bus += here;
        at += here;
        len -= here;
    }
    return true;
}

void records_get(uint64_t bus, uint32_t n)
{
    records.got = 0;
    records.runs = 0;
    while (records.got < n && records.first < records.waiting->len &&
           memory_write(bus, &g_array_index(records.waiting, struct record, records.first),
                        sizeof(struct record))) {
        bus += sizeof(struct record);
        records.first++;
        records.got++;
    }
    if (records.first == records.waiting->len) {
        g_array_set_size(records.waiting, 0);
        records.first = 0;
    }
}

enum track_status records_name(unsigned function, uint64_t bus, uint64_t pages, uint32_t name)
{
    if (bus % PAGE || pages == 0 || pages > TRACK_PAGES_MAX || bus + pages * PAGE < bus) {
        return TRACK_ALIGNMENT;
    }
    for (uint64_t i = 0; i < pages; i++) {
        struct page *page;
        const char *why;
        uint64_t pa;

        if (!dma_find(function, bus + i * PAGE, false, &pa, &why)) {
            return TRACK_REFUSED;
        }
        page = page_at(pa);
        page->name = name;
        page->bus = bus + i * PAGE;
        g_hash_table_insert(records.names,
                            GUINT_TO_POINTER(page->region ? page->region : page->piece),
                            GUINT_TO_POINTER(name));
    }
    return TRACK_OK;
}

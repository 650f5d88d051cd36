/* SPDX-License-Identifier: MIT */
/* What records and notes mean for clocks, lines and regions. */
#include "checker/hb/hb.h"

#include <inttypes.h>
#include <string.h>

#include "checker/hb/hb_internal.h"

/* --- life ------------------------------------------------------------------------------------- */

struct hb *hb_new(const struct run *run, hb_found *found, void *opaque)
{
    struct hb *hb = g_new0(struct hb, 1);

    hb->run = run;
    hb->found = found;
    hb->opaque = opaque;
    hb->turn = 1;
    hb->clocks = hb_clocks_new();
    hb_regions_open(hb);
    hb_labels_open(hb);
    hb->grids = g_hash_table_new(NULL, NULL);
    hb->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    hb_pairs_open(hb);
    return hb;
}

void hb_free(struct hb *hb)
{
    if (hb) {
        hb_pairs_close(hb);
        g_hash_table_destroy(hb->files);
        g_hash_table_destroy(hb->grids);
        hb_labels_close(hb);
        g_ptr_array_free(hb->regions, TRUE);
        hb_cells_free(hb->cells);
        hb_clocks_free(hb->clocks);
        g_free(hb->move);
        g_free(hb->events);
        g_free(hb);
    }
}

unsigned hb_states(const struct hb *hb)
{
    return hb->cells ? hb_cells_count(hb->cells) : 0;
}

struct hb_cells *hb_cells_get(struct hb *hb)
{
    if (!hb->cells) {
        hb->cells =
            hb_cells_new(hb->clocks, hb->run->facts.io_coherent, hb->run->facts.full_coherent);
    }
    return hb->cells;
}

/* --- regions and labels ----------------------------------------------------------------------- */

struct hb_region *hb_region_find(const struct hb *hb, uint32_t id)
{
    struct hb_region *r = hb_region_at(hb, id);

    return r && r->known && r->len ? r : NULL;
}

static void region_add(struct hb *hb, const struct trace_record *t)
{
    struct hb_region *r = hb_region_get(hb, t->region);

    if (r && !r->len && t->arg[1] % HB_PAGE == 0) {
        r->pa = t->arg[0];
        r->len = t->arg[1];
        r->cached = t->arg[2];
        r->imported = t->process != 0;
    }
}

static void region_remove(struct hb *hb, uint32_t id)
{
    const struct hb_region *r = hb_region_at(hb, id);

    if (r && r->flags) {
        hb_forget(hb->clocks, r->pa, r->len);
    }
    hb_region_drop(hb, id);
}

static void region_note(struct hb *hb, const struct note *n)
{
    struct hb_region *r = hb_region_get(hb, (uint32_t)note_num(n, "id"));

    if (r) {
        /* Pageable memory has no place: its pages come one by one. Blocks of the heap of kernels
         * go from one owner to the next by means that no record shows. */
        r->known = g_strcmp0(note_get(n, "kind"), "driver") != 0 &&
                   g_strcmp0(note_get(n, "kind"), "pageable") != 0 && !note_num(n, "heap");
        r->track = g_strcmp0(note_get(n, "kind"), "device") != 0 && !r->imported;
        r->va = note_num(n, "va");
    }
}

/* Another engine reads and writes it beside the L2. */
static void shared_note(struct hb *hb, const struct note *n)
{
    struct hb_region *r = hb_region_get(hb, (uint32_t)note_num(n, "id"));

    if (r) {
        r->track = !r->imported;
    }
}

/* Calls are the only notes that come between two accesses and not within one: a finding is a note,
 * too. So this is where labels and states may be renamed. */
static void call_note(struct hb *hb, const struct note *n, const char *name)
{
    hb_labels_tidy(hb);
    hb->label = hb_label_get(hb, name ? name : "?", note_get(n, "where"), NULL,
                             (uint32_t)note_num(n, "stream"));
}

static void copy_note(struct hb *hb, const struct note *n)
{
    if (!note_get(n, "src") || note_num(n, "src") || !note_get(n, "api")) {
        call_note(hb, n, note_get(n, "api"));
        return;
    }
    hb_labels_tidy(hb);
    hb->label = hb_label_staged(hb, note_get(n, "api"), note_get(n, "where"),
                                (uint32_t)note_num(n, "stream"));
}

static void kernel_note(struct hb *hb, const struct note *n)
{
    uint32_t id = (uint32_t)note_num(n, "id");
    struct hb_label *l;

    call_note(hb, n, note_get(n, "name"));
    l = hb_label(hb, hb->label);
    l->grid_id = id;
    if (l->code != note_num(n, "code")) { /* the module was loaded again */
        l->code = note_num(n, "code");
        memset(hb->at, 0, sizeof(hb->at));
    }
    g_hash_table_insert(hb->grids, GUINT_TO_POINTER(id),
                        GUINT_TO_POINTER((guint)(hb->label & ~HB_SITE_LABEL) + 1));
}

static void file_note(struct hb *hb, const struct note *n)
{
    if (note_get(n, "path")) {
        g_hash_table_replace(
            hb->files,
            g_strdup_printf("%" PRIu64 " %" PRIu64, note_num(n, "code"), note_num(n, "number")),
            g_strdup(note_get(n, "path")));
    }
}

static struct hb_event *event_slot(struct hb *hb, uint32_t id, uint32_t value)
{
    if (!hb->events) {
        hb->events = g_new0(struct hb_event, HB_EVENTS);
    }
    return &hb->events[(id * 67 + value) % HB_EVENTS];
}

/* Where no place is known there is nothing to report. */
static void event_note(struct hb *hb, const struct note *n)
{
    uint32_t id = (uint32_t)note_num(n, "syncpt"), value = (uint32_t)note_num(n, "value");

    if (note_get(n, "where") && note_get(n, "api")) {
        *event_slot(hb, id, value) =
            (struct hb_event){ id, value,
                               hb_label_get(hb, note_get(n, "api"), note_get(n, "where"), NULL,
                                            (uint32_t)note_num(n, "stream")) };
    }
}

static void sync_note(struct hb *hb, const struct note *n, bool signals)
{
    uint32_t stream = (uint32_t)note_num(n, "stream");

    if (note_get(n, "where") && note_get(n, "api")) {
        hb->syncs[hb->n_syncs++ % HB_SYNCS] = (struct hb_sci_sync){
            .submissions = hb->submissions,
            .site = hb_label_get(hb, note_get(n, "api"), note_get(n, "where"), NULL, stream),
            .stream = stream,
            .signals = signals,
            .skips = note_num(n, "skips"),
        };
    }
}

static void frame_note(struct hb *hb, const struct note *n)
{
    unsigned agent = hb_thread(hb, (uint32_t)note_num(n, "thread"));

    if (note_get(n, "where") && note_get(n, "api")) {
        hb->frames[hb->n_frames++ % HB_FRAMES] = (struct hb_frame){
            .site = hb_label_get(hb, note_get(n, "api"), note_get(n, "where"), NULL,
                                 (uint32_t)note_num(n, "stream")),
            .region = (uint32_t)note_num(n, "region"),
            .clock = hb_agent_clock(hb->clocks, agent),
            .agent = agent,
            .taken = strcmp(n->name, "frame_taken") == 0,
        };
    }
}

static void function_note(struct hb *hb, const struct note *n)
{
    hb->function_site = note_get(n, "where") && note_get(n, "api")
                            ? hb_label_get(hb, note_get(n, "api"), note_get(n, "where"), NULL,
                                           (uint32_t)note_num(n, "stream"))
                            : 0;
}

static uint64_t event_of(struct hb *hb, uint64_t id, uint64_t value)
{
    const struct hb_event *e = event_slot(hb, (uint32_t)id, (uint32_t)value);

    return e->id == id && e->value == value ? e->site : 0;
}

void hb_note(struct hb *hb, const struct note *n)
{
    hb->turn++;
    if (strcmp(n->name, "region") == 0) {
        region_note(hb, n);
    } else if (strcmp(n->name, "free") == 0) {
        region_remove(hb, (uint32_t)note_num(n, "id"));
    } else if (strcmp(n->name, "shared") == 0) {
        shared_note(hb, n);
    } else if (strcmp(n->name, "file") == 0) {
        file_note(hb, n);
    } else if (strcmp(n->name, "kernel") == 0) {
        kernel_note(hb, n);
    } else if (strcmp(n->name, "event") == 0) {
        event_note(hb, n);
    } else if (strcmp(n->name, "signal") == 0 || strcmp(n->name, "wait") == 0) {
        sync_note(hb, n, *n->name == 's');
    } else if (strcmp(n->name, "frame") == 0 || strcmp(n->name, "frame_taken") == 0) {
        frame_note(hb, n);
    } else if (strcmp(n->name, "host_function") == 0) {
        function_note(hb, n);
    } else if (strcmp(n->name, "event_wait") == 0) {
        hb->claim.event = event_of(hb, note_num(n, "syncpt"), note_num(n, "value"));
    } else if (strcmp(n->name, "copy") == 0) {
        copy_note(hb, n);
    } else if (strcmp(n->name, "fill") == 0 || strcmp(n->name, "task") == 0) {
        call_note(hb, n, note_get(n, "api"));
    } else if (strcmp(n->name, "free_async") == 0) {
        call_note(hb, n, note_get(n, "api"));
        hb->claim = (struct hb_claim){ (uint32_t)note_num(n, "region"), false, 0 };
    } else if (strcmp(n->name, "alloc_async") == 0) {
        call_note(hb, n, note_get(n, "api"));
        hb->claim = (struct hb_claim){ (uint32_t)note_num(n, "region"), true, 0 };
    }
}

/* --- records ---------------------------------------------------------------------------------- */

/* Without hooks no record shows the atomics by which threads notify each other of what is done:
 * there they count as one, and what they do in calls is ordered as it happened. So is what host
 * functions do before what comes after it; but what other threads do between the call that queues a
 * function and its begin is not, unless records show that: a function that begins late has
 * notified none of them. */
static unsigned hb_thread_unhooked(struct hb *hb, uint32_t thread)
{
    struct hb_clocks *c = hb->clocks;
    unsigned all = hb_agent_get(c, 0, HB_CPU, 0), function;

    if (!hb->function) {
        return all;
    }
    function = hb_agent_get(c, 0, HB_CPU, hb->function);
    if (thread == hb->function) {
        hb_learn_beside(c, function, all);
        return function;
    }
    if (!hb_ordered(c, all, function, hb_agent_clock(c, function))) {
        hb_saw(c, all, function, hb_agent_clock(c, function));
    }
    return all;
}

unsigned hb_thread(struct hb *hb, uint32_t thread)
{
    return hb->run->hooks ? hb_agent_get(hb->clocks, 0, HB_CPU, thread)
                          : hb_thread_unhooked(hb, thread);
}

/* What orders the threads of another process only that one knows: they count as one, too. */
unsigned hb_cpu(struct hb *hb, const struct trace_record *t)
{
    unsigned agent =
        t->process ? hb_agent_get(hb->clocks, t->process, HB_CPU, 0) : hb_thread(hb, t->thread);

    hb_cpu_order(hb->clocks, agent);
    hb_flag_was_read(hb, agent);
    return agent;
}

static unsigned channel_of(struct hb *hb, const struct trace_record *t)
{
    return hb_agent_get(hb->clocks, t->process, HB_CHANNEL, (uint32_t)t->arg[0]);
}

/* A queue of a DLA, as its records carry it. */
static unsigned queue_of(struct hb *hb, const struct trace_record *t)
{
    return hb_agent_get(hb->clocks, t->process, HB_CHANNEL,
                        QUEUE_DLA + 16 * (uint32_t)t->arg[0] + (uint32_t)t->arg[1]);
}

/* Who increments a syncpoint: a channel, the CPU, or an engine with no channel. */
static unsigned agent_of(struct hb *hb, const struct trace_record *t)
{
    if (t->channel) {
        return hb_agent_get(hb->clocks, t->process, HB_CHANNEL, t->channel - 1);
    }
    return t->agent == BUS_AGENT_CPU ? hb_cpu(hb, t)
                                     : hb_agent_get(hb->clocks, t->process, HB_ENGINE, t->agent);
}

static void grid_record(struct hb *hb, const struct trace_record *t)
{
    struct hb_agent *a = hb_agent(hb->clocks, channel_of(hb, t));
    gpointer grid = GUINT_TO_POINTER((guint)t->arg[3]);
    guint number;

    a->site = a->place_site = 0;
    if (t->event == TRACE_EVENT_GRID_BEGIN) {
        number = GPOINTER_TO_UINT(g_hash_table_lookup(hb->grids, grid));
        a->site = number ? HB_SITE_LABEL | (number - 1) : 0;
        g_hash_table_remove(hb->grids, grid);
    }
}

/* The wait of a channel is over; the place is a flag of the application. */
static void semaphore_record(struct hb *hb, const struct trace_record *t)
{
    const struct hb_region *r = NULL, *holds = NULL;

    while ((r = hb_region_next(hb, r)) != NULL) {
        if (r->known && t->arg[1] - r->va < r->len) {
            holds = r;
        }
    }
    if (holds) {
        hb_acquire(hb->clocks, channel_of(hb, t), HB_PLACES,
                   (holds->pa + (t->arg[1] - holds->va)) & ~(uint64_t)(HB_FLAG_BYTES - 1));
    }
}

/* The end of a submission: what it waits for, it has waited for by then. */
static void increment_record(struct hb *hb, const struct trace_record *t)
{
    unsigned index = agent_of(hb, t);
    struct hb_agent *a = hb_agent(hb->clocks, index);

    if (a->claim.region) {
        hb_claim_access(hb, a->claim, index);
        a->claim.region = 0;
    }
    if (a->claim.event) {
        a->now.event = a->claim.event;
        a->claim.event = 0;
    }
    hb_syncpt_incr(hb->clocks, index, (uint32_t)t->arg[0], (uint32_t)t->arg[1]);
}

/* What another process has incremented unseen (before this one observed it), or is about to (its
 * work is done, and memory says so: ipc_event.c), may come after anything that this one has
 * signalled: that is what the other may have waited for. This hides races, and invents none. */
static void wait_record(struct hb *hb, const struct trace_record *t, unsigned index,
                        uint64_t syncpt, uint64_t threshold)
{
    if (!hb_syncpt_wait(hb->clocks, index, (uint32_t)syncpt, (uint32_t)threshold,
                        event_of(hb, syncpt, threshold)) &&
        (hb->run->foreign || t->process)) {
        hb_syncpts_wait(hb->clocks, index);
    }
}

/* The calls of another process are not known. */
static void doorbell_record(struct hb *hb, const struct trace_record *t)
{
    const struct hb_claim none = { 0 };
    bool own = !t->process;

    hb->submissions = hb_doorbell(hb->clocks, hb_cpu(hb, t), channel_of(hb, t), (uint32_t)t->arg[1],
                                  own ? hb->label : 0, own ? hb->claim : none);
    hb->claim = own ? none : hb->claim;
}

/* A host function is queued, or begins. */
static void function_record(struct hb *hb, const struct trace_record *t)
{
    struct hb_function *f = &hb->functions[t->arg[0] % HB_FUNCTIONS];

    if (t->event == TRACE_EVENT_CPU_RELEASE) {
        *f = (struct hb_function){ t->arg[0], hb->function_site, 0 };
        hb->function_site = 0;
    } else if (f->object == t->arg[0]) {
        f->clock = hb_agent_clock(hb->clocks, hb_thread(hb, t->thread));
    }
}

static void work_record(struct hb *hb, const struct trace_record *t)
{
    switch (t->event) {
    case TRACE_EVENT_DOORBELL:
        doorbell_record(hb, t);
        break;
    case TRACE_EVENT_SEGMENT:
        hb_segment(hb->clocks, channel_of(hb, t), (uint32_t)t->arg[1]);
        break;
    case TRACE_EVENT_DLA_TASK_SUBMIT:
        hb->submissions =
            hb_doorbell(hb->clocks, hb_cpu(hb, t), queue_of(hb, t), (uint32_t)t->arg[3],
                        t->process ? 0 : hb->label, (struct hb_claim){ 0 });
        break;
    case TRACE_EVENT_DLA_TASK_BEGIN:
        hb_segment(hb->clocks, queue_of(hb, t), (uint32_t)t->arg[3]);
        break;
    case TRACE_EVENT_GRID_BEGIN:
    case TRACE_EVENT_GRID_END:
    case TRACE_EVENT_GRID_FAULT:
        grid_record(hb, t);
        break;
    case TRACE_EVENT_SYNCPT_INCR:
        increment_record(hb, t);
        break;
    case TRACE_EVENT_SYNCPT_WAIT:
        wait_record(hb, t, channel_of(hb, t), t->arg[1], t->arg[2]);
        break;
    case TRACE_EVENT_SEM_ACQUIRE:
        semaphore_record(hb, t);
        break;
    case TRACE_EVENT_CPU_WAITED:
        wait_record(hb, t, hb_cpu(hb, t), t->arg[0], t->arg[1]);
        break;
    case TRACE_EVENT_CPU_RELEASE:
        if (t->arg[1] && !t->arg[0]) {
            if (!t->process && hb->run->hooks) {
                hb_thread_ended(hb->clocks, (uint32_t)t->arg[1] - 1, hb_cpu(hb, t));
            }
            break;
        }
        if (t->arg[1]) {
            hb_object_gone(hb->clocks, t->arg[0]);
            break;
        }
        if (!t->process && HB_IS_HOST_FUNCTION(t->arg[0])) {
            function_record(hb, t);
        }
        hb_release(hb->clocks, hb_cpu(hb, t), HB_OBJECTS, t->arg[0]);
        break;
    case TRACE_EVENT_CPU_ACQUIRE:
        if (!t->process && hb->run->hooks) {
            hb_thread_begins(hb->clocks, t->thread, t->arg[0]);
        }
        if (!t->process && HB_IS_HOST_FUNCTION(t->arg[0])) {
            hb->function = t->thread;
        }
        hb_acquire(hb->clocks, hb_cpu(hb, t), HB_OBJECTS, t->arg[0]);
        if (!t->process && HB_IS_HOST_FUNCTION(t->arg[0])) {
            function_record(hb, t);
        }
        break;
    default:
        break;
    }
}

void hb_record(struct hb *hb, const struct trace_record *t, uintptr_t pc)
{
    switch (t->event < TRACE_EVENT_COUNT ? trace_event_class[t->event] : 0) {
    case TRACE_ACCESS:
        hb_access_record(hb, t, pc);
        break;
    case TRACE_CACHE:
        hb_cache_record(hb, t);
        break;
    case TRACE_MAINT:
        hb->turn++;
        if (t->event == TRACE_EVENT_L2_INVALIDATE) {
            hb_cells_l2_gone(hb_cells_get(hb));
        }
        break;
    case TRACE_MEMORY:
        hb->turn++;
        if (t->event == TRACE_EVENT_REGION_ADD) {
            region_add(hb, t);
        } else if (t->event == TRACE_EVENT_REGION_REMOVE) {
            region_remove(hb, t->region);
        }
        break;
    default:
        hb->turn++;
        work_record(hb, t);
        break;
    }
}

/* Accesses, and what caches did, are not known: no line has a history any more, and each place may
 * have the newest bytes. */
static void lines_forget(struct hb *hb)
{
    struct hb_region *r = NULL;

    while ((r = hb_region_next(hb, r)) != NULL) {
        for (uint64_t i = 0; r->pages && i < r->len / HB_PAGE; i++) {
            if (r->pages[i]) {
                memset(r->pages[i], 0, HB_PAGE_LINES * sizeof(*r->pages[i]));
            }
        }
        r->untouched = 0;
    }
    if (hb->cells) {
        hb_cells_tidy(hb);
    }
}

void hb_foreign(struct hb *hb, const struct trace_record *t)
{
    hb->turn++;
    if (t->event == TRACE_EVENT_COUNT && t->process == TRACE_PROCESSES) {
        hb_all_order(hb->clocks);
        if (t->arg[0]) {
            lines_forget(hb);
        }
    } else if (t->event == TRACE_EVENT_COUNT) {
        hb_process_ended(hb->clocks, t->process);
    } else if (t->event == TRACE_EVENT_REGION_ADD) {
        region_add(hb, t);
    } else if (t->event != TRACE_EVENT_GPU_AT && trace_event_class[t->event] == TRACE_ACCESS) {
        hb_access_record(hb, t, 0);
    } else if (trace_orders_programs(t->event)) {
        work_record(hb, t);
    }
}

uint64_t hb_forgot(const struct hb *hb, enum run_forgot what)
{
    return what == RUN_FORGOT_WAITS                   ? hb_clocks_forgot(hb->clocks)
           : what == RUN_FORGOT_ACCESSES && hb->cells ? hb_cells_forgot(hb->cells)
                                                      : 0;
}

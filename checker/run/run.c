/* SPDX-License-Identifier: MIT */
/* From records to sums. The notes are in run_note.c. */
#include "checker/run/run.h"

#include <inttypes.h>
#include <string.h>

#include "checker/run/run_internal.h"

const char *const run_severity_name[] = { "advice", "warning", "error" };
const char *const run_standing_name[] = { "documented", "measured", "inferred", "invented" };
const char *const run_attach_name[] = { "none", "global", "host", "single" };

const char *run_kind_name(enum run_kind kind)
{
    static const char *const names[] = { "driver",  "device",   "pinned", "registered",
                                         "managed", "pageable", "shared" };

    return names[kind];
}

static void kernel_free(gpointer data)
{
    struct run_kernel *k = data;

    g_free(k->name);
    g_free(k->where);
    g_free(k->gpu);
    g_free(k);
}

static void site_free(gpointer data)
{
    struct run_site *s = data;

    g_free(s->where);
    g_free(s);
}

static void region_free(gpointer data)
{
    struct run_region *region = data;

    g_free(region->api);
    g_free(region->where);
    g_free(region->attached);
    g_free(region->forked);
    g_ptr_array_free(region->uses, TRUE);
    g_ptr_array_free(region->sites, TRUE);
    g_free(region);
}

static void copy_free(gpointer data)
{
    struct run_copy *c = data;

    g_free(c->api);
    g_free(c->where);
    g_free(c->detail);
    g_free(c->section);
    g_free(c);
}

static void finding_free(gpointer data)
{
    struct run_finding *f = data;

    g_free(f->rule);
    g_free(f->section);
    g_free(f->text);
    g_free(f->todo);
    g_free(f->where);
    g_free(f->kernel);
    g_free(f->other);
    g_free(f->run);
    g_free(f->pair);
    g_free(f->streams);
    g_hash_table_destroy(f->buffers);
    g_hash_table_destroy(f->in_streams);
    g_free(f);
}

static void object_free(gpointer data)
{
    struct run_object *o = data;

    g_free(o->name);
    g_free(o->hooks);
    g_ptr_array_unref(o->files);
    g_ptr_array_unref(o->functions);
    g_free(o);
}

struct run *run_new(void)
{
    struct run *r = g_new0(struct run, 1);

    r->regions = g_ptr_array_new_with_free_func(region_free);
    r->by_id = ids_new(RUN_REGIONS_KEPT, NULL);
    r->kernels = g_ptr_array_new_with_free_func(kernel_free);
    r->copies = g_ptr_array_new_with_free_func(copy_free);
    r->unsupported = g_ptr_array_new_with_free_func(copy_free);
    r->errors = g_ptr_array_new_with_free_func(copy_free);
    r->findings = g_ptr_array_new_with_free_func(finding_free);
    r->noted_advice = g_ptr_array_new_with_free_func(finding_free);
    r->suppressed = g_ptr_array_new_with_free_func(finding_free);
    r->objects = g_ptr_array_new_with_free_func(object_free);
    r->grids = ids_new(RUN_GRIDS_KEPT, g_free);
    r->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->nonblocking = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    r->variables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->channels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return r;
}

void run_free(struct run *r)
{
    g_free(r->program);
    g_free(r->soc);
    g_free(r->marketing);
    g_free(r->gpu);
    g_free(r->os);
    g_free(r->policy);
    g_free(r->evict);
    g_free(r->again);
    g_free(r->signal);
    run_unchecked_free(r);
    g_hash_table_destroy(r->channels);
    g_hash_table_destroy(r->files);
    g_hash_table_destroy(r->variables);
    g_hash_table_destroy(r->nonblocking);
    g_hash_table_destroy(r->sources);
    g_hash_table_destroy(r->here);
    g_free(r->folder);
    ids_free(r->grids);
    ids_free(r->by_id);
    g_ptr_array_free(r->noted_advice, TRUE);
    g_ptr_array_free(r->suppressed, TRUE);
    suppressions_free(r->suppressions);
    g_ptr_array_free(r->objects, TRUE);
    g_ptr_array_free(r->findings, TRUE);
    g_ptr_array_free(r->errors, TRUE);
    g_ptr_array_free(r->unsupported, TRUE);
    g_ptr_array_free(r->copies, TRUE);
    g_ptr_array_free(r->regions, TRUE); /* uses point at kernels */
    g_ptr_array_free(r->kernels, TRUE);
    g_free(r);
}

struct run_region *run_region(const struct run *r, uint32_t id)
{
    return ids_get(r->by_id, id);
}

struct run_region *run_region_get(struct run *r, uint32_t id)
{
    struct run_region *region = run_region(r, id);

    if (!region) {
        region = g_new0(struct run_region, 1);
        region->id = id;
        region->uses = g_ptr_array_new_with_free_func(g_free);
        region->sites = g_ptr_array_new_with_free_func(site_free);
        g_ptr_array_add(r->regions, region);
        ids_set(r->by_id, id, region);
    }
    return region;
}

char *run_kernel_line(const struct run *r, uint32_t grid_id, uint64_t place)
{
    const struct run_grid *grid = ids_get(r->grids, grid_id);
    g_autofree char *key =
        g_strdup_printf("%" PRIu64 " %" PRIu64, grid ? grid->code : 0, place >> 32);
    const char *path = g_hash_table_lookup(r->files, key);

    return path && place ? g_strdup_printf("%s:%" PRIu32, path, (uint32_t)place) : NULL;
}

struct run_region *run_region_at(const struct run *r, uint64_t va)
{
    for (guint i = r->regions->len; i > 0; i--) { /* the newest of those that had the address */
        struct run_region *region = r->regions->pdata[i - 1];

        if (region->number && va - region->va < region->len) {
            return region;
        }
    }
    return NULL;
}

static void count_add(struct run_count *n, const struct trace_record *t)
{
    switch (t->event) {
    case TRACE_EVENT_SUM_READ:
        n->read_bytes += t->arg[0];
        n->read_ops += t->arg[1];
        n->read_hits += t->arg[2];
        n->read_misses += t->arg[3];
        break;
    case TRACE_EVENT_SUM_WRITE:
        n->write_bytes += t->arg[0];
        n->write_ops += t->arg[1];
        n->write_hits += t->arg[2];
        n->write_misses += t->arg[3];
        break;
    default:
        n->port_read_bytes += t->arg[0];
        n->port_write_bytes += t->arg[1];
        n->snooped_lines += t->arg[2];
        n->atomics += t->arg[3];
    }
}

/* A grid that runs. Its kernel is taken at its beginning: it may run longer than its launch is
 * remembered. */
struct run_open {
    struct run_kernel *kernel;
    uint32_t grid_id;
    uint64_t begin_ns;
};

uint32_t run_grid_open(const struct run *r)
{
    GHashTableIter i;
    gpointer open;

    if (g_hash_table_size(r->channels) != 1) {
        return 0;
    }
    g_hash_table_iter_init(&i, r->channels);
    g_hash_table_iter_next(&i, NULL, &open);
    return ((struct run_open *)open)->grid_id;
}

uint32_t run_grid_on(const struct run *r, uint32_t channel)
{
    const struct run_open *open =
        g_hash_table_lookup(r->channels, GSIZE_TO_POINTER((gsize)channel));

    return open ? open->grid_id : 0;
}

struct run_kernel *run_grid_kernel(const struct run *r, uint32_t grid_id)
{
    const struct run_grid *grid = ids_get(r->grids, grid_id);

    return grid ? grid->kernel : NULL;
}

void run_grid_set(struct run *r, uint32_t grid_id, struct run_kernel *kernel, uint64_t code)
{
    struct run_grid *grid = g_new(struct run_grid, 1);

    *grid = (struct run_grid){ kernel, code };
    ids_set(r->grids, grid_id, grid);
}

static struct run_kernel *grid_kernel(struct run *r, uint32_t grid_id)
{
    struct run_kernel *kernel = run_grid_kernel(r, grid_id);

    if (!kernel) { /* launched without a name: by a driver of the user's own */
        kernel = g_new0(struct run_kernel, 1);
        kernel->name = g_strdup_printf("grid %u", grid_id);
        kernel->launches = 1;
        r->launches++;
        kernel->index = r->kernels->len;
        g_ptr_array_add(r->kernels, kernel);
        run_grid_set(r, grid_id, kernel, 0);
    }
    return kernel;
}

static struct run_kernel *open_kernel(struct run *r, struct run_open *open)
{
    if (!open->kernel) {
        open->kernel = grid_kernel(r, open->grid_id);
    }
    return open->kernel;
}

/* What is counted of the memory of other programs, or of memory that has long been freed, has no
 * name here: on a board that programs share it is the driver's that is gone. */
static struct run_region *run_region_counted(struct run *r, uint32_t id)
{
    struct run_region *region = run_region(r, id);

    if (region || !r->others) {
        return region ? region : run_region_get(r, id);
    }
    if (!r->gone) {
        r->gone = run_region_get(r, id);
        r->gone->freed = true;
    }
    return r->gone;
}

static void use_add(struct run *r, struct run_open *open, const struct trace_record *t)
{
    struct run_kernel *kernel = open_kernel(r, open);
    struct run_region *region = run_region_counted(r, t->region);
    struct run_use *use = NULL;

    for (guint i = 0; i < region->uses->len && !use; i++) {
        struct run_use *u = region->uses->pdata[i];

        use = u->kernel == kernel ? u : NULL;
    }
    if (!use && t->event == TRACE_EVENT_SUM_PORT && !run_igpu_uncached(r, region) &&
        t->arg[3] == 0) {
        return; /* its misses pushed dirty lines of others out of the L2 */
    }
    if (!use) {
        use = g_new0(struct run_use, 1);
        use->kernel = kernel;
        g_ptr_array_add(region->uses, use);
    }
    region->last_grid = open->grid_id;
    use->grid_read = use->grid_id == open->grid_id ? use->grid_read : 0;
    use->grid_id = open->grid_id;
    use->grid_read += t->event == TRACE_EVENT_SUM_READ ? t->arg[0] : 0;
    use->most_read = MAX(use->most_read, use->grid_read);
    count_add(&use->sum, t);
    count_add(&kernel->sum, t);
}

static void record_grid_begin(struct run *r, const struct trace_record *t)
{
    struct run_open *open = g_new(struct run_open, 1);

    open->grid_id = (uint32_t)t->arg[3];
    open->kernel = run_grid_kernel(r, open->grid_id);
    open->begin_ns = t->time_ns;
    g_hash_table_insert(r->channels, GSIZE_TO_POINTER(t->arg[0]), open);
}

static void record_grid_end(struct run *r, const struct trace_record *t)
{
    gpointer channel = GSIZE_TO_POINTER(t->arg[0]);
    struct run_open *open = g_hash_table_lookup(r->channels, channel);
    struct run_kernel *kernel;

    if (!open) {
        return;
    }
    kernel = open_kernel(r, open);
    kernel->ended++;
    kernel->time_ns += t->time_ns - MIN(open->begin_ns, t->time_ns);
    kernel->warp_insts += t->arg[t->event == TRACE_EVENT_GRID_END ? 2 : 4];
    ids_end(r->grids, open->grid_id);
    g_hash_table_remove(r->channels, channel);
}

/* A sum carries its channel; on a channel one grid runs at a time, and its sums come before its
 * end. */
static void record_sum(struct run *r, const struct trace_record *t)
{
    struct run_open *open;

    if (t->agent >= BUS_AGENT_COUNT || t->region == 0) {
        return;
    }
    count_add(&run_region_counted(r, t->region)->agent[t->agent], t);
    open = t->channel ? g_hash_table_lookup(r->channels, GSIZE_TO_POINTER((gsize)t->channel - 1))
                      : NULL;
    if (open && agent_is_gpu(t->agent)) {
        use_add(r, open, t);
    }
}

static void maint_add(struct run_maint *m, uint64_t lines)
{
    m->ops++;
    m->lines += lines;
    m->empty += lines == 0;
}

static void record_maint(struct run *r, const struct trace_record *t)
{
    struct run_region *region = t->region ? run_region_counted(r, t->region) : NULL;

    switch (t->event) {
    case TRACE_EVENT_L2_CLEAN:
        maint_add(&r->l2_clean, t->arg[0]);
        r->l2_clean_bytes += t->arg[1];
        return;
    case TRACE_EVENT_L2_INVALIDATE:
        maint_add(&r->l2_invalidate, t->arg[0]);
        r->l2_lost_bytes += t->arg[1];
        return;
    default:
        break;
    }
    if (!region) {
        return;
    }
    if (t->event == TRACE_EVENT_CPU_CLEAN) {
        maint_add(&region->clean, t->arg[2]);
    } else if (t->event == TRACE_EVENT_CPU_CLEAN_INVALIDATE) {
        maint_add(&region->clean_invalidate, t->arg[2]);
    } else if (t->event == TRACE_EVENT_CPU_INVALIDATE) {
        maint_add(&region->invalidate, t->arg[2]);
    }
}

/* The class CACHE has a record a line, too many for a trace file: the file has their sums (@cache).
 */
static void record_cache(struct run *r, const struct trace_record *t)
{
    struct run_region *region;

    if (t->region == 0) {
        return;
    }
    region = run_region_counted(r, t->region);
    region->cpu_fills += t->event == TRACE_EVENT_CPU_FILL;
    region->cpu_evicts += t->event == TRACE_EVENT_CPU_EVICT;
    region->spared.snoops += t->event == TRACE_EVENT_CPU_SNOOP;
    region->stale_lines += t->event == TRACE_EVENT_CPU_STALE;
    region->spared.fills += t->event == TRACE_EVENT_L2_FILL;
    region->spared.evicts += t->event == TRACE_EVENT_L2_EVICT;
}

/* A stream has command buffers of its own, and programs make streams without end. No report names
 * a region of the driver's, only the bytes of all, and a trace file their sums of class CACHE. */
static void driver_region_end(struct run *r, struct run_region *region)
{
    struct run_region *gone = r->gone;

    if (!gone) {
        r->gone = region;
        return;
    }
    gone->len += region->len;
    gone->cpu_fills += region->cpu_fills;
    gone->cpu_evicts += region->cpu_evicts;
    gone->spared.snoops += region->spared.snoops;
    gone->stale_lines += region->stale_lines;
    gone->spared.fills += region->spared.fills;
    gone->spared.evicts += region->spared.evicts;
    ids_set(r->by_id, region->id, gone);
    g_ptr_array_remove(r->regions, region);
}

static void record_region(struct run *r, const struct trace_record *t)
{
    struct run_region *region;

    if (t->region == 0) {
        return;
    }
    region = run_region_get(r, t->region);
    if (region->kind == RUN_PAGEABLE) { /* a page of it: engines begin to use it */
        region->number = region->number ? region->number : ++r->numbered;
        region->size += t->event == TRACE_EVENT_REGION_ADD ? t->arg[1] : 0;
        return;
    }
    if (t->event == TRACE_EVENT_REGION_REMOVE) {
        region->freed = true;
        if (region->number == 0 && region != r->gone) {
            driver_region_end(r, region);
            region = r->gone;
        }
        if (region->id != t->region) { /* one id of many of the region */
            ids_end(r->by_id, t->region);
        }
        return;
    }
    region->len = t->arg[1];
    region->size = region->size ? region->size : t->arg[1];
    region->cpu_cached = t->arg[2];
}

static void record_work(struct run *r, const struct trace_record *t)
{
    switch (t->event) {
    case TRACE_EVENT_GRID_BEGIN:
        record_grid_begin(r, t);
        break;
    case TRACE_EVENT_GRID_END:
    case TRACE_EVENT_GRID_FAULT:
        record_grid_end(r, t);
        break;
    case TRACE_EVENT_KERNEL_UNCHECKED:
    case TRACE_EVENT_KERNEL_SAMPLED:
        run_grid_unchecked(r, t);
        break;
    case TRACE_EVENT_LOST_BYTES:
        if (t->region) {
            run_region_counted(r, t->region)->lost_bytes += t->arg[1];
        }
        break;
    default:
        break;
    }
}

void run_record(struct run *r, const struct trace_record *t)
{
    if (t->event >= TRACE_EVENT_COUNT) {
        return;
    }
    r->records++;
    r->time_ns = MAX(r->time_ns, t->time_ns);
    switch (trace_event_class[t->event]) {
    case TRACE_SUM:
        record_sum(r, t);
        break;
    case TRACE_MAINT:
        record_maint(r, t);
        break;
    case TRACE_CACHE:
        record_cache(r, t);
        break;
    case TRACE_MEMORY:
        record_region(r, t);
        break;
    case TRACE_WORK:
    case TRACE_FAULT:
        record_work(r, t);
        break;
    default:
        break;
    }
}

char *run_size_text(uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes / 1024;
    unsigned unit = 0;

    if (bytes < 1024) {
        return g_strdup_printf("%" PRIu64 " B", bytes);
    }
    for (; value >= 1024 && unit < 3; unit++) {
        value /= 1024;
    }
    return g_strdup_printf("%.1f %s", value, units[unit]);
}

char *run_time_text(uint64_t ns)
{
    if (ns < 1000) {
        return g_strdup_printf("%" PRIu64 " ns", ns);
    }
    if (ns < 1000000) {
        return g_strdup_printf("%.1f us", (double)ns / 1e3);
    }
    return ns < UINT64_C(1000000000) ? g_strdup_printf("%.2f ms", (double)ns / 1e6)
                                     : g_strdup_printf("%.3f s", (double)ns / 1e9);
}

char *run_region_name(const struct run_region *region)
{
    char *size, *name;

    if (!region || region->number == 0) {
        return g_strdup("driver memory");
    }
    size = run_size_text(region->size);
    name = g_strdup_printf(
        "#%u (%s %s%s%s)", region->number, region->api ? region->api : run_kind_name(region->kind),
        size, region->where && *region->where ? " at " : "", region->where ? region->where : "");
    g_free(size);
    return name;
}

bool run_of_one_line(const struct run_region *a, const struct run_region *b)
{
    return a->where && a->kind == b->kind && g_strcmp0(a->where, b->where) == 0 &&
           g_strcmp0(a->api, b->api) == 0;
}

enum rules_kind run_rules_kind(enum run_kind kind)
{
    static const enum rules_kind row[] = {
        [RUN_DRIVER] = RULES_KERNEL,   [RUN_DEVICE] = RULES_DEVICE,
        [RUN_PINNED] = RULES_PINNED,   [RUN_REGISTERED] = RULES_REGISTERED,
        [RUN_MANAGED] = RULES_MANAGED, [RUN_PAGEABLE] = RULES_PAGEABLE,
        [RUN_SHARED] = RULES_INTEROP,
    };

    return row[kind];
}

/* SPDX-License-Identifier: MIT */
/* Notes: what the API reported. Text from a trace file may be anything; unknown notes are ignored.
 */
#include <inttypes.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/run/run_internal.h"
#include "checker/run/run_planes.h"
#include "checker/run/variables.h"

static char *run_note_text(const struct note *n, const char *key)
{
    return g_strdup(note_get(n, key));
}

/* Traces of before there were editions are of 13.4. */
static enum rules_edition edition_of(const struct note *n)
{
    const char *name = note_get(n, "edition");
    enum rules_edition edition = name ? rules_edition_find(name) : RULES_EDITION_13_4;

    return edition < RULES_EDITION_COUNT ? edition : RULES_EDITION_13_4;
}

static bool note_header(struct run *r, const struct note *n)
{
    if (r->soc) {
        return false;
    }
    r->program = run_note_text(n, "program");
    r->soc = run_note_text(n, "soc");
    r->marketing = run_note_text(n, "module");
    r->gpu = run_note_text(n, "gpu");
    r->os = run_note_text(n, "os");
    r->policy = run_note_text(n, "policy");
    r->evict = run_note_text(n, "evict");
    r->again = run_note_text(n, "again");
    r->seed = note_num(n, "seed");
    r->cc = (unsigned)note_num(n, "cc");
    r->facts.edition = edition_of(n);
    r->facts.os = r->os ? rules_os_find(r->os) : RULES_LINUX;
    r->facts.cc = r->cc;
    r->facts.registered_local = note_num(n, "numa_local");
    r->facts.concurrent_managed = note_num(n, "concurrent_managed");
    r->facts.pageable_access = note_num(n, "pageable_access");
    r->gpus = (unsigned)MAX(note_num(n, "gpus"), 1);
    r->link_mb_s = note_num(n, "link_mb_s"), r->dgpu_mb_s = note_num(n, "dgpu_mb_s");
    r->facts.discrete = note_num(n, "discrete") && r->gpus == 1;
    r->facts.io_coherent = note_num(n, "io_coherent");
    r->facts.full_coherent = note_num(n, "cpu_snoops_l2");
    r->past_caches = note_num(n, "past_caches");
    r->safety = note_num(n, "safety"), r->shared = note_num(n, "shared");
    r->races = note_num(n, "kernel_races");
    r->races_auto = note_num(n, "kernel_races_auto");
    r->cpu_hit_ps = note_num(n, "cpu_hit_ps");
    r->cpu_miss_ps = note_num(n, "cpu_miss_ps");
    r->cpu_uncached_ps = note_num(n, "cpu_uncached_ps");
    r->cpu_maintain_ps = note_num(n, "cpu_maintain_ps");
    r->cpu_line = note_num(n, "cpu_line");
    r->bandwidth_mb_s = note_num(n, "bandwidth_mb_s");
    r->machine_sees_cpu = note_num(n, "machine_sees_cpu");
    r->hooks = r->machine_sees_cpu;
    return true;
}

static bool note_hooks(struct run *r, const struct note *n)
{
    bool before = r->hooks;

    (void)n;
    r->hooks = true;
    return !before;
}

static bool note_object(struct run *r, const struct note *n)
{
    struct run_object *o = g_new0(struct run_object, 1);

    o->name = run_note_text(n, "name");
    o->hooks = run_note_text(n, "hooks");
    o->files = g_ptr_array_new_with_free_func(g_free);
    o->functions = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(r->objects, o);
    return true;
}

/* Of the object that was reported last. */
static bool note_without_hooks(struct run *r, const struct note *n)
{
    struct run_object *o = r->objects->len ? r->objects->pdata[r->objects->len - 1] : NULL;
    char *file = run_note_text(n, "file"), *function = run_note_text(n, "function");

    if (o && file) {
        g_ptr_array_add(o->files, g_steal_pointer(&file));
    } else if (o && function) {
        g_ptr_array_add(o->functions, g_steal_pointer(&function));
    }
    g_free(file);
    g_free(function);
    return true;
}

static enum run_kind region_kind(const struct note *n)
{
    const char *kind = note_get(n, "kind");

    if (g_strcmp0(kind, "device") == 0) {
        return RUN_DEVICE;
    }
    if (g_strcmp0(kind, "pinned") == 0) {
        return note_num(n, "registered") ? RUN_REGISTERED : RUN_PINNED;
    }
    if (g_strcmp0(kind, "pageable") == 0) {
        return RUN_PAGEABLE;
    }
    if (g_strcmp0(kind, "shared") == 0) {
        return RUN_SHARED;
    }
    return g_strcmp0(kind, "managed") == 0 ? RUN_MANAGED : RUN_DRIVER;
}

/* A buffer that the same line made before and that is gone. */
static struct run_region *region_before(const struct run *r, const struct note *n,
                                        enum run_kind kind)
{
    for (guint i = 0; i < r->regions->len; i++) {
        struct run_region *region = r->regions->pdata[i];

        if (region->number && region->freed && region->where && region->kind == kind &&
            region->size == note_num(n, "size") &&
            g_strcmp0(region->where, note_get(n, "where")) == 0 &&
            g_strcmp0(region->api, note_get(n, "api")) == 0) {
            return region;
        }
    }
    return NULL;
}

/* From now on @id means @before; what stands there of its own (it is empty) goes. */
static void region_again(struct run *r, uint32_t id, struct run_region *before,
                         const struct note *n)
{
    struct run_region *fresh = run_region(r, id);

    ids_set(r->by_id, id, before);
    if (fresh) {
        g_ptr_array_remove(r->regions, fresh);
    }
    before->freed = false;
    before->times++;
    before->last_grid = 0;
    before->va = note_num(n, "va");
    before->len = note_num(n, "len");
    g_free(before->attached);
    before->attached = run_note_text(n, "attached");
}

static bool note_region(struct run *r, const struct note *n)
{
    uint32_t id = (uint32_t)note_num(n, "id");
    struct run_region *region = run_region(r, id);
    enum run_kind kind = region_kind(n);

    if (id == 0 || kind == RUN_DRIVER || (region && region->number)) {
        return false;
    }
    region = kind == RUN_PAGEABLE ? NULL : region_before(r, n, kind);
    if (region) {
        region_again(r, id, region, n);
        return false;
    }
    r->facts.pageable_access |= kind == RUN_PAGEABLE; /* noted where the iGPU reaches it alone */
    region = run_region_get(r, id);
    region->kind = kind;
    region->number = kind == RUN_PAGEABLE ? 0 : ++r->numbered;
    region->times = 1;
    region->cpu_cached = note_num(n, "cpu_cached");
    region->vidmem = note_num(n, "vidmem");
    region->va = note_num(n, "va");
    region->size = note_num(n, "size");
    region->len = note_num(n, "len");
    region->api = run_note_text(n, "api");
    region->where = run_note_text(n, "where");
    region->attached = run_note_text(n, "attached");
    return true;
}

static bool note_free(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "id"));

    if (!region || region->freed) {
        return false;
    }
    region->freed = true;
    return true;
}

static void dims_read(const char *value, uint32_t dims[3])
{
    for (unsigned i = 0; i < 3 && value; i++) {
        const char *comma = strchr(value, ',');

        dims[i] = (uint32_t)g_ascii_strtoull(value, NULL, 10);
        value = comma ? comma + 1 : NULL;
    }
}

static bool note_kernel(struct run *r, const struct note *n)
{
    struct run_kernel *kernel = NULL;
    uint32_t grid[3] = { 0 }, block[3] = { 0 };
    char *name = demangle(note_get(n, "name") ? note_get(n, "name") : "");

    dims_read(note_get(n, "grid"), grid);
    dims_read(note_get(n, "block"), block);
    for (guint i = 0; i < r->kernels->len && !kernel; i++) {
        struct run_kernel *k = r->kernels->pdata[i];

        kernel = strcmp(k->name, name) == 0 && g_strcmp0(k->gpu, note_get(n, "gpu")) == 0 &&
                         memcmp(k->grid, grid, sizeof(grid)) == 0 &&
                         memcmp(k->block, block, sizeof(block)) == 0
                     ? k
                     : NULL;
    }
    if (!kernel) {
        kernel = g_new0(struct run_kernel, 1);
        kernel->name = g_strdup(name);
        kernel->where = run_note_text(n, "where");
        kernel->gpu = run_note_text(n, "gpu");
        kernel->stream = (uint32_t)note_num(n, "stream");
        memcpy(kernel->grid, grid, sizeof(grid));
        memcpy(kernel->block, block, sizeof(block));
        kernel->index = r->kernels->len;
        g_ptr_array_add(r->kernels, kernel);
    }
    g_free(name);
    kernel->launches++;
    r->launches++;
    r->unsynced_launch = true;
    run_grid_set(r, (uint32_t)note_num(n, "id"), kernel, note_num(n, "code"));
    return kernel->launches == 1;
}

/* A source file of kernels, by the number that GPU records give. */
static bool note_file(struct run *r, const struct note *n)
{
    if (!note_get(n, "path")) {
        return false;
    }
    return g_hash_table_insert(
        r->files,
        g_strdup_printf("%" PRIu64 " %" PRIu64, note_num(n, "code"), note_num(n, "number")),
        run_note_text(n, "path"));
}

/* Where a file of the program's is; places have its name and one folder. */
static bool note_source(struct run *r, const struct note *n)
{
    if (!note_get(n, "name") || !note_get(n, "path")) {
        return false;
    }
    return g_hash_table_insert(r->sources, run_note_text(n, "name"), run_note_text(n, "path"));
}

/* The id that stands for a region, see run_region.times. */
uint32_t run_region_id(const struct run *r, const struct note *n, const char *key)
{
    uint32_t id = (uint32_t)note_num(n, key);
    const struct run_region *region = id ? run_region(r, id) : NULL;

    return region ? region->id : id;
}

/* The entry for calls like this one, made if there is none. */
static struct run_copy *call_get(const struct run *r, GPtrArray *calls, const struct note *n)
{
    uint32_t dst = run_region_id(r, n, "dst"), src = run_region_id(r, n, "src");
    struct run_copy *call;

    for (guint i = 0; i < calls->len; i++) {
        call = calls->pdata[i];
        if (call->dst == dst && call->src == src && g_strcmp0(call->api, note_get(n, "api")) == 0 &&
            g_strcmp0(call->where, note_get(n, "where")) == 0 &&
            g_strcmp0(call->detail, note_get(n, "detail")) == 0) {
            return call;
        }
    }
    call = g_new0(struct run_copy, 1);
    call->api = g_strdup(note_get(n, "api") ? note_get(n, "api") : "?");
    call->where = run_note_text(n, "where");
    call->detail = run_note_text(n, "detail");
    call->section = run_note_text(n, "section");
    call->dst = dst;
    call->src = src;
    g_ptr_array_add(calls, call);
    return call;
}

static bool note_copy(struct run *r, const struct note *n)
{
    struct run_copy *copy = call_get(r, r->copies, n);
    struct run_region *to = run_region(r, copy->dst), *from = run_region(r, copy->src);
    uint64_t bytes = note_num(n, "bytes");

    copy->count++;
    copy->bytes += bytes;
    if (to) {
        to->copied_in += bytes;
    }
    if (from) {
        from->copied_out += bytes;
    }
    return copy->count == 1;
}

static bool note_error(struct run *r, const struct note *n)
{
    return call_get(r, r->errors, n)->count++ == 0;
}

static bool note_unsupported(struct run *r, const struct note *n)
{
    return call_get(r, r->unsupported, n)->count++ == 0;
}

static bool note_attach(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "region"));
    const char *prefetch = note_get(n, "prefetch");

    r->attaches++;
    r->attach_after_launch += r->unsynced_launch && g_strcmp0(note_get(n, "state"), "host") == 0;
    if (!region) {
        return false;
    }
    g_free(region->attached);
    region->attached = run_note_text(n, "state");
    region->attach_cpu += g_strcmp0(prefetch, "cpu") == 0;
    region->attach_gpu += g_strcmp0(prefetch, "gpu") == 0;
    return true;
}

static bool note_sync(struct run *r, const struct note *n)
{
    (void)n;
    r->syncs++;
    r->unsynced_launch = false;
    return true;
}

static bool note_site(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "region"));
    struct run_site *site = NULL;

    for (guint i = 0; region && i < region->sites->len && !site; i++) {
        struct run_site *s = region->sites->pdata[i];

        site = g_strcmp0(s->where, note_get(n, "where")) == 0 ? s : NULL;
    }
    if (region && !site) {
        site = g_new0(struct run_site, 1);
        site->where = run_note_text(n, "where");
        g_ptr_array_add(region->sites, site);
    }
    if (site) {
        site->loads += note_num(n, "loads");
        site->stores += note_num(n, "stores");
        site->atomics += note_num(n, "atomics");
        site->bytes += note_num(n, "bytes");
    }
    return site != NULL;
}

static bool note_cache(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "region"));

    if (!region) {
        return false;
    }
    region->cpu_fills = note_num(n, "cpu_fills");
    region->cpu_evicts = note_num(n, "cpu_evicts");
    region->spared.snoops = note_num(n, "snooped");
    region->stale_lines = note_num(n, "stale");
    region->spared.fills = note_num(n, "l2_fills");
    region->spared.evicts = note_num(n, "l2_evicts");
    return true;
}

/* The busiest first; names decide a tie. */
static gint site_order(gconstpointer a, gconstpointer b)
{
    const struct run_site *x = *(struct run_site *const *)a, *y = *(struct run_site *const *)b;
    uint64_t nx = x->loads + x->stores + x->atomics, ny = y->loads + y->stores + y->atomics;

    return nx != ny ? (nx > ny ? -1 : 1) : g_strcmp0(x->where, y->where);
}

static bool note_end(struct run *r, const struct note *n)
{
    for (guint i = 0; i < r->regions->len; i++) {
        g_ptr_array_sort(((struct run_region *)r->regions->pdata[i])->sites, site_order);
    }
    r->time_ns = MAX(r->time_ns, note_num(n, "time_ns"));
    g_free(r->signal);
    r->signal = run_note_text(n, "signal");
    r->status = note_num(n, "status");
    r->ended = true;
    return true;
}

static bool note_waits(struct run *r, const struct note *n)
{
    r->spin_ns = note_num(n, "spin_ns");
    r->sleep_ns = note_num(n, "sleep_ns");
    return true;
}

static bool note_stream(struct run *r, const struct note *n)
{
    guint stream = (guint)note_num(n, "number");

    if (!note_num(n, "nonblocking") || !note_get(n, "where")) {
        return false;
    }
    g_hash_table_replace(r->nonblocking, GUINT_TO_POINTER(stream), run_note_text(n, "where"));
    return true;
}

/* Another process's syncpoints are waited for from now on. */
static bool note_foreign(struct run *r, const struct note *n)
{
    (void)n;
    r->foreign = true;
    return true;
}

static bool note_process(struct run *r, const struct note *n)
{
    r->process = note_num(n, "number");
    return r->others = true;
}

bool run_note(struct run *r, const struct note *n)
{
    static const struct {
        const char *name;
        bool (*take)(struct run *r, const struct note *n);
    } takers[] = {
        { "run", note_header },
        { "hooks", note_hooks },
        { "region", note_region },
        { "free", note_free },
        { "kernel", note_kernel },
        { "copy", note_copy },
        { "error", note_error },
        { "unsupported", note_unsupported },
        { "attach", note_attach },
        { "sync", note_sync },
        { "finding", run_finding_note },
        { "site", note_site },
        { "cache", note_cache },
        { "end", note_end },
        { "waits", note_waits },
        { "object", note_object },
        { "without-hooks", note_without_hooks },
        { "file", note_file },
        { "source", note_source },
        { "foreign", note_foreign },
        { "process", note_process },
        { "variable", variables_note },
        { "planes", run_planes_note },
        { "stream", note_stream },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(takers); i++) {
        if (strcmp(n->name, takers[i].name) == 0) {
            return takers[i].take(r, n);
        }
    }
    return run_board_note(r, n) || run_unchecked_note(r, n);
}

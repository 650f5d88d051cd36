/* SPDX-License-Identifier: MIT */
/* What the driver core reports: each call becomes a note (note.h). */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "checker/print/demangle.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/check_variable.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/sites.h"
#include "runtime/observe/source.h"
#include "runtime/observe/words.h"

static bool api_notes_enter(struct check *c)
{
    if (!c) {
        return false;
    }
    check_lock(c);
    if (c->closed) {
        check_unlock(c);
        return false;
    }
    return true;
}

static void api_notes_leave(struct check *c)
{
    check_unlock(c);
}

void api_notes_where(struct note *n, const struct check_caller *caller)
{
    const struct source_place *place = caller->pc[0] ? source_place(caller) : NULL;

    if (place && *place->text) {
        note_str(n, "where", place->text);
    }
}

/* NULL if unknown. */
static const char *called_api(const struct check_caller *caller)
{
    const struct source_place *place = caller->pc[0] ? source_place(caller) : NULL;

    return place ? place->api : NULL;
}

/* As records have it: 0, the first thread, is left out. */
static void note_thread(struct note *n)
{
    const struct vtegra_sched *sched = check_sched();
    uint32_t thread = sched ? sched->thread() : 0;

    if (thread) {
        note_u64(n, "thread", thread);
    }
}

/* The call that the application made: cudaMalloc rather than the cuMemAlloc below it. What is no
 * call
 * ("__device__ variables") stays. */
static void note_api(struct note *n, const char *api, const struct check_caller *caller)
{
    bool call = !api || (g_str_has_prefix(api, "cu") && !strchr(api, ' '));
    const char *called = call ? called_api(caller) : NULL;

    note_str(n, "api", called ? called : api ? api : "a call");
    note_thread(n);
}

void check_region_add(struct check *c, const struct check_region *region)
{
    static const char *const kinds[] = {
        [HAL_MEM_DEVICE] = "device",   [HAL_MEM_PINNED] = "pinned",
        [HAL_MEM_MANAGED] = "managed", [HAL_MEM_KERNEL] = "driver",
        [HAL_MEM_SHARED] = "shared",   [HAL_MEM_SHARED_UNCACHED] = "shared",
        [HAL_MEM_VIDMEM] = "device",
    };
    const struct hal_mem *mem = &region->mem;
    struct note n;

    if (mem->registered) {
        hook_range_add(mem);
    }
    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "region");
    note_u64(&n, "id", mem->id);
    note_str(&n, "kind", kinds[mem->kind]);
    note_u64(&n, "registered", mem->registered);
    note_u64(&n, "cpu_cached", mem->cpu_cached);
    if (mem->kind == HAL_MEM_VIDMEM) {
        note_u64(&n, "vidmem", 1);
    }
    note_hex(&n, "va", (uint64_t)(uintptr_t)mem->cpu);
    note_u64(&n, "size", region->size);
    note_u64(&n, "len", mem->size);
    note_api(&n, region->api, &region->caller);
    if (region->heap) {
        note_u64(&n, "heap", 1);
    }
    if (region->attached != CHECK_ATTACH_NONE) {
        note_str(&n, "attached", run_attach_name[region->attached]);
    }
    api_notes_where(&n, &region->caller);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_pageable(struct check *c, uint32_t region)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "region");
    note_u64(&n, "id", region);
    note_str(&n, "kind", "pageable");
    note_u64(&n, "cpu_cached", 1);
    note_str(&n, "api", "malloc, static, stack, mmap");
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_region_watched(struct check *c, uint32_t region, uint64_t left)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "watched");
    note_u64(&n, "id", region);
    if (left) {
        note_u64(&n, "left", left);
    }
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_region_planes(struct check *c, uint32_t region, const char *planes)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "planes");
    note_u64(&n, "id", region);
    note_str(&n, "planes", planes);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

/* Stores that no hook reported are found by comparison, and have no place in these comparisons. */
bool check_exact(const struct check *c)
{
    return c && c->hb && c->hooks_expected;
}

void check_unseen(struct check *c, const char *by)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "unseen");
    note_str(&n, "by", by);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_free_threads(struct check *c, unsigned threads, const char *explore)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "free_threads");
    note_u64(&n, "threads", threads);
    note_str(&n, "explore", explore);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_image(struct check *c, const struct image_turn *turn)
{
    if (api_notes_enter(c)) {
        checker_image(c->checker, turn);
        api_notes_leave(c);
    }
}

void check_frame(struct check *c, const struct frame_turn *turn)
{
    if (api_notes_enter(c)) {
        checker_frame(c->checker, turn);
        api_notes_leave(c);
    }
}

uint32_t check_last_grid(struct check *c, uint32_t region)
{
    const struct run_region *r;
    uint32_t grid_id;

    if (!api_notes_enter(c)) {
        return 0;
    }
    r = run_region(c->run, region);
    grid_id = r ? r->last_grid : 0;
    api_notes_leave(c);
    return grid_id;
}

void check_region_remove(struct check *c, uint32_t region, const struct check_caller *caller)
{
    const struct run_region *same;
    struct note n;

    hook_range_remove(region);
    if (!api_notes_enter(c)) {
        return;
    }
    g_hash_table_remove(c->holds, GUINT_TO_POINTER(region));
    same = run_region(c->run, region);
    if (same && same->id != region) {
        sites_move(c->sites, region, same->id);
    }
    note_init(&n, "free");
    note_u64(&n, "id", region);
    if (caller) {
        api_notes_where(&n, caller);
    }
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

char *check_called(struct check *c, const char *api, const struct check_caller *caller)
{
    const char *called;
    char *name;

    if (!api_notes_enter(c)) {
        return g_strdup(api);
    }
    called = called_api(caller);
    name = g_strdup(called ? called : api);
    api_notes_leave(c);
    return name;
}

char *check_called_at(struct check *c, const struct check_caller *caller)
{
    const char *text;
    char *place;

    if (!api_notes_enter(c)) {
        return NULL;
    }
    text = source_place(caller)->text;
    place = text && *text ? g_strdup(text) : NULL;
    api_notes_leave(c);
    return place;
}

char *check_demangle(const char *mangled)
{
    return demangle(mangled);
}

char *check_demangle_text(const char *text)
{
    return demangle_text(text);
}

/* The names behind the numbers that GPU_AT records give. */
static void code_files(struct check *c, const struct check_kernel *kernel)
{
    if (!g_hash_table_add(c->codes, GSIZE_TO_POINTER(kernel->code))) {
        return;
    }
    for (uint32_t i = 0; i < kernel->n_files; i++) {
        const char *path =
            kernel->files[i] ? source_kernel_file(kernel->files[i], &kernel->caller) : NULL;
        struct note n;

        if (path) {
            note_init(&n, "file");
            note_u64(&n, "code", kernel->code);
            note_u64(&n, "number", i);
            note_str(&n, "path", path);
            checker_note(c->checker, &n);
        }
    }
}

void check_kernel(struct check *c, const struct check_kernel *kernel)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    code_files(c, kernel);
    note_init(&n, "kernel");
    note_u64(&n, "id", kernel->grid_id);
    note_str(&n, "name", kernel->name);
    if (kernel->gpu) {
        note_str(&n, "gpu", kernel->gpu);
    }
    note_u64(&n, "stream", kernel->stream);
    note_dims(&n, "grid", kernel->grid);
    note_dims(&n, "block", kernel->block);
    note_thread(&n);
    if (kernel->code) {
        note_u64(&n, "code", kernel->code);
    }
    api_notes_where(&n, &kernel->caller);
    if (kernel->caller.pc[0]) {
        ids_set(c->launches, kernel->grid_id, (gpointer)source_place(&kernel->caller));
        ids_end(c->launches, kernel->grid_id);
    }
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_variable(struct check *c, const struct check_variable *v)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "variable");
    note_u64(&n, "code", v->code);
    note_str(&n, "kernel", v->kernel);
    note_str(&n, "name", v->name);
    note_u64(&n, "offset", v->offset);
    note_u64(&n, "bytes", v->bytes);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

/* Table 2: a change between host and the other two is a prefetch; on QNX it brings nothing (3.3,
 * Note), and the driver does nothing (managed.c). */
static const char *prefetch_of(const struct run *run, const struct run_region *region,
                               enum check_attach now)
{
    bool was_host = region && g_strcmp0(region->attached, "host") == 0;
    bool is_host = now == CHECK_ATTACH_HOST;

    if (!region || was_host == is_host || g_strcmp0(run->os, "qnx") == 0) {
        return "none";
    }
    return is_host ? "cpu" : "gpu";
}

static void note_attach(const struct check *c, struct note *n, const struct check_note *note)
{
    note_str(n, "state", run_attach_name[note->attach]);
    note_str(n, "prefetch", prefetch_of(c->run, run_region(c->run, note->region), note->attach));
}

/* Details begin with the error's name and may name a kernel as in PTX: "ERROR: _Z3incPii: why". */
static void note_detail(struct note *n, const char *told, const struct check_caller *caller)
{
    g_autofree char *detail = words_of_api(told, called_api(caller));
    const char *from = detail ? strstr(detail, ": _Z") : NULL;
    const char *to = from ? strstr(from + 2, ": ") : NULL;
    g_autofree char *mangled = to ? g_strndup(from + 2, (gsize)(to - from - 2)) : NULL;
    g_autofree char *name = mangled ? demangle(mangled) : NULL;
    g_autofree char *text =
        name ? g_strdup_printf("%.*s: %s%s", (int)(from - detail), detail, name, to) : NULL;

    note_str(n, "detail", text ? text : detail);
}

void check_api_note(struct check *c, const struct check_note *note)
{
    static const char *const names[] = {
        [CHECK_NOTE_COPY] = "copy",
        [CHECK_NOTE_FILL] = "fill",
        [CHECK_NOTE_ATTACH] = "attach",
        [CHECK_NOTE_SYNC] = "sync",
        [CHECK_NOTE_ERROR] = "error",
        [CHECK_NOTE_UNSUPPORTED] = "unsupported",
        [CHECK_NOTE_FREE] = "free_async",
        [CHECK_NOTE_ALLOC] = "alloc_async",
        [CHECK_NOTE_SIGNAL] = "signal",
        [CHECK_NOTE_WAIT] = "wait",
        [CHECK_NOTE_FRAME] = "frame",
        [CHECK_NOTE_FUNCTION] = "host_function",
        [CHECK_NOTE_FRAME_TAKEN] = "frame_taken",
    };
    bool copy = note->kind == CHECK_NOTE_COPY;
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, names[note->kind]);
    note_api(&n, note->api, &note->caller);
    if (copy) {
        note_u64(&n, "dst", note->region);
        note_u64(&n, "src", note->region2);
    } else if (note->region) {
        note_u64(&n, "region", note->region);
    }
    if (note->kind == CHECK_NOTE_ATTACH) {
        note_attach(c, &n, note);
    }
    if (note->bytes) {
        note_u64(&n, "bytes", note->bytes);
    }
    if (note->skips) {
        note_u64(&n, "skips", 1);
    }
    if (note->stream == CHECK_ALL_STREAMS) {
        note_str(&n, "stream", "all");
    } else {
        note_u64(&n, "stream", note->stream);
    }
    note_detail(&n, note->detail, &note->caller);
    note_str(&n, "section", note->section);
    api_notes_where(&n, &note->caller);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_event(struct check *c, uint32_t syncpt, uint32_t value, uint32_t stream,
                 const struct check_caller *caller)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "event");
    note_api(&n, "cuEventRecord", caller);
    note_u64(&n, "stream", stream);
    note_u64(&n, "syncpt", syncpt);
    note_u64(&n, "value", value);
    api_notes_where(&n, caller);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_stream_nonblocking(struct check *c, uint32_t stream, const struct check_caller *caller)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "stream");
    note_u64(&n, "number", stream);
    note_u64(&n, "nonblocking", 1);
    api_notes_where(&n, caller);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_event_wait(struct check *c, uint32_t syncpt, uint32_t value)
{
    struct note n;

    if (!api_notes_enter(c)) {
        return;
    }
    note_init(&n, "event_wait");
    note_u64(&n, "syncpt", syncpt);
    note_u64(&n, "value", value);
    checker_note(c->checker, &n);
    api_notes_leave(c);
}

void check_forgot(struct check *c, enum run_forgot what, uint64_t times)
{
    if (api_notes_enter(c)) {
        checker_forgot(c->checker, what, times);
        api_notes_leave(c);
    }
}

/* The call that a finding is about: of the place, else the launch of the kernel. */
static const char *finding_api(const struct check *c, const struct check_finding *f)
{
    const char *api = called_api(&f->caller);
    const struct source_place *launch = api ? NULL : ids_get(c->launches, f->grid_id);

    return launch ? launch->api : api;
}

/* In words of the API that the program uses. */
static void finding_take(struct check *c, const struct check_finding *f, const char *where)
{
    g_autofree char *text = words_of_api(f->text, finding_api(c, f));
    g_autofree char *todo = words_of_api(f->todo, finding_api(c, f));

    checker_finding(c->checker, &(struct checker_finding){
                                    .rule = f->rule,
                                    .severity = f->severity,
                                    .standing = f->standing,
                                    .section = f->section,
                                    .text = text,
                                    .todo = todo,
                                    .where = where,
                                    .grid_id = f->grid_id,
                                    .region = f->region,
                                    .va = f->address,
                                });
}

struct check_finding check_finding_of(enum check_rule_id id)
{
    const struct check_rule *rule = &check_rules[id];

    return (struct check_finding){
        .rule = rule->name,
        .severity = rule->severity,
        .standing = rule->standing,
        .section = rule->section,
        .text = rule->text,
        .todo = rule->todo,
    };
}

void check_finding(struct check *c, const struct check_finding *finding)
{
    if (!api_notes_enter(c)) {
        return;
    }
    finding_take(c, finding, finding->caller.pc[0] ? source_place(&finding->caller)->text : NULL);
    api_notes_leave(c);
}

void check_kernel_fault(struct check *c, const struct check_fault *fault)
{
    g_autofree char *text = NULL, *where = NULL;
    struct check_finding f = check_finding_of(CHECK_RULE_KERNEL_FAULT);

    if (!api_notes_enter(c)) {
        return;
    }
    f.rule = fault->rule ? fault->rule : f.rule;
    f.standing = fault->section ? fault->standing : f.standing;
    f.section = fault->section ? fault->section : f.section;
    f.grid_id = fault->grid_id;
    text = kernel_fault_text(c->run, fault);
    f.text = text;
    f.todo = kernel_fault_todo(c->run, fault);
    if (fault->file && *fault->file) {
        where = g_strdup_printf("%s:%u", source_kernel_file(fault->file, &f.caller), fault->line);
    } else if (fault->ptx_line) {
        where = g_strdup_printf("line %u of the PTX", fault->ptx_line);
    }
    finding_take(c, &f, where);
    api_notes_leave(c);
}

void check_managed_state(struct check *c, uint32_t region, bool closed, uint32_t grid_id,
                         uint32_t stream)
{
    struct hold *hold;

    if (!api_notes_enter(c)) {
        return;
    }
    if (!closed) {
        g_hash_table_remove(c->holds, GUINT_TO_POINTER(region));
    } else {
        hold = g_new(struct hold, 1);
        *hold = (struct hold){ grid_id, stream };
        g_hash_table_insert(c->holds, GUINT_TO_POINTER(region), hold);
    }
    api_notes_leave(c);
}

/* SPDX-License-Identifier: MIT */
/* What the driver core tells: each call becomes a note (note.h). */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "runtime/check/check_internal.h"
#include "runtime/check/demangle.h"
#include "runtime/check/source.h"
#include "runtime/check/text.h"
#include "runtime/check/words.h"

static bool enter(struct check *c)
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

static void leave(struct check *c)
{
    check_unlock(c);
}

void told_where(struct note *n, const struct check_caller *caller)
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

/* The call that the application made: cudaMalloc rather than the cuMemAlloc below it. What is no
 * call
 * ("__device__ variables") stays. */
static void note_api(struct note *n, const char *api, const struct check_caller *caller)
{
    bool call = !api || (g_str_has_prefix(api, "cu") && !strchr(api, ' '));
    const char *called = call ? called_api(caller) : NULL;

    note_str(n, "api", called ? called : api ? api : "a call");
}

void check_region_add(struct check *c, const struct check_region *region)
{
    static const char *const kinds[] = {
        [HAL_MEM_DEVICE] = "device",
        [HAL_MEM_PINNED] = "pinned",
        [HAL_MEM_MANAGED] = "managed",
        [HAL_MEM_KERNEL] = "driver",
    };
    const struct hal_mem *mem = &region->mem;
    struct note n;

    if (mem->registered) {
        hook_range_add(mem);
    }
    if (!enter(c)) {
        return;
    }
    note_init(&n, "region");
    note_u64(&n, "id", mem->id);
    note_str(&n, "kind", kinds[mem->kind]);
    note_u64(&n, "registered", mem->registered);
    note_u64(&n, "cpu_cached", mem->cpu_cached);
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
    told_where(&n, &region->caller);
    check_take(c, &n);
    leave(c);
}

void check_pageable(struct check *c, uint32_t region)
{
    struct note n;

    if (!enter(c)) {
        return;
    }
    note_init(&n, "region");
    note_u64(&n, "id", region);
    note_str(&n, "kind", "pageable");
    note_u64(&n, "cpu_cached", 1);
    note_str(&n, "api", "malloc, static, stack, mmap");
    check_take(c, &n);
    leave(c);
}

uint32_t check_last_grid(struct check *c, uint32_t region)
{
    const struct run_region *r;
    uint32_t grid_id;

    if (!enter(c)) {
        return 0;
    }
    r = run_region(c->run, region);
    grid_id = r ? r->last_grid : 0;
    leave(c);
    return grid_id;
}

void check_region_remove(struct check *c, uint32_t region, const struct check_caller *caller)
{
    struct note n;

    hook_range_remove(region);
    if (!enter(c)) {
        return;
    }
    g_hash_table_remove(c->holds, GUINT_TO_POINTER(region));
    note_init(&n, "free");
    note_u64(&n, "id", region);
    if (caller) {
        told_where(&n, caller);
    }
    check_take(c, &n);
    leave(c);
}

char *check_called(struct check *c, const char *api, const struct check_caller *caller)
{
    const char *called;
    char *name;

    if (!enter(c)) {
        return g_strdup(api);
    }
    called = called_api(caller);
    name = g_strdup(called ? called : api);
    leave(c);
    return name;
}

char *check_called_at(struct check *c, const struct check_caller *caller)
{
    const char *text;
    char *place;

    if (!enter(c)) {
        return NULL;
    }
    text = source_place(caller)->text;
    place = text && *text ? g_strdup(text) : NULL;
    leave(c);
    return place;
}

char *check_demangle(const char *mangled)
{
    return demangle(mangled);
}

static void note_dims(struct note *n, const char *key, const uint32_t dims[3])
{
    char text[40];

    g_snprintf(text, sizeof(text), "%u,%u,%u", dims[0], dims[1], dims[2]);
    note_str(n, key, text);
}

/* The names behind the numbers that GPU_AT records give. */
static void code_files(struct check *c, const struct check_kernel *kernel)
{
    g_hash_table_insert(c->grid_code, GUINT_TO_POINTER(kernel->grid_id),
                        GSIZE_TO_POINTER(kernel->code));
    if (!g_hash_table_add(c->codes, GSIZE_TO_POINTER(kernel->code))) {
        return;
    }
    for (uint32_t i = 0; i < kernel->n_files; i++) {
        g_autofree char *path = kernel->files[i] ? source_path(kernel->files[i], NULL) : NULL;
        struct note n;

        if (path) {
            g_hash_table_insert(c->files, g_strdup_printf("%" PRIu64 " %" PRIu32, kernel->code, i),
                                g_strdup(path));
            note_init(&n, "file");
            note_u64(&n, "code", kernel->code);
            note_u64(&n, "number", i);
            note_str(&n, "path", path);
            check_take(c, &n);
        }
    }
}

void check_kernel(struct check *c, const struct check_kernel *kernel)
{
    struct note n;

    if (!enter(c)) {
        return;
    }
    code_files(c, kernel);
    note_init(&n, "kernel");
    note_u64(&n, "id", kernel->grid_id);
    note_str(&n, "name", kernel->name);
    note_u64(&n, "stream", kernel->stream);
    note_dims(&n, "grid", kernel->grid);
    note_dims(&n, "block", kernel->block);
    if (kernel->code) {
        note_u64(&n, "code", kernel->code);
    }
    told_where(&n, &kernel->caller);
    if (kernel->caller.pc[0]) {
        g_hash_table_insert(c->launches, GUINT_TO_POINTER(kernel->grid_id),
                            (gpointer)source_place(&kernel->caller));
    }
    check_take(c, &n);
    leave(c);
}

/* Table 2: a change between host and the other two is a prefetch. */
static const char *prefetch_of(const struct run_region *region, enum check_attach now)
{
    bool was_host = region && g_strcmp0(region->attached, "host") == 0;
    bool is_host = now == CHECK_ATTACH_HOST;

    if (!region || was_host == is_host) {
        return "none";
    }
    return is_host ? "cpu" : "gpu";
}

static void note_attach(const struct check *c, struct note *n, const struct check_note *note)
{
    note_str(n, "state", run_attach_name[note->attach]);
    note_str(n, "prefetch", prefetch_of(run_region(c->run, note->region), note->attach));
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
        [CHECK_NOTE_COPY] = "copy",       [CHECK_NOTE_FILL] = "fill",
        [CHECK_NOTE_ATTACH] = "attach",   [CHECK_NOTE_SYNC] = "sync",
        [CHECK_NOTE_ERROR] = "error",     [CHECK_NOTE_UNSUPPORTED] = "unsupported",
        [CHECK_NOTE_FREE] = "free_async", [CHECK_NOTE_ALLOC] = "alloc_async",
    };
    bool copy = note->kind == CHECK_NOTE_COPY;
    struct note n;

    if (!enter(c)) {
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
    if (note->stream == CHECK_ALL_STREAMS) {
        note_str(&n, "stream", "all");
    } else {
        note_u64(&n, "stream", note->stream);
    }
    note_detail(&n, note->detail, &note->caller);
    note_str(&n, "section", note->section);
    told_where(&n, &note->caller);
    check_take(c, &n);
    leave(c);
}

void check_event(struct check *c, uint32_t syncpt, uint32_t value, uint32_t stream,
                 const struct check_caller *caller)
{
    struct note n;

    if (!enter(c)) {
        return;
    }
    note_init(&n, "event");
    note_api(&n, "cuEventRecord", caller);
    note_u64(&n, "stream", stream);
    note_u64(&n, "syncpt", syncpt);
    note_u64(&n, "value", value);
    told_where(&n, caller);
    check_take(c, &n);
    leave(c);
}

static const char *kernel_name(const struct check *c, uint32_t grid_id)
{
    const struct run_kernel *kernel =
        grid_id ? g_hash_table_lookup(c->run->grids, GUINT_TO_POINTER(grid_id)) : NULL;

    return kernel ? kernel->name : NULL;
}

/* The call that a finding is about: of the place, else the launch of the kernel. */
static const char *finding_api(const struct check *c, const struct check_finding *f)
{
    const char *api = called_api(&f->caller);
    const struct source_place *launch =
        api ? NULL : g_hash_table_lookup(c->launches, GUINT_TO_POINTER(f->grid_id));

    return launch ? launch->api : api;
}

static void finding_note(struct check *c, struct note *n, const struct check_finding *f)
{
    const struct run_region *region = f->region ? run_region(c->run, f->region) : NULL;
    g_autofree char *text = words_of_api(f->text, finding_api(c, f));
    g_autofree char *todo = words_of_api(f->todo, finding_api(c, f));

    note_init(n, "finding");
    note_str(n, "rule", f->rule);
    note_str(n, "severity", run_severity_name[f->severity]);
    note_str(n, "standing", run_standing_name[f->standing]);
    note_str(n, "section", f->section);
    note_str(n, "text", text);
    note_str(n, "todo", todo);
    note_str(n, "kernel", kernel_name(c, f->grid_id));
    if (f->region) {
        note_u64(n, "region", f->region);
    }
    if (region && f->address >= region->va && f->address - region->va < region->len) {
        note_hex(n, "offset", f->address - region->va);
    }
    if (f->severity == CHECK_ERROR && g_strcmp0(c->run->policy, "seeded") == 0) {
        note_str(n, "run", c->run->again);
    }
}

void told_finding(struct check *c, struct note *n)
{
    const GPtrArray *findings = c->run->findings;
    const struct run_finding *f;
    guint before = findings->len;

    if (!check_take(c, n) || findings->len == before) { /* advice is for the report alone */
        return;
    }
    f = findings->pdata[before];
    if (f->severity == CHECK_ERROR || (f->severity == CHECK_WARNING && !c->quiet)) {
        char *text = text_finding_live(c->run, f);

        (void)!tracefile_write(STDERR_FILENO, text, strlen(text));
        g_free(text);
    }
}

/* A line of a kernel from its number, "app.cu:12"; NULL: unknown. */
static char *place_text(const struct check *c, uint32_t grid_id, uint64_t place)
{
    uint64_t code = GPOINTER_TO_SIZE(g_hash_table_lookup(c->grid_code, GUINT_TO_POINTER(grid_id)));
    g_autofree char *key = g_strdup_printf("%" PRIu64 " %" PRIu64, code, place >> 32);
    const char *path = g_hash_table_lookup(c->files, key);

    return path && place ? g_strdup_printf("%s:%" PRIu32, path, (uint32_t)place) : NULL;
}

void told_barrier_split(struct check *c, const struct trace_record *t)
{
    uint32_t grid_id = (uint32_t)t->arg[1];
    g_autofree char *at = place_text(c, grid_id, t->arg[2]);
    g_autofree char *other = place_text(c, grid_id, t->arg[3]);
    g_autofree char *text =
        at && other && strcmp(at, other) != 0
            ? g_strdup_printf(
                  "Parts of a warp reached __syncthreads() in different places, here and "
                  "at %s: the branch between them diverges.",
                  other)
            : g_strdup(
                  "Parts of a warp reached __syncthreads() in different places: a branch around "
                  "it diverges.");
    struct check_finding f = {
        .rule = "barrier-divergent",
        .severity = CHECK_WARNING,
        .standing = CHECK_DOCUMENTED,
        .section = "PTX ISA 9.7.13.1, bar; CUDA Programming Guide, synchronization functions",
        .text = text,
        .todo = "Let every thread of the block reach the same __syncthreads(): move it out of the "
                "branch. It happened to work here; on a board the kernel may hang or go on too "
                "early.",
        .grid_id = grid_id,
    };
    struct note n;

    finding_note(c, &n, &f);
    note_str(&n, "where", at);
    told_finding(c, &n);
}

void check_finding(struct check *c, const struct check_finding *finding)
{
    struct note n;

    if (!enter(c)) {
        return;
    }
    finding_note(c, &n, finding);
    told_where(&n, &finding->caller);
    told_finding(c, &n);
    leave(c);
}

/* No board maps the first page for either side. */
#define NULL_PAGE 4096u
#define FAR_BYTES (UINT64_C(1) << 32) /* farther from a buffer hardly any index goes */

/* Where an address lies that a kernel should not have used: in words of the application's buffers.
 */
static char *address_text(const struct run *r, uint64_t va)
{
    const struct run_region *region = run_region_at(r, va), *below = NULL;
    char *name, *text;

    for (guint i = 0; i < r->regions->len && !region; i++) {
        const struct run_region *g = r->regions->pdata[i];

        if (g->number && g->va + g->len <= va &&
            (!below || g->va + g->len > below->va + below->len)) {
            below = g;
        }
    }
    if (!region && va < NULL_PAGE) {
        return g_strdup_printf("The address 0x%" PRIx64 " is a null pointer%s.", va,
                               va ? " with an offset" : "");
    }
    if (!region && !below) {
        return g_strdup_printf("The address 0x%" PRIx64 " is in no buffer.", va);
    }
    if (!region && va - below->va - below->size > FAR_BYTES) {
        return g_strdup_printf(
            "The address 0x%" PRIx64
            " is in no buffer, and far from every one: it may be the CPU's (malloc, "
            "static, stack), which kernels cannot use.",
            va);
    }
    name = run_region_name(region ? region : below);
    if (region) {
        text = g_strdup_printf("The address lies %" PRIu64 " bytes into %s%s.", va - region->va,
                               name, region->freed ? ", which was freed before" : "");
    } else {
        text =
            g_strdup_printf("The address 0x%" PRIx64 " is in no buffer; the nearest before it, %s, "
                            "ends %" PRIu64 " bytes below.",
                            va, name, va - below->va - below->size);
    }
    g_free(name);
    return text;
}

#define CONTEXT_LOST " The context is lost: every later call returns the same error."

/* What to do about it, by what the address is. */
static const char *fault_todo(const struct run *r, const struct check_fault *fault)
{
    const struct run_region *region = run_region_at(r, fault->va);

    if (fault->todo) {
        return fault->todo;
    }
    if (strcmp(fault->api_error, "CUDA_ERROR_LAUNCH_TIMEOUT") == 0) {
        return "If the kernel waits for the CPU or for a later launch, it waits for ever: let it "
               "end. If it is only long, raise --steps." CONTEXT_LOST;
    }
    if (strcmp(fault->api_error, "CUDA_ERROR_ILLEGAL_ADDRESS") != 0) {
        return "Fix the kernel." CONTEXT_LOST;
    }
    if (region && region->freed) {
        return "Free the buffer after the last kernel that uses it has ended." CONTEXT_LOST;
    }
    if (fault->va < NULL_PAGE) {
        return "Check what the allocation returned and which pointer the launch "
               "passes." CONTEXT_LOST;
    }
    return "Check the index against the buffer's size, and which pointer the launch "
           "passes." CONTEXT_LOST;
}

void check_kernel_fault(struct check *c, const struct check_fault *fault)
{
    struct check_finding f = {
        .rule = fault->rule ? fault->rule : "kernel-fault",
        .severity = CHECK_ERROR,
        .standing = fault->section ? fault->standing : CHECK_DOCUMENTED,
        .section = fault->section ? fault->section : "CUDA Driver API, error codes",
        .grid_id = fault->grid_id,
    };
    char *address, *text, *where = NULL;
    struct note n;

    if (!enter(c)) {
        return;
    }
    f.todo = fault_todo(c->run, fault);
    address = fault->place               ? g_strdup(fault->place)
              : fault->va || fault->size ? address_text(c->run, fault->va)
                                         : g_strdup("");
    text = g_strdup_printf("%s in block (%u,%u,%u), thread (%u,%u,%u)%s%s.%s%s", fault->what,
                           fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
                           fault->thread[1], fault->thread[2], fault->api_error ? ": " : "",
                           fault->api_error ? fault->api_error : "", *address ? " " : "", address);
    f.text = text;
    finding_note(c, &n, &f);
    if (fault->file && *fault->file) {
        char *path = source_path(fault->file, NULL);

        where = g_strdup_printf("%s:%u", path, fault->line);
        g_free(path);
    } else if (fault->ptx_line) {
        where = g_strdup_printf("line %u of the PTX", fault->ptx_line);
    }
    note_str(&n, "where", where);
    told_finding(c, &n);
    g_free(where);
    g_free(text);
    g_free(address);
    leave(c);
}

void check_managed_state(struct check *c, uint32_t region, uint32_t grid_id, uint32_t stream)
{
    struct hold *hold;

    if (!enter(c)) {
        return;
    }
    if (grid_id == 0) {
        g_hash_table_remove(c->holds, GUINT_TO_POINTER(region));
    } else {
        hold = g_new(struct hold, 1);
        *hold = (struct hold){ grid_id, stream };
        g_hash_table_insert(c->holds, GUINT_TO_POINTER(region), hold);
    }
    leave(c);
}

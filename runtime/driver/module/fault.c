/* SPDX-License-Identifier: MIT */
/* What went wrong on the board, in the words that help to find the bug; and the code that
 * every later call of the context answers. */
#include "runtime/driver/module/fault.h"
#include "checker/run/run.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/virtual.h"
#include "runtime/driver/module/fault_text.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/observe/sched_lookup.h"

#include <string.h>
#include <sys/mman.h>

struct meaning {
    CUresult code;
    const char *what;
    enum check_standing standing;
};

/* Codes: CUDA Driver API, "Data types", enumeration CUresult; where it leaves a choice, what
 * NVIDIA's driver is known to answer: inferred. */
static const struct meaning meanings[] = {
    [CHAN_ERROR_MMU] = { CUDA_ERROR_ILLEGAL_ADDRESS, "out-of-bounds", CHECK_DOCUMENTED },
    [CHAN_ERROR_BUS] = { CUDA_ERROR_ILLEGAL_ADDRESS, "access to no memory", CHECK_INFERRED },
    [CHAN_ERROR_MISALIGNED] = { CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned", CHECK_DOCUMENTED },
    [CHAN_ERROR_SHARED_RANGE] = { CUDA_ERROR_ILLEGAL_ADDRESS, "out of its shared memory",
                                  CHECK_INFERRED },
    [CHAN_ERROR_LOCAL_RANGE] = { CUDA_ERROR_ILLEGAL_ADDRESS, "out of its local memory",
                                 CHECK_INFERRED },
    [CHAN_ERROR_INSTRUCTION] = { CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                 "an instruction that cannot be executed", CHECK_DOCUMENTED },
    [CHAN_ERROR_ATOMIC] = { CUDA_ERROR_ILLEGAL_ADDRESS,
                            "a system-wide atomic, which this SoC does not have", CHECK_INFERRED },
    [CHAN_ERROR_TRAP] = { CUDA_ERROR_LAUNCH_FAILED, "a trap", CHECK_INFERRED },
    [CHAN_ERROR_ASSERT] = { CUDA_ERROR_ASSERT, "a failed assertion", CHECK_DOCUMENTED },
    [CHAN_ERROR_STACK] = { CUDA_ERROR_HARDWARE_STACK_ERROR, "the stack is used up",
                           CHECK_DOCUMENTED },
    [CHAN_ERROR_TIMEOUT] = { CUDA_ERROR_LAUNCH_TIMEOUT, "the step limit is reached",
                             CHECK_DOCUMENTED },
    [CHAN_ERROR_BARRIER] = { CUDA_ERROR_LAUNCH_TIMEOUT, "a barrier that not all threads can reach",
                             CHECK_INFERRED },
    /* NVIDIA says only that the results are undefined; of an mbarrier, too. */
    [CHAN_ERROR_MBARRIER] = { CUDA_ERROR_LAUNCH_FAILED, "an mbarrier operation", CHECK_INFERRED },
    [CHAN_ERROR_FREE] = { CUDA_ERROR_LAUNCH_FAILED,
                          "free() of what malloc() did not return, or freed before",
                          CHECK_INFERRED },
    [CHAN_ERROR_METHOD] = { CUDA_ERROR_LAUNCH_FAILED, "an unknown command", CHECK_INFERRED },
    [CHAN_ERROR_CODE] = { CUDA_ERROR_LAUNCH_FAILED, "code bytes that do not decode",
                          CHECK_INFERRED },
    [CHAN_ERROR_LAUNCH] = { CUDA_ERROR_LAUNCH_FAILED, "a launch descriptor out of range",
                            CHECK_INFERRED },
};

/* The address in terms of the buffers: inside, behind, before, freed. */
static char *place_text(uint64_t va, uint32_t *region)
{
    const struct region *r = region_at(va);
    const struct freed *f = region_freed_at(va);
    uint64_t base, end;

    *region = 0;
    if (!r && f) {
        *region = f->id;
        return g_strdup_printf("%" G_GUINT64_FORMAT
                               " bytes into memory that was freed (%" G_GUINT64_FORMAT " bytes)",
                               va - f->base, f->bytes);
    }
    if (!r) {
        r = region_nearest(va);
    }
    if (!r) {
        return g_strdup("where nothing was ever allocated");
    }
    base = region_address(r);
    end = base + region_bytes(r);
    if (va < base ? base - va > (1 << 20) : va >= end && va - end > (1 << 20)) {
        return g_strdup(va < HAL_PAGE ? "near the NULL pointer" : "far from any buffer");
    }
    *region = region_id(r);
    if (va >= end) {
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes past the end of a buffer of %zu bytes",
                               va - end, region_bytes(r));
    }
    if (va < base) {
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes before a buffer of %zu bytes",
                               base - va, region_bytes(r));
    }
    return g_strdup_printf(
        "%" G_GUINT64_FORMAT " bytes into a buffer of %zu bytes%s", va - base, region_bytes(r),
        managed_gpu_may_use(r) ? "" : ", managed memory that is attached to the host");
}

/* An index may have gone that far astray: less than a mebibyte beside a buffer. */
static bool near_region(uint64_t va)
{
    const struct region *r = region_nearest(va);
    uint64_t base = r ? region_address(r) : 0;

    return r && (va < base ? base - va <= 1 << 20 : va - base <= region_bytes(r) + (1 << 20));
}

/* Is @va the application's pageable memory (heap, stack, static), on a SoC whose iGPU cannot reach
 * it? Where the board's own buffers lie, or right beside one, an index that went astray is
 * likelier. */
static bool out_of_reach(const struct channel *ch, const struct chan_error *e)
{
    uint64_t arena, arena_size;
    unsigned char in_core;

    hal_arena_bounds(core_hal(), &arena, &arena_size);
    return !device_pageable(context_device(channel_context(ch))) && e->kind == CHAN_ERROR_MMU &&
           e->va >= HAL_PAGE && e->va - arena >= arena_size && !region_at(e->va) &&
           !region_freed_at(e->va) && !near_region(e->va) &&
           mincore((void *)(uintptr_t)(e->va & ~(uint64_t)(HAL_PAGE - 1)), 1, &in_core) == 0;
}

/* The kernel's name by the code bytes it ran, from the descriptor in the channel's memory. */
static const struct ptx_func *func_of(const struct channel *ch, const struct chan_error *e,
                                      uint32_t *grid_id, const char **file)
{
    uint64_t first = channel_memory(ch)->bus;
    const struct qmd *qmd;
    const struct module *m;
    const struct ptx_module *ptx;

    *grid_id = 0;
    *file = NULL;
    if (e->qmd < first || e->qmd - first > channel_memory(ch)->size - sizeof(*qmd)) {
        return NULL; /* a copy or the front end */
    }
    qmd = (const struct qmd *)((const uint8_t *)channel_memory(ch)->cpu + (e->qmd - first));
    *grid_id = qmd->grid_id;
    m = module_of_code(qmd->code_id);
    if (!m) {
        return NULL;
    }
    ptx = m->image->ptx;
    if (e->source_line && e->source_file < ptx->n_files) {
        *file = ptx->files[e->source_file];
    }
    return e->func < ptx->n_funcs ? ptx->funcs[e->func] : NULL;
}

/* The instruction at the fault says more than the access: an atomic is neither load nor store. */
static const char *access_text(const struct chan_error *e, const struct ptx_func *func)
{
    for (uint32_t i = 0; func && i < func->n_inst; i++) {
        const struct ptx_inst *inst = &func->inst[i];

        if (inst->pos.line == e->ptx_line && (inst->op == PTX_OP_ATOM || inst->op == PTX_OP_RED)) {
            return "atomic";
        }
    }
    return e->write ? "store" : "load";
}

static char *what_text(const struct channel *ch, const struct chan_error *e,
                       const struct meaning *m, const struct ptx_func *func)
{
    const struct region *r = region_at(e->va);
    const struct check_rule *rule;
    const char *access = access_text(e, func),
               *where = fault_elsewhere(channel_context(ch), r, e->va, &rule);

    switch (e->kind) {
    case CHAN_ERROR_MMU:
        if (virtual_fault(e->va)) {
            return g_strdup_printf("illegal %s", access);
        }
        if (r && !managed_gpu_may_use(r)) { /* Programming Guide: not accessible to the device */
            return g_strdup_printf("%s to managed memory that is attached to the host", access);
        }
        if (e->reason == CHAN_REASON_READ_ONLY && r && region_use(r) != REGION_DATA) {
            return g_strdup(region_use(r) == REGION_CODE ? "store to the code of a module"
                                                         : "store to constant memory");
        }
        if (e->reason == CHAN_REASON_READ_ONLY) {
            return g_strdup_printf("%s to memory that %s", access,
                                   r ? "was registered read-only"
                                     : "the process itself may only read");
        }
        if (where) {
            return g_strdup_printf("%s to %s", access, where);
        }
        if (out_of_reach(ch, e)) {
            return g_strdup_printf("%s %s pageable memory of the CPU", access,
                                   e->write ? "to" : "from");
        }
        return g_strdup_printf("%s %s", m->what, access);
    case CHAN_ERROR_MISALIGNED:
        return g_strdup_printf("%s %s", m->what, access);
    case CHAN_ERROR_METHOD:
    case CHAN_ERROR_CODE:
    case CHAN_ERROR_LAUNCH:
        return g_strdup_printf("%s (method 0x%" G_GINT32_MODIFIER "x, data 0x%" G_GINT32_MODIFIER
                               "x)",
                               m->what, e->method, e->data);
    default:
        if (fault_lanes(e)) {
            return g_strdup_printf("%s (membermask 0x%08x, lanes 0x%08x are elsewhere)",
                                   fault_mbarrier_rule(e), e->method, e->data);
        }
        return g_strdup(fault_mbarrier_rule(e) ? fault_mbarrier_rule(e) : m->what);
    }
}

/* A store to what a module keeps for itself. That it faults is inferred: which pages a board's
 * driver maps read-only is not documented. */
static void module_fault(const struct chan_error *e, struct check_fault *fault, char **place)
{
    const struct region *r = region_at(e->va);

    if (!r || region_use(r) == REGION_DATA || e->reason != CHAN_REASON_READ_ONLY) {
        return;
    }
    *place =
        g_strdup_printf("The address lies %" G_GUINT64_FORMAT " bytes into the %s of a module.",
                        e->va - region_address(r),
                        region_use(r) == REGION_CODE ? "code" : "__constant__ variables");
    fault->place = *place;
    fault->standing = CHECK_INFERRED;
    fault->section =
        region_use(r) == REGION_CODE ? "vtegra: code is mapped read-only" : "PTX ISA 5.1.3, .const";
    fault->todo = region_use(r) == REGION_CODE
                      ? "The pointer belongs to no buffer: look at how the kernel computes it."
                        " The context is lost: every later call returns the same error."
                      : "A kernel can only read __constant__ variables: keep what it writes in a "
                        "__device__ variable, or let the host write with cudaMemcpyToSymbol()."
                        " The context is lost: every later call returns the same error.";
}

/* No buffer, on a SoC whose iGPU uses the process's page tables: these have no such page, or not
 * for stores. */
static void pageable_fault(const struct channel *ch, const struct chan_error *e,
                           struct check_fault *fault, char **place)
{
    bool read_only = e->reason == CHAN_REASON_READ_ONLY;

    if (!device_pageable(context_device(channel_context(ch))) || e->kind != CHAN_ERROR_MMU ||
        region_at(e->va) || region_freed_at(e->va) || e->va < HAL_PAGE) {
        return;
    }
    if (read_only) {
        *place = g_strdup_printf("The address 0x%" G_GINT64_MODIFIER
                                 "x is in a page of the process that is mapped "
                                 "read-only (constants, string literals, a file).",
                                 e->va);
    } else if (!near_region(e->va)) {
        *place = g_strdup_printf("The address 0x%" G_GINT64_MODIFIER
                                 "x is in no buffer, and the process has nothing "
                                 "mapped there (any more).",
                                 e->va);
    }
    if (*place) {
        fault->place = *place;
        fault->standing = CHECK_INFERRED;
        fault->section = "CUDA C++ Programming Guide, unified memory: system-allocated memory";
        fault->todo =
            read_only
                ? "Copy it to memory that may be written before a kernel stores there." FAULT_LOST
                : "Keep the memory mapped until the last kernel that uses it has ended: free() and "
                  "munmap() after the synchronisation; and check which pointer the launch "
                  "passes." FAULT_LOST;
    }
}

/* No buffer, on a SoC whose iGPU has page tables of its own: memory that the process has. */
static void process_fault(const struct channel *ch, const struct chan_error *e,
                          struct check_fault *fault, char **place)
{
    if (!out_of_reach(ch, e)) {
        return;
    }
    *place = g_strdup_printf("The address 0x%" G_GINT64_MODIFIER
                             "x is in no buffer but in the process's own memory (malloc, static, "
                             "stack), which this SoC's iGPU cannot reach "
                             "(pageableMemoryAccess = 0).",
                             e->va);
    fault->place = *place;
    fault->standing = CHECK_DOCUMENTED;
    fault->section = "CUDA for Tegra Table 1";
    fault->todo = "Allocate the buffer with cudaMallocManaged() or cudaMallocHost(), or copy it "
                  "with cudaMemcpy(). If a buffer was meant, check the index." FAULT_LOST;
}

/* An offset in a window of the block or the thread is no address of a buffer. */
static void window_fault(const struct chan_error *e, const struct ptx_func *func,
                         struct check_fault *fault, char **place)
{
    const bool shared = e->kind == CHAN_ERROR_SHARED_RANGE;

    if (!func || (!shared && e->kind != CHAN_ERROR_LOCAL_RANGE)) {
        return;
    }
    *place = g_strdup_printf("The address is byte %" G_GUINT64_FORMAT
                             " of the %s, which has %" G_GUINT64_FORMAT " bytes%s.",
                             e->va, shared ? "block's shared memory" : "thread's local memory",
                             shared ? func->shared_bytes : func->local_bytes,
                             shared ? " beside the dynamic ones that the launch asked for" : "");
    fault->place = *place;
}

static void fault_tell(const struct channel *ch, const struct chan_error *e,
                       const struct meaning *m)
{
    struct check_fault fault = {
        .api_error = rt_error_name(m->code),
        .va = e->va,
        .size = e->size,
        .write = e->write,
        .line = e->source_line,
        .ptx_line = e->ptx_line,
        .block = { e->block[0], e->block[1], e->block[2] },
        .thread = { e->thread[0], e->thread[1], e->thread[2] },
    };
    const struct ptx_func *func = func_of(ch, e, &fault.grid_id, &fault.file);
    struct check_rule rule = check_rules[CHECK_RULE_GPU_FAULT];
    uint32_t region = 0;
    g_autofree char *place = e->va ? place_text(e->va, &region) : g_strdup("");
    g_autofree char *what = what_text(ch, e, m, func);
    g_autofree char *module_place = NULL;

    fault.what = what;
    fault.todo = fault_todo(e, region_at(e->va));
    if (e->kind == CHAN_ERROR_ATOMIC) {
        fault.section = "CUDA for Tegra 3.6";
        fault.standing = CHECK_DOCUMENTED;
        fault.place = "";
    }
    window_fault(e, func, &fault, &module_place);
    module_fault(e, &fault, &module_place);
    pageable_fault(ch, e, &fault, &module_place);
    fault_reserved_report(e, &fault);
    process_fault(ch, e, &fault, &module_place);
    fault_elsewhere_report(channel_context(ch), e, &fault);
    if (fault.grid_id) {
        check_kernel_fault(core_check(), &fault);
        return;
    }
    rule.standing = m->standing;
    report_finding(
        &rule, region, fault.grid_id, region ? e->va : 0,
        fault.todo
            ? fault.todo
            : "Compare the address and size that the call was given with the buffer." FAULT_LOST,
        "%s%s: %s%s%s%s", func ? func->name : "a copy or a stream operation",
        func ? " failed" : " failed on the GPU", what, e->va ? " " : "", place,
        e->reason == CHAN_REASON_READ_ONLY ? " (mapped read-only)" : "");
}

/* From now on the context answers @code. Its channels stop; what the program has computed stays
 * readable: the L2 is cleaned and managed memory opened. */
void fault_context(struct context *c, CUresult code)
{
    if (context_error(c)) {
        return;
    }
    context_fail(c, code);
    for (unsigned i = 0; i < context_count() && device_count() > 1; i++) { /* measured */
        fault_context(context_nth(i), code);
    }
    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (channel_context(ch) == c) {
            channel_stop(ch);
            hostop_drop(ch, code);
        }
    }
    coherency_l2_clean();
    coherency_after_sync();
    managed_update();
    printf_drain(c, code == CUDA_ERROR_ASSERT);
}

/* The board is gone: so are all contexts. Nothing is left that could be stopped or cleaned; the CPU
 * may touch managed memory again, whose bytes mean nothing, and callbacks hear of the error.
 *
 * No finding: the HAL has said what happened. The code is inferred, CUDA documents none for a lost
 * device: NVIDIA's runtime answers it where a process can use its device no more (measured:
 * tests/golden/cudart_codes_*.txt).
 */
static void fault_lost(void)
{
    bool first = false;

    for (unsigned i = 0; i < context_count(); i++) {
        struct context *c = context_nth(i);

        first |= context_error(c) != CUDA_ERROR_DEVICE_UNAVAILABLE;
        context_fail(c, CUDA_ERROR_DEVICE_UNAVAILABLE);
    }
    for (unsigned i = 0; i < channel_count() && first; i++) {
        hostop_drop(channel_nth(i), CUDA_ERROR_DEVICE_UNAVAILABLE);
    }
    if (first) {
        managed_update();
        hostop_pump();
    }
}

static void service(struct channel *ch)
{
    struct chan_error e = *channel_error(ch);
    const struct meaning *m =
        e.kind && e.kind < G_N_ELEMENTS(meanings)
            ? &meanings[e.kind]
            : &(const struct meaning){ CUDA_ERROR_UNKNOWN, "an unknown error", CHECK_INFERRED };

    if (!context_error(channel_context(ch))) {
        fault_tell(ch, &e, m);
        fault_context(channel_context(ch), m->code);
    } else {
        channel_stop(ch);
    }
}

/* Ends the grid that is under way. Return: where it was, NULL if there was none. */
static const struct ptx_func *fault_halt(struct channel *ch, struct chan_error *e,
                                         uint32_t *grid_id, const char **file)
{
    if (channel_index(ch) == CHANNEL_UNBOUND ||
        !hal_read32(core_hal(), channel_unit(ch), channel_window(ch) + CHAN_HALT)) {
        return NULL;
    }
    hal_write32(core_hal(), channel_unit(ch), channel_window(ch) + CHAN_HALT, 1);
    sched_channel_first(ch);
    hal_wait(core_hal(), channel_fence(ch).id, channel_fence(ch).threshold, 64);
    sched_channel_first(NULL);
    *e = *channel_error(ch);
    return e->kind == CHAN_ERROR_TIMEOUT ? func_of(ch, e, grid_id, file) : NULL;
}

/* The program dies of @signal: what its kernels were doing. */
void fault_interrupted(struct channel *ch, const char *signal)
{
    g_autofree char *what = g_strdup_printf("%s while this kernel was under way, then", signal);
    struct check_fault fault = {
        .rule = "interrupted",
        .section = "vtegra",
        .standing = CHECK_INFERRED,
        .what = what,
        .place = "",
        .todo = "If it should have ended, look at the loop there. `vtegra run --steps N` stops a "
                "kernel "
                "after N warp instructions, and the program continues with an error.",
    };
    struct chan_error e;

    if (!fault_halt(ch, &e, &fault.grid_id, &fault.file)) {
        return;
    }
    fault.line = e.source_line;
    fault.ptx_line = e.ptx_line;
    memcpy(fault.block, e.block, sizeof(e.block));
    memcpy(fault.thread, e.thread, sizeof(e.thread));
    check_kernel_fault(core_check(), &fault);
}

static void device_service(const struct device *d, enum unit_id unit)
{
    while (hal_read32(core_hal(), unit, IGPU_INTR) & FIELD_MASK(IGPU_INTR_CHANNEL_ERROR)) {
        uint32_t index = hal_read32(core_hal(), unit, IGPU_INTR_CHANNEL);
        struct channel *ch = channel_at(device_first_channel(d) + index);

        hal_write32(core_hal(), unit, IGPU_INTR, FIELD_MASK(IGPU_INTR_CHANNEL_ERROR));
        if (ch) {
            service(ch);
        }
    }
}

void fault_service(void)
{
    if (core_lost()) {
        fault_lost();
        return;
    }
    for (unsigned i = 0; i < device_count(); i++) {
        device_service(device_nth(i), device_gpu(device_nth(i)));
    }
}

/* The thread that waits is the calling one, if any. */
static char *waiting_thread(bool waits)
{
    const struct vtegra_sched *sched = waits ? check_sched() : NULL;

    return sched ? g_strdup_printf("thread %" G_GUINT32_FORMAT " of the CPU", sched->thread())
                 : g_strdup("the CPU");
}

/* Who waits for whom, a line a channel that does not go on. @waits: does the calling thread? */
static char *stuck_text(struct fence fence, bool spinning, bool waits)
{
    g_autofree char *who = waiting_thread(waits);
    GString *s = g_string_new(NULL);

    g_string_append_printf(s, "%s waits for work that %s", who,
                           spinning ? "only spins on memory that nothing will write"
                                    : "waits for something that cannot happen");
    for (unsigned i = 0; i < channel_count(); i++) {
        const struct channel *ch = channel_nth(i);
        uint32_t status = channel_status(ch);

        if (status == CHAN_WAITING || status == CHAN_SPINNING ||
            (spinning && status == CHAN_READY)) {
            g_autofree char *stream = run_stream_text(channel_ordinal(ch));

            g_string_append_printf(s, "; %s %s%s", stream,
                                   status == CHAN_WAITING ? "waits at a semaphore or another stream"
                                                          : "runs a kernel that spins",
                                   channel_fence(ch).id == fence.id ? " (the wait is for this one)"
                                                                    : "");
        }
    }
    notify_stuck_text(s);
    return g_string_free(s, FALSE);
}

/* @caller: who waits in a call of the API; NULL: no call does. */
static void warn_stuck(struct fence fence, bool spinning, const struct check_caller *caller)
{
    bool function = core_function_runs();
    g_autofree char *text =
        function ? g_strdup("the CPU waits for a stream; the stream waits for its host "
                            "function; the host function is blocked, as all other threads are")
                 : stuck_text(fence, spinning, caller != NULL);
    char *who = check_sched() ? check_sched()->who_waits() : NULL;

    g_autofree char *both = g_strconcat(text, who ? "; " : "", who, NULL);
    struct check_finding f;

    free(who);
    f = check_finding_of(function ? CHECK_RULE_STUCK_HOST_FUNCTION : CHECK_RULE_STUCK);
    f.text = both;
    f.caller = caller ? *caller : (struct check_caller){ .pc = { 0 } };
    check_finding(core_check(), &f);
}

/* "; kernel spin is at a.cu:12", of each; ends them. */
static char *spins_where(void)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < channel_count(); i++) {
        struct chan_error e;
        const char *file;
        uint32_t grid_id;
        const struct ptx_func *f = fault_halt(channel_nth(i), &e, &grid_id, &file);
        g_autofree char *name = f ? check_demangle(f->name) : NULL;

        if (f && file) {
            g_autofree char *base = g_path_get_basename(file);

            g_string_append_printf(s, "; kernel %s is at %s:%" G_GUINT32_FORMAT, name, base,
                                   e.source_line);
        } else if (f) {
            g_string_append_printf(s, "; kernel %s is at line %" G_GUINT32_FORMAT " of the PTX",
                                   name, e.ptx_line);
        }
    }
    return g_string_free(s, FALSE);
}

static void fault_deadlock(struct context *c, struct fence fence, bool spinning)
{
    g_autofree char *text = stuck_text(fence, spinning, true);
    g_autofree char *where = spinning ? spins_where() : g_strdup("");

    if (core_lost()) { /* found out on the way here: it answered nothing any more */
        fault_lost();
        return;
    }
    report_finding(&check_rules[CHECK_RULE_DEADLOCK], 0, 0, 0, NULL, "%s%s", text, where);
    if (c) {
        fault_context(c, CUDA_ERROR_LAUNCH_TIMEOUT);
    }
}

void fault_init(void)
{
    notify_service_add(fault_service);
    notify_stuck_add(warn_stuck);
    notify_deadlock_add(fault_deadlock);
    notify_lost_add(fault_lost);
}

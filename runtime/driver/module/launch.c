/* SPDX-License-Identifier: MIT */
/* Kernel launch: limits, parameters, the launch descriptor, the doorbell. */
#include "runtime/driver/module/rt_launch.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/shared_names.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/grid.h"
#include "runtime/observe/check_variable.h"
#include "runtime/observe/sched_lookup.h"

/* What a launch asks for, once its attributes are read. */
struct launch {
    struct function *f;
    struct stream *stream;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* 0: of the kernel, or none */
    unsigned dynamic;
    bool cooperative;
};

static CUresult launch_refuse(const struct launch *l, CUresult code, const char *section,
                              const char *format, ...) G_GNUC_PRINTF(4, 5);

static CUresult launch_refuse(const struct launch *l, CUresult code, const char *section,
                              const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL, *name = check_demangle(l->f->func->name);

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    return report_error(code, "cuLaunchKernel", section, "%s: %s", name, text);
}

static CUresult check_dims(const struct launch *l)
{
    const struct soc_profile *p = function_profile(l->f);
    const uint32_t grid_max[] = { p->gpu.grid_dim_max_x, p->gpu.grid_dim_max_y,
                                  p->gpu.grid_dim_max_z };
    const uint32_t block_max[] = { p->gpu.block_dim_max_x, p->gpu.block_dim_max_y,
                                   p->gpu.block_dim_max_z };
    static const char *const section = "CUDA Programming Guide, technical specifications";

    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grid_max[i]) {
            return launch_refuse(l, CUDA_ERROR_INVALID_VALUE, section,
                                 "grid size %c is %" G_GUINT32_FORMAT
                                 ", allowed is 1 to %" G_GUINT32_FORMAT,
                                 'x' + (int)i, l->grid[i], grid_max[i]);
        }
        if (!l->block[i] || l->block[i] > block_max[i]) {
            return launch_refuse(l, CUDA_ERROR_INVALID_VALUE, section,
                                 "block size %c is %" G_GUINT32_FORMAT
                                 ", allowed is 1 to %" G_GUINT32_FORMAT,
                                 'x' + (int)i, l->block[i], block_max[i]);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult check_block(const struct launch *l)
{
    const struct soc_profile *p = function_profile(l->f);
    const struct ptx_func *func = l->f->func;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t bound =
        (uint64_t)func->maxntid[0] * MAX(func->maxntid[1], 1u) * MAX(func->maxntid[2], 1u);

    if (threads > p->gpu.block_threads_max) {
        return launch_refuse(
            l, CUDA_ERROR_INVALID_VALUE, "CUDA Programming Guide, technical specifications",
            "%" G_GUINT64_FORMAT " threads a block, allowed are %" G_GUINT32_FORMAT, threads,
            p->gpu.block_threads_max);
    }
    if (bound && threads > bound) { /* the code: inferred */
        return launch_refuse(l, CUDA_ERROR_INVALID_VALUE, "CUDA Programming Guide, launch bounds",
                             "%" G_GUINT64_FORMAT
                             " threads a block, its launch bounds allow %" G_GUINT64_FORMAT,
                             threads, bound);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (func->reqntid[0] && l->block[i] != MAX(func->reqntid[i], 1u)) {
            return launch_refuse(l, CUDA_ERROR_INVALID_VALUE, "PTX ISA, .reqntid",
                                 "block size %c is %" G_GUINT32_FORMAT
                                 ", the kernel requires %" G_GUINT32_FORMAT,
                                 'x' + (int)i, l->block[i], MAX(func->reqntid[i], 1u));
        }
    }
    if (l->dynamic > (unsigned)l->f->max_dynamic) {
        return launch_refuse(l, CUDA_ERROR_INVALID_VALUE, "CUDA Programming Guide, shared memory",
                             "%u bytes of dynamic shared memory, %d are allowed (opt in with "
                             "cudaFuncSetAttribute)",
                             l->dynamic, l->f->max_dynamic);
    }
    if (func->shared_bytes > p->gpu.block_smem_bytes) {
        return launch_refuse(
            l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA Programming Guide, shared memory",
            "%" G_GUINT64_FORMAT " bytes of static shared memory, a block has %" G_GUINT32_FORMAT,
            func->shared_bytes, p->gpu.block_smem_bytes);
    }
    if (!occupancy_blocks(l->f, (unsigned)threads, l->dynamic)) {
        return launch_refuse(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                             "CUDA Driver API, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
                             "%" G_GUINT64_FORMAT " threads of %u registers do not fit an SM",
                             threads, l->f->registers);
    }
    return CUDA_SUCCESS;
}

/* A guess may be wrong, so it refuses nothing; once a kernel. */
static void registers_warn(const struct launch *l, const char *code)
{
    const unsigned cc = soc_profile_cc(function_profile(l->f));
    g_autofree char *todo = NULL, *name = check_demangle(l->f->func->name);

    if (l->f->registers_reported) {
        return;
    }
    l->f->registers_reported = true;
    todo = g_strdup_printf("build with machine code too (-gencode arch=compute_%u,code=sm_%u): its "
                           "count then decides; __launch_bounds__ lowers it",
                           cc, cc);
    report_finding(&check_rules[CHECK_RULE_REGISTERS], 0, 0, 0, todo,
                   "%s: a thread needs about %u registers, guessed from PTX; if so, the board "
                   "answers %s to a launch with blocks of %u threads. It is run here.",
                   name, l->f->registers, code, l->block[0] * l->block[1] * l->block[2]);
}

/* Blocks of this kernel that the SoC can hold at once; a cooperative grid that only the guessed
 * registers forbid is held too. */
static uint64_t launch_resident(const struct launch *l)
{
    const unsigned threads = l->block[0] * l->block[1] * l->block[2];
    const bool guessed = l->cooperative && l->f->registers_guessed;
    const unsigned blocks = guessed ? occupancy_blocks_most(l->f, threads, l->dynamic)
                                    : occupancy_blocks(l->f, threads, l->dynamic);

    return (uint64_t)blocks * function_profile(l->f)->gpu.sm_count;
}

static void registers_check(const struct launch *l)
{
    const unsigned threads = l->block[0] * l->block[1] * l->block[2];
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

    if (!l->f->registers_guessed) {
        return;
    }
    if (!occupancy_registers_fit(l->f, threads)) {
        registers_warn(l, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
    } else if (l->cooperative && blocks > (uint64_t)function_profile(l->f)->gpu.sm_count *
                                              occupancy_blocks(l->f, threads, l->dynamic)) {
        registers_warn(l, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    }
}

static CUresult check_cooperative(const struct launch *l)
{
    uint64_t blocks;
    CUresult error = rule_check("cuLaunchCooperativeKernel");

    if (error || __builtin_mul_overflow((uint64_t)l->grid[0] * l->grid[1], l->grid[2], &blocks)) {
        return error ? error : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    if (blocks > launch_resident(l)) {
        return launch_refuse(l, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                             "CUDA Driver API, cuLaunchCooperativeKernel",
                             "%" G_GUINT64_FORMAT " blocks, the SoC holds %" G_GUINT64_FORMAT
                             " at once",
                             blocks, launch_resident(l));
    }
    return CUDA_SUCCESS;
}

static CUresult check_cluster(struct launch *l)
{
    g_autofree char *why = cluster_dims(l->f, l->grid, l->cluster);

    if (!why && launch_resident(l) < cluster_blocks(l->cluster)) { /* the code: inferred */
        return launch_refuse(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                             "CUDA Programming Guide, thread block clusters",
                             "the blocks of a cluster do not fit the SMs together");
    }
    return why ? launch_refuse(l, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                               "CUDA Programming Guide, thread block clusters", "%s", why)
               : CUDA_SUCCESS;
}

static CUresult read_attribute(struct launch *l, const CUlaunchAttribute *a)
{
    switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        l->cooperative = a->value.cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        memcpy(l->cluster, &a->value.clusterDim, sizeof(l->cluster));
        return CUDA_SUCCESS;
    /* A permission to overlap, which need not be taken: CUB gives it on every device, and those
     * below compute capability 9.0 have no such overlap (Programming Guide, programmatic dependent
     * launch). */
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        return CUDA_ERROR_NOT_SUPPORTED;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult read_config(struct launch *l, const CUlaunchConfig *config)
{
    CUresult error = CUDA_SUCCESS;

    memcpy(l->grid, (uint32_t[]){ config->gridDimX, config->gridDimY, config->gridDimZ },
           sizeof(l->grid));
    memcpy(l->block, (uint32_t[]){ config->blockDimX, config->blockDimY, config->blockDimZ },
           sizeof(l->block));
    l->dynamic = config->sharedMemBytes;
    if (config->numAttrs && !config->attrs) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; !error && i < config->numAttrs; i++) {
        error = read_attribute(l, &config->attrs[i]);
    }
    return error;
}

static uint32_t races, races_process; /* set once, before the first launch */

void launch_races_set(uint32_t flags, uint32_t process)
{
    races = flags;
    races_process = process;
}

static uint64_t block_bytes(const struct launch *l)
{
    const uint32_t n_refs = l->f->module->image->ptx->n_refs;

    return n_refs ? ptx_refs_offset(l->f->func) + n_refs * sizeof(uint64_t)
                  : l->f->func->param_bytes;
}

static CUresult launch_descriptor(struct push *p, const struct launch *l, uint64_t param_va,
                                  uint64_t *qmd_va)
{
    struct module *m = l->f->module;
    struct context *c = m->base.context;
    const struct context_modules *own = modules_of(c);
    struct qmd qmd = {
        .version = QMD_VERSION,
        .entry = l->f->func->index,
        .code_va = region_address(m->code),
        .code_size = m->image->size,
        .code_id = m->code_id,
        .param_va = param_va,
        .param_size = (uint32_t)block_bytes(l),
        .dynamic_shared = l->dynamic,
        .grid = { l->grid[0], l->grid[1], l->grid[2] },
        .block = { l->block[0], l->block[1], l->block[2] },
        .cluster = { l->cluster[0], l->cluster[1], l->cluster[2] },
        .global_va = m->global ? region_address(m->global) : 0,
        .const_va = m->constants ? region_address(m->constants) : 0,
        .printf_va = module_prints(c) ? as_va(&own->printf_ring) : 0,
        .printf_size = module_prints(c) ? (uint32_t)context_limit(c, CU_LIMIT_PRINTF_FIFO_SIZE) : 0,
        .heap_va = own->heap ? region_address(own->heap) : 0,
        .heap_bytes = own->heap ? region_bytes(own->heap) : 0,
        .flags = (l->cooperative ? QMD_COOPERATIVE : 0u) | races,
        .resident_blocks = (uint32_t)MIN(launch_resident(l), UINT32_MAX),
        .step_limit_lo = (uint32_t)core_step_limit(),
        .step_limit_hi = (uint32_t)(core_step_limit() >> 32),
        .grid_id = grid_last(),
        .process = races_process,
        .order = sched_active() ? check_sched()->order() : 0,
    };
    CUresult error =
        l->cooperative ? channel_workspace(push_channel(p), &qmd.workspace_va) : CUDA_SUCCESS;

    memcpy(push_data(p, sizeof(qmd), QMD_ALIGN, qmd_va), &qmd, sizeof(qmd));
    return error;
}

/* Once a kernel, and where races in its shared memory are looked for */
static void variables_report(struct function *f)
{
    struct ptx_shared_name *names;
    uint32_t n;

    if (!races || f->variables_reported) {
        return;
    }
    f->variables_reported = true;
    n = ptx_shared_names(f->module->image->ptx, f->func, &names);
    for (uint32_t i = 0; i < n; i++) {
        struct check_variable v = { f->module->code_id, f->func->name, names[i].name,
                                    names[i].offset, names[i].bytes };

        check_variable(core_check(), &v);
    }
    free(names);
}

static struct check_caller launch_tell(const struct launch *l)
{
    struct check_kernel kernel = {
        .grid_id = grid_last(),
        .name = l->f->func->name,
        .gpu = device_title(context_device(stream_context(l->stream))),
        .stream = stream_ordinal(l->stream),
        .grid = { l->grid[0], l->grid[1], l->grid[2] },
        .block = { l->block[0], l->block[1], l->block[2] },
        .code = l->f->module->code_id,
        .files = l->f->module->image->ptx->files,
        .n_files = l->f->module->image->ptx->n_files,
    };

    variables_report(l->f);
    kernel.caller = report_caller();
    check_kernel(core_check(), &kernel);
    return kernel.caller;
}

/* Parameters, and the objects of the module's references as they are bound now */
static void block_fill(const struct launch *l, const void *params, uint8_t *to)
{
    memcpy(to, params, l->f->func->param_bytes);
    if (l->f->module->image->ptx->n_refs) {
        module_refs_put(l->f->module, (uint64_t *)(void *)(to + ptx_refs_offset(l->f->func)));
    }
}

static CUresult launch_submit(const struct launch *l, const void *params)
{
    struct push *p;
    uint64_t param_va, qmd_va;
    struct check_caller caller;
    CUresult error;

    notify_launching();
    error = stream_begin(l->stream, &p);
    if (error) {
        return error;
    }
    block_fill(l, params, push_data(p, MAX(block_bytes(l), 1), 16, &param_va));
    grid_next();
    error = launch_descriptor(p, l, param_va, &qmd_va);
    if (!error) {
        caller = launch_tell(l);
        if (coherency_before_kernel(stream_channel(l->stream))) {
            coherency_push(p);
        }
        push_method(p, SUBCH_COMPUTE, COMPUTE_SEND_PCAS_A, (uint32_t)(push_bus(p, qmd_va) >> 8));
        push_method(p, SUBCH_COMPUTE, COMPUTE_SEND_SIGNALING_PCAS_B, PCAS_B_SCHEDULE);
    }
    stream_end(l->stream, p);
    if (!error) {
        stream_launched(l->stream, grid_last(), &caller);
        managed_work(stream_channel(l->stream), true, grid_last());
        inuse_launched(stream_channel(l->stream), grid_last());
        function_reaches(l->f, params, channel_fence(stream_channel(l->stream)));
    }
    return error;
}

static CUresult kernel_work(struct stream *s, const struct work *work)
{
    const struct work_kernel *w = &work->kernel;
    struct launch l = {
        .f = handle_find(HANDLE_FUNCTION, w->function),
        .stream = s,
        .grid = { w->grid[0], w->grid[1], w->grid[2] },
        .block = { w->block[0], w->block[1], w->block[2] },
        .cluster = { w->cluster[0], w->cluster[1], w->cluster[2] },
        .dynamic = w->dynamic,
        .cooperative = w->cooperative,
    };

    return l.f ? launch_submit(&l, work->data) : CUDA_ERROR_INVALID_HANDLE;
}

const struct work_kind work_kernel = { CU_GRAPH_NODE_TYPE_KERNEL, kernel_work };

static struct work work_of(const struct launch *l, const void *params)
{
    return (struct work){
        .kind = &work_kernel,
        .data = params,
        .data_bytes = l->f->func->param_bytes,
        .kernel = { .function = l->f->base.handle,
                    .grid = { l->grid[0], l->grid[1], l->grid[2] },
                    .block = { l->block[0], l->block[1], l->block[2] },
                    .cluster = { l->cluster[0], l->cluster[1], l->cluster[2] },
                    .dynamic = l->dynamic,
                    .cooperative = l->cooperative },
    };
}

/* As of a call that is not supported, the name comes at once and once, also where no report is
 * wanted. */
static CUresult check_lacks(const struct launch *l)
{
    const char *why = image_lacks(l->f->module->image, l->f->func);
    g_autofree char *text = NULL, *name = NULL, *kernel = NULL;

    if (!why) {
        return CUDA_SUCCESS;
    }
    text = g_strdup_printf("PTX %s. A board runs this kernel, vtegra does not: compile it without "
                           "that instruction (for an older -arch, or with #if __CUDA_ARCH__), or "
                           "launch another kernel",
                           why);
    kernel = check_demangle(l->f->func->name);
    name = g_strdup_printf("kernel %s", kernel);
    rt_say_once(name, text);
    return launch_refuse(l, CUDA_ERROR_NOT_SUPPORTED,
                         "CUDA Driver API, CUDA_ERROR_NOT_SUPPORTED; README, What is modelled",
                         "%s", text);
}

/* Checks a launch, and makes its parameters a block of their own: @work.data, g_free() it. */
static CUresult work_make(struct launch *l, void **params, void **extra, struct work *work)
{
    const struct ptx_func *func = l->f->func;
    uint8_t *block;
    CUresult error = check_dims(l);

    error = error ? error : check_block(l);
    error = error ? error : check_lacks(l);
    error = error ? error : check_cluster(l);
    error = error || !l->cooperative ? error : check_cooperative(l);
    if (error) {
        return error;
    }
    registers_check(l);
    if (func->param_bytes > PUSH_DATA_MAX - 2 * QMD_ALIGN) {
        return launch_refuse(l, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                             "CUDA Programming Guide, kernel parameters",
                             "%" G_GUINT64_FORMAT " bytes of parameters", func->param_bytes);
    }
    block = g_malloc0(MAX(func->param_bytes, 1));
    error = launch_params(func, params, extra, block);
    if (error) {
        g_free(block);
        return launch_refuse(l, error, "CUDA Driver API, cuLaunchKernel",
                             "kernelParams or extra do not give its %" G_GUINT32_FORMAT
                             " parameters",
                             func->n_params);
    }
    *work = work_of(l, block);
    return CUDA_SUCCESS;
}

static CUresult launch_launch(struct launch *l, void **params, void **extra)
{
    struct work work;
    CUresult error = work_make(l, params, extra, &work);

    if (!error && function_has_refs(l->f)) { /* measured: no capture takes it */
        error = capture_refuse(l->stream);
        if (error) {
            g_free((void *)work.data);
            return error;
        }
    }
    if (!error) {
        cost_pass(COST_SUBMIT, 1);
        error = stream_submit(l->stream, &work);
        g_free((void *)work.data);
    } else {
        capture_spoil(l->stream); /* measured: a launch that is refused ends a capture */
    }
    return error;
}

CUresult launch_work(struct context *c, const CUlaunchConfig *config, CUfunction function,
                     void **params, void **extra, struct work *work)
{
    struct launch l = { .stream = stream_legacy(c) };
    CUresult error = function_resolve(c, function, &l.f);

    error = error ? error : read_config(&l, config);
    if (!error && function_has_refs(l.f)) { /* measured: no node of a graph */
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    return error ? error : work_make(&l, params, extra, work);
}

const struct ptx_func *launch_function(const struct work *work)
{
    const struct function *f = handle_find(HANDLE_FUNCTION, work->kernel.function);

    return f ? f->func : NULL;
}

struct context *launch_context(const struct work *work)
{
    const struct function *f = handle_find(HANDLE_FUNCTION, work->kernel.function);

    return f ? f->module->base.context : NULL;
}

CUresult rt_launch(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    struct launch l = { 0 };
    struct context *c;
    CUresult error = stream_enter(config ? config->hStream : NULL, &c);

    if (error) {
        return error;
    }
    if (!config) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = stream_resolve(c, config->hStream, &l.stream);
    error = error ? error : function_resolve(stream_context(l.stream), function, &l.f);
    if (!error && l.f->module->base.context != stream_context(l.stream)) {
        error = CUDA_ERROR_INVALID_HANDLE; /* function and stream of different contexts */
    }
    error = error ? error : read_config(&l, config);
    return core_leave(error ? error : launch_launch(&l, params, extra));
}

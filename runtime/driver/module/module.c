/* SPDX-License-Identifier: MIT */
/* Code in a context: PTX bytes and segments in device memory, symbols, functions. */
#include "runtime/driver/module/module_internal.h"

#include <string.h>

#include "model/regs/igpu_code.h"
#include "ptx/decode.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/fatbin.h"
#include "runtime/driver/module/rt_module.h"
#include "runtime/driver/stream/capture.h"

static uint64_t address_of(const struct module *m, const struct ptx_var *v)
{
    const struct region *r = v->space == PTX_SPACE_CONST ? m->constants : m->global;

    return r ? region_address(r) + v->offset : 0;
}

/* Addresses inside an initialiser (PTX ISA 5.4.4), now that the segments have theirs. */
static void module_relocate(const struct module *m, const struct ptx_var *v, uint8_t *bytes)
{
    for (uint32_t i = 0; i < v->n_relocs; i++) {
        const struct ptx_reloc *rel = &v->relocs[i];
        uint64_t value = rel->func ? ptx_func_address(rel->func) : address_of(m, rel->var);
        uint32_t width = MIN(8, ptx_type_size(v->type));

        value += (uint64_t)rel->addend;
        if (rel->offset <= v->size && width <= v->size - rel->offset) {
            memcpy(bytes + rel->offset, &value, width);
        }
    }
}

/* Segments begin as zeros; only what has an initial value is written. */
static CUresult segment_fill(struct module *m, enum ptx_space space)
{
    const struct ptx_module *ptx = m->image->ptx;
    CUresult error = CUDA_SUCCESS;

    for (uint32_t i = 0; !error && i < ptx->n_vars; i++) {
        const struct ptx_var *v = ptx->vars[i];
        g_autofree uint8_t *bytes = NULL;

        if (v->space != space || (!v->init && !v->n_relocs)) {
            continue;
        }
        bytes = g_malloc0(v->size);
        if (v->init) {
            memcpy(bytes, v->init, v->size);
        }
        module_relocate(m, v, bytes);
        error = copy_in(m->base.context, address_of(m, v), bytes, v->size);
    }
    return error;
}

/* A managed variable has to be where the CPU can reach it, and the descriptor names one .global
 * segment: with one such variable all of them go to managed memory (inferred; a program that keeps
 * to the rules does not see it). */
static enum hal_mem_kind global_kind(const struct ptx_module *ptx)
{
    for (uint32_t i = 0; i < ptx->n_vars; i++) {
        if (ptx->vars[i]->managed) {
            return HAL_MEM_MANAGED;
        }
    }
    return HAL_MEM_DEVICE;
}

static CUresult segment_new(struct module *m, enum hal_mem_kind kind, uint64_t bytes,
                            const char *what, struct region **out)
{
    CUresult error = CUDA_SUCCESS;

    if (bytes) {
        *out = region_alloc(m->base.context, kind, bytes, &error);
        if (*out) {
            region_attach_first(*out, CU_MEM_ATTACH_GLOBAL);
            region_keep(*out);
            if (what) {
                report_region(*out, what);
            }
        }
    }
    return error;
}

/* What the compiler made, no variable of the program: string literals and other constants ($str of
 * nvcc, _$_str of clang), and clang's declarations of threadIdx and the like. */
static bool is_variable(const struct ptx_var *v)
{
    static const char *const builtin[] = { "threadIdx", "blockIdx", "blockDim", "gridDim",
                                           "warpSize" };

    for (size_t i = 0; i < G_N_ELEMENTS(builtin); i++) {
        if (!strcmp(v->name, builtin[i])) {
            return false;
        }
    }
    return v->name[0] != '$' && strncmp(v->name, "_$_", 3) != 0;
}

/* NULL: the segment is no buffer of the application's. */
static const char *segment_name(const struct ptx_module *ptx, enum ptx_space space,
                                const char *name)
{
    for (uint32_t i = 0; i < ptx->n_vars; i++) {
        if (ptx->vars[i]->space == space && is_variable(ptx->vars[i])) {
            return name;
        }
    }
    return NULL;
}

static CUresult segments_load(struct module *m)
{
    const struct ptx_module *ptx = m->image->ptx;
    enum hal_mem_kind kind = global_kind(ptx);
    CUresult error = segment_new(m, HAL_MEM_DEVICE, m->image->size, NULL,
                                 &m->code); /* not a buffer of the application's */

    error = error ? error
                  : segment_new(m, kind, ptx->global_bytes,
                                segment_name(ptx, PTX_SPACE_GLOBAL,
                                             kind == HAL_MEM_MANAGED ? "__managed__ variables"
                                                                     : "__device__ variables"),
                                &m->global);
    error = error ? error
                  : segment_new(m, HAL_MEM_DEVICE, ptx->const_bytes,
                                segment_name(ptx, PTX_SPACE_CONST, "__constant__ variables"),
                                &m->constants);
    error = error
                ? error
                : copy_in(m->base.context, region_address(m->code), m->image->text, m->image->size);
    error = error ? error : segment_fill(m, PTX_SPACE_GLOBAL);
    error = error ? error : segment_fill(m, PTX_SPACE_CONST);
    error = error ? error : region_protect(m->code, REGION_CODE);
    return error || !m->constants ? error : region_protect(m->constants, REGION_CONSTANTS);
}

/* Of the context, not of the module: what one kernel allocates another may free (Programming Guide,
 * "Dynamic Global Memory Allocation and Operations"). It goes with the context's other memory. */
static CUresult heap_open(struct context *c)
{
    struct context_modules *own = modules_of(c);
    CUresult error = CUDA_SUCCESS;

    if (!own->heap) {
        own->heap =
            region_alloc(c, HAL_MEM_DEVICE, context_limit(c, CU_LIMIT_MALLOC_HEAP_SIZE), &error);
        if (own->heap) {
            region_keep(own->heap); /* not cudaFree()'s */
            report_region(own->heap, "malloc() and new in kernels");
        }
    }
    return error;
}

/* Where the board would load machine code, that code's count holds; else what is guessed from PTX.
 */
static void function_set_registers(struct function *f, const struct image *image)
{
    unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(image->registers, f->func->name));

    f->registers = known ? known : registers_estimate(f->func);
    f->registers_guessed = !known;
}

static const struct object_kind function_kind = { .name = "function", .type = HANDLE_FUNCTION };

static void functions_make(struct module *m)
{
    const struct soc_profile *profile = device_profile(context_device(m->base.context));
    const struct ptx_module *ptx = m->image->ptx;

    for (uint32_t i = 0; i < ptx->n_funcs; i++) {
        const struct ptx_func *func = ptx->funcs[i];
        struct function *f;
        uint64_t room = profile->gpu.block_smem_bytes;

        if (!func->is_entry || func->is_extern) {
            continue;
        }
        f = object_new(&function_kind, sizeof(*f), m->base.context);
        f->module = m;
        f->func = func;
        function_set_registers(f, m->image);
        f->max_dynamic = (int)(room - MIN(room, func->shared_bytes));
        f->carveout = CU_SHAREDMEM_CARVEOUT_DEFAULT;
        object_open(&f->base);
        g_ptr_array_add(m->functions, f);
    }
}

static void module_end(void *object)
{
    struct module *m = object;
    struct region *regions[] = { m->code, m->global, m->constants };
    struct check_caller caller = check_caller_get();

    for (guint i = 0; i < m->functions->len; i++) {
        struct function *f = g_ptr_array_index(m->functions, i);

        object_unref(&f->base);
    }
    g_ptr_array_free(m->functions, TRUE);
    module_refs_free(m);
    for (size_t i = 0; i < G_N_ELEMENTS(regions); i++) {
        if (regions[i]) {
            check_region_remove(core_check(), region_id(regions[i]), &caller);
            region_free(regions[i]);
        }
    }
    if (m->code_id) {
        devices_write(IGPU_CODE_GONE, m->code_id);
    }
    image_unref(m->image);
}

static const struct object_kind module_kind = { .name = "module",
                                                .type = HANDLE_MODULE,
                                                .end = module_end };

CUresult module_new(struct context *c, struct image *image, struct library *library,
                    struct module **out)
{
    struct module *m = object_new(&module_kind, sizeof(*m), c);
    CUresult error;
    uint32_t code;

    m->library = library;
    m->image = image;
    object_ref(&image->base);
    m->code_id = hal_claim(core_hal(), HAL_CLAIM_CODE, &code) ? 0 : code; /* 0: no board is left */
    m->functions = g_ptr_array_new();
    object_open(&m->base);
    error = image->prints ? printf_open(c) : CUDA_SUCCESS;
    error = error || !image->allocates ? error : heap_open(c);
    error = error ? error : segments_load(m);
    if (error) {
        module_free(m);
        return error;
    }
    functions_make(m);
    object_list_add(&modules_of(c)->all, &m->base);
    *out = m;
    return CUDA_SUCCESS;
}

void module_free(struct module *m)
{
    object_unref(&m->base);
}

void module_free_all(struct context *c)
{
    while (modules_of(c)->all.last) {
        module_free(object_last(&modules_of(c)->all));
    }
}

CUresult module_symbol(const struct module *m, const char *name, bool managed_only,
                       CUdeviceptr *ptr, size_t *bytes)
{
    const struct ptx_var *v = ptx_var_find(m->image->ptx, name);

    if (v && ptx_type_is_ref(v->type)) { /* measured */
        if (bytes) {
            *bytes = 0;
        }
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!v || (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) ||
        (managed_only && !v->managed)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (ptr) {
        *ptr = address_of(m, v);
    }
    if (bytes) {
        *bytes = v->size;
    }
    return CUDA_SUCCESS;
}

struct function *function_of(const struct module *m, const struct ptx_func *func)
{
    for (guint i = 0; i < m->functions->len; i++) {
        struct function *f = g_ptr_array_index(m->functions, i);

        if (f->func == func) {
            return f;
        }
    }
    return NULL;
}

static CUresult function_of_kernel(struct context *c, const struct kernel *k, struct function **out)
{
    struct module *m;
    CUresult error = library_module(c, k->library, &m);

    if (error) {
        return error;
    }
    *out = function_of(
        m, m->image == k->library->image ? k->func : ptx_func_find(m->image->ptx, k->func->name));
    if (!*out) { /* this GPU's PTX has no such kernel (#if __CUDA_ARCH__); the code: inferred */
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (k->max_dynamic >= 0) {
        (*out)->max_dynamic = k->max_dynamic;
    }
    if (k->carveout >= 0) {
        (*out)->carveout = k->carveout;
    }
    (*out)->cluster = k->cluster;
    return CUDA_SUCCESS;
}

CUresult function_resolve(struct context *c, CUfunction handle, struct function **out)
{
    const struct kernel *k = handle_find(HANDLE_KERNEL, handle);

    if (k) {
        return function_of_kernel(c, k, out);
    }
    *out = handle_find(HANDLE_FUNCTION, handle);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult load(struct context *c, CUmodule *module, struct image *image)
{
    struct module *m;
    CUresult error = object_room("cuModuleLoadData", 1, "module");

    error = error ? error : module_new(c, image, NULL, &m);
    image_unref(image);
    if (!error) {
        *module = m->base.handle;
    }
    return error;
}

CUresult rt_module_load(CUmodule *module, const void *image, unsigned n_options,
                        CUjit_option *options, void **values)
{
    struct jit jit = { .n = n_options, .options = options, .values = values };
    struct context *c;
    struct image *img;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!module || !image || (n_options && (!options || !values)) || !jit_options_known(&jit)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = image_open(image, FATBIN_SIZE_UNKNOWN, &jit, false, &img);
    return core_leave(error ? error : load(c, module, img));
}

CUresult rt_module_load_file(CUmodule *module, const char *path)
{
    struct jit jit = { 0 };
    struct context *c;
    struct image *img;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!module || !path || !*path) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = image_open_file(path, &jit, "cuModuleLoad", false, &img);
    return core_leave(error ? error : load(c, module, img));
}

/* core_enter_context() and the module behind a handle. */
static CUresult enter(CUmodule handle, struct module **m)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *m = handle_find(HANDLE_MODULE, handle);
    return *m ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult rt_module_unload(CUmodule module)
{
    struct module *m;
    CUresult error = enter(module, &m);

    if (error) {
        return error;
    }
    if (m->library) { /* goes with its library */
        return core_leave(CUDA_ERROR_NOT_PERMITTED);
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    error = context_wait(m->base.context);
    m = handle_find(HANDLE_MODULE, module);
    if (m) {
        module_free(m);
    }
    return core_leave(error);
}

CUresult rt_module_function(CUfunction *function, CUmodule module, const char *name)
{
    struct module *m;
    const struct ptx_func *func;
    CUresult error = enter(module, &m);

    if (error) {
        return error;
    }
    if (!function || !name || !*name) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    func = ptx_func_find(m->image->ptx, name);
    if (!func || !func->is_entry || func->is_extern) {
        return core_leave(CUDA_ERROR_NOT_FOUND);
    }
    *function = function_of(m, func)->base.handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_module_function_count(unsigned *count, CUmodule module)
{
    struct module *m;
    CUresult error = enter(module, &m);

    if (error) {
        return error;
    }
    if (!count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *count = m->functions->len;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_module_functions(CUfunction *functions, unsigned count, CUmodule module)
{
    struct module *m;
    CUresult error = enter(module, &m);

    if (error) {
        return error;
    }
    if (!functions && count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (guint i = 0; i < MIN(count, m->functions->len); i++) {
        functions[i] = ((struct function *)g_ptr_array_index(m->functions, i))->base.handle;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_module_global(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name)
{
    struct module *m;
    CUresult error = enter(module, &m);

    if (error) {
        return error;
    }
    if (!name || (!ptr && !bytes)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(module_symbol(m, name, false, ptr, bytes));
}

CUresult rt_module_loading_mode(CUmoduleLoadingMode *mode)
{
    const char *wanted = getenv("CUDA_MODULE_LOADING");
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!mode) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *mode = wanted && !strcmp(wanted, "EAGER") ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return core_leave(CUDA_SUCCESS);
}

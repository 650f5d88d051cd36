/* SPDX-License-Identifier: MIT */
/* Libraries: code that belongs to no context, loaded into each at its first use there. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/module/fatbin.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_module.h"
#include "runtime/driver/stream/capture.h"

static struct object_list libraries; /* struct library */

static const struct object_kind kernel_kind = { .name = "kernel", .type = HANDLE_KERNEL };

static void library_end(void *object)
{
    struct library *l = object;

    for (guint i = 0; i < l->kernels->len; i++) {
        struct kernel *k = g_ptr_array_index(l->kernels, i);

        object_unref(&k->base);
    }
    g_ptr_array_free(l->kernels, TRUE);
    image_unref(l->image);
}

static const struct object_kind library_kind = { .name = "library",
                                                 .type = HANDLE_LIBRARY,
                                                 .end = library_end };

static struct library *library_new(struct image *image)
{
    struct library *l = object_new(&library_kind, sizeof(*l), NULL);

    l->image = image;
    l->kernels = g_ptr_array_new();
    object_open(&l->base);
    for (uint32_t i = 0; i < image->ptx->n_funcs; i++) {
        if (image->ptx->funcs[i]->is_entry && !image->ptx->funcs[i]->is_extern) {
            struct kernel *k = object_new(&kernel_kind, sizeof(*k), NULL);

            k->library = l;
            k->func = image->ptx->funcs[i];
            k->max_dynamic = k->carveout = -1;
            object_open(&k->base);
            g_ptr_array_add(l->kernels, k);
        }
    }
    object_list_add(&libraries, &l->base);
    return l;
}

static struct module *module_in(const struct context *c, const struct library *l)
{
    for (struct module *m = object_first(&modules_of(c)->all); m; m = object_after(&m->base)) {
        if (m->library == l) {
            return m;
        }
    }
    return NULL;
}

CUresult library_module(struct context *c, struct library *l, struct module **out)
{
    struct image *image;
    CUresult error;

    *out = module_in(c, l);
    if (*out) {
        return CUDA_SUCCESS;
    }
    error = image_for(l->image, context_device(c), &image);
    return error ? error : module_new(c, image, l, out);
}

/* A library may be loaded before there is a context. */
static CUresult library_load(CUlibrary *library, const void *image, const char *path,
                             struct jit *jit)
{
    struct image *img;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!library || (!image && !path) || (jit->n && (!jit->options || !jit->values))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = object_room("cuLibraryLoadData", 1, "library");
    if (error) {
        return core_leave(error);
    }
    error = path ? image_open_file(path, jit, "cuLibraryLoadFromFile", true, &img)
                 : image_open(image, FATBIN_SIZE_UNKNOWN, jit, true, &img);
    if (!error) {
        *library = library_new(img)->base.handle;
    }
    return core_leave(error);
}

static CUresult options_check(const CUlibraryOption *options, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!options || (unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

CUresult rt_library_load(CUlibrary *library, const void *image, CUjit_option *options,
                         void **values, unsigned n_options, CUlibraryOption *library_options,
                         void **library_values, unsigned n_library_options)
{
    struct jit jit = { .n = n_options, .options = options, .values = values };

    (void)library_values; /* both options say how the caller keeps its own data: no effect here */
    return options_check(library_options, n_library_options) || !jit_options_known(&jit)
               ? CUDA_ERROR_INVALID_VALUE
               : library_load(library, image, NULL, &jit);
}

CUresult rt_library_load_file(CUlibrary *library, const char *path, CUjit_option *options,
                              void **values, unsigned n_options, CUlibraryOption *library_options,
                              void **library_values, unsigned n_library_options)
{
    struct jit jit = { .n = n_options, .options = options, .values = values };

    (void)library_values;
    return options_check(library_options, n_library_options) || !jit_options_known(&jit)
               ? CUDA_ERROR_INVALID_VALUE
               : library_load(library, NULL, path, &jit);
}

static CUresult enter(CUlibrary handle, struct library **l)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *l = handle_find(HANDLE_LIBRARY, handle);
    return *l ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult rt_library_unload(CUlibrary library)
{
    struct library *l;
    CUresult error = enter(library, &l);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    for (unsigned i = 0; i < context_count(); i++) {
        struct context *c = context_nth(i);
        struct module *m = module_in(c, l);

        if (m && !context_error(c)) {
            context_wait(c);
            l = handle_find(HANDLE_LIBRARY, library);
            m = l ? module_in(c, l) : NULL;
        }
        if (m) {
            module_free(m);
        }
        if (!l) { /* another thread was faster */
            return core_leave(CUDA_ERROR_INVALID_HANDLE);
        }
    }
    object_unref(&l->base);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_library_kernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    struct library *l;
    const struct ptx_func *func;
    CUresult error = enter(library, &l);

    if (error) {
        return error;
    }
    if (!kernel || !name) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    func = ptx_func_find(l->image->ptx, name);
    for (guint i = 0; func && i < l->kernels->len; i++) {
        struct kernel *k = g_ptr_array_index(l->kernels, i);

        if (k->func == func) {
            *kernel = k->base.handle;
            return core_leave(CUDA_SUCCESS);
        }
    }
    return core_leave(CUDA_ERROR_NOT_FOUND);
}

CUresult rt_library_kernel_count(unsigned *count, CUlibrary library)
{
    struct library *l;
    CUresult error = enter(library, &l);

    if (error) {
        return error;
    }
    if (!count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *count = l->kernels->len;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_library_kernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    struct library *l;
    CUresult error = enter(library, &l);

    if (error) {
        return error;
    }
    if (!kernels && count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (guint i = 0; i < MIN(count, l->kernels->len); i++) {
        kernels[i] = ((struct kernel *)g_ptr_array_index(l->kernels, i))->base.handle;
    }
    return core_leave(CUDA_SUCCESS);
}

/* The library's module in the current context. */
static CUresult enter_module(CUlibrary handle, struct module **m)
{
    struct context *c;
    struct library *l;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    l = handle_find(HANDLE_LIBRARY, handle);
    error = l ? library_module(c, l, m) : CUDA_ERROR_INVALID_HANDLE;
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_library_module(CUmodule *module, CUlibrary library)
{
    struct module *m;
    CUresult error = enter_module(library, &m);

    if (error) {
        return error;
    }
    if (!module) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *module = m->base.handle;
    return core_leave(CUDA_SUCCESS);
}

static CUresult library_symbol(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name,
                               bool managed)
{
    struct module *m;
    CUresult error = enter_module(library, &m);

    if (error) {
        return error;
    }
    if (!name || (!ptr && !bytes)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(module_symbol(m, name, managed, ptr, bytes));
}

CUresult rt_library_global(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_symbol(ptr, bytes, library, name, false);
}

CUresult rt_library_managed(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_symbol(ptr, bytes, library, name, true);
}

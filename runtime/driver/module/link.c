/* SPDX-License-Identifier: MIT */
/* cuLink*: PTX texts collected, then made one. */
#include <errno.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/fatbin.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_module.h"

struct link {
    struct object base;
    struct jit jit;
    GPtrArray *texts; /* char *, ending in NUL */
    char *result;
};

static void link_end(void *object)
{
    struct link *l = object;

    g_ptr_array_free(l->texts, TRUE);
    g_free(l->result);
    g_free(l->jit.options);
    g_free(l->jit.values);
}

static const struct object_kind link_kind = { .name = "linker state",
                                              .type = HANDLE_LINK,
                                              .end = link_end };

static CUresult link_enter(CUlinkState handle, struct link **l)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *l = handle_find(HANDLE_LINK, handle);
    return *l ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

/* The log buffers stay the application's until the state is destroyed (CUDA Driver API,
 * cuLinkCreate); the arrays of options do not. */
CUresult rt_link_create(unsigned n_options, CUjit_option *options, void **values,
                        CUlinkState *state)
{
    struct link *l;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!state || (n_options && (!options || !values)) ||
        !jit_options_known(&(struct jit){ .n = n_options, .options = options })) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = object_room("cuLinkCreate", 1, "linker");
    if (error) {
        return core_leave(error);
    }
    l = object_new(&link_kind, sizeof(*l), NULL);
    l->jit.n = n_options;
    l->jit.options = g_memdup2(options, n_options * sizeof(*options));
    l->jit.values = g_memdup2(values, n_options * sizeof(*values));
    jit_begin(&l->jit);
    l->texts = g_ptr_array_new_with_free_func(g_free);
    *state = object_open(&l->base);
    return core_leave(CUDA_SUCCESS);
}

/* Every PTX that the device would run out of a fat binary or text. */
static CUresult add_image(struct link *l, const void *data, size_t size)
{
    g_autofree char *why = NULL;
    g_autofree size_t *picked = NULL;
    struct fatbin *fb;
    size_t n = 0;
    CUresult error = CUDA_SUCCESS;

    if (fatbin_open(data, size, &fb, &why)) {
        jit_error(&l->jit, why ? why : "not readable");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (fatbin_form(fb) == FATBIN_FORM_TEXT && !image_is_ptx(data, size)) {
        fatbin_close(fb);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    picked = g_new0(size_t, fatbin_units(fb) + 1);
    if (fatbin_select(fb, soc_profile_cc(device_profile(device_current())), picked, &n) !=
        FATBIN_CHOICE_PTX) {
        error = CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    for (size_t i = 0; !error && i < n; i++) {
        const char *text = fatbin_ptx(fb, picked[i], NULL, NULL);

        if (text) {
            g_ptr_array_add(l->texts, g_strdup(text));
        } else {
            error = CUDA_ERROR_INVALID_IMAGE;
        }
    }
    fatbin_close(fb);
    return error;
}

static CUresult add(struct link *l, CUjitInputType type, const void *data, size_t size)
{
    if (l->result) { /* nothing can be added behind the end */
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return image_jit_allowed("cuLinkAddData", &l->jit) ? add_image(l, data, size)
                                                           : CUDA_ERROR_JIT_COMPILATION_DISABLED;
    case CU_JIT_INPUT_CUBIN:
        return report_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "cuLinkAddData", "vtegra",
                            "machine code cannot be linked here; add the PTX");
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult rt_link_add(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                     const char *name)
{
    struct link *l;
    CUresult error = link_enter(state, &l);

    (void)name;
    if (error) {
        return error;
    }
    return core_leave(data && size ? add(l, type, data, size) : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_link_add_file(CUlinkState state, CUjitInputType type, const char *path)
{
    g_autofree char *data = NULL;
    struct link *l;
    gsize size;
    CUresult error = link_enter(state, &l);

    if (error) {
        return error;
    }
    if (!path) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!g_file_get_contents(path, &data, &size, NULL)) {
        return core_leave(CUDA_ERROR_FILE_NOT_FOUND);
    }
    return core_leave(add(l, type, data, size));
}

CUresult rt_link_complete(CUlinkState state, void **image, size_t *size)
{
    g_autofree size_t *sizes = NULL;
    struct ptx_error problem = { 0 };
    struct link *l;
    size_t bytes;
    char *text;
    CUresult error = link_enter(state, &l);

    if (error) {
        return error;
    }
    if (!image || l->result) {
        return core_leave(image ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    if (!l->texts->len) { /* a module without anything */
        g_ptr_array_add(l->texts,
                        g_strdup_printf(".version 7.0\n.target sm_%u\n.address_size 64\n",
                                        MIN(soc_profile_cc(device_profile(device_current())), 75)));
    }
    sizes = g_new(size_t, l->texts->len);
    for (guint i = 0; i < l->texts->len; i++) {
        sizes[i] = strlen(g_ptr_array_index(l->texts, i));
    }
    if (!ptx_link((const char *const *)l->texts->pdata, sizes, l->texts->len, &text, &bytes,
                  &problem)) {
        jit_error(&l->jit, problem.text);
        return core_leave(report_error(CUDA_ERROR_INVALID_PTX, "cuLinkComplete",
                                       "CUDA Driver API, cuLinkComplete", "%s", problem.text));
    }
    l->result = g_strndup(text, bytes);
    free(text);
    *image = l->result;
    if (size) {
        *size = strlen(l->result) + 1;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_link_destroy(CUlinkState state)
{
    struct link *l;
    CUresult error = link_enter(state, &l);

    if (error) {
        return error;
    }
    object_unref(&l->base);
    return core_leave(CUDA_SUCCESS);
}

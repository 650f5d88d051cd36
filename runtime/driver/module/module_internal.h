/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what device code is. */
#ifndef RUNTIME_DRIVER_MODULE_MODULE_INTERNAL_H
#define RUNTIME_DRIVER_MODULE_MODULE_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/chase.h"
#include "runtime/driver/module/module.h"
#include "runtime/hal.h"

/* Linked PTX and what the parser made of it.
 * @device: the GPU that it was chosen for; @next: what was chosen for another GPU of the board, not
 *          parsed before that GPU's first use of it (image_for())
 * @why: no text of the program's suits @device
 * @registers: a thread's, by kernel name, out of machine code that came with the PTX; a kernel that
 *             is not in it has none the board would load */
struct image {
    struct object base;
    const struct device *device;
    struct image *next;
    char *text, *why;
    size_t size;
    struct ptx_module *ptx;
    GHashTable *registers;
    bool is_text;    /* no container: no header names its target */
    unsigned target; /* the board's driver must know it: fatbin_target() */
    bool prints;     /* calls vprintf or asserts: needs the ring */
    bool allocates;  /* calls malloc: needs the heap */
    GHashTable
        *lacks; /* entry -> the sentence that says why it cannot be launched; NULL: all can */
};

/* What a program has set of a function's clusters: dimensions, 0: not; more than 8 blocks; a
 * policy, without effect here */
struct cluster_wish {
    uint32_t dims[3];
    int wide, policy;
};

/**
 * struct function
 * @registers: a thread's, out of the machine code, or @registers_guessed: then no launch is refused
 *             for them
 * @chases: chase_may(), once @chases_known
 */
struct function {
    struct object base;
    struct module *module;
    const struct ptx_func *func;
    unsigned registers;
    bool registers_guessed, registers_reported, variables_reported, chases, chases_known;
    int max_dynamic, carveout;
    struct cluster_wish cluster;
};

/**
 * struct module
 * @code_id: key of the iGPU's instruction cache, never used again
 * @library: whose instance it is in this context, or NULL
 * @references: by ptx_var.ref, those that the program asked for; NULL: it has none
 */
struct module {
    struct object base;
    struct library *library;
    struct image *image;
    struct region *code, *global, *constants;
    uint64_t code_id;
    GPtrArray *functions;
    struct module_ref **references;
};

/* cluster.c */
static inline uint32_t cluster_blocks(const uint32_t dims[3])
{
    return dims[0] ? dims[0] * dims[1] * dims[2] : 1;
}
/* @dims: what the launch names, all 0: nothing; becomes what is launched. Return: why it is
 * refused, g_free(); NULL: it is not */
char *cluster_dims(const struct function *f, const uint32_t grid[3], uint32_t dims[3]);
/* Return: false: @attribute is none of clusters */
bool cluster_attribute(const struct function *f, CUfunction_attribute attribute, int *value);
/* Return: CUDA_ERROR_INVALID_VALUE: it is none of clusters that can be set */
CUresult cluster_attribute_set(const struct function *f, CUfunction_attribute attribute, int value,
                               struct cluster_wish *wish);

/* launch_params.c: @to: func->param_bytes */
CUresult launch_params(const struct ptx_func *func, void **params, void **extra, uint8_t *to);

/* Of the device that it is loaded on. */
static inline const struct soc_profile *function_profile(const struct function *f)
{
    return device_profile(context_device(f->module->base.context));
}

/* chase_may() of it */
static inline bool function_chases(struct function *f)
{
    if (!f->chases_known) {
        f->chases = chase_may(f->module->image->ptx, f->func);
        f->chases_known = true;
    }
    return f->chases;
}

struct kernel {
    struct object base;
    struct library *library;
    const struct ptx_func *func;
    int max_dynamic, carveout; /* -1: not set; given to each function of it */
    struct cluster_wish cluster;
};

struct library {
    struct object base;
    struct image *image;
    GPtrArray *kernels;
};

/* Where a load writes its messages: CU_JIT_* options. */
struct jit {
    unsigned n;
    CUjit_option *options;
    void **values;
    size_t room, info_room; /* of the logs */
};

/* Those of a context. */
struct context_modules {
    struct object_list all;     /* struct module */
    struct hal_mem printf_ring; /* no address: there is none yet */
    struct region *heap;
};

/* module_ref.c: they end with their module; objects for the next launch, one a reference */
void module_refs_free(struct module *m);
void module_refs_put(const struct module *m, uint64_t *to);
/* Does it, or what it calls, name a reference? */
bool function_has_refs(const struct function *f);
/* A kernel was submitted: memory that it may touch is in use (pending.h). */
void function_reaches(struct function *f, const void *params, struct fence fence);

static inline struct context_modules *modules_of(const struct context *context)
{
    return context_part(context, CONTEXT_MODULES);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Device code: image (parsed PTX), library (belongs to no context), module (loaded in one). */
#ifndef RUNTIME_DRIVER_MODULE_MODULE_H
#define RUNTIME_DRIVER_MODULE_MODULE_H

#include <glib.h>

#include "include/cuda.h"
#include "ptx/ptx.h"

struct context;
struct device;
struct function;
struct image;
struct jit;
struct kernel;
struct library;
struct module;
struct region;

/* image.c. @size FATBIN_SIZE_UNKNOWN where the API passes none. @all: for every GPU that the
 * program sees, not for the current one alone. */
CUresult image_open(const void *data, size_t size, struct jit *jit, bool all, struct image **out);
CUresult image_open_file(const char *path, struct jit *jit, const char *api, bool all,
                         struct image **out);
/* Of those that @all has chosen, the one for @device's GPU, which image_unref(@image) takes with
 * it. It is @image itself where both are one text. */
CUresult image_for(struct image *image, const struct device *device, struct image **out);
void image_unref(struct image *image);
/* Does a text begin as PTX must, with .version (PTX ISA 11.1)? */
bool image_is_ptx(const char *text, size_t size);
/* False in the safe context (VTEGRA_SAFETY=1; CUDA for Tegra 3.6: no JIT), after a line in @jit's
 * log and in the report. */
bool image_jit_allowed(const char *api, struct jit *jit);
bool jit_options_known(const struct jit *jit); /* else CUDA_ERROR_INVALID_VALUE (measured) */
void jit_begin(struct jit *jit);               /* empties the logs */
void jit_error(struct jit *jit, const char *text);
/* Why @func cannot be launched: it contains or calls what vtegra does not have. NULL: it can be. */
const char *image_lacks(const struct image *image, const struct ptx_func *func);

/* module.c */
CUresult module_new(struct context *context, struct image *image, struct library *library,
                    struct module **out);
void module_free(struct module *module);
void module_free_all(struct context *context);
struct module *module_of_code(uint64_t code_id);
CUresult module_symbol(const struct module *module, const char *name, bool managed_only,
                       CUdeviceptr *ptr, size_t *bytes);
/* The function a CUfunction or CUkernel means in @context; loads a library's module if need be. */
CUresult function_resolve(struct context *context, CUfunction handle, struct function **out);
CUkernel function_kernel(CUfunction handle); /* of a library; else NULL */
struct function *function_of(const struct module *module, const struct ptx_func *func);

/* library.c */
CUresult library_module(struct context *context, struct library *library, struct module **out);

/* registers.c: 32-bit registers a thread of @func needs, an estimate */
unsigned registers_estimate(const struct ptx_func *func);

/* occupancy.c: resident blocks an SM, 0 if not even one fits. Guessed registers leave room for one.
 */
unsigned occupancy_blocks(const struct function *f, unsigned threads, size_t dynamic_shared);
/* The most there can be, however few registers the kernel has. */
unsigned occupancy_blocks_most(const struct function *f, unsigned threads, size_t dynamic_shared);
/* Do @threads have as many registers as @f is said to need? */
bool occupancy_registers_fit(const struct function *f, unsigned threads);
unsigned occupancy_max_threads(const struct function *f);

/* module_state.c: of a context. The heap of malloc() in kernels: NULL until a module calls it. */
void modules_begin(struct context *context);
void modules_end(struct context *context);
const struct region *module_heap(const struct context *context);
bool module_prints(const struct context *context); /* the ring of printf is there */

/* printf.c: the ring of a context */
CUresult printf_open(struct context *context);
void printf_close(struct context *context);
void printf_drain(struct context *context, bool assertion);

/* launch.c: QMD_RACES of each launch from now on; @process: this program's number on the board */
void launch_races_set(uint32_t flags, uint32_t process);

#endif

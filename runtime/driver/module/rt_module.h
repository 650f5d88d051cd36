/* SPDX-License-Identifier: MIT */
/* Modules, libraries, kernels, linking: PTX from a fat binary or a text. Rules:
 * runtime/driver/driver.h.
 *
 * An image is a fat binary (wrapper or data), or PTX text; its size comes from its own header or
 * the final zero. Machine code alone is CUDA_ERROR_NO_BINARY_FOR_GPU, with a finding that says how
 * to rebuild. PTX that does not parse or holds an instruction the iGPU cannot run is
 * CUDA_ERROR_INVALID_PTX; the line goes to the CU_JIT_ERROR_LOG_BUFFER and the report. Options:
 * logs are filled, the others are accepted and have no effect.
 *
 * A CUkernel of a library may stand wherever a CUfunction is asked for; it means the function of
 * the current context, loaded there at its first use. */
#ifndef RUNTIME_DRIVER_MODULE_RT_MODULE_H
#define RUNTIME_DRIVER_MODULE_RT_MODULE_H

#include "include/cuda.h"

CUresult rt_module_load(CUmodule *module, const void *image, unsigned n_options,
                        CUjit_option *options, void **values);
CUresult rt_module_load_file(CUmodule *module, const char *path);
CUresult rt_module_unload(CUmodule module); /* blocks: waits for the context's work */
CUresult rt_module_function(CUfunction *function, CUmodule module, const char *name);
CUresult rt_module_function_count(unsigned *count, CUmodule module);
CUresult rt_module_functions(CUfunction *functions, unsigned count, CUmodule module);
/* A .global or .const symbol; @ptr and @bytes may be NULL (not both). */
CUresult rt_module_global(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name);
CUresult rt_module_loading_mode(CUmoduleLoadingMode *mode);

CUresult rt_library_load(CUlibrary *library, const void *image, CUjit_option *options,
                         void **values, unsigned n_options, CUlibraryOption *library_options,
                         void **library_values, unsigned n_library_options);
CUresult rt_library_load_file(CUlibrary *library, const char *path, CUjit_option *options,
                              void **values, unsigned n_options, CUlibraryOption *library_options,
                              void **library_values, unsigned n_library_options);
CUresult rt_library_unload(CUlibrary library);
CUresult rt_library_kernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult rt_library_kernel_count(unsigned *count, CUlibrary library);
CUresult rt_library_kernels(CUkernel *kernels, unsigned count, CUlibrary library);
CUresult rt_library_module(CUmodule *module, CUlibrary library);
CUresult rt_library_global(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name);
CUresult rt_library_managed(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name);

CUresult rt_kernel_function(CUfunction *function, CUkernel kernel);
CUresult rt_kernel_library(CUlibrary *library, CUkernel kernel);
CUresult rt_kernel_attribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                             CUdevice device);
CUresult rt_kernel_set_attribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                 CUdevice device);

/* @function may be a CUkernel in all of these. */
CUresult rt_function_attribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult rt_function_set_attribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult rt_function_set_cache_config(CUfunction function, CUfunc_cache config);
CUresult rt_function_set_shared_config(CUfunction function, CUsharedconfig config);
CUresult rt_function_module(CUmodule *module, CUfunction function);
CUresult rt_function_name(const char **name, CUfunction function); /* lives as long as its module */
/* CUDA_ERROR_INVALID_VALUE past the last parameter; @size may be NULL. */
CUresult rt_function_param(CUfunction function, size_t index, size_t *offset, size_t *size);
CUresult rt_function_is_loaded(CUfunctionLoadingState *state, CUfunction function);
CUresult rt_function_load(CUfunction function);

/* cuLink*: collects PTX texts and fat binaries; complete gives a PTX text with its final zero,
 * owned by the link state. */
CUresult rt_link_create(unsigned n_options, CUjit_option *options, void **values,
                        CUlinkState *state);
CUresult rt_link_add(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                     const char *name);
CUresult rt_link_add_file(CUlinkState state, CUjitInputType type, const char *path);
CUresult rt_link_complete(CUlinkState state, void **image, size_t *size);
CUresult rt_link_destroy(CUlinkState state);

#endif

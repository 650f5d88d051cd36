/* SPDX-License-Identifier: MIT */
/* Texture and surface references. Rules: runtime/driver/driver.h. What they answer is measured
 * (tests/golden/gen/texref_codes.txt): most take any number and need no current context. */
#ifndef RUNTIME_DRIVER_ARRAY_RT_TEXREF_H
#define RUNTIME_DRIVER_ARRAY_RT_TEXREF_H

#include "include/cuda.h"

CUresult rt_module_texref(CUtexref *ref, CUmodule module, const char *name);
CUresult rt_module_surfref(CUsurfref *ref, CUmodule module, const char *name);
CUresult rt_texref_create(CUtexref *ref);
CUresult rt_texref_destroy(CUtexref ref);

/* @offset: what a fetch must add, for memory that is not aligned; NULL: it must be */
CUresult rt_texref_set_address(size_t *offset, CUtexref ref, CUdeviceptr ptr, size_t bytes);
CUresult rt_texref_set_address_2d(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr,
                                  size_t pitch);
CUresult rt_texref_set_array(CUtexref ref, CUarray array, unsigned flags);
CUresult rt_texref_set_mipmap(CUtexref ref, CUmipmappedArray mipmap, unsigned flags);
CUresult rt_texref_set_format(CUtexref ref, CUarray_format format, int channels);
CUresult rt_texref_set_mode(CUtexref ref, int dim, CUaddress_mode mode);
CUresult rt_texref_set_filter(CUtexref ref, CUfilter_mode mode);
CUresult rt_texref_set_mip_filter(CUtexref ref, CUfilter_mode mode);
CUresult rt_texref_set_bias(CUtexref ref, float bias);
CUresult rt_texref_set_clamp(CUtexref ref, float min, float max);
CUresult rt_texref_set_anisotropy(CUtexref ref, unsigned most);
CUresult rt_texref_set_border(CUtexref ref, const float *color);
CUresult rt_texref_set_flags(CUtexref ref, unsigned flags);

CUresult rt_texref_address(CUdeviceptr *ptr, CUtexref ref);
CUresult rt_texref_array(CUarray *array, CUtexref ref);
CUresult rt_texref_mipmap(CUmipmappedArray *mipmap, CUtexref ref);
CUresult rt_texref_format(CUarray_format *format, int *channels, CUtexref ref);
CUresult rt_texref_mode(CUaddress_mode *mode, CUtexref ref, int dim);
CUresult rt_texref_filter(CUfilter_mode *mode, CUtexref ref);
CUresult rt_texref_mip_filter(CUfilter_mode *mode, CUtexref ref);
CUresult rt_texref_bias(float *bias, CUtexref ref);
CUresult rt_texref_clamp(float *min, float *max, CUtexref ref);
CUresult rt_texref_anisotropy(int *most, CUtexref ref);
CUresult rt_texref_border(float *color, CUtexref ref);
CUresult rt_texref_flags(unsigned *flags, CUtexref ref);

CUresult rt_surfref_set_array(CUsurfref ref, CUarray array, unsigned flags);
CUresult rt_surfref_array(CUarray *array, CUsurfref ref);

#endif

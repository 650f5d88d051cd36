/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. Rules: runtime/driver/driver.h. The answers to bad input are those
 * of NVIDIA's driver (tests/golden); what it crashes on is CUDA_ERROR_INVALID_VALUE here. */
#ifndef RUNTIME_DRIVER_ARRAY_RT_TEXTURE_H
#define RUNTIME_DRIVER_ARRAY_RT_TEXTURE_H

#include "include/cuda.h"

CUresult rt_texture_create(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view);
/* 0 is no object: nothing is done. */
CUresult rt_texture_destroy(CUtexObject texture);
CUresult rt_texture_resource(CUDA_RESOURCE_DESC *resource, CUtexObject texture);
CUresult rt_texture_desc(CUDA_TEXTURE_DESC *desc, CUtexObject texture);
CUresult rt_texture_view(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture);

CUresult rt_surface_create(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource);
CUresult rt_surface_destroy(CUsurfObject surface);
CUresult rt_surface_resource(CUDA_RESOURCE_DESC *resource, CUsurfObject surface);

#endif

/* SPDX-License-Identifier: MIT */
/* The one device: an iGPU described by the profile. Rules: runtime/driver/driver.h. No function
 * here needs a context. A @device other than 0 is CUDA_ERROR_INVALID_DEVICE. */
#ifndef RUNTIME_DRIVER_DEVICE_RT_DEVICE_H
#define RUNTIME_DRIVER_DEVICE_RT_DEVICE_H

#include <stdbool.h>

#include "include/cuda.h"

CUresult rt_device_get(CUdevice *device, int ordinal);
CUresult rt_device_count(int *count);
/* @name: cut to @len bytes with its final zero; @len <= 0 is CUDA_ERROR_INVALID_VALUE */
CUresult rt_device_name(char *name, int len, CUdevice device);
/* Constant for one SoC name, so that programs that compare UUIDs are deterministic. */
CUresult rt_device_uuid(CUuuid *uuid, CUdevice device);
/* Is the GPU that of a SoC? Needs no rt_init(), and does not bring the board up; true where no
 * profile is found. */
bool rt_gpu_integrated(void);
/* How many has the board? The ordinal of its discrete or integrated one, -1: the program does not
 * see it; that of the only one for either. The same holds. */
unsigned rt_gpus(void);
int rt_gpu_ordinal(bool discrete);
CUresult rt_device_total_mem(size_t *bytes, CUdevice device);
CUresult rt_device_attribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult rt_device_properties(CUdevprop *prop, CUdevice device);
/* "0000:00:00.0"; the buffer must hold 13 bytes to have it all. */
CUresult rt_device_pci_bus_id(char *id, int len, CUdevice device);
CUresult rt_device_by_pci_bus_id(CUdevice *device, const char *id);
/* Largest 1D linear texture of this format, in elements. */
CUresult rt_device_tex1d_linear_max(size_t *elements, CUarray_format format, unsigned channels,
                                    CUdevice device);
/* All peer questions: with one device there is no peer (note 3.6). can_access is 0 for it. */
CUresult rt_device_can_access_peer(int *can, CUdevice device, CUdevice peer);

#endif

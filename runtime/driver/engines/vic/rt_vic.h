/* SPDX-License-Identifier: MIT */
/* The VIC: what runtime/api/nvmedia stands on. Types and codes are those of include/nvmedia_2d.h
 * and include/nvmedia_2d_sci.h, of which each function here is one.
 *
 * Rules of runtime/driver/driver.h hold, with these differences: a stale, foreign or wrong handle,
 * of a context, parameters or an object of NvSci, is NVMEDIA_STATUS_BAD_PARAMETER, no CUDA context
 * has to be current, and a host function may call these. rt_vic_create() brings the driver up. None
 * of them waits. */
#ifndef RUNTIME_DRIVER_ENGINES_VIC_RT_VIC_H
#define RUNTIME_DRIVER_ENGINES_VIC_RT_VIC_H

#include "include/nvmedia_2d_sci.h"

NvMediaStatus rt_vic_version(NvMediaVersion *version);
NvMediaStatus rt_vic_create(NvMedia2D **handle, const NvMedia2DAttributes *attr);
NvMediaStatus rt_vic_destroy(const NvMedia2D *handle);

NvMediaStatus rt_vic_buf_attributes(NvSciBufAttrList list);
NvMediaStatus rt_vic_sync_attributes(const NvMedia2D *handle, NvSciSyncAttrList list,
                                     NvMediaNvSciSyncClientType type);
NvMediaStatus rt_vic_register_buf(const NvMedia2D *handle, NvSciBufObj buf);
NvMediaStatus rt_vic_unregister_buf(const NvMedia2D *handle, NvSciBufObj buf);
NvMediaStatus rt_vic_register_sync(const NvMedia2D *handle, NvMediaNvSciSyncObjType type,
                                   NvSciSyncObj sync);
NvMediaStatus rt_vic_unregister_sync(const NvMedia2D *handle, NvSciSyncObj sync);

NvMediaStatus rt_vic_params(const NvMedia2D *handle, NvMedia2DComposeParameters *params);
NvMediaStatus rt_vic_source(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                            uint32_t index, NvSciBufObj buf);
NvMediaStatus rt_vic_destination(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                                 NvSciBufObj buf);
NvMediaStatus rt_vic_geometry(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                              uint32_t index, const NvMediaRect *src, const NvMediaRect *dst,
                              NvMedia2DTransform transform);
NvMediaStatus rt_vic_filter(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                            uint32_t index, NvMedia2DFilter filter);
NvMediaStatus rt_vic_blend(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                           uint32_t index, NvMedia2DBlendMode mode, float alpha);
NvMediaStatus rt_vic_eof(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                         NvSciSyncObj sync);
NvMediaStatus rt_vic_pre_fence(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                               const NvSciSyncFence *fence);

NvMediaStatus rt_vic_compose(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                             NvMedia2DComposeResult *result);
NvMediaStatus rt_vic_eof_fence(const NvMedia2D *handle, const NvMedia2DComposeResult *result,
                               NvSciSyncFence *fence);

/* There are no filter buffers: the engine has no filters of 5 or 10 taps here. */
NvMediaStatus rt_vic_filter_buffer_new(const NvMedia2D *handle,
                                       const NvMedia2DFilterBuffer *buffer);
NvMediaStatus rt_vic_filter_buffer(const NvMedia2D *handle, const char *api);

/* Waits for the operations of this context on the buffer. @timeout_us: in virtual time; 0: asks
 * only; -1: no limit. TIMED_OUT; BAD_PARAMETER: not registered; ERROR */
NvMediaStatus rt_vic_wait_buf(const NvMedia2D *handle, NvSciBufObj buf, int64_t timeout_us,
                              const char *api);

/* NvMedia of DRIVE OS 5. What compositions are called in reports, constant text; and @status with a
 * line in the report. */
void rt_vic_form(const char *compose);
NvMediaStatus rt_vic_refuse(NvMediaStatus status, const char *api, const char *why);

/* --safety-phase: the call @api belongs to another phase. A line of the report, and the code. */
NvMediaStatus rt_vic_wrong_phase(const char *api);

#endif

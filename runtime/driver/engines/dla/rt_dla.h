/* SPDX-License-Identifier: MIT */
/* The DLAs: what runtime/api/cudla stands on. Types and codes are those of include/cudla.h.
 *
 * Rules of runtime/driver/driver.h hold, with these differences: a stale, foreign or wrong handle
 * is cudlaErrorInvalidDevice (a module: cudlaErrorInvalidModule), no context has to be current, and
 * rt_dla_count() and rt_dla_create() bring the driver up themselves. What a task died of comes back
 * from the next rt_dla_register(), _unregister(), _submit() or _module_unload() of its handle
 * (cuDLA API: "task execution errors from previous DLA task submissions"). */
#ifndef RUNTIME_DRIVER_ENGINES_DLA_RT_DLA_H
#define RUNTIME_DRIVER_ENGINES_DLA_RT_DLA_H

#include "include/cuda.h"
#include "include/cudla.h"

cudlaStatus rt_dla_version(uint64_t *version);
cudlaStatus rt_dla_count(uint64_t *count);
/* @mode: CUDLA_CUDA_DLA holds the primary context; CUDLA_STANDALONE knows no CUDA. */
cudlaStatus rt_dla_create(uint64_t device, cudlaDevHandle *handle, uint32_t mode);
/* Waits for the tasks of the handle, after a finding if there are any. */
cudlaStatus rt_dla_destroy(cudlaDevHandle handle);
cudlaStatus rt_dla_attribute(cudlaDevHandle handle, cudlaDevAttributeType type,
                             cudlaDevAttribute *attribute);
/* Does not wait and does not let the board go on. */
cudlaStatus rt_dla_last_error(cudlaDevHandle handle);
cudlaStatus rt_dla_set_timeout(cudlaDevHandle handle, uint32_t timeout_ms);

/* @flags: cudlaAccessPermissionFlags. @device_ptr: what tasks call the memory, an IOVA. */
cudlaStatus rt_dla_register(cudlaDevHandle handle, const void *ptr, size_t size,
                            uint64_t **device_ptr, uint32_t flags);
cudlaStatus rt_dla_unregister(cudlaDevHandle handle, const uint64_t *device_ptr);

/* Standalone handles: objects of NvSci (rt_external.h). @device_ptr: what tasks call them; ended by
 * rt_dla_unregister(). */
cudlaStatus rt_dla_import_memory(cudlaDevHandle handle, const cudlaExternalMemoryHandleDesc *desc,
                                 uint64_t **device_ptr, uint32_t flags);
cudlaStatus rt_dla_import_semaphore(cudlaDevHandle handle,
                                    const cudlaExternalSemaphoreHandleDesc *desc,
                                    uint64_t **device_ptr, uint32_t flags);
cudlaStatus rt_dla_sync_attributes(uint64_t *list, uint32_t flags);

cudlaStatus rt_dla_module_load(cudlaDevHandle handle, const uint8_t *bytes, size_t size,
                               cudlaModule *module, uint32_t flags);
cudlaStatus rt_dla_module_attribute(cudlaModule module, cudlaModuleAttributeType type,
                                    cudlaModuleAttribute *attribute);
cudlaStatus rt_dla_module_unload(cudlaModule module, uint32_t flags);

cudlaStatus rt_dla_submit(cudlaDevHandle handle, const cudlaTask *tasks, uint32_t n_tasks,
                          CUstream stream, uint32_t flags);

/* What turns a statistics tensor into text; needs no driver. */
struct cudlaExternalEtbl;
cudlaStatus rt_dla_export_table(const struct cudlaExternalEtbl **table, uint32_t flags);

const char *rt_dla_status_name(cudlaStatus status);

#endif

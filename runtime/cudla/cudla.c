/* SPDX-License-Identifier: MIT */
/* libcudla.so.1 stands on the driver core's rt_dla_ functions alone, which take the lock, check
 * arguments and handles (runtime/driver/rt_dla.h); this layer gives them NVIDIA's names. */
#include "include/cudla.h"

#include "runtime/cudla/range.h"
#include "runtime/driver/rt_dla.h"

cudlaStatus cudlaGetVersion(uint64_t *const version)
{
    return TRACED(rt_dla_version(version));
}

cudlaStatus cudlaDeviceGetCount(uint64_t *const pNumDevices)
{
    return TRACED(rt_dla_count(pNumDevices));
}

cudlaStatus cudlaCreateDevice(uint64_t const device, cudlaDevHandle *const devHandle,
                              uint32_t const flags)
{
    return TRACED(rt_dla_create(device, devHandle, flags));
}

cudlaStatus cudlaDestroyDevice(cudlaDevHandle const devHandle)
{
    return TRACED(rt_dla_destroy(devHandle));
}

cudlaStatus cudlaDeviceGetAttribute(cudlaDevHandle const devHandle,
                                    cudlaDevAttributeType const attrib,
                                    cudlaDevAttribute *const pAttribute)
{
    return TRACED(rt_dla_attribute(devHandle, attrib, pAttribute));
}

cudlaStatus cudlaGetLastError(cudlaDevHandle const devHandle)
{
    return TRACED(rt_dla_last_error(devHandle));
}

cudlaStatus cudlaSetTaskTimeoutInMs(cudlaDevHandle const devHandle, uint32_t const timeout)
{
    return TRACED(rt_dla_set_timeout(devHandle, timeout));
}

cudlaStatus cudlaMemRegister(cudlaDevHandle const devHandle, const uint64_t *const ptr,
                             size_t const size, uint64_t **const devPtr, uint32_t const flags)
{
    return TRACED(rt_dla_register(devHandle, ptr, size, devPtr, flags));
}

cudlaStatus cudlaMemUnregister(cudlaDevHandle const devHandle, const uint64_t *const devPtr)
{
    return TRACED(rt_dla_unregister(devHandle, devPtr));
}

cudlaStatus cudlaModuleLoadFromMemory(cudlaDevHandle const devHandle, const uint8_t *const pModule,
                                      size_t const moduleSize, cudlaModule *const hModule,
                                      uint32_t const flags)
{
    return TRACED(rt_dla_module_load(devHandle, pModule, moduleSize, hModule, flags));
}

cudlaStatus cudlaModuleGetAttributes(cudlaModule const hModule,
                                     cudlaModuleAttributeType const attrType,
                                     cudlaModuleAttribute *const attribute)
{
    return TRACED(rt_dla_module_attribute(hModule, attrType, attribute));
}

cudlaStatus cudlaModuleUnload(cudlaModule const hModule, uint32_t const flags)
{
    return TRACED(rt_dla_module_unload(hModule, flags));
}

cudlaStatus cudlaSubmitTask(cudlaDevHandle const devHandle, const cudlaTask *const ptrToTasks,
                            uint32_t const numTasks, void *const stream, uint32_t const flags)
{
    return TRACED(rt_dla_submit(devHandle, ptrToTasks, numTasks, stream, flags));
}

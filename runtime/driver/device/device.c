/* SPDX-License-Identifier: MIT */
/* The device: every answer comes from the profile, or is a constant with its reason beside it. */
#include "runtime/driver/device/rt_device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/devices.h"

/* @profile: the device's figures */
static CUresult device_enter(CUdevice ordinal, const struct soc_profile **profile)
{
    const struct device *d = device_of(ordinal);
    CUresult error = core_enter();

    if (!error && !d) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    *profile = d ? device_profile(d) : NULL;
    return error;
}

CUresult rt_device_get(CUdevice *device, int ordinal)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!device) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!device_of(ordinal)) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    *device = ordinal;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_count(int *count)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *count = (int)device_count();
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_name(char *name, int len, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!name || len <= 0) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    g_strlcpy(name, p->gpu.name, (gsize)len);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_uuid(CUuuid *uuid, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!uuid) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    device_uuid(device_of(device), (uint8_t *)uuid->bytes);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_total_mem(size_t *bytes, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!bytes) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *bytes = soc_profile_device_bytes(p);
    return core_leave(CUDA_SUCCESS);
}

/* A figure of the profile, read by name: where it lies, and how wide it is. */
struct answer {
    CUdevice_attribute attribute;
    uint8_t width; /* 0: @constant */
    size_t offset;
    int constant;
};

#define FIGURE(name, section, key)                                                \
    { CU_DEVICE_ATTRIBUTE_##name, sizeof(((struct soc_profile *)0)->section.key), \
      offsetof(struct soc_profile, section.key), 0 },
#define ALWAYS(name, value) { CU_DEVICE_ATTRIBUTE_##name, 0, 0, value }

static const struct answer answers[] = {
#include "runtime/driver/device/figures.def"
    ALWAYS(GPU_OVERLAP, 1),
    ALWAYS(COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT),
    /* Semaphores of class C36F do all of these. */
    ALWAYS(CAN_USE_STREAM_MEM_OPS_V1, 1),
    ALWAYS(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 1),
    ALWAYS(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 1),
    ALWAYS(CAN_USE_64_BIT_STREAM_MEM_OPS, 1),
    ALWAYS(CAN_USE_STREAM_WAIT_VALUE_NOR, 1),
    ALWAYS(MEM_SYNC_DOMAIN_COUNT, 1),
    ALWAYS(NUMA_ID, -1),
};

#define LIMIT(name, maxwell, later) { CU_DEVICE_ATTRIBUTE_##name, maxwell, later },

static const struct {
    CUdevice_attribute attribute;
    int maxwell, later;
} limits[] = {
#include "runtime/driver/device/limits.def"
};

static int device_limit(const struct soc_profile *p, CUdevice_attribute which)
{
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        if (limits[i].attribute == which) {
            return p->gpu.cc_major < 6 ? limits[i].maxwell : limits[i].later;
        }
    }
    return 0; /* what a Tegra, or vtegra, does not have */
}

static int device_figure(const struct soc_profile *p, const struct answer *a)
{
    const uint8_t *at = (const uint8_t *)p + a->offset;
    uint64_t value;

    switch (a->width) {
    case sizeof(bool):
        return *(const bool *)at;
    case sizeof(uint32_t):
        value = *(const uint32_t *)at;
        break;
    default:
        value = *(const uint64_t *)at;
        break;
    }
    return value > INT_MAX ? INT_MAX : (int)value;
}

static int device_attribute(const struct soc_profile *p, CUdevice_attribute which)
{
    if (which == CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED) {
        return rule_find_on("cuMemHostRegister", p) == NULL;
    }
    if (which ==
        CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) { /* Programming Guide, thread block clusters */
        return p->gpu.cc_major >= 9;
    }
    if (which == CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED) {
        return rule_find_of_board("cuIpcGetEventHandle", p) == NULL;
    }
    if (which == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) {
        return rule_find_of_board("cuMemExportToShareableHandle", p) == NULL;
    }
    if (which == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
        return rule_find_on("cuMemAddressReserve", p) == NULL;
    }
    if (which == CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID) { /* CUDA for Tegra 13.4, 3.2 */
        return p->rules.cpu_snoops_l2 ? (int)p->gpu.host_numa_node : -1;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        if (answers[i].attribute == which) {
            return answers[i].width ? device_figure(p, &answers[i]) : answers[i].constant;
        }
    }
    return device_limit(p, which);
}

CUresult rt_device_attribute(int *value, CUdevice_attribute which, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!value || which < CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK ||
        which >= CU_DEVICE_ATTRIBUTE_MAX) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *value = device_attribute(p, which);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_properties(CUdevprop *prop, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!prop) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *prop = (CUdevprop){
        .maxThreadsPerBlock = (int)p->gpu.block_threads_max,
        .maxThreadsDim = { (int)p->gpu.block_dim_max_x, (int)p->gpu.block_dim_max_y,
                           (int)p->gpu.block_dim_max_z },
        .maxGridSize = { (int)p->gpu.grid_dim_max_x, (int)p->gpu.grid_dim_max_y,
                         (int)p->gpu.grid_dim_max_z },
        .sharedMemPerBlock = (int)p->gpu.block_smem_bytes,
        .totalConstantMemory = (int)p->gpu.const_bytes,
        .SIMDWidth = (int)p->gpu.warp_threads,
        .memPitch = (int)p->gpu.pitch_max_bytes,
        .regsPerBlock = (int)p->gpu.block_regs,
        .clockRate = (int)p->gpu.clock_khz,
        .textureAlign = (int)p->texture.alignment_bytes,
    };
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_pci_bus_id(char *id, int len, CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!id || len <= 0) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    snprintf(id, (size_t)len, "%04x:%02x:%02x.0", p->gpu.pci_domain, p->gpu.pci_bus,
             p->gpu.pci_device);
    return core_leave(CUDA_SUCCESS);
}

/* "[domain]:[bus]:[device].[function]", with or without the first and the last part. */
CUresult rt_device_by_pci_bus_id(CUdevice *device, const char *id)
{
    unsigned domain = 0, bus, slot, function = 0;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!device || !id ||
        (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
         (domain = 0, sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (unsigned i = 0; i < device_count() && !function; i++) {
        const struct soc_profile *p = device_profile(device_nth(i));

        if (domain == p->gpu.pci_domain && bus == p->gpu.pci_bus && slot == p->gpu.pci_device) {
            *device = device_ordinal(device_nth(i));
            return core_leave(CUDA_SUCCESS);
        }
    }
    return core_leave(CUDA_ERROR_INVALID_DEVICE);
}

CUresult rt_device_tex1d_linear_max(size_t *elements, CUarray_format format, unsigned channels,
                                    CUdevice device)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!elements || (channels != 1 && channels != 2 && channels != 4) || !format) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    /* The attribute counts elements of 16 bytes (measured with 4 and 16 bytes, H200, 580.159.04).
     */
    *elements = (size_t)p->texture.max_1d_linear * 16 / channels /
                (format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 1
                 : format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32 ||
                         format == CU_AD_FORMAT_FLOAT
                     ? 4
                     : 2);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_device_can_access_peer(int *can, CUdevice device, CUdevice peer)
{
    const struct soc_profile *p;
    CUresult error = device_enter(device, &p);

    if (error) {
        return error;
    }
    if (!can) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!device_of(peer)) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    *can = 0;
    return core_leave(CUDA_SUCCESS);
}

/* SPDX-License-Identifier: MIT */
/* Modules, versions, and what a thread of the CPU waits with. */
#include "runtime/api/nvsci/sync.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/sci/rt_sci.h"

static void module_free(void *opaque)
{
    g_free(opaque);
}

NvSciError NvSciSyncModuleOpen(NvSciSyncModule *newModule)
{
    struct sync_module *module;

    if (!newModule) {
        return BAD(NULL);
    }
    if (sci_init_over(__func__)) {
        return NvSciError_InvalidState;
    }
    if (rt_init(0) != CUDA_SUCCESS) { /* it has said why */
        return NvSciError_ResourceError;
    }
    module = g_new0(struct sync_module, 1);
    sci_object_init(&module->object, SCI_SYNC_MODULE, module_free);
    *newModule = sci_handle_new(&module->object);
    return NvSciError_Success;
}

void NvSciSyncModuleClose(NvSciSyncModule module)
{
    unsigned objects, lists, fences;

    if (!sci_handle_free(module, SCI_SYNC_MODULE)) {
        BAD("not an open module");
        return;
    }
    objects = sci_handle_count(SCI_SYNC_OBJECT);
    lists = sci_handle_count(SCI_SYNC_LIST);
    fences = fence_count();
    if (!sci_handle_count(SCI_SYNC_MODULE) && (objects || lists || fences)) {
        g_autofree char *text = g_strdup_printf(
            "%u NvSciSyncObj, %u NvSciSyncAttrList and %u NvSciSyncFence are left as "
            "the last NvSciSyncModule is closed",
            objects, lists, fences);

        rt_sci_finding(RT_SCI_LEAKED, text);
    }
}

NvSciError NvSciSyncCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                              bool *isCompatible)
{
    if (!isCompatible) {
        return BAD(NULL);
    }
    *isCompatible = majorVer == NvSciSyncMajorVersion && minorVer <= NvSciSyncMinorVersion;
    return NvSciError_Success;
}

bool sync_endpoint_known(NvSciIpcEndpoint endpoint)
{
    NvSciIpcEndpointInfo info;

    return NvSciIpcGetEndpointInfo(endpoint, &info) == NvSciError_Success;
}

/* SPDX-License-Identifier: MIT */
/* Modules, versions, and what a thread of the CPU waits with. */
#include "runtime/api/nvsci/sync.h"
#include "runtime/driver/interop/sci/rt_sci.h"

NvSciError NvSciSyncModuleOpen(NvSciSyncModule *newModule)
{
    return attr_module_open(__func__, &sync_lists, (void **)newModule);
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

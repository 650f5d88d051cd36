/* SPDX-License-Identifier: MIT */
/* Modules, versions, and what reconciliation must know of the SoC. */
#include <string.h>

#include "runtime/api/nvsci/buf.h"
#include "runtime/driver/device/rt_device.h"
#include "runtime/driver/interop/sci/rt_sci.h"

NvSciError NvSciBufModuleOpen(NvSciBufModule *newModule)
{
    return attr_module_open(__func__, &buf_lists, (void **)newModule);
}

/* What is left says the report: with the last module nothing can free it any more. */
void NvSciBufModuleClose(NvSciBufModule module)
{
    unsigned objects, lists;

    if (!sci_handle_free(module, SCI_BUF_MODULE)) {
        BAD("not an open module");
        return;
    }
    objects = sci_handle_count(SCI_BUF_OBJECT);
    lists = sci_handle_count(SCI_BUF_LIST);
    if (!sci_handle_count(SCI_BUF_MODULE) && (objects || lists)) {
        g_autofree char *text = g_strdup_printf(
            "%u NvSciBufObj and %u NvSciBufAttrList are left as the last NvSciBufModule is closed",
            objects, lists);

        rt_sci_finding(RT_SCI_LEAKED, text);
    }
}

NvSciError NvSciBufCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                             bool *isCompatible)
{
    if (!isCompatible) {
        return BAD(NULL);
    }
    *isCompatible = majorVer == NvSciBufMajorVersion && minorVer <= NvSciBufMinorVersion;
    return NvSciError_Success;
}

void buf_chip(struct sci_chip *chip)
{
    static const uint32_t engines[] = { NvSciBufHwEngName_Vic, NvSciBufHwEngName_DLA };
    int count = 0, integrated;

    *chip = (struct sci_chip){ 0 };
    rt_device_count(&count);
    for (int i = 0; i < count && i < (int)G_N_ELEMENTS(chip->gpu); i++) {
        CUuuid uuid;

        if (rt_device_uuid(&uuid, i) != CUDA_SUCCESS) {
            continue;
        }
        memcpy(chip->gpu[chip->gpus].id.bytes, uuid.bytes, sizeof(uuid.bytes));
        integrated = 0;
        rt_device_attribute(&integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, i);
        chip->gpu[chip->gpus++].integrated = integrated;
    }
    chip->io_coherent = rt_port_snoops();
    for (unsigned i = 0, n = 0; i < G_N_ELEMENTS(engines); i++) {
        if (!rt_engine_snoops(engines[i])) {
            chip->past_caches[n++] = engines[i];
        }
    }
}

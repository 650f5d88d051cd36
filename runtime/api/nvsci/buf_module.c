/* SPDX-License-Identifier: MIT */
/* Modules, versions, and what reconciliation must know of the SoC. */
#include <string.h>

#include "runtime/api/nvsci/buf.h"
#include "runtime/driver/device/rt_device.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/sci/rt_sci.h"

static void module_free(void *opaque)
{
    g_free(opaque);
}

NvSciError NvSciBufModuleOpen(NvSciBufModule *newModule)
{
    struct buf_module *module;

    if (!newModule) {
        return BAD(NULL);
    }
    if (sci_init_over(__func__)) {
        return NvSciError_InvalidState;
    }
    if (rt_init(0) != CUDA_SUCCESS) { /* it has said why */
        return NvSciError_ResourceError;
    }
    module = g_new0(struct buf_module, 1);
    sci_object_init(&module->object, SCI_BUF_MODULE, module_free);
    *newModule = sci_handle_new(&module->object);
    return NvSciError_Success;
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

bool buf_endpoint_known(NvSciIpcEndpoint endpoint)
{
    NvSciIpcEndpointInfo info;

    return NvSciIpcGetEndpointInfo(endpoint, &info) == NvSciError_Success;
}

/* SPDX-License-Identifier: MIT */
/* A program with NVTX ranges of every kind, around CUDA calls. */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

static nvtxEventAttributes_t named(const char *name)
{
    nvtxEventAttributes_t a;

    memset(&a, 0, sizeof(a));
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = name;
    return a;
}

int main(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("camera");
    nvtxEventAttributes_t frame = named("frame"), registered = named("");
    nvtxRangeId_t id;
    CUcontext context;
    CUdeviceptr p;

    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    nvtxRangePushA("setup \"with\" odd\nbytes");
    cuMemAlloc(&p, 4096);
    nvtxRangePop();
    nvtxMarkW(L"wide mark");
    id = nvtxRangeStartA("whole");
    nvtxDomainRangePushEx(domain, &frame);
    cuMemsetD8(p, 1, 4096);
    nvtxDomainRangePop(domain);
    registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    registered.message.registered = nvtxDomainRegisterStringA(domain, "kept string");
    nvtxDomainMarkEx(domain, &registered);
    nvtxRangeEnd(id);
    cuMemFree(p);
    puts("done");
    return 0;
}

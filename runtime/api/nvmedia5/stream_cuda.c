/* SPDX-License-Identifier: MIT */
/* An image as CUDA has it: what goes through an EGLStream. NvMedia's ends need no context of the
 * program's; they use the primary one of stream_gpu(). */
#include <string.h>

#include "runtime/api/nvmedia5/objects.h"

CUdevice stream_gpu(void)
{
    int count = 0, integrated;

    cuDeviceGetCount(&count);
    for (CUdevice i = 0; i < count; i++) {
        if (!cuDeviceGetAttribute(&integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, i) && integrated) {
            return i;
        }
    }
    return 0;
}

bool stream_enter(void)
{
    CUcontext context;
    CUdevice gpu;

    if (cuInit(0)) {
        return false;
    }
    gpu = stream_gpu();
    if (cuDevicePrimaryCtxRetain(&context, gpu)) {
        return false;
    }
    if (cuCtxPushCurrent(context)) {
        cuDevicePrimaryCtxRelease(gpu);
        return false;
    }
    return true;
}

void stream_leave(void)
{
    CUcontext context;

    cuCtxPopCurrent(&context);
    cuDevicePrimaryCtxRelease(stream_gpu());
}

void stream_end_made(void)
{
    CUcontext context;

    cuCtxPopCurrent(&context);
}

void stream_end_gone(void)
{
    cuDevicePrimaryCtxRelease(stream_gpu());
}

void image_cuda_free(struct image_cuda *cuda)
{
    if (!cuda) {
        return;
    }
    cuCtxPushCurrent(cuda->context);
    for (unsigned i = 0; i < FORMAT_PLANES; i++) {
        if (cuda->mip[i]) {
            cuMipmappedArrayDestroy(cuda->mip[i]);
        }
    }
    if (cuda->at) {
        cuMemFree(cuda->at);
    }
    if (cuda->memory) {
        cuDestroyExternalMemory(cuda->memory);
    }
    stream_leave();
    g_free(cuda);
}

static CUresult plane_map(const struct NvMediaImagePriv_ *p, unsigned i, struct image_cuda *cuda)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = { .numLevels = 1 };
    CUresult error;

    desc.offset = p->plane[i].offset;
    desc.arrayDesc.Width = p->plane[i].width;
    desc.arrayDesc.Height = p->plane[i].height;
    desc.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    desc.arrayDesc.NumChannels = p->format.rgba ? 4 : i && p->format.pairs ? 2 : 1;
    desc.arrayDesc.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    error = cuExternalMemoryGetMappedMipmappedArray(&cuda->mip[i], cuda->memory, &desc);
    return error ? error : cuMipmappedArrayGetLevel(&cuda->array[i], cuda->mip[i], 0);
}

static CUresult image_map(const struct NvMediaImagePriv_ *p, struct image_cuda *cuda)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                                .size = p->bytes };
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer = { .size = p->bytes };
    CUresult error;

    memory.handle.nvSciBufObject = p->buf;
    error = cuImportExternalMemory(&cuda->memory, &memory);
    if (!error && !p->format.blocks) {
        error = cuExternalMemoryGetMappedBuffer(&cuda->at, cuda->memory, &buffer);
    }
    for (unsigned i = 0; !error && p->format.blocks && i < p->format.planes; i++) {
        error = plane_map(p, i, cuda);
    }
    return error;
}

/* The primary context is retained as long as the image has it. */
bool image_cuda_make(NvMediaImage *image, const char *api)
{
    struct NvMediaImagePriv_ *p = image->imgPriv;
    struct image_cuda *cuda;

    if (p->cuda) {
        return true;
    }
    cuda = g_new0(struct image_cuda, 1);
    if (cuDevicePrimaryCtxRetain(&cuda->context, stream_gpu())) {
        g_free(cuda);
        return false;
    }
    if (image_map(p, cuda)) {
        image_cuda_free(cuda);
        refuse(NVMEDIA_STATUS_ERROR, api,
               "CUDA does not take the image's buffer: does its list have the GPU "
               "(NvSciBufGeneralAttrKey_GpuId)?");
        return false;
    }
    p->cuda = cuda;
    return true;
}

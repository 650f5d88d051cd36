// SPDX-License-Identifier: MIT
// nvmedia MODE SIZE FRAMES: the pipeline of NVIDIA's article "Sharing CUDA Resources Through
// Interoperability with NvSciBuf and NvSciSync" (sample cudaNvSciNvMedia): the VIC turns RGBA into
// YUV 4:2:0, a kernel makes grey of its luma. bench/nvmedia.sh takes the virtual time of runs.
//
//   shared     CUDA works on the VIC's buffer, fences order them, the CPU waits at the end
//   cached     without NvSci between the two: for each frame the CPU waits for the VIC, copies the
//   planes
//              out of its image, cudaMemcpy2D() copies them into CUDA's memory, and the CPU waits
//   uncached   the same; the CPU has the image mapped uncached (EnableCpuCache is false), as the
//              sample's configuration does not map it
#include "../scenarios/sci/sci.h"
#include <nvmedia_2d_sci.h>
#include <string>

static unsigned side;
static std::string mode;
static NvMedia2D *vic;

__global__ void grey(const uint8_t *luma, unsigned pitch, uchar4 *out, unsigned side)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    uint8_t v = luma[y * pitch + x];

    out[y * side + x] = make_uchar4(v, v, v, 0);
}

struct image {
    NvSciBufObj object;
    uint64_t size, offset[3];
    uint32_t pitch[3];
};

static NvSciBufAttrList image_list(bool yuv)
{
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    NvSciBufAttrValImageLayoutType layout = NvSciBufImage_PitchLinearType;
    NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
    uint32_t planes = yuv ? 3 : 1, half = side / 2, sides[] = { side, half, half };
    NvSciBufAttrValColorFmt color[] = { yuv ? NvSciColor_Y8 : NvSciColor_A8B8G8R8, NvSciColor_U8,
                                        NvSciColor_V8 };
    NvSciBufAttrValColorStd standard[] = { yuv ? NvSciColorStd_REC601_SR : NvSciColorStd_SRGB,
                                           NvSciColorStd_REC601_SR, NvSciColorStd_REC601_SR };
    bool gpu = yuv && mode == "shared", cpu = true, cached = mode == "cached";
    NvSciBufAttrValGpuCache cache;
    struct cudaDeviceProp prop;
    NvSciBufAttrList list;

    OK(cudaGetDeviceProperties(&prop, 0));
    memcpy(&cache.gpuId, &prop.uuid, sizeof(cache.gpuId));
    cache.cacheability = true;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciBufGeneralAttrKey_EnableCpuCache, &cached, sizeof(cached) },
        { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
        { NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) },
        { NvSciBufImageAttrKey_PlaneCount, &planes, sizeof(planes) },
        { NvSciBufImageAttrKey_PlaneColorFormat, color, planes * sizeof(color[0]) },
        { NvSciBufImageAttrKey_PlaneColorStd, standard, planes * sizeof(standard[0]) },
        { NvSciBufImageAttrKey_PlaneWidth, sides, planes * sizeof(sides[0]) },
        { NvSciBufImageAttrKey_PlaneHeight, sides, planes * sizeof(sides[0]) },
        { NvSciBufGeneralAttrKey_GpuId, &cache.gpuId, sizeof(cache.gpuId) },
        { NvSciBufGeneralAttrKey_EnableGpuCache, &cache, sizeof(cache) },
    };
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, gpu ? 13 : 11));
    OK(NvMedia2DFillNvSciBufAttrList(vic, list));
    return list;
}

static struct image image_new(bool yuv)
{
    NvSciBufAttrList list = image_list(yuv), conflict = nullptr;
    NvSciBufAttrKeyValuePair out[] = { { NvSciBufImageAttrKey_Size, nullptr, 0 },
                                       { NvSciBufImageAttrKey_PlaneOffset, nullptr, 0 },
                                       { NvSciBufImageAttrKey_PlanePitch, nullptr, 0 } };
    struct image image;

    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &image.object, &conflict));
    NvSciBufAttrListFree(list);
    OK(NvSciBufObjGetAttrList(image.object, &list));
    OK(NvSciBufAttrListGetAttrs(list, out, 3));
    image.size = *(const uint64_t *)out[0].value;
    for (unsigned i = 0; i < (yuv ? 3 : 1); i++) {
        image.offset[i] = ((const uint64_t *)out[1].value)[i];
        image.pitch[i] = ((const uint32_t *)out[2].value)[i];
    }
    OK(NvMedia2DRegisterNvSciBufObj(vic, image.object));
    return image;
}

static void image_free(const struct image &image)
{
    OK(NvMedia2DUnregisterNvSciBufObj(vic, image.object));
    NvSciBufObjFree(image.object);
}

static NvSciSyncAttrList vic_list(NvMediaNvSciSyncClientType type)
{
    NvSciSyncAttrList list = sync_list();

    OK(NvMedia2DFillNvSciSyncAttrList(vic, list, type));
    return list;
}

// Converts a frame behind @before, if that is one; @after is its end.
static void convert(const struct image &rgba, const struct image &yuv, NvSciSyncObj end,
                    NvSciSyncFence *before, NvSciSyncFence *after)
{
    NvMedia2DComposeParameters params;
    NvMedia2DComposeResult result;

    OK(NvMedia2DGetComposeParameters(vic, &params));
    OK(NvMedia2DSetSrcNvSciBufObj(vic, params, 0, rgba.object));
    OK(NvMedia2DSetDstNvSciBufObj(vic, params, yuv.object));
    if (before) {
        OK(NvMedia2DInsertPreNvSciSyncFence(vic, params, before));
    }
    OK(NvMedia2DSetNvSciSyncObjforEOF(vic, params, end));
    OK(NvMedia2DCompose(vic, params, &result));
    OK(NvMedia2DGetEOFNvSciSyncFence(vic, &result, after));
}

static void launch(const uint8_t *luma, unsigned pitch, uchar4 *out, cudaStream_t stream)
{
    grey<<<dim3(side / 256, side), 256, 0, stream>>>(luma, pitch, out, side);
}

static void run_shared(const struct image &rgba, const struct image &yuv, unsigned frames,
                       uchar4 *out, cudaStream_t stream)
{
    NvSciSyncObj converted = sync_new(vic_list(NVMEDIA_SIGNALER), cuda_list(WAITS));
    NvSciSyncObj done = sync_new(cuda_list(SIGNALS), vic_list(NVMEDIA_WAITER));
    cudaExternalSemaphore_t waits = sync_import(converted), signals = sync_import(done);
    NvSciSyncFence is_converted = NvSciSyncFenceInitializer, is_done = NvSciSyncFenceInitializer;
    imported gpu = buffer_gpu(yuv.object, yuv.size);

    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_EOFSYNCOBJ, converted));
    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_PRESYNCOBJ, done));
    for (unsigned i = 0; i < frames; i++) {
        convert(rgba, yuv, converted, i ? &is_done : nullptr, &is_converted);
        OK(cuda_wait(waits, &is_converted, stream));
        launch((const uint8_t *)gpu.gpu + yuv.offset[0], yuv.pitch[0], out, stream);
        OK(cuda_signal(signals, &is_done, stream));
    }
    OK(cudaStreamSynchronize(stream));
    NvSciSyncFenceClear(&is_converted);
    NvSciSyncFenceClear(&is_done);
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, converted));
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, done));
    imported_free(gpu);
    OK(cudaDestroyExternalSemaphore(waits));
    OK(cudaDestroyExternalSemaphore(signals));
    NvSciSyncObjFree(converted);
    NvSciSyncObjFree(done);
}

static void copy_out(const struct image &yuv, uint8_t *const host[3])
{
    const uint8_t *cpu = (const uint8_t *)buffer_cpu(yuv.object);

    if (mode == "cached") {
        OK(NvSciBufObjFlushCpuCacheRange(yuv.object, 0, yuv.size));
    }
    for (unsigned i = 0; i < 3; i++) {
        unsigned n = i ? side / 2 : side;

        for (unsigned y = 0; y < n; y++) {
            memcpy(host[i] + y * n, cpu + yuv.offset[i] + y * yuv.pitch[i], n);
        }
    }
}

static void run_copied(const struct image &rgba, const struct image &yuv, unsigned frames,
                       uchar4 *out, cudaStream_t stream)
{
    NvSciSyncObj converted = sync_new(vic_list(NVMEDIA_SIGNALER), cpu_list(WAITS));
    NvSciSyncFence is_converted = NvSciSyncFenceInitializer;
    uint8_t *host[3], *device[3];

    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_EOFSYNCOBJ, converted));
    for (unsigned i = 0; i < 3; i++) {
        size_t n = i ? side / 2 : side;

        host[i] = (uint8_t *)malloc(n * n);
        OK(cudaMalloc(&device[i], n * n));
    }
    for (unsigned f = 0; f < frames; f++) {
        convert(rgba, yuv, converted, nullptr, &is_converted);
        OK(NvSciSyncFenceWait(&is_converted, context, -1));
        copy_out(yuv, host);
        for (unsigned i = 0; i < 3; i++) {
            size_t n = i ? side / 2 : side;

            OK(cudaMemcpy2D(device[i], n, host[i], n, n, n, cudaMemcpyHostToDevice));
        }
        launch(device[0], side, out, stream);
        OK(cudaStreamSynchronize(stream));
    }
    NvSciSyncFenceClear(&is_converted);
    for (unsigned i = 0; i < 3; i++) {
        free(host[i]);
        OK(cudaFree(device[i]));
    }
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, converted));
    NvSciSyncObjFree(converted);
}

int main(int argc, char **argv)
{
    unsigned frames = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    struct image rgba, yuv;
    cudaStream_t stream;
    uchar4 *out;

    mode = argc > 1 ? argv[1] : "";
    side = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (!frames || side % 256 || !side ||
        (mode != "shared" && mode != "cached" && mode != "uncached")) {
        fprintf(stderr, "nvmedia shared|cached|uncached SIZE FRAMES; SIZE: a multiple of 256\n");
        return 2;
    }
    sci_open();
    OK(NvMedia2DCreate(&vic, nullptr));
    rgba = image_new(false);
    yuv = image_new(true);
    OK(cudaMalloc(&out, (size_t)side * side * sizeof(*out)));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    (mode == "shared" ? run_shared : run_copied)(rgba, yuv, frames, out, stream);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(out));
    image_free(rgba);
    image_free(yuv);
    OK(NvMedia2DDestroy(vic));
    sci_close();
    return 0;
}

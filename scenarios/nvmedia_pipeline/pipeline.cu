// SPDX-License-Identifier: MIT
// CPU -> VIC -> CUDA -> CPU over buffers and fences of NvSci: three masters on one buffer. The
// shape of NVIDIA's sample cudaNvSciNvMedia: RGBA becomes YUV 4:2:0, a kernel works on the luma.
//
//   pipeline [WITHOUT]
//
//   light what a kernel in a stream of its own computes for the frame, and the CPU waits for
//   rgba  the CPU writes a frame, the VIC reads it: its operation is submitted before all that
//   yuv   the VIC writes it, a kernel reads and writes its luma, the CPU reads all of it
//
//   filled     the CPU flushes what it has written, then signals; the VIC waits
//              without: filled-flush, filled-wait
//   converted  the VIC signals behind its operation; the stream waits
//              without: converted-wait, converted-memsync
//   done       CUDA signals behind its kernel; the CPU waits, and drops its old lines
//              without: done-memsync, done-wait, done-flush
//
// Each frame is compared with the same conversion in plain C++. Status 1: a frame is wrong.
#include "../sci/image.h"
#include <string>

enum { W = 64, H = 32, FRAMES = 3 };

static std::string without;

static bool has(const char *barrier)
{
    return without != barrier;
}

__global__ void invert_luma(uint8_t *luma, unsigned pitch)
{
    uint8_t *at = luma + blockIdx.x * pitch + threadIdx.x;

    *at = (uint8_t)(255 - *at); // MARK invert
}

__global__ void expose(int *light, int frame)
{
    *light = frame * 77 + 3; // MARK expose
}

/* --- a frame ---------------------------------------------------------------------------------- */

// Grey, the same in each 2 x 2 block, so that chroma is 128 and luma is the grey itself; but for
// the right half, which is red.
static uint8_t grey(unsigned x, unsigned y, int light)
{
    return (uint8_t)(x / 2 * 5 + y / 2 * 9 + light);
}

static void fill(const struct image &rgba, int light)
{
    for (unsigned y = 0; y < H; y++) {
        uint32_t *row = (uint32_t *)(rgba.cpu + y * rgba.pitch[0]);

        for (unsigned x = 0; x < W; x++) {
            uint32_t g = grey(x, y, light);

            row[x] = 0xff000000 | (x < W / 2 ? g * 0x010101 : g); // MARK fill
        }
    }
}

// ITU-R BT.601: of grey the luma alone; of red 0.299 of it, and chroma.
static bool near(int is, double should)
{
    return is > should - 1 && is < should + 1;
}

static bool wrong_in(const struct image &yuv, int light)
{
    const uint8_t *luma = yuv.cpu + yuv.offset[0], *chroma = yuv.cpu + yuv.offset[1];
    bool wrong = false;

    for (unsigned i = 0; i < W * H; i++) {
        unsigned x = i % W, y = i / W;
        double g = grey(x, y, light), gray = x < W / 2 ? g : 0.299 * g;

        wrong |= !near(luma[y * yuv.pitch[0] + x], 255 - gray); // MARK luma
    }
    for (unsigned i = 0; i < W * H / 4; i++) {
        unsigned x = i % (W / 2), y = i / (W / 2);
        double red = x < W / 4 ? 0 : grey(2 * x, 2 * y, light);

        wrong |= !near(chroma[y * yuv.pitch[1] + 2 * x + 1], 128 + red / 2); // MARK chroma
    }
    return wrong;
}

static NvSciSyncObj filled, converted, done;

static NvSciSyncFence convert(const struct image &rgba, const struct image &yuv,
                              NvSciSyncFence *before)
{
    NvSciSyncFence after = NvSciSyncFenceInitializer;
    NvMedia2DComposeParameters params;
    NvMedia2DComposeResult result;

    OK(NvMedia2DGetComposeParameters(vic, &params));
    OK(NvMedia2DSetSrcNvSciBufObj(vic, params, 0, rgba.object));
    OK(NvMedia2DSetDstNvSciBufObj(vic, params, yuv.object));
    if (has("filled-wait")) {
        OK(NvMedia2DInsertPreNvSciSyncFence(vic, params, before));
    }
    OK(NvMedia2DSetNvSciSyncObjforEOF(vic, params, converted));
    OK(NvMedia2DCompose(vic, params, &result)); // MARK compose
    OK(NvMedia2DGetEOFNvSciSyncFence(vic, &result, &after));
    return after;
}

static int frames_run(const struct image &rgba, const struct image &yuv)
{
    imported gpu = buffer_gpu(yuv.object, yuv.size);
    cudaExternalSemaphore_t waits = sync_import(converted), signals = sync_import(done);
    cudaStream_t stream, exposure;
    int wrong = 0, *light;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&exposure, cudaStreamNonBlocking));
    OK(cudaMallocHost((void **)&light, sizeof(*light)));
    for (int frame = 0; frame < FRAMES; frame++) {
        NvSciSyncFence is_filled = NvSciSyncFenceInitializer, is_done = NvSciSyncFenceInitializer;
        NvSciSyncFence is_converted;

        expose<<<1, 1, 0, exposure>>>(light, frame);
        OK(NvSciSyncObjGenerateFence(filled, &is_filled));
        is_converted = convert(rgba, yuv, &is_filled); // before its input is there
        OK(cudaStreamSynchronize(exposure));
        fill(rgba, *light);
        if (has("filled-flush")) {
            flush(rgba);
        }
        OK(NvSciSyncObjSignal(filled));
        if (has("converted-wait")) {
            OK(cuda_wait(waits, &is_converted, stream,
                         has("converted-memsync") ? 0
                                                  : cudaExternalSemaphoreWaitSkipNvSciBufMemSync));
        }
        invert_luma<<<H, W, 0, stream>>>((uint8_t *)gpu.gpu + yuv.offset[0], yuv.pitch[0]);
        OK(cuda_signal(signals, &is_done, stream,
                       has("done-memsync") ? 0 : cudaExternalSemaphoreSignalSkipNvSciBufMemSync));
        if (has("done-wait")) {
            OK(NvSciSyncFenceWait(&is_done, context, -1));
        }
        if (has("done-flush")) {
            flush(yuv);
        }
        wrong += wrong_in(yuv, *light);
        OK(cudaStreamSynchronize(stream));
        OK(NvSciSyncFenceWait(&is_converted, context, -1));
        NvSciSyncFenceClear(&is_filled);
        NvSciSyncFenceClear(&is_converted);
        NvSciSyncFenceClear(&is_done);
    }
    OK(cudaFreeHost(light));
    OK(cudaStreamDestroy(exposure));
    OK(cudaStreamDestroy(stream));
    imported_free(gpu);
    OK(cudaDestroyExternalSemaphore(waits));
    OK(cudaDestroyExternalSemaphore(signals));
    return wrong;
}

int main(int argc, char **argv)
{
    struct image rgba, yuv;
    int wrong;

    without = argc > 1 ? argv[1] : "";
    sci_open();
    OK(NvMedia2DCreate(&vic, nullptr));
    rgba = image_new({ W, H });
    yuv = image_new({ W, H, true, true });
    filled = sync_new(cpu_list(SIGNALS), vic_list(NVMEDIA_WAITER));
    converted = sync_new(vic_list(NVMEDIA_SIGNALER), cuda_list(WAITS));
    done = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_PRESYNCOBJ, filled));
    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_EOFSYNCOBJ, converted));
    wrong = frames_run(rgba, yuv);
    printf("%d of %d frames wrong\n", wrong, FRAMES);
    image_free(rgba);
    image_free(yuv);
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, filled));
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, converted));
    OK(NvMedia2DDestroy(vic));
    for (NvSciSyncObj sync : { filled, converted, done }) {
        NvSciSyncObjFree(sync);
    }
    sci_close();
    return wrong != 0;
}

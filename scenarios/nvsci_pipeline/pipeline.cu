// SPDX-License-Identifier: MIT
// CUDA -> DLA -> CUDA -> CPU over buffers and fences of NvSci; no engine waits for the CPU, and
// nothing is copied. The shape of NVIDIA's article "Sharing CUDA Resources Through Interoperability
// with NvSciBuf and NvSciSync", with the DLA as the other engine.
//
//   pipeline network.loadable [WITHOUT]      with: vtegra dla build ../cudla_hybrid/network.json -o
//   network.loadable
//
//   made        CUDA signals behind the kernel that makes the input; its task waits       without:
//   made-wait, made-memsync inferred    the DLA signals behind its task; the stream waits without:
//   inferred-wait, inferred-memsync done        CUDA signals behind the kernel that makes the
//   picture; the CPU waits      without: done-wait, done-memsync
//
// Each frame is compared with the same convolution in plain C++. Status 1: a frame is wrong.
#include "../sci/dla.h"
#include <string>
#include <vector>

enum { C = 32, H = 16, W = 16, FRAMES = 3 };

static std::string without;

static bool has(const char *barrier)
{
    return without != barrier;
}

// NCxHWx with x = 32: the 32 channels of a pixel lie together.
static int at(int c, int y, int x)
{
    return (y * W + x) * C + c;
}

__host__ __device__ static int8_t pixel(int i, int frame)
{
    return (int8_t)((i * 29 + frame * 13) % 256 - 128);
}

__global__ void make_input(int8_t *in, int frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = pixel(i, frame); // MARK make
}

__global__ void make_picture(const int8_t *features, uint8_t *picture)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    picture[i] = (uint8_t)(features[i] + 128); // MARK picture
}

// The weights as docs/dla-build.md defines them: kernel, channel, line, column.
static std::vector<int> weights()
{
    std::vector<int> w(C * C * 9);
    uint64_t x = 7;

    for (int &v : w) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        v = -20 + (int)((x >> 33) % 41);
    }
    return w;
}

static uint8_t expected(const std::vector<int> &w, int frame, int k, int y, int x)
{
    long sum = 100;

    for (int i = 0; i < C * 9; i++) {
        int c = i / 9, iy = y + i % 9 / 3 - 1, ix = x + i % 3 - 1;

        if (iy >= 0 && iy < H && ix >= 0 && ix < W) {
            sum += w[k * C * 9 + i] * pixel(at(c, iy, ix), frame);
        }
    }
    sum = sum < 0 ? 0 : (sum + 128) >> 8; // ReLU, then >> 8, half away from zero
    return (uint8_t)((sum > 127 ? 127 : sum) + 128);
}

static int wrong_in(const uint8_t *picture, const std::vector<int> &w, int frame)
{
    int wrong = 0;

    for (int k = 0; k < C; k++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                wrong += picture[at(k, y, x)] != expected(w, frame, k, y, x); // MARK read
            }
        }
    }
    return wrong;
}

static NvSciBufObj input, features, picture;
static NvSciSyncObj made, inferred, done;

static void allocate()
{
    struct users users;

    users.bytes = TENSOR;
    users.engine = NvSciBufHwEngName_DLA;
    input = buffer_new(users);
    features = buffer_new(users);
    users.engine = NvSciBufHwEngName_Invalid;
    picture = buffer_new(users);
    made = sync_new(cuda_list(SIGNALS), dla_list(WAITS));
    inferred = sync_new(dla_list(SIGNALS), cuda_list(WAITS));
    done = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
}

static int frames_run()
{
    imported in = buffer_gpu(input, TENSOR), out = buffer_gpu(features, TENSOR),
             grey = buffer_gpu(picture, TENSOR);
    uint64_t *in_dla = dla_import(input), *out_dla = dla_import(features),
             *signals = dla_import_sync(inferred);
    cudaExternalSemaphore_t made_cuda = sync_import(made), inferred_cuda = sync_import(inferred);
    cudaExternalSemaphore_t done_cuda = sync_import(done);
    const unsigned skip_signal = cudaExternalSemaphoreSignalSkipNvSciBufMemSync;
    const uint8_t *result = (const uint8_t *)buffer_cpu(picture);
    std::vector<int> w = weights();
    cudaStream_t stream;
    int wrong = 0;

    dla_import_sync(made);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int frame = 0; frame < FRAMES; frame++) {
        NvSciSyncFence is_made = NvSciSyncFenceInitializer, is_inferred = NvSciSyncFenceInitializer;
        NvSciSyncFence is_done = NvSciSyncFenceInitializer;

        make_input<<<TENSOR / 256, 256, 0, stream>>>((int8_t *)in.gpu, frame);
        OK(cuda_signal(made_cuda, &is_made, stream, has("made-memsync") ? 0 : skip_signal));
        {
            struct task task(in_dla, out_dla, has("made-wait") ? &is_made : nullptr, signals,
                             &is_inferred);

            OK(task.submit()); // MARK task
        }
        if (has("inferred-wait")) {
            OK(cuda_wait(inferred_cuda, &is_inferred, stream,
                         has("inferred-memsync") ? 0
                                                 : cudaExternalSemaphoreWaitSkipNvSciBufMemSync));
        }
        make_picture<<<TENSOR / 256, 256, 0, stream>>>((const int8_t *)out.gpu,
                                                       (uint8_t *)grey.gpu);
        OK(cuda_signal(done_cuda, &is_done, stream, has("done-memsync") ? 0 : skip_signal));
        if (has("done-wait")) {
            OK(NvSciSyncFenceWait(&is_done, context, -1));
        }
        wrong += wrong_in(result, w, frame) != 0;
        NvSciSyncFenceClear(&is_made);
        NvSciSyncFenceClear(&is_inferred);
        NvSciSyncFenceClear(&is_done);
    }
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    for (const imported &i : { in, out, grey }) {
        imported_free(i);
    }
    for (cudaExternalSemaphore_t s : { made_cuda, inferred_cuda, done_cuda }) {
        OK(cudaDestroyExternalSemaphore(s));
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong;

    without = argc > 2 ? argv[2] : "";
    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    allocate();
    wrong = frames_run();
    printf("%d of %d frames wrong\n", wrong, FRAMES);
    OK(cudlaGetLastError(dla));
    OK(cudlaDestroyDevice(dla));
    for (NvSciBufObj buffer : { input, features, picture }) {
        NvSciBufObjFree(buffer);
    }
    for (NvSciSyncObj sync : { made, inferred, done }) {
        NvSciSyncObjFree(sync);
    }
    sci_close();
    return wrong != 0;
}

// SPDX-License-Identifier: MIT
// The second seed article: a kernel makes a frame, the DLA works on it, a kernel takes the result, FRAMES times. With NvSci: buffers
// and sync objects are made and imported once, then nothing is copied and the CPU waits once. Without: each engine has memory of its
// own, the CPU carries the bytes and waits between. Prints microseconds of the whole program, allocation and import with it.
//
//   frames LOADABLE nvsci|copies FRAMES      LOADABLE: vtegra dla build scenarios/cudla_hybrid/network.json
#include "../../scenarios/sci/dla.h"

__global__ void make_input(int8_t *in, int frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = (int8_t)(i + frame);
}

__global__ void make_picture(const int8_t *features, uint8_t *picture)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    picture[i] = (uint8_t)(features[i] + 128);
}

static cudaStream_t stream;

static NvSciBufObj frame_new(NvSciBufHwEngName engine)
{
    struct users users;

    users.bytes = TENSOR;
    users.engine = engine;
    return buffer_new(users);
}

static void with_nvsci(int frames)
{
    NvSciBufObj input = frame_new(NvSciBufHwEngName_DLA), features = frame_new(NvSciBufHwEngName_DLA);
    NvSciSyncObj made = sync_new(cuda_list(SIGNALS), dla_list(WAITS)), inferred = sync_new(dla_list(SIGNALS), cuda_list(WAITS));
    imported in = buffer_gpu(input, TENSOR), out = buffer_gpu(features, TENSOR);
    uint64_t *in_dla = dla_import(input), *out_dla = dla_import(features), *signals = dla_import_sync(inferred);
    cudaExternalSemaphore_t made_cuda = sync_import(made), inferred_cuda = sync_import(inferred);
    uint8_t *picture;

    dla_import_sync(made);
    OK(cudaMalloc(&picture, TENSOR));
    for (int frame = 0; frame < frames; frame++) {
        NvSciSyncFence is_made = NvSciSyncFenceInitializer, is_inferred = NvSciSyncFenceInitializer;

        make_input<<<TENSOR / 256, 256, 0, stream>>>((int8_t *)in.gpu, frame);
        OK(cuda_signal(made_cuda, &is_made, stream, 0));
        {
            struct task task(in_dla, out_dla, &is_made, signals, &is_inferred);

            OK(task.submit());
        }
        OK(cuda_wait(inferred_cuda, &is_inferred, stream, 0));
        make_picture<<<TENSOR / 256, 256, 0, stream>>>((const int8_t *)out.gpu, picture);
        NvSciSyncFenceClear(&is_made);
        NvSciSyncFenceClear(&is_inferred);
    }
    OK(cudaStreamSynchronize(stream));
}

static void with_copies(int frames)
{
    NvSciBufObj input = frame_new(NvSciBufHwEngName_DLA), features = frame_new(NvSciBufHwEngName_DLA);
    NvSciSyncObj inferred = sync_new(dla_list(SIGNALS), cpu_list(WAITS));
    uint64_t *in_dla = dla_import(input), *out_dla = dla_import(features), *signals = dla_import_sync(inferred);
    void *in_cpu = buffer_cpu(input), *out_cpu = buffer_cpu(features);
    int8_t *in, *out;
    uint8_t *picture;

    OK(cudaMalloc(&in, TENSOR));
    OK(cudaMalloc(&out, TENSOR));
    OK(cudaMalloc(&picture, TENSOR));
    for (int frame = 0; frame < frames; frame++) {
        NvSciSyncFence is_inferred = NvSciSyncFenceInitializer;

        make_input<<<TENSOR / 256, 256, 0, stream>>>(in, frame);
        OK(cudaMemcpyAsync(in_cpu, in, TENSOR, cudaMemcpyDeviceToHost, stream));
        OK(cudaStreamSynchronize(stream));
        {
            struct task task(in_dla, out_dla, nullptr, signals, &is_inferred);

            OK(task.submit());
        }
        OK(NvSciSyncFenceWait(&is_inferred, context, -1));
        OK(cudaMemcpyAsync(out, out_cpu, TENSOR, cudaMemcpyHostToDevice, stream));
        make_picture<<<TENSOR / 256, 256, 0, stream>>>(out, picture);
        OK(cudaStreamSynchronize(stream));
        NvSciSyncFenceClear(&is_inferred);
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 3 ? atoi(argv[3]) : 0;
    cudaStream_t clock_stream; // nothing else is in it: an event there has the CPU's time
    cudaEvent_t from, to;
    float ms;

    if (frames <= 0) {
        fprintf(stderr, "usage: frames LOADABLE nvsci|copies FRAMES\n");
        return 2;
    }
    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&clock_stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaEventRecord(from, clock_stream));
    if (strcmp(argv[2], "nvsci") == 0) {
        with_nvsci(frames);
    } else {
        with_copies(frames);
    }
    OK(cudaEventRecord(to, clock_stream));
    OK(cudaEventSynchronize(to));
    OK(cudaEventElapsedTime(&ms, from, to));
    printf("%.1f\n", ms * 1000);
    return 0;
}

// SPDX-License-Identifier: MIT
// CUDA for Tegra 5.1: GPU and DLA in one stream. A kernel makes the DLA's input, the DLA runs a convolution, a second
// kernel works on what came out, and nobody waits in between: the stream keeps the order, and cuDLA the caches.
//
//   hybrid network.loadable [ROUNDS]      with: vtegra dla build network.json -o network.loadable
//
// The result is compared with the same convolution in plain C++ below.
#include <cuda_runtime.h>
#include <cudla.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#define CHECK(call, good, text)                                                    \
    do {                                                                           \
        auto result_ = (call);                                                     \
        if (result_ != (good)) {                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, (text)); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)
#define CUDA(call) CHECK(call, cudaSuccess, cudaGetErrorString(result_))
#define CUDLA(call) CHECK(call, cudlaSuccess, std::to_string((unsigned)result_).c_str())

enum { C = 32, H = 16, W = 16, SIZE = C * H * W };

// NCxHWx with x = 32: the 32 channels of a pixel lie together.
static int at(int c, int y, int x)
{
    return (y * W + x) * C + c;
}

static int8_t pixel(int i, int round)
{
    return (int8_t)((i * 29 + round * 13) % 256 - 128);
}

__global__ void make_input(int8_t *in, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = (int8_t)((i * 29 + round * 13) % 256 - 128);
}

__global__ void add_one(int8_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = (int8_t)(out[i] < 127 ? out[i] + 1 : 127);
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

static int8_t expected(const std::vector<int> &w, const int8_t *in, int k, int y, int x)
{
    long sum = 0;

    for (int c = 0; c < C; c++) {
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                int iy = y + dy - 1, ix = x + dx - 1;

                if (iy >= 0 && iy < H && ix >= 0 && ix < W) {
                    sum += w[((k * C + c) * 3 + dy) * 3 + dx] * in[at(c, iy, ix)];
                }
            }
        }
    }
    sum += 100;
    sum = sum < 0 ? 0 : (sum + 128) >> 8; // ReLU, then >> 8, half away from zero
    sum = sum > 127 ? 127 : sum;
    return (int8_t)(sum < 127 ? sum + 1 : 127); // and the second kernel
}

static std::vector<uint8_t> file_read(const char *name)
{
    std::vector<uint8_t> bytes;
    FILE *file = fopen(name, "rb");

    if (!file) {
        perror(name);
        exit(1);
    }
    for (int c; (c = fgetc(file)) != EOF;) {
        bytes.push_back((uint8_t)c);
    }
    fclose(file);
    return bytes;
}

static cudlaModuleTensorDescriptor tensor(cudlaModule module, cudlaModuleAttributeType number,
                                          cudlaModuleAttributeType descriptors)
{
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute attribute;

    CUDLA(cudlaModuleGetAttributes(module, number, &attribute));
    if (attribute.numInputTensors != 1) {
        fprintf(stderr, "%u tensors, this program knows one\n", attribute.numInputTensors);
        exit(1);
    }
    attribute.inputTensorDesc = &desc;
    CUDLA(cudlaModuleGetAttributes(module, descriptors, &attribute));
    printf("tensor %s: %lu bytes, %lu x %lu x %lu x %lu\n", desc.name, (unsigned long)desc.size,
           (unsigned long)desc.n, (unsigned long)desc.c, (unsigned long)desc.h, (unsigned long)desc.w);
    return desc;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    std::vector<uint8_t> loadable = file_read(argc > 1 ? argv[1] : "network.loadable");
    std::vector<int> w = weights();
    std::vector<int8_t> in(SIZE), out(SIZE);
    uint64_t devices = 0, *in_dla, *out_dla;
    int8_t *in_gpu, *out_gpu;
    cudaStream_t stream;
    cudlaDevHandle dla;
    cudlaModule module;
    long sum = 0;
    int wrong = 0;

    CUDLA(cudlaDeviceGetCount(&devices));
    printf("%lu DLAs\n", (unsigned long)devices);
    CUDA(cudaSetDevice(0));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDLA(cudlaCreateDevice(0, &dla, CUDLA_CUDA_DLA));
    CUDLA(cudlaModuleLoadFromMemory(dla, loadable.data(), loadable.size(), &module, 0));
    cudlaModuleTensorDescriptor in_desc =
        tensor(module, CUDLA_NUM_INPUT_TENSORS, CUDLA_INPUT_TENSOR_DESCRIPTORS);
    cudlaModuleTensorDescriptor out_desc =
        tensor(module, CUDLA_NUM_OUTPUT_TENSORS, CUDLA_OUTPUT_TENSOR_DESCRIPTORS);
    if (in_desc.size != SIZE || out_desc.size != SIZE) {
        fprintf(stderr, "this is not the network of network.json\n");
        return 1;
    }

    // CUDA memory, and the DLA's entry for it in the SMMU (5.1.3).
    CUDA(cudaMalloc(&in_gpu, in_desc.size));
    CUDA(cudaMalloc(&out_gpu, out_desc.size));
    CUDLA(cudlaMemRegister(dla, (uint64_t *)in_gpu, in_desc.size, &in_dla, 0));
    CUDLA(cudlaMemRegister(dla, (uint64_t *)out_gpu, out_desc.size, &out_dla, 0));

    for (int round = 0; round < rounds; round++) {
        const uint64_t *inputs[] = { in_dla };
        uint64_t *outputs[] = { out_dla };
        cudlaTask task;

        memset(&task, 0, sizeof(task));
        task.moduleHandle = module;
        task.inputTensor = inputs;
        task.numInputTensors = 1;
        task.outputTensor = outputs;
        task.numOutputTensors = 1;

        // 5.1.4: everything in one stream.
        make_input<<<SIZE / 256, 256, 0, stream>>>(in_gpu, round);
        CUDA(cudaMemsetAsync(out_gpu, 0x55, out_desc.size, stream));
        CUDLA(cudlaSubmitTask(dla, &task, 1, stream, 0));
        add_one<<<SIZE / 256, 256, 0, stream>>>(out_gpu);
        CUDA(cudaMemcpyAsync(out.data(), out_gpu, SIZE, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));

        for (int i = 0; i < SIZE; i++) {
            in[i] = pixel(i, round);
        }
        for (int k = 0; k < C; k++) {
            for (int y = 0; y < H; y++) {
                for (int x = 0; x < W; x++) {
                    wrong += out[at(k, y, x)] != expected(w, in.data(), k, y, x);
                    sum += out[at(k, y, x)];
                }
            }
        }
    }
    printf("sum %ld, %d of %d wrong\n", sum, wrong, SIZE * rounds);

    CUDLA(cudlaMemUnregister(dla, in_dla));
    CUDLA(cudlaMemUnregister(dla, out_dla));
    CUDLA(cudlaModuleUnload(module, 0));
    CUDLA(cudlaDestroyDevice(dla));
    CUDA(cudaFree(in_gpu));
    CUDA(cudaFree(out_gpu));
    CUDA(cudaStreamDestroy(stream));
    return wrong != 0;
}

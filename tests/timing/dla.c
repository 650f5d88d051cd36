/* SPDX-License-Identifier: MIT */
/* How long a task of one DLA takes, submitted in a stream: tests/timing/rows.txt's rows of layers.
 * Prints one number: us.
 *
 *   dla LOADABLE        of vtegra dla build; the time of events around the task, the second time
 * that it runs
 */
#include <cuda_runtime_api.h>
#include <cudla.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        int err_ = (int)(call);                                                  \
        if (err_) {                                                              \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, err_); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

static unsigned char *file_read(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    unsigned char *data;
    long end;

    if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0) {
        perror(name);
        exit(1);
    }
    rewind(file);
    data = malloc((size_t)end + 1);
    *bytes = data ? fread(data, 1, (size_t)end, file) : 0;
    fclose(file);
    return data;
}

/* Device memory for the only tensor of a kind, known to the DLA. */
static uint64_t *tensor(cudlaDevHandle dla, cudlaModule module, cudlaModuleAttributeType number,
                        cudlaModuleAttributeType descriptors)
{
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute attribute;
    uint64_t *known;
    void *p;

    CHECK(cudlaModuleGetAttributes(module, number, &attribute));
    if (attribute.numInputTensors != 1) {
        fprintf(stderr, "dla: a network of one input and one output is needed\n");
        exit(1);
    }
    attribute.inputTensorDesc = &desc;
    CHECK(cudlaModuleGetAttributes(module, descriptors, &attribute));
    CHECK(cudaMalloc(&p, desc.size));
    CHECK(cudaMemset(p, 0, desc.size));
    CHECK(cudlaMemRegister(dla, p, desc.size, &known, 0));
    return known;
}

int main(int argc, char **argv)
{
    cudlaTask task = { 0 };
    cudaEvent_t from, to;
    cudaStream_t stream;
    cudlaDevHandle dla;
    cudlaModule module;
    unsigned char *file;
    const uint64_t *in;
    uint64_t *out;
    size_t bytes;
    float ms;

    if (argc != 2) {
        fprintf(stderr, "usage: dla LOADABLE\n");
        return 2;
    }
    file = file_read(argv[1], &bytes);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudlaCreateDevice(0, &dla, CUDLA_CUDA_DLA));
    CHECK(cudlaModuleLoadFromMemory(dla, file, bytes, &module, 0));
    in = tensor(dla, module, CUDLA_NUM_INPUT_TENSORS, CUDLA_INPUT_TENSOR_DESCRIPTORS);
    out = tensor(dla, module, CUDLA_NUM_OUTPUT_TENSORS, CUDLA_OUTPUT_TENSOR_DESCRIPTORS);
    CHECK(cudaDeviceSynchronize());
    task.moduleHandle = module;
    task.inputTensor = &in;
    task.numInputTensors = 1;
    task.outputTensor = &out;
    task.numOutputTensors = 1;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventRecord(from, stream));
        CHECK(cudlaSubmitTask(dla, &task, 1, stream, 0));
        CHECK(cudaEventRecord(to, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaEventElapsedTime(&ms, from, to));
    }
    printf("%.3f\n", ms * 1000);
    free(file);
    return 0;
}

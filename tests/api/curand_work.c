/* SPDX-License-Identifier: MIT */
/* A program as an application would be written, on the public headers alone: device generators give
 * the numbers of host generators, which are compared with NVIDIA's elsewhere. Prints a line a
 * failure; exit 1 if there was one. */
#include <cuda.h>
#include <curand.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 12000u /* of a call; a multiple of the dimensions */
#define DIMENSIONS 3u

static int failed;
static CUdeviceptr memory;
static double device[NUMBERS], host[NUMBERS];

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)

static curandStatus_t generate(curandGenerator_t g, char form, void *to, size_t n)
{
    switch (form) {
    case 'w':
        return curandGenerate(g, to, n);
    case 'l':
        return curandGenerateLongLong(g, to, n);
    case 'u':
        return curandGenerateUniform(g, to, n);
    case 'd':
        return curandGenerateUniformDouble(g, to, n);
    case 'n':
        return curandGenerateNormal(g, to, n, 1, 2);
    case 'N':
        return curandGenerateNormalDouble(g, to, n, 1, 2);
    case 'g':
        return curandGenerateLogNormal(g, to, n, 0, 0.5f);
    default:
        return curandGenerateLogNormalDouble(g, to, n, 0, 0.5);
    }
}

/* Normal numbers by the C library's functions on the host */
static int equal(char form, size_t n)
{
    if (!strchr("nNgG", form)) {
        return memcmp(device, host, n * (strchr("ld", form) ? 8 : 4)) == 0;
    }
    for (size_t i = 0; i < n; i++) {
        double a = form == 'n' || form == 'g' ? (double)((float *)device)[i] : device[i];
        double b = form == 'n' || form == 'g' ? (double)((float *)host)[i] : host[i];

        if (!(fabs(a - b) <= 1e-5 * fmax(fabs(b), 1))) {
            return 0;
        }
    }
    return 1;
}

static void both_create(curandGenerator_t g[2], curandRngType_t type)
{
    CHECK(curandCreateGenerator(&g[0], type) == CURAND_STATUS_SUCCESS);
    CHECK(curandCreateGeneratorHost(&g[1], type) == CURAND_STATUS_SUCCESS);
    for (int i = 0; i < 2; i++) {
        if (type < CURAND_RNG_QUASI_DEFAULT) {
            CHECK(curandSetPseudoRandomGeneratorSeed(g[i], 0x123456789abull) == 0);
        } else {
            CHECK(curandSetQuasiRandomGeneratorDimensions(g[i], DIMENSIONS) == 0);
        }
        CHECK(
            curandSetGeneratorOffset(g[i], 1001) ==
            (type == CURAND_RNG_PSEUDO_MTGP32 ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_SUCCESS));
    }
}

static void both_destroy(curandGenerator_t g[2])
{
    CHECK(curandDestroyGenerator(g[0]) == CURAND_STATUS_SUCCESS);
    CHECK(curandDestroyGenerator(g[1]) == CURAND_STATUS_SUCCESS);
    CHECK(curandDestroyGenerator(g[0]) == CURAND_STATUS_NOT_INITIALIZED);
}

static void numbers_are_those_of_host_generators(curandRngType_t type)
{
    static const size_t sizes[] = { NUMBERS, 6, 6000 };
    const char *forms = type == CURAND_RNG_QUASI_SOBOL64 ? "ludnNgG" : "wudnNgG";
    curandGenerator_t g[2];

    both_create(g, type);
    for (unsigned i = 0; forms[i]; i++) {
        size_t n = sizes[i % 3], bytes = n * (strchr("ldNG", forms[i]) ? 8 : 4);

        CHECK(generate(g[0], forms[i], (void *)(uintptr_t)memory, n) == CURAND_STATUS_SUCCESS);
        CHECK(generate(g[1], forms[i], host, n) == CURAND_STATUS_SUCCESS);
        CHECK(cuMemcpyDtoH(device, memory, bytes) == CUDA_SUCCESS);
        if (!equal(forms[i], n)) {
            printf("type %d, form %c differs\n", (int)type, forms[i]);
            failed = 1;
        }
    }
    both_destroy(g);
}

/* Each launch of a graph makes the next numbers. */
static void graphs_continue(void)
{
    curandGenerator_t g[2];
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;

    both_create(g, CURAND_RNG_PSEUDO_XORWOW);
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(curandSetStream(g[0], (cudaStream_t)stream) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerateSeeds(g[0]) == CURAND_STATUS_SUCCESS);
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(generate(g[0], 'u', (void *)(uintptr_t)memory, 5000) == CURAND_STATUS_SUCCESS);
    CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(graph, NULL, &nodes) == CUDA_SUCCESS && nodes == 1);
    CHECK(cuGraphInstantiate(&exec, graph, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
        CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
        CHECK(cuMemcpyDtoH(device, memory, 5000 * 4) == CUDA_SUCCESS);
        CHECK(generate(g[1], 'u', host, 5000) == CURAND_STATUS_SUCCESS);
        CHECK(equal('u', 5000));
    }
    CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
    both_destroy(g);
    CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS);
}

/* Another seed, offset, ordering or number of dimensions begins a new sequence where host
 * generators do. */
static void settings_take_effect_in_between(curandRngType_t type)
{
    curandGenerator_t g[2];

    both_create(g, type);
    for (unsigned step = 0; step < 4; step++) {
        for (int i = 0; i < 2; i++) {
            void *to = i ? (void *)host : (void *)(uintptr_t)memory;

            CHECK(generate(g[i], 'u', to, 600) == CURAND_STATUS_SUCCESS);
            if (step == 0 && type < CURAND_RNG_QUASI_DEFAULT) {
                CHECK(curandSetPseudoRandomGeneratorSeed(g[i], 77) == 0);
            } else if (step == 1 && type < CURAND_RNG_QUASI_DEFAULT) {
                CHECK(curandSetGeneratorOrdering(g[i], CURAND_ORDERING_PSEUDO_LEGACY) == 0);
            } else if (step == 1) {
                CHECK(curandSetQuasiRandomGeneratorDimensions(g[i], 5) == 0);
            } else if (step == 2 && type != CURAND_RNG_PSEUDO_MTGP32) {
                CHECK(curandSetGeneratorOffset(g[i], 5) == CURAND_STATUS_SUCCESS);
            }
            CHECK(generate(g[i], 'u', to, 600) == CURAND_STATUS_SUCCESS);
        }
        CHECK(cuMemcpyDtoH(device, memory, 600 * 4) == CUDA_SUCCESS);
        CHECK(equal('u', 600));
    }
    both_destroy(g);
}

static void mistakes_have_codes(void)
{
    curandGenerator_t g;
    curandDirectionVectors32_t *v;

    CHECK(curandCreateGenerator(NULL, CURAND_RNG_PSEUDO_XORWOW) != CURAND_STATUS_SUCCESS);
    CHECK(curandCreateGenerator(&g, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_ARCH_MISMATCH);
    CHECK(curandCreateGenerator(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) ==
          CURAND_STATUS_ARCH_MISMATCH);
    CHECK(curandGetDirectionVectors32(&v, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) ==
          CURAND_STATUS_ARCH_MISMATCH);
    CHECK(curandGenerate((curandGenerator_t)(void *)&g, (unsigned *)host, 1) ==
          CURAND_STATUS_NOT_INITIALIZED);
    CHECK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerate(g, NULL, 4) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandGenerate(g, (unsigned *)(uintptr_t)memory, (size_t)-1) != CURAND_STATUS_SUCCESS);
    CHECK(curandGeneratePoisson(g, (unsigned *)(uintptr_t)memory, 4, -1) ==
          CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandGeneratePoisson(g, (unsigned *)(uintptr_t)memory, 4, 10) ==
          CURAND_STATUS_ARCH_MISMATCH);
    CHECK(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS);
}

int main(void)
{
    static const curandRngType_t types[] = {
        CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
        CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_QUASI_SOBOL32,   CURAND_RNG_QUASI_SOBOL64
    };
    CUcontext context;
    CUdevice dev;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&dev, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, dev) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&memory, sizeof(device)) == CUDA_SUCCESS);
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        numbers_are_those_of_host_generators(types[i]);
        settings_take_effect_in_between(types[i]);
    }
    graphs_continue();
    mistakes_have_codes();
    CHECK(cuMemFree(memory) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRelease(dev) == CUDA_SUCCESS);
    return failed;
}

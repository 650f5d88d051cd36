/* SPDX-License-Identifier: MIT */
/*
 * Status codes of cuRAND's host generators, rows "case code". Built with NVIDIA's library it writes
 * curand_codes_10.4.txt, with ours the test compares. No GPU is needed.
 *   gcc -I/usr/local/cuda/include curand_codes.c -L/usr/local/cuda/lib64 -lcurand -o codes &&
 * ./codes
 */
#include <curand.h>
#include <stdio.h>

static curandGenerator_t generator;
static unsigned words[64];
static unsigned long long longs[64];
static float floats[64];
static double doubles[64];

static void row(const char *name, int code)
{
    printf("%s %d\n", name, code);
}

#define ROW(call) row(#call, (int)(call))

static void library_codes(void)
{
    curandDirectionVectors32_t *v32;
    curandDirectionVectors64_t *v64;
    int value = 0;

    ROW(curandGetVersion(&value));
    printf("version %d\n", value);
    for (int type = -1; type < 4; type++) {
        value = -1;
        row("property", curandGetProperty((libraryPropertyType)type, &value));
        printf("value %d\n", value);
    }
    for (int set = 100; set < 106; set++) {
        if (set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) {
            row("directions 32",
                curandGetDirectionVectors32(&v32, (curandDirectionVectorSet_t)set));
        }
        if (set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) {
            row("directions 64",
                curandGetDirectionVectors64(&v64, (curandDirectionVectorSet_t)set));
        }
    }
    curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    for (unsigned d = 0; d < 20000; d += 1999) {
        printf("vectors %u %08x %08x %016llx\n", d, v32[d][3], v32[d][31], v64[d][63]);
    }
    ROW(curandDestroyGenerator(NULL));
    ROW(curandSetStream(NULL, NULL));
    ROW(curandSetPseudoRandomGeneratorSeed(NULL, 1));
    ROW(curandSetGeneratorOffset(NULL, 1));
    ROW(curandSetGeneratorOrdering(NULL, CURAND_ORDERING_PSEUDO_DEFAULT));
    ROW(curandSetQuasiRandomGeneratorDimensions(NULL, 1));
    ROW(curandGenerateSeeds(NULL));
    ROW(curandGenerate(NULL, words, 4));
    ROW(curandGenerateLongLong(NULL, longs, 4));
    ROW(curandGenerateUniform(NULL, floats, 4));
    ROW(curandGenerateUniformDouble(NULL, doubles, 4));
    ROW(curandGenerateNormal(NULL, floats, 4, 0, 1));
    ROW(curandGenerateNormalDouble(NULL, doubles, 4, 0, 1));
    ROW(curandGenerateLogNormal(NULL, floats, 4, 0, 1));
    ROW(curandGenerateLogNormalDouble(NULL, doubles, 4, 0, 1));
    ROW(curandGeneratePoisson(NULL, words, 4, 1));
}

static void settings_codes(void)
{
    ROW(curandSetStream(generator, NULL));
    ROW(curandSetPseudoRandomGeneratorSeed(generator, 5));
    ROW(curandSetGeneratorOffset(generator, 3));
    ROW(curandSetGeneratorOffset(generator, 0));
    for (int order = 99; order < 106; order++) {
        row("ordering", curandSetGeneratorOrdering(generator, (curandOrdering_t)order));
    }
    for (int order = 200; order < 203; order++) {
        row("ordering", curandSetGeneratorOrdering(generator, (curandOrdering_t)order));
    }
    ROW(curandSetQuasiRandomGeneratorDimensions(generator, 0));
    ROW(curandSetQuasiRandomGeneratorDimensions(generator, 20000));
    ROW(curandSetQuasiRandomGeneratorDimensions(generator, 20001));
    ROW(curandSetQuasiRandomGeneratorDimensions(generator, 1));
    ROW(curandGenerateSeeds(generator));
}

static void numbers_codes(void)
{
    for (unsigned n = 0; n < 5; n++) {
        printf("numbers %u\n", n);
        ROW(curandGenerate(generator, words, n));
        ROW(curandGenerateLongLong(generator, longs, n));
        ROW(curandGenerateUniform(generator, floats, n));
        ROW(curandGenerateUniformDouble(generator, doubles, n));
        ROW(curandGenerateNormal(generator, floats, n, 0, 1));
        ROW(curandGenerateNormalDouble(generator, doubles, n, 0, 1));
        ROW(curandGenerateLogNormal(generator, floats, n, 0, 1));
        ROW(curandGenerateLogNormalDouble(generator, doubles, n, 0, 1));
    }
    ROW(curandGenerateNormal(generator, floats, 4, 0, -1));
    ROW(curandGenerateNormal(generator, floats, 4, 0, 0));
    ROW(curandGenerateLogNormal(generator, floats, 4, 0, -1));
    ROW(curandGenerateNormalDouble(generator, doubles, 4, 0, -1));
    ROW(curandGenerateLogNormalDouble(generator, doubles, 4, 0, 0));
}

static void dimensions_codes(void)
{
    if (curandSetQuasiRandomGeneratorDimensions(generator, 3)) {
        return;
    }
    for (unsigned n = 0; n < 7; n++) {
        printf("numbers %u of 3 dimensions\n", n);
        ROW(curandGenerate(generator, words, n));
        ROW(curandGenerateLongLong(generator, longs, n));
        ROW(curandGenerateUniform(generator, floats, n));
        ROW(curandGenerateNormalDouble(generator, doubles, n, 0, 1));
    }
}

int main(void)
{
    static const int types[] = { 100, 101, 121, 141, 161, 200, 201, 203 };

    library_codes();
    for (int type = 98; type < 210; type++) {
        if (type < 100 || (type > 101 && type < 121) || (type > 121 && type < 141) || type > 204) {
            curandGenerator_t none;

            row("type", curandCreateGeneratorHost(&none, (curandRngType_t)type));
        }
    }
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        printf("generator %d\n", types[i]);
        ROW(curandCreateGeneratorHost(&generator, (curandRngType_t)types[i]));
        settings_codes();
        numbers_codes();
        dimensions_codes();
        ROW(curandDestroyGenerator(generator));
    }
    return 0;
}

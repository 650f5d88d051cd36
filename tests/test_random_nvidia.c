/* SPDX-License-Identifier: MIT */
/* More cases than the golden file has, made up from a number and compared with NVIDIA's host
 * generators, bit by bit: their elementary functions are those of the C library, so ours take these
 * here. Entry points are called by our own declarations. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random_case.h"

#define CASES 24

static struct {
    int (*create)(void **g, int type);
    int (*destroy)(void *g);
    int (*seed)(void *g, unsigned long long seed);
    int (*offset)(void *g, unsigned long long offset);
    int (*order)(void *g, int order);
    int (*dimensions)(void *g, unsigned n);
    int (*words)(void *g, void *to, size_t n);
    int (*longs)(void *g, void *to, size_t n);
    int (*uniform)(void *g, void *to, size_t n);
    int (*uniform_double)(void *g, void *to, size_t n);
    int (*normal)(void *g, void *to, size_t n, float mean, float deviation);
    int (*normal_double)(void *g, void *to, size_t n, double mean, double deviation);
    int (*log_normal)(void *g, void *to, size_t n, float mean, float deviation);
    int (*log_normal_double)(void *g, void *to, size_t n, double mean, double deviation);
} nv;

static void host_sincos_float(float x, float *s, float *c)
{
    sincosf(x, s, c);
}

static void host_sincos(double x, double *s, double *c)
{
    sincos(x, s, c);
}

static const struct random_math host_math = {
    logf, host_sincos_float, expf, log, host_sincos, exp
};

static bool nvidia_load(void)
{
    static const struct {
        const char *name;
        void *to;
    } all[] = {
        { "curandCreateGeneratorHost", &nv.create },
        { "curandDestroyGenerator", &nv.destroy },
        { "curandSetPseudoRandomGeneratorSeed", &nv.seed },
        { "curandSetGeneratorOffset", &nv.offset },
        { "curandSetGeneratorOrdering", &nv.order },
        { "curandSetQuasiRandomGeneratorDimensions", &nv.dimensions },
        { "curandGenerate", &nv.words },
        { "curandGenerateLongLong", &nv.longs },
        { "curandGenerateUniform", &nv.uniform },
        { "curandGenerateUniformDouble", &nv.uniform_double },
        { "curandGenerateNormal", &nv.normal },
        { "curandGenerateNormalDouble", &nv.normal_double },
        { "curandGenerateLogNormal", &nv.log_normal },
        { "curandGenerateLogNormalDouble", &nv.log_normal_double },
    };
    void *library = dlopen(NVIDIA_CURAND, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof(all) / sizeof(all[0]); i++) {
        void *symbol = dlsym(library, all[i].name);

        if (!symbol) {
            return false;
        }
        memcpy(all[i].to, &symbol, sizeof(symbol));
    }
    return library != NULL;
}

static int part_run(void *g, const struct random_case *c, unsigned i, void *to)
{
    size_t n = c->part[i].n;

    switch (c->part[i].form) {
    case 'w':
        return nv.words(g, to, n);
    case 'l':
        return nv.longs(g, to, n);
    case 'u':
        return nv.uniform(g, to, n);
    case 'd':
        return nv.uniform_double(g, to, n);
    case 'n':
        return nv.normal(g, to, n, (float)c->mean, (float)c->deviation);
    case 'N':
        return nv.normal_double(g, to, n, c->mean, c->deviation);
    case 'g':
        return nv.log_normal(g, to, n, (float)c->mean, (float)c->deviation);
    default:
        return nv.log_normal_double(g, to, n, c->mean, c->deviation);
    }
}

static uint64_t chance = 88172645463325252u;

static uint64_t chance_below(uint64_t n)
{
    chance ^= chance << 13; /* Marsaglia's xorshift64 */
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (chance >> 11) % n;
}

static void case_make(struct random_case *c)
{
    static const int types[] = { 101, 121, 141, 161, 201, 203 };

    memset(c, 0, sizeof(*c));
    c->type = types[chance_below(6)];
    c->order = c->type == 101 && chance_below(3) == 0 ? 102
               : c->type < 200                        ? 101 + 2 * (int)chance_below(2)
                                                      : 201;
    c->seed = chance_below(UINT64_MAX) << 11;
    c->offset = chance_below(2) ? chance_below(UINT64_C(1) << 20) : chance_below(UINT64_C(1) << 44);
    c->dimensions = c->type < 200 ? 1 : (unsigned)chance_below(64) + 1;
    c->mean = (double)chance_below(5) - 2;
    c->deviation = (double)chance_below(4) + 0.5;
    c->n_parts = (unsigned)chance_below(8) + 1;
    for (unsigned i = 0; i < c->n_parts; i++) {
        c->part[i].form = CASE_FORMS[chance_below(8)];
        if (c->part[i].form == 'l' || (c->type == 203 && c->part[i].form == 'w')) {
            c->part[i].form = c->type == 203 ? 'l' : 'w';
        }
        c->part[i].n = (chance_below(c->type == 161 ? 100000 : 20000) + 1) * 2 * c->dimensions;
        c->part[i].n /= c->dimensions > 1 ? 8 : 1;
        c->part[i].n += c->dimensions - c->part[i].n % c->dimensions;
        c->part[i].n += c->part[i].n % 2 * c->dimensions;
    }
}

static unsigned case_differences(const struct random_case *c, void *g)
{
    uint8_t *ours, *theirs;
    size_t at = 0;
    unsigned bad = 0;

    random_case_run(c, 0, &host_math, &ours);
    for (unsigned i = 0; i < c->n_parts; i++) {
        char form = c->part[i].form;
        size_t width = random_case_width(form);

        theirs = malloc(c->part[i].n * width);
        if (part_run(g, c, i, theirs)) {
            printf("NVIDIA refuses form %c of %llu\n", form, c->part[i].n);
            bad++;
        }
        for (uint64_t k = 0; k < c->part[i].n; k++) {
            bad += (c->type >= 200 || c->type == 141) && strchr("nNgG", form)
                       ? !random_case_near(c, form, ours + at + k * width, theirs + k * width)
                       : memcmp(ours + at + k * width, theirs + k * width, width) != 0;
        }
        free(theirs);
        at += random_case_bytes(c, i);
    }
    free(ours);
    return bad;
}

int main(void)
{
    unsigned failed = 0;

    if (!nvidia_load()) {
        return 77;
    }
    for (unsigned i = 0; i < CASES; i++) {
        struct random_case c;
        unsigned bad;
        void *g;

        case_make(&c);
        if (nv.create(&g, c.type) ||
            (c.type < 200 && (nv.seed(g, c.seed) || nv.order(g, c.order))) ||
            (c.type >= 200 && nv.dimensions(g, c.dimensions)) ||
            (c.type != 141 && nv.offset(g, c.offset))) {
            return 77;
        }
        bad = case_differences(&c, g);
        if (bad) {
            printf("case %u, type %d, order %d: %u numbers differ\n", i, c.type, c.order, bad);
            failed = 1;
        }
        nv.destroy(g);
    }
    return (int)failed;
}

/* SPDX-License-Identifier: MIT */
/*
 * Completes tests/golden/curand_host_10.4.txt: lines before the colon come in, and go out with what
 * NVIDIA's host generators give. Needs libcurand.so.10 of a toolkit and no GPU:
 *   gcc -I. -I/usr/local/cuda/include curand_host.c ../../random_case.c <model/library/random/...>
 *       -L/usr/local/cuda/lib64 -lcurand -lm -o gen && ./gen <curand_host_10.4.txt
 */
#include <curand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random_case.h"

static curandStatus_t part(curandGenerator_t g, const struct random_case *c, unsigned i, void *to)
{
    size_t n = c->part[i].n;

    switch (c->part[i].form) {
    case 'w':
        return curandGenerate(g, to, n);
    case 'l':
        return curandGenerateLongLong(g, to, n);
    case 'u':
        return curandGenerateUniform(g, to, n);
    case 'd':
        return curandGenerateUniformDouble(g, to, n);
    case 'n':
        return curandGenerateNormal(g, to, n, (float)c->mean, (float)c->deviation);
    case 'N':
        return curandGenerateNormalDouble(g, to, n, c->mean, c->deviation);
    case 'g':
        return curandGenerateLogNormal(g, to, n, (float)c->mean, (float)c->deviation);
    default:
        return curandGenerateLogNormalDouble(g, to, n, c->mean, c->deviation);
    }
}

/* The numbers at the begin, in the middle and at the end of a part of normal ones. */
static void samples(const unsigned char *data, size_t n, size_t width)
{
    const size_t at[] = { 0, 1, 2, n / 2, n - 2, n - 1 };

    for (unsigned i = 0; i < 6; i++) {
        printf(" ");
        for (size_t k = width; k-- > 0;) {
            printf("%02x", data[at[i] * width + k]);
        }
    }
}

int main(void)
{
    char line[512];
    struct random_case c;

    while (fgets(line, sizeof(line), stdin)) {
        curandGenerator_t g;

        if (line[0] == '#' || !random_case_parse(line, &c)) {
            fputs(line, stdout);
            continue;
        }
        printf("%.*s:", (int)strcspn(line, ":\n"), line);
        if (curandCreateGeneratorHost(&g, (curandRngType_t)c.type) ||
            (c.type < 200 && curandSetPseudoRandomGeneratorSeed(g, c.seed)) ||
            (c.type < 200 && curandSetGeneratorOrdering(g, (curandOrdering_t)c.order)) ||
            (c.type >= 200 && curandSetQuasiRandomGeneratorDimensions(g, c.dimensions)) ||
            (c.type != 141 && curandSetGeneratorOffset(g, c.offset))) {
            return 1;
        }
        for (unsigned i = 0; i < c.n_parts; i++) {
            size_t width = random_case_width(c.part[i].form), bytes = c.part[i].n * width;
            unsigned char *data = malloc(bytes);

            if (part(g, &c, i, data)) {
                return 1;
            }
            if (strchr("nNgG", c.part[i].form)) {
                samples(data, c.part[i].n, width);
            } else {
                printf(" %016llx", (unsigned long long)random_case_hash(data, bytes));
            }
            free(data);
        }
        printf("\n");
        curandDestroyGenerator(g);
    }
    return 0;
}

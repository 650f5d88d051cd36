/* SPDX-License-Identifier: MIT */
/* parse FILE.ptx...: what reading PTX costs, from text to the form that the SMs run; best of 20 a
 * file. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ptx/decode.h"
#include "ptx/ptx.h"

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static char *file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 24);

    *size = f && text ? fread(text, 1, (1 << 24) - 1, f) : 0;
    if (f) {
        fclose(f);
    }
    if (text) {
        text[*size] = '\0';
    }
    return text;
}

/* Milliseconds for one pass over @text; negative if it is no PTX. What the SMs do not have is
 * parsed all the same. */
static double once(const char *text, size_t size, unsigned *kernels)
{
    struct ptx_error error = { 0 };
    double start = now_ms();
    struct ptx_module *m = ptx_parse(text, size, &error);
    struct ptx_program *p = m ? ptx_decode(m, &error) : NULL;
    double took = now_ms() - start;

    *kernels = 0;
    for (unsigned i = 0; m && i < m->n_funcs; i++) {
        *kernels += m->funcs[i]->is_entry;
    }
    if (p) {
        ptx_program_free(p);
    }
    if (m) {
        ptx_module_free(m);
    }
    if (!m) {
        fprintf(stderr, "%s\n", error.text);
    }
    return m ? took : -1;
}

int main(int argc, char **argv)
{
    double sum = 0, worst = 0;
    unsigned all = 0;

    for (int i = 1; i < argc; i++) {
        unsigned kernels = 0;
        double best = 1e9;
        size_t size;
        char *text = file_read(argv[i], &size);

        for (int round = 0; round < 20 && best >= 0; round++) {
            double t = once(text, size, &kernels);

            best = t < best ? t : best;
        }
        free(text);
        if (best < 0) {
            fprintf(stderr, "%s: no PTX\n", argv[i]);
        } else if (kernels > 0) {
            all += kernels;
            sum += best;
            worst = best / kernels > worst ? best / kernels : worst;
        }
    }
    printf("PTX, parsed and decoded: %u kernels, %.3f ms a kernel, %.3f ms in the slowest file (at "
           "most 1)\n",
           all, all ? sum / all : 0, worst);
    return all == 0 || worst > 1;
}

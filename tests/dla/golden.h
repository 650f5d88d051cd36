/* SPDX-License-Identifier: MIT */
/* The published regression loadables of nvdla/sw (regression/flatbufs/kmd) and their golden images,
 * when they lie beside the project. */
#ifndef TESTS_DLA_GOLDEN_H
#define TESTS_DLA_GOLDEN_H

#include "loadable/loadable.h"

#define GOLDENS_MAX 256

/* Names, sorted; 0 of them if there is no such folder. They live as long as the program. */
int golden_list(char *names[GOLDENS_MAX]);

/* The configuration of the hardware that a loadable is for. */
const char *golden_config(const char *name);

struct golden {
    struct loadable *loadable;
    uint8_t *bytes, *image;
    size_t image_bytes;
};

/* Return: false if a file is missing: said on stdout. */
bool golden_open(struct golden *g, const char *name);
void golden_close(struct golden *g);

/* Bytes of a memory of the loadable as the DLA left them. */
typedef bool golden_get(void *opaque, const struct loadable_memory *m, uint64_t offset, void *bytes,
                        size_t len);
/* Fails the test at the first byte that differs. */
void golden_compare(const struct golden *g, golden_get *get, void *opaque, const char *name);

#endif

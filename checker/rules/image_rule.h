/* SPDX-License-Identifier: MIT */
/* EGLImages that OpenGL and CUDA use without the synchronisation that CUDA for Tegra 5.2 asks for.
 */
#ifndef CHECKER_IMAGE_RULE_H
#define CHECKER_IMAGE_RULE_H

#include <stdbool.h>

#include "trace/record.h"

struct checker;
struct image_rules;

/* OpenGL has drawn since its last point of synchronisation; there is nothing of that kind; OpenGL
 * uses the image now; the program has destroyed the EGLImage. */
enum image_turn_kind { IMAGE_DRAWN, IMAGE_MET, IMAGE_USED, IMAGE_DESTROYED };

/**
 * struct image_turn - what happens to a registered image on OpenGL's side
 * @region: CUDA's memory of it; @grids: the newest grid that was launched by then
 * @number, @width, @height: for the words; @call: OpenGL's, constant text
 * @writes: IMAGE_USED: OpenGL writes; @pending: IMAGE_USED: kernels that the CPU has not waited for
 */
struct image_turn {
    enum image_turn_kind kind;
    uint32_t region, grids;
    unsigned number, width, height;
    const char *call;
    bool writes;
    const uint32_t *pending;
    unsigned n_pending;
};

/* Findings go to @c, which is not owned. */
struct image_rules *image_rules_new(struct checker *c);
void image_rules_free(struct image_rules *s); /* NULL: nothing */
void image_rules_turn(struct image_rules *s, const struct image_turn *turn);
/* Sums of grids. */
void image_rules_take(struct image_rules *s, const struct trace_record *t);

#endif

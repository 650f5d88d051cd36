/* SPDX-License-Identifier: MIT */
/* The figures of a board that charge.h and charge_engines.h need, by name, but for those
 * that a report has anyway (caches of the CPU, nominal bandwidth, facts of Table 1): for who keeps
 * them elsewhere than in a profile, as a trace file does. */
#ifndef MODEL_RULES_CHARGE_FIGURES_H
#define MODEL_RULES_CHARGE_FIGURES_H

#include "model/profile.h"

/** struct charge_figure - "copy_ns"; @offset, @bytes: in struct soc_profile */
struct charge_figure {
    const char *name;
    unsigned offset, bytes;
};

/* Return: @n of them, of as many as a note holds. */
const struct charge_figure *charge_figures(unsigned *n);

uint64_t charge_figure_get(const struct soc_profile *p, const struct charge_figure *f);
void charge_figure_set(struct soc_profile *p, const struct charge_figure *f, uint64_t value);

/* Is none 0 that others are divided by? */
bool charge_figures_whole(const struct soc_profile *p);

#endif

/* SPDX-License-Identifier: MIT */
/* What an edition of CUDA for Tegra says of a SoC: its list of features, and what differs from
 * another edition. */
#ifndef TOOLS_SOC_EDITION_H
#define TOOLS_SOC_EDITION_H

#include <glib.h>

#include "model/profile.h"

/* "yes (since 12.5)", by system where they differ; unknown and interpolated answers say so.
 * g_free(). */
char *soc_feature_text(const struct soc_profile *p, unsigned feature);

/* What vtegra has of it where the board has it: "yes", or what else. "no" where no system of the
 * board has it. */
const char *soc_feature_here(const struct soc_profile *p, unsigned feature);

/** soc_edition_diff - print what @b changes against @a */
void soc_edition_diff(const struct soc_profile *a, const struct soc_profile *b);

#endif

/* SPDX-License-Identifier: MIT */
/* Which edition of CUDA for Tegra, and which system, a profile is read with. */
#ifndef PROFILES_EDITION_H
#define PROFILES_EDITION_H

#include "profiles/profile.h"

#define PROFILE_EDITION_ENV "VTEGRA_EDITION"
#define PROFILE_EDITIONS "10.2, 11.4, 11.8, 12.6, 13.4" /* model/rules/editions.def */

/** profile_editions_known - is @list of editions, oldest first, each once? */
gboolean profile_editions_known(const char *list);

/** profile_has_edition - is @edition one that the SoC has had (key soc.editions)? */
gboolean profile_has_edition(const struct soc_profile *profile, const char *edition);

#endif

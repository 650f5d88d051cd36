/* SPDX-License-Identifier: MIT */
/* Power modes of the Jetsons: power.def. */
#ifndef PROFILES_POWER_H
#define PROFILES_POWER_H

#include "profiles/profile.h"

#define PROFILE_POWER_ENV "VTEGRA_POWER"

/** struct profile_power - a mode; units and 0 as in power.def */
struct profile_power {
    const char *soc, *name, *source;
    unsigned id, cores, cpu_mhz, sms, gpu_mhz, emc_mhz, emc_most_mhz, dla_mhz;
    enum profile_standing standing;
};

/* The modes of a SoC in nvpmodel's order: 0, 1 ...; NULL: no more. */
const struct profile_power *profile_power(const char *soc, unsigned index);

/**
 * profile_power_set - put a mode in force
 * @mode: its name, "15W", or nvpmodel's name or number of it, "MODE_15W", "1"
 * @error: names the modes that the SoC has
 *
 * Cores, SMs, clocks and bandwidth are the mode's; what the CPU does takes longer as its clock is
 * lower, and a line from DRAM as the bandwidth is (both inferred).
 *
 * Return: FALSE with @error set; the profile is as before.
 */
gboolean profile_power_set(struct soc_profile *profile, const char *mode, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Who snoops: the one predicate of one-way coherency. */
#ifndef MODEL_RULES_PORT_H
#define MODEL_RULES_PORT_H

#include "model/profile.h"
#include "model/values.h"

/**
 * rules_port_snoops - do the accesses of @agent through the I/O port look into the CPU caches?
 *
 * A read then finds a dirty CPU line, a write drops the CPU's line. Source: CUDA for Tegra 2.1, I/O coherency
 * (from compute capability 7.2 on); for an engine of model/engines.def also its profile key.
 */
bool rules_port_snoops(const struct soc_profile *p, enum bus_agent agent);

#endif

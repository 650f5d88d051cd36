/* SPDX-License-Identifier: MIT */
/* Who snoops, and what the driver has to do where nothing does: the predicates of one-way coherency. */
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

/**
 * rules_driver_keeps_cpu_caches, rules_driver_keeps_l2 - has the driver to clean and invalidate them
 * where memory that a cache holds changes hands?
 *
 * CPU caches: where the iGPU's port does not snoop them. L2: where CPU accesses do not snoop it, "when managed memory or
 * interop memory is used". Source: CUDA for Tegra 2.1 and 3.1.
 */
bool rules_driver_keeps_cpu_caches(const struct soc_profile *p);
bool rules_driver_keeps_l2(const struct soc_profile *p);

#endif

/* SPDX-License-Identifier: MIT */
/* Inside the driver core: pictures whose CPU caches the program maintains. */
#ifndef RUNTIME_DRIVER_MEMORY_PLANES_H
#define RUNTIME_DRIVER_MEMORY_PLANES_H

#include <stdbool.h>

#include "model/rules/port.h"

struct rt_shared;

/* Work that uses it is submitted. @engine: in words. Return: the engine does not look into the
 * CPU's caches: what these hold of what it writes is old. false for memory without planes. */
bool planes_used(const struct rt_shared *shared, enum bus_agent agent, const char *engine);

/* A picture: the iGPU accesses it past its L2. */
bool planes_any(const struct rt_shared *shared);

/* snoop.c: is there an engine at all that does not look into the CPU's caches? */
bool snoop_any_past(void);

#endif

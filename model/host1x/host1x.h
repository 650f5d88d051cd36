/* SPDX-License-Identifier: MIT */
/* host1x: syncpoints, counters that engines and the CPU increment and wait for.
 * Registers: model/regs/host1x.def. */
#ifndef MODEL_HOST1X_HOST1X_H
#define MODEL_HOST1X_HOST1X_H

#include "model/bus.h"
#include "trace/record.h"

struct host1x;

extern const struct mmio_ops host1x_ops;

/* @syncpts: how many the SoC has; @trace, @irq: not owned (irq may be NULL) */
struct host1x *host1x_new(unsigned syncpts, struct trace *trace, struct irq *irq);
void host1x_free(struct host1x *h);

unsigned host1x_count(const struct host1x *h);
/* An id out of range reads 0 and is never reached. */
uint32_t host1x_value(const struct host1x *h, unsigned id);
bool host1x_reached(const struct host1x *h, unsigned id, uint32_t threshold);
void host1x_incr(struct host1x *h, unsigned id, enum bus_agent agent);

/* When the syncpoint reached @threshold, virtual time; 0: it has not, or that is unknown. Of more
 * than HOST1X_REMEMBERED increments since, the oldest that is remembered. */
enum { HOST1X_REMEMBERED = 64 };
uint64_t host1x_reached_ns(const struct host1x *h, unsigned id, uint32_t threshold);

#endif

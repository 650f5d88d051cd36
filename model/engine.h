/* SPDX-License-Identifier: MIT */
/* An engine: it takes work into queues, reaches memory through its port, and advances only when
 * run.
 *
 * A row of model/engines.def joins it to the SoC; nothing outside its folder names it.
 * docs/add-an-engine.md is the way to write one. The policy of a run picks which queue goes next;
 * the engine says only which can.
 */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "model/bus.h"
#include "model/profile.h"
#include "model/sensor.h"
#include "model/values.h"
#include "trace/record.h"

/**
 * struct engine_board - what an engine has around it; nothing is owned, all outlives the engine
 * @memory: through its SMMU, by I/O virtual address
 * @sram: a second memory interface, to the chip's CVSRAM by physical address; NULL if there is none
 * @agent: whose accesses its records say they are
 * @instance: its number among its like; @first_queue: the number of its queue 0 (model/values.h)
 * @irq: level-sensitive interrupt line
 * @sensor: the camera that is connected to the SoC; NULL: none
 * @phys_write: by bus address, past the SMMU, as the boot firmware's carveouts are reached: for
 * error records. Return: false if nothing is there
 * @work: units of work done so far in the whole SoC (model/soc.h). The port adds the bytes it
 * moves, the engine what it computes. No @run and no register write adds much more than @slice
 * @elapse: @ns of computing have passed since the last call, or what its memory traffic takes, if
 * longer: at @mb_s, or at the DRAM's rate (0)
 * @counts_flush: a piece of work has ended: send the counts of its memory traffic (SUM records)
 * @syncpt_incr: a wire to host1x: increment a syncpoint; one that does not exist is ignored
 * @syncpt_reached: has one reached a threshold, and when (virtual time)? One that does not exist
 * never does
 * @syncpt_at: is there a syncpoint's shim at @iova? For records
 */
struct engine_board {
    void *opaque;
    struct bus_port *memory, *sram;
    struct trace *trace;
    const struct soc_profile *profile;
    const struct sensor *sensor;
    enum bus_agent agent;
    unsigned instance;
    uint32_t first_queue;
    struct irq *irq;
    uint64_t *work, slice;
    bool (*phys_write)(void *opaque, uint64_t bus, const void *src, size_t len);
    void (*elapse)(void *opaque, uint64_t ns, uint32_t mb_s);
    void (*counts_flush)(void *opaque);
    void (*syncpt_incr)(void *opaque, uint32_t id);
    bool (*syncpt_reached)(void *opaque, uint32_t id, uint32_t threshold, uint64_t *ns);
    bool (*syncpt_at)(void *opaque, uint64_t iova, uint32_t *id);
};

/* A queue that can go on; @submitted: a number that grows with each submission to the engine. */
struct engine_ready {
    uint32_t queue;
    uint64_t submitted;
};

/**
 * struct engine_ops - what model/soc calls; none of them calls soc.h back
 * @mmio: its registers
 * @new: in its reset state; @board is copied. Return: NULL if the profile's figures make no such
 * engine
 * @ready: the queues that can go on now, ascending, into @out (as many places as its row has
 * queues).
 *     *@happened is set if looking has changed something: a wait is over, work has failed or run
 * out of time. Return: how many
 * @run: continue a queue that @ready has named, by one operation, or by a part of one that is
 * longer than a slice
 * @next_ns: when something happens by itself although no queue can go on (the end of a timeout); 0:
 * never. May be NULL
 * @dump: a line of text for each queue that is not empty. May be NULL
 *
 * Time: inside @ready and @run, trace->now_ns is the engine's own clock; what @ready does to it is
 * undone. Work begins no earlier than it was submitted (in a register write trace->now_ns is the
 * CPU's clock) and than what it waited for had happened (reading a syncpoint through the port takes
 * now_ns there).
 *
 * Faults are records (TRACE_FAULT), an interrupt and what the registers say.
 */
struct engine_ops {
    const struct mmio_ops *mmio;
    void *(*new)(const struct engine_board *board);
    void (*free)(void *engine);
    unsigned (*ready)(void *engine, struct engine_ready *out, bool *happened);
    void (*run)(void *engine, uint32_t queue);
    uint64_t (*next_ns)(const void *engine);
    void (*dump)(void *engine, void (*line)(void *opaque, const char *text), void *opaque);
};

#endif

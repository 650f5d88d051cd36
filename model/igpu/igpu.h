/* SPDX-License-Identifier: MIT */
/* A GPU: channels with pushbuffers and a doorbell, a copy engine, and SMs that run PTX.
 *
 * Registers: model/regs/igpu.def. Commands: model/regs/method.h. It advances only in igpu_step().
 * Files: igpu.c registers and which channel runs, channel.c the front end, ce.c copies and fills,
 * compute.c launches; grid.h the SMs.
 */
#ifndef MODEL_IGPU_IGPU_H
#define MODEL_IGPU_IGPU_H

#include "model/bus.h"
#include "model/profile.h"
#include "trace/record.h"

struct igpu;

extern const struct mmio_ops igpu_ops;

/* Compiled code: from a function's number to its code; see native.h. */
typedef uintptr_t igpu_door(uint32_t index);
/* A program's C text (native_text.h) for a compiler, with the flags it needs.
 * Return: its door, or NULL: igpu_native() later, or never. */
typedef igpu_door *igpu_compile(void *opaque, uint64_t code_id, const char *text,
                                const char *flags);

#define IGPU_WAIT 1024u

/* Whose accesses and records a GPU's are: of its SMs, its copy engines, its channels' front end. */
struct igpu_agents {
    enum bus_agent sm, ce, host;
};

/**
 * struct igpu_board - what the iGPU's neighbours do for it; implemented by model/soc
 * @port: memory by GPU virtual address
 * @phys_read, @phys_write: memory by bus address (GPFIFO, USERD, error records). Return: false if
 *     nothing is there
 * @context_set: address space @index walks from @pdb
 * @tex: the texture unit
 * @first_channel: the number of its channel 0 in records, errors and igpu_ready()
 * @work: units of work done so far in the whole SoC (model/soc.h); the iGPU adds its own. A turn of
 * a channel adds about @slice at most
 * @rungs: the count of all doorbells, where other GPUs have some, too; NULL: this one is alone
 * @elapse: let the time pass that the work since the last call takes, @cycles of it on the SMs
 *     or a copy engine, in which each warp has waited for memory @waits / IGPU_WAIT times, and send
 * the counts of that work (SUM records). Return: ns
 */
struct igpu_board {
    void *opaque;
    struct bus_port *port;
    struct trace *trace;
    uint64_t *work, slice, *rungs;
    const struct soc_profile *profile;
    bool (*phys_read)(void *opaque, uint64_t bus, void *dst, size_t len);
    bool (*phys_write)(void *opaque, uint64_t bus, const void *src, size_t len);
    void (*context_set)(void *opaque, uint32_t index, uint64_t pdb);
    void (*mmu_invalidate)(void *opaque);
    void (*l2_clean)(void *opaque);
    void (*l2_invalidate)(void *opaque);
    void (*syncpt_incr)(void *opaque, uint32_t id);
    uint32_t (*syncpt_value)(void *opaque, uint32_t id);
    bool (*syncpt_reached)(void *opaque, uint32_t id, uint32_t threshold);
    uint64_t (*syncpt_reached_ns)(void *opaque, uint32_t id, uint32_t threshold);
    uint64_t (*elapse)(void *opaque, uint64_t cycles, uint64_t waits);
    struct irq *irq;
    const struct bus_tex_ops *tex;
    const struct bus_library_ops *library;
    struct igpu_agents agents;
    uint32_t first_channel;
};

enum igpu_progress {
    IGPU_IDLE,     /* nothing to do, or every channel waits */
    IGPU_PROGRESS, /* something happened */
    IGPU_SPINS,    /* resident warps only spin on memory; nothing else is ready */
    IGPU_SPUN,     /* those of the channel that ran; another may be ready */
};

/* @board: copied. */
struct igpu *igpu_new(const struct igpu_board *board, enum order order, uint64_t seed);
void igpu_free(struct igpu *g);

/* The compiled form of program @code_id has come. Ignored if that is gone. */
void igpu_native(struct igpu *g, uint64_t code_id, igpu_door *door);
/* @compile: called once a program has run @after warp instructions; NULL, as at first: never */
void igpu_compile_hook(struct igpu *g, igpu_compile *compile, void *opaque, uint64_t after);

/* Run one channel, whose turn it is by the order, for about @quantum warp instructions, or until it
 * waits, ends or fails. */
enum igpu_progress igpu_step(struct igpu *g, uint64_t quantum);

/* When was the newest channel that is ready rung? 0: none is ready. */
uint64_t igpu_newest(const struct igpu *g);

/* The same in two steps, where somebody else says whose turn it is: the channels that are ready,
 * ascending, into @channel (CHAN_COUNT places), *@spins: how many others only spin on memory.
 * Return: how many. */
unsigned igpu_ready(const struct igpu *g, uint32_t *channel, unsigned *spins);
enum igpu_progress igpu_run(struct igpu *g, uint32_t channel, uint64_t quantum);
/* None is ready, or none has its turn: IGPU_SPINS or IGPU_IDLE. */
enum igpu_progress igpu_rest(struct igpu *g, unsigned spins);

/* The kernel of the lowest channel that has one: how many of its blocks are over. Return: a number
 * of it alone; 0: there is none */
uint64_t igpu_kernel_blocks(const struct igpu *g, uint64_t *done, uint64_t *all);

/* One line a channel that is not idle, into @out (of GString*-like append). */
typedef void igpu_print(void *opaque, const char *line);
void igpu_dump(struct igpu *g, igpu_print *print, void *opaque);

#endif

/* SPDX-License-Identifier: MIT */
/* Agents, their vector clocks, and what hands a clock over: doorbells, syncpoints, locks, flags. */
#ifndef CHECKER_HB_CLOCK_H
#define CHECKER_HB_CLOCK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum hb_agent_kind { HB_CPU, HB_CHANNEL, HB_ENGINE };

/* What an agent knows of the others: clock by agent, 0 beyond the end. */
struct hb_vc {
    uint32_t *at;
    unsigned len;
};

/* What a submission does at its end to a region as a whole; 0: to none. */
struct hb_claim {
    uint32_t region;
    bool allocates; /* else it frees */
    uint64_t event; /* it waits for: the record's site; 0: for none */
};

/* A submission that has been announced: what its author knew, and what the call was. */
struct hb_work {
    uint32_t put;
    struct hb_vc vc;
    uint64_t label, number;
    struct hb_claim claim;
};

/**
 * struct hb_moment - what is reported of an agent at one of its clocks
 * @event: the record of the event that it last waited for, as a site; 0: that wait was for
 *         something else
 * @submission: channels only: their submission, counted over all channels; 0: none
 */
struct hb_moment {
    uint64_t event, submission;
};

/**
 * struct hb_agent - a CPU thread, or an iGPU channel
 * @vc: own component: @vc.at[own index]. It grows whenever anything in @vc changes, so agent and
 * clock together stand for the whole of @vc
 * @site: what its accesses are counted for (hb.c)
 * @place: of a kernel's next accesses in its source, as in GPU_AT: file << 32 | line, 0 unknown
 * @place_site: @site there; 0: not looked up yet
 * @label: the call that its present work comes from; @claim: what it does at its end
 * @now: at its present clock
 * @queue: struct hb_work, channels only
 * @released: flags stand for its clock that no other agent has touched yet
 * @looked: bytes of the line at @looked_at that a thread has read as a flag (hb_access.c)
 * @stored: the place of its last small plain store, 0: none; @stored_n: how often a clock ended
 *          there, up to the clock @stored_clock (hb_access.c)
 * @process: 0: this one; else of another one, all of whose threads are one agent
 * @acted, @turn: threads only (hb_cpu_order())
 */
struct hb_agent {
    enum hb_agent_kind kind;
    uint32_t number;
    struct hb_vc vc;
    uint64_t site, label, place, place_site;
    struct hb_moment now;
    struct hb_claim claim;
    GQueue queue;
    bool released, acted;
    uint64_t looked, looked_at, stored;
    uint32_t process, turn, stored_n, stored_clock;
};

struct hb_clocks;

struct hb_clocks *hb_clocks_new(void);
void hb_clocks_free(struct hb_clocks *c);

/* The agent's index; made at its first appearance. */
unsigned hb_agent_get(struct hb_clocks *c, uint32_t process, enum hb_agent_kind kind,
                      uint32_t number);
struct hb_agent *hb_agent(const struct hb_clocks *c, unsigned index);
uint32_t hb_agent_clock(const struct hb_clocks *c, unsigned index);

/* Is what @other did at @clock ordered before what @index does now? */
bool hb_ordered(const struct hb_clocks *c, unsigned index, unsigned other, uint32_t clock);
/* The first thread of the CPU for which it is; NULL: none. */
const struct hb_agent *hb_waiter(const struct hb_clocks *c, unsigned other, uint32_t clock);

/* Return: how many there are with it, of all channels. */
uint64_t hb_doorbell(struct hb_clocks *c, unsigned cpu, unsigned channel, uint32_t put,
                     uint64_t label, struct hb_claim claim);
void hb_segment(struct hb_clocks *c, unsigned channel, uint32_t get);
void hb_syncpt_incr(struct hb_clocks *c, unsigned index, uint32_t id, uint32_t value);
/* @event: the site of the event's record that the increment belongs to, 0: of none. Return: false:
 * no such increment is known. */
bool hb_syncpt_wait(struct hb_clocks *c, unsigned index, uint32_t id, uint32_t threshold,
                    uint64_t event);
/* For one that is not known: all that are, and all that other processes have done so far. */
void hb_syncpts_wait(struct hb_clocks *c, unsigned index);
/* All 0 if that is too long ago. */
struct hb_moment hb_moment_at(const struct hb_clocks *c, unsigned index, uint32_t clock);

/* @use of every site that a submission, a moment or an agent refers to; 0: none. */
void hb_clocks_sites(const struct hb_clocks *c, void (*use)(uint64_t site, void *opaque),
                     void *opaque);

/* Objects (locks and so on) and places in memory (flags), each in a name space of its own; flags of
 * device scope apart, because they say nothing to the CPU. Release and acquire return true if the
 * object or the agent has learnt something. */
enum hb_space { HB_OBJECTS, HB_PLACES, HB_PLACES_GPU, HB_PROCESSES, HB_SPACES };
bool hb_release(struct hb_clocks *c, unsigned index, enum hb_space space, uint64_t key);
/* What comes now lies behind the flags that it has released. */
void hb_released(struct hb_clocks *c, unsigned index);
bool hb_acquire(struct hb_clocks *c, unsigned index, enum hb_space space, uint64_t key);
bool hb_known(const struct hb_clocks *c, enum hb_space space, uint64_t key);
void hb_forget(struct hb_clocks *c, uint64_t first, uint64_t len); /* places */
void hb_object_gone(struct hb_clocks *c, uint64_t key);
/* A thread of this process has ended, and @by has joined it, or is itself; one begins, by acquiring
 * @object. The latter may take the place of an ended one. */
void hb_thread_ended(struct hb_clocks *c, uint32_t number, unsigned by);
void hb_thread_begins(struct hb_clocks *c, uint32_t number, uint64_t object);

/* A thread acts. What threads of other processes did before comes before it: how processes order
 * that among themselves (pipes, sockets, shared memory) is not seen. */
void hb_cpu_order(struct hb_clocks *c, unsigned index);
/* Another process has ended, its work with it: all that it did comes before all that follows. */
void hb_process_ended(struct hb_clocks *c, uint32_t process);
/* What @other knows of further agents comes before what @index does from now on; what it has done
 * itself does not. */
void hb_learn_beside(struct hb_clocks *c, unsigned index, unsigned other);
/* What happened until now comes before what follows, whoever did it. */
void hb_all_order(struct hb_clocks *c);

/* @index saw what @other had done when its clock was @clock: a plain store that served as a flag.
 */
void hb_saw(struct hb_clocks *c, unsigned index, unsigned other, uint32_t clock);
/* How often a later clock stood for one that is not kept: what it hides is not found. */
uint64_t hb_clocks_forgot(const struct hb_clocks *c);

#endif

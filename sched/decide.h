/* SPDX-License-Identifier: MIT */
/* The decision source: one seed answers every question that the policy "seeded" leaves open.
 *
 * Questions: which agent goes on at a switch point (a CPU thread, or a channel of an engine),
 * whether a cache loses a line now, and in which order the blocks of a kernel run. Answers that
 * differ from the default are what a run can be replayed from: a schedule.
 *
 * Strategies. PCT: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010: every agent has a random priority,
 * the highest that can go on does, and at d - 1 random steps the one that runs falls below all
 * others. Random: any of those that can go on, evenly. None: the default.
 *
 * The default: whoever runs goes on while it can; else the CPU thread with the lowest number, else
 * the channel with the lowest; where the one that runs only waits, the next by number. No line is
 * lost. Blocks run by number.
 *
 * Only the C library below it, and no lock: the owner of the turn calls.
 */
#ifndef SCHED_DECIDE_H
#define SCHED_DECIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum decide_strategy { DECIDE_PCT, DECIDE_RANDOM, DECIDE_NONE };

/* Agents: CPU threads by number from 0 on, channels from here on, DLA queues above them. */
#define DECIDE_CHANNEL UINT32_C(0x10000)
#define DECIDE_QUEUE UINT32_C(0x20000)

enum decide_cache { DECIDE_CPU_CACHE, DECIDE_L2, DECIDE_CACHES };

#define DECIDE_DEPTH_MAX 64u

/**
 * struct decide_config
 * @depth: PCT's d, from 1 on
 * @length: steps that the run is expected to have, for PCT's change points; 0: unknown, then the
 *          points are drawn log-uniformly over 2^3 .. 2^20 steps
 * @evict: lines are lost when the seed says so
 */
struct decide_config {
    enum decide_strategy strategy;
    uint64_t seed, length;
    unsigned depth;
    bool evict;
};

struct decide_counts {
    uint64_t steps;     /* times an agent was chosen */
    uint64_t switches;  /* the one that ran could have gone on, and did not */
    uint64_t evictions; /* questions, and lines lost */
    uint64_t questions;
    uint64_t strayed; /* entries of the schedule that could not be followed */
};

struct decide;

struct decide *decide_new(const struct decide_config *config);
void decide_free(struct decide *d);

/**
 * decide_pick - who goes on?
 * @agent: those that can, ascending; @n: at least 1
 * @current: the one that ran until now, whether it can go on or not
 * Return: an index of @agent.
 */
unsigned decide_pick(struct decide *d, const uint32_t *agent, unsigned n, uint32_t current);

/* @agent, which ran until now, has shown that it only waits: others go first until they wait, too.
 */
void decide_demote(struct decide *d, uint32_t agent);

/* Does this cache lose a line now? Return: 0 no; else a number that chooses the line. */
uint64_t decide_evict(struct decide *d, enum decide_cache cache);

/* In which order do the blocks and warps of the next launch run? Return: 0 by number; else a number
 * that chooses the order. */
uint32_t decide_order(struct decide *d);

/* From now on answers that differ from the default are written to @out, a line each, at once: a run
 * that crashes leaves its schedule behind. */
void decide_record(struct decide *d, int out);

/**
 * decide_replay - answer as a schedule says, where it says something; else the default
 * @text: lines "switch STEP AGENT", "evict QUESTION CACHE NUMBER" and "order LAUNCH NUMBER"; others
 * are skipped Return: true; false and the number of the first line that is neither in @*line.
 */
bool decide_replay(struct decide *d, const char *text, unsigned *line);

/* Entries of the schedule that could not be followed so far: its agent could not go on. */
uint64_t decide_strayed(const struct decide *d);

struct decide_counts decide_counts(const struct decide *d);
/* From now on they are kept there: in memory that outlives a run that crashes, say. */
void decide_count_in(struct decide *d, struct decide_counts *counts);

/* "cpu3", "channel12"; @size at least 24. Return: @out. */
char *decide_agent_name(uint32_t agent, char *out, size_t size);
bool decide_agent_parse(const char *text, uint32_t *agent);

#endif

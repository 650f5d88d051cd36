/* SPDX-License-Identifier: MIT */
/* The state of 64 bytes: their last accesses, and where their newest version is.
 *
 * Most lines of a buffer share their state with many others (one grid wrote them all), so states
 * are kept once each and a line is a number. A step from state to state is remembered, too: the
 * usual access costs one look-up, whatever the state.
 */
#ifndef CHECKER_HB_CELL_H
#define CHECKER_HB_CELL_H

#include "checker/hb/hb.h"
#include "checker/hb/hb_clock.h"

/* How an access orders others by itself. Mixed sizes and scopes: PTX ISA 8.7, "morally strong". */
enum hb_sync { HB_PLAIN, HB_SYNC_GPU /* scope gpu: other kernels only */, HB_SYNC_SYS };

/**
 * struct hb_entry - bytes @mask were last accessed so
 * @site: what it is counted for, see hb.c
 */
struct hb_entry {
    uint64_t mask, site;
    uint32_t clock;
    uint16_t agent;
    uint8_t access, sync;
};

enum hb_step_kind {
    HB_STEP_ACCESS,
    HB_STEP_CPU_FILL,      /* a line came into the CPU's cache */
    HB_STEP_CPU_WRITEBACK, /* a dirty line went to DRAM, whole, and stays */
    HB_STEP_CPU_LEAVE,     /* a line left the CPU's cache; access = HB_WRITE: written back before */
    HB_STEP_CPU_FOUND,     /* stores of mask that no record shows */
    HB_STEP_L2_FILL,       /* bytes of mask came into the L2 unless they are there */
    HB_STEP_L2_WRITEBACK,  /* bytes of mask went to DRAM */
    HB_STEP_L2_LEAVE,      /* the line left the L2 */
};

/* Where an access finds or puts its bytes. HB_MEMORY: at the port, which sees the CPU's caches
 * where the SoC is I/O coherent; HB_DRAM: of an engine whose accesses do not see them there either.
 * HB_ELSEWHERE: of another process, which looks for stale bytes itself: not followed. */
enum hb_place { HB_CPU_CACHE, HB_L2, HB_MEMORY, HB_DRAM, HB_ELSEWHERE };

/**
 * struct hb_step - what happens to a line now
 * @e: an access (mask, site, agent, clock ...); other steps use only @e.mask and @e.access
 */
struct hb_step {
    enum hb_step_kind kind;
    enum hb_place place;
    struct hb_entry e;
};

/**
 * struct hb_hit - what is wrong with a step
 * @mask, @with: these bytes, which the other side accessed last
 * @flag: nothing is: @with is a plain store that served as a flag
 * @by: a write-back's last store in the line, if @has_by
 */
struct hb_hit {
    enum hb_rule rule;
    bool flag, has_by;
    uint64_t mask;
    struct hb_entry with, by;
};
#define HB_HITS 32

struct hb_cells;

/* Rules of the board: @io_coherent as in the profile; @both: the CPU sees the L2 too, nothing is
 * stale. */
struct hb_cells *hb_cells_new(const struct hb_clocks *clocks, bool io_coherent, bool both);
void hb_cells_free(struct hb_cells *c);

/**
 * hb_cell_step - the line in state @from makes a step
 * @track: follow versions (memory that the CPU or an engine beside the L2 can see)
 * Return: its new state; *@n hits in @hits.
 */
uint32_t hb_cell_step(struct hb_cells *c, uint32_t from, const struct hb_step *step, bool track,
                      struct hb_hit hits[HB_HITS], unsigned *n);

/* The same where the step is known, has no hits, and may be remembered: true, and *@state is its
 * new one. */
bool hb_cell_again(struct hb_cells *c, uint32_t *state, const struct hb_step *step, bool track);

/* Bytes of the line with which an access like @step, a plain one, changes nothing and finds
 * nothing: those of its own entry, or none. Any part of them does not, either. */
uint64_t hb_cell_again_bytes(struct hb_cells *c, uint32_t state, const struct hb_step *step,
                             bool track);

/* Grows when steps that are known are not any more. */
const uint32_t *hb_cells_changes(const struct hb_cells *c);

/* The whole L2 was invalidated: lines notice at their next step. */
void hb_cells_l2_gone(struct hb_cells *c);

/* Many states may be unused by now: the owner of the lines renames them. @old =
 * hb_cell_rename(@old) for every line, between begin and end. */
bool hb_cells_crowded(const struct hb_cells *c);
void hb_cells_begin(struct hb_cells *c);
uint32_t hb_cell_rename(struct hb_cells *c, uint32_t old);
/* @lines: of the owner, each renamed once. */
void hb_cells_end(struct hb_cells *c, uint64_t lines);
/* @use of the site of each entry of each state. */
void hb_cells_sites(const struct hb_cells *c, void (*use)(uint64_t site, void *opaque),
                    void *opaque);

unsigned hb_cells_count(const struct hb_cells *c);
/* Accesses that a line had no room for: races with them are not found. */
uint64_t hb_cells_forgot(const struct hb_cells *c);

#endif

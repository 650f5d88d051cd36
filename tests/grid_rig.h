/* SPDX-License-Identifier: MIT */
/* A flat memory behind a port, and a launch in one call: what the tests of the SMs stand on. */
#ifndef TESTS_GRID_RIG_H
#define TESTS_GRID_RIG_H

#include "model/igpu/grid.h"

#define RIG_BASE UINT64_C(0x200000000)
#define RIG_BYTES (4u << 20)
#define RIG_SHARED_WINDOW (UINT64_C(1) << 56)
#define RIG_LOCAL_WINDOW (UINT64_C(2) << 56)
#define RIG_GLOBALS (RIG_BASE + (3u << 20)) /* where .global variables lie */
#define RIG_CONSTS (RIG_BASE + (3u << 20) + (512u << 10))
#define RIG_RING (RIG_BASE + (2u << 20))
#define RIG_RING_BYTES 65536u

/**
 * struct rig - a port over RIG_BYTES of memory at RIG_BASE
 * @loads, @stores, @atomics: calls; @sectors: of all loads, added up
 * @last_scope: of the last access; @read_only_from: stores at or above fail
 */
struct rig {
    struct bus_port port;
    uint8_t *mem;
    uint64_t loads, stores, atomics, sectors;
    enum bus_scope last_scope;
    uint64_t read_only_from;
    bool no_system_atomics;
    void (*on_access)(struct rig *r, uint64_t va, bool write);
};

void rig_init(struct rig *r);
void rig_free(struct rig *r);
void *rig_at(struct rig *r, uint64_t va);

/* Parse and decode; fails the test with the error's text. */
struct grid_program *rig_program(const char *ptx);

/* Micro-ops that ran since the start, over all forked tests. */
void rig_coverage_init(void);
bool rig_covered(unsigned op);

struct rig_launch {
    const char *entry;          /* NULL: the first one */
    uint32_t grid[3], block[3]; /* 0 counts as 1 */
    uint32_t cluster[3];        /* as grid_desc's */
    uint32_t dynamic_shared, resident_blocks;
    const void *param;
    uint32_t param_bytes;
    uint32_t schedulers, sm_version; /* the latter 0: 87 */
    uint32_t order;
    uint64_t step_limit, workspace, heap_va, heap_bytes;
    bool cooperative;
    enum grid_races races;
    struct grid_budget *budget;
    struct grid_units units;
};

struct grid *rig_grid(struct rig *r, struct grid_program *p, const struct rig_launch *l);
/* Run to the end of it: until it is neither GRID_MORE nor, 64 times, GRID_SPINNING. */
enum grid_state rig_run(struct grid *g);
/* Both, for the whole text; the test fails unless the grid ends well. */
void rig_launch(struct rig *r, const char *ptx, const struct rig_launch *l);

#endif

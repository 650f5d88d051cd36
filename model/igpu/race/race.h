/* SPDX-License-Identifier: MIT */
/* Races between the threads of one grid: what the SMs call where grid.race is not NULL. Nothing
 * here changes what a program sees: no access to memory, no count. For others: grid_races() in
 * grid.h. Private to model/igpu/.
 */
#ifndef MODEL_IGPU_RACE_RACE_H
#define MODEL_IGPU_RACE_RACE_H

#include "model/igpu/sm.h"

/* grid.c: the life of a grid and of its blocks. Return: NULL: desc.races says not to look */
struct race *race_new(struct grid *g);
void race_free(struct race *r);
/* Between two parts of a grid that are checked (budget.c): all that is known goes, but for the
 * races that were found; and nothing is known yet. */
void race_end(struct race *r);
void race_begin(struct race *r);
/* What the checks have cost since race_begin(), see budget.c */
uint64_t race_cost(const struct race *r);
/* Is the rest not checked, because of what is kept, or because of what it would cost? */
bool race_is_stopped(const struct race *r);
/* Is the grid too large, whatever is left out? */
bool race_never(const struct race *r);
void race_block_start(struct block *b);
void race_block_end(struct block *b);
void race_block_free(struct block *b);

/* By enum ptx_uop_op: those that race_uop() is for */
extern const bool race_ops[PTX_UOP_COUNT];
/* warp.c: @op, as which @u is executed, is about to be by the lanes of @m. */
void race_uop(struct warp *w, const struct ptx_uop *u, enum ptx_uop_op op, uint8_t *rf, uint32_t m);

/* exec_tex.c: the texture unit is about to access memory for lanes of @w, or a surface; then each
 * access, @grid: struct grid (bus_tex_ops.watch). They are weak ones, and reductions are as red's:
 * PTX ISA leaves both out of its model (8.1), and CUDA defines no fetch of what the same kernel has
 * stored (Programming Guide, read/write coherency); so what a barrier orders is no race here, but
 * bytes that are too old (grid_tex_stale()). Inferred. */
enum race_tex { RACE_TEX_LOAD, RACE_TEX_STORE, RACE_TEX_REDUCE };
void race_tex_begin(struct warp *w, const struct ptx_uop *u, enum race_tex what);
bus_tex_touched race_tex_touch;

/* heap.c: @lane has got, or gives back, @bytes from @va on. */
void race_heap_malloc(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                      uint64_t bytes);
void race_heap_free(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                    uint64_t bytes);

/* exec_async.c: an asynchronous copy of @lane loads, or stores, @bytes from @va on, an address of
 * shared memory if @shared. */
void race_copy(struct warp *w, const struct ptx_uop *u, uint32_t lane, bool store, bool shared,
               uint64_t va, uint64_t bytes);

/* A bulk copy of one lane has been issued. */
void race_copied(struct warp *w);

/* exec_warp.c: bar.warp.sync of @lanes, all of which are here. @mask: by lane */
void race_warp_sync(struct warp *w, const uint32_t *mask, uint32_t lanes);
/* barrier.c */
void race_arrive(struct warp *w, const struct ptx_uop *u, uint32_t id, uint32_t lanes);
/* @waiting: lanes by warp; @at: the instruction of the entry at which all of them wait;
 * RACE_NOWHERE: there is none */
#define RACE_NOWHERE UINT32_MAX
void race_release(struct block *b, uint32_t id, const uint32_t *waiting, uint32_t at);
/**
 * struct race_cluster_block - of a cluster whose barrier opens
 * @block: NULL: has ended; @waiting: lanes by warp
 */
struct race_cluster_block {
    struct block *block;
    uint32_t waiting[WARP_LANES];
};
void race_cluster_release(const struct race_cluster_block *of, uint32_t n);
/* exec_flow.c: @lanes pass barrier.cluster.wait without having to wait. */
void race_cluster_wait(struct warp *w, uint32_t lanes);

/* exec_mbarrier.c: an arrival at the object at @at of shared memory of @owner; it completed the
 * phase; a wait was successful. */
void race_mbarrier_arrive(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                          struct block *owner, uint64_t at);
void race_mbarrier_complete(struct block *b, uint64_t at);
void race_mbarrier_wait(struct warp *w, const struct ptx_uop *u, uint32_t lane, struct block *owner,
                        uint64_t at);

#endif

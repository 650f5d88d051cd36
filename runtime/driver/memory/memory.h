/* SPDX-License-Identifier: MIT */
/* Memory of contexts: allocations, page tables, who owns the bytes and when, pools. */
#ifndef RUNTIME_DRIVER_MEMORY_MEMORY_H
#define RUNTIME_DRIVER_MEMORY_MEMORY_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct channel;
struct context;
struct device;
struct graph_memory;
struct physical;
struct pool;
struct push;
struct region;
struct rt_shared;

/* What the GPU may do at the region's own address. CODE and CONSTANTS: no stores; the driver's
 * copies reach constants at a second address (as_second_va). */
enum region_use { REGION_DATA, REGION_CODE, REGION_CONSTANTS };

/* Who has memory that is allocated and freed again and again: a graph (graph_memory.c). */
struct region_owner {
    void (*allocated)(struct region *region);
    void (*freed)(struct region *region);
};

/* Work that keeps the CPU out of managed memory: until @fence is waited for. @grid_id: 0: a copy or
 * a fill. */
struct keeper {
    struct fence fence;
    uint32_t grid_id, stream;
};

/* What an allocation was, for "freed twice" and "used after free". @registered: the program's own
 * memory, which it may still have. */
struct freed {
    uint64_t base, bytes, serial;
    enum hal_mem_kind kind;
    bool registered;
    uint32_t id;
};

/* address_space.c */
int as_init(struct context *context);
void as_free(struct context *context);
uint64_t as_pdb(const struct context *context); /* bus address of PDE3 */
/* Where the GPU sees memory: at the CPU's address (UVA). The driver's own lies apart, where no
 * pointer of the application leads by mistake. */
uint64_t as_va(const struct hal_mem *mem);
int as_map(struct context *context, const struct hal_mem *mem, bool read_only);
/* From now on kernels fault beside allocations, not only outside of the blocks of 2 MiB that have
 * some: before anything is mapped. */
void as_beside_faults(void);
/* The context does not have this memory, which lies in its address space. */
void as_leave_out(struct context *context, const struct hal_mem *mem);
int as_map_uncached(struct context *context, const struct hal_mem *mem, bool read_only);
/* A writable second mapping, among the driver's own, of memory that is mapped read-only. */
uint64_t as_second_va(const struct hal_mem *mem);
int as_map_second(struct context *context, const struct hal_mem *mem);
void as_unmap_second(struct context *context, const struct hal_mem *mem);
/* Bytes of the SoC's memory that another GPU has allocated, at as_second_va(), not cached: for a
 * copy engine. */
int as_map_far(struct context *context, const struct hal_mem *mem, uint64_t offset, uint64_t bytes);
void as_unmap(struct context *context, const struct hal_mem *mem);
void as_invalidate(void);

/* region_state.c */
const struct hal_mem *region_mem(const struct region *region);
uint64_t region_address(const struct region *region); /* of its first byte, for CPU and GPU */
uint32_t region_id(const struct region *region);      /* of hal_mem: of the report */
enum hal_mem_kind region_kind(const struct region *region);
size_t region_bytes(const struct region *region); /* as asked for */
uint64_t region_serial(const struct region *region);
struct context *region_context(const struct region *region);
/* Is it memory of one GPU, and that one another than @device? No GPU of a Tegra is a peer of
 * another (CUDA for Tegra 3.6). */
bool region_elsewhere(const struct region *region, const struct device *device);
/* @context if its GPU reaches the region, else a context of the region's GPU; NULL: there is none.
 */
struct context *region_context_near(const struct region *region, struct context *context);
struct device *region_device(const struct region *region); /* NULL: of none, as imported memory */
enum region_use region_use(const struct region *region);
void *region_host(const struct region *region);      /* registered: as the application passed it */
unsigned region_attach(const struct region *region); /* CU_MEM_ATTACH_* */
bool region_virtual(const struct region *region);    /* a mapping of virtual.h */
/* A mapping of shared memory (NULL: of none), and how: the GPU does not cache it, only reads it. */
struct rt_shared *region_shared(const struct region *region);
bool region_gpu_uncached(const struct region *region);
bool region_gpu_reads(const struct region *region);
void region_keep(struct region *region); /* goes with a module or an array: cuMemFree has no say */
void region_attach_first(struct region *region, unsigned attach); /* as allocated */
/* A graph's: whose calls @owner gets. Absent: just now the program has no memory there. */
struct graph_memory *region_graph(const struct region *region);
void region_graph_set(struct region *region, struct graph_memory *graph,
                      const struct region_owner *owner);
void region_absent_set(struct region *region, bool absent);

/* region_find.c */
void region_list_add(struct region *region); /* gives it a serial */
void region_list_remove(struct region *region);
struct region *region_above(uint64_t address); /* the first that begins behind @address, or NULL */
unsigned region_managed_count(void);
struct region *region_managed_nth(unsigned i);

/* region.c */
struct region *region_alloc(struct context *context, enum hal_mem_kind kind, size_t bytes,
                            CUresult *error);
struct region *region_register(struct context *context, void *ptr, size_t bytes, unsigned flags,
                               CUresult *error);
/* [@offset, @offset + @bytes) of it, for the GPU alone, at addresses of its own. */
struct region *region_map_shared(struct context *context, struct rt_shared *shared, uint64_t offset,
                                 uint64_t bytes, bool cached, bool writable, CUresult *error);
/* Another process's, at its own address: hal_import() has given it. It is freed here on failure. */
struct region *region_import(struct context *context, const struct hal_mem *mem, size_t bytes,
                             const uint64_t token[2], CUresult *error);
uint64_t region_first(const struct region *region); /* as the application knows it */
void region_free(struct region *region);
/* From now on kernels may not store to it. */
CUresult region_protect(struct region *region, enum region_use use);
/* Where the driver's own copies and fills reach @address of it. */
uint64_t region_copy_va(const struct region *region, uint64_t address);
/* Virtual memory: a mapping without access rights yet, who gets them, and its end. */
void region_map_physical(struct physical *physical, uint64_t address);
CUresult region_access(struct region *mapping, CUmemAccess_flags access);
void region_unmap_physical(struct region *mapping);
struct region *region_at(uint64_t address);
struct region *
region_at_absent(uint64_t address); /* also what a graph has not allocated just now */
/* region_at() finds that, too: nodes are checked before their graph is launched. */
void region_show_absent(bool show);
/* NULL unless all of it lies in one allocation, or in mappings side by side: then the first. */
struct region *region_range(uint64_t address, size_t bytes);
struct region *region_nearest(uint64_t address);
const struct freed *region_freed_at(uint64_t address);
int region_map_all(struct context *context); /* a new context sees pinned and managed memory */
void region_free_all(struct context *context);
CUresult kernel_alloc(struct context *context, size_t bytes, struct hal_mem *mem);
void kernel_free(struct context *context, struct hal_mem *mem);
/* struct hal_mem, allocated; the array is empty afterwards */
void kernel_free_chunks(struct context *context, GPtrArray *chunks);

/* coherency.c */
/* true: coherency_push() first */
bool coherency_before_kernel(struct channel *channel);
bool coherency_before_access(struct channel *channel, struct region *region);
void coherency_push(struct push *p);
void coherency_after_sync(void);
void coherency_to_cpu(struct region *region);
void coherency_to_gpu(struct region *region);

/* l2.c */
bool coherency_l2_needs_help(void); /* the CPU does not look into the L2 */
void coherency_l2_clean(void);
void coherency_l2_clean_invalidate(void);

/* managed.c */
void managed_update(void);
void managed_work(struct channel *channel, bool kernel, uint32_t grid_id); /* just submitted */
void managed_used(struct region *region, struct fence fence);
bool managed_gpu_may_use(const struct region *region);
bool managed_pending(struct region *region);
/* Now: state, the GPU's mapping, maintenance. @channel: of CU_MEM_ATTACH_SINGLE. */
void managed_attach(struct region *region, unsigned attach, struct channel *channel);
void managed_stream_gone(struct channel *channel);

/* inuse.c */
void inuse_launched(const struct channel *channel, uint32_t grid_id); /* just submitted */
/* A copy or fill was: serials of its regions, 0 for what is none; @api: constant text. */
void inuse_moved(const struct channel *channel, uint64_t dst, uint64_t src, const char *api,
                 const struct check_caller *caller);
/* What was submitted and not waited for. g_array_unref() it. */
GArray *inuse_pending(void);
/* @region is about to go, everything has run: did one of @pending use it? */
/* The kernels of it that are not in @known (fence.h): uint32_t. g_array_unref() it. */
GArray *inuse_grids(const GArray *pending, const GArray *known);
/* A copy or fill of it that writes @region, or reads it and @reads. "cudaMemcpyAsync at app.cu:30
 * in main"; NULL: there is none. g_free() it. */
char *inuse_copier(const GArray *pending, const GArray *known, const struct region *region,
                   bool reads);
void inuse_report(GArray *pending, const struct region *region, const char *api);

/* pointer.c. A range inside one managed allocation, or of pageable memory where the GPU reaches
 * that (CUDA Driver API, cuMemPrefetchAsync, cuMemAdvise), and a place that it may be moved to. */
CUresult managed_range_check(CUdeviceptr ptr, size_t count, struct region **region);
CUresult managed_location_check(CUmemLocation location);

/* copy.c, staging.c */
CUresult copy_in(struct context *context, uint64_t dst, const void *src, size_t bytes);

/* pool.c */
void pool_init(void);
CUmemoryPool pool_handle(const struct pool *pool);
void pool_reap(void); /* frees what streams have reached */
void pool_drop_context(struct context *context);
CUresult pool_free_now(struct region *region);

#endif

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

/**
 * struct region - one allocation: application memory, or (KERNEL) the driver's own
 * @bytes: as asked for; mem.size is whole pages
 * @reserved: addresses kept, guard page included; 0 for registered memory
 * @context: owner; pinned and managed memory is mapped in every context
 * @serial: CU_POINTER_ATTRIBUTE_BUFFER_ID
 * @attach: CU_MEM_ATTACH_*; @attach_channel: whose stream, while it is SINGLE; @attach_first: as
 *          allocated
 * @gpu_owned: maintenance has handed the bytes to the GPU (coherency.c)
 * @closed: the CPU is kept out, because of @keeper (managed.c)
 * @uses: copies and fills that touch managed memory and were not waited for
 * @exported, @imported: of CUDA IPC, as @token; @opens: how often it is open here
 */
struct region {
    struct hal_mem mem;
    size_t bytes, reserved;
    struct context *context;
    uint64_t serial;
    unsigned flags; /* of cuMemHostAlloc, cuMemHostRegister */
    void *host;     /* registered: as the application passed it */
    unsigned attach, attach_first;
    struct channel *attach_channel;
    bool gpu_owned, closed, sync_memops;
    struct keeper keeper;
    bool of_module; /* goes with its module: cuMemFree has no say */
    enum region_use use;
    GArray *uses; /* struct fence */
    struct pool *pool;
    struct physical *physical; /* a mapping of it; mem.cpu is where */
    CUmemAccess_flags access;  /* of a mapping */
    struct rt_shared *shared;  /* a mapping of it, as @physical; @gpu_uncached, @gpu_reads: how */
    bool gpu_uncached, gpu_reads;
    bool freed_async; /* cuMemFreeAsync was called, its fence is not reached */
    const struct region_owner *owner;
    struct graph_memory *graph; /* a graph's; @absent: but just now the program has none there */
    bool absent;
    bool exported, imported;
    unsigned opens;
    uint64_t token[2];
};

/* What an allocation was, for "freed twice" and "used after free". */
struct freed {
    uint64_t base, bytes, serial;
    enum hal_mem_kind kind;
    uint32_t id;
};

/* Page tables of one context, in kernel memory. */
struct address_space {
    GPtrArray *chunks;   /* struct hal_mem: tables are cut from them */
    uint32_t chunk_used; /* bytes of the newest */
    uint64_t pdb;        /* bus address of PDE3 */
    uint8_t *root;
};

/* address_space.c */
int as_init(struct context *context);
void as_free(struct context *context);
/* Where the GPU sees memory: at the CPU's address (UVA). The driver's own lies apart, where no
 * pointer of the application leads by mistake. */
uint64_t as_va(const struct hal_mem *mem);
int as_map(struct context *context, const struct hal_mem *mem, bool read_only);
int as_map_uncached(struct context *context, const struct hal_mem *mem, bool read_only);
/* A writable second mapping, among the driver's own, of memory that is mapped read-only. */
uint64_t as_second_va(const struct hal_mem *mem);
int as_map_second(struct context *context, const struct hal_mem *mem);
void as_unmap_second(struct context *context, const struct hal_mem *mem);
void as_unmap(struct context *context, const struct hal_mem *mem);
void as_invalidate(void);

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
/* Virtual memory: a mapping that nobody may use yet, who may, and its end. */
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
CUresult kernel_alloc(struct context *context, size_t bytes, struct hal_mem *mem);
void kernel_free(struct context *context, struct hal_mem *mem);

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
/* What was submitted and nobody has waited for. g_array_unref() it. */
GArray *inuse_pending(void);
/* @region is about to go, everything has run: did one of @pending use it? */
/* The kernels of it that are not in @known (fence.h): uint32_t. g_array_unref() it. */
GArray *inuse_grids(const GArray *pending, const GArray *known);
/* A copy or fill of it that writes @region, or reads it and @reads. "cudaMemcpyAsync at app.cu:30
 * in main"; NULL: there is none. g_free() it. */
char *inuse_copier(const GArray *pending, const GArray *known, const struct region *region,
                   bool reads);
void inuse_tell(GArray *pending, const struct region *region, const char *api);

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

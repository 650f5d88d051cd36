/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_DEVICE_CONTEXT_H
#define RUNTIME_DRIVER_DEVICE_CONTEXT_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

/* Where an event's time is written: the CPU's and the GPU's address of 16 bytes. */
struct stamp {
    uint8_t *cpu;
    uint64_t va;
};

struct device;

struct context {
    CUcontext handle;
    struct device *device;
    uint64_t id;
    bool primary;
    unsigned flags;
    uint32_t index; /* CHAN_CONTEXT */
    CUresult error; /* sticky */
    struct address_space as;
    struct stream *legacy, *service; /* service: the driver's own copies */
    GHashTable *thread_streams;      /* thread number -> struct stream */
    GPtrArray *streams, *events, *modules, *arrays, *mipmaps;
    GPtrArray *texture_chunks; /* struct hal_mem: texture_pool.c */
    GHashTable *textures;      /* &handle -> struct texture, owned */
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    struct hal_mem printf_ring;
    struct region *heap; /* of malloc() in kernels; NULL until a module calls it */
    struct hal_mem staging;
    struct fence *staging_busy;
    uint32_t staging_next, staging_held;
    GPtrArray *stamp_chunks; /* struct hal_mem: time stamps of events */
    GArray *stamps_free;     /* struct stamp */
    uint32_t next_ordinal;
    struct stream *lanes[32]; /* of graphs: graph_exec.h, GRAPH_LANES_MAX; NULL until used */
};

/* devices.c: of all devices, in the order in which they were made */
unsigned context_count(void);
struct context *context_nth(unsigned i);
struct context *context_primary(void); /* of the first device; NULL: none is retained */

CUresult context_new(struct device *device, unsigned flags, struct context **out);
void context_destroy(struct context *context); /* waits for its work unless it has failed */

#endif

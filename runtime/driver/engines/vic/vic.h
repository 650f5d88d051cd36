/* SPDX-License-Identifier: MIT */
/* Inside the driver core: the VIC, contexts of NvMedia 2D, and their operations.
 *
 * All contexts share the one queue of the VIC. An operation is, in this order: waits for syncpoints
 * (pre-fences), a job whose configuration lies in a slot of its context, an increment of the
 * context's own syncpoint, by which the driver knows that it is done, one of the EOF object's.
 * A syncpoint object has no other state than its counter: no bytes are written for a fence. */
#ifndef RUNTIME_DRIVER_ENGINES_VIC_VIC_H
#define RUNTIME_DRIVER_ENGINES_VIC_VIC_H

#include <glib.h>

#include "include/nvmedia_2d_sci.h"
#include "model/regs/vic.h"
#include "model/rules/port.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/engines/vic/rt_vic.h"
#include "runtime/driver/memory/external.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

#define VIC_PARAMS_MAX 16u     /* NvMedia2DAttributes.numComposeParameters */
#define VIC_BUFFERS_MAX 1024u  /* .maxRegisteredBuffers */
#define VIC_SYNCS_MAX 256u     /* .maxRegisteredSyncs */
#define VIC_FILTERS_MAX 16u    /* .maxFilterBuffers */
#define VIC_LAYERS 16u         /* index of a source layer; slots of a job */
#define VIC_PENDING_MAX 16u    /* operations of one context that are not done (NvMedia2DCompose) */
#define VIC_PRE_FENCES_MAX 16u /* NvMedia2DInsertPreNvSciSyncFence */
#define VIC_SIZE_MIN 16u       /* of a surface (NvMedia2DCompose) */
#define VIC_SIZE_MAX 16384u
#define VIC_APPLICATION_ID 1u /* of the VIC's firmware (libdrm, tests/tegra) */
#define VIC_SLOT_BYTES 3072u  /* for VIC_CONFIG_BYTES; addresses are multiples of 256 */

/**
 * struct vic_picture - a surface as the VIC reads or writes it
 * @plane: which plane of the buffer is the engine's plane i
 * @offset: of the engine's planes; @stride, @chroma_stride: samples
 * @standard: NvSciColorStd_; @yuv: else RGB; @luma_only: Y8; @sub: chroma has planes of its own
 */
struct vic_picture {
    enum vic_format format;
    unsigned width, height, planes;
    uint64_t offset[VIC_PLANES];
    uint32_t stride, chroma_stride, standard;
    bool yuv, luma_only, sub;
};

/* A registered buffer; @iova: of its first byte. @threshold: of the context's syncpoint, when the
 * newest operation on it is done; @used: there was one */
struct vic_buffer {
    bool used;
    uint32_t threshold;
    struct rt_shared *shared;
    struct rt_sci_buf buf;
    uint64_t iova, mapped;
};

/* A registered sync object; @operation: the newest that signals it, by @value. */
struct vic_sync {
    struct rt_sync *sync;
    const void *object;
    NvMediaNvSciSyncObjType type;
    uint64_t operation, value;
};

/* @sync: that the fence is of */
struct vic_pre_fence {
    const struct rt_sync *sync;
    struct fence fence;
};

struct vic_layer {
    const struct rt_shared *source; /* NULL: the layer is not used */
    NvMediaRect src, dst;
    bool has_src, has_dst;
    NvMedia2DTransform transform;
    NvMedia2DFilter filter;
    NvMedia2DBlendMode blend;
};

/* @handle: 0: free */
struct vic_params {
    NvMedia2DComposeParameters handle;
    const struct rt_shared *destination;
    const struct rt_sync *eof;
    struct vic_layer layer[VIC_LAYERS];
    struct vic_pre_fence pre[VIC_PRE_FENCES_MAX];
    unsigned n_pre;
};

/* Submitted; @job: its number in the queue of the VIC; @threshold: of the context's syncpoint */
struct vic_operation {
    uint64_t id;
    uint32_t job, threshold;
    const struct rt_shared *source, *destination;
    const struct rt_sync *eof;
    struct vic_pre_fence pre[VIC_PRE_FENCES_MAX];
    unsigned n_pre;
    struct check_caller caller;
};

/**
 * struct vic_context - what an NvMedia2D names
 * @limits: of its creation; @n_params: handles given so far, of which each is another
 * @operation: number % VIC_PENDING_MAX; the newest is @operations; those from @oldest on are not
 *     known to be done
 * @slots: their configurations, at @slots_iova
 * @asked: questions in a row that found work not done: from the second on the board advances
 */
struct vic_context {
    struct object base;
    unsigned number, asked;
    NvMedia2DAttributes limits;
    struct vic_params params[VIC_PARAMS_MAX];
    uint32_t n_params;
    GPtrArray *buffers, *syncs; /* struct vic_buffer, struct vic_sync */
    struct vic_operation operation[VIC_PENDING_MAX];
    uint64_t operations, oldest;
    uint32_t syncpt, submitted;
    struct hal_mem slots;
    uint64_t slots_iova;
};

/* vic_unit.c */
extern struct object_list vic_contexts; /* struct vic_context */
extern uint32_t vic_jobs;               /* of all contexts, as the engine counts them */
extern const enum bus_agent vic_agent;  /* its accesses in records */
uint32_t vic_read(uint32_t reg);
void vic_write(uint32_t reg, uint32_t value);
int vic_map(const struct hal_mem *mem, uint64_t bytes, bool writable, uint64_t *iova);
void vic_unmap(uint64_t iova, uint64_t bytes);
bool vic_fault(struct hal_iommu_fault *out);
/* Forgets operations that are done. Return: some are not. */
bool vic_pending(struct vic_context *c);

/* vic.c */
NvMediaStatus vic_open(const char *api); /* the part of a kernel driver's probe */
/* core_enter_any() and the handle. The lock is held on success only. */
NvMediaStatus vic_enter(const NvMedia2D *handle, struct vic_context **c, const char *api);
NvMediaStatus vic_leave(NvMediaStatus status);
NvMediaStatus vic_error(NvMediaStatus status, const char *api, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* vic_object.c; NULL: not registered. By handle: NULL, too, where it is none of NvSci's. */
struct vic_buffer *vic_buffer_of(const struct vic_context *c, NvSciBufObj buf);
struct vic_sync *vic_sync_of(const struct vic_context *c, NvSciSyncObj sync);
struct vic_buffer *vic_buffer_find(const struct vic_context *c, const struct rt_shared *shared);
struct vic_sync *vic_sync_find(const struct vic_context *c, const struct rt_sync *sync);
bool vic_sync_waits(const struct vic_sync *s);
bool vic_sync_ends(const struct vic_sync *s);

/* vic_params.c: NULL with the code, where they are none of the context's */
struct vic_params *vic_params_find(struct vic_context *c, NvMedia2DComposeParameters handle);

/* vic_picture.c. NULL, or why the VIC cannot. */
const char *vic_picture_read(const struct rt_sci_buf *buf, struct vic_picture *out);

/* vic_config.c: pure. */

/* @to lies in the target; @alpha: of 1023, times that of the image, where it goes @blend over what
 * lies below. */
struct vic_slot_job {
    struct vic_picture src;
    NvMediaRect from, to;
    bool bilinear, blend;
    unsigned alpha;
};

/**
 * struct vic_job - what one job does; rectangles lie inside the pictures
 * @target: what is written; of a transposed output, and so @to of each slot, before that
 * @background: below all slots; R, G, B or Y, U, V and alpha, of 1023
 * @recodes: YUV of one standard may become YUV of another
 */
struct vic_job {
    struct vic_picture dst;
    NvMediaRect target;
    uint32_t background[4];
    bool flip_x, flip_y, transpose, recodes;
    unsigned slots;
    struct vic_slot_job slot[VIC_LAYERS];
};
/* @rgba: 0 to 1 */
void vic_background_rgb(struct vic_job *job, const double rgba[4]);
/* Return: false: there is no conversion between the two standards. @raw: VIC_CONFIG_BYTES */
bool vic_config_write(const struct vic_job *job, uint8_t *raw);

/* vic_submit.c: the method for each plane, from @first on. */
void vic_method(uint32_t offset, uint64_t value);
void vic_planes(uint32_t first, uint64_t iova, const struct vic_picture *picture);
void vic_increment(uint32_t syncpt);
extern const char *vic_compose_name; /* the program's call */

/* vic_sent.c: work of rt_vic_surface.h; @number: of the job in the VIC's queue. */
struct vic_sent {
    uint32_t number, threshold;
    bool failed;
    const char *api;
    struct check_caller caller;
};
extern struct vic_sent vic_sent[VIC_PENDING_MAX]; /* job % VIC_PENDING_MAX */
/* It has failed: what it was. NULL: none of these. g_free() it. */
char *vic_surface_text(uint32_t number);

/* vic_fault.c */
void vic_service(void);
void vic_fault_init(void); /* when the unit is opened */

#endif

/* SPDX-License-Identifier: MIT */
/* Work of the VIC on pictures in shared memory: rt_vic_surface.h. One syncpoint for all of it; what
 * a job needs lies in a slot, used again when the job is done. */
#include "runtime/driver/engines/vic/rt_vic_surface.h"

#include <errno.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/engines/vic/vic.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/planes.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

#define ENTRIES_OF_A_JOB 2u /* the job, an increment */
#define ALIGN 256u

/* Where the VIC finds a memory; @last: the newest job with it. */
struct mapping {
    struct rt_shared *memory;
    uint64_t iova, bytes, last;
};

static struct {
    struct hal_mem slots;
    uint64_t slots_iova, jobs; /* @jobs: submitted; the newest has this number */
    uint32_t syncpt, submitted;
    GPtrArray *mappings;
} surfaces;

static const char no_conversion[] = "vtegra converts between sRGB and Rec. 601, 709 and 2020, and "
                                    "makes no grey of another standard";

static struct fence fence_of(uint64_t job)
{
    return (struct fence){ surfaces.syncpt, vic_sent[job % VIC_PENDING_MAX].threshold };
}

static bool is_kept(uint64_t job)
{
    return job && job <= surfaces.jobs && job + VIC_PENDING_MAX > surfaces.jobs;
}

/* --- the beginning ---------------------------------------------------------------------------- */

static bool slots_make(void)
{
    surfaces.syncpt = syncpt_find(NULL);
    if (!surfaces.syncpt) {
        return false;
    }
    if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, VIC_PENDING_MAX * VIC_SLOT_BYTES, HAL_PAGE, NULL,
                      &surfaces.slots) == 0) {
        if (vic_map(&surfaces.slots, surfaces.slots.size, false, &surfaces.slots_iova) == 0) {
            room_take(HAL_MEM_KERNEL, surfaces.slots.size);
            surfaces.submitted = syncpt_value(surfaces.syncpt);
            surfaces.mappings = g_ptr_array_new_with_free_func(g_free);
            return true;
        }
        hal_mem_free(core_hal(), &surfaces.slots);
    }
    syncpt_give(surfaces.syncpt);
    return false;
}

static enum rt_vic_result surfaces_begin(const char *api, const char **why)
{
    if (surfaces.mappings) {
        return RT_VIC_DONE;
    }
    if (!board_profile()->vic.cores) {
        *why = "this SoC has no VIC that is modelled: run with --soc tx2, xavier or orin";
        return RT_VIC_UNSUPPORTED;
    }
    if (vic_open(api)) {
        *why = "another process of this board uses the VIC: it serves one at a time";
        return RT_VIC_FAILED;
    }
    *why = "no memory or no syncpoint is left";
    return slots_make() ? RT_VIC_DONE : RT_VIC_FAILED;
}

/* --- pictures --------------------------------------------------------------------------------- */

static enum rt_vic_result picture_make(const struct rt_vic_image *image, struct vic_picture *out,
                                       const char **why)
{
    struct vic_layout l = vic_layout_of(image->format);

    *why = "a picture has 16 to 16384 pixels in each direction, and an even number where two share "
           "chroma";
    if (image->width < VIC_SIZE_MIN || image->width > VIC_SIZE_MAX ||
        image->height < VIC_SIZE_MIN || image->height > VIC_SIZE_MAX || !l.planes ||
        image->width % l.sub_x || image->height % l.sub_y) {
        return RT_VIC_INVALID;
    }
    *out = (struct vic_picture){
        .format = (enum vic_format)image->format,
        .width = image->width,
        .height = image->height,
        .planes = l.planes,
        .stride = image->pitch[0] / l.first,
        .chroma_stride = l.planes > 1 ? image->pitch[1] / l.chroma : 0,
        .standard = image->standard,
        .yuv = !vic_is_rgb(image->format),
        .luma_only = image->format == VIC_L8,
        .sub = l.planes > 1,
    };
    *why = "a plane leaves its memory, or does not lie as the VIC needs it";
    for (unsigned i = 0; i < out->planes; i++) {
        uint64_t rows = i ? image->height / l.sub_y : image->height;

        out->offset[i] = image->offset[i];
        if (image->memory &&
            (image->offset[i] % ALIGN || image->pitch[i] % 4 ||
             image->offset[i] + rows * image->pitch[i] > rt_shared_size(image->memory))) {
            return RT_VIC_INVALID;
        }
    }
    return RT_VIC_DONE;
}

static bool rect_inside(const struct rt_vic_rect *r, uint32_t width, uint32_t height)
{
    return r->x0 < r->x1 && r->y0 < r->y1 && r->x1 <= width && r->y1 <= height;
}

static NvMediaRect rect_nvmedia(const struct rt_vic_rect *r)
{
    return (NvMediaRect){ (uint16_t)r->x0, (uint16_t)r->y0, (uint16_t)r->x1, (uint16_t)r->y1 };
}

static enum rt_vic_result layer_make(const struct rt_vic_work *work,
                                     const struct rt_vic_layer *layer, struct vic_slot_job *slot,
                                     const char **why)
{
    enum rt_vic_result result = picture_make(&layer->image, &slot->src, why);

    if (result) {
        return result;
    }
    *why = "a rectangle is empty or leaves its picture";
    if (!rect_inside(&layer->from, slot->src.width, slot->src.height) ||
        !rect_inside(&layer->to, work->target.x1, work->target.y1) ||
        layer->to.x0 < work->target.x0 || layer->to.y0 < work->target.y0) {
        return RT_VIC_ROI;
    }
    slot->from = rect_nvmedia(&layer->from);
    slot->to = rect_nvmedia(&layer->to);
    slot->bilinear = layer->bilinear;
    slot->blend = layer->blend;
    slot->alpha = (unsigned)(CLAMP(layer->alpha, 0, 1) * 1023 + 0.5);
    return RT_VIC_DONE;
}

/* Corners lie where a sample of chroma begins; @turned: before the transposition. */
static bool corners_fit(const struct rt_vic_rect *r, uint32_t format, bool turned)
{
    struct vic_layout l = vic_layout_of(format);

    return (r->x0 | r->x1) % (turned ? l.sub_y : l.sub_x) == 0 &&
           (r->y0 | r->y1) % (turned ? l.sub_x : l.sub_y) == 0;
}

static enum rt_vic_result job_make(const struct rt_vic_work *work, struct vic_job *job,
                                   const char **why)
{
    enum rt_vic_result result = picture_make(&work->image, &job->dst, why);
    uint32_t width = work->transpose ? work->image.height : work->image.width;
    uint32_t height = work->transpose ? work->image.width : work->image.height;

    if (result) {
        return result;
    }
    *why = "a rectangle is empty, leaves its picture, or has odd corners where two pixels "
           "share chroma";
    if (!rect_inside(&work->target, width, height) ||
        !corners_fit(&work->target, work->image.format, work->transpose)) {
        return RT_VIC_ROI;
    }
    job->target = rect_nvmedia(&work->target);
    job->flip_x = work->flip_x;
    job->flip_y = work->flip_y;
    job->transpose = work->transpose;
    job->recodes = true;
    job->slots = work->layers;
    vic_background_rgb(job, work->background);
    for (unsigned i = 0; !result && i < work->layers; i++) {
        result = layer_make(work, &work->layer[i], &job->slot[i], why);
    }
    return result;
}

/* --- submission ------------------------------------------------------------------------------- */

static struct mapping *mapping_find(const struct rt_shared *memory)
{
    for (guint i = 0; i < surfaces.mappings->len; i++) {
        struct mapping *m = surfaces.mappings->pdata[i];

        if (m->memory == memory) {
            return m;
        }
    }
    return NULL;
}

static struct mapping *mapping_get(struct rt_shared *memory)
{
    struct mapping *m = mapping_find(memory), made = { .memory = memory };

    made.bytes = shared_mem(memory)->size;
    if (m || vic_map(shared_mem(memory), made.bytes, true, &made.iova)) {
        return m;
    }
    m = g_memdup2(&made, sizeof(made));
    g_ptr_array_add(surfaces.mappings, m);
    return m;
}

/* The lock may be free meanwhile. */
static void wait_job(uint64_t job)
{
    if (is_kept(job)) {
        wait_limit(fence_of(job), -1);
    }
}

static bool has_room(void)
{
    uint64_t oldest = surfaces.jobs + 1 - MIN(surfaces.jobs + 1, VIC_PENDING_MAX);

    return (!is_kept(oldest) || fence_reached(fence_of(oldest))) &&
           vic_read(VIC_QUEUE_FREE) >= ENTRIES_OF_A_JOB;
}

static bool room_make(void)
{
    for (uint64_t i = 0; i < VIC_PENDING_MAX && !has_room() && !core_lost(); i++) {
        wait_job(surfaces.jobs + 1 + i - MIN(surfaces.jobs, VIC_PENDING_MAX - 1));
    }
    return has_room();
}

static void job_give(const struct rt_vic_work *work, const struct vic_job *job, uint64_t config)
{
    vic_method(VIC_METHOD_SET_APPLICATION_ID, VIC_APPLICATION_ID);
    vic_method(VIC_METHOD_SET_CONTROL_PARAMS, VIC_CONFIG_BYTES / 16 << 16);
    vic_method(VIC_METHOD_SET_CONFIG_STRUCT_OFFSET, config >> 8);
    vic_planes(VIC_METHOD_SET_OUTPUT_SURFACE_LUMA_OFFSET, mapping_find(work->image.memory)->iova,
               &job->dst);
    for (unsigned i = 0; i < job->slots; i++) {
        vic_planes(VIC_METHOD_SET_SURFACE0_LUMA_OFFSET + i * VIC_SLOT_METHODS,
                   mapping_find(work->layer[i].image.memory)->iova, &job->slot[i].src);
    }
    vic_method(VIC_METHOD_EXECUTE, 0);
    vic_increment(surfaces.syncpt);
    vic_write(VIC_DMAPUT, 1);
}

static void memory_used(struct rt_shared *memory, bool writes)
{
    mapping_find(memory)->last = surfaces.jobs;
    pending_shared(memory, vic_agent, writes, fence_of(surfaces.jobs));
    planes_used(memory, vic_agent, "the VIC");
}

static bool mappings_make(const struct rt_vic_work *work)
{
    bool there = mapping_get(work->image.memory);

    for (unsigned i = 0; there && i < work->layers; i++) {
        there = mapping_get(work->layer[i].image.memory);
    }
    return there;
}

static enum rt_vic_result job_submit(const struct rt_vic_work *work, const struct vic_job *job,
                                     const char *api, const char **why)
{
    uint64_t number = surfaces.jobs + 1, at = number % VIC_PENDING_MAX * VIC_SLOT_BYTES;
    struct vic_sent *sent = &vic_sent[number % VIC_PENDING_MAX];

    *why = no_conversion;
    if (!vic_config_write(job, (uint8_t *)surfaces.slots.cpu + at)) {
        return RT_VIC_UNSUPPORTED;
    }
    *why = "the SMMU has no room";
    if (!mappings_make(work)) {
        return RT_VIC_FAILED;
    }
    *sent = (struct vic_sent){ .number = ++vic_jobs,
                               .threshold = ++surfaces.submitted,
                               .api = api,
                               .caller = check_caller_get() };
    surfaces.jobs = number;
    check_task(core_check(), api, CHECK_ALL_STREAMS, &sent->caller);
    for (unsigned i = 0; i < work->layers; i++) {
        memory_used(work->layer[i].image.memory, false);
    }
    memory_used(work->image.memory, true);
    job_give(work, job, surfaces.slots_iova + at);
    return RT_VIC_DONE;
}

enum rt_vic_result rt_vic_work_config(const struct rt_vic_work *work, uint8_t *raw,
                                      const char **why)
{
    struct vic_job job = { 0 };
    enum rt_vic_result result = job_make(work, &job, why);

    if (!result && !vic_config_write(&job, raw)) {
        *why = no_conversion;
        result = RT_VIC_UNSUPPORTED;
    }
    return result;
}

enum rt_vic_result rt_vic_work_submit(const struct rt_vic_work *work, const char *api,
                                      uint64_t *ticket, const char **why)
{
    struct vic_job job = { 0 };
    enum rt_vic_result result;

    *why = "there is no board";
    if (rt_init(0) || core_enter_any()) {
        return RT_VIC_FAILED;
    }
    result = surfaces_begin(api, why);
    result = result ? result : job_make(work, &job, why);
    if (!result && !room_make()) {
        *why = "the VIC's queue is full, and stands";
        result = RT_VIC_FAILED;
    }
    result = result ? result : job_submit(work, &job, api, why);
    *ticket = surfaces.jobs;
    core_leave(CUDA_SUCCESS);
    return result;
}

/* --- the end ---------------------------------------------------------------------------------- */

int rt_vic_work_wait(uint64_t ticket, int64_t timeout_us)
{
    GArray *known = NULL;
    struct fence fence;
    int r = 0;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    if (!is_kept(ticket)) { /* long done */
        core_leave(CUDA_SUCCESS);
        return ticket && ticket <= surfaces.jobs ? 0 : -EIO;
    }
    fence = fence_of(ticket);
    r = wait_limit(fence, timeout_us);
    if (!r) {
        vic_service();
        clock_add(&known, fence);
        clock_synced(known);
        g_array_unref(known);
        r = is_kept(ticket) && vic_sent[ticket % VIC_PENDING_MAX].failed ? -EIO : 0;
    }
    core_leave(CUDA_SUCCESS);
    return r;
}

void rt_vic_memory_gone(struct rt_shared *memory)
{
    struct mapping *m;

    if (core_enter_any() != CUDA_SUCCESS) {
        return;
    }
    m = surfaces.mappings ? mapping_find(memory) : NULL;
    if (m) {
        wait_job(m->last);
        m = mapping_find(memory);
    }
    if (m) {
        vic_unmap(m->iova, m->bytes);
        g_ptr_array_remove(surfaces.mappings, m);
    }
    core_leave(CUDA_SUCCESS);
}

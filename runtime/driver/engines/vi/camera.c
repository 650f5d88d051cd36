/* SPDX-License-Identifier: MIT */
/* The VI's registers and queue: rt_camera.h. Syncpoints for the ends of captures, in their
 * order, and one for their beginnings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/regs/reg.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/engines/vi/camera_fault.h"
#include "runtime/driver/engines/vi/vi.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/planes.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

/* The CPU's clock goes to the end of what it sees of a syncpoint, so captures that may be under way
 * together have different ones. */
#define EOFS 16u

/* @tickets: captures queued so far; the end of ticket t is threshold[t % VI_QUEUE] of eof[t %
 * EOFS]. @status: in slots, by ticket */
static struct {
    bool open;
    uint32_t sof, eof[EOFS], submitted[EOFS];
    uint64_t tickets, status_iova;
    uint32_t threshold[VI_QUEUE];
    struct hal_mem status;
    struct check_caller caller;
} camera;

static void camera_address(uint32_t msb, uint64_t iova)
{
    camera_write(msb, (uint32_t)(iova >> 32));
    camera_write(msb + 4, (uint32_t)iova);
}

static struct fence camera_fence(uint64_t ticket)
{
    return (struct fence){ camera.eof[ticket % EOFS], camera.threshold[ticket % VI_QUEUE] };
}

static bool camera_is_kept(uint64_t ticket)
{
    return ticket && ticket <= camera.tickets && ticket + VI_QUEUE > camera.tickets;
}

static struct vi_capture_status *camera_status(uint64_t ticket)
{
    return (struct vi_capture_status *)camera.status.cpu + ticket % VI_QUEUE;
}

/* --- the beginning ---------------------------------------------------------------------------- */

static bool camera_syncpts_find(void)
{
    bool all;

    camera.sof = syncpt_find(NULL);
    all = camera.sof != 0;
    for (unsigned i = 0; i < EOFS && all; i++) {
        camera.eof[i] = syncpt_find(NULL);
        camera.submitted[i] = camera.eof[i] ? syncpt_value(camera.eof[i]) : 0;
        all = camera.eof[i] != 0;
    }
    return all;
}

static int camera_claim(void)
{
    uint32_t unit = UNIT_VI;
    int err = hal_claim(core_hal(), HAL_CLAIM_UNIT, &unit);

    if (err) {
        fprintf(stderr, "vtegra: %s\n",
                err == -EBUSY ? "another process of this board has the camera"
                              : "this board's camera does not come up");
        return err == -EBUSY ? -EBUSY : -ENODEV;
    }
    if (!camera_syncpts_find() ||
        hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, VI_QUEUE * sizeof(struct vi_capture_status),
                      HAL_PAGE, NULL, &camera.status) ||
        hal_iommu_map(core_hal(), UNIT_VI, &camera.status, 0, camera.status.size, HAL_PROT_WRITE,
                      &camera.status_iova)) {
        return -ENOMEM;
    }
    camera_fault_init();
    camera.open = true;
    return 0;
}

static int camera_bring_up(void)
{
    const char *source = getenv("VTEGRA_CAMERA");

    if (camera.open) {
        return 0;
    }
    if (!source || !*source) {
        fputs("vtegra: this board has no camera: vtegra run --camera SOURCE\n", stderr);
        return -ENODEV;
    }
    if (!board_profile()->vi.cores) {
        fprintf(stderr,
                "vtegra: %s has no VI that is modelled: run with --soc tx2, xavier or orin\n",
                board_profile()->soc.name);
        return -ENODEV;
    }
    return camera_claim();
}

int rt_camera_open(struct rt_camera_info *out)
{
    int err;

    if (rt_init(0) || core_enter_any()) {
        return -ENODEV;
    }
    err = camera_bring_up();
    if (!err) {
        uint32_t size = camera_read(VI_SENSOR_SIZE);

        *out = (struct rt_camera_info){ camera_read(VI_SENSOR_TYPE), size & 0xffff, size >> 16,
                                        camera_read(VI_SENSOR_PERIOD_NS) };
        err = out->width ? 0 : -ENODEV;
    }
    core_leave(CUDA_SUCCESS);
    return err;
}

/* --- captures --------------------------------------------------------------------------------- */

static bool camera_past_caches(const struct rt_camera_buffer *b)
{
    return b->mem.cpu_cached && !rules_port_snoops(board_profile(), BUS_AGENT_VI);
}

static void camera_registers_write(const struct rt_camera_shot *shot, uint64_t ticket)
{
    camera_write(VI_CSI_IMAGE_DEF, FIELD_PUT(VI_CSI_IMAGE_DEF_FORMAT, (uint32_t)shot->format));
    camera_write(VI_CSI_IMAGE_SIZE, FIELD_PUT(VI_CSI_IMAGE_SIZE_WIDTH, shot->width) |
                                        FIELD_PUT(VI_CSI_IMAGE_SIZE_HEIGHT, shot->height));
    camera_address(VI_CSI_SURFACE0_OFFSET_MSB, shot->buffer->iova + shot->offset[0]);
    camera_address(VI_CSI_SURFACE1_OFFSET_MSB, shot->buffer->iova + shot->offset[1]);
    camera_write(VI_CSI_SURFACE0_STRIDE, shot->stride[0]);
    camera_write(VI_CSI_SURFACE1_STRIDE, shot->stride[1]);
    camera_address(VI_STATUS_OFFSET_MSB,
                   camera.status_iova + ticket % VI_QUEUE * sizeof(struct vi_capture_status));
    camera_write(VI_CFG_VI_INCR_SYNCPT,
                 FIELD_PUT(VI_CFG_VI_INCR_SYNCPT_COND, VI_COND_PP_FRAME_START) | camera.sof);
    camera_write(VI_CFG_VI_INCR_SYNCPT, FIELD_PUT(VI_CFG_VI_INCR_SYNCPT_COND, VI_COND_MW_ACK_DONE) |
                                            camera.eof[ticket % EOFS]);
    if (shot->sync) { /* second: who waits for it waits for the capture's own, too */
        camera_write(VI_CFG_VI_INCR_SYNCPT,
                     FIELD_PUT(VI_CFG_VI_INCR_SYNCPT_COND, VI_COND_MW_ACK_DONE) |
                         sync_syncpt(shot->sync));
    }
    camera_write(VI_CSI_SINGLE_SHOT, 1);
}

static void camera_memory_used(const struct rt_camera_buffer *b, struct fence done)
{
    if (b->shared) {
        pending_shared(b->shared, BUS_AGENT_VI, true, done);
        planes_used(b->shared, BUS_AGENT_VI, "the VI");
    } else if (b->registered) {
        pending_user(&b->adopted, done);
    } else {
        pending_range((uintptr_t)b->at, b->bytes, true, done);
    }
}

/* Return: the capture's number; 0: the queue is full. */
static uint64_t capture_queue(const struct rt_camera_shot *shot, const char *api)
{
    const struct rt_camera_buffer *b = shot->buffer;
    uint64_t number;

    if (!camera_read(VI_QUEUE_FREE)) {
        return 0;
    }
    if (!b->shared && camera_past_caches(b)) {
        hal_cpu_clean_invalidate(core_hal(), b->at, b->bytes);
    }
    number = ++camera.tickets;
    camera.threshold[number % VI_QUEUE] = ++camera.submitted[number % EOFS];
    memset(camera_status(number), 0, sizeof(struct vi_capture_status));
    camera.caller = check_caller_get();
    check_task(core_check(), api, CHECK_ALL_STREAMS, &camera.caller);
    camera_memory_used(b, camera_fence(number));
    if (shot->sync) {
        sync_signals_add(shot->sync, camera_fence(number), NULL);
    }
    camera_registers_write(shot, number);
    return number;
}

int rt_camera_queue(const struct rt_camera_shot *shot, const char *api, uint64_t *ticket)
{
    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    *ticket = capture_queue(shot, api);
    core_leave(CUDA_SUCCESS);
    return *ticket ? 0 : -EBUSY;
}

int rt_camera_sci_queue(const struct rt_camera_shot *shot, const void *sync_object, void *fence,
                        const char *api, uint64_t *ticket)
{
    uint64_t value;
    bool made = false;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    *ticket = 0;
    if (camera_read(VI_QUEUE_FREE)) {
        value = sync_next(shot->sync);
        *ticket = capture_queue(shot, api);
        made = sci_ops.fence_set && sci_ops.fence_set(sync_object, value, fence);
    }
    core_leave(CUDA_SUCCESS);
    return !*ticket ? -EBUSY : made ? 0 : -EINVAL;
}

void rt_camera_stream(bool on)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        camera_write(VI_SENSOR_STREAM, on);
        if (!on) {
            camera_write(VI_CSI_SW_RESET, 0xf);
            camera_write(VI_CSI_SW_RESET, 0);
        }
        core_leave(CUDA_SUCCESS);
    }
}

int rt_camera_wait(uint64_t ticket, int64_t timeout_us)
{
    GArray *known = NULL;
    struct fence fence;
    int r;

    if (core_enter_any() != CUDA_SUCCESS) {
        return -EIO;
    }
    if (!camera_is_kept(ticket)) {
        core_leave(CUDA_SUCCESS);
        return ticket && ticket <= camera.tickets ? 0 : -EIO;
    }
    fence = camera_fence(ticket);
    r = timeout_us == 0 ? (fence_reached(fence) ? 0 : -ETIMEDOUT) : wait_limit(fence, timeout_us);
    if (!r) {
        camera_fault_service();
        clock_add(&known, fence);
        clock_synced(known);
        g_array_unref(known);
    }
    core_leave(CUDA_SUCCESS);
    return r;
}

uint64_t rt_camera_time_ns(void)
{
    uint64_t ns = 0;

    if (core_enter_any() == CUDA_SUCCESS) {
        ns = hal_time_ns(core_hal());
        core_leave(CUDA_SUCCESS);
    }
    return ns;
}

void rt_camera_poll(void)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        wait_poll(true);
        core_leave(CUDA_SUCCESS);
    }
}

void rt_camera_take(uint64_t ticket, struct rt_camera_buffer *b, struct vi_capture_status *out)
{
    *out = (struct vi_capture_status){ 0 };
    if (core_enter_any() != CUDA_SUCCESS) {
        return;
    }
    if (camera_is_kept(ticket)) {
        *out = *camera_status(ticket);
    }
    if (b && !b->shared && camera_past_caches(b)) {
        hal_cpu_invalidate(core_hal(), b->at, b->bytes);
    }
    core_leave(CUDA_SUCCESS);
}

/* SPDX-License-Identifier: MIT */
/* The board's camera: what the V4L2 device stands on. The kernel driver's part: registers,
 * mappings, syncpoints, and the CPU's caches as videobuf2-dma-contig maintains them.
 *
 * Rules of runtime/driver/driver.h hold, with these differences: rt_camera_open() brings the driver
 * up, no context has to be current, and a host function may call these. Errors are negative errno.
 */
#ifndef RUNTIME_DRIVER_ENGINES_VI_RT_CAMERA_H
#define RUNTIME_DRIVER_ENGINES_VI_RT_CAMERA_H

#include "model/regs/vi.h"
#include "runtime/driver/memory/rt_external.h"

/* The sensor; @type: enum sensor_type of model/sensor.h */
struct rt_camera_info {
    uint32_t type, width, height;
    uint64_t period_ns;
};

/* -ENODEV: the board has no camera, or no VI that is modelled; -EBUSY: another process has it. A
 * line on stderr says why. */
int rt_camera_open(struct rt_camera_info *out);

/* Memory that the VI writes. */
struct rt_camera_buffer;

/* Shared memory; a reference is taken. */
int rt_camera_buffer_shared(struct rt_shared *shared, struct rt_camera_buffer **out);
/* The program's own pages, of malloc() or of CUDA (V4L2_MEMORY_USERPTR). -EFAULT: the CPU cannot
 * access them, or they are a GPU's alone; -ENOTSUP: this board's model cannot have pages that the
 * program has not allocated by CUDA. */
int rt_camera_buffer_user(void *at, size_t bytes, struct rt_camera_buffer **out);
/* Device memory of CUDA, by its address: @bytes lie in one allocation. */
int rt_camera_buffer_device(uint64_t at, size_t bytes, struct rt_camera_buffer **out);
void rt_camera_buffer_free(
    struct rt_camera_buffer *buffer); /* NULL: nothing. No capture of it is queued */

/* @offset, @stride: of the planes, bytes; @sync: its syncpoint is incremented at the end, too;
 * NULL: none */
struct rt_camera_shot {
    struct rt_camera_buffer *buffer;
    struct rt_sync *sync;
    enum vi_format format;
    uint32_t width, height, stride[2];
    uint64_t offset[2];
};

/* Queues a capture. The CPU's lines of a user buffer are written back and dropped first
 * (vb2_dc_prepare()). @api: constant text. -EBUSY: the queue is full. */
int rt_camera_queue(const struct rt_camera_shot *shot, const char *api, uint64_t *ticket);
/* NvSci. The camera in attribute lists: an engine (VI) that writes, and a signaller of syncpoints.
 * 0; -EBADF: no list; -EINVAL: it has these attributes, or is reconciled. */
int rt_camera_sci_lists(void *buf_list, void *sync_list); /* NULL: not that one */
/* An NvSciBufObj, described in *@desc, as memory that the VI writes; an NvSciSyncObj that it may
 * signal. -EINVAL: the handle is none, no image, not writable; or no syncpoint, no permission */
int rt_camera_sci_buffer(const void *object, struct rt_sci_buf *desc,
                         struct rt_camera_buffer **out);
int rt_camera_sci_sync(const void *object, struct rt_sync **out);
/* As rt_camera_queue(), and *@fence, the program's, becomes the end of it. */
int rt_camera_sci_queue(const struct rt_camera_shot *shot, const void *sync_object, void *fence,
                        const char *api, uint64_t *ticket);

void rt_camera_stream(bool on); /* off: captures end where they are */
/* @timeout_us: in virtual time; 0: asks only, -1: no limit. Return: 0, -ETIMEDOUT, -EDEADLK, -EIO.
 */
int rt_camera_wait(uint64_t ticket, int64_t timeout_us);
uint64_t rt_camera_time_ns(void); /* virtual time of the board */
/* Lets the board go on if the policy wants it here: a question that found nothing. */
void rt_camera_poll(void);
/* Of a capture that rt_camera_wait() has waited for; status 0: it was dropped. The CPU's lines of a
 * user buffer are dropped (vb2_dc_finish()). */
void rt_camera_take(uint64_t ticket, struct rt_camera_buffer *buffer,
                    struct vi_capture_status *out);

#endif

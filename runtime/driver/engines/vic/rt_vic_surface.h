/* SPDX-License-Identifier: MIT */
/* The VIC for pictures that the caller describes: what NvBufSurfTransform stands on.
 *
 * Rules of rt_vic.h hold. Several jobs run in the order of their calls, in the one queue of the
 * VIC.
 */
#ifndef RUNTIME_DRIVER_ENGINES_VIC_RT_VIC_SURFACE_H
#define RUNTIME_DRIVER_ENGINES_VIC_RT_VIC_SURFACE_H

#include "runtime/driver/memory/rt_external.h"

#define RT_VIC_PLANES 3u
#define RT_VIC_LAYERS 16u

/**
 * struct rt_vic_image - a pitch-linear picture
 * @format: enum vic_format of model/regs/vic.h; @standard: a value of NvSciBufAttrValColorStd
 * @offset: multiples of 256
 */
struct rt_vic_image {
    struct rt_shared *memory;
    uint32_t format, standard, width, height;
    uint64_t offset[RT_VIC_PLANES];
    uint32_t pitch[RT_VIC_PLANES];
};

struct rt_vic_rect {
    uint32_t x0, y0, x1, y1; /* x1, y1: behind the last */
};

/* @alpha: 0 to 1, times that of the image, where it goes @blend over what lies below. */
struct rt_vic_layer {
    struct rt_vic_image image;
    struct rt_vic_rect from, to;
    bool bilinear, blend;
    double alpha;
};

/**
 * struct rt_vic_work - one job
 * @target: what of the image is written: the @background where no layer lies. Before the
 *          transposition, as @to of each layer
 * @background: R, G, B, alpha; 0 to 1
 */
struct rt_vic_work {
    struct rt_vic_image image;
    struct rt_vic_rect target;
    double background[4];
    bool flip_x, flip_y, transpose;
    unsigned layers;
    struct rt_vic_layer layer[RT_VIC_LAYERS];
};

enum rt_vic_result {
    RT_VIC_DONE,
    RT_VIC_UNSUPPORTED, /* this board or vtegra's VIC has no such thing */
    RT_VIC_INVALID,     /* a picture */
    RT_VIC_ROI,         /* a rectangle */
    RT_VIC_FAILED,      /* no memory, no board, or another process has the VIC */
};

/* The same as a configuration (model/regs/vic_config.def) for a kernel of a GPU, which moves the
 * planes itself: @memory of the images is not used. @raw: VIC_CONFIG_BYTES */
enum rt_vic_result rt_vic_work_config(const struct rt_vic_work *work, uint8_t *raw,
                                      const char **why);
/* Submits. @api: the program's call, constant text; @why: where it is not DONE, constant text.
 * @ticket: for rt_vic_work_wait(). */
enum rt_vic_result rt_vic_work_submit(const struct rt_vic_work *work, const char *api,
                                      uint64_t *ticket, const char **why);
/* @timeout_us: in virtual time; -1: no limit. Return: 0, -ETIMEDOUT; -EIO: the work failed, and a
 * finding says why; -EDEADLK. */
int rt_vic_work_wait(uint64_t ticket, int64_t timeout_us);
/* Waits for all work with the memory, which is about to go. */
void rt_vic_memory_gone(struct rt_shared *memory);

#endif

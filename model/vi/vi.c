/* SPDX-License-Identifier: MIT */
/* The video input: a CSI port with its memory writer, and a small ISP in between (isp.c).
 * Registers: model/regs/vi.def.
 *
 * Frames come at the sensor's times. A capture takes the first frame that begins after it was
 * queued, and after the capture before it; frames between are dropped. The policy decides when it
 * is computed, the engine's clock says when it happened.
 */
#include "model/vi/isp.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "model/engine.h"
#include "model/regs/reg.h"

enum { WINDOW_BYTES = 0x1000, LINES = 16, PIXEL_WORK = 16, PLANES = 2 };
/* The sensor sends lines for 15 of 16 parts of its period (inferred). */
enum { ACTIVE_PARTS = 15, PERIOD_PARTS = 16 };

/* What SINGLE_SHOT takes with it; addresses are IOVAs. @sof, @eof: syncpoints; 0: none. @number:
 * the first since reset is 1 */
struct capture {
    struct isp_config isp;
    uint64_t surface[PLANES], status_iova, submitted, submitted_ns;
    uint32_t stride[PLANES], sof, eof[VI_EOFS], number;
};

/* @next_y: of the capture that runs, the next line of its surface. @next_frame: of the sensor, that
 * none has taken. @first_ns: when frame 0 begins; @kept: which line of the frame raw[i] holds, -1:
 * none */
struct vi {
    struct engine_board board;
    uint32_t reg[WINDOW_BYTES / 4];
    struct capture capture[VI_QUEUE];
    unsigned captures;
    uint64_t submissions, next_frame, first_ns, sof_ns;
    uint32_t armed_sof, armed_eof[VI_EOFS], number, next_y, irqstat;
    bool running, streams;
    struct vi_capture_status status;
    uint8_t *raw[4];
    int64_t kept[4];
    struct isp_pixel *pixel, *made[2];
    uint8_t *packed;
};

#define R(name) reg[VI_##name / 4]

static void vi_record(struct vi *v, enum trace_event event, enum bus_agent agent, uint64_t a,
                      uint64_t b, uint64_t c)
{
    trace_emit(v->board.trace, event, agent, 0, v->board.first_queue, a, b, c);
}

static void vi_irq_update(struct vi *v)
{
    irq_set(v->board.irq, v->irqstat != 0);
}

static void vi_fail(struct vi *v, enum vi_status status)
{
    v->R(CSI_ERROR_STATUS) = status;
    v->irqstat |= FIELD_MASK(VI_IRQSTAT_ERROR);
}

static void vi_syncpt(struct vi *v, uint32_t id)
{
    if (id) {
        v->board.syncpt_incr(v->board.opaque, id);
    }
}

static void vi_eof(struct vi *v, const struct capture *c)
{
    for (unsigned i = 0; i < VI_EOFS; i++) {
        vi_syncpt(v, c->eof[i]);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* A line of the frame that is being captured; NULL: the sensor's frame has ended. */
static const uint8_t *vi_line_get(struct vi *v, int64_t y)
{
    const struct sensor *s = v->board.sensor;
    unsigned at = (unsigned)(y % 4);

    if (v->kept[at] != y) {
        v->kept[at] = -1;
        if (!s->line(s->opaque, v->status.frame, (uint32_t)y, v->raw[at])) {
            return NULL;
        }
        v->kept[at] = y;
    }
    return v->raw[at];
}

static bool vi_pixels_get(struct vi *v, const struct isp_config *c, uint32_t y)
{
    int64_t line = isp_source_line(c, y), last = (int64_t)c->sensor_height - 1;
    bool alone = c->type == SENSOR_YUV422_8 || c->type == SENSOR_RGB888;
    const uint8_t *here = vi_line_get(v, line);
    const uint8_t *above = alone ? here : vi_line_get(v, line ? line - 1 : 1);
    const uint8_t *below = alone ? here : vi_line_get(v, line < last ? line + 1 : last - 1);

    if (here && above && below) {
        isp_line_decode(c, (uint32_t)line, above, here, below, v->pixel);
    }
    return here && above && below;
}

static bool vi_put(struct vi *v, unsigned plane, uint32_t line, const void *src, uint32_t bytes)
{
    const struct capture *c = v->capture;
    uint64_t iova = c->surface[plane] + (uint64_t)line * c->stride[plane];

    if (bus_port_write(v->board.memory, iova, src, bytes) != BUS_OK) {
        v->status.status = VI_STATUS_ATOMP_FRAME_TRUNCATED;
        return false;
    }
    return true;
}

static bool vi_line_raw(struct vi *v, uint32_t y)
{
    const struct isp_config *c = &v->capture->isp;
    const uint8_t *line = vi_line_get(v, (int64_t)c->y + y);
    uint32_t sample = c->type == SENSOR_RAW8 ? 1 : 2;

    if (!line) {
        v->status.status = VI_STATUS_CHANSEL_SHORT_FRAME;
        return false;
    }
    return vi_put(v, 0, y, line + (size_t)c->x * sample, c->width * sample);
}

static bool vi_line_yuv(struct vi *v, uint32_t y)
{
    const struct isp_config *c = &v->capture->isp;
    uint32_t chroma = isp_plane_bytes(c->format, 1, c->width);
    const uint8_t *line = vi_line_get(v, (int64_t)c->y + y), *even;

    if (!line) {
        v->status.status = VI_STATUS_CHANSEL_SHORT_FRAME;
        return false;
    }
    isp_yuv_pack(c, line, v->packed);
    if (!vi_put(v, 0, y, v->packed, isp_plane_bytes(c->format, 0, c->width))) {
        return false;
    }
    if (!chroma || y % 2 == 0) {
        return true;
    }
    even = vi_line_get(v, (int64_t)c->y + y - 1); /* it is kept */
    isp_yuv_chroma(c, even, line, v->packed);
    return vi_put(v, 1, y / 2, v->packed, chroma);
}

static bool vi_line_make(struct vi *v, uint32_t y)
{
    const struct isp_config *c = &v->capture->isp;
    uint32_t chroma = isp_plane_bytes(c->format, 1, c->width);

    if (!vi_pixels_get(v, c, y)) {
        v->status.status = VI_STATUS_CHANSEL_SHORT_FRAME;
        return false;
    }
    isp_line_scale(c, v->pixel, v->made[y % 2]);
    isp_line_pack(c, v->made[y % 2], v->packed);
    if (!vi_put(v, 0, y, v->packed, isp_plane_bytes(c->format, 0, c->width))) {
        return false;
    }
    if (!chroma || y % 2 == 0) {
        return true;
    }
    isp_chroma_pack(c, v->made[0], v->made[1], v->packed);
    return vi_put(v, 1, y / 2, v->packed, chroma);
}

/* --- a capture -------------------------------------------------------------------------------- */

/* The first frame that begins no earlier than @ns. */
static uint64_t vi_frame_after(const struct vi *v, uint64_t ns)
{
    uint64_t period = MAX(v->board.sensor->period_ns, 1);

    return ns <= v->first_ns ? 0 : (ns - v->first_ns + period - 1) / period;
}

static void vi_capture_begin(struct vi *v)
{
    const struct capture *c = v->capture;
    struct trace *trace = v->board.trace;
    uint64_t frame = MAX(v->next_frame, vi_frame_after(v, MAX(c->submitted_ns, trace->now_ns)));

    v->status =
        (struct vi_capture_status){ .status = VI_STATUS_SUCCESS,
                                    .dropped = (uint32_t)MIN(frame - v->next_frame, UINT32_MAX),
                                    .frame = frame };
    v->next_frame = frame + 1;
    v->sof_ns = v->first_ns + frame * v->board.sensor->period_ns;
    trace->now_ns = MAX(trace->now_ns, v->sof_ns);
    v->status.sof_ns = trace->now_ns;
    v->running = true;
    v->next_y = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(v->kept); i++) {
        v->kept[i] = -1;
    }
    vi_record(v, TRACE_EVENT_SEGMENT, v->board.agent, c->number, 0, 0);
    vi_record(v, TRACE_EVENT_VI_FRAME_START, v->board.agent, c->number, frame, v->status.dropped);
    vi_syncpt(v, c->sof);
    if (!isp_config_valid(&c->isp)) {
        v->status.status = VI_STATUS_CHANSEL_FAULT;
    }
}

static void vi_status_write(struct vi *v)
{
    uint64_t iova = v->capture->status_iova;

    if (iova && bus_port_write(v->board.memory, iova, &v->status, sizeof(v->status)) != BUS_OK) {
        vi_fail(v, VI_STATUS_ATOMP_FRAME_TRUNCATED);
    }
}

static void vi_capture_drop(struct vi *v)
{
    memmove(v->capture, v->capture + 1, --v->captures * sizeof(*v->capture));
}

static void vi_capture_end(struct vi *v)
{
    const struct capture *c = v->capture;

    v->status.eof_ns = v->board.trace->now_ns;
    if (v->status.status != VI_STATUS_SUCCESS) {
        vi_fail(v, v->status.status);
    }
    vi_status_write(v);
    vi_record(v, TRACE_EVENT_VI_FRAME_END, v->board.agent, c->number, v->status.frame,
              v->status.status);
    v->board.counts_flush(v->board.opaque);
    vi_eof(v, c);
    v->running = false;
    vi_capture_drop(v);
    vi_irq_update(v);
}

/* No line is there before the sensor has sent it. */
static void vi_lines_elapse(struct vi *v, uint32_t lines)
{
    const struct isp_config *c = &v->capture->isp;
    uint64_t active = v->board.sensor->period_ns / PERIOD_PARTS * ACTIVE_PARTS;
    uint64_t sent = v->sof_ns + active * v->next_y / c->height;
    struct trace *trace = v->board.trace;

    *v->board.work += (uint64_t)lines * MAX(c->width, c->sensor_width) * PIXEL_WORK;
    v->board.elapse(v->board.opaque, 0, 0);
    trace->now_ns = MAX(trace->now_ns, sent);
}

static bool vi_lines_run(struct vi *v)
{
    const struct isp_config *c = &v->capture->isp;
    uint32_t end = MIN(v->next_y + LINES, c->height), first = v->next_y;
    bool ok = true;

    while (ok && v->next_y < end) {
        ok = isp_config_raw(c)   ? vi_line_raw(v, v->next_y)
             : isp_config_yuv(c) ? vi_line_yuv(v, v->next_y)
                                 : vi_line_make(v, v->next_y);
        v->next_y++;
    }
    vi_lines_elapse(v, v->next_y - first);
    return ok;
}

static unsigned vi_ready(void *engine, struct engine_ready *out, bool *happened)
{
    struct vi *v = engine;

    (void)happened;
    *out = (struct engine_ready){ 0, v->captures ? v->capture[0].submitted : 0 };
    return v->captures > 0 && v->streams;
}

static void vi_run(void *engine, uint32_t queue)
{
    struct vi *v = engine;

    v->board.trace->channel = v->board.first_queue + queue + 1;
    if (!v->running) {
        vi_capture_begin(v);
    }
    if (v->status.status != VI_STATUS_SUCCESS || !vi_lines_run(v) ||
        v->next_y >= v->capture->isp.height) {
        vi_capture_end(v);
    }
    v->board.trace->channel = 0;
}

static void vi_dump(void *engine, void (*line)(void *opaque, const char *text), void *opaque)
{
    const struct vi *v = engine;
    char text[96];

    if (v->captures) {
        snprintf(text, sizeof(text), "vi: %u captures in the queue, the first %s, line %u",
                 v->captures,
                 !v->streams  ? "waits for a sensor that does not stream"
                 : v->running ? "runs"
                              : "has not begun",
                 v->running ? v->next_y : 0);
        line(opaque, text);
    }
}

/* --- the device ------------------------------------------------------------------------------- */

static uint64_t vi_iova(const struct vi *v, uint32_t msb)
{
    return (uint64_t)v->reg[msb / 4] << 32 | v->reg[msb / 4 + 1];
}

static void vi_isp_take(const struct vi *v, struct isp_config *c)
{
    const struct sensor *s = v->board.sensor;

    *c =
        (struct isp_config){ .format = FIELD_GET(VI_CSI_IMAGE_DEF_FORMAT, v->R(CSI_IMAGE_DEF)),
                             .type = s->type,
                             .sensor_width = s->width,
                             .sensor_height = s->height,
                             .x = FIELD_GET(VI_ISP_CROP_POS_X, v->R(ISP_CROP_POS)),
                             .y = FIELD_GET(VI_ISP_CROP_POS_Y, v->R(ISP_CROP_POS)),
                             .crop_width = FIELD_GET(VI_ISP_CROP_SIZE_WIDTH, v->R(ISP_CROP_SIZE)),
                             .crop_height = FIELD_GET(VI_ISP_CROP_SIZE_HEIGHT, v->R(ISP_CROP_SIZE)),
                             .width = FIELD_GET(VI_CSI_IMAGE_SIZE_WIDTH, v->R(CSI_IMAGE_SIZE)),
                             .height = FIELD_GET(VI_CSI_IMAGE_SIZE_HEIGHT, v->R(CSI_IMAGE_SIZE)) };
    if (!v->R(ISP_CROP_SIZE)) {
        c->crop_width = s->width;
        c->crop_height = s->height;
    }
}

static void vi_single_shot(struct vi *v)
{
    struct capture *c = &v->capture[v->captures];

    if (v->captures == VI_QUEUE) {
        vi_fail(v, VI_STATUS_ATOMP_FRAME_TOSSED);
        return;
    }
    *c = (struct capture){ .surface = { vi_iova(v, VI_CSI_SURFACE0_OFFSET_MSB),
                                        vi_iova(v, VI_CSI_SURFACE1_OFFSET_MSB) },
                           .stride = { v->R(CSI_SURFACE0_STRIDE), v->R(CSI_SURFACE1_STRIDE) },
                           .status_iova = vi_iova(v, VI_STATUS_OFFSET_MSB),
                           .sof = v->armed_sof,
                           .eof = { v->armed_eof[0], v->armed_eof[1] },
                           .number = ++v->number,
                           .submitted = v->submissions++,
                           .submitted_ns = v->board.trace->now_ns };
    vi_isp_take(v, &c->isp);
    v->captures++;
    v->armed_sof = v->armed_eof[0] = v->armed_eof[1] = 0;
    vi_record(v, TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, c->number, 0, 0);
}

/* Waits for what is dropped end. */
static void vi_captures_drop(struct vi *v)
{
    for (bool started = v->running; v->captures; started = false) {
        vi_syncpt(v, started ? 0 : v->capture[0].sof);
        vi_eof(v, &v->capture[0]);
        vi_capture_drop(v);
    }
    v->running = false;
}

static void vi_syncpt_arm(struct vi *v, uint32_t value)
{
    uint32_t id = FIELD_GET(VI_CFG_VI_INCR_SYNCPT_INDX, value);

    switch (FIELD_GET(VI_CFG_VI_INCR_SYNCPT_COND, value)) {
    case VI_COND_PP_FRAME_START:
        v->armed_sof = id;
        break;
    case VI_COND_MW_ACK_DONE:
        v->armed_eof[v->armed_eof[0] != 0] = id;
        break;
    default:
        break;
    }
}

static void vi_stream_set(struct vi *v, bool on)
{
    if (on && !v->streams) {
        v->first_ns = v->board.trace->now_ns + v->board.sensor->period_ns;
        v->next_frame = 0;
    }
    v->streams = on;
}

static void vi_reset(void *engine)
{
    struct vi *v = engine;

    memset(v->reg, 0, sizeof(v->reg));
    v->captures = 0;
    v->running = v->streams = false;
    v->armed_sof = v->armed_eof[0] = v->armed_eof[1] = v->number = v->irqstat = 0;
    vi_irq_update(v);
}

static uint32_t vi_read(void *engine, uint64_t offset)
{
    const struct vi *v = engine;
    const struct sensor *s = v->board.sensor;

    switch (offset) {
    case VI_SENSOR_SIZE:
        return s->height << 16 | s->width;
    case VI_SENSOR_TYPE:
        return s->type;
    case VI_SENSOR_PERIOD_NS:
        return (uint32_t)MIN(s->period_ns, UINT32_MAX);
    case VI_IRQSTAT:
        return v->irqstat;
    case VI_QUEUE_FREE:
        return VI_QUEUE - v->captures;
    case VI_SENSOR_STREAM:
        return v->streams;
    case VI_CSI_SINGLE_SHOT:
        return v->captures != 0;
    default:
        return v->reg[offset / 4];
    }
}

static void vi_write(void *engine, uint64_t offset, uint32_t val)
{
    struct vi *v = engine;

    switch (offset) {
    case VI_CFG_VI_INCR_SYNCPT:
        vi_syncpt_arm(v, val);
        break;
    case VI_CSI_SW_RESET:
        if (val) {
            vi_captures_drop(v);
        }
        break;
    case VI_CSI_SINGLE_SHOT:
        if (FIELD_GET(VI_CSI_SINGLE_SHOT_CAPTURE, val)) {
            vi_single_shot(v);
        }
        break;
    case VI_SENSOR_STREAM:
        vi_stream_set(v, val & 1);
        break;
    case VI_IRQSTAT:
        v->irqstat &= ~val;
        break;
    case VI_CSI_ERROR_STATUS:
        v->R(CSI_ERROR_STATUS) = 0;
        break;
    default:
        v->reg[offset / 4] = val;
        break;
    }
    vi_irq_update(v);
}

static const struct mmio_ops mmio = {
    .name = "vi",
    .size = WINDOW_BYTES,
    .reset = vi_reset,
    .read = vi_read,
    .write = vi_write,
};

/* A SoC without a camera has no such engine. */
static void *vi_new(const struct engine_board *board)
{
    const struct sensor *s = board->sensor;
    struct vi *v;

    if (!s || !s->line || s->width > SENSOR_SIZE_MAX || s->height > SENSOR_SIZE_MAX ||
        s->width < SENSOR_SIZE_MIN || s->height < SENSOR_SIZE_MIN || (s->width | s->height) & 1) {
        return NULL;
    }
    v = g_new0(struct vi, 1);
    v->board = *board;
    for (unsigned i = 0; i < G_N_ELEMENTS(v->raw); i++) {
        v->raw[i] = g_malloc0(sensor_line_bytes(s->type, s->width));
    }
    v->pixel = g_new0(struct isp_pixel, s->width);
    v->made[0] = g_new0(struct isp_pixel, VI_SIZE_MAX);
    v->made[1] = g_new0(struct isp_pixel, VI_SIZE_MAX);
    v->packed = g_malloc0(VI_SIZE_MAX * 4);
    vi_reset(v);
    return v;
}

static void vi_free(void *engine)
{
    struct vi *v = engine;

    for (unsigned i = 0; i < G_N_ELEMENTS(v->raw); i++) {
        g_free(v->raw[i]);
    }
    g_free(v->pixel);
    g_free(v->made[0]);
    g_free(v->made[1]);
    g_free(v->packed);
    g_free(v);
}

const struct engine_ops vi_engine_ops = {
    .mmio = &mmio,
    .new = vi_new,
    .free = vi_free,
    .ready = vi_ready,
    .run = vi_run,
    .dump = vi_dump,
};

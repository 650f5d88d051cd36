/* SPDX-License-Identifier: MIT */
/* What the camera is, and its formats. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/sensor.h"
#include "runtime/api/v4l2/v4l2.h"

#define LINE_ALIGN 64u /* upstream tegra210.c: SURFACE_ALIGN_BYTES */
#define SIZE_MIN 32u   /* upstream tegra210.c: TEGRA210_MIN_WIDTH, _HEIGHT */

/* @raw: the sensor's type, stored as it is; 0: any sensor. @bytes: of a pixel of plane 0 */
static const struct video_format {
    uint32_t fourcc;
    enum vi_format vi;
    unsigned raw, bytes;
    const char *text;
} formats[] = {
    { V4L2_PIX_FMT_UYVY, VI_T_U8_Y8__V8_Y8, 0, 2, "UYVY 4:2:2" },
    { V4L2_PIX_FMT_YUYV, VI_T_Y8_U8__Y8_V8, 0, 2, "YUYV 4:2:2" },
    { V4L2_PIX_FMT_NV12, VI_T_Y8__V8U8_N420, 0, 1, "Y/UV 4:2:0" },
    { V4L2_PIX_FMT_GREY, VI_T_L8, 0, 1, "8-bit Greyscale" },
    { V4L2_PIX_FMT_XBGR32, VI_T_A8R8G8B8, 0, 4, "32-bit BGRX 8-8-8-8" },
    { V4L2_PIX_FMT_RGBA32, VI_T_A8B8G8R8, 0, 4, "32-bit RGBA 8-8-8-8" },
    { V4L2_PIX_FMT_SRGGB8, VI_T_L8, SENSOR_RAW8, 1, "8-bit Bayer RGRG/GBGB" },
    { V4L2_PIX_FMT_SRGGB10, VI_T_R16_I, SENSOR_RAW10, 2, "10-bit Bayer RGRG/GBGB" },
    { V4L2_PIX_FMT_SRGGB12, VI_T_R16_I, SENSOR_RAW12, 2, "12-bit Bayer RGRG/GBGB" },
};

/* GREY of a RAW8 sensor would be the mosaic: the VI has one code for both. */
static bool format_there(const struct video_format *f)
{
    return f->raw ? f->raw == video.info.type
                  : !(f->fourcc == V4L2_PIX_FMT_GREY && video.info.type == SENSOR_RAW8);
}

static const struct video_format *format_find(uint32_t fourcc)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (formats[i].fourcc == fourcc && format_there(&formats[i])) {
            return &formats[i];
        }
    }
    return NULL;
}

enum vi_format video_format_vi(uint32_t fourcc)
{
    return format_find(fourcc)->vi;
}

int video_querycap(struct v4l2_capability *cap)
{
    memset(cap, 0, sizeof(*cap));
    strcpy((char *)cap->driver, "tegra-video");
    strcpy((char *)cap->card, "vi-output, vtegra");
    strcpy((char *)cap->bus_info, "platform:tegra-capture-vi:0");
    cap->version = 5 << 16 | 15 << 8;
    cap->device_caps =
        V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
    cap->capabilities = cap->device_caps | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

int video_enum_fmt(struct v4l2_fmtdesc *f)
{
    uint32_t left = f->index, index = f->index;

    if (f->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) {
        return -EINVAL;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (format_there(&formats[i]) && left-- == 0) {
            memset(f, 0, sizeof(*f));
            f->index = index;
            f->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
            f->pixelformat = formats[i].fourcc;
            snprintf((char *)f->description, sizeof(f->description), "%s", formats[i].text);
            return 0;
        }
    }
    return -EINVAL;
}

/* --- the format ------------------------------------------------------------------------------- */

/* As upstream's tegra_channel_try_format(): what is not possible becomes what is. */
static void format_fit(struct v4l2_pix_format *p)
{
    const struct video_format *f = format_find(p->pixelformat);
    uint32_t least;

    f = f ? f : &formats[0];
    p->pixelformat = f->fourcc;
    p->width = f->raw ? video.info.width : CLAMP(p->width & ~1u, SIZE_MIN, VI_SIZE_MAX);
    p->height = f->raw ? video.info.height : CLAMP(p->height & ~1u, SIZE_MIN, VI_SIZE_MAX);
    least = p->width * f->bytes;
    p->bytesperline = CLAMP(p->bytesperline, least, 65536);
    p->bytesperline = (p->bytesperline + LINE_ALIGN - 1) & ~(LINE_ALIGN - 1);
    p->sizeimage = p->bytesperline * p->height;
    if (f->vi == VI_T_Y8__V8U8_N420) {
        p->sizeimage += p->sizeimage / 2;
    }
    p->field = V4L2_FIELD_NONE;
    p->colorspace = f->raw          ? V4L2_COLORSPACE_RAW
                    : f->bytes == 4 ? V4L2_COLORSPACE_SRGB
                                    : V4L2_COLORSPACE_SMPTE170M;
    p->priv = 0;
    p->flags = p->ycbcr_enc = p->quantization = p->xfer_func = 0;
}

void video_format_default(void)
{
    video.format = (struct v4l2_pix_format){ .width = video.info.width,
                                             .height = video.info.height,
                                             .pixelformat = V4L2_PIX_FMT_UYVY };
    format_fit(&video.format);
}

int video_g_fmt(struct v4l2_format *f)
{
    if (f->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) {
        return -EINVAL;
    }
    f->fmt.pix = video.format;
    return 0;
}

int video_try_fmt(struct v4l2_format *f)
{
    if (f->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) {
        return -EINVAL;
    }
    format_fit(&f->fmt.pix);
    return 0;
}

int video_s_fmt(struct v4l2_format *f)
{
    int err = video_try_fmt(f);

    if (!err && video.buffers) {
        return -EBUSY;
    }
    if (!err) {
        video.format = f->fmt.pix;
    }
    return err;
}

/* --- sizes and rates -------------------------------------------------------------------------- */

int video_enum_framesizes(struct v4l2_frmsizeenum *f)
{
    if (f->index || !format_find(f->pixel_format)) {
        return -EINVAL;
    }
    f->type = V4L2_FRMSIZE_TYPE_DISCRETE; /* the sensor's; the ISP scales to others */
    f->discrete.width = video.info.width;
    f->discrete.height = video.info.height;
    return 0;
}

static struct v4l2_fract format_period(void)
{
    return (struct v4l2_fract){ (uint32_t)(video.info.period_ns / 1000), 1000000 };
}

int video_enum_frameintervals(struct v4l2_frmivalenum *f)
{
    if (f->index || !format_find(f->pixel_format)) {
        return -EINVAL;
    }
    f->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    f->discrete = format_period();
    return 0;
}

int video_g_parm(struct v4l2_streamparm *p)
{
    if (p->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) {
        return -EINVAL;
    }
    memset(&p->parm, 0, sizeof(p->parm));
    p->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    p->parm.capture.timeperframe = format_period();
    p->parm.capture.readbuffers = 1;
    return 0;
}

int video_enuminput(struct v4l2_input *input)
{
    if (input->index) {
        return -EINVAL;
    }
    memset(input, 0, sizeof(*input));
    strcpy((char *)input->name, "Camera 0");
    input->type = V4L2_INPUT_TYPE_CAMERA;
    return 0;
}

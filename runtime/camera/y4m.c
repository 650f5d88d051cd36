/* SPDX-License-Identifier: MIT */
/* YUV4MPEG2 (mjpegtools' yuv4mpeg(5)), 8 bits: as a YUV 4:2:2 sensor would send it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/camera/camera_internal.h"

/* Lines of chroma of 4:2:0 stand for two; of 4:4:4 the pair's even sample is sent. */
static bool y4m_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    struct camera *c = opaque;
    const struct camera_frame *f =
        &g_array_index(c->frames, struct camera_frame, frame % c->frames->len);
    uint32_t width = c->sensor.width, step = c->chroma_width == width ? 2 : 1;
    uint64_t luma = (uint64_t)width * c->sensor.height,
             plane = (uint64_t)c->chroma_width * c->chroma_height;
    uint64_t at = f->at + (uint64_t)y * width,
             row = c->chroma_height == c->sensor.height ? y : y / 2;

    if (at + width > f->end || !camera_pread(f->fd, c->buffer, width, at)) {
        return false;
    }
    for (uint32_t x = 0; x < width; x++) {
        out[x * 2 + 1] = c->buffer[x];
        out[x * 2] = 128;
    }
    for (unsigned k = 0; k < c->chroma; k++) {
        at = f->at + luma + k * plane + row * c->chroma_width;
        if (at + c->chroma_width > f->end || !camera_pread(f->fd, c->buffer, c->chroma_width, at)) {
            return false;
        }
        for (uint32_t x = 0; x < width / 2; x++) {
            out[x * 4 + k * 2] = c->buffer[x * step];
        }
    }
    return true;
}

static char *y4m_colours(struct camera *c, const char *word)
{
    bool sub = strcmp(word, "420") == 0 || strcmp(word, "420jpeg") == 0 ||
               strcmp(word, "420mpeg2") == 0 || strcmp(word, "420paldv") == 0;

    if (!sub && strcmp(word, "422") != 0 && strcmp(word, "444") != 0 && strcmp(word, "mono") != 0) {
        return g_strdup_printf("colours %s: supported are 420, 420jpeg, 420mpeg2, 420paldv, 422, "
                               "444 and mono, of 8 bits",
                               word);
    }
    c->chroma = strcmp(word, "mono") == 0 ? 0 : 2;
    c->chroma_width = strcmp(word, "444") == 0 ? c->sensor.width : c->sensor.width / 2;
    c->chroma_height = sub ? c->sensor.height / 2 : c->sensor.height;
    return NULL;
}

/* Words of the first line, each a letter and a value. */
static char *y4m_head(struct camera *c, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    unsigned width = 0, height = 0, num = 30, den = 1;
    const char *colours = "420";
    char *why;

    for (unsigned i = 1; words[i]; i++) {
        if (words[i][0] == 'W' || words[i][0] == 'H') {
            *(words[i][0] == 'W' ? &width : &height) =
                (unsigned)g_ascii_strtoull(words[i] + 1, NULL, 10);
        } else if (words[i][0] == 'F' &&
                   (sscanf(words[i], "F%u:%u", &num, &den) != 2 || !num || !den)) {
            return g_strdup_printf("%s is no frame rate", words[i]);
        } else if (words[i][0] == 'C') {
            colours = words[i] + 1;
        } else if (words[i][0] == 'I' && words[i][1] != 'p' && words[i][1] != '?') {
            return g_strdup("interlaced frames are not supported");
        }
    }
    why = camera_size_check(width, height);
    if (why) {
        return why;
    }
    c->sensor.type = SENSOR_YUV422_8;
    c->sensor.width = width;
    c->sensor.height = height;
    c->sensor.period_ns = MAX(UINT64_C(1000000000) * den / num, 1000000);
    return y4m_colours(c, colours);
}

char *camera_y4m_read(struct camera *c, int fd)
{
    char line[256];
    unsigned n = camera_text_line(fd, 0, line);
    uint64_t size, bytes, at = n;
    struct stat st;
    char *why = n ? y4m_head(c, line) : g_strdup("its first line has no end within 255 bytes");

    if (why) {
        return why;
    }
    size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    bytes = (uint64_t)c->sensor.width * c->sensor.height +
            (uint64_t)c->chroma * c->chroma_width * c->chroma_height;
    while (at < size && (n = camera_text_line(fd, at, line)) != 0) {
        if (strncmp(line, "FRAME", 5) != 0) {
            return g_strdup_printf("at byte %" G_GUINT64_FORMAT " no FRAME begins", at);
        }
        at += n;
        if (at < size) {
            camera_frame_add(c, fd, at, MIN(at + bytes, size));
        }
        at += bytes;
    }
    c->sensor.line = y4m_line;
    return NULL;
}

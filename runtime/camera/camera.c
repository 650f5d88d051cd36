/* SPDX-License-Identifier: MIT */
/* Which kind of source a name is, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/camera/camera_internal.h"

bool camera_pread(int fd, void *out, uint64_t bytes, uint64_t at)
{
    uint8_t *to = out;

    while (bytes) {
        ssize_t n = pread(fd, to, bytes, (off_t)at);

        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        to += n;
        at += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return true;
}

unsigned camera_text_line(int fd, uint64_t at, char text[256])
{
    ssize_t n = pread(fd, text, 255, (off_t)at);
    char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;

    if (!end) {
        return 0;
    }
    *end = '\0';
    return (unsigned)(end - text) + 1;
}

char *camera_size_check(uint64_t width, uint64_t height)
{
    if (width < SENSOR_SIZE_MIN || height < SENSOR_SIZE_MIN || width > SENSOR_SIZE_MAX ||
        height > SENSOR_SIZE_MAX || width % 2 || height % 2) {
        return g_strdup_printf("%" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT
                               ": width and height are even numbers from %d to %d",
                               width, height, SENSOR_SIZE_MIN, SENSOR_SIZE_MAX);
    }
    return NULL;
}

void camera_frame_add(struct camera *c, int fd, uint64_t at, uint64_t end)
{
    struct camera_frame f = { fd, at, end };

    g_array_append_val(c->frames, f);
}

/* --- lines of a file -------------------------------------------------------------------------- */

static bool camera_file_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    const struct camera *c = opaque;
    const struct camera_frame *f =
        &g_array_index(c->frames, struct camera_frame, frame % c->frames->len);
    uint64_t bytes = sensor_line_bytes(c->sensor.type, c->sensor.width), at = f->at + y * bytes;

    return at + bytes <= f->end && camera_pread(f->fd, out, bytes, at);
}

/* --- sources ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum sensor_type type;
} types[] = {
    { "yuv", SENSOR_YUV422_8 }, { "rgb", SENSOR_RGB888 },  { "raw8", SENSOR_RAW8 },
    { "raw10", SENSOR_RAW10 },  { "raw12", SENSOR_RAW12 },
};

static bool camera_type_find(const char *name, enum sensor_type *out)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return false;
}

/* Of "WxH@FPS"; *@rest: what stands behind. */
static char *camera_size_read(struct camera *c, const char *text, const char **rest)
{
    unsigned width, height, fps;
    int used = 0;
    char *why;

    if (sscanf(text, "%5ux%5u@%5u%n", &width, &height, &fps, &used) != 3 || fps == 0 ||
        fps > 1000) {
        return g_strdup(
            "the size is written WxH@FPS, as in 640x480@30, with 1 to 1000 frames a second");
    }
    why = camera_size_check(width, height);
    if (!why) {
        c->sensor.width = width;
        c->sensor.height = height;
        c->sensor.period_ns = UINT64_C(1000000000) / fps;
        *rest = text + used;
    }
    return why;
}

static char *camera_pattern_open(struct camera *c, const char *text)
{
    const char *rest = "";
    char *why = camera_size_read(c, text, &rest);

    if (why) {
        return why;
    }
    c->sensor.type = SENSOR_YUV422_8;
    c->sensor.line = camera_pattern_line;
    return *rest == '\0' || (*rest == ':' && camera_type_find(rest + 1, &c->sensor.type))
               ? NULL
               : g_strdup("behind the size stands nothing, or :yuv, :rgb, :raw8, :raw10, :raw12");
}

#define CAMERA_SOURCES                                                             \
    "a camera is a Y4M or PPM file, a folder of PPM files, raw8:WxH@FPS:FILE, or " \
    "pattern:WxH@FPS"

static int camera_file_open(struct camera *c, const char *path, char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        *why = g_strdup_printf("%s: " CAMERA_SOURCES, g_strerror(errno));
    } else {
        g_array_append_val(c->fds, fd);
    }
    return fd;
}

static char *camera_raw_open(struct camera *c, enum sensor_type type, const char *text)
{
    const char *rest = "";
    char *why = camera_size_read(c, text, &rest);
    uint64_t bytes, size;
    struct stat st;
    int fd;

    if (why || *rest != ':') {
        return why ? why : g_strdup("the name of a file stands behind the size: raw8:WxH@FPS:FILE");
    }
    fd = camera_file_open(c, rest + 1, &why);
    if (fd < 0) {
        return why;
    }
    size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    c->sensor.type = type;
    bytes = (uint64_t)sensor_line_bytes(type, c->sensor.width) * c->sensor.height;
    for (uint64_t at = 0; at < size; at += bytes) {
        camera_frame_add(c, fd, at, MIN(at + bytes, size));
    }
    return NULL;
}

static char *camera_path_open(struct camera *c, const char *path)
{
    char *why = NULL, magic[10] = "";
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        return camera_folder_read(c, path);
    }
    fd = camera_file_open(c, path, &why);
    if (fd < 0) {
        return why;
    }
    if (!camera_pread(fd, magic, 2, 0)) {
        return g_strdup("the file is empty");
    }
    camera_pread(fd, magic, 9, 0);
    return memcmp(magic, "P6", 2) == 0 ? camera_ppm_read(c, fd)
           : memcmp(magic, "YUV4MPEG2", 9) == 0
               ? camera_y4m_read(c, fd)
               : g_strdup("neither YUV4MPEG2 (Y4M) nor P6 (PPM): raw Bayer is written "
                          "raw8:WxH@FPS:FILE, a test pattern pattern:WxH@FPS");
}

static char *camera_source_open(struct camera *c, const char *source)
{
    const char *colon = strchr(source, ':');
    enum sensor_type type;
    char *why;

    if (g_str_has_prefix(source, "pattern:")) {
        return camera_pattern_open(c, source + 8);
    }
    c->frames = g_array_new(FALSE, FALSE, sizeof(struct camera_frame));
    c->sensor.line = camera_file_line;
    if (colon && g_str_has_prefix(source, "raw")) {
        g_autofree char *name = g_strndup(source, (size_t)(colon - source));

        why = camera_type_find(name, &type)
                  ? camera_raw_open(c, type, colon + 1)
                  : g_strdup("raw Bayer has 8, 10 or 12 bits: raw8, raw10, raw12");
    } else {
        why = camera_path_open(c, source);
    }
    return why ? why : c->frames->len ? NULL : g_strdup("there is no frame in it");
}

struct camera *camera_open(const char *source, char **why)
{
    struct camera *c = g_new0(struct camera, 1);

    c->fds = g_array_new(FALSE, FALSE, sizeof(int));
    *why = camera_source_open(c, source);
    if (*why) {
        camera_close(c);
        return NULL;
    }
    c->sensor.opaque = c;
    c->buffer = g_malloc0((gsize)c->sensor.width * 4);
    return c;
}

void camera_close(struct camera *c)
{
    if (c) {
        for (guint i = 0; i < c->fds->len; i++) {
            close(g_array_index(c->fds, int, i));
        }
        g_array_unref(c->fds);
        if (c->frames) {
            g_array_unref(c->frames);
        }
        g_free(c->buffer);
        g_free(c);
    }
}

const struct sensor *camera_sensor(const struct camera *c)
{
    return &c->sensor;
}

uint64_t camera_frames(const struct camera *c)
{
    return c->frames ? c->frames->len : 0;
}

/* SPDX-License-Identifier: MIT */
/* PPM (netpbm's ppm(5)): P6, 255 levels, several in a file or in a folder. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/camera/camera_internal.h"

#define PERIOD_NS 33333333u /* of files that do not say it */

/* The number behind blanks and comments. Return: where it ends; 0: there is none */
static unsigned ppm_number(const char *head, unsigned at, unsigned bytes, unsigned *out)
{
    bool comment = false, any = false;

    for (; at < bytes && (comment || head[at] == '#' || g_ascii_isspace(head[at])); at++) {
        comment = head[at] == '#' || (comment && head[at] != '\n');
    }
    for (*out = 0; at < bytes && g_ascii_isdigit(head[at]) && *out < 1000000; at++) {
        *out = *out * 10 + (unsigned)(head[at] - '0');
        any = true;
    }
    return any && at < bytes ? at : 0;
}

/* One picture from @at on; *@next: behind it. */
static char *ppm_picture(struct camera *c, int fd, uint64_t at, uint64_t size, uint64_t *next)
{
    char head[1024];
    unsigned bytes = (unsigned)MIN(size - at, sizeof(head)), width, height, levels, n;
    char *why;

    if (!camera_pread(fd, head, bytes, at) || bytes < 2 || memcmp(head, "P6", 2) != 0) {
        return g_strdup_printf("at byte %" G_GUINT64_FORMAT " no P6 begins", at);
    }
    n = ppm_number(head, 2, bytes, &width);
    n = n ? ppm_number(head, n, bytes, &height) : 0;
    n = n ? ppm_number(head, n, bytes, &levels) : 0;
    if (!n) {
        return g_strdup("the head of a P6 is cut off");
    }
    if (levels != 255) {
        return g_strdup_printf("%u levels: only 255, 8 bits a component, are supported", levels);
    }
    why = camera_size_check(width, height);
    if (why) {
        return why;
    }
    if (c->frames->len && (width != c->sensor.width || height != c->sensor.height)) {
        return g_strdup_printf("a picture of %ux%u follows one of %ux%u", width, height,
                               c->sensor.width, c->sensor.height);
    }
    c->sensor.type = SENSOR_RGB888;
    c->sensor.width = width;
    c->sensor.height = height;
    c->sensor.period_ns = PERIOD_NS;
    at += n + 1; /* one blank behind the levels */
    *next = at + (uint64_t)width * height * 3;
    if (at < size) {
        camera_frame_add(c, fd, at, MIN(*next, size));
    }
    return NULL;
}

char *camera_ppm_read(struct camera *c, int fd)
{
    struct stat st;
    uint64_t size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0, at = 0;
    char *why = NULL;

    while (!why && at < size) {
        why = ppm_picture(c, fd, at, size, &at);
    }
    return why;
}

static gint ppm_names_compare(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *camera_folder_read(struct camera *c, const char *path)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;
    char *why = NULL;

    while (dir && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".ppm")) {
            g_ptr_array_add(names, g_build_filename(path, name, NULL));
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    g_ptr_array_sort(names, ppm_names_compare);
    for (guint i = 0; i < names->len && !why; i++) {
        int fd = open(names->pdata[i], O_RDONLY | O_CLOEXEC);
        char *text = fd < 0 ? g_strdup(g_strerror(errno)) : camera_ppm_read(c, fd);

        if (fd >= 0) {
            g_array_append_val(c->fds, fd);
        }
        why = text ? g_strdup_printf("%s: %s", (char *)names->pdata[i], text) : NULL;
        g_free(text);
    }
    return why || names->len ? why : g_strdup("there is no *.ppm in the folder");
}

/* SPDX-License-Identifier: MIT */
/* EGLImages that one side uses while the other's work on them is pending. CUDA for Tegra 5.2:
 * "EGLImage interop does not provide implicit synchronization". OpenGL's work is pending where its
 * pixels differ from those that CUDA has been given at a glFinish() or by a fence; CUDA's, where
 * the CPU has waited for a kernel or copy by no means. Which image a kernel uses is known when it
 * has run: checker/rules/image_rule.c. A fence counts for all streams, whichever waits for it. */
#include <string.h>

#include "checker/rules/image_rule.h"
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/interop/egl/egl_image.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/grid.h"

static struct image_turn turn_of(const struct egl_image *i, enum image_turn_kind kind,
                                 const char *call)
{
    const struct array *a = array_find(i->array);
    const struct region *r = a ? region_at(array_va(a)) : NULL;

    return (struct image_turn){ .kind = kind,
                                .region = r ? region_id(r) : 0,
                                .grids = grid_last(),
                                .number = i->number,
                                .width = i->width,
                                .height = i->height,
                                .call = call };
}

static void egl_image_check_tell(const struct egl_image *i, enum image_turn_kind kind,
                                 const char *call)
{
    struct image_turn turn = turn_of(i, kind, call);

    if (turn.region) {
        check_image(core_check(), &turn);
    }
}

/* What CUDA has of GL's, or will have in order of a stream. */
static uint8_t *egl_image_check_given(const struct egl_image *i)
{
    uint8_t *pixels = g_memdup2(i->met, egl_image_bytes(i));

    for (const struct egl_arrival *a = i->arrivals; a; a = a->next) {
        for (size_t n = 0; n < egl_image_bytes(i); n++) {
            pixels[n] = a->gl[n] != a->base[n] ? a->gl[n] : pixels[n];
        }
    }
    return pixels;
}

/* Return: OpenGL's work on the image is pending. @call: its newest command. */
static bool egl_image_check_drawn(struct egl_image *i, const char **call)
{
    g_autofree uint8_t *has = NULL;
    bool now;

    if (!egl_image_calls->now(i->egl, i->again, i->gl, call)) {
        return i->drawn;
    }
    i->again = false;
    egl_image_settle(i);
    has = i->arrivals ? egl_image_check_given(i) : NULL;
    now = memcmp(i->gl, has ? has : i->met, egl_image_bytes(i)) != 0;
    if (now != i->drawn) {
        i->drawn = now;
        egl_image_check_tell(i, now ? IMAGE_DRAWN : IMAGE_MET, *call);
    }
    return now;
}

void egl_image_registered(const struct egl_image *i)
{
    egl_image_check_tell(i, IMAGE_MET, "glFinish");
}

void egl_image_met(struct egl_image *i)
{
    if (i->drawn) {
        i->drawn = false;
        egl_image_check_tell(i, IMAGE_MET, "glFinish");
    }
}

static void egl_image_check_launching(void)
{
    const char *call = "glFinish";

    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        i->touched = true; /* any kernel may have a surface of it */
        egl_image_check_drawn(i, &call);
    }
}

static bool is_of(const struct region *r, const struct array *a)
{
    return r && a && region_at(array_va(a)) == r;
}

static void egl_image_check_copying(const struct region *src, const struct region *dst)
{
    const char *call = "glFinish";

    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        const struct array *a = array_find(i->array);
        bool writes = is_of(dst, a);

        if (!writes && !is_of(src, a)) {
            continue;
        }
        i->touched |= writes;
        i->copied |= writes;
        if (egl_image_check_drawn(i, &call)) {
            report_finding(&check_rules[CHECK_RULE_EGL_IMAGE_GL_PENDING],
                           region_id(region_at(array_va(a))), 0, 0, NULL,
                           "a copy or fill %s EGLImage %u (%u x %u), into which OpenGL has drawn "
                           "since its last glFinish() or fence (%s): the pixels may be the older "
                           "ones",
                           writes ? "writes" : "reads", i->number, i->width, i->height, call);
        }
        if (i->destroyed) {
            report_finding(&check_rules[CHECK_RULE_EGL_IMAGE_DESTROYED],
                           region_id(region_at(array_va(a))), 0, 0, NULL,
                           "a copy or fill uses EGLImage %u (%u x %u), which the program has "
                           "destroyed",
                           i->number, i->width, i->height);
        }
    }
}

void egl_image_check_init(void)
{
    notify_launching_add(egl_image_check_launching);
    notify_copying_add(egl_image_check_copying);
}

struct egl_image *egl_image_find(const void *egl)
{
    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        if (i->egl == egl) {
            return i;
        }
    }
    return NULL;
}

bool rt_egl_images_busy(void)
{
    GArray *pending;
    bool busy;

    if (!egl_images_any() || core_enter_any()) {
        return false;
    }
    pending = inuse_pending();
    busy = pending->len > 0 && egl_images.count > 0;
    g_array_unref(pending);
    core_leave(CUDA_SUCCESS);
    return busy;
}

/* eglWaitSyncKHR() has made OpenGL wait, but not the program. Of one context's commands, it counts
 * for all. */
static GArray *gl_known;

void egl_images_waited(const struct egl_point *point)
{
    clock_add(&gl_known, point->fence);
    clock_merge(&gl_known, point->known);
}

static void egl_image_check_used(const struct egl_image *i, const char *call, bool writes)
{
    g_autoptr(GArray) pending = inuse_pending();
    g_autoptr(GArray) grids = inuse_grids(pending, gl_known);
    const struct array *a = array_find(i->array);
    const struct region *r = a ? region_at(array_va(a)) : NULL;
    g_autofree char *copier = r ? inuse_copier(pending, gl_known, r, writes) : NULL;
    struct image_turn turn = turn_of(i, IMAGE_USED, call);

    if (copier) {
        report_finding(
            &check_rules[CHECK_RULE_EGL_IMAGE_CUDA_PENDING], region_id(r), 0, 0, NULL,
            "%s %s EGLImage %u (%u x %u), which %s still uses: nothing has waited for it", call,
            writes ? "draws into" : "reads", i->number, i->width, i->height, copier);
    }
    if (turn.region && grids->len) {
        turn.writes = writes;
        turn.pending = (const uint32_t *)(const void *)grids->data;
        turn.n_pending = grids->len;
        check_image(core_check(), &turn);
    }
}

void rt_egl_image_used(void *image, const char *call, bool writes)
{
    const struct egl_image *i;

    if (!egl_images_any() || core_enter_any()) {
        return;
    }
    i = egl_image_find(image);
    if (i) {
        egl_image_check_used(i, call, writes);
    }
    core_leave(CUDA_SUCCESS);
}

/* EGL_KHR_image_base: "the image and its siblings exist until all are destroyed". */
bool rt_egl_image_destroyed(void *image)
{
    bool any = false;

    if (!egl_images_any() || core_enter_any()) {
        return false;
    }
    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        if (i->egl == image) {
            any = i->destroyed = true;
            egl_image_check_tell(i, IMAGE_DESTROYED, "eglDestroyImageKHR");
        }
    }
    core_leave(CUDA_SUCCESS);
    return any;
}

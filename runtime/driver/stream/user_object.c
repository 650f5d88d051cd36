/* SPDX-License-Identifier: MIT */
/* User objects: counted, held by the application and by graphs; the last release calls back. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/stream/graph.h"
#include "runtime/driver/stream/stream_internal.h"

struct user_object {
    struct object base;
    CUhostFn destroy;
    void *ptr;
};

/* The reference forbids CUDA calls in the destructor, so the lock may be held. */
static void user_object_end(void *object)
{
    struct user_object *o = object;

    object_close(&o->base);
    core_in_callback(true);
    o->destroy(o->ptr);
    core_in_callback(false);
}

static const struct object_kind user_object_kind = { .name = "user object",
                                                     .type = HANDLE_USER_OBJECT,
                                                     .end = user_object_end };

/* The program may release more than it holds. */
static void user_object_release(struct user_object *o, unsigned count)
{
    object_unref_many(&o->base, MIN(count, o->base.refs));
}

void user_object_retain_all(const GArray *objects)
{
    for (guint i = 0; i < objects->len; i++) {
        const struct graph_object *o = &g_array_index(objects, struct graph_object, i);

        object_ref_many(&o->object->base, o->count);
    }
}

void user_object_release_all(GArray *objects)
{
    for (guint i = 0; i < objects->len; i++) {
        const struct graph_object *o = &g_array_index(objects, struct graph_object, i);

        user_object_release(o->object, o->count);
    }
    g_array_set_size(objects, 0);
}

/* A destructor cannot be waited for through the API, so NO_DESTRUCTOR_SYNC has to be said. */
CUresult rt_user_object_create(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned count,
                               unsigned flags)
{
    struct user_object *o;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!object || !destroy || !count || count > INT_MAX ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = object_room("cuUserObjectCreate", 1, "user object");
    if (error) {
        return core_leave(error);
    }
    o = object_new(&user_object_kind, sizeof(*o), NULL);
    object_ref_many(&o->base, count - 1);
    o->destroy = destroy;
    o->ptr = ptr;
    *object = object_open(&o->base);
    return core_leave(CUDA_SUCCESS);
}

static CUresult user_object_enter(CUuserObject handle, unsigned count, struct user_object **o)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *o = handle_find(HANDLE_USER_OBJECT, handle);
    return *o && count && count <= INT_MAX ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_user_object_retain(CUuserObject object, unsigned count)
{
    struct user_object *o;
    CUresult error = user_object_enter(object, count, &o);

    if (error) {
        return error;
    }
    object_ref_many(&o->base, count);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_user_object_release(CUuserObject object, unsigned count)
{
    struct user_object *o;
    CUresult error = user_object_enter(object, count, &o);

    if (error) {
        return error;
    }
    user_object_release(o, count);
    return core_leave(CUDA_SUCCESS);
}

static struct graph_object *user_object_held(struct graph *g, const struct user_object *o)
{
    for (guint i = 0; i < g->objects->len; i++) {
        struct graph_object *h = &g_array_index(g->objects, struct graph_object, i);

        if (h->object == o) {
            return h;
        }
    }
    return NULL;
}

CUresult rt_graph_retain_object(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    struct user_object *o;
    struct graph_object *h;
    struct graph *g;
    CUresult error = user_object_enter(object, count, &o);

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!g || (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    h = user_object_held(g, o);
    if (!h) {
        struct graph_object entry = { o, 0 };

        g_array_append_val(g->objects, entry);
        h = user_object_held(g, o);
    }
    h->count += count;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) {
        object_ref_many(&o->base, count);
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_release_object(CUgraph graph, CUuserObject object, unsigned count)
{
    struct user_object *o;
    struct graph_object *h;
    struct graph *g;
    CUresult error = user_object_enter(object, count, &o);

    if (error) {
        return error;
    }
    g = graph_find(graph);
    h = g ? user_object_held(g, o) : NULL;
    if (!h) { /* measured: a graph that holds none has none to release */
        return core_leave(g ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    count = MIN(count, h->count);
    h->count -= count;
    if (!h->count) {
        g_array_remove_index(g->objects,
                             (guint)(h - &g_array_index(g->objects, struct graph_object, 0)));
    }
    user_object_release(o, count);
    return core_leave(CUDA_SUCCESS);
}

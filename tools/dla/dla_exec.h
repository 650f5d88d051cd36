/* SPDX-License-Identifier: MIT */
/* A loadable on the model's DLA, over plain memory. */
#ifndef TOOLS_DLA_EXEC_H
#define TOOLS_DLA_EXEC_H

#include "model/dla/dla.h"
#include "tools/dla/dla_layout.h"

/* What the DLA sees: the memories of @f. */
struct dla_memory_port {
    struct dla_port port;
    struct dla_net_file *f;
};
extern const struct dla_port_ops dla_memory_port_ops;

/* Memory of the @n-th input or output (@flag: LOADABLE_INPUT ...), by bind_id; -1: there are not so
 * many. */
int dla_net_end(const struct dla_net_file *f, unsigned flag, unsigned n);

/**
 * dla_exec_open - a loadable that takes and gives real numbers
 * @bytes, @len: the file; taken over, g_free()
 *
 * Return: NULL with @error.
 */
struct dla_exec *dla_exec_open(gchar *bytes, gsize len, GError **error);
void dla_exec_close(struct dla_exec *e);
/* The numbers of input @n, or of output @n: channel, line, column. */
gboolean dla_exec_put(struct dla_exec *e, unsigned n, const float *v, size_t count, GError **error);
gboolean dla_exec_get(struct dla_exec *e, unsigned n, float *v, size_t count, GError **error);
/* The same from a file, as vtegra dla run reads it; @a: what went in, array_free() it. */
gboolean dla_exec_load(struct dla_exec *e, unsigned n, const char *path, struct array *a,
                       GError **error);
/* During runs: what each operation of a layer wrote, under the layer's name. */
typedef void dla_exec_seen(void *opaque, const char *layer, const struct array *a);
void dla_exec_watch(struct dla_exec *e, dla_exec_seen *seen, void *opaque);
gboolean dla_exec_run(struct dla_exec *e, GError **error);

#endif

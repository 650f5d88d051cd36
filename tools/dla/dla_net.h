/* SPDX-License-Identifier: MIT */
/* A loadable in memory: its file, its memories filled, and the networks of its tasks by entry.
 * What vtegra dla inspect, run and build share. */
#ifndef TOOLS_DLA_NET_H
#define TOOLS_DLA_NET_H

#include <glib.h>

#include "loadable/desc.h"
#include "loadable/loadable.h"

#define DLA_TOOL_ERROR g_quark_from_static_string("vtegra-dla")

/**
 * struct dla_net_file - a loadable file and the memories it describes
 * @memory: bytes of l->memory[i], filled with its blobs
 * @iova: where the DLA sees memory[i]
 */
struct dla_net_file {
    char *path;
    gchar *bytes;
    gsize len;
    struct loadable *l;
    uint8_t **memory;
    uint64_t *iova;
};

/** dla_net_open - read a loadable and fill its memories. Return: NULL with @error set. */
struct dla_net_file *dla_net_open(const char *path, GError **error);
/* The same for @len bytes, which it takes over and frees with g_free(); @path is for errors. */
struct dla_net_file *dla_net_from_bytes(const char *path, gchar *bytes, gsize len, GError **error);
void dla_net_close(struct dla_net_file *f);

/* Bytes at an IOVA of the loadable's memories, NULL if @len of them are not all there. */
uint8_t *dla_net_bytes(const struct dla_net_file *f, uint64_t iova, uint64_t len);
/**
 * dla_net_pages - what the DLA reads: nvdla/sw's driver gives a memory whole pages
 * (kmd/port/linux/nvdla_gem.c), and its compiler counts on it: a bias of 20 channels has 40 bytes,
 * of which the DLA reads two atoms of 32
 */
const uint8_t *dla_net_pages(const struct dla_net_file *f, uint64_t iova, uint64_t len);
/* "conv1" for operation @index of a loadable that names them; NULL else. Free it. */
char *dla_net_name(const struct dla_net_file *f, unsigned task, unsigned index);
/* What operation @index writes of its layer's result; FALSE: all of it. */
struct dla_net_part {
    unsigned channel, line, channels, lines;
};
gboolean dla_net_part(const struct dla_net_file *f, unsigned task, unsigned index,
                      struct dla_net_part *part);
/* What 1 of the int8 tensor @name stands for; 0: the loadable does not say. */
double dla_net_scale(const struct dla_net_file *f, const char *name);
/* The hardware configuration that the loadable names; NULL if it does not. Free it. */
char *dla_net_config(const struct dla_net_file *f);

/**
 * struct dla_net - the network of a task for the DLA
 * @address, @size: its buffers by index: where the DLA sees them
 * @cube_bytes: 28 or 32; 0: descriptors of another DLA (Orin's are not published)
 * @desc: the network descriptor
 * @cpu: a task for the CPU (dla_emu.h), of @cpu_operations; then @operations is 0
 */
struct dla_net {
    const struct dla_net_file *file;
    const struct loadable_task *task;
    unsigned index;
    uint64_t *address, *size;
    unsigned addresses;
    struct loadable_version version;
    unsigned cube_bytes;
    unsigned operations, luts;
    const uint8_t *desc;
    gboolean cpu;
    unsigned cpu_operations;
};

/**
 * dla_net_init - the network of task @index; every list is checked to hold what it should
 *
 * Return: FALSE with @error set ("operation_list[3]: ..."); @net then still holds what was
 * understood. dla_net_free() in both cases.
 */
gboolean dla_net_init(struct dla_net *net, const struct dla_net_file *f, unsigned index,
                      GError **error);
void dla_net_free(struct dla_net *net);

/* Entries of the lists of a network that dla_net_init() has accepted. */
const uint8_t *dla_net_common(const struct dla_net *net, unsigned i);
const uint8_t *dla_net_operation(const struct dla_net *net, unsigned i);
const uint8_t *dla_net_surface(const struct dla_net *net, unsigned i);
const uint8_t *dla_net_lut(const struct dla_net *net, unsigned i);
enum desc_op dla_net_op(const struct dla_net *net, unsigned i);

#endif

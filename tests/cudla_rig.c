/* SPDX-License-Identifier: MIT */
#include "tests/cudla_rig.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/desc.h"
#include "loadable/writer.h"

#define TASKS_MAX 4u
/* Memories: of each task its network, operations, surfaces, graph; then input, output, between. */
enum { PARTS = 4, INPUT = PARTS * TASKS_MAX, OUTPUT, BETWEEN, MEMORIES };
enum { ADDRESSES = 6 };

/* All bytes that lists point to, for the time of loadable_write(). */
struct rig {
    const struct rig_net *net;
    uint8_t network[TASKS_MAX][DESC_BYTES_NETWORK], graph[TASKS_MAX][DESC_BYTES_COMMON];
    uint8_t operation[TASKS_MAX][DESC_OPERATION_BYTES], surface[TASKS_MAX][DESC_SURFACE_BYTES];
    char name[MEMORIES][8];
    struct loadable_text text[MEMORIES];
    const struct loadable_text *contents[MEMORIES];
    uint8_t zero[8];
    uint8_t list[TASKS_MAX][ADDRESSES * 2], submit[TASKS_MAX * 2];
    struct loadable_task task[TASKS_MAX];
    struct loadable_memory memory[MEMORIES];
    struct loadable_address address[MEMORIES];
    struct loadable_blob blob[MEMORIES];
    struct loadable_tensor tensor[2];
    struct loadable_submit submits;
};

static unsigned tasks_of(const struct rig_net *net)
{
    return net->tasks ? net->tasks : 1;
}

static uint8_t minor_of(const struct rig_net *net)
{
    return (uint8_t)(net->minor ? net->minor : 12);
}

static void put_network(uint8_t *at)
{
    memset(at, 0xff, 28); /* no list, no head, unless said below */
    DESC_PUT(at, NETWORK, operation_list, 1);
    DESC_PUT(at, NETWORK, surface_list, 2);
    DESC_PUT(at, NETWORK, dependency_graph, 3);
    DESC_PUT(at, NETWORK, head_sdp, 0);
    DESC_PUT(at, NETWORK, num_rois, 1);
    DESC_PUT(at, NETWORK, num_operations, 1);
    DESC_PUT(at, NETWORK, num_addresses, ADDRESSES);
}

static void put_graph(uint8_t *at)
{
    DESC_PUT(at, COMMON, op_type, DESC_OP_SDP);
    DESC_PUT(at, COMMON, bdma_index, -1);
    DESC_PUT(at, COMMON, conv_index, -1);
    DESC_PUT(at, COMMON, sdp_index, -1);
    DESC_PUT(at, COMMON, pdp_index, -1);
    DESC_PUT(at, COMMON, cdp_index, -1);
    DESC_PUT(at, COMMON, rubik_index, -1);
    DESC_PUT(at, COMMON, fused_parent_index, -1);
}

static void put_operation(const struct rig_net *net, uint8_t *at)
{
    DESC_PUT(at, SDP, lut_index, -1);
    DESC_PUT(at, SDP, out_cvt_scale, net->scale);
    DESC_PUT(at, SDP, out_cvt_truncate, net->shift);
    DESC_PUT(at, SDP, out_cvt_enable, 1);
    DESC_PUT(at, SDP, batch_num, 1);
    DESC_PUT(at, SDP, x1_enable, 1);
    DESC_PUT(at, SDP, x1_act, net->relu ? 1 : 0);
    DESC_PUT(at, SDP, x1_alu_type, 2);
}

static void put_surface(const struct rig_net *net, uint8_t *at)
{
    unsigned cube_bytes = desc_cube_bytes(0, minor_of(net));
    struct desc_cube none = { .type = 2, .address = -1 };
    struct desc_cube data = { .size = RIG_BYTES,
                              .width = RIG_W,
                              .height = RIG_H,
                              .channels = RIG_C,
                              .line_stride = RIG_W * RIG_C,
                              .surf_stride = RIG_BYTES };

    if (!cube_bytes) { /* a version nobody knows: the bytes do not matter */
        return;
    }
    for (unsigned i = 1; i < 4; i++) {
        desc_cube_put(at, i, cube_bytes, &none);
    }
    data.address = 4;
    desc_cube_put(at, 0, cube_bytes, &data);
    data.address = 5;
    desc_cube_put(at, 4, cube_bytes, &data);
}

/* A memory with its one blob, or an empty one. */
static void memory(struct rig *r, unsigned i, const uint8_t *bytes, size_t size, uint16_t flags)
{
    r->memory[i] = (struct loadable_memory){
        .id = (uint16_t)i, .flags = flags, .size = size, .alignment = 256
    };
    r->address[i] =
        (struct loadable_address){ .id = (uint16_t)i, .memory_id = (uint16_t)i, .size = size };
    r->name[i][0] = 'm';
    r->name[i][1] = (char)('a' + (int)i);
    r->text[i] = (struct loadable_text){ r->name[i], 2 };
    r->contents[i] = &r->text[i];
    r->blob[i] = (struct loadable_blob){ .name = r->text[i],
                                         .size = bytes ? size : 0,
                                         .interface = LOADABLE_DLA1,
                                         .version = { 0, minor_of(r->net), 0 },
                                         .data = { bytes, bytes ? (uint32_t)size : 0 } };
    if (bytes) {
        r->memory[i].contents = (struct loadable_list){ r->zero, 1 };
        r->memory[i].offsets = (struct loadable_list){ r->zero, 1 };
    }
}

static void tensor(struct rig *r, unsigned i, const char *name, unsigned mem, unsigned mapping)
{
    r->memory[mem].tensor_id = (uint16_t)i;
    r->tensor[i] = (struct loadable_tensor){ .name = { name, strlen(name) },
                                             .id = (uint16_t)i,
                                             .memory_id = (uint16_t)mem,
                                             .size = RIG_BYTES,
                                             .format = 3,
                                             .type = 4,
                                             .category = 2,
                                             .pixel_format = 36,
                                             .pixel_mapping = (uint8_t)mapping,
                                             .n = 1,
                                             .c = RIG_C,
                                             .h = RIG_H,
                                             .w = RIG_W,
                                             .stride = { 1, RIG_W * RIG_C, RIG_BYTES } };
}

static void task(struct rig *r, unsigned k)
{
    bool last = k + 1 == tasks_of(r->net);
    unsigned from = k ? BETWEEN : INPUT, to = last ? OUTPUT : BETWEEN;

    put_network(r->network[k]);
    put_graph(r->graph[k]);
    put_operation(r->net, r->operation[k]);
    put_surface(r->net, r->surface[k]);
    memory(r, PARTS * k, r->network[k], DESC_BYTES_NETWORK, LOADABLE_ALLOC | LOADABLE_SET);
    memory(r, PARTS * k + 1, r->operation[k], DESC_OPERATION_BYTES, LOADABLE_ALLOC | LOADABLE_SET);
    memory(r, PARTS * k + 2, r->surface[k], DESC_SURFACE_BYTES, LOADABLE_ALLOC | LOADABLE_SET);
    memory(r, PARTS * k + 3, r->graph[k], DESC_BYTES_COMMON, LOADABLE_ALLOC | LOADABLE_SET);
    for (unsigned i = 0; i < PARTS; i++) {
        desc_put(r->list[k] + 2 * i, 2, PARTS * k + i);
    }
    desc_put(r->list[k] + 8, 2, from);
    desc_put(r->list[k] + 10, 2, to);
    desc_put(r->submit + 2 * k, 2, k);
    r->task[k] =
        (struct loadable_task){ .id = (uint16_t)k,
                                .interface = r->net->interface ? r->net->interface : LOADABLE_DLA1,
                                .addresses = { r->list[k], ADDRESSES } };
}

/* Memories that no task uses are left out: only those with a size go into the file. */
static size_t compact(struct rig *r)
{
    size_t n = 0;

    for (unsigned i = 0; i < MEMORIES; i++) {
        if (r->memory[i].size) {
            r->memory[n] = r->memory[i];
            r->address[n] = r->address[i];
            r->blob[n] = r->blob[i];
            r->contents[n++] = r->contents[i];
        }
    }
    return n;
}

uint8_t *rig_loadable(const struct rig_net *net, size_t *len)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct loadable l = { .version = { 0, 7, 0 } };
    uint8_t *bytes;

    r->net = net;
    for (unsigned k = 0; k < tasks_of(net); k++) {
        task(r, k);
    }
    memory(r, INPUT, NULL, RIG_BYTES, LOADABLE_ALLOC | LOADABLE_INPUT);
    memory(r, OUTPUT, NULL, RIG_BYTES, LOADABLE_ALLOC | LOADABLE_OUTPUT);
    if (tasks_of(net) > 1) {
        memory(r, BETWEEN, NULL, RIG_BYTES, LOADABLE_ALLOC);
    }
    tensor(r, 0, "data", INPUT, net->pixel_mapping);
    tensor(r, 1, "result", OUTPUT, 0);
    r->submits.tasks = (struct loadable_list){ r->submit, tasks_of(net) };
    l.memories = l.addresses = l.blobs = compact(r);
    l.task = r->task;
    l.tasks = tasks_of(net);
    l.memory = r->memory;
    l.address = r->address;
    l.blob = r->blob;
    l.tensor = r->tensor;
    l.tensors = 2;
    l.submit = &r->submits;
    l.submits = 1;
    bytes = loadable_write(&l, r->contents, len);
    free(r);
    return bytes;
}

int8_t rig_expect(const struct rig_net *net, int8_t x)
{
    long v = net->relu && x < 0 ? 0 : x;
    long half = net->shift ? 1L << (net->shift - 1) : 0;

    v *= net->scale;
    v = v < 0 ? -((-v + half) >> net->shift) : (v + half) >> net->shift; /* half away from zero */
    v = v > 127 ? 127 : v < -128 ? -128 : v;
    return (int8_t)(tasks_of(net) > 1 ? rig_expect(&(struct rig_net){ .tasks = tasks_of(net) - 1,
                                                                      .relu = net->relu,
                                                                      .scale = net->scale,
                                                                      .shift = net->shift },
                                                   (int8_t)v)
                                      : v);
}

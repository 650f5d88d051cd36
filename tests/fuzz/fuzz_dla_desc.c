/* SPDX-License-Identifier: MIT */
/* Any descriptors: the task ends, with success or with an error that names blob and field. The
 * first 2 bytes choose configuration, version and a small network that is right; the rest changes
 * its bits: network, graph, operations, surfaces and tables. */
#include "loadable/desc.h"
#include "model/dla/desc.h"
#include "tests/dla/rig.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NETWORK, OPERATIONS, SURFACES, GRAPH, TABLES, BUFFERS, COUNT = 8, AREA = 0x4000 };

/* The lists of a task. */
struct lists {
    uint8_t part[BUFFERS][AREA];
};

static uint8_t *entry(struct lists *l, unsigned part, unsigned i, unsigned size)
{
    return l->part[part] + (size_t)i * size;
}

static unsigned op_add(struct lists *l, unsigned op, enum desc_op type)
{
    uint8_t *g = entry(l, GRAPH, op, DESC_BYTES_COMMON);

    DESC_PUT(g, COMMON, op_type, type);
    for (size_t k = 0; k < 7; k++) {
        desc_put(g + DESC_AT_COMMON_bdma_index + 4 * k, 2, -1);
    }
    desc_put(l->part[NETWORK] + DESC_AT_NETWORK_head_bdma + 2 * (size_t)type, 2, op);
    return op;
}

/* 4 x 4 pixels of 8 channels in buffer @address, or on the fly. */
static void cube(struct lists *l, unsigned op, unsigned i, unsigned bytes, int address)
{
    const struct desc_cube c = { .type = address < 0 ? 2 : 0,
                                 .address = address,
                                 .size = 0x800,
                                 .width = 4,
                                 .height = 4,
                                 .channels = 8,
                                 .line_stride = 128,
                                 .surf_stride = 512,
                                 .plane_stride = 64 };

    desc_cube_put(entry(l, SURFACES, op, DESC_SURFACE_BYTES), i, bytes, &c);
}

static void point(struct lists *l, unsigned op, unsigned bytes, int from, int to)
{
    uint8_t *b = entry(l, OPERATIONS, op_add(l, op, DESC_OP_SDP), DESC_OPERATION_BYTES);

    DESC_PUT(b, SDP, out_cvt_scale, 1);
    DESC_PUT(b, SDP, batch_num, 1);
    for (unsigned i = 0; i < 5; i++) {
        cube(l, op, i, bytes, i == 0 ? from : i == 4 ? to : 6);
    }
}

/* A convolution on the fly, which operation 1 takes. */
static void convolution(struct lists *l, unsigned bytes)
{
    uint8_t *b = entry(l, OPERATIONS, op_add(l, 0, DESC_OP_CONV), DESC_OPERATION_BYTES);
    uint8_t *g = entry(l, GRAPH, 0, DESC_BYTES_COMMON),
            *next = entry(l, GRAPH, 1, DESC_BYTES_COMMON);

    DESC_PUT(b, CONV, data_format, DESC_FEATURE);
    DESC_PUT(b, CONV, batch, 1);
    DESC_PUT(b, CONV, kernel_width_csc, 1);
    DESC_PUT(b, CONV, kernel_height_csc, 1);
    DESC_PUT(b, CONV, kernel_channel_csc, 8);
    DESC_PUT(b, CONV, stride_x, 1);
    DESC_PUT(b, CONV, stride_y, 1);
    DESC_PUT(b, CONV, dilation_x, 1);
    DESC_PUT(b, CONV, dilation_y, 1);
    for (unsigned i = 0; i < 5; i++) {
        cube(l, 0, i, bytes, i == 4 ? -1 : 5);
    }
    DESC_PUT(g, COMMON, dependency_count, 1);
    DESC_PUT(g, COMMON, sdp_index, 1);
    DESC_PUT(g, COMMON, sdp_event, 2); /* programmed */
    DESC_PUT(next, COMMON, dependency_count, 1);
    DESC_PUT(next, COMMON, fused_parent_index, 0);
    DESC_PUT(next, COMMON, fused_parent_event, 3); /* enabled */
}

static void others(struct lists *l, unsigned bytes, enum desc_op type)
{
    uint8_t *b = entry(l, OPERATIONS, op_add(l, 0, type), DESC_OPERATION_BYTES);
    uint8_t *s = entry(l, SURFACES, 0, DESC_SURFACE_BYTES);

    cube(l, 0, 0, bytes, 5);
    cube(l, 0, 1, bytes, 7);
    if (type == DESC_OP_PDP) {
        DESC_PUT(b, PDP, split_num, 1);
        DESC_PUT(b, PDP, stride_x, 1);
        DESC_PUT(b, PDP, stride_y, 1);
    } else if (type == DESC_OP_CDP) {
        DESC_PUT(b, CDP, local_size, 3);
        DESC_PUT(b, CDP, in_cvt_scale, 1);
        DESC_PUT(b, CDP, out_cvt_scale, 1);
    } else if (type == DESC_OP_RUBIK) {
        DESC_PUT(b, RUBIK, mode, 1);
        DESC_PUT(b, RUBIK, stride_x, 1);
        DESC_PUT(b, RUBIK, stride_y, 1);
    } else {
        memset(s, 0, DESC_SURFACE_BYTES);
        DESC_PUT(b, BDMA, num_transfers, 1);
        desc_put(s + 2, 2, 1);
        DESC_PUT(s + 4, TRANSFER, source_address, 5);
        DESC_PUT(s + 4, TRANSFER, destination_address, 7);
        DESC_PUT(s + 4, TRANSFER, line_size, 64);
        DESC_PUT(s + 4, TRANSFER, line_repeat, 2);
        DESC_PUT(s + 4, TRANSFER, surface_repeat, 1);
    }
}

/* Network @which: 0 nothing, 1 a convolution with its SDP, then an SDP, PDP, CDP, RUBIK, BDMA
 * alone. */
static void network(struct lists *l, unsigned which, unsigned bytes)
{
    static const enum desc_op alone[] = { DESC_OP_PDP, DESC_OP_CDP, DESC_OP_RUBIK, DESC_OP_BDMA };
    uint8_t *n = l->part[NETWORK];

    if (which == 0) {
        return;
    }
    memset(n, 0xff, 28);
    DESC_PUT(n, NETWORK, operation_list, OPERATIONS);
    DESC_PUT(n, NETWORK, surface_list, SURFACES);
    DESC_PUT(n, NETWORK, dependency_graph, GRAPH);
    DESC_PUT(n, NETWORK, lut_list, TABLES);
    DESC_PUT(n, NETWORK, num_rois, 1);
    DESC_PUT(n, NETWORK, num_operations, which == 1 ? 2 : 1);
    DESC_PUT(n, NETWORK, num_luts, 1);
    if (which == 1) {
        point(l, 1, bytes, -1, 7);
        convolution(l, bytes);
    } else if (which == 2) {
        point(l, 0, bytes, 5, 7);
    } else {
        others(l, bytes, alone[(which - 3) % 4]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct lists lists;
    uint64_t address[COUNT], length[COUNT];
    struct dla_task task = { address, length, COUNT, 28, NULL, NULL };
    struct dla_stats stats = { 0 };
    struct dla_task_error error;
    char text[256];
    struct rig rig;

    if (size < 2) {
        return 0;
    }
    rig_init(&rig);
    rig.budget = 2000000;
    for (unsigned i = 0; i < COUNT; i++) {
        address[i] = UINT64_C(0x100000) * (i + 1);
        length[i] = data[1] & 1 ? AREA : 0;
        rig_map(&rig, address[i], AREA);
    }
    task.cube_bytes = data[1] & 2 ? 32 : 28;
    memset(&lists, 0, sizeof(lists));
    network(&lists, data[1] >> 2 & 7, task.cube_bytes);
    data += 2;
    size -= 2;
    /* Pieces of 1 KiB: network, then operations, surfaces, graph and tables in turn. */
    for (size_t at = 0; at < size && at / 1024 / BUFFERS * 1024 + 1024 <= AREA; at++) {
        lists.part[at / 1024 % BUFFERS][at / 1024 / BUFFERS * 1024 + at % 1024] ^= data[at];
    }
    for (unsigned i = 0; i < BUFFERS; i++) {
        rig_put(&rig, address[i], lists.part[i], AREA);
    }
    if (dla_task_run(dla_config_at((size_t)data[-2] % 7), &rig.port, &task, &stats, &error) !=
        DLA_OK) {
        if (!error.blob || !error.field || !error.rule) {
            abort();
        }
        dla_task_error_format(&error, text, sizeof(text));
    }
    rig_free(&rig);
    return 0;
}

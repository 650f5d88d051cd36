/* SPDX-License-Identifier: MIT */
/* The built-in module of CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS: no input, one output (note 5.1.4).
 *
 * What NVIDIA's module computes is not published. Ours lets the SDP copy a pattern through its data
 * path to the output: byte i is i * 7 + 3, modulo 256. */
#include <string.h>

#include "loadable/desc.h"
#include "loadable/writer.h"
#include "runtime/driver/engines/dla/dla.h"

enum { W = 8, H = 8, C = 32, BYTES = W * H * C };

/* In the order of the task's address list: what the network descriptor names, then source and
 * output. */
enum { NETWORK, OPERATIONS, SURFACES, GRAPH, SOURCE, OUTPUT, PARTS };

struct diagnostics {
    uint8_t network[DESC_BYTES_NETWORK], operation[DESC_OPERATION_BYTES];
    uint8_t surface[DESC_SURFACE_BYTES], graph[DESC_BYTES_COMMON], source[BYTES];
    uint8_t list[2 * PARTS], zero[8];
    struct loadable_text text[PARTS];
    const struct loadable_text *contents[PARTS];
    struct loadable_memory memory[PARTS];
    struct loadable_address address[PARTS];
    struct loadable_blob blob[PARTS];
};

static void put_network(struct diagnostics *d)
{
    memset(d->network, 0xff, 28); /* no list, no head, unless said below */
    DESC_PUT(d->network, NETWORK, operation_list, OPERATIONS);
    DESC_PUT(d->network, NETWORK, surface_list, SURFACES);
    DESC_PUT(d->network, NETWORK, dependency_graph, GRAPH);
    DESC_PUT(d->network, NETWORK, head_sdp, 0);
    DESC_PUT(d->network, NETWORK, num_rois, 1);
    DESC_PUT(d->network, NETWORK, num_operations, 1);
    DESC_PUT(d->network, NETWORK, num_addresses, PARTS);
    memset(d->graph + 8, 0xff, 28); /* no consumer */
    DESC_PUT(d->graph, COMMON, op_type, DESC_OP_SDP);
    for (unsigned at = 10; at < 36; at += 4) {
        d->graph[at] = 0;
    }
}

static void put_operation(struct diagnostics *d)
{
    const struct desc_cube none = { .type = 2, .address = -1 };
    struct desc_cube data = { .address = SOURCE,
                              .size = BYTES,
                              .width = W,
                              .height = H,
                              .channels = C,
                              .line_stride = W * C,
                              .surf_stride = BYTES };

    DESC_PUT(d->operation, SDP, lut_index, -1);
    DESC_PUT(d->operation, SDP, out_cvt_scale, 1);
    DESC_PUT(d->operation, SDP, out_cvt_enable, 1);
    DESC_PUT(d->operation, SDP, batch_num, 1);
    desc_cube_put(d->surface, 0, 32, &data);
    for (unsigned i = 1; i < 4; i++) {
        desc_cube_put(d->surface, i, 32, &none);
    }
    data.address = OUTPUT;
    desc_cube_put(d->surface, 4, 32, &data);
}

static void dla_diagnostics_part(struct diagnostics *d, unsigned i, const uint8_t *bytes,
                                 uint32_t size)
{
    static const char names[PARTS + 1] = "nosgdr";

    d->text[i] = (struct loadable_text){ names + i, 1 };
    d->contents[i] = &d->text[i];
    d->memory[i] = (struct loadable_memory){ .id = (uint16_t)i,
                                             .flags = LOADABLE_ALLOC |
                                                      (bytes ? LOADABLE_SET : LOADABLE_OUTPUT),
                                             .size = size,
                                             .alignment = 256 };
    if (bytes) {
        d->memory[i].contents = d->memory[i].offsets = (struct loadable_list){ d->zero, 1 };
    }
    d->address[i] =
        (struct loadable_address){ .id = (uint16_t)i, .memory_id = (uint16_t)i, .size = size };
    d->blob[i] = (struct loadable_blob){ .name = d->text[i],
                                         .size = bytes ? size : 0,
                                         .interface = LOADABLE_DLA1,
                                         .version = { 0, 12, 0 },
                                         .data = { bytes, bytes ? size : 0 } };
    desc_put(d->list + 2 * i, 2, i);
}

uint8_t *dla_diagnostics_loadable(size_t *len)
{
    g_autofree struct diagnostics *d = g_new0(struct diagnostics, 1);
    struct loadable_task task = { .interface = LOADABLE_DLA1, .addresses = { d->list, PARTS } };
    struct loadable_tensor tensor = { .name = { "diagnostics", 11 },
                                      .memory_id = OUTPUT,
                                      .size = BYTES,
                                      .format = CUDLA_DATA_FORMAT_NCxHWx,
                                      .type = CUDLA_DATA_TYPE_INT8,
                                      .category = CUDLA_DATA_CATEGORY_FEATURE,
                                      .pixel_format = CUDLA_PIXEL_FORMAT_FEATURE,
                                      .n = 1,
                                      .c = C,
                                      .h = H,
                                      .w = W,
                                      .stride = { 1, W * C, BYTES } };
    struct loadable l = { .version = { 0, 7, 0 },
                          .task = &task,
                          .tasks = 1,
                          .memory = d->memory,
                          .memories = PARTS,
                          .address = d->address,
                          .addresses = PARTS,
                          .blob = d->blob,
                          .blobs = PARTS,
                          .tensor = &tensor,
                          .tensors = 1 };

    for (unsigned i = 0; i < BYTES; i++) {
        d->source[i] = (uint8_t)(i * 7 + 3);
    }
    put_network(d);
    put_operation(d);
    dla_diagnostics_part(d, NETWORK, d->network, sizeof(d->network));
    dla_diagnostics_part(d, OPERATIONS, d->operation, sizeof(d->operation));
    dla_diagnostics_part(d, SURFACES, d->surface, sizeof(d->surface));
    dla_diagnostics_part(d, GRAPH, d->graph, sizeof(d->graph));
    dla_diagnostics_part(d, SOURCE, d->source, sizeof(d->source));
    dla_diagnostics_part(d, OUTPUT, NULL, BYTES);
    return loadable_write(&l, d->contents, len);
}

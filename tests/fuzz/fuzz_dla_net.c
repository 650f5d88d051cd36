/* SPDX-License-Identifier: MIT */
/* Any bytes as a loadable, as far as vtegra dla inspect and run look at it: refused with a reason,
 * or every entry of every list can be read and every cube has a place or none. */
#include "tools/dla_layout.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void touch(const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sink += b[i];
    }
}

static void cubes(const struct dla_net *net, unsigned op)
{
    for (unsigned i = 0; desc_surface_name(dla_net_op(net, op), i); i++) {
        struct layout l;
        struct array a;
        GError *error = NULL;

        if (!layout_of_cube(&l, net, op, i, 32) ||
            (uint64_t)l.channels * l.height * l.width > 1u << 16) {
            continue;
        }
        if (layout_get(&l, net->file, &a, &error)) {
            array_free(&a);
        }
        g_clear_error(&error);
    }
}

static void network(const struct dla_net_file *f, unsigned task)
{
    GError *error = NULL;
    struct dla_net net;

    if (!dla_net_init(&net, f, task, &error) && !error) {
        abort();
    }
    g_clear_error(&error);
    for (unsigned i = 0; i < net.operations; i++) {
        touch(dla_net_common(&net, i), DESC_BYTES_COMMON);
        touch(dla_net_operation(&net, i), DESC_OPERATION_BYTES);
        touch(dla_net_surface(&net, i), DESC_SURFACE_BYTES);
        cubes(&net, i);
    }
    for (unsigned i = 0; i < net.luts; i++) {
        touch(dla_net_lut(&net, i), DESC_BYTES_LUT);
    }
    dla_net_free(&net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    struct dla_net_file *f = dla_net_from_bytes("fuzz", g_memdup2(data, size), size, &error);

    if (!f && !error) {
        abort();
    }
    g_clear_error(&error);
    for (unsigned i = 0; f && i < f->l->tasks && i < 4; i++) {
        network(f, i);
    }
    dla_net_close(f);
    return 0;
}

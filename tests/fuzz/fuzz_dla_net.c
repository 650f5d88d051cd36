/* SPDX-License-Identifier: MIT */
/* Any bytes as a loadable, as far as vtegra dla inspect and run look at it: refused with a reason,
 * or every entry of every list can be read and every cube has a place or none. The first byte says
 * what of: nothing, or a network that the builder has made, whose bytes the rest changes (place in
 * three bytes, new value). */
#include "tools/dla/dla_build.h"
#include "tools/dla/dla_layout.h"

#include <stdlib.h>
#include <string.h>

#ifndef NETWORKS
#define NETWORKS "tests/dla/networks"
#endif

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

static const char *const networks[] = { NETWORKS "/nv_small.json", NETWORKS "/fp16.json",
                                        NETWORKS "/groups16.json" };

/* A network with changes. */
static uint8_t *changed(unsigned which, const uint8_t *data, size_t size, size_t *len)
{
    static uint8_t *made[G_N_ELEMENTS(networks)];
    static size_t length[G_N_ELEMENTS(networks)];
    uint8_t *bytes;

    if (!made[which]) {
        made[which] = build_file(networks[which], &length[which], NULL);
        g_assert_nonnull(made[which]);
    }
    *len = length[which];
    bytes = g_memdup2(made[which], *len);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        bytes[(data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % *len] =
            data[i + 3];
    }
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    struct dla_net_file *f;
    uint8_t *bytes;
    size_t len;

    if (size == 0) {
        return 0;
    }
    if (data[0] % 4 < G_N_ELEMENTS(networks)) {
        bytes = changed(data[0] % 4, data + 1, size - 1, &len);
    } else {
        len = size - 1;
        bytes = g_memdup2(data + 1, len);
    }
    f = dla_net_from_bytes("fuzz", (gchar *)bytes, len, &error);

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

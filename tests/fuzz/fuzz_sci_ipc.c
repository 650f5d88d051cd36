/* SPDX-License-Identifier: MIT */
/* Bytes as a configuration file of NvSciIpc: read, or refused with file, line and reason. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/nvsci/ipc/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size), *error = NULL;
    GArray *all = ipc_config_parse(text, "f", &error);

    if (!all) {
        if (!error || !g_str_has_prefix(error, "f:")) {
            abort();
        }
        return 0;
    }
    for (guint i = 0; i < all->len; i++) {
        const struct ipc_channel *c = &g_array_index(all, struct ipc_channel, i);
        unsigned side;

        if (ipc_config_find(all, c->name[1], &side) != c || side != 1 || !c->frames ||
            !c->frame_size) {
            abort();
        }
    }
    g_array_unref(all);
    return 0;
}

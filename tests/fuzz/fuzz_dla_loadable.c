/* SPDX-License-Identifier: MIT */
/* Any bytes as a loadable: read in full, or refused with an error that names list and field. */
#include "loadable/loadable.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void touch(struct loadable_text t)
{
    for (size_t i = 0; i < t.len; i++) {
        sink += (uint8_t)t.at[i];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loadable_error error;
    struct loadable *l = loadable_open(data, size, &error);
    char text[256];

    if (!l) {
        if (!error.list || !error.field || !*error.rule) {
            abort();
        }
        loadable_error_format(&error, text, sizeof(text));
        return 0;
    }
    for (size_t i = 0; i < l->tasks && i < 64; i++) {
        for (uint32_t k = 0; k < l->task[i].addresses.count; k++) {
            sink += loadable_u16(&l->task[i].addresses, k);
        }
    }
    for (size_t i = 0; i < l->memories && i < 64; i++) {
        for (uint32_t k = 0; k < l->memory[i].contents.count && k < 64; k++) {
            touch(loadable_text_at(&l->memory[i].contents, k));
        }
        for (uint32_t k = 0; k < l->memory[i].offsets.count; k++) {
            sink += loadable_u64(&l->memory[i].offsets, k);
        }
    }
    for (size_t i = 0; i < l->blobs && i < 64; i++) {
        touch(l->blob[i].name);
        for (uint32_t k = 0; k < l->blob[i].data.count; k++) {
            sink += l->blob[i].data.at[k];
        }
    }
    for (size_t i = 0; i < l->tensors && i < 64; i++) {
        touch(l->tensor[i].name);
    }
    loadable_close(l);
    return 0;
}

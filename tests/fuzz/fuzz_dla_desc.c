/* SPDX-License-Identifier: MIT */
/* Any descriptors: the task ends, with success or with an error that names blob and field. The
 * first 2 bytes choose configuration and version, the rest is laid over network, graph, operations,
 * surfaces and tables. */
#include "model/dla/desc.h"
#include "tests/dla/rig.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { COUNT = 8, AREA = 0x4000 };
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
    data += 2;
    size -= 2;
    /* Pieces of 1 KiB: network, then operations, surfaces, graph and tables in turn. */
    for (size_t at = 0; at < size; at += 1024) {
        size_t n = size - at < 1024 ? size - at : 1024;

        rig_put(&rig, address[at / 1024 % 5] + at / 1024 / 5 * 1024, data + at, n);
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

/* SPDX-License-Identifier: MIT */
/* Front end (a): task descriptors, the scheme of the open NVDLA and of Tegra's DLA 1.
 *
 * A task is a list of addresses. Address 0 is the network descriptor, which names by index the
 * operation list, surface list, dependency graph and look-up tables; operations name their buffers
 * by index as well. Layouts: nvdla/sw kmd/firmware/include/dla_interface.h (little-endian, packed).
 */
#ifndef MODEL_DLA_DESC_H
#define MODEL_DLA_DESC_H

#include "model/dla/dla.h"

/* Kinds of operation, as numbered in descriptors. */
enum dla_op_type { DLA_OP_BDMA, DLA_OP_CONV, DLA_OP_SDP, DLA_OP_PDP, DLA_OP_CDP, DLA_OP_RUBIK };
#define DLA_OP_TYPES 6u

/* Sizes of the structs in memory. */
enum {
    DLA_NETWORK_BYTES = 40,
    DLA_COMMON_BYTES = 36,
    DLA_OPERATION_BYTES = 116,
    DLA_SURFACE_BYTES = 644,
    DLA_LUT_BYTES = 700,
    DLA_MAX_OPERATIONS = 4096,
};

/**
 * struct dla_task - what is submitted
 * @address, @size: buffers by index; @size[i] 0 where the length is not known (the port then
 * decides)
 * @cube_bytes: 28 for blob versions 0.10 and 0.11, 32 for 0.12
 * @layer: called before each operation runs, may be NULL
 */
struct dla_task {
    const uint64_t *address, *size;
    unsigned addresses;
    unsigned cube_bytes;
    void (*layer)(void *opaque, unsigned index, enum dla_op_type type);
    /* After an operation that writes a cube: where it lies, for dumps. */
    void *opaque;
};

/**
 * struct dla_task_error - what is wrong, in the words of the descriptors
 * @blob: "network_desc", "dependency_graph", "operation_list", "surface_list" or "lut"
 * @index: entry of that blob
 * @field, @value, @rule: as in struct dla_error
 * @cause: the operation's own failure, when @field is "operation"
 */
struct dla_task_error {
    const char *blob, *field, *rule;
    int index;
    int64_t value;
    struct dla_error cause;
};

/* cube_bytes for a blob version; 0 if the version is not one of DLA 1's. */
unsigned dla_cube_bytes(unsigned major, unsigned minor);

/**
 * dla_task_run - run a task to its end
 * @stats: counters of all its operations together
 *
 * Order: a queue of each kind of operation with two slots, as the firmware has; an operation runs
 * as soon as its dependency count is zero. Return: DLA_OK, or a failure described in @error.
 */
enum dla_status dla_task_run(const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_task *task, struct dla_stats *stats,
                             struct dla_task_error *error);

struct dla_task_run;

/**
 * dla_task_begin - the same in pieces: read the network
 * @task, @stats, @error: must outlive the run
 * Return: the run; NULL with @error filled and *@status set.
 */
struct dla_task_run *dla_task_begin(const struct dla_config *cfg, struct dla_port *port,
                                    const struct dla_task *task, struct dla_stats *stats,
                                    struct dla_task_error *error, enum dla_status *status);
/* The next operation, with what is joined to it; *@done when it was the last. */
enum dla_status dla_task_step(struct dla_task_run *run, bool *done);
void dla_task_end(struct dla_task_run *run);

/** dla_task_error_format - one line for people. Return: as snprintf. */
int dla_task_error_format(const struct dla_task_error *e, char *buf, size_t size);

#endif

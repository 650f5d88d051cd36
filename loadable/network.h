/* SPDX-License-Identifier: MIT */
/* The network of a task for DLA 1, checked entry by entry before anything runs: the same sentence
 * from the tools and from cuDLA. What is in a descriptor: loadable/desc.h. */
#ifndef LOADABLE_NETWORK_H
#define LOADABLE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadable/loadable.h"

/* A buffer of a task. @bytes: what the loadable has there; NULL: memory of the program's, a tensor
 */
struct loadable_place {
    const uint8_t *bytes;
    uint64_t size;
};

/**
 * struct loadable_network - a task and its network
 * @place, @places: by index in the task's address list; the first holds the network descriptor
 * @cube_bytes: of a data cube, desc_cube_bytes() of the blob's version
 * @desc: the network descriptor, NULL: there is none
 * @operations, @luts: as many as are right
 */
struct loadable_network {
    const struct loadable_place *place;
    unsigned places, cube_bytes;
    const uint8_t *desc;
    unsigned operations, luts;
};

/**
 * loadable_network_check - do lists and operations hold what they say?
 * @n: @place, @places > 0 and @cube_bytes are given, the rest is the answer
 * @why: "surface_list[3].dst.address = 77: one of the task's 9 addresses, or -1"
 *
 * Return: false with @why and what was right before it in @n.
 */
bool loadable_network_check(struct loadable_network *n, char *why, size_t size);

/**
 * loadable_cube_bytes - 28 or 32: of a data cube in descriptors of DLA 1; 0: they are of another
 * DLA
 * @blob: the version of the blob that the network descriptor lies in
 *
 * ONNC writes DLA 1 descriptors of 28-byte cubes and calls them 1.2.0 or 1.3.0, in loadables that
 * are 0.7.0 as nvdla/sw's (github ONNC/onnc, NvDlaBackend.cpp, whose LOADABLE_VERSION 1.1.1 reaches
 * no file; the loadables of ONNC/onnc-tutorial).
 */
unsigned loadable_cube_bytes(const struct loadable *l, struct loadable_version blob);

#endif

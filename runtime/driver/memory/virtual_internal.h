/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: memory without an address, and addresses without memory. */
#ifndef RUNTIME_DRIVER_MEMORY_VIRTUAL_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_VIRTUAL_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/memory/virtual.h"
#include <sys/types.h>

/**
 * struct physical
 * @mem: mem.cpu is an address of its own that the application never sees
 * @handles: that the application holds; @mappings: of it
 * @door: our end of the pipe whose other end is the exported descriptor; -1: none
 * @inode: of the pipe: what a descriptor is known by when it comes back
 * @exported: other processes may import it as @token; @imported: it is one's of these
 */
struct physical {
    struct object base;
    struct hal_mem mem;
    size_t reserved;
    CUmemAllocationProp prop;
    unsigned handles, mappings;
    int door;
    ino_t inode;
    bool exported, imported;
    uint64_t token[2];
};

struct reservation {
    uint64_t base;
    size_t size;
};

#endif

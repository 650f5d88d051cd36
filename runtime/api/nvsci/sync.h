/* SPDX-License-Identifier: MIT */
/* libnvscisync.so.1 inside: modules, lists, sync objects and fences. */
#ifndef RUNTIME_API_NVSCI_SYNC_H
#define RUNTIME_API_NVSCI_SYNC_H

#include "include/nvscisync.h"
#include "runtime/api/nvsci/attr/reconcile.h"
#include "runtime/api/nvsci/attr/wire.h"
#include "runtime/api/nvsci/attr_lists.h"
#include "runtime/api/nvsci/common.h"
#include "runtime/driver/memory/rt_external.h"

/* What counts: of all objects and fences of one allocation. A fence names it by @handle. */
struct sync_core {
    struct sci_object object;
    struct sci_module *module;
    struct rt_sync *sync;
    const void *handle;
    int fences; /* not cleared */
    int objects;
    NvSciSyncTaskStatus status[1024];
};

/**
 * struct sync_object - what an NvSciSyncObj names
 * @perm: NvSciSyncAccessPerm_ bits
 * @shown: handle of the list that NvSciSyncObjGetAttrList() gives, or NULL
 */
struct sync_object {
    struct sci_object object;
    struct sci_list *list;
    struct sync_core *core;
    uint64_t perm;
    NvSciSyncAttrList shown;
};

/* The bytes of an NvSciSyncFence; all zero: cleared. */
struct fence {
    uint64_t core, value;
    uint32_t time_slot, status_slot; /* slot + 1; 0: none */
    uint64_t perm;                   /* of the object that it was made with */
    uint64_t reserved[2];
};

/* sync_object.c */
struct sync_object *sync_object_get(NvSciSyncObj handle);
NvSciSyncObj sync_object_new(const struct sci_list *list, struct sync_core *core, uint64_t perm);
/* Owns @sync; has a reference for the caller beside that of its name. */
struct sync_core *sync_core_new(struct sci_module *module, struct rt_sync *sync);
bool sync_cpu(const struct sync_object *o);
bool sync_flag(const struct sci_list *list, uint32_t key);

/* sync_fence.c. What a fence names, with a reference; NULL: cleared, or no fence. */
struct sync_core *fence_core(const NvSciSyncFence *fence);
/* The fence becomes one of @o at @value; @later: what it held is released by a later call (the
 * driver core's lock is held). */
void fence_make(NvSciSyncFence *fence, struct sync_object *o, uint64_t value, bool later);
unsigned fence_count(void);
bool fence_cleared(const NvSciSyncFence *fence);

#endif

/* SPDX-License-Identifier: MIT */
/* libnvscibuf.so.1 inside: modules, lists and buffers as objects behind handles. */
#ifndef RUNTIME_API_NVSCI_BUF_H
#define RUNTIME_API_NVSCI_BUF_H

#include "include/nvscibuf.h"
#include "runtime/api/nvsci/attr/reconcile.h"
#include "runtime/api/nvsci/attr/wire.h"
#include "runtime/api/nvsci/attr_lists.h"
#include "runtime/api/nvsci/common.h"
#include "runtime/driver/memory/rt_external.h"

/* One allocation: of its objects, and of descriptors on their way. */
struct buf_memory {
    int refs;
    struct rt_shared *shared;
    uint64_t size;
};

/**
 * struct buf_object - what an NvSciBufObj names; duplicates that may do less are others, on the
 * same memory
 * @shown: handle of the list that NvSciBufObjGetAttrList() gives, or NULL; it goes with the object
 */
struct buf_object {
    struct sci_object object;
    struct sci_module *module;
    struct sci_list *list;
    struct buf_memory *memory;
    uint32_t perm; /* NvSciBufAccessPerm_ */
    NvSciBufAttrList shown;
};

/* buf_module.c */
void buf_chip(struct sci_chip *chip);

/* buf_object.c */
struct buf_object *buf_object_get(NvSciBufObj handle);
/* Clones @list, and takes a reference of @memory. */
NvSciBufObj buf_object_new(struct sci_module *module, const struct sci_list *list,
                           struct buf_memory *memory, uint32_t perm);
struct buf_memory *buf_memory_ref(struct buf_memory *memory);
void buf_memory_unref(struct buf_memory *memory);
bool buf_cpu(const struct buf_object *o); /* NeedCpuAccess of this process */

#endif

/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_CUDA_PROC_ADDRESS_H
#define RUNTIME_CUDA_PROC_ADDRESS_H

#include <stdbool.h>

/* PROC_TOO_NEW: the function exists, but not yet in that CUDA version. */
enum proc_answer { PROC_FOUND, PROC_UNKNOWN, PROC_TOO_NEW };

/**
 * proc_address_find - an exported symbol by plain name ("cuMemAlloc", never "cuMemAlloc_v2")
 * @version: as cuDriverGetVersion counts, 12040 for CUDA 12.4
 * @per_thread: the form whose stream 0 is the calling thread's, of functions that have one
 * @address: NULL unless found
 */
enum proc_answer proc_address_find(const char *name, int version, bool per_thread,
                                   void (**address)(void));

#endif

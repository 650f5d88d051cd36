/* SPDX-License-Identifier: MIT */
/*
 * The table that cudlaGetExternalExportTable() gives: what a task's statistics buffer says, as CSV.
 *
 * NVIDIA's samples for layer-wise profiling name its members and values; the header itself is not published. So names
 * are theirs, and the order of members, the values and the sizes are ours (inferred): a program that was compiled with
 * NVIDIA's header must be compiled again with this one.
 */
#ifndef CUDLA_EXTERNAL_ETBL_HPP
#define CUDLA_EXTERNAL_ETBL_HPP

#include <stdint.h>

#include "cudla.h"

/* What etiTranslateStats() is asked for. */
typedef enum cudlaTranslateCsvType {
    CUDLA_GET_CSV_LENGTH = 1, /* csvStreamLength: bytes that the text needs, its end included */
    CUDLA_GET_CSV_STATS = 2,  /* csvStreamStats: where the text goes */
} cudlaTranslateCsvType;

typedef union cudlaTranslateCsvAttribute {
    uint64_t csvStreamLength;
    void *csvStreamStats;
} cudlaTranslateCsvAttribute;

typedef struct cudlaExternalEtbl {
    uint64_t size; /* of this table, bytes */
    cudlaStatus (*etiTranslateStats)(cudlaDevHandle devHandle, void *statsBuffer,
                                     uint32_t dlaFreqInMHz, uint32_t index,
                                     cudlaTranslateCsvType type,
                                     cudlaTranslateCsvAttribute *attribute);
} cudlaExternalEtbl;

#ifdef __cplusplus
extern "C" {
#endif

CUDLA_API cudlaStatus cudlaGetExternalExportTable(const cudlaExternalEtbl **ppExportTable,
                                                  uint32_t const flags);

#ifdef __cplusplus
}
#endif

#endif

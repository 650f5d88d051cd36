/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's SMMUv3, as a bare-metal driver sets it up: stage 1, one context a stream. */
#ifndef BARE_SMMU_H
#define BARE_SMMU_H

#include "qemu-plugin/baremetal/bare.h"

struct smmu_event {
    uint32_t type, stream; /* 0x10 F_TRANSLATION, 0x13 F_PERMISSION (SMMUv3 7.3) */
    uint64_t address;
};

/* The first stream, and with it the SMMU. */
void smmu_open(uint32_t stream);
/* A further stream, with nothing mapped. smmu_map() and the like are for the last one named by any
 * of these. */
void smmu_stream_add(uint32_t stream);
void smmu_stream_select(uint32_t stream);
void smmu_map(uint64_t iova, const void *pages, size_t count, bool read_only);
void smmu_unmap(uint64_t iova, size_t count);
/* All RAM at its own address. */
void smmu_map_all(void);
bool smmu_event_next(struct smmu_event *event);

#endif

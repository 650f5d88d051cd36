/* SPDX-License-Identifier: MIT */
/* Memory for DLA tests: mapped pages of a 64-bit address space, behind the DLA's port. */
#ifndef TESTS_DLA_RIG_H
#define TESTS_DLA_RIG_H

#include "model/dla/dla.h"

/**
 * struct rig - a port with memory of its own
 * @pages: open-addressed table of 4 KiB pages, by address
 * @cvsram: the second memory is one of its own, at addresses with bit 63; else both are the same
 * @budget: work left before the tick stops an operation; 0 = no limit
 */
struct rig {
    struct dla_port port;
    struct rig_page **pages;
    size_t slots, used;
    uint64_t budget, work;
    unsigned writes;
    bool cvsram;
};

void rig_init(struct rig *r);
void rig_free(struct rig *r);
/* Map a range with zeros (again, if it is mapped). */
void rig_map(struct rig *r, uint64_t iova, uint64_t len);
void rig_put(struct rig *r, uint64_t iova, const void *bytes, size_t len);
/* False if some of it is not mapped. */
int rig_get(struct rig *r, uint64_t iova, void *bytes, size_t len);
/* CRC-32 (IEEE 802.3, as zlib) of a mapped range. */
uint32_t rig_crc(struct rig *r, uint64_t iova, uint64_t len);

#endif

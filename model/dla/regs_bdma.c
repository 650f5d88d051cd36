/* SPDX-License-Identifier: MIT */
/* BDMA's registers: transfers wait for their launch, in two groups (NVDLA register description,
 * BDMA). */
#include "model/dla/regs_file.h"

#include <string.h>

/* The group that was launched first. */
bool dla_regs_bdma_step(struct dla_regs *r)
{
    unsigned group = r->launched_last ^ 1u;
    enum dla_status status = DLA_OK;

    group = r->launched[group] ? group : r->launched_last;
    if (!r->launched[group] || r->dead[NVDLA_UNIT_BDMA]) {
        return false;
    }
    for (unsigned i = 0; status == DLA_OK && i < r->launch[group].count; i++) {
        status = dla_run_bdma(r->cfg, r->port, &r->launch[group].op[i]);
    }
    if (status != DLA_OK) {
        r->dead[NVDLA_UNIT_BDMA] = true;
        r->stopped |= status == DLA_STOPPED;
        r->fault = r->faulted ? r->fault : r->port->error;
        r->faulted = true;
        return true;
    }
    r->launched[group] = false;
    r->launch[group].count = 0;
    r->intr |= 1u << (DLA_INTR_BDMA + group);
    return true;
}

static unsigned dla_bdma_free(const struct dla_regs *r)
{
    return DLA_BDMA_SLOTS - r->bdma_queued - r->launch[0].count - r->launch[1].count;
}

/* Each CFG_OP adds a transfer; a launch is for those added since the last one. */
void dla_regs_bdma_write(struct dla_regs *r, uint32_t offset, uint32_t value)
{
    bool op = offset == NVDLA_BDMA_CFG_OP_0;
    bool launch = offset == NVDLA_BDMA_CFG_LAUNCH0_0 || offset == NVDLA_BDMA_CFG_LAUNCH1_0;
    unsigned group = offset == NVDLA_BDMA_CFG_LAUNCH1_0;

    if (op && (value & 1) && dla_bdma_free(r) > 0) {
        dla_regs_bdma(r, &r->bdma[r->bdma_queued++]);
    }
    if (!launch || !(value & 1) || r->dead[NVDLA_UNIT_BDMA] || r->launched[group]) {
        return;
    }
    memcpy(r->launch[group].op, r->bdma, sizeof(r->bdma));
    r->launch[group].count = r->bdma_queued;
    r->bdma_queued = 0;
    r->launched[group] = true;
    r->launched_last = group;
    r->kicked = true;
}

uint32_t dla_regs_bdma_status(const struct dla_regs *r)
{
    bool busy = r->launched[0] || r->launched[1];

    return FIELD_PUT(NVDLA_BDMA_STATUS_0_FREE_SLOT, dla_bdma_free(r)) |
           FIELD_PUT(NVDLA_BDMA_STATUS_0_IDLE, !busy && !r->dead[NVDLA_UNIT_BDMA]) |
           FIELD_PUT(NVDLA_BDMA_STATUS_0_GRP0_BUSY, r->launched[0]) |
           FIELD_PUT(NVDLA_BDMA_STATUS_0_GRP1_BUSY, r->launched[1]);
}

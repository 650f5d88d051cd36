/* SPDX-License-Identifier: MIT */
#include "model/dla/regs_file.h"

#include "model/dla/cube.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct dla_unit_info {
    const char *name;
    uint32_t base[2]; /* small, full */
};

struct dla_reg_info {
    enum nvdla_unit unit;
    const char *name;
    uint32_t offset, writable;
};

#define REG(unit, name, offset, writable)
#define FIELD(unit, reg, name, lsb, width)
static const struct dla_unit_info dla_units[] = {
#define UNIT(name, small, full) { #name, { small, full } },
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
#undef UNIT
};
#undef REG

static const struct dla_reg_info dla_reg_list[] = {
#define UNIT(name, small, full)
#define REG(unit, name, offset, writable) { NVDLA_UNIT_##unit, #name, offset, writable },
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
#undef UNIT
#undef REG
};
#undef FIELD

/* Units that have groups, and the enable register of each. */
static const struct {
    enum nvdla_unit unit;
    uint32_t op_enable;
} dla_doubled[] = {
#define DOUBLED(u)                                \
    {                                             \
        NVDLA_UNIT_##u, NVDLA_##u##_D_OP_ENABLE_0 \
    }
    DOUBLED(CDMA), DOUBLED(CSC),      DOUBLED(CMAC_A), DOUBLED(CMAC_B),
    DOUBLED(CACC), DOUBLED(SDP),      DOUBLED(PDP),    DOUBLED(SDP_RDMA),
    DOUBLED(CDP),  DOUBLED(PDP_RDMA), DOUBLED(RBK),    DOUBLED(CDP_RDMA),
#undef DOUBLED
};

static uint32_t dla_op_enable(enum nvdla_unit unit)
{
    for (size_t i = 0; i < COUNT(dla_doubled); i++) {
        if (dla_doubled[i].unit == unit) {
            return dla_doubled[i].op_enable;
        }
    }
    return NVDLA_NO_BLOCK;
}

static uint32_t dla_unit_base(const struct dla_config *cfg, enum nvdla_unit unit)
{
    return dla_units[unit].base[cfg->full_map];
}

static bool dla_unit_exists(const struct dla_config *cfg, enum nvdla_unit unit)
{
    switch (unit) {
    case NVDLA_UNIT_BDMA:
        return cfg->bdma;
    case NVDLA_UNIT_RBK:
        return cfg->rubik;
    case NVDLA_UNIT_CVIF:
        return cfg->second_memory;
    default:
        return dla_unit_base(cfg, unit) != NVDLA_NO_BLOCK;
    }
}

static const struct dla_reg_info *dla_reg_at(const struct dla_config *cfg, uint32_t offset)
{
    for (size_t i = 0; i < COUNT(dla_reg_list); i++) {
        const struct dla_reg_info *g = &dla_reg_list[i];

        if (dla_unit_exists(cfg, g->unit) && dla_unit_base(cfg, g->unit) + g->offset == offset) {
            return g;
        }
    }
    return NULL;
}

bool dla_regs_find(const struct dla_config *cfg, const char *name, uint32_t *offset)
{
    if (strncmp(name, "NVDLA_", 6) != 0) {
        return false;
    }
    for (size_t i = 0; i < COUNT(dla_reg_list); i++) {
        const struct dla_reg_info *g = &dla_reg_list[i];
        const char *unit = dla_units[g->unit].name;
        size_t n = strlen(unit);

        if (strncmp(name + 6, unit, n) == 0 && name[6 + n] == '.' &&
            strcmp(name + 7 + n, g->name) == 0 && dla_unit_exists(cfg, g->unit)) {
            *offset = dla_unit_base(cfg, g->unit) + g->offset;
            return true;
        }
    }
    return false;
}

bool dla_regs_name(const struct dla_config *cfg, uint32_t offset, const char **unit,
                   const char **name)
{
    const struct dla_reg_info *g = dla_reg_at(cfg, offset);

    if (!g) {
        return false;
    }
    *unit = dla_units[g->unit].name;
    *name = g->name;
    return true;
}

struct dla_regs *dla_regs_new(const struct dla_config *cfg, struct dla_port *port)
{
    struct dla_regs *r = calloc(1, sizeof(*r));

    if (r) {
        r->cfg = cfg;
        r->port = port;
    }
    return r;
}

void dla_regs_free(struct dla_regs *r)
{
    free(r);
}

void dla_regs_reset(struct dla_regs *r)
{
    const struct dla_config *cfg = r->cfg;
    struct dla_port *port = r->port;

    memset(r, 0, sizeof(*r));
    r->cfg = cfg;
    r->port = port;
}

bool dla_regs_irq(const struct dla_regs *r)
{
    return r->intr & ~r->word[NVDLA_UNIT_GLB][0][NVDLA_GLB_S_INTR_MASK_0 / 4];
}

const struct dla_error *dla_regs_fault(const struct dla_regs *r)
{
    return r->faulted ? &r->fault : NULL;
}

unsigned dla_regs_unknown(const struct dla_regs *r)
{
    return r->unknown;
}

/* The consumer group of a unit is enabled and nothing failed there. */
static bool dla_ready(const struct dla_regs *r, enum nvdla_unit unit)
{
    return !r->dead[unit] && (dla_reg(r, unit, dla_op_enable(unit)) & 1);
}

static bool dla_ready_conv(const struct dla_regs *r)
{
    return dla_ready(r, NVDLA_UNIT_CDMA) && dla_ready(r, NVDLA_UNIT_CSC) &&
           dla_ready(r, NVDLA_UNIT_CMAC_A) && dla_ready(r, NVDLA_UNIT_CMAC_B) &&
           dla_ready(r, NVDLA_UNIT_CACC);
}

/* A unit is through with its operation. @intr < 0: it has no interrupt. */
static void dla_finish(struct dla_regs *r, enum nvdla_unit unit, int intr, enum dla_status status)
{
    unsigned group = r->consumer[unit];

    if (status != DLA_OK) {
        r->dead[unit] = true;
        r->stopped |= status == DLA_STOPPED;
        if (!r->faulted) {
            r->faulted = true;
            r->fault = r->port->error;
        }
        return;
    }
    r->word[unit][group][dla_op_enable(unit) / 4] = 0;
    r->consumer[unit] ^= 1;
    if (intr >= 0) {
        r->intr |= 1u << ((unsigned)intr + group);
    }
}

static void dla_count(struct dla_regs *r, enum nvdla_unit unit, uint32_t offset, uint32_t value)
{
    r->word[unit][r->consumer[unit]][offset / 4] = value;
}

static void dla_finish_conv(struct dla_regs *r, const struct dla_stats *s, enum dla_status status)
{
    dla_count(r, NVDLA_UNIT_CACC, NVDLA_CACC_D_OUT_SATURATION_0, s->conv_saturated);
    dla_count(r, NVDLA_UNIT_CDMA, NVDLA_CDMA_D_NAN_INPUT_DATA_NUM_0, s->nan_data);
    dla_count(r, NVDLA_UNIT_CDMA, NVDLA_CDMA_D_NAN_INPUT_WEIGHT_NUM_0, s->nan_weights);
    dla_count(r, NVDLA_UNIT_CDMA, NVDLA_CDMA_D_INF_INPUT_DATA_NUM_0, s->inf_data);
    dla_count(r, NVDLA_UNIT_CDMA, NVDLA_CDMA_D_INF_INPUT_WEIGHT_NUM_0, s->inf_weights);
    if (status == DLA_OK) {
        r->intr |= 1u << (DLA_INTR_CDMA_WT + r->consumer[NVDLA_UNIT_CDMA]);
    }
    dla_finish(r, NVDLA_UNIT_CDMA, DLA_INTR_CDMA_DAT, status);
    dla_finish(r, NVDLA_UNIT_CSC, -1, status);
    dla_finish(r, NVDLA_UNIT_CMAC_A, -1, status);
    dla_finish(r, NVDLA_UNIT_CMAC_B, -1, status);
    dla_finish(r, NVDLA_UNIT_CACC, DLA_INTR_CACC, status);
}

static void dla_finish_sdp(struct dla_regs *r, const struct dla_stats *s, enum dla_status status)
{
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_STATUS_0, s->unequal);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_STATUS_NAN_INPUT_NUM_0, s->nan_in);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_STATUS_INF_INPUT_NUM_0, s->inf_in);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_STATUS_NAN_OUTPUT_NUM_0, s->nan_out);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_LUT_UFLOW_0, s->lut_uflow);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_LUT_OFLOW_0, s->lut_oflow);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_OUT_SATURATION_0, s->sdp_saturated);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_LUT_HYBRID_0, s->lut_hybrid);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_LUT_LE_HIT_0, s->lut_le_hit);
    dla_count(r, NVDLA_UNIT_SDP, NVDLA_SDP_D_PERF_LUT_LO_HIT_0, s->lut_lo_hit);
    dla_finish(r, NVDLA_UNIT_SDP, DLA_INTR_SDP, status);
}

static void dla_finish_pdp(struct dla_regs *r, const struct dla_stats *s, enum dla_status status)
{
    dla_count(r, NVDLA_UNIT_PDP, NVDLA_PDP_D_NAN_INPUT_NUM_0, s->pool_nan_in);
    dla_count(r, NVDLA_UNIT_PDP, NVDLA_PDP_D_INF_INPUT_NUM_0, s->pool_inf_in);
    dla_count(r, NVDLA_UNIT_PDP, NVDLA_PDP_D_NAN_OUTPUT_NUM_0, s->pool_nan_out);
    dla_finish(r, NVDLA_UNIT_PDP, DLA_INTR_PDP, status);
}

static bool dla_stage_wants_dma(const struct dla_stage *s)
{
    return s->enable && ((s->alu && s->alu_from_memory) || (s->mul && s->mul_from_memory));
}

/* SDP, alone or with the convolution before it and the pooling after it. */
static bool dla_step_sdp(struct dla_regs *r)
{
    struct dla_stats stats = { 0 };
    struct dla_sdp_op op;
    struct dla_pdp_op pdp;
    bool dma;
    enum dla_status status;

    if (!dla_ready(r, NVDLA_UNIT_SDP)) {
        return false;
    }
    dla_regs_lut(r, false);
    dla_regs_sdp(r, &op);
    dma = !op.flying || dla_stage_wants_dma(&op.x1) || dla_stage_wants_dma(&op.x2) ||
          dla_stage_wants_dma(&op.y);
    if ((op.flying && !dla_ready_conv(r)) || (dma && !dla_ready(r, NVDLA_UNIT_SDP_RDMA)) ||
        (op.to_pdp && !dla_ready(r, NVDLA_UNIT_PDP))) {
        return false;
    }
    if (op.to_pdp) {
        dla_regs_pdp(r, &pdp);
        if (!pdp.flying) {
            return false;
        }
    }
    if (op.flying) {
        dla_regs_conv(r, &r->conv);
        r->conv_valid = true;
    }
    status = dla_run_sdp(r->cfg, r->port, &op, &r->conv, &pdp, &stats);
    if (op.flying) {
        dla_finish_conv(r, &stats, status);
    }
    if (dla_ready(r, NVDLA_UNIT_SDP_RDMA)) {
        /* Its own input, or enabled with nothing to fetch. */
        dla_finish(r, NVDLA_UNIT_SDP_RDMA, -1, status);
    }
    dla_finish_sdp(r, &stats, status);
    if (op.to_pdp) {
        dla_finish_pdp(r, &stats, status);
    }
    return true;
}

static bool dla_step_pdp(struct dla_regs *r)
{
    struct dla_stats s = { 0 };
    struct dla_pdp_op op;
    enum dla_status status;

    if (!dla_ready(r, NVDLA_UNIT_PDP) || !dla_ready(r, NVDLA_UNIT_PDP_RDMA)) {
        return false;
    }
    dla_regs_pdp(r, &op);
    if (op.flying) {
        return false;
    }
    status = dla_run_pdp(r->cfg, r->port, &op, &s);
    dla_finish(r, NVDLA_UNIT_PDP_RDMA, -1, status);
    dla_finish_pdp(r, &s, status);
    return true;
}

static bool dla_step_cdp(struct dla_regs *r)
{
    struct dla_stats s = { 0 };
    struct dla_cdp_op op;
    enum dla_status status;

    if (!dla_ready(r, NVDLA_UNIT_CDP) || !dla_ready(r, NVDLA_UNIT_CDP_RDMA)) {
        return false;
    }
    dla_regs_lut(r, true);
    dla_regs_cdp(r, &op);
    status = dla_run_cdp(r->cfg, r->port, &op, &s);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_NAN_INPUT_NUM_0, s.nan_in);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_INF_INPUT_NUM_0, s.inf_in);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_NAN_OUTPUT_NUM_0, s.nan_out);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_OUT_SATURATION_0, s.cdp_saturated);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_PERF_LUT_UFLOW_0, s.lut_uflow);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_PERF_LUT_OFLOW_0, s.lut_oflow);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_PERF_LUT_HYBRID_0, s.lut_hybrid);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_PERF_LUT_LE_HIT_0, s.lut_le_hit);
    dla_count(r, NVDLA_UNIT_CDP, NVDLA_CDP_D_PERF_LUT_LO_HIT_0, s.lut_lo_hit);
    dla_finish(r, NVDLA_UNIT_CDP_RDMA, -1, status);
    dla_finish(r, NVDLA_UNIT_CDP, DLA_INTR_CDP, status);
    return true;
}

static bool dla_step_rubik(struct dla_regs *r)
{
    struct dla_rubik_op op;

    if (!dla_ready(r, NVDLA_UNIT_RBK)) {
        return false;
    }
    dla_regs_rubik(r, &op);
    dla_finish(r, NVDLA_UNIT_RBK, DLA_INTR_RUBIK, dla_run_rubik(r->cfg, r->port, &op));
    return true;
}

bool dla_regs_kicked(const struct dla_regs *r)
{
    return r->kicked;
}

void dla_regs_run(struct dla_regs *r)
{
    while (!r->stopped && (dla_step_sdp(r) || dla_step_pdp(r) || dla_step_cdp(r) ||
                           dla_step_rubik(r) || dla_regs_bdma_step(r))) {
    }
    r->kicked = false;
}

/* The entry the access port points at; NULL beyond the table. The address moves on. */
static int16_t *dla_lut_port(struct dla_regs *r, bool cdp, bool write)
{
    enum nvdla_unit unit = cdp ? NVDLA_UNIT_CDP : NVDLA_UNIT_SDP;
    uint32_t at = cdp ? NVDLA_CDP_S_LUT_ACCESS_CFG_0 : NVDLA_SDP_S_LUT_ACCESS_CFG_0;
    uint32_t cfg = r->word[unit][0][at / 4];
    uint32_t address = FIELD_GET(NVDLA_SDP_S_LUT_ACCESS_CFG_0_LUT_ADDR, cfg);
    bool lo = FIELD_GET(NVDLA_SDP_S_LUT_ACCESS_CFG_0_LUT_TABLE_ID, cfg);

    if (FIELD_GET(NVDLA_SDP_S_LUT_ACCESS_CFG_0_LUT_ACCESS_TYPE, cfg) != write ||
        address >= (lo ? DLA_LUT_LO : DLA_LUT_LE)) {
        return NULL;
    }
    cfg += FIELD_PUT(NVDLA_SDP_S_LUT_ACCESS_CFG_0_LUT_ADDR, 1);
    r->word[unit][0][at / 4] = r->word[unit][1][at / 4] = cfg;
    return lo ? &r->lut[cdp].lo[address] : &r->lut[cdp].le[address];
}

static unsigned dla_producer(const struct dla_regs *r, enum nvdla_unit unit)
{
    return r->word[unit][0][1] & 1; /* S_POINTER is the second register of every doubled unit */
}

static uint32_t dla_unit_status(const struct dla_regs *r, enum nvdla_unit unit)
{
    uint32_t status = 0, en = dla_op_enable(unit);

    for (unsigned g = 0; g < 2; g++) {
        if (r->word[unit][g][en / 4] & 1) {
            status |= (g == r->consumer[unit] ? 1u : 2u) << (16 * g); /* running, pending */
        }
    }
    return status;
}

/* What the configuration says about itself. Source: nvdla/hw spec/manual/NVDLA_CFGROM.rdl;
 * capability and descriptor words that it does not tie to a parameter read 0. */
static uint32_t dla_cfgrom(const struct dla_config *cfg, const struct dla_reg_info *g)
{
    static const struct {
        const char *end;
        size_t at;
    } words[] = {
        { "BASE_ATOMIC_C_0", offsetof(struct dla_config, atomic_c) },
        { "BASE_ATOMIC_K_0", offsetof(struct dla_config, atomic_k) },
        { "BASE_ATOMIC_M_0", offsetof(struct dla_config, atom) },
        { "BASE_CBUF_BANK_NUM_0", offsetof(struct dla_config, cbuf_banks) },
        { "BASE_CBUF_BANK_WIDTH_0", offsetof(struct dla_config, cbuf_width) },
        { "BASE_CBUF_BANK_DEPTH_0", offsetof(struct dla_config, cbuf_depth) },
    };

    for (size_t i = 0; i < COUNT(words); i++) {
        const char *p = strstr(g->name, words[i].end);

        if (p && p[strlen(words[i].end)] == '\0') {
            unsigned v;
            memcpy(&v, (const char *)cfg + words[i].at, sizeof(v));
            return v;
        }
    }
    if (strstr(g->name, "MULTI_BATCH_MAX_0")) {
        return cfg->max_batch > 1 ? cfg->max_batch : 0;
    }
    if (strstr(g->name, "_TYPES_0")) {
        return 0x10u | (cfg->int16 ? 0x20u : 0) | (cfg->fp16 ? 0x40u : 0); /* other bits inferred */
    }
    return g->offset == NVDLA_CFGROM_HW_VERSION_0 ? 0x00010001 : 0;
}

/* NVDLA_GLB.rdl of nvdla/hw: in both maps "1" and "00" in ASCII. */
#define GLB_HW_VERSION (0x31u | 0x3030u << 8)

static uint32_t dla_glb(const struct dla_regs *r, uint32_t offset)
{
    switch (offset) {
    case NVDLA_GLB_S_NVDLA_HW_VERSION_0:
        return GLB_HW_VERSION;
    case NVDLA_GLB_S_INTR_STATUS_0:
        return r->intr;
    case NVDLA_GLB_S_INTR_MASK_0:
        return r->word[NVDLA_UNIT_GLB][0][offset / 4];
    default:
        return 0;
    }
}

/* Registers that are more than storage. */
static bool dla_read_special(struct dla_regs *r, const struct dla_reg_info *g, uint32_t *value)
{
    const int16_t *entry;

    if (g->unit == NVDLA_UNIT_CFGROM) {
        *value = dla_cfgrom(r->cfg, g);
    } else if (g->unit == NVDLA_UNIT_GLB) {
        *value = dla_glb(r, g->offset);
    } else if (dla_op_enable(g->unit) != NVDLA_NO_BLOCK && g->offset == 0) {
        *value = dla_unit_status(r, g->unit);
    } else if (dla_op_enable(g->unit) != NVDLA_NO_BLOCK && g->offset == 4) {
        *value = dla_producer(r, g->unit) | (uint32_t)r->consumer[g->unit] << 16;
    } else if (g->unit == NVDLA_UNIT_CDMA && g->offset == NVDLA_CDMA_S_CBUF_FLUSH_STATUS_0) {
        *value = 1;
    } else if (g->unit == NVDLA_UNIT_BDMA && g->offset == NVDLA_BDMA_STATUS_0) {
        *value = dla_regs_bdma_status(r);
    } else if ((g->unit == NVDLA_UNIT_SDP && g->offset == NVDLA_SDP_S_LUT_ACCESS_DATA_0) ||
               (g->unit == NVDLA_UNIT_CDP && g->offset == NVDLA_CDP_S_LUT_ACCESS_DATA_0)) {
        entry = dla_lut_port(r, g->unit == NVDLA_UNIT_CDP, false);
        *value = entry ? (uint16_t)*entry : 0;
    } else if ((g->unit == NVDLA_UNIT_MCIF && g->offset == NVDLA_MCIF_STATUS_0) ||
               (g->unit == NVDLA_UNIT_CVIF && g->offset == NVDLA_CVIF_STATUS_0)) {
        *value = FIELD_PUT(NVDLA_MCIF_STATUS_0_IDLE, 1);
    } else {
        return false;
    }
    return true;
}

uint32_t dla_regs_read(struct dla_regs *r, uint32_t offset)
{
    const struct dla_reg_info *g = dla_reg_at(r->cfg, offset);
    uint32_t value;

    if (!g) {
        r->unknown++;
        return 0;
    }
    if (dla_read_special(r, g, &value)) {
        return value;
    }
    return r->word[g->unit][g->offset >= dla_op_enable(g->unit) ? dla_producer(r, g->unit) : 0]
                  [g->offset / 4];
}

static void dla_write_glb(struct dla_regs *r, uint32_t offset, uint32_t value)
{
    if (offset == NVDLA_GLB_S_INTR_STATUS_0) {
        r->intr &= ~value;
    } else if (offset == NVDLA_GLB_S_INTR_SET_0) {
        r->intr |= value;
    } else if (offset == NVDLA_GLB_S_INTR_MASK_0) {
        r->word[NVDLA_UNIT_GLB][0][offset / 4] = value;
    }
}

/* Registers of the unit itself: both groups see them. */
static void dla_write_single(struct dla_regs *r, const struct dla_reg_info *g, uint32_t value)
{
    bool cdp = g->unit == NVDLA_UNIT_CDP;
    int16_t *entry;

    r->word[g->unit][0][g->offset / 4] = value;
    r->word[g->unit][1][g->offset / 4] = value;
    if ((cdp && g->offset == NVDLA_CDP_S_LUT_ACCESS_DATA_0) ||
        (g->unit == NVDLA_UNIT_SDP && g->offset == NVDLA_SDP_S_LUT_ACCESS_DATA_0)) {
        entry = dla_lut_port(r, cdp, true);
        if (entry) {
            *entry = (int16_t)value;
        }
    } else if (g->unit == NVDLA_UNIT_BDMA) {
        dla_regs_bdma_write(r, g->offset, value);
    }
}

void dla_regs_store(struct dla_regs *r, uint32_t offset, uint32_t value)
{
    const struct dla_reg_info *g = dla_reg_at(r->cfg, offset);
    uint32_t enable, *group;

    if (!g) {
        r->unknown++;
        return;
    }
    value &= g->writable;
    if (!g->writable) {
        return;
    }
    enable = dla_op_enable(g->unit);
    if (g->unit == NVDLA_UNIT_GLB) {
        dla_write_glb(r, g->offset, value);
    } else if (g->offset < enable) {
        dla_write_single(r, g, value);
    } else {
        group = r->word[g->unit][dla_producer(r, g->unit)];
        if (group[enable / 4] & 1) {
            return; /* the hardware owns it */
        }
        group[g->offset / 4] = value;
        r->kicked |= g->offset == enable && (value & 1);
    }
}

void dla_regs_write(struct dla_regs *r, uint32_t offset, uint32_t value)
{
    dla_regs_store(r, offset, value);
    if (r->kicked) {
        dla_regs_run(r);
    }
}

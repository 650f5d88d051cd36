/* SPDX-License-Identifier: MIT */
/* Units, offsets from their bases, and fields of model/regs/nvdla*.def, as enumerators:
 * NVDLA_UNIT_CDMA, NVDLA_CDMA_D_MISC_CFG_0, NVDLA_CDMA_D_MISC_CFG_0_CONV_MODE_LSB ... */
#ifndef MODEL_DLA_NVDLA_H
#define MODEL_DLA_NVDLA_H

#include "model/regs/reg.h"

#define NVDLA_NO_BLOCK UINT32_MAX

#define REG(unit, name, offset, writable)
#define FIELD(unit, reg, name, lsb, width)
enum nvdla_unit {
#define UNIT(name, small, full) NVDLA_UNIT_##name,
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
#undef UNIT
    NVDLA_UNIT_COUNT
};
#undef REG
#undef FIELD

#define UNIT(name, small, full)
#define REG(unit, name, offset, writable) NVDLA_##unit##_##name = (offset),
#define FIELD(unit, reg, name, lsb, width) \
    NVDLA_##unit##_##reg##_##name##_LSB = (lsb), NVDLA_##unit##_##reg##_##name##_WIDTH = (width),
enum {
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
};
#undef UNIT
#undef REG
#undef FIELD

#endif

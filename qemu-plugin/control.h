/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Offsets and fields of the control block, as enumerators CONTROL_ID ... */
#ifndef QEMU_PLUGIN_CONTROL_H
#define QEMU_PLUGIN_CONTROL_H

#include "model/regs/reg.h"

enum {
#define REG(r, offset) CONTROL_##r = (offset),
#define FIELD(r, f, lsb, width) \
    CONTROL_##r##_##f##_LSB = (lsb), CONTROL_##r##_##f##_WIDTH = (width),
#include "qemu-plugin/control.def"
#undef REG
#undef FIELD
};
enum { CONTROL_MAGIC = 0x47455456, CONTROL_UNIT_BYTES = 16, CONTROL_SOC_BYTES = 32 };

#endif

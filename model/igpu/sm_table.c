/* SPDX-License-Identifier: MIT */
/* The handlers of one instruction set in the order of uop.def: one missing, and it does not link.
 */
#include "model/igpu/sm_lanes.h"

extern sm_handler *const SM_NAME(handlers)[PTX_UOP_COUNT];

sm_handler *const SM_NAME(handlers)[PTX_UOP_COUNT] = {
#define PTX_UOP(name, operands, spellings) [PTX_UOP_##name] = SM_NAME(name),
#include "ptx/uop.def"
#undef PTX_UOP
};

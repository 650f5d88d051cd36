/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that the files of the plugin share. It needs none of them: without it here each file
 * would need the one that holds it. */
#include "qemu-plugin/board.h"

struct board board;
_Thread_local bool board_own_access;
void (*board_irq)(unsigned unit, bool level);
unsigned shared_cpu;
uint64_t report_pc;
bool report_wants_accesses;

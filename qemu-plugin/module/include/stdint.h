/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The register lists of model/regs want the C library's names; the kernel has them elsewhere. */
#ifndef MODULE_STDINT_H
#define MODULE_STDINT_H

#include <linux/types.h>

#define UINT64_C(number) number##ULL

#endif

/* SPDX-License-Identifier: MIT */
/* A unit's interrupt line. Units drive it through bus.h and know nothing of the SoC around them. */
#include "model/soc/soc_internal.h"

void irq_set(struct irq *irq, bool level)
{
    irq->level = level;
}

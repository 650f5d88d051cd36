/* SPDX-License-Identifier: MIT */
/* The board that the driver has open and the checker that observes it. Needs no other file of the
 * driver, so that each may ask. */
#include "runtime/driver/core/core.h"

struct core core = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct hal *hal;
static struct check *check;

struct hal *core_hal(void)
{
    return hal;
}

bool core_hal_open(const struct hal_config *config)
{
    hal = hal_open(config);
    return hal != NULL;
}

struct check *core_check(void)
{
    return check;
}

void core_check_open(const struct check_config *config)
{
    check = check_open(config);
}

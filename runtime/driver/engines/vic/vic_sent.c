/* SPDX-License-Identifier: MIT */
/* Work on pictures that was submitted, for reports. Apart from vic_surface.c, so that these need no
 * more than this. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/engines/vic/vic.h"

struct vic_sent vic_sent[VIC_PENDING_MAX];

char *vic_surface_text(uint32_t number)
{
    for (unsigned i = 0; i < VIC_PENDING_MAX; i++) {
        struct vic_sent *sent = &vic_sent[i];

        if (sent->threshold && sent->number == number) {
            g_autofree char *place = check_called_at(core_check(), &sent->caller);

            sent->failed = true;
            return g_strdup_printf("%s%s%s", sent->api, place ? " at " : "", place ? place : "");
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Syncpoints as fences, and lists of them: what is known to have run. */
#ifndef RUNTIME_DRIVER_CORE_FENCE_H
#define RUNTIME_DRIVER_CORE_FENCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* "Everything before this has run": syncpoint @id has reached @threshold. id 0: always reached. */
struct fence {
    uint32_t id, threshold;
};

uint32_t syncpt_value(uint32_t id);
bool fence_reached(struct fence fence);
bool fence_waited(struct fence fence); /* the CPU has waited for it */

/* Lists of fences, at most one a syncpoint. */
void clock_add(GArray **clock, struct fence fence);
void clock_merge(GArray **clock, const GArray *other);
void clock_waited(const GArray *known); /* fence_waited() says so afterwards, of each */
void clock_synced(const GArray *known); /* fence_waited() says so afterwards */
/* Other processes may wait for @fence, and what they do after it may be what this one waits for:
 * what they signal comes after all that was published here and has run. That may hide a mistake,
 * and invents none. */
void clock_publish(struct fence fence, const GArray *known);
void clock_add_published(GArray **clock);
/* Who knows @when knows @then and @known, too. */
void clock_imply(struct fence when, struct fence then, const GArray *known);
bool clock_has(const GArray *clock, struct fence fence);

#endif

/* SPDX-License-Identifier: MIT */
/* A table by id that programs fill without end: launches, buffers. An entry whose use is over stays
 * for as long as it is among the newest of those, since what comes late still names it. */
#ifndef CHECKER_IDS_H
#define CHECKER_IDS_H

#include <glib.h>
#include <stdint.h>

struct ids;

/**
 * ids_new - an empty table
 * @keep: entries that are over and stay
 * @entry_free: of an entry; may be NULL
 */
struct ids *ids_new(guint keep, GDestroyNotify entry_free);
void ids_free(struct ids *t);

/* @id's entry from now on; one before it is freed. */
void ids_set(struct ids *t, uint32_t id, gpointer value);

/* NULL: there is none, or none any more. */
gpointer ids_get(const struct ids *t, uint32_t id);

/* The use of @id is over; nothing happens where it has no entry. Call it once for an id. */
void ids_end(struct ids *t, uint32_t id);

guint ids_size(const struct ids *t);

#endif

/* SPDX-License-Identifier: MIT */
/* Hooked accesses by place of the program and region: what the report adds up by line. */
#ifndef RUNTIME_OBSERVE_SITES_H
#define RUNTIME_OBSERVE_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "model/values.h"

struct check;
struct site_count;

struct sites *sites_new(void);
void sites_free(struct sites *s);
/* The counters of @pc in @region; NULL: the table is full. */
struct site_count *sites_find(struct sites *s, uintptr_t pc, uint32_t region);
/* @region goes. It is one of many that one line allocated: what it counted is @first's, the
 * first's. */
void sites_move(struct sites *s, uint32_t region, uint32_t first);
/* Emit the @site notes: what each line of the program accessed. */
void sites_notes(struct check *c);

void site_count_access(struct site_count *s, enum access_kind access, size_t len);
void site_count_add(struct site_count *s, uint64_t loads, uint64_t stores, uint64_t bytes);

#endif

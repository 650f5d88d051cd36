/* SPDX-License-Identifier: MIT */
/* The objects of this process, the program and its libraries, and the hooks that some have. */
#ifndef RUNTIME_OBSERVE_OBJECTS_H
#define RUNTIME_OBSERVE_OBJECTS_H

#include <stdbool.h>

#include "runtime/track/track.h"

struct check;

/* Look for those with hooks; @more is called for each that is loaded from now on, while the C
 * library's loader holds its lock. Call it without a lock. */
void objects_look(vtegra_track_enlist_fn *more);

/* Does any object have hooks that can be heard? */
bool objects_hooked(void);

/* Report each such object to the hooks; NULL: no more. */
void objects_attach(const struct vtegra_track_client *client);

/* Tell the report which of the application's code has hooks. The checker's lock is held. */
void objects_notes(struct check *c);

/* Can the hooks of @object be heard? Not if they are of another version. */
bool objects_heard(const struct vtegra_track_object *object);

#endif

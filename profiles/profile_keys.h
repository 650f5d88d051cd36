/* SPDX-License-Identifier: MIT */
/* The keys of model/profile.def as a table, for code that handles all of them alike. */
#ifndef PROFILES_PROFILE_KEYS_H
#define PROFILES_PROFILE_KEYS_H

#include <glib.h>

#include "model/profile.h"

enum profile_type { PROFILE_U32, PROFILE_U64, PROFILE_BOOL, PROFILE_STR };

/**
 * struct profile_key - one KEY() of model/profile.def
 * @optional: a file may lack the whole section
 * @offset: of the field in struct soc_profile, bytes
 * @min: least value, or least length of a text in bytes
 * @max: greatest
 * @unit: "" for a count
 * @text: what it is, for people
 */
struct profile_key {
    const char *section, *name;
    enum profile_type type;
    size_t offset;
    uint64_t min, max;
    const char *unit, *text;
    bool optional;
};

extern const struct profile_key profile_keys[];
extern const size_t profile_key_count;

/** profile_key_has - does @profile have the section of the key? Else its figures are zero. */
bool profile_key_has(const struct profile_key *key, const struct soc_profile *profile);

/** profile_key_value - the value as text (no unit), to be freed with g_free() */
char *profile_key_value(const struct profile_key *key, const struct soc_profile *profile);

#endif

/* SPDX-License-Identifier: MIT */
#include "profiles/profile_keys.h"

#include <stddef.h>

/* Sections in the order of the file; those that may be missing hold a 1. */
enum {
#define SECTION(section) OPTIONAL_##section = 0,
#define OPTIONAL_SECTION(section) OPTIONAL_##section = 1,
#define KEY(section, name, type, min, max, unit, text)
#define SECTION_END(section)
#include "model/profile.def"
#undef SECTION
#undef OPTIONAL_SECTION
#undef KEY
};

#define SECTION(section)
#define OPTIONAL_SECTION(section)
#define KEY(section, name, type, min, max, unit, text)                                          \
    { #section, #name, PROFILE_##type,    offsetof(struct soc_profile, section.name), min, max, \
      unit,     text,  OPTIONAL_##section },
const struct profile_key profile_keys[] = {
#include "model/profile.def"
};
const size_t profile_key_count = G_N_ELEMENTS(profile_keys);

bool profile_key_has(const struct profile_key *key, const struct soc_profile *profile)
{
    return !key->optional || soc_profile_gpus(profile) > 1;
}

char *profile_key_value(const struct profile_key *key, const struct soc_profile *profile)
{
    const char *field = (const char *)profile + key->offset;

    switch (key->type) {
    case PROFILE_U32:
        return g_strdup_printf("%" G_GUINT32_FORMAT, *(const uint32_t *)(const void *)field);
    case PROFILE_U64:
        return g_strdup_printf("%" G_GUINT64_FORMAT, *(const uint64_t *)(const void *)field);
    case PROFILE_BOOL:
        return g_strdup(*(const bool *)field ? "1" : "0");
    case PROFILE_STR:
        return g_strdup(field);
    }
    return NULL;
}

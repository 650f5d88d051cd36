/* SPDX-License-Identifier: MIT */
#include "model/rules/features.h"

#include <stddef.h>
#include <string.h>

static bool in_edition(const struct rules_facts *f, enum rules_edition from, enum rules_edition to)
{
    return f->edition >= from && f->edition <= to;
}

#define YES true
#define NO false

const struct rules_support *rules_support(const struct rules_facts *f, enum rules_feature feature)
{
#define FEATURE(NAME, title, apis)
#define CELL(FEATURE, FROM, TO, holds, ANSWER, remark, STANDING, source)                       \
    if (feature == RULES_FEATURE_##FEATURE &&                                                  \
        in_edition(f, RULES_EDITION_##FROM, RULES_EDITION_##TO) && (holds)) {                  \
        static const struct rules_support cell = { ANSWER, RULES_##STANDING, remark, source }; \
        return &cell;                                                                          \
    }
#include "model/rules/features.def"
#undef FEATURE
#undef CELL
    return NULL; /* tests/test_editions.c tries every feature and set of facts */
}

static const struct {
    const char *title, *apis;
} features[] = {
#define FEATURE(NAME, title, apis) { title, apis },
#define CELL(...)
#include "model/rules/features.def"
#undef FEATURE
#undef CELL
};

const char *rules_feature_title(enum rules_feature feature)
{
    return features[feature].title;
}

/* Is @api one of the words of @apis, or does it begin as one that ends in '*'? */
static bool features_names(const char *apis, const char *api)
{
    while (*apis) {
        size_t n = strcspn(apis, " ");

        if (n && apis[n - 1] == '*' ? strncmp(apis, api, n - 1) == 0
                                    : strncmp(apis, api, n) == 0 && api[n] == '\0') {
            return true;
        }
        apis += n + (apis[n] == ' ');
    }
    return false;
}

enum rules_feature rules_feature_of(const char *api)
{
    enum rules_feature feature = 0;

    while (feature < RULES_FEATURE_COUNT && !features_names(features[feature].apis, api)) {
        feature++;
    }
    return feature;
}

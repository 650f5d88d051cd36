/* SPDX-License-Identifier: MIT */
/* What is supported where: features.def. Pure, as kinds.h. */
#ifndef MODEL_RULES_FEATURES_H
#define MODEL_RULES_FEATURES_H

#include "model/rules/kinds.h"

enum rules_feature {
#define FEATURE(NAME, title, apis) RULES_FEATURE_##NAME,
#define CELL(...)
#include "model/rules/features.def"
#undef FEATURE
#undef CELL
    RULES_FEATURE_COUNT
};

/** struct rules_support - a cell: is the feature there, and who says so */
struct rules_support {
    bool there;
    enum rules_standing standing; /* as in the table; rules_standing_in() knows the edition */
    const char *remark, *source;
};

/* Never NULL: for every feature a cell holds, whatever the facts. */
const struct rules_support *rules_support(const struct rules_facts *f, enum rules_feature feature);

const char *rules_feature_title(enum rules_feature feature);

/* The feature that an entry point of the driver API is part of; RULES_FEATURE_COUNT: none. */
enum rules_feature rules_feature_of(const char *api);

#endif

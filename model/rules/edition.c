/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/rules/kinds.h"

static const struct {
    const char *name, *text;
    bool read;
} editions[] = {
#define EDITION(ID, name, read, text) { name, text, read },
#include "model/rules/editions.def"
#undef EDITION
};

enum rules_edition rules_edition_find(const char *name)
{
    enum rules_edition e = 0;

    while (e < RULES_EDITION_COUNT && strcmp(editions[e].name, name) != 0) {
        e++;
    }
    return e;
}

const char *rules_edition_name(enum rules_edition edition)
{
    return editions[edition].name;
}

const char *rules_edition_text(enum rules_edition edition)
{
    return editions[edition].text;
}

enum rules_os rules_os_find(const char *name)
{
    static const char *const names[] = { "linux", "qnx", "android", "embedded-linux" };
    enum rules_os os = 0;

    while (os < RULES_OS_COUNT && strcmp(names[os], name) != 0) {
        os++;
    }
    return os;
}

enum rules_standing rules_standing_in(const struct rules_facts *f, enum rules_standing standing)
{
    return standing == RULES_DOCUMENTED && !editions[f->edition].read ? RULES_INTERPOLATED
                                                                      : standing;
}

const char *rules_standing_word(enum rules_standing standing)
{
    static const char *const words[] = { "documented", "inferred", "interpolated", "unknown" };

    return words[standing];
}

/* SPDX-License-Identifier: MIT */
#include "model/rules/kinds.h"

#include <stddef.h>

struct rules_facts rules_facts_of(const struct soc_profile *p)
{
    enum rules_edition edition = rules_edition_find(p->soc.edition);

    return (struct rules_facts){
        .edition = edition < RULES_EDITION_COUNT ? edition : RULES_EDITION_COUNT - 1,
        .cc = soc_profile_cc(p),
        .discrete = soc_profile_discrete(p) && soc_profile_gpus(p) == 1,
        .attached = soc_profile_discrete(p) && soc_profile_gpus(p) > 1,
        .io_coherent = p->soc.io_coherent,
        .full_coherent = p->rules.cpu_snoops_l2,
        .registered_local = p->memory.numa_node == p->gpu.host_numa_node,
        .concurrent_managed = p->gpu.concurrent_managed_access,
        .pageable_access = p->gpu.pageable_memory_access,
    };
}

static bool in_edition(const struct rules_facts *f, enum rules_edition from, enum rules_edition to)
{
    return f->edition >= from && f->edition <= to;
}

const struct rules_cell *rules_cell(const struct rules_facts *f, enum rules_kind kind,
                                    enum rules_side side)
{
#define KIND(NAME, title)
#define CELL(KIND, SIDE, FROM, TO, holds, CACHING, remark, STANDING, source)               \
    if (kind == RULES_##KIND && side == RULES_##SIDE &&                                    \
        in_edition(f, RULES_EDITION_##FROM, RULES_EDITION_##TO) && (holds)) {              \
        static const struct rules_cell cell = { RULES_##CACHING, RULES_##STANDING, remark, \
                                                source };                                  \
        return &cell;                                                                      \
    }
#include "model/rules/kinds.def"
#undef KIND
#undef CELL
    return NULL; /* tests/test_kinds.c tries every kind, side and set of facts */
}

const char *rules_kind_title(enum rules_kind kind)
{
    static const char *const titles[] = {
#define KIND(NAME, title) title,
#define CELL(...)
#include "model/rules/kinds.def"
#undef KIND
#undef CELL
    };

    return titles[kind];
}

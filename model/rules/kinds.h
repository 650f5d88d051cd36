/* SPDX-License-Identifier: MIT */
/* Table 1 of CUDA for Tegra, kinds.def: does the CPU, does the iGPU cache a kind of memory, or not
 * reach it at all?
 *
 * Pure: a cell depends on the facts given and nothing else. A live board takes them from its
 * profile, the checker from the notes of a run. */
#ifndef MODEL_RULES_KINDS_H
#define MODEL_RULES_KINDS_H

#include <stdbool.h>

#include "model/profile.h"

enum rules_kind {
#define KIND(NAME, title) RULES_##NAME,
#define CELL(...)
#include "model/rules/kinds.def"
#undef KIND
#undef CELL
    RULES_KIND_COUNT
};

enum rules_side { RULES_CPU, RULES_IGPU, RULES_DGPU, RULES_SIDE_COUNT };

enum rules_caching { RULES_NO_ACCESS, RULES_UNCACHED, RULES_CACHED };

/* INTERPOLATED: the editions before and after agree, its own text was not read. UNKNOWN: they do
 * not, or the text at hand lost the place. */
enum rules_standing { RULES_DOCUMENTED, RULES_INFERRED, RULES_INTERPOLATED, RULES_UNKNOWN };

/* Editions of the note, in order. */
enum rules_edition {
#define EDITION(ID, name, read, text) RULES_EDITION_##ID,
#include "model/rules/editions.def"
#undef EDITION
    RULES_EDITION_COUNT
};

enum rules_os { RULES_LINUX, RULES_QNX, RULES_ANDROID, RULES_EMBEDDED_LINUX, RULES_OS_COUNT };

/**
 * struct rules_facts - what the cells depend on
 * @os: the system; rules_facts_of() says Linux
 * @cc: compute capability as one number
 * @io_coherent: engines snoop the CPU caches
 * @full_coherent: CPU accesses snoop the iGPU's L2, too, for memory that both cache
 * @discrete: the GPU has memory of its own, behind the PCIe of an x86 machine; the column of Table
 * 1 is then RULES_DGPU
 * @attached: the facts are of a discrete GPU that a DRIVE board has beside the integrated one: the
 * third column
 * @registered_local: a process's pages lie on the NUMA node of the iGPU
 * @concurrent_managed, @pageable_access: the device attributes concurrentManagedAccess,
 * pageableMemoryAccess
 */
struct rules_facts {
    enum rules_edition edition;
    enum rules_os os;
    unsigned cc;
    bool discrete, attached, io_coherent, full_coherent, registered_local, concurrent_managed,
        pageable_access;
};

/** struct rules_cell - a cell of Table 1; see kinds.def */
struct rules_cell {
    enum rules_caching caching;
    enum rules_standing standing;
    const char *remark, *source;
};

/* "13.4"; RULES_EDITION_COUNT: there is no such edition */
enum rules_edition rules_edition_find(const char *name);
const char *rules_edition_name(enum rules_edition edition);
/* What the table of that edition is typed from. */
const char *rules_edition_text(enum rules_edition edition);
/* RULES_OS_COUNT: there is no such system */
enum rules_os rules_os_find(const char *name);

/* The facts of a SoC, in the edition that its profile has in force; the newest where it names none.
 */
struct rules_facts rules_facts_of(const struct soc_profile *p);

/* Never NULL: for every kind and side a cell holds, whatever the facts. */
const struct rules_cell *rules_cell(const struct rules_facts *f, enum rules_kind kind,
                                    enum rules_side side);

/* The column of Table 1 that the SoC's own GPU is. */
static inline enum rules_side rules_gpu_side(const struct rules_facts *f)
{
    return f->discrete || f->attached ? RULES_DGPU : RULES_IGPU;
}

static inline enum rules_caching rules_caching(const struct rules_facts *f, enum rules_kind kind,
                                               enum rules_side side)
{
    return rules_cell(f, kind, side)->caching;
}

/* The standing of a cell in the edition of @f: "documented" in an edition that was not read is
 * interpolated. */
enum rules_standing rules_standing_in(const struct rules_facts *f, enum rules_standing standing);
/* "documented" */
const char *rules_standing_word(enum rules_standing standing);

/* As Table 1 names it: "pinned host memory"; NULL: it has no row. */
const char *rules_kind_title(enum rules_kind kind);

#endif

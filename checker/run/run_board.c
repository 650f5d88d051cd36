/* SPDX-License-Identifier: MIT */
#include "checker/run/run_board.h"

#include <string.h>

#include "checker/run/run_internal.h"
#include "model/rules/charge_figures.h"
#include "model/rules/kinds.h"

void run_board_note_make(const struct soc_profile *p, struct note *n)
{
    unsigned count;
    const struct charge_figure *f = charge_figures(&count);

    note_init(n, "board");
    for (unsigned i = 0; i < count; i++) {
        note_u64(n, f[i].name, charge_figure_get(p, &f[i]));
    }
}

/* What the first note of a run has said. */
static void run_board_facts(struct run *r)
{
    struct soc_profile *p = &r->board;

    p->soc.io_coherent = r->facts.io_coherent;
    p->rules.cpu_snoops_l2 = r->facts.full_coherent;
    p->gpu.cc_major = r->cc / 10;
    p->gpu.cc_minor = r->cc % 10;
    p->gpu.concurrent_managed_access = r->facts.concurrent_managed;
    p->gpu.pageable_memory_access = r->facts.pageable_access;
    p->memory.numa_node = r->facts.registered_local ? 0 : 1;
    p->memory.bandwidth_mb_s = (uint32_t)r->bandwidth_mb_s;
    p->timing.cpu_hit_ps = (uint32_t)r->cpu_hit_ps;
    p->timing.cpu_miss_ps = (uint32_t)r->cpu_miss_ps;
    p->timing.cpu_uncached_ps = (uint32_t)r->cpu_uncached_ps;
    p->timing.cpu_maintain_line_ps = (uint32_t)r->cpu_maintain_ps;
    g_strlcpy(p->soc.edition, rules_edition_name(r->facts.edition), sizeof(p->soc.edition));
}

bool run_board_note(struct run *r, const struct note *n)
{
    unsigned count;
    const struct charge_figure *f = charge_figures(&count);

    if (strcmp(n->name, "board") != 0) {
        return false;
    }
    run_board_facts(r);
    for (unsigned i = 0; i < count; i++) {
        charge_figure_set(&r->board, &f[i], note_num(n, f[i].name));
    }
    r->has_board = charge_figures_whole(&r->board); /* a file may say anything */
    return true;
}

/* SPDX-License-Identifier: MIT */
#include "checker/run/run_board.h"

#include <string.h>

#include "checker/run/run_internal.h"
#include "model/rules/charge_figures.h"
#include "model/rules/kinds.h"

static const char *const notes[RUN_BOARD_NOTES] = { "board", "board2" };

/* As many as a note holds, in turn. */
static unsigned run_board_note_of(unsigned figure)
{
    return figure / NOTE_KEYS;
}

void run_board_notes(const struct soc_profile *p, struct note n[RUN_BOARD_NOTES])
{
    unsigned count;
    const struct charge_figure *f = charge_figures(&count);

    for (unsigned i = 0; i < RUN_BOARD_NOTES; i++) {
        note_init(&n[i], notes[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        note_u64(&n[run_board_note_of(i)], f[i].name, charge_figure_get(p, &f[i]));
    }
}

static void run_board_take(struct run *r, const struct note *n, unsigned number)
{
    unsigned count;
    const struct charge_figure *f = charge_figures(&count);

    for (unsigned i = 0; i < count; i++) {
        if (run_board_note_of(i) == number) {
            charge_figure_set(&r->board, &f[i], note_num(n, f[i].name));
        }
    }
}

bool run_board_note(struct run *r, const struct note *n)
{
    for (unsigned i = 0; i < RUN_BOARD_NOTES; i++) {
        if (strcmp(n->name, notes[i]) == 0) {
            run_board_take(r, n, i);
            g_strlcpy(r->board.soc.edition, rules_edition_name(r->facts.edition),
                      sizeof(r->board.soc.edition));
            r->has_board = charge_figures_whole(&r->board); /* a file may say anything */
            return true;
        }
    }
    return false;
}

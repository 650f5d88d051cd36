/* SPDX-License-Identifier: MIT */
/* Shared by the files of the happens-before checker: hb.c what records and notes mean, hb_access.c
 * accesses and what caches do to a line, hb_engine.c accesses of engines, hb_find.c from what is
 * wrong with them to findings. */
#ifndef CHECKER_HB_INTERNAL_H
#define CHECKER_HB_INTERNAL_H

#include "checker/hb/hb.h"
#include "checker/hb/hb_cell.h"

#define HB_PAGE 4096u
#define HB_LINE 64u
#define HB_PAGE_LINES (HB_PAGE / HB_LINE)
#define HB_FLAG_BYTES 8u

/* Sites are addresses of the program's code, or with this bit numbers of struct hb_label. */
#define HB_SITE_LABEL (UINT64_C(1) << 63)

/* A call that makes engines work: a launch, a copy. Strings owned.
 * @at: line of the kernel, NULL: all of it; @code: of a kernel, number of its source files;
 * @staged: a copy out of pageable memory; @process: whose work it is, 0: of this one
 * @flag: of a kernel that has seen a flag that was set while it ran: the site of that read */
struct hb_label {
    char *name, *where, *at;
    uint32_t stream, grid_id, process;
    bool staged;
    uint64_t code, flag;
};

/**
 * struct hb_region - memory of the application
 * @pages: HB_PAGE_LINES numbers of states each; NULL: never touched
 * @untouched: the state of all lines that are in no page
 * @track: versions are followed
 * @flags: something in it was accessed as a flag
 * @imported: of another process: what its caches hold is not followed
 */
struct hb_region {
    uint32_t id;
    uint64_t pa, len, va;
    uint32_t **pages;
    uint32_t untouched;
    bool known, cached, track, flags, imported;
};

/* A kernel's line found before: it changes with almost every access. */
struct hb_at {
    uint64_t site, place, there;
};
#define HB_ATS 64u

/**
 * struct hb_like - an engine's plain access that found nothing, to the same bytes of both halves of
 * a line of 128: one like it is the same step, as long as nothing but accesses and what caches do
 * has come since
 * @turn: of struct hb; 0: nothing is here
 * @number: of its moves
 * @scope, @l2, @mask: as in its record; @place: of its agent's @at
 */
struct hb_like {
    uint64_t turn, number, place, scope, l2, mask;
    struct hb_region *r;
    const struct hb_agent *at;
    uint32_t channel, process;
    uint16_t event, agent;
};
#define HB_LIKES 8u

/* Where such a step has taken a state: a large copy leaves some thousand, each of its pieces one.
 */
struct hb_move {
    uint64_t number;
    uint32_t from, to;
};
#define HB_MOVES 4096u

/* The record of an event: the increment at its end, and the call. Newer ones take the place of old
 * ones. */
struct hb_event {
    uint32_t id, value;
    uint64_t site;
};
#define HB_EVENTS 4096u

/* A stream signals or waits for a sync object of NvSci: the call, and how many submissions there
 * were by then. Newer ones take the place of old ones. */
struct hb_sci_sync {
    uint64_t submissions, site;
    uint32_t stream;
    bool signals, skips;
};
#define HB_SYNCS 256u

/* A frame of an EGLStream was given to the program, or (@taken) passed on by it: by which call, by
 * which thread at its clock. Newer ones take the place of old ones. */
struct hb_frame {
    uint64_t site;
    uint32_t region, clock;
    unsigned agent;
    bool taken;
};
#define HB_FRAMES 128u

/* A host function: the call that has queued it, and the clock of the thread that calls it at its
 * begin, 0: it has not begun. Newer ones take the place of old ones. */
struct hb_function {
    uint64_t object, site;
    uint32_t clock;
};
#define HB_FUNCTIONS 64u

struct hb {
    const struct run *run;
    hb_found *found;
    void *opaque;
    struct hb_clocks *clocks;
    struct hb_cells *cells;
    GPtrArray *regions; /* of hb_regions.c */
    GPtrArray *labels;  /* NULL where the number is free */
    GArray *labels_free;
    guint labels_crowd, label_last;
    GHashTable *label_by_text; /* text -> number + 1 */
    GHashTable *grids;         /* grid id -> number of its label + 1 */
    GHashTable *files;         /* "code number" -> path */
    struct hb_at at[HB_ATS];
    struct hb_like like[HB_LIKES];
    struct hb_move *move;    /* HB_MOVES; NULL before the first hb_like */
    uint64_t likes;          /* so far */
    uint64_t turn;           /* grows with what may make an access another step than before */
    struct hb_event *events; /* HB_EVENTS; NULL before the first */
    struct hb_sci_sync syncs[HB_SYNCS];
    struct hb_frame frames[HB_FRAMES];
    unsigned n_syncs, n_frames; /* so far */
    struct hb_function functions[HB_FUNCTIONS];
    uint64_t function_site; /* of the next one, 0 = not known */
    uint64_t submissions;   /* so far */
    uint64_t label;         /* of the last call that was reported */
    bool ordered;           /* the last access through flags_order() made an order that is new */
    uint64_t l2_leaving;    /* line whose write-back ends its stay, 0 = none */
    uint32_t function;      /* the thread that calls host functions, 0 = none has been called */
    struct hb_claim claim;  /* of the next submission */
    GHashTable *pairs;
    GPtrArray *pair_list;
};

/* hb_find.c */
void hb_pairs_open(struct hb *hb);
void hb_pairs_close(struct hb *hb);
void hb_pairs_sites(const struct hb *hb, void (*use)(uint64_t site, void *opaque), void *opaque);
/* Of the line at @line: report it, or count it if it was reported before. @e: the access that
 * showed it.
 */
void hb_hit_report(struct hb *hb, const struct hb_region *r, uint64_t line,
                   const struct hb_hit *hit, const struct hb_entry *e);

/* hb_regions.c. At: NULL if there is none; get: made if it is new, NULL for id 0. Next: of those
 * that there are, by id; NULL after the last, of NULL the first. */
void hb_regions_open(struct hb *hb);
struct hb_region *hb_region_at(const struct hb *hb, uint32_t id);
struct hb_region *hb_region_get(struct hb *hb, uint32_t id);
void hb_region_drop(struct hb *hb, uint32_t id);
struct hb_region *hb_region_next(const struct hb *hb, const struct hb_region *after);

/* hb_labels.c */
void hb_labels_open(struct hb *hb);
void hb_labels_close(struct hb *hb);
void hb_label_free(gpointer label);
/* Where there are many: those that nothing refers to go. */
void hb_labels_tidy(struct hb *hb);
/* The site of a call; made if it is new. @where, @at may be NULL. */
uint64_t hb_label_get(struct hb *hb, const char *name, const char *where, const char *at,
                      uint32_t stream);
/* The same of a copy out of pageable memory. */
uint64_t hb_label_staged(struct hb *hb, const char *name, const char *where, uint32_t stream);
struct hb_label *hb_label(const struct hb *hb, uint64_t site);
/* The one site of an agent of another process. */
uint64_t hb_label_foreign(struct hb *hb, struct hb_agent *a);
/* Of a site of a kernel: the site of the flag that it has seen, 0: it has seen none. */
uint64_t hb_label_flag(struct hb *hb, uint64_t site);
/* The same call's site at a line of the kernel; @site itself if the line's file is not known. */
uint64_t hb_label_at(struct hb *hb, uint64_t site, uint64_t place);
/* hb.c: the agent that a thread is; and the one that acts by a record. */
unsigned hb_thread(struct hb *hb, uint32_t thread);
unsigned hb_cpu(struct hb *hb, const struct trace_record *t);
/* hb.c: memory of the application that is there, or NULL. */
struct hb_region *hb_region_find(const struct hb *hb, uint32_t id);
/* The board's rules come with the first note of a run. */
struct hb_cells *hb_cells_get(struct hb *hb);

/* hb_access.c */
/* States of former launches and clocks pile up: keep those that a line has. */
void hb_cells_tidy(struct hb *hb);
uint32_t *hb_line_state(struct hb_region *r, uint64_t line);
/* An access to bytes of the line at @line, which @step says but for its agent and clock. */
void hb_access_line(struct hb *hb, struct hb_region *r, unsigned agent, uint64_t line,
                    struct hb_step *step);
static inline uint64_t hb_bytes_mask(unsigned first, uint64_t len)
{
    return (len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << first;
}
void hb_cache_record(struct hb *hb, const struct trace_record *t);
/* The thread goes on behind the flag that it has read. */
void hb_flag_was_read(struct hb *hb, unsigned agent);

/* hb_engine.c */
void hb_engine_at(struct hb *hb, const struct trace_record *t);
void hb_engine_access(struct hb *hb, const struct trace_record *t, enum hb_access access);
/* A channel frees or allocates a region, with its present label. */
void hb_claim_access(struct hb *hb, struct hb_claim claim, unsigned agent);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by the words of a finding: hb_words.c what happened, hb_todo.c what to do. */
#ifndef CHECKER_HB_WORDS_INTERNAL_H
#define CHECKER_HB_WORDS_INTERNAL_H

#include "checker/hb/hb_words.h"
#include "checker/rules/rules.h"

/* The side that should have waited, and the other. */
static inline const struct hb_who *hb_words_late(const struct hb_finding *f)
{
    return f->first_late ? &f->first : &f->second;
}

static inline const struct hb_who *hb_words_early(const struct hb_finding *f)
{
    return f->first_late ? &f->second : &f->first;
}

static inline bool hb_words_has(const struct hb_finding *f, enum hb_access access)
{
    return f->first.access == access || f->second.access == access;
}

/* Of the buffer as a whole, by a call. */
static inline bool hb_words_whole(enum hb_access access)
{
    return access == HB_FREE || access == HB_ALLOC;
}

static inline bool hb_words_of_processes(const struct hb_finding *f)
{
    return f->first.process || f->second.process;
}

const struct check_rule *hb_words_rule(enum hb_rule rule);
const char *hb_words_verb(enum hb_access access); /* "write" */
char *hb_words_who(const struct hb_who *w);       /* "kernel scale (stream 0)"; g_free() */
/* Is it a copy out of pageable memory that may be undone? */
bool hb_words_copy_pending(const struct hb_finding *f);

/* hb_todo - what to do about it, and where. g_free() */
char *hb_todo(const struct run *r, const struct hb_finding *f);
/* " at app.cu:50", or "". g_free() */
char *hb_todo_at(const struct hb_who *w);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef CHECKER_HB_WORDS_H
#define CHECKER_HB_WORDS_H

#include "checker/hb/hb.h"

/* The note of a finding of hb.c. Sides on the CPU have their places, where these are known. */
void hb_words(const struct run *r, const struct hb_finding *finding, struct note *n);

#endif

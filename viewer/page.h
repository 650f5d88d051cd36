/* SPDX-License-Identifier: MIT */
/* What the page calls in WebAssembly. Texts end with a 0 and are the page's to give back with
 * page_drop(). */
#ifndef VIEWER_PAGE_H
#define VIEWER_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_EXPORT(name) __attribute__((export_name(#name), used)) name

void *page_room(size_t bytes);
void page_drop(void *p);

/**
 * page_litmus - every outcome of a litmus test, and the state after each step of each witness
 * @text: the test; @profile, @soc: a profile's file and name; @reduce, @limit: struct
 * litmus_options Return: JSON; with the one member "error" where the text or the SoC does not do.
 */
char *page_litmus(const char *text, const char *profile, const char *soc, int reduce,
                  unsigned limit);

/**
 * page_run - a trace of `vtegra run`
 * Return: JSON: "report" as `vtegra run --json` writes it, "cut": the trace ends before the run
 * did; or "error". The timeline, in Perfetto's format, is page_timeline() until the next call.
 */
char *page_run(char *trace, size_t bytes);
const void *page_timeline(void);
size_t page_timeline_bytes(void);

#endif

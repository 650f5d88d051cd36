/* SPDX-License-Identifier: MIT */
/* One test from a text. */
#include <string.h>

#include "litmus/herd.h"
#include "litmus/parse_file.h"

int parse_word_index(const char *word, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(names[i], word) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* The name of a test has marks in it: MP+dmb.sy+addr. g_free() it. */
static char *name_take(struct lex *l)
{
    const char *start;

    lex_space(l);
    start = l->at;
    while (l->at < l->end && g_ascii_isgraph(*l->at) && *l->at != '{' && *l->at != '"') {
        l->at++;
    }
    return g_strndup(start, (gsize)(l->at - start));
}

/* --- what only the whole can tell ------------------------------------------------------------- */

/* That it is not started twice, parse_edge() has seen. */
static bool jobs_start(struct lex *l, const struct litmus_test *test)
{
    for (unsigned job = 0; job < test->jobs; job++) {
        if (parse_job_start(test, job) == NULL) {
            return lex_fail(l, l->job[job],
                            "nothing starts job %s: expected a submit, launch or doorbell",
                            test->job_name[job]);
        }
    }
    return true;
}

static bool edges_signalled(struct lex *l, const struct litmus_test *test)
{
    for (unsigned edge = 0; edge < test->edges; edge++) {
        bool found = false;

        for (unsigned t = 0; t < test->threads; t++) {
            for (unsigned e = 0; e < test->thread[t].n; e++) {
                const struct litmus_event *event = &test->thread[t].event[e];

                found |= event->op == LITMUS_SIGNAL && event->job == (int)edge;
            }
        }
        if (!found) {
            return lex_fail(l, l->edge[edge], "nothing signals %s", test->edge_name[edge]);
        }
    }
    return true;
}

/* The queues of an SM and of a GPU hold LITMUS_QUEUE stores. */
static bool stores_fit(struct lex *l, const struct litmus_test *test)
{
    unsigned stores[2] = { 0 };

    for (unsigned t = 0; t < test->threads; t++) {
        enum litmus_agent agent = test->thread[t].agent;

        for (unsigned e = 0; e < test->thread[t].n; e++) {
            stores[agent == LITMUS_DGPU] += (agent == LITMUS_IGPU || agent == LITMUS_DGPU) &&
                                            test->thread[t].event[e].op == LITMUS_STORE;
        }
    }
    return (stores[0] <= 16 && stores[1] <= 16) ||
           lex_fail(l, NULL, "more than 16 stores by the %s: split the test",
                    stores[0] > 16 ? "iGPU" : "dGPU");
}
/* Files of the field that people try: what they are, and what to do. */
static bool first_word_wrong(struct lex *l)
{
    static const char *const others[] = { "X86",  "X86_64", "PPC",  "ARM",    "RISCV",
                                          "MIPS", "C",      "LISA", "Bell",   "BPF",
                                          "ASL",  "JAVA",   "CPP",  "Vulkan", "OPENCL" };

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        if (lex_peek_word(l, others[i])) {
            return lex_fail(l, NULL,
                            "a litmus file of %s: expected \"tegra\", \"AArch64\" or \"PTX\"; "
                            "translate it into one of these",
                            others[i]);
        }
    }
    if (lex_peek(l, '<')) {
        return lex_fail(l, NULL,
                        "this is markup: expected \"tegra\", \"AArch64\" or \"PTX\"; "
                        "save the file as plain text");
    }
    return lex_expected(l, "\"tegra\", \"AArch64\" or \"PTX\" and the name of the test");
}

static bool parse_file_read(struct lex *l, struct litmus_test *test)
{
    char word[LITMUS_NAME];

    lex_space(l);
    if (lex_peek_word(l, "AArch64")) {
        return herd_file_read(l, test);
    }
    if (lex_peek_word(l, "PTX") || lex_peek_word(l, "GPU_PTX")) {
        return herd_ptx_read(l, test) && stores_fit(l, test);
    }
    if (!lex_peek_word(l, "tegra")) {
        return first_word_wrong(l);
    }
    lex_word(l, word, sizeof(word));
    test->name = name_take(l);
    if (!*test->name) {
        return lex_expected(l, "the name of the test");
    }
    if (lex_take(l, '"')) {
        const char *close = memchr(l->at, '"', (gsize)(l->end - l->at));

        if (!close) {
            return lex_fail(l, NULL, "this text has no end; expected '\"'");
        }
        test->doc = g_strndup(l->at, (gsize)(close - l->at));
        l->at = close + 1;
    }
    return parse_memory(l, test) && parse_header(l, test) && parse_table(l, test) &&
           parse_locations(l, test) && parse_condition(l, test) && parse_tail(l, test) &&
           jobs_start(l, test) && edges_signalled(l, test) && stores_fit(l, test);
}

struct litmus_test *litmus_parse(const char *text, gsize len, const char *name, GError **error)
{
    struct litmus_test *test = g_new0(struct litmus_test, 1);
    struct lex l = { .file = name, .text = text, .at = text, .end = text + len, .error = error };

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark: no character */
        l.text = l.at = text + 3;
    }
    test->file = g_strdup(name);
    if (!parse_file_read(&l, test) || l.failed) {
        litmus_free(test);
        return NULL;
    }
    return test;
}

/* The other ways of a test have its condition. */
static void ways_free(struct litmus_test *way)
{
    while (way) {
        struct litmus_test *next = way->next;

        g_free(way);
        way = next;
    }
}

void litmus_free(struct litmus_test *test)
{
    if (test) {
        ways_free(test->next);
        g_free(test->file);
        g_free(test->name);
        g_free(test->doc);
        g_free(test->source);
        g_free(test->teach);
        g_free(test->cond_text);
        cond_free(test->cond);
        g_free(test);
    }
}

/* SPDX-License-Identifier: MIT */
/* The linker's symbols, and how a statement leaves it. */
#ifndef PTX_LINK_H
#define PTX_LINK_H

#include "ptx/parse.h"

/**
 * struct link_symbol - one function or variable of the result
 * @definition: the one that counts, NULL if there is none; @declaration: any other
 * @text, @declaration_text: indices of the texts they stand in
 * @owner: the text of a file-local symbol, -1 of a global one
 * @rename: what it is called in the result, NULL for its own name
 * @is_used: set by link_use_all(); a function that is not is left out
 */
struct link_symbol {
    struct ptx_name name;
    int owner;
    const struct ptx_item *definition, *declaration;
    size_t text, declaration_text;
    enum ptx_linkage linkage;
    bool is_alias, is_used;
    const char *rename;
};

struct link_slot {
    size_t key; /* 0 the module, t + 1 what text t knows, n_texts + 1 + t see link_chain() */
    struct ptx_name name;
    size_t symbol; /* index + 1; 0 is an empty slot */
};

struct link_text {
    struct ptx_parser parser;
    const char *start;
    size_t first_file; /* where its .file indices begin in the result */
    bool is_open;
};

struct linker {
    struct link_text *texts;
    size_t n_texts;
    struct link_symbol *symbols;
    size_t n_symbols, cap_symbols;
    struct link_slot *slots;
    unsigned bits;
    struct ptx_arena *arena;
    struct ptx_error *error;
    char *out;
    size_t n_out, cap_out;
};

/* link.c */
bool link_fail(struct linker *l, struct ptx_pos pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct link_symbol *link_find(const struct linker *l, size_t key, const struct ptx_name *name);
bool link_may_stay_open(const struct link_symbol *s);
const struct ptx_item *link_item(const struct link_symbol *s); /* its definition, else declaration */
bool link_is_entry(const struct ptx_item *item);

/* link_use.c */
void link_use_all(struct linker *l);

/* link_copy.c: text into the result; a statement of text @text, names replaced on the way */
void link_write(struct linker *l, const char *text, size_t length);
void link_print(struct linker *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool link_copy(struct linker *l, size_t text, bool is_code, const char *start, const char *end);

#endif

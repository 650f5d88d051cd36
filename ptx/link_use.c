/* SPDX-License-Identifier: MIT */
/* Which functions can run: those that an entry or a variable's initial value reaches, by name. The
 * others are left out, with what only they ask for: nvcc links CUDA's device runtime (libcudadevrt)
 * into each -rdc=true program, and its functions call some that no text defines. Over-estimated: an
 * opcode counts as the function of its name. */
#include <stdlib.h>

#include "ptx/link.h"

struct link_queue {
    struct linker *linker;
    size_t *symbols;
    size_t n;
};

static void link_use(struct link_queue *q, struct link_symbol *s)
{
    if (!s->is_used) {
        s->is_used = true;
        q->symbols[q->n++] = (size_t)(s - q->linker->symbols);
    }
}

/* The names between @start and @end, a statement of text @text. */
static void link_use_names(struct link_queue *q, size_t text, const char *start, const char *end)
{
    struct ptx_lexer lexer;
    struct ptx_token token;

    ptx_lex_open(&lexer, start, (size_t)(end - start));
    for (ptx_lex_next(&lexer, &token); token.kind != PTX_TOKEN_END; ptx_lex_next(&lexer, &token)) {
        struct ptx_name name = { token.text, token.length, token.hash, token.pos };
        struct link_symbol *s =
            token.kind == PTX_TOKEN_NAME ? link_find(q->linker, text + 1, &name) : NULL;

        if (s != NULL) {
            link_use(q, s);
        }
    }
}

/* An alias means what its own statement names. */
static void link_use_symbol(struct link_queue *q, const struct link_symbol *s)
{
    const struct ptx_parser *p = &q->linker->texts[s->text].parser;

    if (s->definition == NULL) {
        return;
    }
    link_use_names(q, s->text, s->definition->rest, s->definition->end);
    for (size_t i = 0; s->is_alias && i < p->n_items; i++) {
        if (p->items[i].kind == PTX_ITEM_ALIAS && ptx_name_equal(&p->items[i].name, &s->name)) {
            link_use_names(q, s->text, p->items[i].start, p->items[i].end);
        }
    }
}

void link_use_all(struct linker *l)
{
    size_t capacity = 0;
    struct link_queue q = { .linker = l };

    q.symbols = ptx_grow(NULL, 0, &capacity, sizeof(*q.symbols) * (l->n_symbols + 1));
    for (size_t i = 0; i < l->n_symbols; i++) {
        const struct ptx_item *item = link_item(&l->symbols[i]);

        if (item->kind != PTX_ITEM_FUNC || link_is_entry(item)) {
            link_use(&q, &l->symbols[i]);
        }
    }
    while (q.n != 0) {
        link_use_symbol(&q, &l->symbols[q.symbols[--q.n]]);
    }
    free(q.symbols);
}

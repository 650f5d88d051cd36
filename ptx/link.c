/* SPDX-License-Identifier: MIT */
/* Several PTX texts to one. Texts in, text out: each is parsed for its module-scope statements, the
 * statements are put together, and inside them names are replaced token by token. Rules: PTX ISA
 * 11.6 (.extern, .visible, .weak, .common), CUDA's nvcc manual on separate compilation. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/link.h"

bool link_fail(struct linker *l, struct ptx_pos pos, const char *format, ...)
{
    va_list args;

    if (l->error != NULL) {
        l->error->pos = pos;
        va_start(args, format);
        vsnprintf(l->error->text, sizeof(l->error->text), format, args);
        va_end(args);
    }
    return false;
}

/* --- names ------------------------------------------------------------------------------------ */

static struct link_slot *link_slot(const struct linker *l, size_t key, const struct ptx_name *name)
{
    uint32_t mask = (UINT32_C(1) << l->bits) - 1;
    uint32_t at = ptx_hash_slot(name->hash + (uint32_t)key * 0x85ebca6b, l->bits);

    while (l->slots[at].symbol != 0 &&
           (l->slots[at].key != key || !ptx_name_equal(&l->slots[at].name, name))) {
        at = (at + 1) & mask;
    }
    return &l->slots[at];
}

struct link_symbol *link_find(const struct linker *l, size_t key, const struct ptx_name *name)
{
    size_t index = link_slot(l, key, name)->symbol;

    return index == 0 ? NULL : &l->symbols[index - 1];
}

static void link_bind(struct linker *l, size_t key, const struct ptx_name *name, size_t symbol)
{
    *link_slot(l, key, name) = (struct link_slot){ key, *name, symbol + 1 };
}

static size_t link_symbol_new(struct linker *l, const struct ptx_name *name, int owner)
{
    struct link_symbol *s = PARSE_PUSH(l, symbols);

    *s = (struct link_symbol){ .name = *name, .owner = owner };
    return l->n_symbols - 1;
}

static bool link_is_symbol(const struct ptx_item *item)
{
    return item->kind != PTX_ITEM_PRAGMA;
}

/* Chains the items of one text that have one name, so that each is looked at once. */
static void link_chain(struct linker *l, size_t text)
{
    struct ptx_parser *p = &l->texts[text].parser;

    for (size_t i = p->n_items; i-- > 0;) {
        struct ptx_item *item = &p->items[i];
        struct link_slot *slot = link_slot(l, l->n_texts + 1 + text, &item->name);

        if (link_is_symbol(item)) {
            item->next = slot->symbol;
            *slot = (struct link_slot){ l->n_texts + 1 + text, item->name, i + 1 };
        }
    }
}

/* The item that says how text @t links @item's name: its definition, else its last declaration. An
 * alias takes the linkage from the declaration that PTX demands before it. */
static const struct ptx_item *link_item_that_counts(const struct ptx_parser *p, size_t index,
                                                    enum ptx_linkage *linkage, bool *is_alias)
{
    const struct ptx_item *found = &p->items[index], *item = found;

    *linkage = found->linkage;
    *is_alias = false;
    while (item->next != 0) {
        item = &p->items[item->next - 1];
        *is_alias |= item->kind == PTX_ITEM_ALIAS;
        if (item->kind != PTX_ITEM_ALIAS && (item->defined || !found->defined)) {
            *linkage = item->linkage;
            found = item;
        }
    }
    return found;
}

/* --- which definition counts ------------------------------------------------------------------ */

static unsigned link_strength(enum ptx_linkage linkage)
{
    return linkage == PTX_LINK_WEAK ? 2 : linkage == PTX_LINK_COMMON ? 1 : 3;
}

static bool link_same_kind(const struct ptx_item *a, const struct ptx_item *b)
{
    return a->kind == b->kind && (a->kind != PTX_ITEM_VAR || a->var->space == b->var->space);
}

/* A second definition of a global name: an error, or one of the two goes. */
static bool link_fold(struct linker *l, struct link_symbol *s, const struct ptx_item *item,
                      size_t text, enum ptx_linkage linkage, bool is_alias)
{
    unsigned old = link_strength(s->linkage), new = link_strength(linkage);
    bool larger = item->kind == PTX_ITEM_VAR && item->var->size > s->definition->var->size;

    if (old == 3 && new == 3) {
        return link_fail(l, item->name.pos, "'%.*s' is defined in text %zu and again in text %zu.",
                         PARSE_QUOTE(&item->name), s->text + 1, text + 1);
    }
    if (new > old || (new == 1 && old == 1 && larger)) {
        s->definition = item;
        s->text = text;
        s->linkage = linkage;
        s->is_alias = is_alias;
    }
    return true;
}

static bool link_add_global(struct linker *l, struct link_symbol *s, const struct ptx_item *item,
                            size_t text, enum ptx_linkage linkage, bool is_alias)
{
    const struct ptx_item *other = s->definition != NULL ? s->definition : s->declaration;

    if (other != NULL && !link_same_kind(other, item)) {
        return link_fail(l, item->name.pos,
                         "'%.*s' of text %zu is another kind of thing in text "
                         "%zu: expected the same of function, .global, .const and .shared.",
                         PARSE_QUOTE(&item->name), text + 1,
                         (s->definition != NULL ? s->text : s->declaration_text) + 1);
    }
    if (!item->defined && !is_alias) {
        bool aligned_more = s->declaration != NULL && item->kind == PTX_ITEM_VAR &&
                            item->var->align > s->declaration->var->align;

        if (s->declaration == NULL || aligned_more) {
            s->declaration = item;
            s->declaration_text = text;
        }
        return true;
    }
    if (s->definition != NULL) {
        return link_fold(l, s, item, text, linkage, is_alias);
    }
    s->definition = item;
    s->text = text;
    s->linkage = linkage;
    s->is_alias = is_alias;
    return true;
}

static bool link_add(struct linker *l, size_t text, size_t index)
{
    const struct ptx_parser *p = &l->texts[text].parser;
    const struct ptx_name *name = &p->items[index].name;
    enum ptx_linkage linkage;
    bool is_alias;
    const struct ptx_item *item = link_item_that_counts(p, index, &linkage, &is_alias);
    struct link_symbol *s;

    if (item->several) {
        return link_fail(l, item->name.pos,
                         "'%.*s' shares its declaration with other variables; "
                         "expected one declaration each in texts that are linked.",
                         PARSE_QUOTE(name));
    }
    if (linkage == PTX_LINK_NONE && (item->defined || is_alias)) {
        size_t local = link_symbol_new(l, name, (int)text);

        link_bind(l, text + 1, name, local);
        s = &l->symbols[local];
        s->definition = item;
        s->text = text;
        s->is_alias = is_alias;
        return true;
    }
    s = link_find(l, 0, name);
    if (s == NULL) {
        link_bind(l, 0, name, link_symbol_new(l, name, -1));
        s = link_find(l, 0, name);
    }
    link_bind(l, text + 1, name, (size_t)(s - l->symbols));
    return link_add_global(l, s, item, text, linkage, is_alias);
}

static bool link_collect(struct linker *l)
{
    size_t items = 0;

    for (size_t t = 0; t < l->n_texts; t++) {
        items += l->texts[t].parser.n_items;
    }
    l->bits = 4;
    while (((size_t)1 << l->bits) < items * 6 && l->bits < 30) { /* at most four entries an item */
        l->bits++;
    }
    l->slots = ptx_arena_alloc(l->arena, sizeof(*l->slots) << l->bits);
    for (size_t t = 0; t < l->n_texts; t++) {
        const struct ptx_parser *p = &l->texts[t].parser;

        link_chain(l, t);
        for (size_t i = 0; i < p->n_items; i++) {
            if (link_is_symbol(&p->items[i]) && link_find(l, t + 1, &p->items[i].name) == NULL &&
                !link_add(l, t, i)) {
                return false;
            }
        }
    }
    return true;
}

/* File-local names that another text uses too get a number: add, add$2, add$2$2 ... Their own name
 * is kept where it can be, because a program may ask for a variable by it. */
static void link_rename(struct linker *l)
{
    for (size_t i = 0; i < l->n_symbols; i++) {
        struct link_symbol *s = &l->symbols[i];
        struct ptx_name name = s->name;
        char suffix[24];

        if (s->owner < 0) {
            continue;
        }
        snprintf(suffix, sizeof(suffix), "$%d", s->owner + 1);
        while (link_find(l, 0, &name) != NULL) {
            char *text = ptx_arena_alloc(l->arena, name.length + strlen(suffix) + 1);

            memcpy(text, name.text, name.length);
            memcpy(text + name.length, suffix, strlen(suffix));
            name.text = text;
            name.length += (uint32_t)strlen(suffix);
            name.hash = ptx_hash(name.hash, suffix, strlen(suffix));
            s->rename = text;
        }
        link_bind(l, 0, &name, i);
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Functions the SMs know without a definition; what is missing of them the decoder refuses. */
static bool link_is_builtin(const struct ptx_name *name)
{
    static const char *const known[] = {
        "vprintf", "malloc", "free", "__assertfail", "__assert_fail", "cudaGraphSetConditional"
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i]) == name->length && memcmp(known[i], name->text, name->length) == 0) {
            return true;
        }
    }
    return name->length > 5 && memcmp(name->text, "__nv_", 5) == 0;
}

bool link_may_stay_open(const struct link_symbol *s)
{
    const struct ptx_item *item = s->declaration;

    return item->kind == PTX_ITEM_VAR ? item->var->space == PTX_SPACE_SHARED
                                      : link_is_builtin(&s->name);
}

const struct ptx_item *link_item(const struct link_symbol *s)
{
    return s->definition != NULL ? s->definition : s->declaration;
}

bool link_is_entry(const struct ptx_item *item)
{
    return item->kind == PTX_ITEM_FUNC && memcmp(item->rest, ".entry", 6) == 0;
}

static void link_write_linkage(struct linker *l, const struct link_symbol *s)
{
    static const char *const words[] = {
        [PTX_LINK_NONE] = "",           [PTX_LINK_VISIBLE] = ".visible ",
        [PTX_LINK_WEAK] = ".weak ",     [PTX_LINK_EXTERN] = ".extern ",
        [PTX_LINK_COMMON] = ".common ",
    };

    link_print(l, "%s", words[s->definition != NULL ? s->linkage : PTX_LINK_EXTERN]);
}

/* Declarations of all functions first, so that the order of the texts does not matter. */
static bool link_write_declaration(struct linker *l, const struct link_symbol *s)
{
    const struct ptx_item *item = link_item(s);
    size_t text = s->definition != NULL ? s->text : s->declaration_text;

    if (item->kind != PTX_ITEM_FUNC || link_is_entry(item) || !s->is_used ||
        (s->definition == NULL && !link_may_stay_open(s))) {
        return true;
    }
    link_write_linkage(l, s);
    if (!link_copy(l, text, false, item->rest, item->head_end)) {
        return false;
    }
    link_print(l, ";\n");
    return true;
}

static bool link_write_variable(struct linker *l, const struct link_symbol *s)
{
    const struct ptx_item *item = link_item(s);
    size_t text = s->definition != NULL ? s->text : s->declaration_text;

    if (item->kind != PTX_ITEM_VAR || (s->definition == NULL && !link_may_stay_open(s))) {
        return true;
    }
    link_write_linkage(l, s);
    if (!link_copy(l, text, false, item->rest, item->end)) {
        return false;
    }
    link_print(l, "\n");
    return true;
}

static bool link_write_function(struct linker *l, const struct link_symbol *s)
{
    const struct ptx_item *item = s->definition;

    if (item == NULL || item->kind != PTX_ITEM_FUNC || s->is_alias || !s->is_used) {
        return true;
    }
    link_print(l, "\n");
    link_write_linkage(l, s);
    if (!link_copy(l, s->text, true, item->rest, item->end)) {
        return false;
    }
    link_print(l, "\n");
    return true;
}

static bool link_write_alias(struct linker *l, const struct link_symbol *s)
{
    const struct ptx_parser *p;

    if (!s->is_alias || s->definition == NULL || !s->is_used) {
        return true;
    }
    p = &l->texts[s->text].parser;
    for (size_t i = 0; i < p->n_items; i++) {
        const struct ptx_item *item = &p->items[i];

        if (item->kind == PTX_ITEM_ALIAS && ptx_name_equal(&item->name, &s->name) &&
            !link_copy(l, s->text, false, item->start, item->end)) {
            return false;
        }
    }
    link_print(l, "\n");
    return true;
}

static bool link_write_each(struct linker *l,
                            bool (*write)(struct linker *, const struct link_symbol *))
{
    for (size_t i = 0; i < l->n_symbols; i++) {
        if (!write(l, &l->symbols[i])) {
            return false;
        }
    }
    return true;
}

static bool link_write_header(struct linker *l)
{
    const struct ptx_parser *target = &l->texts[0].parser;
    uint32_t version = 0, address_size = target->module->address_size;
    bool debug = false;

    for (size_t t = 0; t < l->n_texts; t++) {
        const struct ptx_parser *p = &l->texts[t].parser;

        version = p->module->version > version ? p->module->version : version;
        target = p->module->target_sm > target->module->target_sm ? p : target;
        debug |= p->module->debug;
        if (p->module->address_size != address_size) {
            return link_fail(l, (struct ptx_pos){ 1, 1 },
                             "Text %zu has .address_size %u and text 1 "
                             "has %u; expected the same.",
                             t + 1, p->module->address_size, address_size);
        }
    }
    link_print(l, ".version %u.%u\n.target sm_%u", version / 10, version % 10,
               target->module->target_sm);
    if (target->module->target_suffix != 0) {
        link_write(l, &target->module->target_suffix, 1);
    }
    link_print(l, "%s\n.address_size %u\n", debug ? ", debug" : "", address_size);
    return true;
}

static void link_write_files(struct linker *l)
{
    size_t index = 0;

    for (size_t t = 0; t < l->n_texts; t++) {
        const struct ptx_module *m = l->texts[t].parser.module;

        l->texts[t].first_file = index;
        for (uint32_t i = 0; i < m->n_files; i++, index++) {
            if (m->files[i] != NULL) {
                link_print(l, ".file %zu \"", index);
                link_write(l, m->files[i], strlen(m->files[i]));
                link_print(l, "\"\n");
            }
        }
    }
}

static void link_write_pragmas(struct linker *l)
{
    for (size_t t = 0; t < l->n_texts; t++) {
        const struct ptx_parser *p = &l->texts[t].parser;

        for (size_t i = 0; i < p->n_items; i++) {
            if (p->items[i].kind == PTX_ITEM_PRAGMA) {
                link_write(l, p->items[i].start, (size_t)(p->items[i].end - p->items[i].start));
                link_print(l, "\n");
            }
        }
    }
}

static bool link_open(struct linker *l, const char *const *text, const size_t *size)
{
    for (size_t t = 0; t < l->n_texts; t++) {
        struct ptx_error error;
        bool ok = ptx_parser_run(&l->texts[t].parser, text[t], size[t], &error);

        l->texts[t].is_open = true;
        if (!ok) {
            return link_fail(l, error.pos, "Text %zu: %s", t + 1, error.text);
        }
    }
    return true;
}

static void link_close(struct linker *l)
{
    for (size_t t = 0; t < l->n_texts; t++) {
        if (l->texts[t].is_open) {
            ptx_module_free(l->texts[t].parser.module);
            ptx_parser_close(&l->texts[t].parser);
        }
    }
    free(l->texts);
    free(l->symbols);
    ptx_arena_free(l->arena);
}

static bool link_run(struct linker *l, const char *const *text, const size_t *size)
{
    if (l->n_texts == 0) {
        return link_fail(l, (struct ptx_pos){ 1, 1 }, "There is no text to link.");
    }
    if (!link_open(l, text, size) || !link_collect(l) || !link_write_header(l)) {
        return false;
    }
    link_rename(l);
    link_use_all(l);
    link_write_files(l);
    link_write_pragmas(l);
    return link_write_each(l, link_write_declaration) && link_write_each(l, link_write_variable) &&
           link_write_each(l, link_write_function) && link_write_each(l, link_write_alias);
}

bool ptx_link(const char *const *text, const size_t *size, size_t n, char **out, size_t *out_size,
              struct ptx_error *error)
{
    struct linker l = { .n_texts = n, .error = error, .arena = ptx_arena_new() };
    size_t capacity = 0;
    bool ok;

    l.texts = ptx_grow(NULL, 0, &capacity, sizeof(*l.texts) * (n + 1));
    memset(l.texts, 0, sizeof(*l.texts) * n);
    ok = link_run(&l, text, size);
    link_close(&l);
    if (!ok) {
        free(l.out);
        l.out = NULL;
        l.n_out = 0;
    }
    *out = l.out;
    *out_size = l.n_out;
    return ok;
}

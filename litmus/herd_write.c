/* SPDX-License-Identifier: MIT */
/* A test of our own format as an AArch64 file of herd. An address is in a register of its own; what
 * our format states as addr, data and ctrl becomes the instructions that people write for them: EOR
 * of a register with itself, and a branch to the next line. */
#include <stdarg.h>

#include "litmus/litmus.h"

#define SCRATCH 3 /* registers behind those of the addresses: a sum, one part of it, an address */

/**
 * struct column - one thread
 * @lines: instructions; @base: register of location 0, those of the others follow downwards
 */
struct column {
    const struct litmus_test *test;
    const struct litmus_thread *t;
    GPtrArray *lines;
    unsigned base, labels;
    const char *missing; /* what herd has no form for */
};

static void line_add(struct column *c, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void line_add(struct column *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(c->lines, g_strdup_vprintf(format, args));
    va_end(args);
}

/* The highest registers that the thread does not load. */
static bool registers_place(struct column *c)
{
    unsigned used = 0, need = c->test->locs + SCRATCH;

    for (unsigned i = 0; i < c->t->regs; i++) {
        used |= c->t->reg_number[i] < 31 ? 1u << c->t->reg_number[i] : 0;
    }
    for (unsigned top = 30; top + 1 >= need; top--) {
        unsigned mask = ((1u << need) - 1) << (top + 1 - need);

        if (!(used & mask)) {
            c->base = top;
            return true;
        }
    }
    return false;
}

static unsigned loc_reg(const struct column *c, int loc)
{
    return c->base - (unsigned)loc;
}

static unsigned herd_write_scratch(const struct column *c, unsigned n)
{
    return c->base - c->test->locs - n;
}

static unsigned mask_reg(const struct column *c, unsigned mask)
{
    return c->t->reg_number[__builtin_ctz(mask)];
}

/* A 0 that depends on all of @mask, in the first scratch register. */
static void zero_write(struct column *c, unsigned mask)
{
    unsigned sum = herd_write_scratch(c, 0), part = herd_write_scratch(c, 1);

    line_add(c, "EOR W%u,W%u,W%u", sum, mask_reg(c, mask), mask_reg(c, mask));
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        line_add(c, "EOR W%u,W%u,W%u", part, mask_reg(c, mask), mask_reg(c, mask));
        line_add(c, "ORR W%u,W%u,W%u", sum, sum, part);
    }
}

static void branches_write(struct column *c, unsigned mask)
{
    for (; mask; mask &= mask - 1, c->labels++) {
        line_add(c, "CBNZ W%u,L%u", mask_reg(c, mask), c->labels);
        line_add(c, "L%u:", c->labels);
    }
}

/* Return: the register that holds the address. */
static unsigned address_write(struct column *c, const struct litmus_event *e)
{
    unsigned reg = loc_reg(c, e->loc), sum = herd_write_scratch(c, 2);

    if (e->addr) {
        zero_write(c, e->addr);
        line_add(c, "ADD X%u,X%u,W%u,SXTW", sum, reg, herd_write_scratch(c, 0));
        reg = sum;
    }
    if (e->offset) {
        line_add(c, "ADD X%u,X%u,#%u", sum, reg, e->offset);
        reg = sum;
    }
    return reg;
}

/* Return: the register that holds the value; the second scratch one, unless it was loaded. */
static unsigned value_write(struct column *c, const struct litmus_event *e)
{
    unsigned reg = herd_write_scratch(c, 1), rest = e->data & ~(e->src < 0 ? 0 : 1u << e->src);
    char kind = e->size == 8 ? 'X' : 'W';

    if (rest) {
        zero_write(c, rest);
    }
    if (e->src >= 0 && !rest) {
        return c->t->reg_number[e->src];
    }
    if (e->src >= 0) {
        line_add(c, "ADD %c%u,%c%u,%c%u", kind, reg, kind, c->t->reg_number[e->src], kind,
                 herd_write_scratch(c, 0));
    } else if (rest) {
        line_add(c, "ADD %c%u,%c%u,#%" G_GUINT64_FORMAT, kind, reg, kind, herd_write_scratch(c, 0),
                 e->value);
    } else {
        line_add(c, "MOV %c%u,#%" G_GUINT64_FORMAT, kind, reg, e->value);
    }
    return reg;
}

static const char *size_letter(const struct litmus_event *e)
{
    return e->size == 1 ? "B" : e->size == 2 ? "H" : "";
}

static void atomic_write(struct column *c, const struct litmus_event *e)
{
    static const char *const names[] = { "LDADD", "SWP", "CAS" };
    unsigned address = address_write(c, e), value = value_write(c, e);
    unsigned old = e->reg < 0 ? 31 : c->t->reg_number[e->reg];
    char kind = e->size == 8 ? 'X' : 'W';
    char *name = g_strdup_printf("%s%s%s%s", names[e->which], e->acquire ? "A" : "",
                                 e->release ? "L" : "", size_letter(e));

    if (e->which == LITMUS_CAS) { /* the register compared with gets the old value */
        line_add(c, "MOV %c%u,#%" G_GUINT64_FORMAT, kind, old, e->compare);
        line_add(c, "%s %c%u,%c%u,[X%u]", name, kind, old, kind, value, address);
    } else {
        line_add(c, "%s %c%u,%c%u,[X%u]", name, kind, value, kind, old, address);
    }
    g_free(name);
}

static void event_write(struct column *c, const struct litmus_event *e)
{
    static const char *const kinds[] = { "SY", "LD", "ST" };
    static const char *const dcs[] = { "CVAC", "CIVAC", "IVAC" };
    char kind = e->size == 8 ? 'X' : 'W';
    unsigned address, value;

    branches_write(c, e->ctrl);
    switch (e->op) {
    case LITMUS_LOAD:
        address = address_write(c, e);
        line_add(c, "%s%s %c%u,[X%u]",
                 e->pc        ? "LDAPR"
                 : e->acquire ? "LDAR"
                              : "LDR",
                 size_letter(e), kind, c->t->reg_number[e->reg], address);
        break;
    case LITMUS_STORE:
        address = address_write(c, e);
        value = value_write(c, e);
        line_add(c, "%s%s %c%u,[X%u]", e->release ? "STLR" : "STR", size_letter(e), kind, value,
                 address);
        break;
    case LITMUS_ATOMIC:
        atomic_write(c, e);
        break;
    case LITMUS_DMB:
        line_add(c, "%s %s", e->dsb ? "DSB" : "DMB", kinds[e->which]);
        break;
    case LITMUS_ISB:
        line_add(c, "ISB");
        break;
    case LITMUS_DC:
        line_add(c, "DC %s,X%u", dcs[e->which], address_write(c, e));
        break;
    default:
        c->missing = e->text;
        break;
    }
}

/* --- condition -------------------------------------------------------------------------------- */

static bool item_write(GString *s, const struct litmus_test *test, unsigned n)
{
    const struct litmus_item *item = &test->item[n];

    if (item->kind == LITMUS_ITEM_REG) {
        g_string_append_printf(s, "%u:X%u", item->thread,
                               test->thread[item->thread].reg_number[item->index]);
        return true;
    }
    if (item->kind == LITMUS_ITEM_MEM || item->kind == LITMUS_ITEM_CPU) {
        g_string_append_printf(s, "[%s]", test->loc[item->index].name);
        return true;
    }
    return false;
}

static bool cond_write(GString *s, const struct litmus_test *test, const struct litmus_cond *c)
{
    bool ok;

    switch (c->op) {
    case LITMUS_COND_TRUE:
        g_string_append(s, "true");
        return true;
    case LITMUS_COND_EQ:
        ok = item_write(s, test, c->item);
        g_string_append_printf(s, "=%" G_GUINT64_FORMAT, c->value);
        return ok;
    case LITMUS_COND_NOT:
        g_string_append(s, "not (");
        ok = cond_write(s, test, c->a);
        g_string_append_c(s, ')');
        return ok;
    default:
        g_string_append_c(s, '(');
        ok = cond_write(s, test, c->a);
        g_string_append(s, c->op == LITMUS_COND_AND ? " /\\ " : " \\/ ");
        ok &= cond_write(s, test, c->b);
        g_string_append_c(s, ')');
        return ok;
    }
}

/* --- the file --------------------------------------------------------------------------------- */

static void head_write(GString *s, const struct litmus_test *test, const struct column *columns)
{
    static const char *const types[] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"
    };

    g_string_append_printf(s, "AArch64 %s\n", test->name);
    if (test->doc) {
        g_string_append_printf(s, "\"%s\"\n", test->doc);
    }
    g_string_append(s, "{\n");
    for (unsigned i = 0; i < test->locs; i++) {
        g_string_append_printf(s, "%s %s=%" G_GUINT64_FORMAT ";\n", types[test->loc[i].size],
                               test->loc[i].name, test->loc[i].init);
    }
    for (unsigned t = 0; t < test->threads; t++) {
        for (unsigned i = 0; i < test->locs; i++) {
            g_string_append_printf(s, "%s%u:X%u=%s;", i ? " " : "", t, loc_reg(&columns[t], (int)i),
                                   test->loc[i].name);
        }
        g_string_append_c(s, '\n');
    }
    g_string_append(s, "}\n");
}

static const char *herd_write_cell(const struct column *c, unsigned row)
{
    return row < c->lines->len ? c->lines->pdata[row] : "";
}

static void table_write(GString *s, const struct litmus_test *test, const struct column *columns)
{
    unsigned rows = 0;

    for (unsigned t = 0; t < test->threads; t++) {
        g_string_append_printf(s, " P%-20u%s", t, t + 1 < test->threads ? "|" : ";\n");
        rows = MAX(rows, columns[t].lines->len);
    }
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned t = 0; t < test->threads; t++) {
            g_string_append_printf(s, " %-21s%s", herd_write_cell(&columns[t], row),
                                   t + 1 < test->threads ? "|" : ";\n");
        }
    }
}

static bool condition_write(GString *s, const struct litmus_test *test)
{
    static const char *const words[] = { "exists", "~exists", "forall" };
    bool ok = true;

    if (test->items) {
        g_string_append(s, "locations [");
        for (unsigned i = 0; i < test->items; i++) {
            ok &= item_write(s, test, i);
            g_string_append(s, "; ");
        }
        g_string_append(s, "]\n");
    }
    g_string_append_printf(s, "%s (", words[test->quantifier]);
    ok &= cond_write(s, test, test->cond);
    g_string_append(s, ")\n");
    return ok;
}

/* Return: what herd has no form for, NULL if it has all. */
static const char *columns_write(const struct litmus_test *test, struct column *columns)
{
    const char *missing = test->ways ? "a file that is herd's already" : NULL;

    for (unsigned i = 0; i < test->locs; i++) {
        missing = test->loc[i].kind == LITMUS_DEVICE ? "device memory" : missing;
    }
    for (unsigned t = 0; t < test->threads; t++) {
        struct column *c = &columns[t];

        *c = (struct column){ .test = test, .t = &test->thread[t] };
        c->lines = g_ptr_array_new_with_free_func(g_free);
        missing = c->t->agent != LITMUS_CPU ? c->t->name : missing;
        missing = !registers_place(c) ? "so many registers" : missing;
        for (unsigned e = 0; e < c->t->n && !missing; e++) {
            event_write(c, &c->t->event[e]);
            missing = c->missing;
        }
    }
    return missing;
}

char *litmus_herd_text(const struct litmus_test *test, GError **error)
{
    struct column columns[LITMUS_THREADS];
    GString *s = g_string_new(NULL);
    const char *missing = columns_write(test, columns);

    if (!missing) {
        head_write(s, test, columns);
        table_write(s, test, columns);
        missing = condition_write(s, test) ? NULL : "this condition: registers and locations only";
    }
    for (unsigned t = 0; t < test->threads; t++) {
        g_ptr_array_unref(columns[t].lines);
    }
    if (missing) {
        g_set_error(error, LITMUS_ERROR, LITMUS_ERROR_SOC, "%s: herd has no form for %s",
                    test->file, missing);
    }
    return g_string_free(s, missing != NULL);
}

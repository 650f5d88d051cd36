/* SPDX-License-Identifier: MIT */
/* printf and assert of device code: the SM formats, the text goes into the ring of the launch.
 * Source: CUDA C++ programming guide, "Formatted Output" (at most 32 arguments, result is their
 * number, or negative) and "Assertion" (form of the line). */
#include "model/igpu/sm.h"
#include <glib.h>
#include <stdio.h>
#include <string.h>

#define PRINTF_ARGS_MAX 32
#define PRINTF_TEXT_MAX (64u << 20) /* the largest ring */
#define STRING_MAX (1u << 20)
#define PRINTF_NULL (-1)  /* the format is NULL */
#define PRINTF_ERROR (-2) /* "an internal error occurs" */

static bool ring_add(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t counter,
                     uint64_t value, uint64_t *old)
{
    struct bus_port *port = w->grid->port;
    enum bus_status status = port->ops->atomic(port, w->grid->desc.printf_va + counter,
                                               BUS_ATOMIC_ADD, 8, value, 0, BUS_SCOPE_GPU, old);

    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, w->grid->desc.printf_va + counter, 8, true);
    }
    return status == BUS_OK;
}

/* The newest text takes the place of the oldest: "it is circular" (Formatted Output). */
static bool ring_write(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t at,
                       const void *bytes, size_t len)
{
    const uint64_t size = w->grid->desc.printf_size, offset = at % size;
    const uint64_t base = w->grid->desc.printf_va + GRID_RING_HEADER;
    const size_t first = (size_t)MIN(len, size - offset);

    return sm_write(w, u, lane, base + offset, bytes, first) &&
           (first == len || sm_write(w, u, lane, base, (const char *)bytes + first, len - first));
}

/* Each output is its text and then the text's length, so that the newest can be found from the
 * end. One that is larger than the ring is counted and lost. */
static bool ring_append(struct warp *w, const struct ptx_uop *u, uint32_t lane, const char *text,
                        size_t len)
{
    const struct grid_desc *d = &w->grid->desc;
    const uint32_t length = (uint32_t)len;
    uint64_t at;

    if (!d->printf_va || len == 0) {
        return true;
    }
    w->effects++;
    w->grid->effects++;
    if (!ring_add(w, u, lane, GRID_RING_OUTPUTS, 1, &at)) {
        return false;
    }
    if (len + sizeof(length) > d->printf_size) {
        return true;
    }
    return ring_add(w, u, lane, GRID_RING_USED, len + sizeof(length), &at) &&
           ring_write(w, u, lane, at, text, len) &&
           ring_write(w, u, lane, at + len, &length, sizeof(length));
}

/* A string of the device, up to its NUL; NULL after a fault */
static char *device_string(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va)
{
    GString *s = g_string_new(NULL);

    if (va == 0) {
        g_string_append(s, "(null)");
        return g_string_free(s, FALSE);
    }
    while (s->len < STRING_MAX) {
        char c;

        if (!sm_read(w, u, lane, va + s->len, &c, 1)) {
            g_string_free(s, TRUE);
            return NULL;
        }
        if (c == '\0') {
            break;
        }
        g_string_append_c(s, c);
    }
    return g_string_free(s, FALSE);
}

/* Arguments as va_arg of the device finds them: 8-aligned for 64 bits, else 4 */
struct arguments {
    uint64_t va, offset;
    int count;
};

static bool printf_argument(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                            struct arguments *a, uint32_t size, uint64_t *value)
{
    *value = 0;
    a->offset = (a->offset + size - 1) / size * size;
    if (!sm_read(w, u, lane, a->va + a->offset, value, size)) {
        return false;
    }
    a->offset += size;
    a->count++;
    return true;
}

/* One conversion: %[flags][width][.precision][length]type, rebuilt for the host's snprintf */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    bool is_long;         /* 64 bits */
    unsigned halves;      /* how many h: 1 short, 2 char */
    char type;
};

static const char *number_parse(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                                const char *p, struct arguments *a, int *out)
{
    uint64_t v = 0;

    if (*p == '*') {
        if (!printf_argument(w, u, lane, a, 4, &v)) {
            return NULL;
        }
        *out = (int32_t)v;
        return p + 1;
    }
    while (*p >= '0' && *p <= '9' && v < 10000) {
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    *out = (int)v;
    return p;
}

static const char *conversion_parse(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                                    const char *p, struct arguments *a, struct conversion *c)
{
    size_t n = 0;

    *c = (struct conversion){ .width = -1, .precision = -1 };
    for (; *p && strchr("-+ #0", *p); p++) {
        if (n < sizeof(c->flags) - 2 && !strchr(c->flags, *p)) {
            c->flags[n++] = *p;
        }
    }
    if (*p == '*' || (*p >= '1' && *p <= '9')) {
        p = number_parse(w, u, lane, p, a, &c->width);
    }
    if (p && *p == '.') {
        p = number_parse(w, u, lane, p + 1, a, &c->precision);
    }
    for (; p && *p && strchr("hlL", *p); p++) { /* j, z and t are none: measured, driver 580 */
        c->is_long = c->is_long || *p != 'h';   /* long is 64 bits on the device */
        c->halves += *p == 'h';
    }
    if (!p || !*p) {
        return p;
    }
    if (c->width < -1) { /* from *: a negative width means left-justified */
        c->flags[n] = '-';
        c->width = c->width < -9999 ? 9999 : -c->width;
    }
    c->width = MIN(c->width, 9999);
    c->precision = c->precision < -1 ? -1 : MIN(c->precision, 500);
    c->type = *p;
    return p + 1;
}

/* An integer argument as its size has it, with its sign or without */
static uint64_t integer_of(const struct conversion *c, uint64_t v, bool is_signed)
{
    unsigned bits = c->is_long ? 64 : c->halves ? 32 >> MIN(c->halves, 2) : 32;

    return is_signed ? (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits))
                     : v << (64 - bits) >> (64 - bits);
}

static void conversion_format(const struct conversion *c, const char *length, char *out,
                              size_t size)
{
    GString *s = g_string_new("%");

    g_string_append(s, c->flags);
    if (c->width >= 0) {
        g_string_append_printf(s, "%d", c->width);
    }
    if (c->precision >= 0) {
        g_string_append_printf(s, ".%d", c->precision);
    }
    g_string_append_printf(s, "%s%c", length, c->type);
    g_strlcpy(out, s->str, size);
    g_string_free(s, TRUE);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static bool conversion_print(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                             const struct conversion *c, struct arguments *a, GString *out)
{
    char format[48];
    uint64_t v;
    double d;
    char *s;

    switch (c->type) {
    case 'd':
    case 'i':
        if (!printf_argument(w, u, lane, a, c->is_long ? 8 : 4, &v)) {
            return false;
        }
        conversion_format(c, "ll", format, sizeof(format));
        g_string_append_printf(out, format, (long long)integer_of(c, v, true));
        return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        if (!printf_argument(w, u, lane, a, c->is_long ? 8 : 4, &v)) {
            return false;
        }
        conversion_format(c, "ll", format, sizeof(format));
        g_string_append_printf(out, format, (unsigned long long)integer_of(c, v, false));
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (!printf_argument(w, u, lane, a, 8, &v)) {
            return false;
        }
        memcpy(&d, &v, sizeof(d));
        conversion_format(c, "", format, sizeof(format));
        g_string_append_printf(out, format, d);
        return true;
    case 'c':
        if (!printf_argument(w, u, lane, a, 4, &v)) {
            return false;
        }
        conversion_format(c, "", format, sizeof(format));
        g_string_append_printf(out, format, (int)v);
        return true;
    case 's':
        if (!printf_argument(w, u, lane, a, 8, &v)) {
            return false;
        }
        s = device_string(w, u, lane, v);
        if (!s) {
            return false;
        }
        conversion_format(c, "", format, sizeof(format));
        g_string_append_printf(out, format, s);
        g_free(s);
        return true;
    case 'p':
        if (!printf_argument(w, u, lane, a, 8, &v)) {
            return false;
        }
        g_string_append_printf(out, "0x%llx", (unsigned long long)v);
        return true;
    default: /* not a conversion: as it stands */
        g_string_append_c(out, '%');
        g_string_append_c(out, c->type);
        return true;
    }
}

#pragma GCC diagnostic pop

static bool text_format(struct warp *w, const struct ptx_uop *u, uint32_t lane, const char *format,
                        struct arguments *a, GString *out)
{
    const char *p = format;

    while (*p && out->len < PRINTF_TEXT_MAX) {
        struct conversion c;

        if (*p != '%') {
            g_string_append_c(out, *p++);
            continue;
        }
        if (p[1] == '%') {
            g_string_append_c(out, '%');
            p += 2;
            continue;
        }
        p = conversion_parse(w, u, lane, p + 1, a, &c);
        if (!p) {
            return false;
        }
        if (!*p && !c.type) {
            return true; /* the string ends inside a conversion */
        }
        if (a->count >= PRINTF_ARGS_MAX) {
            return true;
        }
        if (!conversion_print(w, u, lane, &c, a, out)) {
            return false;
        }
    }
    return true;
}

/* vprintf(format, arguments). Return: number of arguments, or negative; after a fault the warp has
 * stopped. */
int sm_printf(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t format,
              uint64_t args)
{
    struct arguments a = { .va = args };
    GString *out;
    char *f;
    int count = PRINTF_ERROR;

    if (format == 0) {
        return PRINTF_NULL;
    }
    out = g_string_new(NULL);
    f = device_string(w, u, lane, format);
    if (f && text_format(w, u, lane, f, &a, out) && ring_append(w, u, lane, out->str, out->len)) {
        count = a.count;
    }
    g_free(f);
    g_string_free(out, TRUE);
    return count;
}

/* __assertfail(message, file, line, function, size of a character) */
void sm_assert(struct warp *w, const struct ptx_uop *u, uint32_t lane, const uint64_t *arg)
{
    char *message = device_string(w, u, lane, arg[0]), *file = NULL, *function = NULL;
    const uint32_t *b = w->block->ctaid;
    uint32_t t[3];

    file = message ? device_string(w, u, lane, arg[1]) : NULL;
    function = file ? device_string(w, u, lane, arg[3]) : NULL;
    sm_thread_id(w, lane, t);
    if (function) {
        char *text = g_strdup_printf("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] "
                                     "Assertion `%s` failed.\n",
                                     file, (uint32_t)arg[2], function, b[0], b[1], b[2], t[0], t[1],
                                     t[2], message);

        if (ring_append(w, u, lane, text, strlen(text))) {
            sm_fault(w, u, GRID_FAULT_ASSERT, lane, 0, 0, false, "device assertion");
        }
        g_free(text);
    }
    g_free(message);
    g_free(file);
    g_free(function);
}

/* SPDX-License-Identifier: MIT */
/* Stand-in for GLib: memory, text, numbers, errors. */
#include <glib.h>

GQuark g_quark_from_static_string(const char *text)
{
    static const char *known[16];
    GQuark q = 0;

    while (known[q] && strcmp(known[q], text) != 0) {
        q++;
    }
    known[q] = text;
    return q + 1;
}

void *g_resize(void *p, size_t n)
{
    p = realloc(p, n);
    if (!p && n) {
        __builtin_trap(); /* GLib aborts too */
    }
    return p;
}

void *g_zalloc(size_t n)
{
    return n ? memset(g_resize(NULL, n), 0, n) : NULL;
}

char *g_strndup(const char *s, gsize n)
{
    char *p;

    if (!s) {
        return NULL;
    }
    p = g_zalloc(n + 1);
    return strncpy(p, s, n);
}

char *g_strdup(const char *s)
{
    return s ? g_strndup(s, strlen(s)) : NULL;
}

char *g_strdup_vprintf(const char *format, va_list args)
{
    va_list again;
    size_t n;
    char *p;

    va_copy(again, args);
    n = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    p = g_zalloc(n);
    vsnprintf(p, n, format, args);
    return p;
}

char *g_strdup_printf(const char *format, ...)
{
    va_list args;
    char *p;

    va_start(args, format);
    p = g_strdup_vprintf(format, args);
    va_end(args);
    return p;
}

static char *text_parts_join(const char *separator, const char *first, va_list args)
{
    GString *s = g_string_new(first);

    for (const char *p; (p = va_arg(args, const char *));) {
        g_string_append(s, separator);
        g_string_append(s, p);
    }
    return g_string_free(s, FALSE);
}

char *g_strconcat(const char *first, ...)
{
    va_list args;
    char *p;

    va_start(args, first);
    p = text_parts_join("", first, args);
    va_end(args);
    return p;
}

char *g_build_filename(const char *first, ...)
{
    va_list args;
    char *p;

    va_start(args, first);
    p = text_parts_join("/", first, args);
    va_end(args);
    return p;
}

char *g_path_get_dirname(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? g_strndup(path, (gsize)(slash - path)) : g_strdup(".");
}

char *g_strjoinv(const char *separator, char **parts)
{
    GString *s = g_string_new(NULL);

    for (char **p = parts; *p; p++) {
        g_string_append(s, p == parts ? "" : separator);
        g_string_append(s, *p);
    }
    return g_string_free(s, FALSE);
}

char **g_strsplit(const char *s, const char *separator, int max)
{
    GPtrArray *v = g_ptr_array_new();

    (void)max; /* -1 always */
    while (*s) {
        const char *end = strstr(s, separator);

        if (!end) {
            g_ptr_array_add(v, g_strdup(s));
            break;
        }
        g_ptr_array_add(v, g_strndup(s, (gsize)(end - s)));
        s = end + strlen(separator);
        if (!*s) {
            g_ptr_array_add(v, g_strdup(""));
        }
    }
    g_ptr_array_add(v, NULL);
    return (char **)g_ptr_array_free(v, FALSE);
}

void g_strfreev(char **v)
{
    for (char **p = v; v && *p; p++) {
        free(*p);
    }
    free(v);
}

guint g_strv_length(char **v)
{
    guint n = 0;

    while (v[n]) {
        n++;
    }
    return n;
}

gboolean g_strv_contains(const char *const *v, const char *s)
{
    while (*v && strcmp(*v, s) != 0) {
        v++;
    }
    return *v != NULL;
}

char *g_strchug(char *s)
{
    char *p = s;

    while (g_ascii_isspace(*p)) {
        p++;
    }
    memmove(s, p, strlen(p) + 1);
    return s;
}

char *g_strchomp(char *s)
{
    size_t n = strlen(s);

    while (n && g_ascii_isspace(s[n - 1])) {
        s[--n] = '\0';
    }
    return s;
}

char *g_strdelimit(char *s, const char *delimiters, char with)
{
    for (char *p = s; *p; p++) {
        *p = strchr(delimiters, *p) ? with : *p;
    }
    return s;
}

char *g_strstr_len(const char *hay, gssize len, const char *needle)
{
    size_t n = strlen(needle);

    for (gssize i = 0; i + (gssize)n <= len && hay[i]; i++) {
        if (memcmp(hay + i, needle, n) == 0) {
            return (char *)(uintptr_t)(hay + i);
        }
    }
    return NULL;
}

gsize g_strlcpy(char *to, const char *from, gsize size)
{
    if (size) {
        gsize n = MIN(strlen(from), size - 1);

        memcpy(to, from, n);
        to[n] = '\0';
    }
    return strlen(from);
}

gsize g_strlcat(char *to, const char *from, gsize size)
{
    gsize n = strnlen(to, size);

    return n + g_strlcpy(to + n, from, size - n);
}

gboolean g_str_has_suffix(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && strcmp(s + n - m, suffix) == 0;
}

gboolean g_str_equal(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b) == 0;
}

/* Length of the character at @s, 0: it is none (RFC 3629). */
static unsigned utf8_length(const char *s)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000, 0 };
    unsigned char c = (unsigned char)*s;
    unsigned more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : 4;
    uint32_t code = more ? c & (0x3fu >> more) : c;

    for (unsigned i = 1; i <= more; i++) {
        if (more == 4 || (s[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    return code < least[more] || code > 0x10ffff || code >> 11 == 0x1b ? 0 : more + 1;
}

gboolean g_utf8_validate(const char *s, gssize len, const char **end)
{
    unsigned n = 1;

    (void)len, (void)end; /* -1, NULL always */
    while (*s && (n = utf8_length(s)) > 0) {
        s += n;
    }
    return n > 0;
}

char *g_utf8_make_valid(const char *s, gssize len)
{
    GString *out = g_string_new(NULL);

    (void)len; /* -1 always */
    while (*s) {
        unsigned n = utf8_length(s);

        g_string_append_len(out, n ? s : "\xef\xbf\xbd", n ? n : 3); /* U+FFFD */
        s += n ? n : 1;
    }
    return g_string_free(out, FALSE);
}

glong g_utf8_strlen(const char *s, gssize len)
{
    glong n = 0;

    for (gssize i = 0; (len < 0 || i < len) && s[i]; i++) {
        n += (s[i] & 0xc0) != 0x80;
    }
    return n;
}

int g_ascii_xdigit_value(char c)
{
    char u = g_ascii_toupper(c);

    return g_ascii_isdigit(c) ? c - '0' : u >= 'A' && u <= 'F' ? u - 'A' + 10 : -1;
}

int g_ascii_strcasecmp(const char *a, const char *b)
{
    while (*a && g_ascii_toupper(*a) == g_ascii_toupper(*b)) {
        a++, b++;
    }
    return (unsigned char)g_ascii_toupper(*a) - (unsigned char)g_ascii_toupper(*b);
}

void g_set_error(GError **e, GQuark domain, int code, const char *format, ...)
{
    va_list args;

    if (!e) {
        return;
    }
    *e = g_new0(GError, 1);
    (*e)->domain = domain;
    (*e)->code = code;
    va_start(args, format);
    (*e)->message = g_strdup_vprintf(format, args);
    va_end(args);
}

gboolean g_error_matches(const GError *e, GQuark domain, int code)
{
    return e && e->domain == domain && e->code == code;
}

void g_error_free(GError *e)
{
    free(e->message);
    free(e);
}

gboolean g_ascii_string_to_unsigned(const char *s, guint base, guint64 min, guint64 max,
                                    guint64 *out, GError **e)
{
    char *end;
    guint64 v;

    errno = 0;
    v = strtoull(s, &end, (int)base);
    if (!g_ascii_isdigit(*s) || *end) {
        g_set_error(e, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_INVALID, "not a number");
        return FALSE;
    }
    if (errno == ERANGE || v < min || v > max) {
        g_set_error(e, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS, "out of bounds");
        return FALSE;
    }
    *out = v;
    return TRUE;
}

void g_free_at(void *p)
{
    free(*(void **)p);
}

void *g_memdup2(const void *p, gsize n)
{
    return p && n ? memcpy(g_resize(NULL, n), p, n) : NULL;
}

int g_strcmp0(const char *a, const char *b)
{
    return !a ? -(a != b) : !b ? 1 : strcmp(a, b);
}

char *g_strescape(const char *s, const char *exceptions)
{
    static const char from[] = "\b\f\n\r\t\v\\\"", to[] = "bfnrtv\\\"";
    GString *out = g_string_new(NULL);

    (void)exceptions; /* NULL always */
    for (; *s; s++) {
        const char *at = strchr(from, *s);

        if (at) {
            g_string_append_printf(out, "\\%c", to[at - from]);
        } else if (*s < ' ' || (unsigned char)*s >= 0177) {
            g_string_append_printf(out, "\\%03o", (unsigned)(unsigned char)*s);
        } else {
            g_string_append_c(out, *s);
        }
    }
    return g_string_free(out, FALSE);
}

char *g_strcompress(const char *s)
{
    static const char from[] = "bfnrtv", to[] = "\b\f\n\r\t\v";
    GString *out = g_string_new(NULL);

    while (*s) {
        const char *at = NULL;
        unsigned code = 0, digits = 0;

        if (*s != '\\' || !s[1]) {
            g_string_append_c(out, *s++);
            continue;
        }
        for (s++; digits < 3 && s[digits] >= '0' && s[digits] <= '7'; digits++) {
            code = code * 8 + (unsigned)(s[digits] - '0');
        }
        at = digits ? NULL : strchr(from, *s);
        g_string_append_c(out, digits ? (char)code : at ? to[at - from] : *s);
        s += digits ? digits : 1;
    }
    return g_string_free(out, FALSE);
}

char *g_path_get_basename(const char *path)
{
    size_t n = strlen(path), from;

    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    for (from = n; from > 0 && path[from - 1] != '/';) {
        from--;
    }
    return n == 0 ? g_strdup(".") : from == n ? g_strdup("/") : g_strndup(path + from, n - from);
}

/* '*' is any text, '?' a character; the whole text has to match. */
gboolean g_pattern_match_simple(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            do {
                text++;
            } while (pattern[-1] == '?' && (*text & 0xc0) == 0x80);
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else {
            return FALSE;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

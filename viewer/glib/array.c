/* SPDX-License-Identifier: MIT */
/* Stand-in for GLib: GString, arrays, GQueue. */
#include <glib.h>

GString *g_string_new(const char *init)
{
    GString *s = g_new0(GString, 1);

    s->str = g_zalloc(1);
    return init ? g_string_append(s, init) : s;
}

char *g_string_free(GString *s, gboolean free_text)
{
    char *text = s->str;

    if (free_text) {
        free(text);
        text = NULL;
    }
    free(s);
    return text;
}

GString *g_string_append_len(GString *s, const char *text, gssize n)
{
    gsize len = n < 0 ? strlen(text) : (gsize)n;

    if (s->len + len + 1 > s->allocated_len) {
        s->allocated_len = 2 * (s->len + len + 1);
        s->str = g_resize(s->str, s->allocated_len);
    }
    memcpy(s->str + s->len, text, len);
    s->len += len;
    s->str[s->len] = '\0';
    return s;
}

void g_string_append_printf(GString *s, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_string_append(s, text);
    free(text);
}

void g_string_printf(GString *s, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_string_truncate(s, 0);
    g_string_append(s, text);
    free(text);
}

GString *g_string_truncate(GString *s, gsize len)
{
    if (len < s->len) {
        s->len = len;
        s->str[len] = 0;
    }
    return s;
}

/* Stable, as GLib's sort is. */
static void merge_sort(char *base, size_t n, size_t size, GCompareFunc compare)
{
    size_t half = n / 2, i = 0, j = half;
    char *sorted;

    if (n < 2) {
        return;
    }
    merge_sort(base, half, size, compare);
    merge_sort(base + half * size, n - half, size, compare);
    sorted = g_resize(NULL, n * size);
    for (size_t k = 0; k < n; k++) {
        bool left = j == n || (i < half && compare(base + i * size, base + j * size) <= 0);

        memcpy(sorted + k * size, base + (left ? i++ : j++) * size, size);
    }
    memcpy(base, sorted, n * size);
    free(sorted);
}

GArray *g_array_new(gboolean zero_terminated, gboolean clear, guint size)
{
    GArray *a = g_new0(GArray, 1);

    (void)zero_terminated; /* FALSE always */
    a->size = size;
    a->clear = clear;
    return a;
}

GArray *g_array_append_vals(GArray *a, gconstpointer data, guint n)
{
    if (a->len + n > a->room) {
        a->room = MAX(a->len + n, 2 * a->room);
        a->data = g_resize(a->data, (size_t)a->room * a->size);
    }
    memcpy(a->data + (size_t)a->len * a->size, data, (size_t)n * a->size);
    a->len += n;
    return a;
}

void g_array_set_clear_func(GArray *a, GDestroyNotify clear)
{
    a->clear_func = clear;
}

static void items_clear(GArray *a, guint from, guint to)
{
    for (guint i = from; a->clear_func && i < to; i++) {
        a->clear_func(a->data + (size_t)i * a->size);
    }
}

GArray *g_array_set_size(GArray *a, guint n)
{
    if (n > a->room) {
        a->room = n;
        a->data = g_resize(a->data, (size_t)n * a->size);
    }
    if (n > a->len && a->clear) {
        memset(a->data + (size_t)a->len * a->size, 0, (size_t)(n - a->len) * a->size);
    }
    items_clear(a, n, a->len);
    a->len = n;
    return a;
}

GArray *g_array_remove_range(GArray *a, guint from, guint n)
{
    items_clear(a, from, from + n);
    memmove(a->data + (size_t)from * a->size, a->data + (size_t)(from + n) * a->size,
            (size_t)(a->len - from - n) * a->size);
    a->len -= n;
    return a;
}

void g_array_sort(GArray *a, GCompareFunc compare)
{
    merge_sort(a->data, a->len, a->size, compare);
}

char *g_array_free(GArray *a, gboolean free_data)
{
    char *data = free_data ? NULL : a->data;

    if (free_data) {
        g_array_set_size(a, 0);
        free(a->data);
    }
    free(a);
    return data;
}

void g_array_unref(GArray *a)
{
    g_array_free(a, TRUE);
}

GByteArray *g_byte_array_new(void)
{
    return (GByteArray *)(void *)g_array_new(FALSE, FALSE, 1);
}

GByteArray *g_byte_array_append(GByteArray *a, const guint8 *data, guint n)
{
    return (GByteArray *)(void *)g_array_append_vals((GArray *)(void *)a, data, n);
}

GByteArray *g_byte_array_set_size(GByteArray *a, guint n)
{
    return (GByteArray *)(void *)g_array_set_size((GArray *)(void *)a, n);
}

guint8 *g_byte_array_free(GByteArray *a, gboolean free_data)
{
    return (guint8 *)g_array_free((GArray *)(void *)a, free_data);
}

GPtrArray *g_ptr_array_new_with_free_func(GDestroyNotify free_func)
{
    GPtrArray *a = g_new0(GPtrArray, 1);

    a->free_func = free_func;
    return a;
}

void g_ptr_array_add(GPtrArray *a, gpointer p)
{
    if (a->len == a->room) {
        a->room = a->room ? 2 * a->room : 16;
        a->pdata = g_resize(a->pdata, a->room * sizeof(*a->pdata));
    }
    a->pdata[a->len++] = p;
}

void g_ptr_array_sort(GPtrArray *a, GCompareFunc compare)
{
    merge_sort((char *)a->pdata, a->len, sizeof(*a->pdata), compare);
}

gboolean g_ptr_array_find_with_equal_func(GPtrArray *a, gconstpointer what, GEqualFunc equal,
                                          guint *index)
{
    (void)index; /* NULL always */
    for (guint i = 0; i < a->len; i++) {
        if (equal(a->pdata[i], what)) {
            return TRUE;
        }
    }
    return FALSE;
}

gpointer *g_ptr_array_free(GPtrArray *a, gboolean free_data)
{
    gpointer *data = a->pdata;

    if (free_data) {
        for (guint i = 0; a->free_func && i < a->len; i++) {
            a->free_func(data[i]);
        }
        free(data);
        data = NULL;
    }
    free(a);
    return data;
}

void g_ptr_array_unref(GPtrArray *a)
{
    g_ptr_array_free(a, TRUE);
}

gboolean g_ptr_array_remove(GPtrArray *a, gpointer p)
{
    for (guint i = 0; i < a->len; i++) {
        if (a->pdata[i] == p) {
            memmove(a->pdata + i, a->pdata + i + 1, (a->len - i - 1) * sizeof(*a->pdata));
            a->len--;
            if (a->free_func) {
                a->free_func(p);
            }
            return TRUE;
        }
    }
    return FALSE;
}

void g_ptr_array_set_size(GPtrArray *a, int n)
{
    while (a->len < (guint)n) {
        g_ptr_array_add(a, NULL);
    }
    while (a->len > (guint)n) {
        gpointer p = a->pdata[--a->len];

        if (a->free_func) {
            a->free_func(p);
        }
    }
}

void g_queue_init(GQueue *q)
{
    memset(q, 0, sizeof(*q));
}

void g_queue_push_tail(GQueue *q, gpointer p)
{
    GList *link = g_new0(GList, 1);

    link->data = p;
    link->prev = q->tail;
    *(q->tail ? &q->tail->next : &q->head) = link;
    q->tail = link;
    q->length++;
}

gpointer g_queue_peek_head(GQueue *q)
{
    return q->head ? q->head->data : NULL;
}

gpointer g_queue_pop_head(GQueue *q)
{
    GList *link = q->head;
    gpointer p = g_queue_peek_head(q);

    if (link) {
        q->head = link->next;
        *(q->head ? &q->head->prev : &q->tail) = NULL;
        q->length--;
        free(link);
    }
    return p;
}

void g_queue_foreach(GQueue *q, GFunc func, gpointer user_data)
{
    for (GList *l = q->head; l; l = l->next) {
        func(l->data, user_data);
    }
}

void g_queue_clear_full(GQueue *q, GDestroyNotify free_func)
{
    while (q->length) {
        gpointer p = g_queue_pop_head(q);

        if (free_func) {
            free_func(p);
        }
    }
}

void g_ptr_array_unref_at(GPtrArray **a)
{
    if (*a) {
        g_ptr_array_unref(*a);
    }
}

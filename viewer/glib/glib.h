/* SPDX-License-Identifier: MIT */
/* Stand-in for the part of GLib that litmus/, profiles/, trace/ and checker/ use, for WebAssembly:
 * one thread, no locale, no files. Names and meanings are GLib's; what callers here never ask for
 * is left out. */
#ifndef STANDIN_GLIB_H
#define STANDIN_GLIB_H
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef int gboolean;
typedef char gchar;
typedef int gint;
typedef unsigned guint;
typedef size_t gsize;
typedef long glong;
typedef ptrdiff_t gssize;
typedef uint8_t guint8;
typedef uint64_t guint64;
typedef int64_t gint64;
typedef uint32_t GQuark;
typedef void *gpointer;
typedef const void *gconstpointer;
typedef void (*GFunc)(gpointer data, gpointer user_data);
typedef void (*GDestroyNotify)(gpointer);
typedef int (*GCompareFunc)(gconstpointer, gconstpointer);
typedef guint (*GHashFunc)(gconstpointer);
typedef gboolean (*GEqualFunc)(gconstpointer, gconstpointer);
#define TRUE 1
#define FALSE 0
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(v, lo, hi) ((v) > (hi) ? (hi) : (v) < (lo) ? (lo) : (v))
#define G_N_ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))
#define G_GUINT64_FORMAT PRIu64
#define G_GUINT32_FORMAT PRIu32
#define G_GNUC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define GPOINTER_TO_UINT(p) ((guint)(uintptr_t)(p))
#define GUINT_TO_POINTER(u) ((gpointer)(uintptr_t)(u))
#define GSIZE_TO_POINTER(s) ((gpointer)(uintptr_t)(s))
#define GUINT64_TO_LE(v) (v) /* WebAssembly is little endian */
#define G_STATIC_ASSERT(c) _Static_assert(c, #c)
#define g_assert(c) ((c) ? (void)0 : __builtin_trap())
#define g_assert_not_reached() __builtin_trap()
#define G_DEFINE_QUARK(text, name)                \
    GQuark name##_quark(void)                     \
    {                                             \
        return g_quark_from_static_string(#text); \
    }
GQuark g_quark_from_static_string(const char *text);

/* memory and text */
void *g_zalloc(size_t n);
void *g_resize(void *p, size_t n);
#define g_free free
#define g_new(type, n) g_new0(type, n)
#define g_renew(type, p, n) ((type *)g_resize(p, sizeof(type) * (size_t)(n)))
void g_free_at(void *p);
#define g_autofree __attribute__((cleanup(g_free_at)))
static inline void *g_steal_at(void *at)
{
    void *p = *(void **)at;

    *(void **)at = NULL;
    return p;
}
#define g_steal_pointer(at) ((__typeof__(*(at)))g_steal_at(at))
#define g_clear_pointer(at, destroy)        \
    do {                                    \
        __typeof__(*(at)) cleared_ = *(at); \
        *(at) = NULL;                       \
        if (cleared_) {                     \
            (destroy)(cleared_);            \
        }                                   \
    } while (0)
void *g_memdup2(const void *p, gsize n);
int g_strcmp0(const char *a, const char *b);
char *g_strescape(const char *s, const char *exceptions);
char *g_strcompress(const char *s);
char *g_utf8_make_valid(const char *s, gssize len);
glong g_utf8_strlen(const char *s, gssize len);
#define g_malloc(n) g_zalloc(n)
#define g_new0(type, n) ((type *)g_zalloc(sizeof(type) * (size_t)(n)))
char *g_strndup(const char *s, gsize n);
char *g_strdup(const char *s);
char *g_strdup_vprintf(const char *format, va_list args);
char *g_strdup_printf(const char *format, ...) G_GNUC_PRINTF(1, 2);
char *g_strconcat(const char *first, ...);
char *g_build_filename(const char *first, ...);
char *g_path_get_basename(const char *path);
gboolean g_pattern_match_simple(const char *pattern, const char *text);
char *g_path_get_dirname(const char *path);
char *g_strjoinv(const char *separator, char **parts);
char **g_strsplit(const char *s, const char *separator, int max);
void g_strfreev(char **v);
guint g_strv_length(char **v);
gboolean g_strv_contains(const char *const *v, const char *s);
char *g_strchug(char *s);
char *g_strchomp(char *s);
#define g_strstrip(s) g_strchomp(g_strchug(s))
char *g_strdelimit(char *s, const char *delimiters, char with);
char *g_strstr_len(const char *hay, gssize len, const char *needle);
gsize g_strlcpy(char *to, const char *from, gsize size);
gsize g_strlcat(char *to, const char *from, gsize size);
#define g_snprintf snprintf
#define g_strerror strerror
#define g_getenv getenv
static inline gboolean g_str_has_prefix(const char *s, const char *p)
{
    return strncmp(s, p, strlen(p)) == 0;
}
gboolean g_str_has_suffix(const char *s, const char *suffix);
gboolean g_str_equal(gconstpointer a, gconstpointer b);
guint g_str_hash(gconstpointer s);
gboolean g_int64_equal(gconstpointer a, gconstpointer b);
guint g_int64_hash(gconstpointer p);
gboolean g_utf8_validate(const char *s, gssize len, const char **end);

#define G_CSET_A_2_Z "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define G_CSET_a_2_z "abcdefghijklmnopqrstuvwxyz"
#define G_CSET_DIGITS "0123456789"

/* ASCII */
static inline gboolean g_ascii_isdigit(char c)
{
    return c >= '0' && c <= '9';
}
static inline char g_ascii_toupper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}
static inline gboolean g_ascii_isalpha(char c)
{
    return g_ascii_toupper(c) >= 'A' && g_ascii_toupper(c) <= 'Z';
}
static inline gboolean g_ascii_isalnum(char c)
{
    return g_ascii_isalpha(c) || g_ascii_isdigit(c);
}
static inline gboolean g_ascii_isspace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
static inline gboolean g_ascii_isprint(char c)
{
    return c >= 32 && c < 127;
}
static inline gboolean g_ascii_isgraph(char c)
{
    return c > 32 && c < 127;
}
static inline int g_ascii_digit_value(char c)
{
    return g_ascii_isdigit(c) ? c - '0' : -1;
}
int g_ascii_xdigit_value(char c);
int g_ascii_strcasecmp(const char *a, const char *b);
#define g_ascii_strtoull strtoull

/* errors */
typedef struct {
    GQuark domain;
    int code;
    char *message;
} GError;
void g_set_error(GError **e, GQuark domain, int code, const char *format, ...) G_GNUC_PRINTF(4, 5);
gboolean g_error_matches(const GError *e, GQuark domain, int code);
void g_error_free(GError *e);
#define G_NUMBER_PARSER_ERROR g_quark_from_static_string("g-number-parser-error-quark")
enum { G_NUMBER_PARSER_ERROR_INVALID, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS };
gboolean g_ascii_string_to_unsigned(const char *s, guint base, guint64 min, guint64 max,
                                    guint64 *out, GError **e);

/* GString */
typedef struct {
    char *str;
    gsize len, allocated_len;
} GString;
GString *g_string_new(const char *init);
#define g_string_sized_new(size) g_string_new(NULL)
char *g_string_free(GString *s, gboolean free_text);
GString *g_string_append_len(GString *s, const char *text, gssize n);
#define g_string_append(s, text) g_string_append_len(s, text, -1)
#define g_string_append_c(s, c) g_string_append_len(s, (char[]){ c }, 1)
void g_string_append_printf(GString *s, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* arrays: all three have the same first two members as GLib's */
typedef struct {
    char *data;
    guint len;
    guint size, room;
    gboolean clear;
    GDestroyNotify clear_func;
} GArray;
typedef struct {
    guint8 *data;
    guint len;
    guint size, room;
    gboolean clear;
    GDestroyNotify clear_func;
} GByteArray;
typedef struct {
    gpointer *pdata;
    guint len;
    guint room, refs;
    GDestroyNotify free_func;
} GPtrArray;
GArray *g_array_new(gboolean zero_terminated, gboolean clear, guint size);
GArray *g_array_append_vals(GArray *a, gconstpointer data, guint n);
#define g_array_append_val(a, v) g_array_append_vals(a, &(v), 1)
#define g_array_index(a, type, i) (((type *)(void *)(a)->data)[i])
void g_array_unref(GArray *a);
void g_array_set_clear_func(GArray *a, GDestroyNotify clear);
GArray *g_array_set_size(GArray *a, guint n);
GArray *g_array_remove_range(GArray *a, guint from, guint n);
void g_array_sort(GArray *a, GCompareFunc compare);
char *g_array_free(GArray *a, gboolean free_data);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_append(GByteArray *a, const guint8 *data, guint n);
GByteArray *g_byte_array_set_size(GByteArray *a, guint n);
guint8 *g_byte_array_free(GByteArray *a, gboolean free_data);
GPtrArray *g_ptr_array_new_with_free_func(GDestroyNotify free_func);
#define g_ptr_array_new() g_ptr_array_new_with_free_func(NULL)
#define g_ptr_array_index(a, i) ((a)->pdata[i])
void g_ptr_array_add(GPtrArray *a, gpointer p);
gboolean g_ptr_array_remove(GPtrArray *a, gpointer p);
void g_ptr_array_set_size(GPtrArray *a, int n);
void g_ptr_array_sort(GPtrArray *a, GCompareFunc compare);
gboolean g_ptr_array_find_with_equal_func(GPtrArray *a, gconstpointer what, GEqualFunc equal,
                                          guint *index);
gpointer *g_ptr_array_free(GPtrArray *a, gboolean free_data);
void g_ptr_array_unref(GPtrArray *a);
void g_ptr_array_unref_at(GPtrArray **a);
#define g_autoptr(type) __attribute__((cleanup(type##_auto))) type *
#define GPtrArray_auto g_ptr_array_unref_at

void g_string_printf(GString *s, const char *format, ...) G_GNUC_PRINTF(2, 3);
GString *g_string_truncate(GString *s, gsize len);

/* GHashTable */
typedef struct GHashTable GHashTable;
typedef struct {
    GHashTable *table;
    guint at;
} GHashTableIter;
GHashTable *g_hash_table_new_full(GHashFunc hash, GEqualFunc equal, GDestroyNotify key,
                                  GDestroyNotify value);
#define g_hash_table_new(hash, equal) g_hash_table_new_full(hash, equal, NULL, NULL)
gboolean g_hash_table_insert(GHashTable *h, gpointer key, gpointer value);
gboolean g_hash_table_replace(GHashTable *h, gpointer key, gpointer value);
gboolean g_hash_table_add(GHashTable *h, gpointer key);
gboolean g_hash_table_contains(GHashTable *h, gconstpointer key);
gboolean g_hash_table_remove(GHashTable *h, gconstpointer key);
void g_hash_table_remove_all(GHashTable *h);
gpointer g_hash_table_lookup(GHashTable *h, gconstpointer key);
guint g_hash_table_size(GHashTable *h);
void g_hash_table_iter_init(GHashTableIter *i, GHashTable *h);
gboolean g_hash_table_iter_next(GHashTableIter *i, gpointer *key, gpointer *value);
void g_hash_table_iter_remove(GHashTableIter *i);
GHashTable *g_hash_table_ref(GHashTable *h);
void g_hash_table_unref(GHashTable *h);
void g_hash_table_destroy(GHashTable *h);

/* GQueue */
typedef struct GList {
    gpointer data;
    struct GList *next, *prev;
} GList;
typedef struct {
    GList *head, *tail;
    guint length;
} GQueue;
void g_queue_init(GQueue *q);
void g_queue_push_tail(GQueue *q, gpointer p);
gpointer g_queue_pop_head(GQueue *q);
void g_queue_foreach(GQueue *q, GFunc func, gpointer user_data);
gpointer g_queue_peek_head(GQueue *q);
void g_queue_clear_full(GQueue *q, GDestroyNotify free_func);

/* GKeyFile, of text in memory */
typedef struct {
    char **line;
} GKeyFile;
enum { G_KEY_FILE_NONE };
GKeyFile *g_key_file_new(void);
gboolean g_key_file_load_from_data(GKeyFile *k, const char *text, gsize len, int flags, GError **e);
char *g_key_file_get_value(GKeyFile *k, const char *group, const char *key, GError **e);
void g_key_file_free(GKeyFile *k);

/* files: profile.c alone; there are none here */
typedef struct stat GStatBuf;
typedef void GDir;
enum { G_FILE_TEST_EXISTS };
static inline gboolean g_file_get_contents(const char *path, char **text, gsize *len, GError **e)
{
    (void)path, (void)text, (void)len, (void)e;
    errno = ENOENT;
    return FALSE;
}
static inline gboolean g_file_test(const char *path, int test)
{
    (void)path, (void)test;
    return FALSE;
}
static inline GDir *g_dir_open(const char *path, guint flags, GError **e)
{
    (void)path, (void)flags, (void)e;
    return NULL;
}
static inline const char *g_dir_read_name(GDir *d)
{
    (void)d;
    return NULL;
}
static inline void g_dir_close(GDir *d)
{
    (void)d;
}
#endif

/* SPDX-License-Identifier: MIT */
#include "profiles/profile.h"

#include <stddef.h>
#include <string.h>

#include "profiles/edition.h"
#include "profiles/nearest.h"
#include "profiles/profile_keys.h"

/* What profile_load() gives out is the first member, so the standing stays with its profile. */
struct profile_file {
    struct soc_profile profile;
    GHashTable *line;        /* "section.key" -> its line number; owns the keys */
    unsigned char *standing; /* index as profile_keys[] */
    char **source;
};

G_DEFINE_QUARK(vtegra - profile - error - quark, profile_error)

static const char *const standings[] = {
    [PROFILE_DOCUMENTED] = "documented",
    [PROFILE_MEASURED] = "measured",
    [PROFILE_INFERRED] = "inferred",
    NULL,
};

const char *profile_standing_name(enum profile_standing standing)
{
    return standings[standing];
}

void profile_free(struct soc_profile *profile)
{
    struct profile_file *f = (struct profile_file *)profile;

    if (!f) {
        return;
    }
    g_hash_table_destroy(f->line);
    for (size_t i = 0; i < profile_key_count; i++) {
        g_free(f->source[i]);
    }
    g_free(f->source);
    g_free(f->standing);
    g_free(f);
}

gboolean profile_standing(const struct soc_profile *profile, const char *key,
                          enum profile_standing *standing, const char **source)
{
    const struct profile_file *f = (const struct profile_file *)profile;

    for (size_t i = 0; i < profile_key_count; i++) {
        size_t len = strlen(profile_keys[i].section);

        if (strncmp(key, profile_keys[i].section, len) == 0 && key[len] == '.' &&
            strcmp(key + len + 1, profile_keys[i].name) == 0) {
            *standing = (enum profile_standing)f->standing[i];
            if (source) {
                *source = f->source[i];
            }
            return TRUE;
        }
    }
    return FALSE;
}

/* Names of section's keys, or of all sections where section is NULL; g_free() the array only. */
static const char **known_names(const char *section)
{
    const char **names = g_new0(const char *, profile_key_count + 1);
    size_t n = 0;

    for (size_t i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];

        if (section ? strcmp(key->section, section) == 0
                    : n == 0 || strcmp(names[n - 1], key->section) != 0) {
            names[n++] = section ? key->name : key->section;
        }
    }
    return names;
}

/* Is @name one of them? If not, set @error and offer the nearest. */
static gboolean name_check(const char *file, unsigned line, const char *section, const char *name,
                           GError **error)
{
    const char **names = known_names(section);
    gboolean known = g_strv_contains(names, name);

    if (!known) {
        const char *near = nearest_word(name, names);

        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_KEY, "%s:%u: unknown %s \"%s\"%s%s%s%s%s",
                    file, line, section ? "key" : "section", name, section ? " in [" : "",
                    section ? section : "", section ? "]" : "", near ? "; did you mean " : "",
                    near ? near : "");
    }
    g_free(names);
    return known;
}

/* One line of the file: remembers where a key stands, refuses unknown and repeated ones. GLib's
 * parser gives no line numbers and silently takes the last of two equal keys. */
static gboolean scan_line(struct profile_file *f, const char *file, unsigned line, char *text,
                          char **section, GError **error)
{
    char *equals = strchr(text, '=');
    char *name;
    unsigned first;

    if (text[0] == '[') {
        g_free(*section);
        *section = g_strdup(text + 1);
        (*section)[strcspn(*section, "]")] = '\0';
        return name_check(file, line, NULL, *section, error);
    }
    if (!equals) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE,
                    "%s:%u: not a section, a comment or \"key = value | standing | source\"", file,
                    line);
        return FALSE;
    }
    *equals = '\0';
    g_strchomp(text);
    if (!*section) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE,
                    "%s:%u: key \"%s\" before the first [section]", file, line, text);
        return FALSE;
    }
    if (!name_check(file, line, *section, text, error)) {
        return FALSE;
    }
    name = g_strdup_printf("%s.%s", *section, text);
    first = GPOINTER_TO_UINT(g_hash_table_lookup(f->line, name));
    if (first) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_KEY,
                    "%s:%u: key \"%s\" of [%s] was given on line %u already", file, line, text,
                    *section, first);
        g_free(name);
        return FALSE;
    }
    g_hash_table_insert(f->line, name, GUINT_TO_POINTER(line));
    return TRUE;
}

static gboolean profile_parse_scan(struct profile_file *f, const char *text, const char *file,
                                   GError **error)
{
    char **lines = g_strsplit(text, "\n", -1);
    char *section = NULL;
    gboolean ok = TRUE;

    for (unsigned i = 0; lines[i] && ok; i++) {
        char *line = g_strstrip(lines[i]);

        if (line[0] != '\0' && line[0] != '#') {
            ok = scan_line(f, file, i + 1, line, &section, error);
        }
    }
    g_free(section);
    g_strfreev(lines);
    return ok;
}

/* Sets @error with position and name of a key and the reason. */
static void value_error(const struct profile_file *f, const char *file,
                        const struct profile_key *key, enum profile_error code, GError **error,
                        const char *format, ...) G_GNUC_PRINTF(6, 7);
static void value_error(const struct profile_file *f, const char *file,
                        const struct profile_key *key, enum profile_error code, GError **error,
                        const char *format, ...)
{
    char *name = g_strdup_printf("%s.%s", key->section, key->name);
    unsigned line = GPOINTER_TO_UINT(g_hash_table_lookup(f->line, name));
    char *why;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, PROFILE_ERROR, code, "%s:%u: [%s] %s: %s", file, line, key->section,
                key->name, why);
    g_free(why);
    g_free(name);
}

/* A plain decimal number inside the limits, and nothing after it. */
static gboolean number_parse(const struct profile_file *f, const char *file,
                             const struct profile_key *key, const char *text, uint64_t *value,
                             GError **error)
{
    GError *why = NULL;

    if (text[0] == '-' && text[1] != '\0') {
        value_error(f, file, key, PROFILE_ERROR_VALUE, error, "\"%s\" is negative", text);
        return FALSE;
    }
    if (g_ascii_string_to_unsigned(text, 10, key->min, key->max, value, &why)) {
        return TRUE;
    }
    if (g_error_matches(why, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS)) {
        value_error(f, file, key, PROFILE_ERROR_VALUE, error,
                    "%s%s%s is outside %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, text,
                    *key->unit ? " " : "", key->unit, key->min, key->max);
    } else {
        value_error(f, file, key, PROFILE_ERROR_VALUE, error,
                    "\"%s\" is not a whole decimal number%s%s%s", text,
                    *key->unit ? " (the unit is " : "", key->unit, *key->unit ? ")" : "");
    }
    g_error_free(why);
    return FALSE;
}

static gboolean value_set(struct profile_file *f, const char *file, const struct profile_key *key,
                          const char *text, GError **error)
{
    char *field = (char *)&f->profile + key->offset;
    uint64_t value;

    if (key->type == PROFILE_STR) {
        size_t len = strlen(text);

        if (len < key->min || len > key->max) {
            value_error(f, file, key, PROFILE_ERROR_VALUE, error,
                        "the text has %zu bytes, allowed are %" G_GUINT64_FORMAT
                        "..%" G_GUINT64_FORMAT,
                        len, key->min, key->max);
            return FALSE;
        }
        memcpy(field, text, len + 1);
        return TRUE;
    }
    if (!number_parse(f, file, key, text, &value, error)) {
        return FALSE;
    }
    switch (key->type) {
    case PROFILE_U32:
        *(uint32_t *)(void *)field = (uint32_t)value;
        break;
    case PROFILE_U64:
        *(uint64_t *)(void *)field = value;
        break;
    default:
        *(bool *)field = value != 0;
        break;
    }
    return TRUE;
}

/* "value | standing | source": all three, no more. */
static gboolean entry_set(struct profile_file *f, const char *file, size_t index, const char *text,
                          GError **error)
{
    const struct profile_key *key = &profile_keys[index];
    char **part = g_strsplit(text, "|", -1);
    gboolean ok = FALSE;

    for (char **p = part; *p; p++) {
        g_strstrip(*p);
    }
    if (g_strv_length(part) != 3 || part[2][0] == '\0') {
        value_error(f, file, key, PROFILE_ERROR_STANDING, error,
                    "must be \"value | standing | source\" with all three parts");
    } else if (!g_strv_contains(standings, part[1])) {
        value_error(f, file, key, PROFILE_ERROR_STANDING, error,
                    "standing \"%s\" is none of documented, measured, inferred", part[1]);
    } else if (value_set(f, file, key, part[0], error)) {
        for (unsigned i = 0; standings[i]; i++) {
            if (strcmp(standings[i], part[1]) == 0) {
                f->standing[index] = (unsigned char)i;
            }
        }
        f->source[index] = g_strdup(part[2]);
        ok = TRUE;
    }
    g_strfreev(part);
    return ok;
}

/* A key of the sections that may all be missing is there. */
static gboolean sections_optional_any(GKeyFile *keys)
{
    for (size_t i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        char *text =
            key->optional ? g_key_file_get_value(keys, key->section, key->name, NULL) : NULL;

        g_free(text);
        if (text) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean entries_set(struct profile_file *f, GKeyFile *keys, const char *file,
                            GError **error)
{
    for (size_t i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        char *text = g_key_file_get_value(keys, key->section, key->name, NULL);
        gboolean ok;

        if (!text && key->optional && !sections_optional_any(keys)) {
            f->source[i] = g_strdup("the board has no second GPU");
            continue;
        }
        if (!text) {
            g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_KEY,
                        "%s: [%s] %s is missing (%s%s%s); add a line \"%s = value | standing | "
                        "source\"",
                        file, key->section, key->name, key->text, *key->unit ? ", " : "", key->unit,
                        key->name);
            return FALSE;
        }
        ok = entry_set(f, file, i, text, error);
        g_free(text);
        if (!ok) {
            return FALSE;
        }
    }
    return TRUE;
}

static const struct profile_key *key_of(size_t offset)
{
    for (size_t i = 0; i < profile_key_count; i++) {
        if (profile_keys[i].offset == offset) {
            return &profile_keys[i];
        }
    }
    g_assert_not_reached();
}

static gboolean systems_known(const char *list)
{
    static const char *const systems[] = { "linux", "qnx", "android", "embedded-linux", NULL };
    char **names = g_strsplit(list, ",", -1);
    gboolean ok = names[0] != NULL;

    for (char **n = names; *n && ok; n++) {
        ok = g_strv_contains(systems, *n);
    }
    g_strfreev(names);
    return ok;
}

/* Figures that contradict each other: each one is possible, together they are not. */
static gboolean figures_agree(const struct profile_file *f, const char *file, GError **error)
{
    static const char *const signals[] = { "SIGSEGV", "SIGBUS", "none", NULL };
    const struct soc_profile *p = &f->profile;
    const struct {
        gboolean ok;
        size_t offset;
        const char *why;
    } rules[] = {
        { systems_known(p->soc.os), offsetof(struct soc_profile, soc.os),
          "must be a comma-separated list of linux, qnx, android, embedded-linux" },
        { profile_editions_known(p->soc.editions), offsetof(struct soc_profile, soc.editions),
          "must be a comma-separated list, oldest first, of " PROFILE_EDITIONS },
        { profile_has_edition(p, p->soc.edition), offsetof(struct soc_profile, soc.edition),
          "must be one of editions" },
        { (p->cpu.line_bytes & (p->cpu.line_bytes - 1)) == 0,
          offsetof(struct soc_profile, cpu.line_bytes), "must be a power of two" },
        { p->cpu.cache_bytes % ((uint64_t)p->cpu.cache_ways * p->cpu.line_bytes) == 0,
          offsetof(struct soc_profile, cpu.cache_bytes), "must be a multiple of ways x line" },
        { p->memory.carveout_bytes < p->memory.dram_bytes,
          offsetof(struct soc_profile, memory.carveout_bytes), "must be less than dram_bytes" },
        { p->gpu.l2_bytes % ((uint64_t)p->gpu.l2_ways * p->gpu.l2_line_bytes) == 0,
          offsetof(struct soc_profile, gpu.l2_bytes), "must be a multiple of ways x line" },
        { p->gpu.block_threads_max <= p->gpu.sm_threads_max,
          offsetof(struct soc_profile, gpu.block_threads_max), "must not exceed sm_threads_max" },
        { p->gpu.block_smem_bytes <= p->gpu.block_smem_optin_bytes,
          offsetof(struct soc_profile, gpu.block_smem_bytes),
          "must not exceed block_smem_optin_bytes" },
        { p->gpu.block_smem_optin_bytes <= p->gpu.sm_smem_bytes,
          offsetof(struct soc_profile, gpu.block_smem_optin_bytes),
          "must not exceed sm_smem_bytes" },
        { p->gpu.block_regs <= p->gpu.sm_regs, offsetof(struct soc_profile, gpu.block_regs),
          "must not exceed sm_regs" },
        { !p->gpu.host_register_supported || p->soc.io_coherent,
          offsetof(struct soc_profile, gpu.host_register_supported),
          "needs io_coherent = 1 (CUDA for Tegra, 2.1)" },
        { p->gpu.integrated == !p->gpu.vidmem_bytes, offsetof(struct soc_profile, gpu.vidmem_bytes),
          "must be 0 exactly where integrated = 1" },
        { p->gpu.integrated || (p->soc.io_coherent && !p->rules.cpu_snoops_l2),
          offsetof(struct soc_profile, gpu.integrated),
          "0 needs io_coherent = 1 and cpu_snoops_l2 = 0: PCIe snoops the CPU caches, one way" },
        { p->gpu.integrated || !p->gpu.pageable_uses_host_page_tables,
          offsetof(struct soc_profile, gpu.pageable_uses_host_page_tables),
          "must be 0 where integrated = 0: no GPU behind PCIe walks them in the model" },
        { p->gpu.integrated || !(p->dla.cores || p->vic.cores),
          offsetof(struct soc_profile, gpu.integrated),
          "0 needs [dla] cores = 0 and [vic] cores = 0: they are engines of a SoC" },
        { soc_profile_gpus(p) == 1 || p->gpu.integrated,
          offsetof(struct soc_profile, gpu.integrated),
          "must be 1 where [dgpu] is: the discrete GPU is the other one" },
        { soc_profile_gpus(p) == 1 || (!p->dgpu.integrated && p->dgpu.vidmem_bytes),
          offsetof(struct soc_profile, dgpu.integrated), "must be 0, with vidmem_bytes above 0" },
        { soc_profile_gpus(p) == 1 || !p->dgpu.managed_memory,
          offsetof(struct soc_profile, dgpu.managed_memory),
          "must be 0: CUDA for Tegra, Table 1, third column" },
        { soc_profile_gpus(p) == 1 || !p->rules.cpu_snoops_l2,
          offsetof(struct soc_profile, rules.cpu_snoops_l2),
          "must be 0 where [dgpu] is: the model has no such board" },
        { soc_profile_gpus(p) == 1 ||
              !(p->gpu.pageable_memory_access || p->dgpu.pageable_memory_access),
          offsetof(struct soc_profile, dgpu.pageable_memory_access),
          "must be 0 for both GPUs: the model has no such board" },
        { soc_profile_gpus(p) == 1 ||
              p->dgpu.l2_bytes % ((uint64_t)p->dgpu.l2_ways * p->dgpu.l2_line_bytes) == 0,
          offsetof(struct soc_profile, dgpu.l2_bytes), "must be a multiple of ways x line" },
        { soc_profile_gpus(p) == 1 || strcmp(p->dgpu_memory.link, "pcie") == 0 ||
              strcmp(p->dgpu_memory.link, "nvlink") == 0,
          offsetof(struct soc_profile, dgpu_memory.link), "must be pcie or nvlink" },
        { p->gpu.unified_addressing, offsetof(struct soc_profile, gpu.unified_addressing),
          "must be 1: CPU and iGPU have the same addresses in the model" },
        { p->gpu.can_map_host_memory, offsetof(struct soc_profile, gpu.can_map_host_memory),
          "must be 1: pinned memory is always mapped for the iGPU in the model" },
        { g_strv_contains(signals, p->rules.managed_touch_signal),
          offsetof(struct soc_profile, rules.managed_touch_signal),
          "must be SIGSEGV, SIGBUS or none" },
        { g_str_equal(p->rules.managed_touch_signal, "none") == p->gpu.concurrent_managed_access,
          offsetof(struct soc_profile, rules.managed_touch_signal),
          "must be none exactly where concurrent_managed_access = 1" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!rules[i].ok) {
            value_error(f, file, key_of(rules[i].offset), PROFILE_ERROR_VALUE, error, "%s",
                        rules[i].why);
            return FALSE;
        }
    }
    return TRUE;
}

struct soc_profile *profile_parse(const char *text, gsize len, const char *file, GError **error)
{
    struct profile_file *f = g_new0(struct profile_file, 1);
    GKeyFile *keys = g_key_file_new();
    GError *syntax = NULL;
    gboolean ok = FALSE;
    char *copy = g_strndup(text, len);

    f->line = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    f->standing = g_new0(unsigned char, profile_key_count);
    f->source = g_new0(char *, profile_key_count);
    if (strlen(copy) != len || !g_utf8_validate(copy, -1, NULL)) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE, "%s: not a text file (UTF-8)", file);
    } else if (!profile_parse_scan(f, copy, file, error)) {
        ; /* error is set */
    } else if (!g_key_file_load_from_data(keys, text, len, G_KEY_FILE_NONE, &syntax)) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_FILE, "%s: %s", file, syntax->message);
        g_error_free(syntax);
    } else {
        ok = entries_set(f, keys, file, error) && figures_agree(f, file, error);
    }
    g_free(copy);
    g_key_file_free(keys);
    if (!ok) {
        profile_free(&f->profile);
        return NULL;
    }
    return &f->profile;
}

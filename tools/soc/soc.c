/* SPDX-License-Identifier: MIT */
/* vtegra soc: what is known about each SoC, and how well. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/rules/features.h"
#include "profiles/edition.h"
#include "profiles/power.h"
#include "profiles/profile.h"
#include "profiles/profile_keys.h"
#include "tools/cmd.h"
#include "tools/soc/soc_edition.h"
#include "tools/soc/soc_rules.h"

#define CMD "soc"
static const char *const standing_name[] = {
    [CHECK_DOCUMENTED] = "documented",
    [CHECK_MEASURED] = "measured",
    [CHECK_INFERRED] = "inferred",
};

#define TITLE_WIDTH 38 /* of the longest text in model/profile.def */

static const char description[] =
    "  list          one line a SoC\n"
    "  show SOC      Table 1 of CUDA for Tegra for it, what is unsupported and why, every figure\n"
    "                with its source. SOC is a name or a profile file\n"
    "  show SOC --edition A --diff B\n"
    "                what edition B of the note changes against A\n"
    "\n"
    "Standing of a figure: documented (by NVIDIA or Arm), measured (on a board), inferred (our\n"
    "choice; the text gives the reason).";

/* 4194304 bytes -> "4 MiB"; other units as they are. */
static char *value_text(const struct profile_key *key, const struct soc_profile *profile)
{
    char *value = profile_key_value(key, profile);
    char *text;

    if (key->type == PROFILE_BOOL) {
        text = g_strdup(strcmp(value, "1") == 0 ? "yes" : "no");
    } else if (strcmp(key->unit, "bytes") == 0) {
        guint64 bytes = g_ascii_strtoull(value, NULL, 10);

        if (bytes >= 1u << 30 && bytes % (1u << 30) == 0) {
            text = g_strdup_printf("%" G_GUINT64_FORMAT " GiB", bytes >> 30);
        } else if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) {
            text = g_strdup_printf("%" G_GUINT64_FORMAT " MiB", bytes >> 20);
        } else if (bytes >= 1u << 10 && bytes % (1u << 10) == 0) {
            text = g_strdup_printf("%" G_GUINT64_FORMAT " KiB", bytes >> 10);
        } else {
            text = g_strdup_printf("%" G_GUINT64_FORMAT " bytes", bytes);
        }
    } else {
        text = *key->unit ? g_strconcat(value, " ", key->unit, NULL) : g_strdup(value);
    }
    g_free(value);
    return text;
}

static void figures_print(const struct soc_profile *profile)
{
    const char *section = "";

    for (size_t i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        enum profile_standing standing;
        const char *source;
        char *name, *value;

        if (!profile_key_has(key, profile)) {
            continue;
        }
        name = g_strdup_printf("%s.%s", key->section, key->name);
        value = value_text(key, profile);
        if (strcmp(section, key->section) != 0) {
            printf("\n%s\n", key->section);
            section = key->section;
        }
        profile_standing(profile, name, &standing, &source);
        printf("  %-*s %-23s %-10s %s\n", TITLE_WIDTH, key->text, value,
               profile_standing_name(standing), source);
        g_free(value);
        g_free(name);
    }
}

static enum rules_side gpu_side(const struct soc_profile *profile)
{
    const struct rules_facts facts = rules_facts_of(profile);

    return rules_gpu_side(&facts);
}

/* The columns of Table 1 that the board has: the CPU, its GPU, and on DRIVE the discrete one. */
static void table1_print(const struct soc_profile *profile)
{
    const bool two = soc_profile_gpus(profile) > 1;
    const struct soc_profile discrete = soc_profile_gpu(profile, two);
    enum rules_side gpu = gpu_side(profile);

    printf("\nMemory (CUDA for Tegra, Table 1)\n  %-22s %-33s %-*s%s\n", "", "CPU", two ? 24 : 0,
           gpu == RULES_DGPU ? "dGPU" : "iGPU", two ? " dGPU" : "");
    for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
        g_autofree char *cpu = soc_memory_text(profile, kind, RULES_CPU);
        g_autofree char *text = soc_memory_text(profile, kind, gpu);
        g_autofree char *third = two ? soc_memory_text(&discrete, kind, RULES_DGPU) : NULL;

        if (rules_kind_title(kind)) {
            printf("  %-22s %-33s %-*s%s%s\n", rules_kind_title(kind), cpu, two ? 24 : 0, text,
                   two ? " " : "", third ? third : "");
        }
    }
    if (two) {
        printf("Device 0 is the discrete GPU, device 1 the integrated one\n");
    }
}

#define FEATURE_WIDTH 62 /* of the longest title in model/rules/features.def */
#define BOARD_WIDTH 46

/* Two columns: what the note says of the board, and what vtegra has. Behind a long text the second
 * begins on a line of its own. */
static void features_print(const struct soc_profile *profile)
{
    printf("\nFeatures (CUDA for Tegra, 3.6; 13.4: 4.7)\n  %-*s %-*s %s\n", FEATURE_WIDTH, "",
           BOARD_WIDTH, "the board", "vtegra");
    for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
        g_autofree char *text = soc_feature_text(profile, f);

        printf("  %-*s %-*s", FEATURE_WIDTH, rules_feature_title(f), BOARD_WIDTH, text);
        if (strlen(text) > BOARD_WIDTH) {
            printf("\n%*s", 2 + FEATURE_WIDTH + 1 + BOARD_WIDTH, "");
        }
        printf(" %s\n", soc_feature_here(profile, f));
    }
}

static void unsupported_print(const struct soc_profile *profile)
{
    printf("\nUnsupported\n");
    for (size_t i = 0; i < rule_count; i++) {
        enum soc_rule_where where = soc_rule_where(i, profile);
        const struct rule *rule = &rule_table[i];

        if (where != SOC_RULE_NOWHERE) {
            printf("  %-28s %s%s (%s, %s): %s\n", rule->api,
                   where == SOC_RULE_ON_QNX ? "on qnx: " : "", rule->text, rule->section,
                   standing_name[rule->standing], soc_rule_result(rule));
        }
    }
    for (size_t i = 0; i < soc_rule_count; i++) {
        const struct soc_rule *rule = &soc_rules[i];

        if (rule->applies(profile)) {
            printf("  %-34s %s (%s)\n", rule->what, rule->why, rule->section);
        }
    }
}

static void power_print(unsigned mhz)
{
    if (mhz) {
        printf(" %5u MHz", mhz);
    } else {
        printf(" %9s", "-");
    }
}

/* "-": no clamp of that mode, or no such engine. */
static void powers_print(const struct soc_profile *profile)
{
    const struct profile_power *row = profile_power(profile->soc.name, 0);

    if (!row) {
        return;
    }
    printf("\nPower modes (--power; what nvpmodel clamps)\n");
    printf("  %-3s%-18s%6s%10s%5s%10s%10s%10s\n", "id", "mode", "cores", "CPU", "SMs", "GPU",
           "memory", "DLA");
    for (unsigned i = 0; (row = profile_power(profile->soc.name, i)); i++) {
        printf("  %-3u%-18s%6u", row->id, row->name, row->cores);
        power_print(row->cpu_mhz);
        printf("%5u", row->sms);
        power_print(row->gpu_mhz);
        power_print(row->emc_mhz);
        power_print(row->dla_mhz);
        printf("  %s: %s\n", profile_standing_name(row->standing), row->source);
    }
}

static void soc_print(const struct soc_profile *profile)
{
    printf("%s: %s (%s), compute capability %u.%u\n", profile->soc.name, profile->soc.marketing,
           profile->soc.chip, profile->gpu.cc_major, profile->gpu.cc_minor);
    printf("edition %s of CUDA for Tegra (%s); it has had %s\n", profile->soc.edition,
           rules_edition_text(rules_edition_find(profile->soc.edition)), profile->soc.editions);
    table1_print(profile);
    features_print(profile);
    unsupported_print(profile);
    powers_print(profile);
    figures_print(profile);
}

static void soc_member(JsonBuilder *b, const char *name, const char *value)
{
    json_builder_set_member_name(b, name);
    json_builder_add_string_value(b, value);
}

static void figure_value_json(JsonBuilder *b, const struct profile_key *key,
                              const struct soc_profile *profile)
{
    char *value = profile_key_value(key, profile);

    json_builder_set_member_name(b, "value");
    if (key->type == PROFILE_STR) {
        json_builder_add_string_value(b, value);
    } else if (key->type == PROFILE_BOOL) {
        json_builder_add_boolean_value(b, strcmp(value, "1") == 0);
    } else { /* the limits of profile.def keep U64 below 2^63 */
        json_builder_add_int_value(b, (gint64)g_ascii_strtoull(value, NULL, 10));
    }
    g_free(value);
}

static void figures_json(JsonBuilder *b, const struct soc_profile *profile)
{
    json_builder_set_member_name(b, "figures");
    json_builder_begin_object(b);
    for (size_t i = 0; i < profile_key_count; i++) {
        const struct profile_key *key = &profile_keys[i];
        enum profile_standing standing;
        const char *source;
        char *name;

        if (!profile_key_has(key, profile)) {
            continue;
        }
        name = g_strdup_printf("%s.%s", key->section, key->name);
        profile_standing(profile, name, &standing, &source);
        json_builder_set_member_name(b, name);
        json_builder_begin_object(b);
        figure_value_json(b, key, profile);
        soc_member(b, "unit", key->unit);
        soc_member(b, "text", key->text);
        soc_member(b, "standing", profile_standing_name(standing));
        soc_member(b, "source", source);
        json_builder_end_object(b);
        g_free(name);
    }
    json_builder_end_object(b);
}

static void rules_json(JsonBuilder *b, const struct soc_profile *profile)
{
    enum rules_side gpu = gpu_side(profile);

    json_builder_set_member_name(b, "memory");
    json_builder_begin_array(b);
    for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
        g_autofree char *cpu = soc_memory_text(profile, kind, RULES_CPU);
        g_autofree char *text = soc_memory_text(profile, kind, gpu);

        if (rules_kind_title(kind)) {
            json_builder_begin_object(b);
            soc_member(b, "kind", rules_kind_title(kind));
            soc_member(b, "cpu", cpu);
            soc_member(b, gpu == RULES_DGPU ? "dgpu" : "igpu", text);
            json_builder_end_object(b);
        }
    }
    json_builder_end_array(b);
    json_builder_set_member_name(b, "features");
    json_builder_begin_object(b);
    for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
        g_autofree char *text = soc_feature_text(profile, f);

        soc_member(b, rules_feature_title(f), text);
    }
    json_builder_end_object(b);
    json_builder_set_member_name(b, "features_of_vtegra");
    json_builder_begin_object(b);
    for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
        soc_member(b, rules_feature_title(f), soc_feature_here(profile, f));
    }
    json_builder_end_object(b);
    json_builder_set_member_name(b, "unsupported");
    json_builder_begin_array(b);
    for (size_t i = 0; i < rule_count; i++) {
        enum soc_rule_where where = soc_rule_where(i, profile);
        const struct rule *rule = &rule_table[i];

        if (where != SOC_RULE_NOWHERE) {
            json_builder_begin_object(b);
            soc_member(b, "what", rule->api);
            soc_member(b, "why", rule->text);
            soc_member(b, "source", rule->section);
            soc_member(b, "standing", standing_name[rule->standing]);
            soc_member(b, "os", where == SOC_RULE_ON_QNX ? "qnx" : profile->soc.os);
            soc_member(b, "answer", soc_rule_result(rule));
            soc_member(b, "todo", rule->todo);
            json_builder_end_object(b);
        }
    }
    for (size_t i = 0; i < soc_rule_count; i++) {
        if (soc_rules[i].applies(profile)) {
            json_builder_begin_object(b);
            soc_member(b, "what", soc_rules[i].what);
            soc_member(b, "why", soc_rules[i].why);
            soc_member(b, "source", soc_rules[i].section);
            json_builder_end_object(b);
        }
    }
    json_builder_end_array(b);
}

static void soc_json(JsonBuilder *b, const struct soc_profile *profile)
{
    json_builder_begin_object(b);
    soc_member(b, "name", profile->soc.name);
    soc_member(b, "edition", profile->soc.edition);
    rules_json(b, profile);
    figures_json(b, profile);
    json_builder_end_object(b);
}

static void json_print(JsonBuilder *b)
{
    JsonGenerator *generator = json_generator_new();
    JsonNode *root = json_builder_get_root(b);
    char *text;

    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    text = json_generator_to_data(generator, NULL);
    puts(text);
    g_free(text);
    json_node_unref(root);
    g_object_unref(generator);
}

static struct soc_profile *soc_load(const char *name)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(name, &error);

    if (!profile) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
    }
    return profile;
}

static int soc_list(gboolean json)
{
    char **names = profile_list(NULL);
    JsonBuilder *b = json_builder_new();
    int status = CMD_OK;

    json_builder_begin_array(b);
    if (!json) {
        printf("%-10s %-22s %-5s %4s %4s %8s %8s  %s\n", "name", "module", "chip", "cc", "SMs",
               "L2", "DRAM", "I/O coherent");
    }
    for (char **name = names; *name; name++) {
        struct soc_profile *p = soc_load(*name);

        if (!p) {
            status = CMD_FOUND;
            continue;
        }
        if (json) {
            soc_json(b, p);
        } else {
            printf("%-10s %-22s %-5s %2u.%u %4u %4u KiB %4u GiB  %s\n", p->soc.name,
                   p->soc.marketing, p->soc.chip, p->gpu.cc_major, p->gpu.cc_minor, p->gpu.sm_count,
                   (unsigned)(p->gpu.l2_bytes >> 10), (unsigned)(p->memory.dram_bytes >> 30),
                   p->rules.cpu_snoops_l2 ? "both ways"
                   : !p->gpu.integrated   ? "over PCIe"
                   : p->soc.io_coherent   ? "one way"
                                          : "no");
        }
        profile_free(p);
    }
    json_builder_end_array(b);
    if (json) {
        json_print(b);
    } else if (!names[0]) {
        cmd_error(CMD, "no profiles found; set VTEGRA_PROFILES to their folder");
        status = CMD_FOUND;
    }
    g_object_unref(b);
    g_strfreev(names);
    return status;
}

static int soc_diff(const char *name, const char *edition)
{
    struct soc_profile *then = soc_load(name), *now = then ? soc_load(name) : NULL;
    GError *error = NULL;
    int status = CMD_FOUND;

    if (now && profile_edition_set(now, edition, &error)) {
        soc_edition_diff(then, now);
        status = CMD_OK;
    } else if (now) {
        cmd_error(CMD, "--diff: %s", error->message);
        g_error_free(error);
    }
    profile_free(now);
    profile_free(then);
    return status;
}

static int soc_show(const char *name, gboolean json)
{
    struct soc_profile *profile = soc_load(name);

    if (!profile) {
        return CMD_FOUND;
    }
    if (json) {
        JsonBuilder *b = json_builder_new();

        soc_json(b, profile);
        json_print(b);
        g_object_unref(b);
    } else {
        soc_print(profile);
    }
    profile_free(profile);
    return CMD_OK;
}

int cmd_soc(int argc, char **argv)
{
    gboolean json = FALSE;
    g_autofree char *edition = NULL, *power = NULL, *diff = NULL;
    const GOptionEntry entries[] = {
        { "edition", 0, 0, G_OPTION_ARG_STRING, &edition,
          "edition of CUDA for Tegra: 10.2, 11.4, 11.8, 12.6, 13.4 (the newest that the SoC has)",
          "EDITION" },
        { "power", 0, 0, G_OPTION_ARG_STRING, &power, "the figures of a power mode", "MODE" },
        { "diff", 0, 0, G_OPTION_ARG_STRING, &diff, "what this edition changes", "EDITION" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &json, "for programs", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };

    if (!cmd_options(CMD, "list | show SOC - the SoCs and what is known about them", description,
                     entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (diff && (argc != 3 || strcmp(argv[1], "show") != 0 || json)) {
        cmd_error(CMD, "--diff is for show SOC, as text: vtegra soc show orin --edition 11.4 "
                       "--diff 13.4");
        return CMD_USAGE;
    }
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        g_unsetenv(PROFILE_EDITION_ENV); /* each with its own */
        g_unsetenv(PROFILE_POWER_ENV);
        return soc_list(json);
    }
    cmd_edition(edition);
    cmd_power(power);
    if (diff) {
        return soc_diff(argv[2], diff);
    }
    if (argc == 3 && strcmp(argv[1], "show") == 0) {
        return soc_show(argv[2], json);
    }
    if (argc == 2 && strcmp(argv[1], "show") == 0) {
        cmd_error(CMD, "show which SoC? For example: vtegra soc show orin");
    } else {
        const char *const verbs[] = { "list", "show", NULL };

        cmd_error(CMD, "give \"list\" or \"show SOC\"%s; see vtegra soc --help",
                  cmd_meant(argc > 1 ? argv[1] : NULL, verbs));
    }
    return CMD_USAGE;
}

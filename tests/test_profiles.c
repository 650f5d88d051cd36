/* SPDX-License-Identifier: MIT */
/*
 * The values below were written by hand from published deviceQuery listings, NVIDIA's Programming
 * Guide (Technical Specifications) and CUDA for Tegra 2.1 and 3.6, not taken from the files.
 */
#include <check.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/nearest.h"
#include "profiles/profile.h"
#include "profiles/profile_keys.h"

struct expected {
    const char *soc, *device;
    unsigned cc, sms, cores, clock_mhz, l2_kib, smem_sm, regs_block, threads_sm, copy_engines;
    unsigned bus_bits, tex_1d, tex_3d;
    bool io_coherent, host_register, concurrent_managed, pageable, system_atomics, snoops_l2;
};

static const struct expected boards[] = {
    { "nano", "NVIDIA Tegra X1",
      53,     1,
      128,    922,
      256,    65536,
      32768,  2048,
      1,      64,
      65536,  4096,
      0,      0,
      0,      0,
      0,      0 },
    { "tx2",  "NVIDIA Tegra X2",
      62,     2,
      128,    1300,
      512,    65536,
      32768,  2048,
      1,      128,
      131072, 16384,
      0,      0,
      0,      0,
      0,      0 },
    { "xavier-nx", "Xavier", 72,     6,     64, 1109, 512, 98304, 65536, 2048,
      1,           256,      131072, 16384, 1,  1,    0,   0,     1,     0 },
    { "xavier", "Xavier", 72,     8,     64, 1377, 512, 98304, 65536, 2048,
      1,        256,      131072, 16384, 1,  1,    0,   0,     1,     0 },
    { "orin-nano", "Orin", 87,     8,     128, 624, 2048, 167936, 65536, 1536,
      2,           64,     131072, 16384, 1,   1,   0,    0,      1,     0 },
    { "orin-nx", "Orin", 87,     8,     128, 918, 2048, 167936, 65536, 1536,
      2,         256,    131072, 16384, 1,   1,   0,    0,      1,     0 },
    { "orin", "Orin", 87,     16,    128, 1300, 4096, 167936, 65536, 1536,
      2,      256,    131072, 16384, 1,   1,    0,    0,      1,     0 },
    { "thor", "NVIDIA Thor", 110,    20,    128, 1049, 32768, 233472, 65536, 1536,
      1,      256,           131072, 16384, 1,   1,    1,     1,      1,     1 },
    { "desktop", "NVIDIA GeForce RTX 2080 Ti",
      75,        68,
      64,        1545,
      5632,      65536,
      65536,     1024,
      3,         352,
      131072,    16384,
      1,         1,
      1,         0,
      1,         0 },
};

static struct soc_profile *load(const char *name)
{
    GError *error = NULL;
    struct soc_profile *p = profile_load(name, &error);

    ck_assert_msg(p != NULL, "%s", error ? error->message : "no message");
    return p;
}

START_TEST(device_matches_its_listing)
{
    const struct expected *e = &boards[_i];
    struct soc_profile *p = load(e->soc);

    ck_assert_str_eq(p->soc.name, e->soc);
    ck_assert_str_eq(p->gpu.name, e->device);
    ck_assert_uint_eq(soc_profile_cc(p), e->cc);
    ck_assert_uint_eq(p->gpu.sm_count, e->sms);
    ck_assert_uint_eq(p->gpu.cores_per_sm, e->cores);
    ck_assert_uint_eq(p->gpu.clock_khz, e->clock_mhz * 1000);
    ck_assert_uint_eq(p->gpu.l2_bytes, e->l2_kib * 1024);
    ck_assert_uint_eq(p->gpu.sm_smem_bytes, e->smem_sm);
    ck_assert_uint_eq(p->gpu.block_smem_bytes, 49152);
    ck_assert_uint_eq(p->gpu.block_regs, e->regs_block);
    ck_assert_uint_eq(p->gpu.sm_threads_max, e->threads_sm);
    ck_assert_uint_eq(p->gpu.copy_engines, e->copy_engines);
    ck_assert_uint_eq(p->memory.bus_bits, e->bus_bits);
    ck_assert_uint_eq(p->texture.max_1d, e->tex_1d);
    ck_assert_uint_eq(p->texture.max_3d_z, e->tex_3d);
    profile_free(p);
}
END_TEST

START_TEST(memory_rules_match_the_note)
{
    const struct expected *e = &boards[_i];
    struct soc_profile *p = load(e->soc);

    ck_assert_int_eq(p->soc.io_coherent, e->io_coherent);
    ck_assert_int_eq(p->gpu.host_register_supported, e->host_register);
    ck_assert_int_eq(p->gpu.concurrent_managed_access, e->concurrent_managed);
    ck_assert_int_eq(p->gpu.pageable_memory_access, e->pageable);
    ck_assert_int_eq(p->gpu.pageable_uses_host_page_tables, e->pageable);
    ck_assert_int_eq(p->rules.system_atomics, e->system_atomics);
    ck_assert_int_eq(p->rules.cpu_snoops_l2, e->snoops_l2);
    ck_assert_str_eq(p->rules.managed_touch_signal, e->concurrent_managed ? "none" : "SIGSEGV");
    ck_assert_int_eq(p->gpu.integrated, strcmp(e->soc, "desktop") != 0);
    ck_assert_uint_eq(p->gpu.vidmem_bytes, p->gpu.integrated ? 0 : UINT64_C(11554717696));
    ck_assert(p->gpu.can_map_host_memory && p->gpu.unified_addressing);
    ck_assert(p->gpu.managed_memory && !p->gpu.ecc);
    profile_free(p);
}
END_TEST

/* By hand, from Linux' list of features: "atomics" from Armv8.1 on, "lrcpc" from Armv8.3 on. The
 * Cortex-A57 and Denver 2 are Armv8.0, Carmel is an Armv8.2 without it, the Cortex-A78AE has it. */
START_TEST(cpu_instructions_match_cpuinfo)
{
    static const struct {
        const char *soc;
        bool lse, lrcpc;
    } expected[] = { { "nano", false, false },     { "tx2", false, false },
                     { "xavier-nx", true, false }, { "xavier", true, false },
                     { "orin-nano", true, true },  { "orin-nx", true, true },
                     { "orin", true, true },       { "thor", true, true } };

    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        struct soc_profile *p = load(expected[i].soc);

        ck_assert_int_eq(p->cpu.lse, expected[i].lse);
        ck_assert_int_eq(p->cpu.lrcpc, expected[i].lrcpc);
        profile_free(p);
    }
}
END_TEST

START_TEST(every_figure_has_standing_and_source)
{
    struct soc_profile *p = load(boards[_i].soc);

    for (size_t i = 0; i < profile_key_count; i++) {
        char *name = g_strdup_printf("%s.%s", profile_keys[i].section, profile_keys[i].name);
        enum profile_standing standing;
        const char *source = NULL;

        ck_assert(profile_standing(p, name, &standing, &source));
        ck_assert_int_ge((int)strlen(source), 4);
        g_free(name);
    }
    profile_free(p);
}
END_TEST

START_TEST(standing_is_that_of_the_file)
{
    struct soc_profile *p = load("orin");
    enum profile_standing standing;
    const char *source;

    ck_assert(profile_standing(p, "gpu.l2_bytes", &standing, &source));
    ck_assert_int_eq(standing, PROFILE_MEASURED);
    ck_assert_str_eq(source, "deviceQuery listing");
    ck_assert(profile_standing(p, "gpu.l2_ways", &standing, NULL));
    ck_assert_str_eq(profile_standing_name(standing), "inferred");
    ck_assert(!profile_standing(p, "gpu.l2", &standing, NULL));
    ck_assert(!profile_standing(p, "gpu", &standing, NULL));
    ck_assert(!profile_standing(p, "", &standing, NULL));
    profile_free(p);
}
END_TEST

START_TEST(list_is_sorted_and_complete)
{
    char **names = profile_list(NULL);
    char *all = g_strjoinv(" ", names);

    ck_assert_str_eq(
        all,
        "desktop drive-pegasus drive-px2 nano orin orin-nano orin-nx thor tx2 xavier xavier-nx");
    g_free(all);
    g_strfreev(names);
    names = profile_list("/nonexistent");
    ck_assert_ptr_null(names[0]);
    g_strfreev(names);
}
END_TEST

/* Each change to a good profile, and what the message must contain. NULL as @to deletes the line
 * that holds @from. Line numbers are counted in profiles/orin.profile by hand: [soc] is line 6. */
static const struct {
    const char *from, *to;
    enum profile_error code;
    const char *message;
} faults[] = {
    { "l2_bytes = 4194304", "l2_bytes = -4194304", PROFILE_ERROR_VALUE,
      "orin.profile:42: [gpu] l2_bytes: \"-4194304\" is negative" },
    { "l2_bytes = 4194304", "l2_bytes = 4 MiB", PROFILE_ERROR_VALUE,
      "[gpu] l2_bytes: \"4 MiB\" is not a whole decimal number (the unit is bytes)" },
    { "l2_bytes = 4194304", "l2_bytes = 0x400000", PROFILE_ERROR_VALUE, "not a whole decimal" },
    { "l2_bytes = 4194304", "l2_bytes = ", PROFILE_ERROR_VALUE, "not a whole decimal" },
    { "l2_bytes = 4194304", "l2_bytes = 99999999999999999999999", PROFILE_ERROR_VALUE,
      "is outside 4096..1073741824" },
    { "l2_bytes = 4194304", "l2_bytes = 64", PROFILE_ERROR_VALUE, "64 bytes is outside" },
    { "l2_bytes = 4194304", "l2_bytes = 4194305", PROFILE_ERROR_VALUE,
      "must be a multiple of ways x line" },
    { "l2_ways = 16", "l2_ways = 17", PROFILE_ERROR_VALUE, "17 is outside 1..16" },
    { "io_coherent = 1", "io_coherent = 2", PROFILE_ERROR_VALUE, "2 is outside 0..1" },
    { "io_coherent = 1", "io_coherent = 0", PROFILE_ERROR_VALUE, "needs io_coherent = 1" },
    /* what the model cannot be */
    { "integrated = 1", "integrated = 0", PROFILE_ERROR_VALUE,
      "[gpu] vidmem_bytes: must be 0 exactly where integrated = 1" },
    { "vidmem_bytes = 0", "vidmem_bytes = 4096", PROFILE_ERROR_VALUE,
      "[gpu] vidmem_bytes: must be 0 exactly where integrated = 1" },
    { "integrated = 1 | measured | deviceQuery listing\nvidmem_bytes = 0",
      "integrated = 0 | inferred | a dGPU\nvidmem_bytes = 4096", PROFILE_ERROR_VALUE,
      "[gpu] integrated: 0 needs [dla] cores = 0 and [vic] cores = 0" },
    { "unified_addressing = 1", "unified_addressing = 0", PROFILE_ERROR_VALUE,
      "[gpu] unified_addressing: must be 1" },
    { "can_map_host_memory = 1", "can_map_host_memory = 0", PROFILE_ERROR_VALUE,
      "[gpu] can_map_host_memory: must be 1" },
    /* editions of CUDA for Tegra */
    { "edition = 13.4", "edition = 10.2", PROFILE_ERROR_VALUE,
      "[soc] edition: must be one of editions" },
    { "editions = 11.4,11.8", "editions = 11.8,11.4", PROFILE_ERROR_VALUE,
      "[soc] editions: must be a comma-separated list, oldest first, of 10.2, 11.4, 11.8, 12.6, "
      "13.4" },
    { "editions = 11.4,11.8", "editions = 11.4,11.7", PROFILE_ERROR_VALUE, "[soc] editions" },
    { "l2_bytes = 4194304", "l2_byts = 4194304", PROFILE_ERROR_KEY,
      "orin.profile:42: unknown key \"l2_byts\" in [gpu]; did you mean l2_bytes" },
    { "[gpu]", "[gpus]", PROFILE_ERROR_KEY, "unknown section \"gpus\"; did you mean gpu" },
    { "cores = 12 ", NULL, PROFILE_ERROR_KEY, "orin.profile: [cpu] cores is missing (CPU cores)" },
    { "cores = 12 ", "clock_khz = 1 | inferred | twice\ncores = 12 ", PROFILE_ERROR_KEY,
      "orin.profile:19: key \"clock_khz\" of [cpu] was given on line 17 already" },
    { "cores = 12 | documented", "cores = 12 | guessed", PROFILE_ERROR_STANDING,
      "standing \"guessed\" is none of documented, measured, inferred" },
    { "cores = 12 | documented | NVIDIA Jetson module data sheet", "cores = 12",
      PROFILE_ERROR_STANDING, "orin.profile:17: [cpu] cores: must be \"value | standing | source" },
    { "cores = 12 | documented | NVIDIA Jetson module data sheet", "cores = 12 | documented | ",
      PROFILE_ERROR_STANDING, "all three parts" },
    { "cores = 12 ", "cores | 12 ", PROFILE_ERROR_FILE, "orin.profile:17: not a section" },
    { "[soc]", "x = 1 | inferred | y\n[soc]", PROFILE_ERROR_FILE,
      "orin.profile:6: key \"x\" before the first [section]" },
    { "os = linux,qnx", "os = linux,windows", PROFILE_ERROR_VALUE,
      "linux, qnx, android, embedded-linux" },
    { "SIGSEGV", "SIGFPE", PROFILE_ERROR_VALUE, "must be SIGSEGV, SIGBUS or none" },
    { "SIGSEGV", "none", PROFILE_ERROR_VALUE, "concurrent_managed_access = 1" },
    { "name = Orin",
      "name = "
      "OrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrinOrin",
      PROFILE_ERROR_VALUE, "the text has 68 bytes, allowed are 1..63" },
    { "name = Orin", "name = \xff\xfe", PROFILE_ERROR_FILE, "not a text file" },
};

static char *orin_text(void)
{
    char *path = g_build_filename(PROFILES_DIR, "orin.profile", NULL);
    char *text;

    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_free(path);
    return text;
}

/* @text with the first @from replaced; takes @text. */
static char *edit(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    char *rest, *result;

    ck_assert_msg(at != NULL, "the profile has no \"%s\"", from);
    rest = to ? at + strlen(from) : strchr(at, '\n') + 1;
    *at = '\0';
    result = g_strconcat(text, to ? to : "", rest, NULL);
    g_free(text);
    return result;
}

START_TEST(fault_names_file_line_and_key)
{
    char *text = edit(orin_text(), faults[_i].from, faults[_i].to);
    GError *error = NULL;
    struct soc_profile *p = profile_parse(text, strlen(text), "orin.profile", &error);

    ck_assert_msg(p == NULL, "accepted: %s", faults[_i].to ? faults[_i].to : "(deleted)");
    ck_assert_msg(strstr(error->message, faults[_i].message) != NULL, "%s", error->message);
    ck_assert(g_str_has_prefix(error->message, "orin.profile:"));
    ck_assert(error->domain == PROFILE_ERROR);
    ck_assert_int_eq(error->code, (int)faults[_i].code);
    g_error_free(error);
    g_free(text);
}
END_TEST

/* A board with a second GPU: all of its sections or none, and figures that go together. */
static const struct {
    const char *from, *to, *message;
} drive_faults[] = {
    { "[dgpu_memory]\nbus_bits = ", "[dgpu_memory]\n# ", "[dgpu_memory] bus_bits is missing" },
    { "link = pcie", "link = usb4", "must be pcie or nvlink" },
    { "integrated = 1", "integrated = 0", "[gpu]" },
    { "l2_bytes = 1572864", "l2_bytes = 1572865", "must be a multiple of ways x line" },
    { "managed_memory = 0", "managed_memory = 1", "third column" },
};

START_TEST(second_gpu_is_whole_or_missing)
{
    char *path = g_build_filename(PROFILES_DIR, "drive-px2.profile", NULL);
    GError *error = NULL;
    struct soc_profile *p;
    char *text;

    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    text = edit(text, drive_faults[_i].from, drive_faults[_i].to);
    p = profile_parse(text, strlen(text), "drive.profile", &error);
    ck_assert_msg(p == NULL, "accepted: %s", drive_faults[_i].to);
    ck_assert_msg(strstr(error->message, drive_faults[_i].message) != NULL, "%s", error->message);
    g_error_free(error);
    g_free(text);
    g_free(path);
}
END_TEST

START_TEST(unknown_soc_lists_the_known)
{
    GError *error = NULL;

    ck_assert_ptr_null(profile_load("xaver", &error));
    ck_assert_int_eq(error->code, PROFILE_ERROR_UNKNOWN_SOC);
    ck_assert_ptr_nonnull(strstr(error->message, "did you mean xavier?"));
    ck_assert_ptr_nonnull(strstr(error->message, "nano orin orin-nano orin-nx thor tx2 xavier"));
    g_clear_error(&error);
    ck_assert_ptr_null(profile_load("", &error));
    ck_assert_int_eq(error->code, PROFILE_ERROR_UNKNOWN_SOC);
    g_clear_error(&error);
}
END_TEST

START_TEST(unreadable_file_is_named)
{
    static const char *const paths[] = { "/nonexistent/x.profile", "/dev/zero", "/" };

    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        GError *error = NULL;

        ck_assert_ptr_null(profile_load(paths[i], &error));
        ck_assert_int_eq(error->code, PROFILE_ERROR_FILE);
        ck_assert(g_str_has_prefix(error->message, paths[i]));
        g_error_free(error);
    }
}
END_TEST

START_TEST(own_folder_comes_first)
{
    char *dir = g_dir_make_tmp("profiles-XXXXXX", NULL);
    char *path = g_build_filename(dir, "orin.profile", NULL);
    char *text = edit(orin_text(), "sm_count = 16", "sm_count = 4");
    struct soc_profile *p;

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    g_setenv("VTEGRA_PROFILES", dir, TRUE);
    p = load("orin");
    ck_assert_uint_eq(p->gpu.sm_count, 4);
    profile_free(p);
    p = load("tx2"); /* not there: from the installed ones */
    profile_free(p);
    g_unsetenv("VTEGRA_PROFILES");
    p = load(path);
    ck_assert_uint_eq(p->gpu.sm_count, 4);
    profile_free(p);
    g_unlink(path);
    g_rmdir(dir);
    g_free(text);
    g_free(path);
    g_free(dir);
}
END_TEST

START_TEST(windows_line_ends_are_accepted)
{
    char *text = orin_text();
    char **lines = g_strsplit(text, "\n", -1);
    char *crlf = g_strjoinv("\r\n", lines);
    GError *error = NULL;
    struct soc_profile *p = profile_parse(crlf, strlen(crlf), "orin.profile", &error);

    ck_assert_msg(p != NULL, "%s", error ? error->message : "");
    ck_assert_str_eq(p->soc.name, "orin");
    profile_free(p);
    g_free(crlf);
    g_strfreev(lines);
    g_free(text);
}
END_TEST

START_TEST(nearest_word_is_near_or_none)
{
    static const char *const words[] = { "run", "cc", "check-app", "soc", NULL };

    ck_assert_str_eq(nearest_word("rum", words), "run");
    ck_assert_str_eq(nearest_word("rnu", words), "run");
    ck_assert_str_eq(nearest_word("checkapp", words), "check-app");
    ck_assert_str_eq(nearest_word("scc", words), "cc");
    ck_assert_ptr_null(nearest_word("install", words));
    ck_assert_ptr_null(nearest_word("", words));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profiles");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tc, device_matches_its_listing, 0, G_N_ELEMENTS(boards));
    tcase_add_loop_test(tc, memory_rules_match_the_note, 0, G_N_ELEMENTS(boards));
    tcase_add_test(tc, cpu_instructions_match_cpuinfo);
    tcase_add_loop_test(tc, every_figure_has_standing_and_source, 0, G_N_ELEMENTS(boards));
    tcase_add_test(tc, standing_is_that_of_the_file);
    tcase_add_test(tc, list_is_sorted_and_complete);
    tcase_add_loop_test(tc, fault_names_file_line_and_key, 0, G_N_ELEMENTS(faults));
    tcase_add_loop_test(tc, second_gpu_is_whole_or_missing, 0, G_N_ELEMENTS(drive_faults));
    tcase_add_test(tc, unknown_soc_lists_the_known);
    tcase_add_test(tc, unreadable_file_is_named);
    tcase_add_test(tc, own_folder_comes_first);
    tcase_add_test(tc, windows_line_ends_are_accepted);
    tcase_add_test(tc, nearest_word_is_near_or_none);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
